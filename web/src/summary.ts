// SPDX-License-Identifier: Apache-2.0
// What was asked, what came out, and what stood in the way.
import type { ClassFacts, ReportData } from "./data";
import { foreign, h, section, table } from "./dom";
import type { Child } from "./dom";
import { count, counted, number, percent } from "./format";

const TESTS: Record<string, string> = {
  energy: "the energy test (energy at or above the threshold)",
  semantic: "the class test (cosine to the class at or above its floor)",
  seed: "the seed test (cosine to the anchor at or above its floor)",
  projection: "the projection back to the space",
  boundary: "the search for the boundary",
};

const REMEDIES: Record<string, string> = {
  energy: "a lower --quantile or a larger --sigma makes it easier",
  semantic: "a lower --semantic-quantile or a smaller --sigma makes it easier",
  seed: "a lower --seed-floor or a smaller --sigma makes it easier",
};

/** The test that turned down most proposals of all classes, or "none". */
function hardestTest(classes: ClassFacts[]): [string, number] {
  const sums: [string, number][] = [
    ["energy", classes.reduce((sum, c) => sum + c.failing_energy, 0)],
    ["semantic", classes.reduce((sum, c) => sum + c.failing_semantic, 0)],
    ["seed", classes.reduce((sum, c) => sum + c.failing_seed, 0)],
  ];
  sums.sort((a, b) => b[1] - a[1]);
  const most = sums[0];
  return most && most[1] > 0 ? most : ["none", 0];
}

/** Sentences about what bound, one for each class that fell short. */
export function bindingSentences(data: ReportData): Child[][] {
  // Windows of a series are not tested one by one; the notes say what failed.
  if (data.run.kind === "series") return [];
  const short = data.classes.filter((c) => c.produced < c.requested);
  if (short.length > 0) {
    return short.map((c) => [
      "Class ",
      foreign(c.name),
      ` got ${count(c.produced)} of ${count(c.requested)}: `,
      `${TESTS[c.binding] ?? `the ${c.binding} test`} binds`,
      REMEDIES[c.binding] ? `; ${REMEDIES[c.binding]}.` : ".",
    ]);
  }
  const [test, failed] = hardestTest(data.classes);
  if (test === "none") return [["No test turned a proposal down."]];
  const proposals = data.classes.reduce((sum, c) => sum + c.proposals, 0);
  return [
    [
      "Nothing fell short. The test that turned most proposals down was ",
      `${TESTS[test]}: ${percent(failed / proposals)} of `,
      `${counted(proposals, "proposal")}.`,
    ],
  ];
}

/** A number with what it counts. */
export function tile(value: string, words: string, note = ""): HTMLElement {
  return h(
    "div",
    { class: "tile" },
    h("dt", {}, words),
    h("dd", {}, value),
    note ? h("dd", { class: "more" }, note) : null,
  );
}

function tiles(data: ReportData): HTMLElement {
  const { run, classes, certificate } = data;
  const proposals = classes.reduce((sum, c) => sum + c.proposals, 0);
  const tried = classes.reduce((sum, c) => sum + c.anchors_tried, 0);
  const hit = classes.reduce((sum, c) => sum + c.anchors_hit, 0);
  return h(
    "dl",
    { class: "tiles" },
    tile(count(run.produced), "outliers", `of ${count(run.requested)} asked`),
    tile(
      count(run.bank_rows),
      run.kind === "series" ? "recorded windows" : "bank points",
      `in ${counted(run.dimension, "dimension")}`,
    ),
    tile(count(hit), "anchors used", `of ${count(tried)} tried`),
    tile(
      count(proposals),
      run.kind === "series" ? "targets drawn" : "proposals",
      counted(classes.length, "class", "classes"),
    ),
    certificate
      ? tile(
          count(certificate.totals.certified_accept),
          certificate.certified
            ? "certified outliers"
            : "clear of the threshold",
          `at ${percent(1 - certificate.delta)}` +
            (certificate.certified ? "" : ", not certified"),
        )
      : null,
  );
}

/** A series has one class, and its tries are told in the notes. */
function seriesTable([all]: ClassFacts[]): HTMLElement | null {
  if (!all) return null;
  const titles = ["Windows", "Reference", "Outliers", "Asked", "Threshold"];
  return table(
    "What became of the windows",
    [
      { title: "Recorded" },
      ...titles.map((title) => ({ title, isNumber: true })),
    ],
    [
      [
        foreign(all.name),
        count(all.points),
        count(all.reference),
        count(all.produced),
        count(all.requested),
        number(all.threshold, 4),
      ],
    ],
  );
}

function classTable(classes: ClassFacts[]): HTMLElement {
  const number_ = (title: string) => ({ title, isNumber: true });
  return table(
    "What became of each class",
    [
      { title: "Class" },
      number_("Bank points"),
      number_("Outliers"),
      number_("Asked"),
      number_("Threshold"),
      number_("Failed energy"),
      number_("Failed class"),
      number_("Failed seed"),
      { title: "Binding" },
    ],
    classes.map((c) => [
      foreign(c.name),
      count(c.points),
      count(c.produced),
      count(c.requested),
      number(c.threshold, 4),
      percent(c.failing_energy / Math.max(1, c.proposals)),
      percent(c.failing_semantic / Math.max(1, c.proposals)),
      percent(c.failing_seed / Math.max(1, c.proposals)),
      c.binding,
    ]),
  );
}

/** The section. */
export function summarySection(data: ReportData): HTMLElement {
  const isComplete = data.run.produced >= data.run.requested;
  const isSeries = data.run.kind === "series";
  return section(
    "summary",
    "What was asked and what came out",
    [],
    tiles(data),
    h(
      "div",
      { class: isComplete ? "note good" : "note warn" },
      h("strong", {}, isComplete ? "Complete." : "Fell short."),
      ...bindingSentences(data).map((words) => h("p", {}, ...words)),
      ...data.notes.map((words) => h("p", {}, foreign(words))),
    ),
    isSeries ? seriesTable(data.classes) : classTable(data.classes),
    isSeries
      ? null
      : h(
          "p",
          { class: "hint" },
          "Shares are of the proposals of a class; a proposal may fail several " +
            "tests.",
        ),
  );
}
