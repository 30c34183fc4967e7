// SPDX-License-Identifier: Apache-2.0
// How much of the boundary the outliers cover, and how different they are.
import { Chart } from "./chart";
import type { Canvas, Row } from "./chart";
import type { ClassFacts, ReportData } from "./data";
import { details, foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, number, percent } from "./format";
import { legend } from "./legend";
import { tile } from "./summary";
import { facts } from "./tooltip";

const MOST_BARS = 24;
const MOST_OUTLIERS = 10;
const NARROW = 480;

const TILES: [string, string, (value: number) => string][] = [
  ["Fill_A", "anchors with a feasible proposal", percent],
  ["Fill_n", "bank points with a feasible proposal", percent],
  ["Diversity", "diversity, all pairs", (v) => number(v)],
  ["Diversity_class", "diversity, within a class", (v) => number(v)],
];

function metricTiles(data: ReportData): HTMLElement | null {
  const tiles = TILES.flatMap(([name, words, format]) => {
    const value = data.metrics?.find((entry) => entry.name === name)?.value;
    return typeof value === "number" ? [tile(format(value), words, name)] : [];
  });
  return tiles.length > 0 ? h("dl", { class: "tiles" }, ...tiles) : null;
}

interface Part {
  words: string;
  colour: "outlier" | "anchor" | "other";
  count: (c: ClassFacts) => number;
}

const PARTS: Part[] = [
  {
    words: "gave an outlier",
    colour: "outlier",
    count: (c) => c.anchors_hit,
  },
  {
    words: "tried without one",
    colour: "anchor",
    count: (c) => c.anchors_tried - c.anchors_hit,
  },
  {
    words: "not tried",
    colour: "other",
    count: (c) => c.anchors - c.anchors_tried,
  },
];

/** Names of classes, each different from those before it. */
function distinctNames(classes: ClassFacts[]): string[] {
  const seen = new Map<string, number>();
  return classes.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

function anchorSpec(classes: ClassFacts[], canvas: Canvas): object {
  const { width, colours } = canvas;
  const names = distinctNames(classes);
  const rows = classes.flatMap((c, i) =>
    PARTS.map((part, order) => ({
      name: names[i],
      words: part.words,
      order,
      count: part.count(c),
    })),
  );
  return {
    width,
    height: classes.length * (classes.length > 12 ? 22 : 32),
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows },
    mark: { type: "bar", tooltip: true },
    encoding: {
      y: {
        field: "name",
        type: "nominal",
        sort: null,
        title: null,
        axis: { labelLimit: width * 0.3, ticks: false, domain: false },
        scale: { paddingInner: 0.35 },
      },
      x: {
        field: "count",
        type: "quantitative",
        title: "Anchors",
        axis: { tickMinStep: 1, tickCount: width < NARROW ? 4 : 8 },
      },
      color: {
        field: "words",
        type: "nominal",
        legend: null,
        scale: {
          domain: PARTS.map((part) => part.words),
          range: PARTS.map((part) => colours[part.colour]),
        },
      },
      order: { field: "order", type: "quantitative" },
    },
  };
}

function anchorTooltip(row: Row): Node | null {
  if (typeof row["words"] !== "string") return null;
  return facts(foreign(String(row["name"])), [
    [row["words"], count(row["count"] as number)],
  ]);
}

function anchorFigure(data: ReportData): Child[] {
  // The least covered classes say most, when there are too many to draw.
  const share = (c: ClassFacts) => c.anchors_hit / Math.max(1, c.anchors_tried);
  const isCut = data.classes.length > MOST_BARS;
  const drawn = isCut
    ? [...data.classes].sort((a, b) => share(a) - share(b)).slice(0, MOST_BARS)
    : data.classes;
  const chart = new Chart({
    label:
      "Anchors of each class that gave an outlier, were tried without one, or " +
      "were not tried; the numbers are in the table below.",
    spec: (canvas) => anchorSpec(drawn, canvas),
    tooltip: anchorTooltip,
  });
  return [
    h("h3", {}, "Anchors of each class"),
    isCut
      ? h("p", { class: "hint" }, `The ${MOST_BARS} least covered classes.`)
      : null,
    legend(
      "Legend of the anchors",
      PARTS.map(({ words, colour }) => ({
        mark: "box",
        colour: `var(--${colour})`,
        words,
      })),
    ),
    chart.element,
  ];
}

function barSpec(rows: Row[], title: string, canvas: Canvas): object {
  return {
    width: canvas.width,
    height: 190,
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows },
    mark: { type: "bar", color: canvas.colours.outlier, tooltip: true },
    encoding: {
      x: {
        field: "from",
        type: "quantitative",
        bin: { binned: true },
        title,
        axis: { grid: false, tickCount: 5, format: "~g" },
      },
      x2: { field: "to" },
      y: {
        field: "count",
        type: "quantitative",
        title: null,
        axis: { tickCount: 4, tickMinStep: 1 },
      },
    },
  };
}

/** How many anchors gave 1, 2, ... outliers. */
function reuseFigure(data: ReportData): HTMLElement | null {
  const given = data.anchors.successes.filter((n) => n > 0);
  if (given.length === 0) return null;
  const words = (n: number) => (n < MOST_OUTLIERS ? String(n) : `${n}+`);
  const order = Array.from({ length: MOST_OUTLIERS }, (_, i) => words(i + 1));
  const counts = new Map<string, number>();
  for (const n of given) {
    const key = words(Math.min(n, MOST_OUTLIERS));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // A single bar would say nothing, so a few empty places stay beside it.
  const last = Math.max(4, Math.min(MOST_OUTLIERS, Math.max(...given)));
  const rows = order
    .slice(0, last)
    .map((key) => ({ outliers: key, count: counts.get(key) ?? 0 }));
  const chart = new Chart({
    label: "How many anchors gave one, two or more outliers.",
    spec: ({ width, colours }) => ({
      width,
      height: 190,
      autosize: { type: "fit-x", contains: "padding" },
      data: { values: rows },
      mark: { type: "bar", color: colours.anchor, tooltip: true },
      encoding: {
        x: {
          field: "outliers",
          type: "nominal",
          sort: null,
          title: "Outliers from one anchor",
          axis: { labelAngle: 0, ticks: false },
          scale: { paddingInner: 0.3 },
        },
        y: {
          field: "count",
          type: "quantitative",
          title: null,
          axis: { tickCount: 4, tickMinStep: 1 },
        },
      },
    }),
    tooltip: (row) =>
      facts(`${String(row["outliers"])} from one anchor`, [
        ["anchors", count(row["count"] as number)],
      ]),
  });
  return h("div", {}, h("h3", {}, "Reuse of anchors"), chart.element);
}

/** How far the outliers lie from the bank. */
function nearestFigure(data: ReportData): HTMLElement | null {
  const costs = data.outliers.nearest.filter((v) => v !== null);
  if (costs.length === 0) return null;
  const high = Math.max(...costs);
  const bins = 24;
  const step = high > 0 ? high / bins : 1;
  const rows = Array.from({ length: bins }, (_, i) => ({
    from: i * step,
    to: (i + 1) * step,
    count: 0,
  }));
  for (const cost of costs) {
    const bin = rows[Math.min(bins - 1, Math.floor(cost / step))];
    if (bin) bin.count += 1;
  }
  const chart = new Chart({
    label: "Distances of the outliers to their nearest bank point.",
    spec: (canvas) => barSpec(rows, "Cost to the nearest bank point", canvas),
    tooltip: (row) =>
      facts("Nearest bank point", [
        ["from", number(row["from"] as number)],
        ["to", number(row["to"] as number)],
        ["outliers", count(row["count"] as number)],
      ]),
  });
  return h("div", {}, h("h3", {}, "Distance to the bank"), chart.element);
}

function numbersTable(data: ReportData): HTMLElement {
  const titles = ["Anchors", "Tried", "With an outlier", "Share", "Purity"];
  return table(
    "Coverage of each class",
    [{ title: "Class" }, ...titles.map((title) => ({ title, isNumber: true }))],
    data.classes.map((c) => [
      foreign(c.name),
      count(c.anchors),
      count(c.anchors_tried),
      count(c.anchors_hit),
      percent(c.anchors_hit / Math.max(1, c.anchors_tried)),
      percent(c.purity),
    ]),
  );
}

/** The section. */
export function coverageSection(data: ReportData): HTMLElement {
  return section(
    "coverage",
    "Coverage and diversity",
    [
      "Outliers that come from many anchors and lie apart from each other ",
      "probe more of the boundary.",
    ],
    metricTiles(data),
    ...anchorFigure(data),
    h("div", { class: "pair" }, reuseFigure(data), nearestFigure(data)),
    details("The numbers", numbersTable(data)),
  );
}
