# SPDX-License-Identifier: Apache-2.0
"""Runs `sbog score` and reads what it says."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np


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
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        text = process.stdout.read()
        # wait4 instead of wait: it also tells the peak resident size.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"compare: {' '.join(command)} failed")
    seconds = json.loads(text)["seconds"]
    return Scored(seconds, np.load(out), usage.ru_maxrss * 1024)
