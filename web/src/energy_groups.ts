// SPDX-License-Identifier: Apache-2.0
// The three groups of points whose energies are compared, as numbers ready to
// draw: bins, cumulative shares and quantiles.
import type { Points, ReportData } from "./data";
import { quantile } from "./format";

export type GroupName = "bank" | "anchors" | "outliers";

/** Sorted values of one group. */
export interface Group {
  name: GroupName;
  shown: number;
  total: number;
  values: number[];
  /** Share at or above the threshold of the own class. */
  above: number;
}

export interface GroupChoice {
  /** Position of a class, or -1 for all. */
  cls: number;
  /** Energy minus the threshold of the class instead of the energy. */
  isRelative: boolean;
}

function makeGroup(
  name: GroupName,
  points: Points,
  thresholds: number[],
  choice: GroupChoice,
): Group {
  const values: number[] = [];
  let above = 0;
  points.energy.forEach((energy, i) => {
    const cls = points.class[i] ?? 0;
    if (choice.cls >= 0 && choice.cls !== cls) return;
    const threshold = thresholds[cls] ?? 0;
    values.push(choice.isRelative ? energy - threshold : energy);
    if (energy >= threshold) above += 1;
  });
  values.sort((a, b) => a - b);
  return {
    name,
    shown: values.length,
    total: points.total,
    values,
    above: values.length > 0 ? above / values.length : 0,
  };
}

/** The groups in the order they are drawn; empty ones are left out. */
export function makeGroups(data: ReportData, choice: GroupChoice): Group[] {
  const thresholds = data.classes.map((c) => c.threshold);
  return [
    makeGroup("bank", data.bank, thresholds, choice),
    makeGroup("anchors", data.anchors, thresholds, choice),
    makeGroup("outliers", data.outliers, thresholds, choice),
  ].filter((group) => group.values.length > 0);
}

/** Where the thresholds lie on the axis of a choice, each once. */
export function thresholdsOf(data: ReportData, choice: GroupChoice): number[] {
  if (choice.isRelative) return [0];
  const all = data.classes.map((c) => c.threshold);
  const one = choice.cls >= 0 ? all[choice.cls] : undefined;
  return [...new Set(one === undefined ? all : [one])];
}

/** A step that people like: 1, 2 or 5 times a power of ten. */
function niceStep(range: number, count: number): number {
  const rough = range / count;
  const base = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * base >= 0.7 * rough) ?? 10;
  return factor * base;
}

export interface Bin {
  group: GroupName;
  from: number;
  to: number;
  count: number;
  share: number;
}

/** Bins of equal width over all groups; shares are of a group. */
export function makeBins(groups: Group[], count: number): Bin[] {
  const low = Math.min(...groups.map((g) => g.values[0] ?? 0));
  const high = Math.max(...groups.map((g) => g.values.at(-1) ?? 0));
  const step = high > low ? niceStep(high - low, count) : 1;
  const first = Math.floor(low / step);
  return groups.flatMap((group) => {
    const counts = new Map<number, number>();
    for (const value of group.values) {
      const at = Math.floor(value / step) - first;
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    return [...counts].map(([at, n]) => ({
      group: group.name,
      from: (first + at) * step,
      to: (first + at + 1) * step,
      count: n,
      share: n / group.values.length,
    }));
  });
}

export interface Cumulative {
  group: GroupName;
  value: number;
  share: number;
}

/** The share of each group at or below a value, at most `count` steps. */
export function makeCumulative(groups: Group[], count: number): Cumulative[] {
  return groups.flatMap((group) => {
    const steps = Math.min(count, group.values.length);
    return Array.from({ length: steps + 1 }, (_, i) => ({
      group: group.name,
      value: quantile(group.values, i / steps),
      share: i / steps,
    }));
  });
}
