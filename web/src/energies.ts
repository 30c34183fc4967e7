// SPDX-License-Identifier: Apache-2.0
// Energies of bank, anchors and outliers against the threshold.
import { Chart } from "./chart";
import type { Canvas, Row } from "./chart";
import type { ReportData } from "./data";
import { choice, classMenu, details, h, section, table } from "./dom";
import {
  makeBins,
  makeCumulative,
  makeGroups,
  thresholdsOf,
} from "./energy_groups";
import type { Group, GroupChoice, GroupName } from "./energy_groups";
import { count, number, percent, quantile } from "./format";
import { legend } from "./legend";
import type { LegendEntry } from "./legend";
import type { Colours } from "./theme";
import { facts } from "./tooltip";

type Shape = "histogram" | "cumulative";

const TITLES: Record<GroupName, string> = {
  bank: "Bank",
  anchors: "Anchors",
  outliers: "Outliers",
};
const ORDER: GroupName[] = ["bank", "anchors", "outliers"];
const DASHES: Record<GroupName, number[]> = {
  bank: [1, 0],
  anchors: [2, 3],
  outliers: [8, 3],
};
const AXIS_WIDTH = 52;
const NARROW = 480;

function groupScale(colours: Colours): object {
  return {
    domain: ORDER,
    range: [colours.bank, colours.anchor, colours.outlier],
  };
}

function thresholdLayer(at: number[], colours: Colours): object {
  return {
    data: { values: at.map((threshold) => ({ threshold })) },
    mark: {
      type: "rule",
      color: colours.ink,
      strokeDash: [5, 3],
      strokeWidth: 1.5,
    },
    encoding: { x: { field: "threshold", type: "quantitative" } },
  };
}

function axisX(words: string, width: number): object {
  return { title: words, tickCount: width < NARROW ? 4 : 8, format: "~g" };
}

const AXIS_Y = { format: "~%", tickCount: 3, minExtent: 40, maxExtent: 40 };

function histogram(
  groups: Group[],
  thresholds: number[],
  words: string,
  { width, colours }: Canvas,
): object {
  const inner = width - AXIS_WIDTH;
  const bins = makeBins(groups, width < NARROW ? 26 : 48);
  const titled = bins.map((bin) => ({ ...bin, title: TITLES[bin.group] }));
  const x = { field: "from", type: "quantitative", bin: { binned: true } };
  return {
    data: { values: titled },
    facet: {
      row: {
        field: "title",
        type: "nominal",
        sort: ORDER.map((name) => TITLES[name]),
        header: { labelOrient: "top", labelAnchor: "start", title: null },
      },
    },
    spacing: 14,
    resolve: { scale: { y: "independent" } },
    spec: {
      width: inner,
      height: 92,
      layer: [
        {
          mark: { type: "bar", binSpacing: 1, tooltip: true },
          encoding: {
            x: { ...x, axis: { ...axisX(words, width), grid: false } },
            x2: { field: "to" },
            y: {
              field: "share",
              type: "quantitative",
              axis: { ...AXIS_Y, title: null },
            },
            color: {
              field: "group",
              type: "nominal",
              scale: groupScale(colours),
              legend: null,
            },
          },
        },
        thresholdLayer(thresholds, colours),
      ],
    },
  };
}

function cumulative(
  groups: Group[],
  thresholds: number[],
  words: string,
  { width, colours }: Canvas,
): object {
  const nominal = { field: "group", type: "nominal", legend: null };
  return {
    width,
    height: 320,
    autosize: { type: "fit-x", contains: "padding" },
    layer: [
      {
        data: { values: makeCumulative(groups, 300) },
        mark: { type: "line", strokeWidth: 2.2, tooltip: true },
        encoding: {
          x: {
            field: "value",
            type: "quantitative",
            scale: { zero: false },
            axis: axisX(words, width),
          },
          y: {
            field: "share",
            type: "quantitative",
            axis: { ...AXIS_Y, tickCount: 5, title: "Share at or below" },
          },
          color: { ...nominal, scale: groupScale(colours) },
          strokeDash: {
            ...nominal,
            scale: { domain: ORDER, range: ORDER.map((name) => DASHES[name]) },
          },
        },
      },
      thresholdLayer(thresholds, colours),
    ],
  };
}

function tooltip(datum: Row): Node | null {
  if (typeof datum["threshold"] === "number") {
    return facts("Threshold", [["at", number(datum["threshold"], 4)]]);
  }
  const name = TITLES[datum["group"] as GroupName];
  if (!name || typeof datum["from"] !== "number") return null;
  const to = datum["to"] as number;
  return facts(name, [
    ["from", number(datum["from"], 4)],
    ["to", number(to, 4)],
    ["points", count(datum["count"] as number)],
    ["share", percent(datum["share"] as number)],
  ]);
}

function numbersTable(groups: Group[], words: string): HTMLElement {
  const titles = ["Shown", "Least", "5 %", "Median", "95 %", "Most"];
  const levels = [0, 0.05, 0.5, 0.95, 1];
  return table(
    `${words}: quantiles`,
    [
      { title: "Points" },
      ...titles.map((title) => ({ title, isNumber: true })),
      { title: "At or above the threshold", isNumber: true },
    ],
    groups.map((group) => [
      TITLES[group.name],
      count(group.shown),
      ...levels.map((level) => number(quantile(group.values, level), 4)),
      percent(group.above),
    ]),
  );
}

/** "5,000 of 100,000 bank points", for each table that is sampled. */
export function samplingNote(data: ReportData): string {
  const parts = [
    [data.bank, "bank points"],
    [data.anchors, "anchors"],
    [data.outliers, "outliers"],
  ] as const;
  const sampled = parts.filter(([table]) => table.x.length < table.total);
  if (sampled.length === 0) return "";
  const words = sampled.map(
    ([table, name]) =>
      `${count(table.x.length)} of ${count(table.total)} ${name}`,
  );
  return `Shown is a random sample: ${words.join(", ")}.`;
}

/** The histogram names its rows; only the threshold is left to explain. */
const THRESHOLD: LegendEntry = {
  mark: "dashes",
  colour: "var(--ink)",
  words: "threshold",
};
const BARS = h(
  "p",
  { class: "hint" },
  "Bars are shares of each group, so that groups of any size compare.",
);
const LEGEND: LegendEntry[] = [
  { mark: "line", colour: "var(--bank)", words: "bank" },
  { mark: "dots", colour: "var(--anchor)", words: "anchors" },
  { mark: "dashes", colour: "var(--outlier)", words: "outliers" },
  THRESHOLD,
];

/** The section. */
export function energiesSection(data: ReportData): HTMLElement {
  const thresholds = new Set(data.classes.map((c) => c.threshold));
  const chosen: GroupChoice = { cls: -1, isRelative: thresholds.size > 1 };
  let shape: Shape = "histogram";
  const words = () =>
    chosen.isRelative ? "Energy minus threshold of the class" : "Energy";
  const numbers = h("div");
  const key = h("div");
  const chart = new Chart({
    label:
      "Distributions of the energies of bank, anchors and outliers with the " +
      "threshold; the numbers are in the table below.",
    spec: (canvas) => {
      const draw = shape === "histogram" ? histogram : cumulative;
      const groups = makeGroups(data, chosen);
      return draw(groups, thresholdsOf(data, chosen), words(), canvas);
    },
    tooltip,
  });
  const update = () => {
    numbers.replaceChildren(numbersTable(makeGroups(data, chosen), words()));
    const entries = shape === "histogram" ? [THRESHOLD] : LEGEND;
    key.replaceChildren(legend("Legend of the energies", entries));
    if (shape === "histogram") key.append(BARS.cloneNode(true));
    chart.redraw();
  };
  const controls = h(
    "div",
    { class: "controls" },
    data.classes.length > 1
      ? classMenu(
          data.classes.map((c) => c.name),
          (cls) => {
            chosen.cls = cls;
            update();
          },
        )
      : null,
    choice(
      "Axis",
      [
        ["energy", "Energy"],
        ["relative", "Above threshold"],
      ],
      chosen.isRelative ? "relative" : "energy",
      (value) => {
        chosen.isRelative = value === "relative";
        update();
      },
    ),
    choice(
      "Shape",
      [
        ["histogram", "Histogram"],
        ["cumulative", "Cumulative"],
      ],
      shape,
      (value) => {
        shape = value;
        update();
      },
    ),
  );
  update();
  return section(
    "energies",
    "Energy",
    [
      "The energy of a point says how little the bank supports it. Anchors ",
      "are weakly supported points of the bank; outliers lie at or above the ",
      "threshold. ",
      samplingNote(data),
    ],
    controls,
    key,
    chart.element,
    details("The numbers", numbers),
  );
}
