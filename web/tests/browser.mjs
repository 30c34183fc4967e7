// SPDX-License-Identifier: Apache-2.0
// A headless Chromium without network that opens pages from files and keeps
// account of requests and errors.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { fillPage } from "./fill_page.mjs";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Call close() at the end. */
export async function startBrowser() {
  const folder = mkdtempSync(join(tmpdir(), "sbog-report-"));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: flags,
  });

  /** Opens a file with the page of `data`. */
  async function open(data, context = {}) {
    const path = join(
      folder,
      `page-${Math.random().toString(36).slice(2)}.html`,
    );
    writeFileSync(path, typeof data === "string" ? data : fillPage(data));
    const url = pathToFileURL(path).href;
    const made = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...context,
    });
    await made.setOffline(true);
    const page = await made.newPage();
    const errors = [];
    const requests = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        errors.push(message.text());
      }
    });
    page.on("request", (request) => {
      const target = request.url();
      if (target !== url && !target.startsWith("data:")) requests.push(target);
    });
    await page.goto(url);
    return { page, errors, requests };
  }

  async function close() {
    await browser.close();
    rmSync(folder, { recursive: true });
  }

  return { open, close };
}

/** Scrolls down step by step until every chart is drawn. */
export async function drawAll(page) {
  const height = await page.evaluate(() => document.body.scrollHeight);
  for (let y = 0; y < height + 3000; y += 600) {
    await page.evaluate((top) => scrollTo({ top, behavior: "instant" }), y);
    await page.waitForTimeout(30);
  }
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".plot")].every((p) => "drawn" in p.dataset),
  );
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await page.waitForTimeout(300);
}
