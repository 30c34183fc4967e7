// SPDX-License-Identifier: Apache-2.0
// Legends as lists of words with a small drawing each; they wrap on phones.
import { foreign, h, s } from "./dom";

export type Mark =
  "box" | "dot" | "ring" | "diamond" | "line" | "dashes" | "dots";

export interface LegendEntry {
  mark: Mark;
  /** A colour of the style sheet, as var(--name). */
  colour: string;
  words: string;
}

function drawing(mark: Mark, colour: string): SVGElement {
  const style = `--mark: ${colour}`;
  const root = (...children: SVGElement[]) =>
    s(
      "svg",
      { class: "swatch", viewBox: "0 0 20 14", "aria-hidden": "true", style },
      ...children,
    );
  const line = (dashes: string | null) =>
    root(
      s("path", { d: "M1 7H19", class: "stroke", "stroke-dasharray": dashes }),
    );
  switch (mark) {
    case "box":
      return root(
        s("rect", { x: 4, y: 1, width: 12, height: 12, rx: 2, class: "fill" }),
      );
    case "dot":
      return root(s("circle", { cx: 10, cy: 7, r: 4, class: "fill" }));
    case "ring":
      return root(s("circle", { cx: 10, cy: 7, r: 5, class: "stroke" }));
    case "diamond":
      return root(s("path", { d: "M10 1L16 7L10 13L4 7Z", class: "fill" }));
    case "line":
      return line(null);
    case "dashes":
      return line("4 3");
    case "dots":
      return line("2 2");
  }
}

/** The list. */
export function legend(label: string, entries: LegendEntry[]): HTMLElement {
  return h(
    "ul",
    { class: "legend", "aria-label": label },
    ...entries.map(({ mark, colour, words }) =>
      h("li", {}, drawing(mark, colour), foreign(words)),
    ),
  );
}
