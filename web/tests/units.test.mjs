// SPDX-License-Identifier: Apache-2.0
// What needs no browser: numbers in words, bins, frames, and bad data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeData, seeded } from "./example_data.mjs";
import { load } from "./load.mjs";

const format = await load("format");
const groups = await load("energy_groups");
const layout = await load("map_layout");
const { parseData } = await load("parse_data");
const { computeUmap } = await load("umap");
const { chooseHeat } = await load("stress_groups");

test("numbers have few digits and readable powers", () => {
  const cases = [
    [0, "0"],
    [1, "1"],
    [-3, "−3"],
    [0.0363457, "0.0363"],
    [12.345, "12.3"],
    [1480.2, "1,480"],
    [2.08826e-5, "2.09 × 10⁻⁵"],
    [-2.08826e-5, "−2.09 × 10⁻⁵"],
    [19660800000, "1.97 × 10¹⁰"],
    [null, "–"],
  ];
  for (const [value, words] of cases) {
    assert.equal(format.number(value), words);
  }
});

test("a share is never rounded to all or none", () => {
  const plain = (share) => format.percent(share).replace("\u00a0", " ");
  assert.equal(plain(0), "0 %");
  assert.equal(plain(1), "100 %");
  assert.equal(plain(0.00001), "< 0.1 %");
  assert.equal(plain(0.99999), "> 99.9 %");
  assert.equal(plain(0.4312), "43.1 %");
});

test("quantiles are linear between neighbours", () => {
  assert.equal(format.quantile([1, 2, 4], 0.25), 1.5);
  assert.equal(format.quantile([1, 2, 4], 1), 4);
  assert.equal(format.quantile([7], 0.3), 7);
});

test("bins hold every value of a group once", () => {
  const data = makeData();
  for (const isRelative of [false, true]) {
    const made = groups.makeGroups(data, { cls: -1, isRelative });
    const bins = groups.makeBins(made, 40);
    for (const group of made) {
      const own = bins.filter((bin) => bin.group === group.name);
      const sum = own.reduce((total, bin) => total + bin.count, 0);
      assert.equal(sum, group.values.length);
      for (const bin of own) {
        const inside = group.values.filter((v) => {
          const slack = 1e-9 * (bin.to - bin.from);
          return v >= bin.from - slack && v < bin.to - slack;
        });
        assert.equal(inside.length, bin.count);
      }
    }
  }
});

test("every outlier of the example is at or above its threshold", () => {
  const made = groups.makeGroups(makeData(), { cls: -1, isRelative: true });
  const outliers = made.find((group) => group.name === "outliers");
  assert.equal(outliers.above, 1);
  assert.ok(outliers.values[0] >= 0);
});

test("cumulative shares go from 0 to 1 and never fall", () => {
  const made = groups.makeGroups(makeData(), { cls: 1, isRelative: false });
  const steps = groups
    .makeCumulative(made, 300)
    .filter((step) => step.group === "bank");
  assert.equal(steps[0].share, 0);
  assert.equal(steps.at(-1).share, 1);
  for (let i = 1; i < steps.length; ++i) {
    assert.ok(steps[i].value >= steps[i - 1].value);
    assert.ok(steps[i].share > steps[i - 1].share);
  }
});

test("a frame holds every place with one unit on both axes", () => {
  const places = layout.pcaLayout(makeData());
  const frame = layout.frameOf(places, 700, 500);
  const all = [...places.bank, ...places.anchors, ...places.outliers];
  for (const [x, y] of all) {
    assert.ok(x > frame.x[0] && x < frame.x[1]);
    assert.ok(y > frame.y[0] && y < frame.y[1]);
  }
  const unitX = (frame.x[1] - frame.x[0]) / 700;
  const unitY = (frame.y[1] - frame.y[0]) / 500;
  assert.ok(Math.abs(unitX / unitY - 1) < 1e-9);
});

test("zooming keeps the point under the pointer", () => {
  const frame = { x: [0, 10], y: [0, 20] };
  const near = layout.zoomed(frame, 2, 0.3, 0.75);
  assert.deepEqual(near.x, [1.5, 6.5]);
  assert.deepEqual(near.y, [7.5, 17.5]);
  assert.deepEqual(layout.moved(frame, 0.5, -0.1).x, [5, 15]);
});

test("data that does not fit is refused with its name", () => {
  const refused = (change, words) => {
    const data = makeData();
    change(data);
    assert.throws(() => parseData(JSON.stringify(data)), words);
  };
  parseData(JSON.stringify(makeData()));
  refused((d) => (d.format = 2), /format/);
  refused((d) => d.bank.energy.pop(), /bank\./);
  refused((d) => (d.bank.class[3] = 3), /class/);
  refused((d) => (d.outliers.anchor[0] = 96), /outliers\.anchor/);
  refused((d) => d.map.features.values.pop(), /features\.values/);
  refused((d) => d.map.features.bank.push(600), /features\.bank/);
  refused((d) => {
    for (const column of ["class", "energy", "x", "y", "row"]) {
      d.bank[column] = Array(5001).fill(0);
    }
  }, /5000/);
});

test("characters that turn text around are written out", () => {
  const data = makeData({ names: ["a\u202Eb\u2028c\u0007", "x", "שלום"] });
  data.command = "sbog x\n  --y";
  const read = parseData(JSON.stringify(data));
  assert.equal(read.classes[0].name, "a[U+202E]b[U+2028]c[U+0007]");
  assert.equal(read.classes[2].name, "שלום");
  assert.equal(read.command, "sbog x\n  --y");
});

test("UMAP gives one picture for one input and keeps groups apart", async () => {
  const random = seeded(4);
  const values = [];
  const size = 60;
  for (let i = 0; i < 3 * size; ++i) {
    for (let d = 0; d < 4; ++d) {
      values.push((d === i % 3 ? 8 : 0) + random());
    }
  }
  const features = {
    dimension: 4,
    bank: [],
    anchors: [],
    outliers: [],
    values,
  };
  const shares = [];
  const places = await computeUmap(features, (share) => shares.push(share));
  assert.deepEqual(await computeUmap(features, () => {}), places);
  assert.ok(shares.every((s, i) => s <= 1 && s >= (shares[i - 1] ?? 0)));
  const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  places.forEach((place, i) => {
    const others = places.map((p, k) => [
      k === i ? Infinity : distance(p, place),
      k,
    ]);
    others.sort((a, b) => a[0] - b[0]);
    assert.equal(others[0][1] % 3, i % 3);
  });
});

test("failures are drawn by kind and channel, else by class and severity", () => {
  const share = (hits, of) => ({
    count: hits,
    of,
    share: hits / of,
    low: hits / of / 2,
    high: 1,
  });
  const group = (grouping, level, severity, hits) => ({
    grouping,
    level,
    severity,
    failures: share(hits, 20),
  });
  const classes = Array.from({ length: 12 }, (_, i) => [
    group("class", `c${i}`, null, i),
    group("class", `c${i}`, 1, i),
  ]).flat();
  const heat = chooseHeat({ groups: classes });
  assert.equal(heat.rows, "class");
  assert.equal(heat.left, 2);
  assert.equal(heat.cells.length, 10);
  assert.ok(!heat.cells.some((cell) => cell.row === "c0"));
  // A channel may have any name.
  const edits = [
    group("kind", "level", null, 5),
    group("kind", "stuck", null, 9),
    group("channel", "a x b", null, 3),
    group("channel", "c", null, 8),
    group("kind x channel", "level x a x b", null, 2),
    group("kind x channel", "stuck x c", null, 7),
    group("kind x channel", "stuck x c", 1, 7),
  ];
  const both = chooseHeat({ groups: [...classes, ...edits] });
  assert.deepEqual(
    both.cells.map(({ row, column }) => [row, column]),
    [
      ["c", "stuck"],
      ["a x b", "level"],
    ],
  );
  assert.equal(chooseHeat({ groups: [] }), null);
});
