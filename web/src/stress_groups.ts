// SPDX-License-Identifier: Apache-2.0
// Which groups of a stress test are drawn against each other.
import type { Share, StressFacts, StressGroup } from "./data";

export const MOST_ROWS = 10;

/** What is drawn. */
export interface Heat {
  rows: string;
  columns: string;
  cells: { row: string; column: string; failures: Share }[];
  /** Rows that are not drawn, the least failing ones. */
  left: number;
}

function of(groups: StressGroup[], grouping: string): StressGroup[] {
  return groups.filter(
    (group) => group.grouping === grouping && group.failures.of > 0,
  );
}

/** The rows that fail most come first, by the lower ends of their intervals. */
function worstFirst(groups: StressGroup[]): string[] {
  return groups
    .filter((group) => group.severity === null)
    .sort((a, b) => b.failures.low - a.failures.low)
    .map((group) => group.level);
}

function kindsByChannel({ groups }: StressFacts): Heat | null {
  const cells = of(groups, "kind x channel").filter((g) => g.severity === null);
  if (cells.length === 0) return null;
  const all = worstFirst(of(groups, "channel"));
  const shown = all.slice(0, MOST_ROWS);
  const kinds = worstFirst(of(groups, "kind"));
  const byName = new Map(cells.map((cell) => [cell.level, cell.failures]));
  return {
    rows: "channel",
    columns: "kind of edit",
    cells: shown.flatMap((row) =>
      kinds.flatMap((column) => {
        const failures = byName.get(`${column} x ${row}`);
        return failures ? [{ row, column, failures }] : [];
      }),
    ),
    left: all.length - shown.length,
  };
}

function classesBySeverity({ groups }: StressFacts): Heat | null {
  const cells = of(groups, "class");
  const all = worstFirst(cells);
  const shown = new Set(all.slice(0, MOST_ROWS));
  const drawn = cells.filter((g) => g.severity !== null && shown.has(g.level));
  if (drawn.length === 0) return null;
  return {
    rows: "class",
    columns: "severity",
    cells: drawn.map((g) => ({
      row: g.level,
      column: String(g.severity),
      failures: g.failures,
    })),
    left: all.length - shown.size,
  };
}

/** The two sortings that tell most about these cases; null: neither is there. */
export function chooseHeat(stress: StressFacts): Heat | null {
  return kindsByChannel(stress) ?? classesBySeverity(stress);
}
