// SPDX-License-Identifier: Apache-2.0
// Reports that the tool itself wrote, in a browser without network. SBOG names
// the tool; without it that of a build beside the sources is taken, and where
// there is none there is nothing to test.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawAll, startBrowser } from "./browser.mjs";
import { load } from "./load.mjs";

const beside = fileURLToPath(new URL("../../build/bin/sbog", import.meta.url));
const tool = resolve(process.env.SBOG ?? beside);
const axe = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);
const WRONG_USE = 2;
const MOST_BYTES = 2 * 1024 * 1024;
// A file name with a slash would be a folder, so there is none in the last.
const names = [
  '</script><script>document.title="pwned"</script>',
  '<img src=x onerror="document.title=`pwned`">',
  "right \u202E to left \u2067 marks",
];
const header = `<img src=x onerror=alert(1)>"&'\u202E`;
let folder;
let browser;

function sbog(...words) {
  return spawnSync(tool, [...words, "--quiet"], {
    cwd: folder,
    encoding: "utf8",
  });
}

function make(...words) {
  const made = sbog(...words);
  assert.equal(made.status, 0, made.stderr);
}

async function open(file, context) {
  const html = readFileSync(join(folder, file), "utf8");
  const opened = await browser.open(html, context);
  await drawAll(opened.page);
  assert.deepEqual(opened.errors, []);
  assert.deepEqual(opened.requests, []);
  return { ...opened, html };
}

function dataOf(html) {
  const [, text] = /id="sbog-data">([^]*?)<\/script>/.exec(html);
  return text;
}

/** A series with a hostile channel; returns false without training. */
function makeSeries() {
  let [slow, fast] = [0, 0];
  const rows = Array.from({ length: 700 }, (_, t) => {
    slow = 0.9 * slow + 0.3 * (((t * 7919) % 101) / 101 - 0.5);
    fast = 0.8 * fast + 0.3 * (((t * t * 31) % 97) / 97 - 0.5);
    const load = 0.1 * ((t * 31) % 17) + slow * fast;
    return [Math.sin(0.11 * t) + slow, Math.cos(0.07 * t) + fast, load].join(
      ",",
    );
  });
  const quoted = `"${header.replaceAll('"', '""')}"`;
  const text = [`flow,${quoted},load`, ...rows, ""].join("\n");
  writeFileSync(join(folder, "plant.csv"), text);
  const made = sbog(
    ..."generate plant.csv --width 48 --stride 2 --epochs 6".split(" "),
    ..."--count 6 --steps 10 --seed 3 --outside-only --out series".split(" "),
  );
  if (made.status === WRONG_USE && /LibTorch/.test(made.stderr)) return false;
  assert.ok(made.status <= 1, made.stderr);
  return true;
}

/** A small run on images; returns false without training. */
function makeImages() {
  const made = sbog(
    ..."generate demo:shapes --limit 20 --side 12 --widths 4,8".split(" "),
    ..."--latent 8 --epochs 2 --decoder mix --count 10 --seed 3".split(" "),
    ..."--out images".split(" "),
  );
  if (made.status === WRONG_USE && /LibTorch/.test(made.stderr)) return false;
  assert.ok(made.status <= 1, made.stderr);
  return true;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "sbog-real-"));
  browser = await startBrowser();
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

if (existsSync(tool)) {
  test("a report of the tool opens offline with charts and provenance", async () => {
    make(
      ..."generate demo:bank --labels demo:labels --count 30".split(" "),
      ..."--out run".split(" "),
    );
    make("report", "run");
    const { page, html } = await open("run/report.html");
    const { parseData } = await load("parse_data");
    const data = parseData(dataOf(html));
    assert.equal(data.run.produced, 90);
    assert.equal(await page.locator(".plot").count(), 6);
    assert.ok(html.length - dataOf(html).length < MOST_BYTES);
    await page.locator(".stage").focus();
    await page.keyboard.press("ArrowRight");
    const words = await page.locator(".panel").innerText();
    assert.match(words, /^Outlier \d+/);
    assert.match(words, /from anchor\s+row \d+/);
    await page.evaluate(axe);
    const result = await page.evaluate(() => globalThis.axe.run());
    const serious = result.violations.filter((v) =>
      ["serious", "critical"].includes(v.impact),
    );
    assert.deepEqual(
      serious.map((v) => v.id),
      [],
    );
    await page.close();
  });

  test("hostile names of classes come through the tool as text", async () => {
    writeFileSync(join(folder, "names.txt"), `${names.join("\n")}\n`);
    make("report", "run", "--names", "names.txt", "--out", "hostile.html");
    const { page } = await open("hostile.html");
    const shown = await page.locator("#classes tbody th").allInnerTexts();
    assert.deepEqual(shown, [
      names[0],
      names[1],
      "right [U+202E] to left [U+2067] marks",
    ]);
    assert.equal(await page.title(), "run – sbog report");
    assert.equal(await page.locator("main script, main img").count(), 0);
    await page.close();
  });

  test("without scripts the tool's tables are there", async () => {
    const html = readFileSync(join(folder, "hostile.html"), "utf8");
    const { page, errors } = await browser.open(html, {
      javaScriptEnabled: false,
    });
    assert.ok(await page.getByText("90 outliers from").isVisible());
    assert.ok(await page.getByText(names[0]).first().isVisible());
    assert.equal(await page.locator("main table").count(), 5);
    assert.equal(await page.locator("main script, main img").count(), 0);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("images are shown beside their sources", async (t) => {
    if (!makeImages()) {
      t.diagnostic("this tool was built without LibTorch");
      return;
    }
    const phone = { viewport: { width: 360, height: 780 } };
    for (const context of [{}, phone]) {
      const { page, html } = await open("images/report.html", context);
      const { parseData } = await load("parse_data");
      const data = parseData(dataOf(html));
      assert.equal(data.run.kind, "image");
      assert.ok(data.images.length > 8);
      const all = page.locator("#examples details img");
      assert.equal(await all.count(), 2 * data.images.length);
      assert.equal(await page.locator("#examples > .grid img").count(), 12);
      await page.$$eval("details", (some) =>
        some.forEach((e) => (e.open = true)),
      );
      await page.locator("button.pictures").last().focus();
      await page.keyboard.press("Enter");
      const words = await page.getByRole("dialog").innerText();
      assert.match(words, /nearest training image\s+0\.\d+/);
      const width = await page.evaluate(() => document.body.scrollWidth);
      assert.ok(width <= (context.viewport?.width ?? 1280));
      await page.close();
    }
    const html = readFileSync(join(folder, "images/report.html"), "utf8");
    const { page, errors } = await browser.open(html, {
      javaScriptEnabled: false,
    });
    const first = page.locator("main td img").first();
    assert.match(await first.getAttribute("alt"), /^source of outlier/);
    assert.deepEqual(errors, []);
    await page.close();
  });

  test("windows of a series are drawn, hostile headers are text", async (t) => {
    if (!makeSeries()) {
      t.diagnostic("this tool was built without LibTorch");
      return;
    }
    const phone = { viewport: { width: 360, height: 780 } };
    for (const context of [{}, phone]) {
      const { page, html } = await open("series/report.html", context);
      const { parseData } = await load("parse_data");
      const data = parseData(dataOf(html));
      assert.equal(data.run.kind, "series");
      assert.ok(dataOf(html).includes("\\u003cimg src=x"));
      const drawn = data.windows.reduce((n, w) => n + w.channels.length, 0);
      const plots = page.locator("#examples .window svg");
      assert.equal(await plots.count(), drawn);
      assert.equal(await page.locator("main script, main img").count(), 0);
      const width = await page.evaluate(() => document.body.scrollWidth);
      assert.ok(width <= (context.viewport?.width ?? 1280));
      await page.close();
    }
  });
}
