# SPDX-License-Identifier: Apache-2.0
"""Scenarios of a series: windows edited into what is weakly supported."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Optional

import numpy as np

from . import _charts as charts
from . import jobs
from .results import RunResult, html_frame, html_table


class Scenarios:
    """Edited windows of a series and what was done to them.

    windows : the edited windows, (scenarios, rows, channels).
    sources : the windows they were made from, in the same shape.
    sentences : one in English per scenario.
    edits : one dict per scenario: edits, status, energies, alternatives.
    channels : names of the channels.
    run : the Result of the job.
    run_folder : where the run lies; without `out` as long as this object lives.
    """

    def __init__(self, folder: str, run: RunResult, keeper: Any = None) -> None:
        self.run_folder, self._keeper = folder, keeper
        decoded = os.path.join(folder, "decoded")
        self.windows: np.ndarray = np.load(os.path.join(decoded, "windows.npy"))
        self.sources: np.ndarray = np.load(os.path.join(decoded, "sources.npy"))
        with open(os.path.join(decoded, "edits.json"), encoding="utf-8") as file:
            self.edits: list[dict[str, Any]] = json.load(file)
        self.sentences: list[str] = [edit["sentence"] for edit in self.edits]
        names = run.to_dict().get("channels")
        self.channels = names if isinstance(names, list) else []
        self.run = run

    @property
    def chart(self) -> dict[str, Any]:
        """The first scenario beside its source, as a Vega-Lite specification."""
        return self.chart_of(0)

    def chart_of(self, number: int) -> dict[str, Any]:
        """The same of another scenario."""
        return charts.windows(
            self.sources[number],
            self.windows[number],
            self.channels,
            self.sentences[number],
        )

    def __len__(self) -> int:
        return len(self.windows)

    def __repr__(self) -> str:
        return f"<sbog Scenarios: {len(self)} windows; {self.sentences[:1]}>"

    def _repr_html_(self) -> str:
        rows = {str(i): text for i, text in enumerate(self.sentences)}
        table = html_table(rows, f"sbog scenarios: {len(self)} windows")
        path = os.path.join(self.run_folder, "report.html")
        return table + html_frame(path) if os.path.exists(path) else table


def scenarios(
    data: Any,
    count: int = 10,
    *,
    severity: Any = None,
    out: Optional[str] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Any = None,
    **options: Any,
) -> Scenarios:
    """Edits of windows of `data` that are weakly supported by the rest.

    `data` is a DataFrame (a DatetimeIndex gives the times), an array with one row
    per moment, or a file. `severity` is a decade of rarity or a list of them, each
    of which gets `count` scenarios: 2 is as rare as 1 in 100 to 1 in 1,000 spans
    of the recording. `options` are those of `sbog.generate`, such as width=100 or
    model=FILE. The run is kept in the folder `out`, if it is given.
    """
    if "n_jobs" in options:
        threads = options.pop("n_jobs")
    values = {**options, "input": data, "kind": "series", "count": count, "seed": seed}
    values["severity"] = severity
    keeper = None
    if out is None:
        keeper = tempfile.TemporaryDirectory(prefix="sbog-")
        # A name of the job's own: it makes the folder.
        out = os.path.join(keeper.name, "run")
        values.setdefault("no_report", True)
    values["out"] = out
    run = jobs.run_job("generate", values, threads, progress)
    assert isinstance(run, RunResult)
    if not os.path.exists(os.path.join(out, "decoded", "edits.json")):
        words = " ".join(run.warnings) or "no scenario reached its target"
        raise RuntimeError(f"scenarios: {words}")
    return Scenarios(out, run, keeper)
