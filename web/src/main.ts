// SPDX-License-Identifier: Apache-2.0
// Builds the page from its data. When that fails, the plain tables that are
// already in the page stay, with a word about why.
import { certificateSection } from "./certificate";
import { configurationSection } from "./configuration";
import { coverageSection } from "./coverage";
import { parseData } from "./data";
import type { ReportData } from "./data";
import { foreign, h } from "./dom";
import { energiesSection } from "./energies";
import { examplesSection } from "./examples";
import { count } from "./format";
import { mapSection } from "./map";
import { metricsSection } from "./metrics";
import { neighboursSection } from "./neighbours";
import { stressSection } from "./stress";
import { insideCount, summarySection } from "./summary";
import { bindTheme } from "./theme";

/** Words of the navigation. */
const SHORT: Record<string, string> = {
  summary: "Summary",
  stress: "Model",
  energies: "Energy",
  map: "Map",
  coverage: "Coverage",
  certificate: "Certificate",
  metrics: "Metrics",
  neighbours: "Neighbours",
  examples: "Examples",
  configuration: "Make it again",
};

function header(data: ReportData): HTMLElement {
  const { run } = data;
  return h(
    "header",
    { class: "title" },
    h(
      "h1",
      {},
      `${count(run.produced - insideCount(data))} outliers from `,
      foreign(run.input),
    ),
    h(
      "p",
      { class: "lead" },
      "Run ",
      foreign(run.name),
      `, rule ${run.rule}, seed ${run.seed}, sbog ${run.version}`,
    ),
  );
}

function build(data: ReportData): void {
  // A series without an encoder has windows, but no points.
  const hasPoints = data.bank.total > 0;
  const sections = [
    summarySection(data),
    stressSection(data),
    ...(hasPoints
      ? [energiesSection(data), mapSection(data), coverageSection(data)]
      : []),
    certificateSection(data),
    metricsSection(data),
    neighboursSection(data),
    examplesSection(data),
    configurationSection(data),
  ].filter((element) => element !== null);
  const links = sections.map(({ id }) =>
    h("li", {}, h("a", { href: `#${id}` }, SHORT[id] ?? id)),
  );
  document.querySelector("nav ul")?.replaceChildren(...links);
  document.querySelector("main")?.replaceChildren(header(data), ...sections);
  document.title = `${data.run.name} – sbog report`;
}

function start(): void {
  const button = document.getElementById("theme");
  if (button) bindTheme(button);
  try {
    build(parseData(document.getElementById("sbog-data")?.textContent ?? ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const words = `The charts cannot be drawn: ${why}.`;
    document
      .querySelector("main")
      ?.prepend(h("p", { class: "note warn", role: "alert" }, words));
  }
  document.documentElement.classList.remove("pending");
}

start();
