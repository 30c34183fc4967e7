// SPDX-License-Identifier: Apache-2.0
// The table of metrics: value, which way is good, and what it means.
import type { MetricEntry, ReportData } from "./data";
import { details, foreign, h, section, table } from "./dom";
import { number } from "./format";

const ARROWS: Record<string, string> = {
  "higher is better": "↑",
  "lower is better": "↓",
};

function direction(entry: MetricEntry): HTMLElement {
  const arrow = ARROWS[entry.direction];
  return h(
    "span",
    { class: "direction" },
    h("span", { "aria-hidden": "true" }, arrow ?? "·"),
    ` ${entry.direction}`,
  );
}

/** The section. */
export function metricsSection(data: ReportData): HTMLElement {
  if (!data.metrics) {
    return section("metrics", "Metrics", [foreign(data.metrics_note)]);
  }
  const known = data.metrics.filter((entry) => entry.value !== null);
  const missing = data.metrics.filter((entry) => entry.value === null);
  return section(
    "metrics",
    "Metrics",
    ["What each says about the outliers, and which way is good."],
    table(
      "Metrics of the outliers",
      [
        { title: "Metric" },
        { title: "Value", isNumber: true },
        { title: "Good direction" },
        { title: "Meaning" },
      ],
      known.map((entry) => [
        entry.name,
        number(entry.value, 4),
        direction(entry),
        entry.meaning,
      ]),
      "scroll stack",
    ),
    missing.length > 0
      ? details(
          `${missing.length} not computed`,
          h(
            "ul",
            {},
            ...missing.map((entry) =>
              h(
                "li",
                {},
                h("strong", {}, entry.name),
                ` (${entry.meaning}): ${entry.reason ?? "no reason given"}`,
              ),
            ),
          ),
        )
      : null,
  );
}
