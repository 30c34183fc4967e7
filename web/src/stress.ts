// SPDX-License-Identifier: Apache-2.0
// Where the model breaks: gates, failures by severity, groups and weak spots.
import { Chart } from "./chart";
import type { Canvas, Row } from "./chart";
import type { ReportData, Share, StressFacts, WeakSpot } from "./data";
import { details, foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, counted, number, percent } from "./format";
import { heatMap } from "./stress_heat";
import { facts } from "./tooltip";

const MOST_LISTED = 60;

/** "13.7 % (95 %: 10.0 % to 18.1 %)". */
export function shareWords(share: Share): string {
  if (share.of === 0) return "–";
  return (
    `${percent(share.share)} (95\u00a0%: ${percent(share.low)} to ` +
    `${percent(share.high)})`
  );
}

/** "kind stuck", with its severity. */
function groupName(group: {
  grouping: string;
  level: string;
  severity: number | null;
}): Child {
  const severity =
    group.severity === null ? "" : ` at severity ${group.severity}`;
  if (group.grouping === "") return `all cases${severity}`;
  return h("span", {}, `${group.grouping} `, foreign(group.level), severity);
}

function verdict(stress: StressFacts): HTMLElement {
  const { overall, gates } = stress;
  const failed = gates.filter((gate) => !gate.passed).length;
  const isGood =
    gates.length > 0 ? failed === 0 : stress.weak_spots.length === 0;
  const told =
    gates.length > 0
      ? failed === 0
        ? "Every requirement is met. "
        : `${count(failed)} of ${counted(gates.length, "requirement")} ` +
          `${failed === 1 ? "is" : "are"} not met. `
      : "";
  const spots =
    stress.weak_spots.length === 0
      ? `None of ${counted(stress.ranked_groups, "group")} of cases fails ` +
        `in clearly more than ${percent(stress.tolerance)}.`
      : `${counted(stress.weak_spots.length, "weak spot")} ` +
        `${stress.weak_spots.length === 1 ? "is" : "are"} listed below.`;
  return h(
    "div",
    { class: isGood ? "note good" : "note warn" },
    h(
      "strong",
      {},
      `${count(overall.count)} of ${counted(overall.of, "case")} ` +
        `${overall.count === 1 ? "was" : "were"} ${stress.failure}: ` +
        `${shareWords(overall)}. `,
    ),
    told + spots,
  );
}

function gatesTable(stress: StressFacts): Child[] {
  if (stress.gates.length === 0) return [];
  return [
    table(
      "Requirements",
      [
        { title: "Requirement" },
        { title: "Measured", isNumber: true },
        { title: "Outcome" },
      ],
      stress.gates.map((gate) => [
        foreign(gate.text),
        number(gate.value),
        h(
          "strong",
          { class: gate.passed ? "pass" : "fail" },
          gate.passed ? "✓ met" : "✗ not met",
        ),
      ]),
    ),
  ];
}

function curveRows(stress: StressFacts): Row[] {
  return stress.severities
    .filter((group) => group.severity !== null && group.failures.of > 0)
    .map((group) => ({
      severity: group.severity,
      ...group.failures,
    }));
}

function curveSpec(
  rows: Row[],
  stress: StressFacts,
  { width, colours }: Canvas,
): object {
  const x = {
    field: "severity",
    type: "ordinal",
    title: "Severity",
    axis: { labelAngle: 0, grid: false },
  };
  const y = (field: string) => ({
    field,
    type: "quantitative",
    scale: { domain: [0, 1] },
    title: null,
    axis: { format: "~%", tickCount: 4 },
  });
  return {
    width,
    height: 230,
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows },
    layer: [
      {
        data: { values: [{ tolerance: stress.tolerance }] },
        mark: {
          type: "rule",
          color: colours.muted,
          strokeDash: [5, 3],
          strokeWidth: 1.5,
        },
        encoding: { y: y("tolerance") },
      },
      {
        mark: { type: "area", color: colours.outlier, opacity: 0.18 },
        encoding: { x, y: y("low"), y2: { field: "high" } },
      },
      {
        mark: { type: "rule", color: colours.outlier, strokeWidth: 1.6 },
        encoding: { x, y: y("low"), y2: { field: "high" } },
      },
      {
        mark: {
          type: "line",
          color: colours.outlier,
          strokeWidth: 2.2,
          point: { filled: true, size: 70, color: colours.outlier },
          tooltip: true,
        },
        encoding: { x, y: y("share") },
      },
    ],
  };
}

function curve(stress: StressFacts): Child[] {
  const rows = curveRows(stress);
  if (rows.length === 0) return [];
  const chart = new Chart({
    label:
      `Share of cases ${stress.failure} by severity: ` +
      stress.severities
        .filter((group) => group.severity !== null)
        .map((g) => `severity ${g.severity}: ${shareWords(g.failures)}`)
        .join(", "),
    spec: (canvas) => curveSpec(rows, stress, canvas),
    tooltip: (row) =>
      typeof row["of"] === "number"
        ? facts(`Severity ${String(row["severity"])}`, [
            ["cases", count(row["of"])],
            [stress.failure, count(row["count"] as number)],
            ["share", percent(row["share"] as number)],
            [
              "95 %",
              `${percent(row["low"] as number)} to ` +
                percent(row["high"] as number),
            ],
          ])
        : null,
  });
  return [
    h("h3", {}, `Share of cases ${stress.failure}, by severity`),
    h(
      "p",
      { class: "hint" },
      "Severity 1 is what occurs in 1 of 10 to 1 of 100 cases, severity 2 in " +
        "1 of 100 to 1 of 1,000, and so on. Intervals are at 95 %; the dashed " +
        `line is the share that is tolerated, ${percent(stress.tolerance)}.`,
    ),
    chart.element,
  ];
}

function clearestCase(
  outlier: number,
  words: string,
  drawn: Set<number>,
): Child {
  const name = `outlier ${count(outlier)}`;
  return h(
    "li",
    {},
    drawn.has(outlier) ? h("a", { href: `#outlier-${outlier}` }, name) : name,
    words === "" ? "" : ": ",
    foreign(words),
  );
}

function weakSpot(
  stress: StressFacts,
  spot: WeakSpot,
  rank: number,
  drawn: Set<number>,
): HTMLElement {
  return h(
    "li",
    { value: rank },
    h("strong", {}, groupName(spot)),
    `: ${count(spot.failures.count)} of ${counted(spot.failures.of, "case")} ` +
      `${stress.failure}, ${shareWords(spot.failures)}`,
    h(
      "ul",
      {},
      ...spot.clearest.map((one) =>
        clearestCase(one.outlier, one.words, drawn),
      ),
    ),
  );
}

function weakSpots(data: ReportData, stress: StressFacts): Child[] {
  if (stress.weak_spots.length === 0) return [];
  const drawn = new Set([
    ...data.windows.map((window) => window.outlier),
    ...data.images.map((image) => image.outlier),
  ]);
  return [
    h("h3", {}, "Weak spots"),
    h(
      "p",
      { class: "hint" },
      "Groups of at least ten cases, ranked by the lower end of the interval " +
        "of their share of failures; below each its clearest cases.",
    ),
    h(
      "ol",
      { class: "spots" },
      ...stress.weak_spots.map((spot, i) =>
        weakSpot(stress, spot, i + 1, drawn),
      ),
    ),
  ];
}

function groupsTable(stress: StressFacts): HTMLElement {
  const shown = stress.groups.slice(0, MOST_LISTED);
  const rest = stress.groups.length - shown.length;
  return details(
    rest > 0
      ? `${MOST_LISTED} of ${count(stress.groups.length)} groups`
      : "All groups",
    table(
      `Failures by group${rest > 0 ? "; stress.json of the run has all" : ""}`,
      [
        { title: "Group" },
        { title: "Cases", isNumber: true },
        { title: "Failures", isNumber: true },
        { title: "Share and interval" },
      ],
      shown.map((group) => [
        groupName(group),
        count(group.failures.of),
        count(group.failures.count),
        shareWords(group.failures),
      ]),
    ),
  );
}

/** The section, or null when no model was asked. */
export function stressSection(data: ReportData): HTMLElement | null {
  const { stress } = data;
  if (!stress) return null;
  const controls = stress.control_failures;
  return section(
    "stress",
    "Where the model breaks",
    [
      "Answers of ",
      foreign(stress.model),
      `, a ${stress.task}, to ${counted(stress.overall.of, "case")}. Of ` +
        `${counted(controls.of, "control")} (`,
      foreign(stress.controls),
      `) ${percent(controls.of === 0 ? null : controls.share)} fail.`,
      stress.auroc === null
        ? ""
        : ` AUROC of cases against controls: ${number(stress.auroc)}.`,
    ],
    verdict(stress),
    ...gatesTable(stress),
    ...curve(stress),
    ...heatMap(stress),
    ...weakSpots(data, stress),
    ...stress.notes.map((note) => h("p", { class: "hint" }, foreign(note))),
    groupsTable(stress),
  );
}
