// SPDX-License-Identifier: Apache-2.0
// Makes dist/report.html, the page with everything inside but its data, and
// dist/SHA256SUMS, which tells whether it fits its sources.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listSums, page, root, sums } from "./sources.mjs";

const mostBytes = 2 * 1024 * 1024;

async function bundle(entry) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
  });
  return {
    text: result.outputFiles[0].text.trim(),
    inputs: Object.keys(result.metafile.inputs),
  };
}

function packageOf(input) {
  const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  return found ? found[1] : null;
}

function licenceOf(name) {
  const folder = join(root, "node_modules", name);
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"]
    .map((candidate) => join(folder, candidate))
    .find(existsSync);
  const facts = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = file ? readFileSync(file, "utf8").trim() : facts.license;
  return { name: `${name} ${facts.version}`, text };
}

/** The licences of what is bundled, packages with the same text together. */
function licences(inputs) {
  const names = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  // With node_modules elsewhere, behind a link, no package would be found.
  if (names.length === 0) throw new Error("node_modules must lie beside src");
  const byText = new Map();
  for (const { name, text } of names.map(licenceOf)) {
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText]
    .map(([text, holders]) => `${holders.join(", ")}\n\n${text}`)
    .join(`\n\n${"-".repeat(40)}\n\n`);
}

function escapeHtml(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character]);
}

/** A script that ends where it should, and its hash for the policy. */
function script(text) {
  if (/<!--|<\/?script/i.test(text)) {
    throw new Error("a script holds a tag that would end it early");
  }
  const hash = createHash("sha256").update(text).digest("base64");
  return { element: `<script>${text}</script>`, hash: `'sha256-${hash}'` };
}

function fill(template, values) {
  return Object.entries(values).reduce((text, [marker, value]) => {
    const parts = text.split(marker);
    if (parts.length !== 2) throw new Error(`${marker} must occur once`);
    return parts.join(value);
  }, template);
}

/** The text of dist/report.html. */
export async function makePage() {
  const main = await bundle("src/main.ts");
  const style = await bundle("src/style.css");
  const early = script((await bundle("src/early.js")).text);
  const late = script(main.text);
  const policy = [
    "default-src 'none'",
    `script-src ${early.hash} ${late.hash}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = fill(readFileSync(join(root, "src/template.html"), "utf8"), {
    "build:policy": policy,
    "<!--build:style-->": `<style>${style.text}</style>`,
    "<!--build:early-->": early.element,
    "<!--build:licences-->": escapeHtml(licences(main.inputs)),
    "<!--build:script-->": late.element,
  });
  for (const marker of ["<!--sbog:tables-->", "<!--sbog:data-->"]) {
    if (html.split(marker).length !== 2) throw new Error(`${marker} is lost`);
  }
  if (Buffer.byteLength(html) > mostBytes) {
    throw new Error(`the page has more than ${mostBytes} bytes`);
  }
  return html;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const html = await makePage();
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, page), html);
  writeFileSync(join(root, sums), listSums(html));
  console.log(`${page}: ${Buffer.byteLength(html).toLocaleString()} bytes`);
}
