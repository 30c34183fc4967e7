// SPDX-License-Identifier: Apache-2.0
// Builds the page from its data. When that fails, the plain tables that are
// already in the page stay, with a word about why.
import { certificateSection } from "./certificate";
import { classesSection } from "./classes";
import { configurationSection } from "./configuration";
import { coverageSection } from "./coverage";
import type { ReportData } from "./data";
import { foreign, h } from "./dom";
import { energiesSection } from "./energies";
import { examplesSection } from "./examples";
import { count } from "./format";
import { mapSection } from "./map";
import { metricsSection } from "./metrics";
import { neighboursSection } from "./neighbours";
import { parseData } from "./parse_data";
import { stressSection } from "./stress";
import { insideCount, summarySection } from "./summary";
import { bindTheme } from "./theme";

/** Words of the navigation. */
const SHORT: Record<string, string> = {
  summary: "Summary",
  examples: "Examples",
  stress: "Model",
  map: "Map",
  energies: "Energy",
  coverage: "Coverage",
  classes: "Classes",
  certificate: "Certificate",
  metrics: "Metrics",
  neighbours: "Neighbours",
  configuration: "Make it again",
};

/** The file or folder of a path. */
function lastName(path: string): string {
  return path.replace(/\/+$/, "").split("/").pop() || path;
}

function header(data: ReportData): HTMLElement {
  const { run } = data;
  const name = lastName(run.input);
  return h(
    "header",
    { class: "title" },
    h(
      "h1",
      {},
      `${count(run.produced - insideCount(data))} outliers from `,
      foreign(name),
    ),
    h(
      "p",
      { class: "lead" },
      "Run ",
      foreign(run.name),
      ...(name === run.input ? [] : [" of ", foreign(run.input)]),
      `, rule ${run.rule}, seed ${run.seed}, sbog ${run.version}`,
    ),
  );
}

function build(data: ReportData): void {
  // A series without an encoder has windows, but no points.
  const hasPoints = data.bank.total > 0;
  const sections = [
    summarySection(data),
    examplesSection(data),
    stressSection(data),
    ...(hasPoints
      ? [mapSection(data), energiesSection(data), coverageSection(data)]
      : []),
    neighboursSection(data),
    classesSection(data),
    certificateSection(data),
    metricsSection(data),
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
