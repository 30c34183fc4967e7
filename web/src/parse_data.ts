// SPDX-License-Identifier: Apache-2.0
// Reads the object of data.ts and checks that its parts fit each other.
import { LIMITS } from "./data";
import type { ReportData } from "./data";

function checkColumns(name: string, table: object, limit: number): void {
  const columns = Object.entries(table).filter(([, v]) => Array.isArray(v));
  const length = (columns[0]?.[1] as unknown[]).length;
  for (const [column, values] of columns) {
    if ((values as unknown[]).length !== length) {
      throw new Error(`${name}.${column} must have ${length} entries`);
    }
  }
  if (length > limit) throw new Error(`${name} has more than ${limit} points`);
}

function checkPositions(name: string, at: number[], end: number): void {
  if (!at.every((i) => Number.isInteger(i) && i >= 0 && i < end)) {
    throw new Error(`${name} must hold positions below ${end}`);
  }
}

function checkFeatures(data: ReportData): void {
  const features = data.map.features;
  if (!features) return;
  checkPositions("features.bank", features.bank, data.bank.x.length);
  checkPositions("features.anchors", features.anchors, data.anchors.x.length);
  checkPositions(
    "features.outliers",
    features.outliers,
    data.outliers.x.length,
  );
  const rows =
    features.bank.length + features.anchors.length + features.outliers.length;
  if (rows > LIMITS.features || features.dimension > LIMITS.featureDimension) {
    throw new Error(`features are more than ${LIMITS.features} points`);
  }
  if (features.values.length !== rows * features.dimension) {
    throw new Error("features.values must be rows times dimension");
  }
}

// Characters that cannot be seen but turn or break the text around them:
// controls, line separators, embeddings, overrides and isolates.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const EXACT = new Set(["config", "command"]);

/** A reviver that writes such characters out, as in "[U+202E]". */
function showUnseen(key: string, value: unknown): unknown {
  if (typeof value !== "string" || EXACT.has(key)) return value;
  return value.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `[U+${code.padStart(4, "0")}]`;
  });
}

/** Reads the object; throws an Error that says what does not fit. */
export function parseData(text: string): ReportData {
  const data = JSON.parse(text, showUnseen) as ReportData;
  if (data.format !== 1) throw new Error("format must be 1");
  checkColumns("bank", data.bank, LIMITS.bank);
  checkColumns("anchors", data.anchors, LIMITS.anchors);
  checkColumns("outliers", data.outliers, LIMITS.outliers);
  const classes = data.classes.length;
  for (const table of [data.bank, data.anchors, data.outliers]) {
    checkPositions("class", table.class, classes);
  }
  const anchors = data.outliers.anchor.filter((i) => i !== -1);
  checkPositions("outliers.anchor", anchors, data.anchors.x.length);
  checkPositions(
    "outliers.neighbours",
    data.outliers.neighbours.flat(),
    data.items.length,
  );
  const itemClasses = data.items.map((item) => item.class);
  checkPositions("items.class", itemClasses, classes);
  checkPositions("listed", data.listed, data.outliers.x.length);
  checkFeatures(data);
  return data;
}
