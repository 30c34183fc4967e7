// SPDX-License-Identifier: Apache-2.0
// Rules for the sources and the bundle.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listSources, page, root } from "../sources.mjs";
import { startBrowser } from "./browser.mjs";
import { makeData } from "./example_data.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

test("no module turns text into markup or code", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
  for (const path of listSources().filter((p) => p.endsWith(".ts"))) {
    assert.doesNotMatch(read(path), forbidden, path);
  }
});

test("files have a licence line and stay short", () => {
  const own = readdirSync(join(root, "src")).map((name) => `src/${name}`);
  for (const path of own.filter((p) => !p.endsWith(".html"))) {
    assert.match(read(path), /^(\/\/|\/\*) SPDX-License-Identifier/, path);
    if (path.endsWith(".ts")) {
      assert.ok(read(path).split("\n").length <= 400, `${path} is long`);
    }
  }
});

test("the lock file names no host to fetch from", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"|registry/);
});

test("the page has at most 2 MB, both places and the licences", () => {
  assert.ok(statSync(join(root, page)).size <= 2 * 1024 * 1024);
  const html = read(page);
  assert.equal(html.split("<!--sbog:tables-->").length, 2);
  assert.equal(html.split("<!--sbog:data-->").length, 2);
  for (const name of ["vega ", "vega-lite ", "umap-js ", "d3-array "]) {
    assert.ok(html.includes(name), `${name} is not in the licences`);
  }
});

// Colours as people with one kind of cone less see them (Machado and others,
// 2009), compared in Oklab.
const views = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function linear(words) {
  return words
    .match(/\d+/g)
    .slice(0, 3)
    .map((text) => {
      const value = Number(text) / 255;
      return value <= 0.04045
        ? value / 12.92
        : ((value + 0.055) / 1.055) ** 2.4;
    });
}

function apply(matrix, [r, g, b]) {
  return matrix.map((row) => Math.max(0, row[0] * r + row[1] * g + row[2] * b));
}

function oklab(rgb) {
  const cones = apply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map(Math.cbrt);
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map((row) => row[0] * cones[0] + row[1] * cones[1] + row[2] * cones[2]);
}

function contrast(a, b) {
  const light = (c) => {
    const [r, g, bl] = linear(c);
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl + 0.05;
  };
  const pair = [light(a), light(b)].sort((x, y) => y - x);
  return pair[0] / pair[1];
}

for (const colorScheme of ["light", "dark"]) {
  test(`colours can be told apart: ${colorScheme}`, async () => {
    const browser = await startBrowser();
    const { page } = await browser.open(makeData(), { colorScheme });
    const read = (name) =>
      page.evaluate((property) => {
        const probe = document.createElement("i");
        probe.style.color = `var(--${property})`;
        document.body.append(probe);
        return getComputedStyle(probe).color;
      }, name);
    const ground = await read("card");
    const classes = [];
    for (let i = 1; i <= 6; ++i) classes.push(await read(`class-${i}`));
    const kinds = [];
    for (const name of ["bank", "anchor", "outlier"])
      kinds.push(await read(name));
    await browser.close();
    for (const colour of [...classes, ...kinds]) {
      assert.ok(contrast(colour, ground) >= 3, `${colour} on ${ground}`);
    }
    for (const [name, matrix] of Object.entries(views)) {
      for (const set of [classes, kinds]) {
        const seen = set.map((c) => oklab(apply(matrix, linear(c))));
        seen.forEach((a, i) =>
          seen.slice(0, i).forEach((b, k) => {
            const distance = Math.hypot(...a.map((v, d) => v - b[d]));
            assert.ok(distance > 0.08, `${name}: ${set[i]} and ${set[k]}`);
          }),
        );
      }
    }
  });
}
