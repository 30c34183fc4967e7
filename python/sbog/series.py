# SPDX-License-Identifier: Apache-2.0
"""Scenarios of a series: windows edited into what is weakly supported."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Optional

import numpy as np

from . import jobs
from .results import RunResult, html_table


class Scenarios:
    """Edited windows of a series and what was done to them.

    windows : the edited windows, (scenarios, rows, channels).
    sources : the windows they were made from, in the same shape.
    sentences : one in English per scenario.
    edits : one dict per scenario: edits, status, energies, alternatives.
    channels : names of the channels.
    run : the Result of the job.
    """

    def __init__(self, folder: str, run: RunResult) -> None:
        decoded = os.path.join(folder, "decoded")
        self.windows: np.ndarray = np.load(os.path.join(decoded, "windows.npy"))
        self.sources: np.ndarray = np.load(os.path.join(decoded, "sources.npy"))
        with open(os.path.join(decoded, "edits.json"), encoding="utf-8") as file:
            self.edits: list[dict[str, Any]] = json.load(file)
        self.sentences: list[str] = [edit["sentence"] for edit in self.edits]
        names = run.to_dict().get("channels")
        self.channels = names if isinstance(names, list) else []
        self.run = run

    def __len__(self) -> int:
        return len(self.windows)

    def __repr__(self) -> str:
        return f"<sbog Scenarios: {len(self)} windows; {self.sentences[:1]}>"

    def _repr_html_(self) -> str:
        rows = {str(i): text for i, text in enumerate(self.sentences)}
        return html_table(rows, f"sbog scenarios: {len(self)} windows")


def _check_times(data: Any) -> None:
    index: Any = getattr(data, "index", None)
    if type(index).__name__ != "DatetimeIndex":
        return
    missing = np.flatnonzero(np.asarray(index.isna()))
    if len(missing):
        raise ValueError(
            f"data: every row needs a time, row {missing[0]} has none (NaT)"
        )


def scenarios(
    data: Any,
    count: int = 10,
    *,
    out: Optional[str] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Any = None,
    **options: Any,
) -> Scenarios:
    """Edits of windows of `data` that are weakly supported by the rest.

    `data` is a DataFrame (a DatetimeIndex gives the times), an array with one row
    per moment, or a file. `options` are those of `sbog.generate`, such as
    width=100 or model=FILE. The run is kept in the folder `out`, if it is given.
    """
    _check_times(data)
    values = {**options, "input": data, "kind": "series", "count": count, "seed": seed}
    with tempfile.TemporaryDirectory(prefix="sbog-") as folder:
        if out is None:
            # A name of the job's own: it makes the folder.
            values["out"] = os.path.join(folder, "run")
            values.setdefault("no_report", True)
        else:
            values["out"] = out
        run = jobs.run_job("generate", values, threads, progress)
        if not os.path.exists(os.path.join(values["out"], "decoded", "edits.json")):
            words = " ".join(run.warnings) or "no scenario reached its target"
            raise RuntimeError(f"scenarios: {words}")
        return Scenarios(values["out"], run)  # type: ignore[arg-type]
