// SPDX-License-Identifier: Apache-2.0
// A decoded window as small plots: the recorded channel behind, the edited one
// on top, and where it was edited.
import type { EditedChannel, WindowExample } from "./data";
import { foreign, h, s } from "./dom";
import { count, number } from "./format";

// Units of the drawing, which is stretched to the room it gets.
const WIDTH = 1000;
const HEIGHT = 100;

interface Scale {
  least: number;
  most: number;
  x: (sample: number) => number;
  y: (value: number) => number;
}

function within(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function scaleOf({ source, edited }: EditedChannel): Scale {
  const values = [...source, ...edited];
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = 0.06 * (most - least) || 1;
  const [low, high] = [least - room, most + room];
  const last = Math.max(1, source.length - 1);
  return {
    least,
    most,
    x: (sample) => (WIDTH * within(sample, 0, last)) / last,
    y: (value) => (HEIGHT * (high - within(value, low, high))) / (high - low),
  };
}

function curve(values: number[], scale: Scale, style: string): SVGElement {
  const points = values.map(
    (value, i) => `${scale.x(i).toFixed(1)} ${scale.y(value).toFixed(1)}`,
  );
  return s("path", { class: style, d: `M${points.join("L")}` });
}

/** Range in training, edited spans and the frame. */
function backdrop(channel: EditedChannel, scale: Scale): SVGElement[] {
  const top = scale.y(channel.high);
  const bottom = scale.y(channel.low);
  return [
    s("rect", {
      class: "band",
      x: 0,
      y: top,
      width: WIDTH,
      height: Math.max(0, bottom - top),
    }),
    ...channel.spans.map(([first, end]) =>
      s("rect", {
        class: "span",
        x: scale.x(first),
        y: 0,
        width: Math.max(2, scale.x(end) - scale.x(first)),
        height: HEIGHT,
      }),
    ),
    s("rect", { class: "frame", width: WIDTH, height: HEIGHT }),
  ];
}

/** The plot of one channel. */
export function plotChannel(
  channel: EditedChannel,
  window: WindowExample,
): HTMLElement {
  const scale = scaleOf(channel);
  const spans = channel.spans
    .map(([first, end]) => `${count(first)} to ${count(end)}`)
    .join(", ");
  const label =
    `${channel.name}: recorded and edited values, ` +
    `edited from sample ${spans} of ${count(channel.source.length)}`;
  const last = window.first_row + channel.source.length - 1;
  const [from, to] = window.times ?? [
    `row ${count(window.first_row)}`,
    `row ${count(last)}`,
  ];
  return h(
    "div",
    { class: "window" },
    h(
      "div",
      { class: "values" },
      h("span", {}, number(scale.most)),
      h("span", {}, number(scale.least)),
    ),
    s(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": label,
      },
      ...backdrop(channel, scale),
      curve(channel.source, scale, "source"),
      curve(channel.edited, scale, "edited"),
    ),
    h("div", { class: "times" }, foreign(from), foreign(to)),
  );
}
