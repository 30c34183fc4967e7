// SPDX-License-Identifier: Apache-2.0
// Fills the template as `sbog report` does: data as JSON that cannot end its
// element, and plain tables for those who run no scripts.
import { readFileSync } from "node:fs";

const template = readFileSync(
  new URL("../dist/report.html", import.meta.url),
  "utf8",
);

/** JSON without <, >, & and the two line ends that are none in JSON. */
export function escapeJson(value) {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Text for HTML. */
export function escapeHtml(text) {
  const names = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return String(text).replace(/[&<>"']/g, (c) => names[c]);
}

function cell(value, column) {
  if (column === 0) {
    return `<th scope="row"><bdi>${escapeHtml(value)}</bdi></th>`;
  }
  if (typeof value === "number") return `<td class="number">${value}</td>`;
  return `<td><bdi>${escapeHtml(value)}</bdi></td>`;
}

function table(caption, titles, rows) {
  const kind = (i) => (typeof rows[0]?.[i] === "number" ? "number" : "text");
  const head = titles.map(
    (t, i) => `<th scope="col" class="${kind(i)}">${escapeHtml(t)}</th>`,
  );
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
  return (
    `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption>` +
    `<thead><tr>${head.join("")}</tr></thead>` +
    `<tbody>${body.join("")}</tbody></table></div>`
  );
}

/** The part of the page that needs no script. */
export function plainTables(data) {
  const { run, classes, metrics, certificate } = data;
  const part = (title, inner) =>
    `<section><h2>${escapeHtml(title)}</h2>${inner}</section>`;
  const sentences = (certificate?.sentences ?? [])
    .map((words) => `<li>${escapeHtml(words)}</li>`)
    .join("");
  return [
    `<header class="title"><h1>${run.produced} outliers from ` +
      `<bdi>${escapeHtml(run.input)}</bdi></h1>` +
      `<p class="lead">Charts need a script; these are the numbers.</p></header>`,
    part(
      "What was asked and what came out",
      table(
        "What became of each class",
        ["Class", "Bank points", "Outliers", "Asked", "Threshold", "Binding"],
        classes.map((c) => [
          c.name,
          c.points,
          c.produced,
          c.requested,
          c.threshold,
          c.binding,
        ]),
      ),
    ),
    part("Certificate", `<ul class="sentences">${sentences}</ul>`),
    part(
      "Metrics",
      table(
        "Metrics of the outliers",
        ["Metric", "Value", "Good direction", "Meaning"],
        (metrics ?? []).map((m) => [
          m.name,
          m.value ?? m.reason,
          m.direction,
          m.meaning,
        ]),
      ),
    ),
    part(
      "Make it again",
      `<pre><code>${escapeHtml(data.command)}</code></pre>` +
        `<pre><code>${escapeHtml(data.config)}</code></pre>`,
    ),
  ].join("\n");
}

/** The whole page. */
export function fillPage(data) {
  return template
    .replace("<!--sbog:tables-->", () => plainTables(data))
    .replace("<!--sbog:data-->", () => escapeJson(data));
}
