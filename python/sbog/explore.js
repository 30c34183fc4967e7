// SPDX-License-Identifier: Apache-2.0
// Sliders and a map on a canvas; numbers come from the library by the model.
const NAMES = { epsilon: "epsilon", semantic_floor: "semantic floor", sigma: "sigma" };
const COLOURS = { inside: "#9aa5b1", outside: "#e3a008", outlier: "#d1495b" };
const WIDTH = 560;
const HEIGHT = 420;
const MARGIN = 12;

function make(tag, parent, words = "") {
  const element = document.createElement(tag);
  element.textContent = words;
  parent.append(element);
  return element;
}

function floats(view) {
  if (!view) return new Float32Array();
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// The frame of everything that is drawn, so that the map does not jump.
function frame(places) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i + 1 < places.length; i += 2) {
    left = Math.min(left, places[i]);
    right = Math.max(right, places[i]);
    low = Math.min(low, places[i + 1]);
    high = Math.max(high, places[i + 1]);
  }
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / (1.2 * (right - left) || 1),
    (HEIGHT - 2 * MARGIN) / (1.2 * (high - low) || 1),
  );
  const [x, y] = [(left + right) / 2, (low + high) / 2];
  return (u, v) => [WIDTH / 2 + (u - x) * scale, HEIGHT / 2 - (v - y) * scale];
}

function draw(canvas, model) {
  const pen = canvas.getContext("2d");
  const places = floats(model.get("places"));
  const made = floats(model.get("outliers"));
  const view = model.get("outside");
  const outside = view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : [];
  const at = frame(places);
  pen.clearRect(0, 0, WIDTH, HEIGHT);
  const dot = (u, v, size, colour) => {
    const [x, y] = at(u, v);
    pen.fillStyle = colour;
    pen.fillRect(x - size / 2, y - size / 2, size, size);
  };
  for (let i = 0; i + 1 < places.length; i += 2) {
    dot(places[i], places[i + 1], 3, outside[i / 2] ? COLOURS.outside : COLOURS.inside);
  }
  for (let i = 0; i + 1 < made.length; i += 2) {
    dot(made[i], made[i + 1], 6, COLOURS.outlier);
  }
}

function digits(value) {
  return Number(value).toPrecision(3);
}

// Lengths and temperatures are compared by factors: their sliders are logarithmic.
function slider(model, name, isLogarithmic, parent) {
  const [low, high] = model.get("ranges")[name];
  const forth = isLogarithmic ? Math.log : (value) => value;
  const back = isLogarithmic ? Math.exp : (value) => value;
  const label = make("label", parent);
  label.style.cssText = "display:block;margin:4px 0";
  make("span", label, `${NAMES[name]} `).style.cssText = "display:inline-block;width:8em";
  const input = make("input", label);
  input.type = "range";
  input.min = forth(low);
  input.max = forth(high);
  input.step = "any";
  input.value = forth(model.get(name));
  input.style.width = "280px";
  const shown = make("output", label, ` ${digits(model.get(name))}`);
  let waits = null;
  input.addEventListener("input", () => {
    const value = back(Number(input.value));
    shown.textContent = ` ${digits(value)}`;
    // The last of many moves counts.
    clearTimeout(waits);
    waits = setTimeout(() => {
      model.set(name, value);
      model.save_changes();
    }, 60);
  });
}

function legend(parent) {
  const line = make("div", parent);
  const words = { inside: "supported", outside: "beyond the threshold", outlier: "outlier" };
  for (const [name, text] of Object.entries(words)) {
    make("span", line, "■ ").style.color = COLOURS[name];
    make("span", line, `${text}  `);
  }
}

function render({ model, el }) {
  slider(model, "epsilon", true, el);
  if (model.get("ranges").has_floor) slider(model, "semantic_floor", false, el);
  slider(model, "sigma", true, el);
  const words = make("div", el, model.get("words"));
  words.setAttribute("role", "status");
  const canvas = make("canvas", el);
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  canvas.style.cssText = "border:1px solid #ccc;max-width:100%";
  legend(el);
  const redraw = () => {
    words.textContent = model.get("words");
    draw(canvas, model);
  };
  model.on("change:words", redraw);
  model.on("change:outliers", redraw);
  model.on("change:outside", redraw);
  redraw();
}

export default { render };
