// SPDX-License-Identifier: Apache-2.0
// Where a point of the map comes from, in words and numbers.
import type { Row } from "./chart";
import type { BankItem, ReportData } from "./data";
import { foreign, h } from "./dom";
import { count, number } from "./format";
import { facts } from "./tooltip";

type Pairs = [string, Node | string][];

const LONGEST = 120;

/** The item of a row, cut for a small box. */
function short(item: BankItem): string {
  const letters = [...(item.text || `row ${item.row}`)];
  return letters.length <= LONGEST
    ? letters.join("")
    : `${letters.slice(0, LONGEST).join("")}…`;
}

function className(data: ReportData, cls: number | undefined): Node {
  return foreign(data.classes[cls ?? -1]?.name ?? "?");
}

function bankFacts(data: ReportData, i: number): HTMLElement {
  return facts(`Bank row ${count(data.bank.row[i] ?? 0)}`, [
    ["class", className(data, data.bank.class[i])],
    ["energy", number(data.bank.energy[i] ?? null, 4)],
  ]);
}

function anchorFacts(data: ReportData, i: number): HTMLElement {
  const { anchors } = data;
  return facts(`Anchor, bank row ${count(anchors.row[i] ?? 0)}`, [
    ["class", className(data, anchors.class[i])],
    ["energy", number(anchors.energy[i] ?? null, 4)],
    ["draws", count(anchors.draws[i] ?? 0)],
    ["outliers from it", count(anchors.successes[i] ?? 0)],
  ]);
}

function certifiedWords(certified: boolean | null | undefined): string {
  if (certified === true) return "yes";
  return certified === false ? "no" : "not asked";
}

/** The way of outlier i. */
export function outlierFacts(data: ReportData, i: number): HTMLElement {
  const { outliers, anchors, classes } = data;
  const cls = outliers.class[i];
  const anchor = outliers.anchor[i] ?? -1;
  const known = (value: number | null | undefined) =>
    typeof value === "number" ? count(value) : null;
  const known4 = (value: number | null | undefined) =>
    typeof value === "number" ? number(value, 4) : null;
  const words = outliers.words[i];
  const pairs: [string, Node | string | null][] = [
    ["class", className(data, cls)],
    [
      "from anchor",
      anchor < 0 ? "none" : `row ${count(anchors.row[anchor] ?? 0)}`,
    ],
    ["origin", foreign(outliers.origin[i] ?? "")],
    ["round", known(outliers.round[i])],
    ["proposal", known(outliers.proposal[i])],
    ["feasible beside it", known(outliers.feasible[i])],
    ["energy", number(outliers.energy[i] ?? null, 4)],
    ["threshold", number(classes[cls ?? -1]?.threshold ?? null, 4)],
    ["margin", number(outliers.margin[i] ?? null, 4)],
    ["cosine to class", known4(outliers.class_cosine[i])],
    ["cosine to anchor", known4(outliers.anchor_cosine[i])],
    ["nearest bank point", known4(outliers.nearest[i])],
    ["conformal p-value", known4(outliers.p_value[i])],
    ["certified", certifiedWords(outliers.certified[i])],
  ];
  // What this kind of run does not have is left out.
  const told = pairs.filter((pair): pair is Pairs[number] => pair[1] !== null);
  const element = facts(`Outlier ${count(outliers.index[i] ?? 0)}`, told);
  if (words) element.append(h("p", { class: "hint" }, foreign(words)));
  const near = (outliers.neighbours[i] ?? []).map((at) => data.items[at]);
  const texts = near.flatMap((item) => (item ? [foreign(short(item))] : []));
  if (texts.length > 0) {
    element.append(
      h("p", { class: "hint" }, "next to"),
      h("ul", { class: "near" }, ...texts.map((text) => h("li", {}, text))),
    );
  }
  return element;
}

/** What the tooltip of a row of the map says. */
export function rowFacts(data: ReportData, row: Row): HTMLElement | null {
  const i = row["i"];
  if (typeof i !== "number") return null;
  if (row["kind"] === "bank") return bankFacts(data, i);
  if (row["kind"] === "anchors") return anchorFacts(data, i);
  return outlierFacts(data, i);
}
