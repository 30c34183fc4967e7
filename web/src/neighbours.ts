// SPDX-License-Identifier: Apache-2.0
// Outliers by what they lie next to: the items of the nearest bank rows.
import type { BankItem, ReportData } from "./data";
import { foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, counted } from "./format";
import { picture } from "./images";

const MOST_NEAR = 3;

function itemCell(data: ReportData, item: BankItem): HTMLElement {
  const row = `row ${count(item.row)}`;
  return h(
    "div",
    { class: "item" },
    item.png === null ? null : picture(item.png, `bank ${row}`),
    foreign(item.text),
    h(
      "span",
      { class: "hint" },
      `${row}, `,
      foreign(data.classes[item.class]?.name ?? "?"),
    ),
  );
}

function outlierRow(data: ReportData, i: number): Child[] {
  const { outliers, items, classes } = data;
  const near = (outliers.neighbours[i] ?? [])
    .slice(0, MOST_NEAR)
    .flatMap((at) => items[at] ?? []);
  const first = near[0];
  return [
    count(outliers.index[i] ?? 0),
    foreign(classes[outliers.class[i] ?? -1]?.name ?? "?"),
    first ? foreign(classes[first.class]?.name ?? "?") : "",
    ...Array.from({ length: MOST_NEAR }, (_, k) => {
      const item = near[k];
      return item ? itemCell(data, item) : "";
    }),
  ];
}

/** The section, or null when nobody said what the rows stand for. */
export function neighboursSection(data: ReportData): HTMLElement | null {
  if (data.listed.length === 0) return null;
  const shown = data.listed.length;
  const total = data.outliers.total;
  return section(
    "neighbours",
    "What the outliers lie next to",
    [
      "The bank rows that are nearest to an outlier, and the class it would " +
        "be taken for: that of the nearest row.",
    ],
    h(
      "p",
      { class: "hint" },
      shown < total
        ? `Shown are ${count(shown)} of ${counted(total, "outlier")}, evenly ` +
            "spread; outliers.csv of the run has all."
        : `Shown are all ${counted(total, "outlier")}.`,
    ),
    table(
      "Nearest items of the outliers",
      [
        { title: "Outlier", isNumber: true },
        { title: "Class" },
        { title: "Taken for" },
        { title: "Nearest" },
        { title: "Second" },
        { title: "Third" },
      ],
      data.listed.map((i) => outlierRow(data, i)),
      "scroll stack items",
    ),
  );
}
