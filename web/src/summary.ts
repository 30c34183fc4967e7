// SPDX-License-Identifier: Apache-2.0
// What was asked, what came out, and what stood in the way.
import type { ClassFacts, ReportData, RunFacts, StressFacts } from "./data";
import { details, foreign, h, section, sentence } from "./dom";
import type { Child } from "./dom";
import { count, counted, number, percent } from "./format";

const MOST_NOTES = 3; // more are folded

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

/** What came out, and what that says, in one paragraph. */
function verdict(data: ReportData): HTMLElement {
  const { run, stress } = data;
  const made = run.produced - insideCount(data);
  const what =
    run.kind === "series"
      ? counted(made, "unusual window")
      : counted(made, "outlier");
  const words = [
    made >= run.requested
      ? `${what} ${made === 1 ? "was" : "were"} made, as asked`
      : `${what} of ${count(run.requested)} ` +
        `${made === 1 ? "was" : "were"} made`,
  ];
  if (run.level !== null && made > 0) {
    words.push(`above the energy of ${percent(run.level)} of their class`);
  }
  if (run.distance_ratio !== null && made > 0 && !isTooNear(run)) {
    words.push(
      `${number(run.distance_ratio)} times as far from the bank as a held-out row`,
    );
  }
  const first = `${words.join(words.length > 2 ? ", " : ": ")}.`;
  return h(
    "p",
    { class: "verdict" },
    first,
    stress ? modelWords(stress) : null,
  );
}

/** What the stress test says of the model. */
function modelWords({ overall, failure, weak_spots }: StressFacts): string {
  const spot = weak_spots[0];
  return (
    ` The model under test was asked about ${counted(overall.of, "case")}: ` +
    `${percent(overall.share)} ${overall.count === 1 ? "was" : "were"} ` +
    `${failure}` +
    (spot
      ? `, most clearly ${spot.grouping} ${spot.level} ` +
        `(${percent(spot.failures.share)}).`
      : ", and no group of cases stands out.")
  );
}

/** A warning when the outliers are not far out. */
function nearWarning(run: RunFacts): HTMLElement | null {
  if (!isTooNear(run)) return null;
  const times = `${number(run.distance_ratio)} times as far from the bank as a held-out row`;
  return h(
    "div",
    { class: "note warn" },
    h("strong", {}, "Too near."),
    h(
      "p",
      {},
      ...sentence(
        `The outliers are no farther out than unseen data: ${times}, where at ` +
          `least ${number(run.least_distance_ratio, 2)} is wanted. ` +
          "A larger --radius moves them out.",
      ),
    ),
  );
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
    certificate && certificate.totals.certified_accept > 0
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

/** The section. */
export function summarySection(data: ReportData): HTMLElement {
  const isComplete =
    data.run.produced >= data.run.requested && insideCount(data) === 0;
  const notes = data.notes.map((words) => h("p", {}, foreign(words)));
  return section(
    "summary",
    "What was asked and what came out",
    [],
    verdict(data),
    tiles(data),
    nearWarning(data.run),
    h(
      "div",
      { class: isComplete ? "note good" : "note warn" },
      h("strong", {}, isComplete ? "Complete." : "Fell short."),
      ...bindingSentences(data).map((words) => h("p", {}, ...words)),
      ...(data.notes.length > MOST_NOTES
        ? [details(`${count(data.notes.length)} remarks`, ...notes)]
        : notes),
    ),
  );
}
