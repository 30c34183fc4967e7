// SPDX-License-Identifier: Apache-2.0
// Where the points of the map lie, which part of the plane is seen, and the
// rows that the chart draws.
import type { Row } from "./chart";
import type { ReportData } from "./data";
import type { Colours } from "./theme";

export type Place = [number, number] | null;

/** A place for every shown point, or null where the layout has none. */
export interface Layout {
  bank: Place[];
  anchors: Place[];
  outliers: Place[];
}

/** By the first two principal coordinates. */
export function pcaLayout(data: ReportData): Layout {
  const places = (table: { x: number[]; y: number[] }): Place[] =>
    table.x.map((x, i) => [x, table.y[i] ?? 0]);
  return {
    bank: places(data.bank),
    anchors: places(data.anchors),
    outliers: places(data.outliers),
  };
}

/** From the places of the points of `features`. */
export function umapLayout(data: ReportData, rows: number[][]): Layout {
  const features = data.map.features;
  if (!features) throw new Error("there are no features");
  let next = 0;
  const places = (length: number, positions: number[]): Place[] => {
    const found: Place[] = Array.from({ length }, () => null);
    for (const at of positions) {
      const row = rows[next++];
      found[at] = [row?.[0] ?? 0, row?.[1] ?? 0];
    }
    return found;
  };
  return {
    bank: places(data.bank.x.length, features.bank),
    anchors: places(data.anchors.x.length, features.anchors),
    outliers: places(data.outliers.x.length, features.outliers),
  };
}

/** A rectangle of the plane. */
export interface Frame {
  x: [number, number];
  y: [number, number];
}

/** The frame of all places with equal units on both axes. */
export function frameOf(layout: Layout, width: number, height: number): Frame {
  const places = [...layout.bank, ...layout.anchors, ...layout.outliers];
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const place of places) {
    if (!place) continue;
    left = Math.min(left, place[0]);
    right = Math.max(right, place[0]);
    low = Math.min(low, place[1]);
    high = Math.max(high, place[1]);
  }
  if (left > right) [left, right, low, high] = [-1, 1, -1, 1];
  const unit = Math.max((right - left) / width, (high - low) / height, 1e-9);
  const half = [0.54 * unit * width, 0.54 * unit * height] as const;
  const middle = [(left + right) / 2, (low + high) / 2] as const;
  return {
    x: [middle[0] - half[0], middle[0] + half[0]],
    y: [middle[1] - half[1], middle[1] + half[1]],
  };
}

/** The frame around (x, y), shares of it, made smaller by `factor`. */
export function zoomed(frame: Frame, factor: number, x = 0.5, y = 0.5): Frame {
  const zoom = ([low, high]: [number, number], at: number) => {
    const centre = low + at * (high - low);
    return [
      centre - (centre - low) / factor,
      centre + (high - centre) / factor,
    ] as [number, number];
  };
  return { x: zoom(frame.x, x), y: zoom(frame.y, y) };
}

/** The frame moved by shares of its width and height. */
export function moved(frame: Frame, dx: number, dy: number): Frame {
  const move = ([low, high]: [number, number], share: number) => {
    const step = share * (high - low);
    return [low + step, high + step] as [number, number];
  };
  return { x: move(frame.x, dx), y: move(frame.y, dy) };
}

/** Which points are wanted. */
export interface Wish {
  /** Position of a class, or -1 for all. */
  cls: number;
  bank: boolean;
  anchors: boolean;
  outliers: boolean;
  links: boolean;
  /** Position of the outlier that is looked at, or -1. */
  selected: number;
}

/** Colour of a class; those beyond the palette share one until chosen. */
export function classColour(cls: number, chosen: number, c: Colours): string {
  return c.classes[cls] ?? (cls === chosen ? c.ink : c.other);
}

/** Of a single class the colours tell the kinds of points apart. */
export const KIND_COLOURS = {
  bank: "bank",
  anchors: "anchor",
  outliers: "outlier",
  links: "outlier",
} as const;

/** Rows of each layer of the chart. */
export function mapRows(
  data: ReportData,
  layout: Layout,
  wish: Wish,
  colours: Colours,
): Record<"bank" | "anchors" | "outliers" | "links" | "selected", Row[]> {
  const rows = (
    kind: "bank" | "anchors" | "outliers",
    isWanted: boolean,
  ): Row[] => {
    if (!isWanted) return [];
    return layout[kind].flatMap((place, i) => {
      const cls = data[kind].class[i] ?? 0;
      if (!place || (wish.cls >= 0 && cls !== wish.cls)) return [];
      const colour =
        data.classes.length > 1
          ? classColour(cls, wish.cls, colours)
          : colours[KIND_COLOURS[kind]];
      return [{ kind, i, x: place[0], y: place[1], colour }];
    });
  };
  const outliers = rows("outliers", true);
  const links = outliers.flatMap((row): Row[] => {
    const anchor = data.outliers.anchor[row["i"] as number] ?? -1;
    const from = layout.anchors[anchor];
    if (!from || !wish.links) return [];
    return [{ ...row, kind: "links", fromX: from[0], fromY: from[1] }];
  });
  return {
    bank: rows("bank", wish.bank),
    anchors: rows("anchors", wish.anchors),
    outliers: wish.outliers ? outliers : [],
    links,
    selected: outliers.filter((row) => row["i"] === wish.selected),
  };
}
