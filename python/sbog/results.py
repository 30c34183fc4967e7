# SPDX-License-Identifier: Apache-2.0
"""What jobs give back: facts as attributes, a table in a notebook."""

from __future__ import annotations

import csv
import html
import io
import os
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from . import _charts as charts

_SHOWN_ROWS = 24
_BASE = '<head><base href="about:srcdoc">'
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
    with open(path, encoding="utf-8") as file:
        # Else its links to its own sections lead to the page around it. Before
        # the page's own rules, which forbid it.
        page = file.read().replace("<head>", _BASE, 1)
    return _FRAME.format(page=html.escape(page, quote=True), height=height)


def _column(texts: Sequence[str]) -> np.ndarray:
    """Whole numbers, numbers (NaN where there is none) or texts."""
    try:
        return np.array(texts, dtype=np.int64)
    except ValueError:
        pass
    try:
        return np.array([text or "nan" for text in texts], dtype=np.float64)
    except ValueError:
        return np.array(texts, dtype=np.str_)


def read_table(text: str) -> np.ndarray:
    """A CSV with a header as a structured array."""
    names, *rows = csv.reader(io.StringIO(text))
    columns = [_column(column) for column in zip(*rows)] or [np.empty(0)] * len(names)
    table = np.empty(len(rows), dtype=[(n, c.dtype) for n, c in zip(names, columns)])
    for name, column in zip(names, columns):
        table[name] = column
    return table


class Result:
    """The outcome of a job. Its facts are attributes; `to_dict()` has them all.

    `status` is "done", or "not reached" when the job ended without reaching what
    was asked for. `notes` and `warnings` are the sentences of the job.
    """

    def __init__(
        self,
        job: str,
        status: str,
        facts: Any,
        arrays: Mapping[str, Any] = {},
        notes: Any = (),
        warnings: Any = (),
    ) -> None:
        # A curve over radii is a list of outcomes.
        self._facts: dict[str, Any] = (
            {"outcomes": facts} if isinstance(facts, list) else facts
        )
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

    @property
    def chart(self) -> dict[str, Any]:
        """A chart of the result as a Vega-Lite specification."""
        return charts.job_chart(self)

    def __repr__(self) -> str:
        shown = {k: show_value(v) for k, v in self.to_dict().items()}
        words = [f"{k}={v}" for k, v in shown.items() if v is not None][:8]
        return f"<sbog {self.job}: {self.status}; {', '.join(words)}>"

    def _repr_html_(self) -> str:
        title = f"sbog {self.job}: {self.status}"
        return html_table(self.to_dict(), title)


class Curve(list[Result]):
    """Results at several radii; a list that shows itself."""

    @property
    def chart(self) -> dict[str, Any]:
        """The worst expected loss over the radius, as a Vega-Lite specification."""
        x, y = [r.radius for r in self], [r.value for r in self]
        return charts.curve(x, y, ("radius", "worst expected loss"), "Robustness curve")

    def _repr_html_(self) -> str:
        rows = {f"radius {r.radius:g}": float(r.value) for r in self}
        return html_table(rows, "sbog solve_dro: worst expected loss")


class MetricList(list[dict[str, Any]]):
    """Metrics as dicts (name, value, direction, meaning, reason); a list that
    shows itself."""

    @property
    def chart(self) -> dict[str, Any]:
        """A bar for each metric that has a value, as a Vega-Lite specification."""
        return charts.bars({m["name"]: m.get("value") for m in self}, "Metrics")

    def _repr_html_(self) -> str:
        rows = {}
        for metric in self:
            value = metric.get("value")
            rows[metric["name"]] = metric.get("reason", "") if value is None else value
        return html_table(rows, "sbog metrics")


class RunResult(Result):
    """The outcome of a job that made a run folder or its page."""

    @property
    def folder(self) -> str:
        """Path of the run folder."""
        facts = self._facts
        run = facts.get("run")
        if isinstance(run, dict) and "out" in run:
            return str(run["out"])
        if isinstance(run, str):
            return run
        out = str(facts.get("out", ""))
        return os.path.dirname(out) if out.endswith(".html") else out

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
        path = os.path.join(self.folder, "outliers.npy")
        points: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
        return points

    @property
    def table(self) -> np.ndarray:
        """One row of provenance per outlier, as a structured array."""
        path = os.path.join(self.folder, "outliers.csv")
        with open(path, encoding="utf-8", newline="") as file:
            return read_table(file.read())

    @property
    def chart(self) -> dict[str, Any]:
        """The map of bank and outliers as a Vega-Lite specification, where the
        bank is a .npy file; else the energies of the outliers."""
        if not os.path.exists(os.path.join(self.folder, "outliers.csv")):
            return super().chart
        table, title = self.table, f"sbog run {os.path.basename(self.folder)}"
        has_points = os.path.exists(os.path.join(self.folder, "outliers.npy"))
        bank = self._bank() if has_points else None
        if bank is None or bank.shape[1] != self.outliers.shape[1]:
            return charts.histogram(table["energy"], "energy", title)
        known = table.dtype.names or ()
        facts: dict[str, Any] = {
            k: table[k] for k in ("energy", "margin") if k in known
        }
        return charts.map_of(bank, self.outliers, facts, title)

    def _bank(self) -> Optional[np.ndarray]:
        paths = [os.path.join(self.folder, "bank.npy")]
        if isinstance(self._facts.get("input"), str):
            paths.append(self._facts["input"])
        for path in paths:
            if path.endswith(".npy") and os.path.exists(path):
                bank = np.load(path, mmap_mode="r", allow_pickle=False)
                return bank if bank.ndim == 2 else None
        return None

    def _repr_html_(self) -> str:
        path = self.report_path
        table = super()._repr_html_()
        return table if path is None else table + html_frame(path)
