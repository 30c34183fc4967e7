# SPDX-License-Identifier: Apache-2.0
"""Tables and targets of bench/README.md, and their place between its markers."""

from __future__ import annotations

from pathlib import Path


class Targets(list):
    """What, the figure reached, the target and whether it is reached."""

    def want(
        self,
        what: str,
        figure: float,
        target: float,
        unit: str,
        is_minimum: bool = True,
    ) -> None:
        is_reached = figure >= target if is_minimum else figure <= target
        self.append(
            {
                "what": what,
                "figure": figure,
                "target": target,
                "unit": unit,
                "is_minimum": is_minimum,
                "is_reached": is_reached,
            }
        )


def target_rows(found: list[dict]) -> list[list[str]]:
    return [
        [
            t["what"],
            t["unit"].format(t["figure"]),
            ("at least " if t["is_minimum"] else "at most ")
            + t["unit"].format(t["target"]),
            "ok" if t["is_reached"] else "short",
        ]
        for t in found
    ]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def target_table(found: list[dict]) -> str:
    return table(["figure", "reached", "target", ""], target_rows(found))


def print_targets(found: list[dict]) -> None:
    rows = [["figure", "reached", "target", ""], *target_rows(found)]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        line = "  ".join(text.ljust(w) for text, w in zip(row, widths))
        print(line.rstrip())


def put_into_page(path: Path, begin: str, end: str, text: str) -> None:
    """Replaces what lies between two markers."""
    before, rest = path.read_text().split(begin)
    after = rest.split(end)[1]
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
