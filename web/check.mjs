// SPDX-License-Identifier: Apache-2.0
// Fails when dist/ is not what a fresh build of the sources gives.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makePage } from "./build.mjs";
import { listSums, page, root, sums } from "./sources.mjs";

const html = await makePage();
const expected = { [page]: html, [sums]: listSums(html) };
let isSame = true;
for (const [path, text] of Object.entries(expected)) {
  if (readFileSync(join(root, path), "utf8") === text) continue;
  console.error(`${path} does not match its sources; run: npm run build`);
  isSame = false;
}
if (isSame) console.log("dist/ matches its sources");
process.exitCode = isSame ? 0 : 1;
