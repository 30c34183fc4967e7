// SPDX-License-Identifier: Apache-2.0
// What was asked, what came out, and what stood in the way.
import type { ClassFacts, ReportData, RunFacts } from "./data";
import { foreign, h, section, sentence, table } from "./dom";
import type { Child } from "./dom";
import { count, counted, number, percent } from "./format";

const TESTS: Record<string, string> = {
  energy: "the energy test (energy at or above the threshold)",
  semantic: "the class test (cosine to the class at or above its floor)",
  seed: "the seed test (cosine to the anchor at or above its floor)",
  projection: "the projection back to the space",
  boundary: "the search for the boundary",
  decoding: "the place of the decoded image (the encoder is asked again)",
};

const REMEDIES: Record<string, string> = {
  energy: "a lower --quantile or a larger --radius makes it easier",
  semantic: "a lower --semantic-quantile or a smaller --radius makes it easier",
  seed: "a lower --seed-floor or a smaller --radius makes it easier",
  decoding: "more --redraws or --decode-rounds make it easier",
};

/** Decoded images that lie inside of their class again: no outliers. */
export function insideCount(data: ReportData): number {
  return data.images_outside === null
    ? 0
    : data.images_total - data.images_outside;
}

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
      ...sentence(REMEDIES[c.binding] ? `; ${REMEDIES[c.binding]}.` : "."),
    ]);
  }
  const [test, failed] = hardestTest(data.classes);
  if (test === "none") return [["No test turned a proposal down."]];
  const proposals = data.classes.reduce((sum, c) => sum + c.proposals, 0);
  const inside = insideCount(data);
  return [
    [
      inside > 0
        ? `Every point was found, but ${count(inside)} of ` +
          `${counted(data.images_total, "decoded image")} ` +
          `${inside === 1 ? "is" : "are"} no outlier${inside === 1 ? "" : "s"}. `
        : "Nothing fell short. ",
      "The test that turned most proposals down was ",
      `${TESTS[test]}: ${percent(failed / proposals)} of `,
      `${counted(proposals, "proposal")}.`,
    ],
  ];
}

/** A number with what it counts. */
export function tile(
  value: string,
  words: string,
  note = "",
  style = "tile",
): HTMLElement {
  return h(
    "div",
    { class: style },
    h("dt", {}, words),
    h("dd", {}, value),
    note ? h("dd", { class: "more" }, note) : null,
  );
}

function isTooNear(run: RunFacts): boolean {
  return (
    run.distance_ratio !== null && run.distance_ratio < run.least_distance_ratio
  );
}

function distanceTile(run: RunFacts): HTMLElement | null {
  if (run.distance_ratio === null) return null;
  return tile(
    `${number(run.distance_ratio)} ×`,
    "as far as a held-out row",
    isTooNear(run)
      ? "no farther out than unseen data"
      : "median distance to the bank",
    isTooNear(run) ? "tile warn" : "tile",
  );
}

/** How far out the outliers are, and a warning when that is not far. */
function placement(run: RunFacts): Child[] {
  const times = `${number(run.distance_ratio)} times as far from the bank as a held-out row`;
  const words: string[] = [];
  if (run.level !== null && run.produced > 0) {
    const share = percent(run.level);
    words.push(`The outliers lie above the energy of ${share} of their class.`);
  }
  if (run.distance_ratio !== null && !isTooNear(run)) {
    words.push(`They are ${times}.`);
  }
  const warning = sentence(
    `The outliers are no farther out than unseen data: ${times}, where at ` +
      `least ${number(run.least_distance_ratio, 2)} is wanted. ` +
      "A larger --radius moves them out.",
  );
  return [
    words.length > 0 ? h("p", {}, words.join(" ")) : null,
    isTooNear(run)
      ? h(
          "div",
          { class: "note warn" },
          h("strong", {}, "Too near."),
          h("p", {}, ...warning),
        )
      : null,
  ];
}

function tiles(data: ReportData): HTMLElement {
  const { run, classes, certificate } = data;
  const hasPoints = data.bank.total > 0;
  const proposals = classes.reduce((sum, c) => sum + c.proposals, 0);
  const tried = classes.reduce((sum, c) => sum + c.anchors_tried, 0);
  const hit = classes.reduce((sum, c) => sum + c.anchors_hit, 0);
  return h(
    "dl",
    { class: "tiles" },
    tile(
      count(run.produced - insideCount(data)),
      "outliers",
      `of ${count(run.requested)} asked`,
    ),
    tile(
      count(hasPoints ? run.bank_rows : (classes[0]?.points ?? 0)),
      run.kind === "series" ? "recorded windows" : "bank points",
      hasPoints ? `in ${counted(run.dimension, "dimension")}` : "",
    ),
    distanceTile(run),
    hasPoints
      ? tile(count(hit), "anchors used", `of ${count(tried)} tried`)
      : null,
    tile(
      count(proposals),
      !hasPoints
        ? "edits drawn"
        : run.kind === "series"
          ? "targets drawn"
          : "proposals",
      hasPoints ? counted(classes.length, "class", "classes") : "",
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
  // Without an encoder all is told above.
  if (!all || all.reference === 0) return null;
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

/** "0.4 to 0.9", or one number. */
function range(interval: [number, number] | null): string {
  if (!interval) return "–";
  const [low, high] = interval.map((value) => number(value));
  return low === high ? `${low}` : `${low} to ${high}`;
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
      number_("Epsilon"),
      number_("Radius"),
      number_("Failed energy"),
      number_("Failed class"),
      number_("Failed seed"),
      { title: "Binding" },
    ],
    classes.map((c) => [
      foreign(c.name),
      count(c.points),
      count(c.produced - c.inside),
      count(c.requested),
      number(c.threshold, 4),
      number(c.epsilon),
      range(c.radius),
      percent(c.failing_energy / Math.max(1, c.proposals)),
      percent(c.failing_semantic / Math.max(1, c.proposals)),
      percent(c.failing_seed / Math.max(1, c.proposals)),
      c.binding,
    ]),
  );
}

/** The section. */
export function summarySection(data: ReportData): HTMLElement {
  const isComplete =
    data.run.produced >= data.run.requested && insideCount(data) === 0;
  const isSeries = data.run.kind === "series";
  return section(
    "summary",
    "What was asked and what came out",
    [],
    tiles(data),
    ...placement(data.run),
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
          "Radius: shortest and longest step from an anchor to a proposal. " +
            "Shares are of the proposals of a class; a proposal may fail " +
            "several tests.",
        ),
  );
}
