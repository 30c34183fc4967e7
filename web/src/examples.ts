// SPDX-License-Identifier: Apache-2.0
// Outliers back in the world they came from, as windows and images; points that
// nothing was decoded from as a short table.
import type { ReportData, WindowExample } from "./data";
import { details, foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, counted, number } from "./format";
import { imageExamples } from "./images";
import { legend } from "./legend";
import { plotChannel } from "./window_plot";

const MOST_CHANNELS = 4;
const MOST_FIRST = 6; // windows that are shown before the rest
const MOST_POINTS = 5;

function windowCard(data: ReportData, window: WindowExample): HTMLElement {
  const drawn = window.channels.slice(0, MOST_CHANNELS);
  const rest = window.channels.length - drawn.length;
  const [first, ...remarks] = window.sentences;
  return h(
    "article",
    { class: "example", id: `outlier-${window.outlier}` },
    h("h3", {}, `Outlier ${count(window.outlier)}`),
    h("p", {}, foreign(first ?? "")),
    ...remarks.map((words) => h("p", { class: "hint" }, foreign(words))),
    ...drawn.flatMap((channel) => [
      h("h4", {}, foreign(channel.name)),
      plotChannel(channel, window),
    ]),
    h(
      "p",
      { class: "hint" },
      ...(data.classes.length > 1
        ? ["class ", foreign(data.classes[window.class]?.name ?? "?"), ", "]
        : []),
      `${count(window.channels.length)} of ${count(window.channel_count)} ` +
        "channels edited",
      rest > 0 ? `, the first ${MOST_CHANNELS} drawn` : "",
    ),
  );
}

function windowExamples(data: ReportData): Child[] {
  if (data.windows.length === 0) return [];
  const grid = (windows: WindowExample[]) =>
    h(
      "div",
      { class: "examples" },
      ...windows.map((window) => windowCard(data, window)),
    );
  const rest = data.windows.slice(MOST_FIRST);
  return [
    legend("Legend of the windows", [
      { mark: "line", colour: "var(--bank)", words: "recorded" },
      { mark: "line", colour: "var(--outlier)", words: "edited" },
      { mark: "box", colour: "var(--span)", words: "edited here" },
      { mark: "box", colour: "var(--band)", words: "range in training" },
    ]),
    grid(data.windows.slice(0, MOST_FIRST)),
    rest.length > 0
      ? details(counted(rest.length, "more example"), grid(rest))
      : null,
  ];
}

/** Positions of some outliers, evenly spread from the least to the most
 *  unusual one. */
export function spread(data: ReportData): number[] {
  const { margin } = data.outliers;
  const order = margin.map((_, i) => i);
  order.sort((a, b) => (margin[a] ?? 0) - (margin[b] ?? 0));
  const shown = Math.min(MOST_POINTS, order.length);
  return Array.from({ length: shown }, (_, k) => {
    const at = shown > 1 ? (k * (order.length - 1)) / (shown - 1) : 0;
    return order[Math.round(at)] ?? 0;
  });
}

function pointRow(data: ReportData, i: number): Child[] {
  const { outliers, anchors, classes, items } = data;
  const cls = classes[outliers.class[i] ?? -1];
  const anchor = outliers.anchor[i] ?? -1;
  const near = items[outliers.neighbours[i]?.[0] ?? -1];
  return [
    count(outliers.index[i] ?? i),
    foreign(cls?.name ?? "?"),
    number(outliers.energy[i] ?? null),
    number(cls?.threshold ?? null),
    number(outliers.nearest[i] ?? null),
    anchor >= 0 ? `row ${count(anchors.row[anchor] ?? 0)}` : "–",
    ...(items.length > 0 ? [near ? foreign(near.text) : "–"] : []),
  ];
}

function pointExamples(data: ReportData): HTMLElement {
  const titles = [
    { title: "Outlier", isNumber: true },
    { title: "Class" },
    { title: "Energy", isNumber: true },
    { title: "Threshold", isNumber: true },
    { title: "Cost to the nearest row", isNumber: true },
    { title: "Made from" },
    ...(data.items.length > 0 ? [{ title: "Nearest row" }] : []),
  ];
  return table(
    "Some outliers, from the least to the most unusual one",
    titles,
    spread(data).map((i) => pointRow(data, i)),
  );
}

/** The section, or null when there is no outlier. */
export function examplesSection(data: ReportData): HTMLElement | null {
  if (data.windows.length > 0 || data.images.length > 0) {
    return section(
      "examples",
      "Decoded examples",
      ["Outliers turned back into data."],
      ...windowExamples(data),
      ...imageExamples(data),
    );
  }
  if (data.run.kind === "series" || data.outliers.index.length === 0) {
    return null;
  }
  return section(
    "examples",
    "Examples",
    ["The higher its energy, the less the bank supports an outlier."],
    pointExamples(data),
  );
}
