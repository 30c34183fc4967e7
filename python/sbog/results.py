# SPDX-License-Identifier: Apache-2.0
"""What jobs give back: facts as attributes, a table in a notebook."""

from __future__ import annotations

import html
import os
from typing import Any, Iterator, Mapping, Optional

import numpy as np

_SHOWN_ROWS = 24
_FRAME = (
    '<iframe srcdoc="{page}" style="width:100%;height:{height}px;border:0" '
    'sandbox="allow-scripts allow-popups allow-downloads"></iframe>'
)


def show_value(value: Any) -> Optional[str]:
    """A value as a short text; None for what a table has no room for."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    if isinstance(value, str):
        return value if len(value) <= 200 else value[:197] + "..."
    if isinstance(value, np.ndarray):
        return f"array of {value.dtype}, shape {value.shape}"
    return None


def html_table(rows: Mapping[str, Any], title: str) -> str:
    """A table with two columns; texts are escaped."""
    lines: list[str] = []
    for name, value in rows.items():
        text = show_value(value)
        if text is not None and len(lines) < _SHOWN_ROWS:
            lines.append(
                f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>"
                f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            )
    caption = f"<caption style='text-align:left'>{html.escape(title)}</caption>"
    return f"<table>{caption}{''.join(lines)}</table>"


def html_frame(path: str, height: int = 800) -> str:
    """A page inside another one: no extension, no server, no network."""
    with open(path, encoding="utf-8") as page:
        return _FRAME.format(page=html.escape(page.read(), quote=True), height=height)


class Result:
    """The outcome of a job. Its facts are attributes; `to_dict()` has them all.

    `status` is "done", or "not reached" when the job ended without reaching what
    was asked for. `notes` and `warnings` are the sentences of the job.
    """

    def __init__(
        self,
        job: str,
        status: str,
        facts: dict[str, Any],
        arrays: Mapping[str, Any] = {},
        notes: Any = (),
        warnings: Any = (),
    ) -> None:
        self._facts = facts
        self._arrays = dict(arrays)
        self.job = job
        self.status = status
        self.notes = list(notes)
        self.warnings = list(warnings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        for place in (self._arrays, self._facts):
            if name in place:
                return place[name]
        raise AttributeError(
            f"a result of {self.job} has no {name!r}; it has "
            + ", ".join(sorted({*self._arrays, *self._facts}))
        )

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name] if name in self._arrays else self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._facts, **self._arrays})

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._facts, *self._arrays})

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `sbog --json` prints it, and the arrays."""
        return {**self._facts, **self._arrays}

    def __repr__(self) -> str:
        shown = {k: show_value(v) for k, v in self.to_dict().items()}
        words = [f"{k}={v}" for k, v in shown.items() if v is not None][:8]
        return f"<sbog {self.job}: {self.status}; {', '.join(words)}>"

    def _repr_html_(self) -> str:
        title = f"sbog {self.job}: {self.status}"
        return html_table(self.to_dict(), title)


class RunResult(Result):
    """The outcome of a job that made a run folder or its page."""

    @property
    def folder(self) -> str:
        """Path of the run folder."""
        facts = self._facts
        run = facts.get("run")
        if isinstance(run, dict) and "out" in run:
            return run["out"]
        if isinstance(run, str):
            return run
        return facts.get("out", "")

    @property
    def report_path(self) -> Optional[str]:
        """Path of the page of the run; None when there is none."""
        for name in ("report", "path", "out"):
            path = self._facts.get(name)
            if isinstance(path, str) and path.endswith(".html"):
                return path
        path = os.path.join(self.folder, "report.html")
        return path if os.path.exists(path) else None

    @property
    def outliers(self) -> np.ndarray:
        """The outliers of the run, one per row, mapped from its folder."""
        return np.load(os.path.join(self.folder, "outliers.npy"), mmap_mode="r")

    @property
    def table(self) -> np.ndarray:
        """One row of provenance per outlier, as a structured array."""
        path = os.path.join(self.folder, "outliers.csv")
        return np.genfromtxt(
            path, delimiter=",", names=True, dtype=None, encoding="utf-8", ndmin=1
        )

    def _repr_html_(self) -> str:
        path = self.report_path
        table = super()._repr_html_()
        return table if path is None else table + html_frame(path)
