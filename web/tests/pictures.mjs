// SPDX-License-Identifier: Apache-2.0
// Screenshots to look at: node tests/pictures.mjs FOLDER
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { drawAll, startBrowser } from "./browser.mjs";
import { hostileNames, makeData } from "./example_data.mjs";

const folder = process.argv[2] ?? "pictures";
mkdirSync(folder, { recursive: true });
const phone = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 };
const pictures = [
  ["light", makeData({ isShort: true }), { colorScheme: "light" }],
  ["dark", makeData(), { colorScheme: "dark" }],
  ["phone", makeData(), { colorScheme: "light", ...phone }],
  ["phone-dark", makeData(), { colorScheme: "dark", ...phone }],
  ["hostile", makeData({ names: hostileNames }), {}],
  ["plain", makeData(), { javaScriptEnabled: false }],
];
const browser = await startBrowser();
for (const [name, data, context] of pictures) {
  const { page } = await browser.open(data, context);
  if (context.javaScriptEnabled !== false) {
    await drawAll(page);
    await page.getByRole("button", { name: "Next outlier" }).click();
  }
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
}
await browser.close();
