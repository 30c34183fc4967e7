// SPDX-License-Identifier: Apache-2.0
// Failures by two sortings at once: kind and channel of an edit, or class and
// severity.
import { Chart } from "./chart";
import type { Canvas, Row } from "./chart";
import type { StressFacts } from "./data";
import { h } from "./dom";
import type { Child } from "./dom";
import { count, percent } from "./format";
import { chooseHeat, MOST_ROWS } from "./stress_groups";
import type { Heat } from "./stress_groups";
import { facts } from "./tooltip";

const CELL = 34;
const WIDE_LABEL = 150;
const NARROW = 480;

function spec(heat: Heat, { width, colours }: Canvas): object {
  const order = (values: string[]) => [...new Set(values)];
  const rows = order(heat.cells.map((cell) => cell.row));
  const columns = order(heat.cells.map((cell) => cell.column));
  if (heat.columns === "severity") columns.sort();
  const x = {
    field: "column",
    type: "nominal",
    sort: columns,
    title: heat.columns,
    axis: {
      labelAngle: width < NARROW && heat.columns !== "severity" ? -60 : 0,
      orient: "top",
      domain: false,
      ticks: false,
    },
  };
  const y = {
    field: "row",
    type: "nominal",
    sort: rows,
    title: null,
    axis: {
      domain: false,
      ticks: false,
      labelLimit: width < NARROW ? WIDE_LABEL / 2 : WIDE_LABEL,
    },
  };
  return {
    width,
    height: CELL * rows.length,
    autosize: { type: "fit-x", contains: "padding" },
    data: {
      values: heat.cells.map(({ row, column, failures }) => ({
        row,
        column,
        ...failures,
        words: percent(failures.share).replace(/\.\d/, ""),
      })),
    },
    layer: [
      {
        mark: { type: "rect", tooltip: true, stroke: colours.paper },
        encoding: {
          x,
          y,
          color: {
            field: "share",
            type: "quantitative",
            scale: {
              domain: [0, 1],
              range: [colours.grid, colours.outlier],
              interpolate: "rgb",
            },
            legend: null,
          },
        },
      },
      {
        mark: { type: "text", fontSize: 11, tooltip: true },
        encoding: {
          x,
          y,
          text: { field: "words", type: "nominal" },
          color: {
            condition: { test: "datum.share > 0.6", value: colours.paper },
            value: colours.ink,
          },
        },
      },
    ],
  };
}

function tooltip(row: Row): Node | null {
  if (typeof row["of"] !== "number") return null;
  return facts(`${String(row["row"])}, ${String(row["column"])}`, [
    ["cases", count(row["of"])],
    ["failures", count(row["count"] as number)],
    ["share", percent(row["share"] as number)],
    [
      "95 %",
      `${percent(row["low"] as number)} to ${percent(row["high"] as number)}`,
    ],
  ]);
}

/** The figure with its heading, or nothing. */
export function heatMap(stress: StressFacts): Child[] {
  const heat = chooseHeat(stress);
  if (!heat || heat.cells.length === 0) return [];
  const chart = new Chart({
    label:
      `Share of failures by ${heat.rows} and ${heat.columns}; the numbers are ` +
      "in the table of all groups.",
    spec: (canvas) => spec(heat, canvas),
    tooltip,
  });
  return [
    h("h3", {}, `Failures by ${heat.rows} and ${heat.columns}`),
    h(
      "p",
      { class: "hint" },
      "Share of cases that fail; empty where there is no case. Cells of few " +
        "cases have wide intervals." +
        (heat.left > 0
          ? ` Shown are the ${MOST_ROWS} rows that fail most; ` +
            `${count(heat.left)} more ${heat.left === 1 ? "is" : "are"} ` +
            "in the table."
          : ""),
    ),
    chart.element,
  ];
}
