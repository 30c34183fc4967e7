// SPDX-License-Identifier: Apache-2.0
// What the page is made of, and the list of checksums that says so.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL(".", import.meta.url));
export const page = "dist/report.html";
export const sums = "dist/SHA256SUMS";

const single = [
  "build.mjs",
  "package-lock.json",
  "package.json",
  "sources.mjs",
  "tsconfig.json",
];

/** Paths of all sources from the folder web, in bytewise order. */
export function listSources() {
  const inner = readdirSync(join(root, "src")).map((name) => `src/${name}`);
  return [...single, ...inner].sort();
}

function checksum(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** The text of dist/SHA256SUMS for a page: as `sha256sum` prints it. */
export function listSums(html) {
  const lines = listSources().map(
    (path) => `${checksum(readFileSync(join(root, path)))}  ${path}\n`,
  );
  return [...lines, `${checksum(html)}  ${page}\n`].join("");
}
