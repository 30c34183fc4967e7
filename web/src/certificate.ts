// SPDX-License-Identifier: Apache-2.0
// The certificate in plain sentences, and what more data would bring.
import { Chart } from "./chart";
import type { Canvas } from "./chart";
import type { Certificate, ReportData } from "./data";
import { details, foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, keepTogether, number, percent } from "./format";
import { facts } from "./tooltip";

function growthSpec(certificate: Certificate, canvas: Canvas): object {
  const { width, colours } = canvas;
  return {
    width,
    height: 230,
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: certificate.growth },
    mark: {
      type: "line",
      color: colours.outlier,
      strokeWidth: 2.2,
      point: { filled: true, size: 55, color: colours.outlier },
      tooltip: true,
    },
    encoding: {
      x: {
        field: "factor",
        type: "quantitative",
        scale: { type: "log", base: 2 },
        title: "Reference points, times those of this run",
        axis: {
          values: certificate.growth.map((step) => step.factor),
          format: "~s",
          grid: false,
        },
      },
      y: {
        field: "certified_share",
        type: "quantitative",
        scale: { domain: [0, 1] },
        title: null,
        axis: { format: "~%", tickCount: 4 },
      },
    },
  };
}

function growthFigure(certificate: Certificate): Child[] {
  if (certificate.growth.length < 2) return [];
  const chart = new Chart({
    label:
      "Share of the accepted outliers that would be clear of the threshold, " +
      "against the number of reference points: " +
      certificate.growth
        .map((g) => `${g.factor} times: ${percent(g.certified_share)}`)
        .join(", "),
    spec: (canvas) => growthSpec(certificate, canvas),
    tooltip: (row) =>
      typeof row["factor"] === "number"
        ? facts(`${count(row["factor"])} times as many points`, [
            ["clear", percent(row["certified_share"] as number)],
          ])
        : null,
  });
  return [
    h("h3", {}, "What more reference points would bring"),
    h(
      "p",
      { class: "hint" },
      "Share of the accepted outliers that would be clear of the threshold.",
    ),
    chart.element,
  ];
}

function requiredTable({ calculators }: Certificate): HTMLElement {
  const { required_n: n } = calculators;
  const rows: [string, string][] = [
    ["This certificate (one-sided KL)", number(n.one_sided_kl)],
    ["Two-sided, relative", number(n.two_sided_relative)],
    ["The paper's theorem (Hoeffding)", number(n.hoeffding_paper)],
  ];
  const theorems: [string, { vacuous: boolean; reason: string } | null][] = [
    ["The k-NN theorem", calculators.knn_theorem],
    ["The uniform bound", calculators.uniform_bound],
  ];
  for (const [name, bound] of theorems) {
    if (bound?.vacuous) rows.push([name, bound.reason]);
  }
  return table(
    "Reference points after which decisions as far from the threshold as the " +
      "median outlier agree with the population's",
    [{ title: "Rule" }, { title: "Reference points" }],
    rows,
  );
}

function classTable(data: ReportData, certificate: Certificate): HTMLElement {
  const titles = [
    "Reference",
    "Calibration",
    "Outliers",
    "Threshold",
    "Ceiling",
    "Smallest epsilon",
  ];
  return table(
    "The certificate of each class",
    [{ title: "Class" }, ...titles.map((title) => ({ title, isNumber: true }))],
    certificate.classes.map((c, i) => [
      foreign(data.classes[i]?.name ?? String(i)),
      count(c.reference),
      count(c.calibration),
      count(c.outliers),
      number(c.threshold, 4),
      number(c.ceiling, 4),
      number(c.smallest_epsilon),
    ]),
  );
}

/** The section. */
export function certificateSection(data: ReportData): HTMLElement {
  const { certificate } = data;
  if (!certificate) {
    return section("certificate", "Certificate", [
      foreign(data.certificate_note),
    ]);
  }
  // What the box says already is not said twice.
  const sentences = certificate.sentences.filter(
    (words) => !certificate.caveat || !words.includes(certificate.caveat),
  );
  const verdict = certificate.certified ? "Certified" : "Not certified";
  return section(
    "certificate",
    "Certificate",
    ["What the number of reference points can promise about these outliers."],
    h(
      "div",
      { class: certificate.certified ? "note good" : "note warn" },
      h("strong", {}, `${verdict} at ${percent(1 - certificate.delta)}.`),
      certificate.caveat
        ? h("p", {}, `The reason to be careful: ${certificate.caveat}.`)
        : null,
    ),
    h(
      "ul",
      { class: "sentences" },
      ...sentences.map((words) => h("li", {}, foreign(keepTogether(words)))),
    ),
    ...growthFigure(certificate),
    details(
      "The numbers",
      requiredTable(certificate),
      classTable(data, certificate),
    ),
  );
}
