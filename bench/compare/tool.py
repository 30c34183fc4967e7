# SPDX-License-Identifier: Apache-2.0
"""Runs `sbog score` and reads what it says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import launch


@dataclass(frozen=True)
class Scored:
    """One run: the time of the scoring alone, and the process's memory."""

    seconds: float
    energies: np.ndarray
    peak_bytes: int


def score(
    tool: Path,
    folder: Path,
    epsilon: float,
    threads: int,
    queries: str = "queries.npy",
    tolerance: float = 0.0,
) -> Scored:
    """FOLDER/queries against FOLDER/bank.npy. The threshold is calibrated on
    one bank row, so that the time is that of the queries."""
    out = folder / "sbog.npy"
    command = [str(tool), "score", str(folder / "bank.npy")]
    command += ["--queries", str(folder / queries), "--out", str(out)]
    command += ["--epsilon", str(epsilon), "--threads", str(threads)]
    command += ["--tolerance", str(tolerance), "--precision", "float"]
    command += ["--calibration", "1", "--json", "--quiet"]
    run = launch.run(command)
    seconds = json.loads(run.text)["seconds"]
    return Scored(seconds, np.load(out), run.peak_bytes)
