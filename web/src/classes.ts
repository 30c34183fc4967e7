// SPDX-License-Identifier: Apache-2.0
// What became of each class, those that did worst first.
import type { ClassFacts, ReportData } from "./data";
import { details, foreign, h, section, table } from "./dom";
import { count, number, percent } from "./format";

const MOST_SHOWN = 10;

/** A series has one class, and its tries are told in the notes. */
function seriesTable([all]: ClassFacts[]): HTMLElement | null {
  // Without an encoder the summary tells all.
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

function share(part: number, of: number): number {
  return part / Math.max(1, of);
}

function classTable(caption: string, classes: ClassFacts[]): HTMLElement {
  const number_ = (title: string) => ({ title, isNumber: true });
  return table(
    caption,
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
      percent(share(c.failing_energy, c.proposals)),
      percent(share(c.failing_semantic, c.proposals)),
      percent(share(c.failing_seed, c.proposals)),
      c.binding,
    ]),
  );
}

/** Those with the smallest share of their outliers first; of equal ones those
 *  whose proposals failed most. */
export function worstFirst(classes: ClassFacts[]): ClassFacts[] {
  const got = (c: ClassFacts) => share(c.produced - c.inside, c.requested);
  const failed = (c: ClassFacts) =>
    share(c.failing_energy + c.failing_semantic + c.failing_seed, c.proposals);
  return [...classes].sort((a, b) => got(a) - got(b) || failed(b) - failed(a));
}

/** The section, or null for a series without an encoder. */
export function classesSection(data: ReportData): HTMLElement | null {
  const { classes } = data;
  if (data.run.kind === "series") {
    const all = seriesTable(classes);
    return all && section("classes", "The windows", [], all);
  }
  const isLong = classes.length > MOST_SHOWN;
  return section(
    "classes",
    isLong ? "Classes, the hardest first" : "Classes",
    [
      isLong
        ? `Shown are the ${MOST_SHOWN} of ${count(classes.length)} classes in ` +
          "which most outliers are missing or most proposals failed a test."
        : "What became of each class.",
    ],
    isLong
      ? classTable(
          "The hardest classes",
          worstFirst(classes).slice(0, MOST_SHOWN),
        )
      : classTable("What became of each class", classes),
    h(
      "p",
      { class: "hint" },
      "Radius: shortest and longest step from an anchor to a proposal. " +
        "Shares are of the proposals of a class; a proposal may fail " +
        "several tests.",
    ),
    isLong
      ? details(
          `All ${count(classes.length)} classes`,
          classTable("What became of each class", classes),
        )
      : null,
  );
}
