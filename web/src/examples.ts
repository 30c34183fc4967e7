// SPDX-License-Identifier: Apache-2.0
// Outliers back in the world they came from: windows and images.
import type { ReportData, WindowExample } from "./data";
import { foreign, h, section } from "./dom";
import type { Child } from "./dom";
import { count } from "./format";
import { imageExamples } from "./images";
import { legend } from "./legend";
import { plotChannel } from "./window_plot";

const MOST_CHANNELS = 4;

function windowCard(data: ReportData, window: WindowExample): HTMLElement {
  const drawn = window.channels.slice(0, MOST_CHANNELS);
  const rest = window.channels.length - drawn.length;
  const [first, ...remarks] = window.sentences;
  return h(
    "article",
    { class: "example", id: `outlier-${window.outlier}` },
    h("h3", {}, `Outlier ${count(window.outlier)}`),
    h("p", {}, foreign(first ?? "")),
    ...remarks.map((words) => h("p", { class: "hint" }, foreign(words))),
    ...drawn.flatMap((channel) => [
      h("h4", {}, foreign(channel.name)),
      plotChannel(channel, window),
    ]),
    h(
      "p",
      { class: "hint" },
      ...(data.classes.length > 1
        ? ["class ", foreign(data.classes[window.class]?.name ?? "?"), ", "]
        : []),
      `${count(window.channels.length)} of ${count(window.channel_count)} ` +
        "channels edited",
      rest > 0 ? `, the first ${MOST_CHANNELS} drawn` : "",
    ),
  );
}

function windowExamples(data: ReportData): Child[] {
  if (data.windows.length === 0) return [];
  return [
    legend("Legend of the windows", [
      { mark: "line", colour: "var(--bank)", words: "recorded" },
      { mark: "line", colour: "var(--outlier)", words: "edited" },
      { mark: "box", colour: "var(--span)", words: "edited here" },
      { mark: "box", colour: "var(--band)", words: "range in training" },
    ]),
    h(
      "div",
      { class: "examples" },
      ...data.windows.map((window) => windowCard(data, window)),
    ),
  ];
}

/** The section, or null when nothing was decoded. */
export function examplesSection(data: ReportData): HTMLElement | null {
  if (data.windows.length === 0 && data.images.length === 0) return null;
  return section(
    "examples",
    "Decoded examples",
    ["Outliers turned back into data."],
    ...windowExamples(data),
    ...imageExamples(data),
  );
}
