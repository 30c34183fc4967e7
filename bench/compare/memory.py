# SPDX-License-Identifier: Apache-2.0
"""Peak resident size of `sbog score` on a large bank, beyond the bank and the
result. Writes one JSON file."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import jobs
import tool
from machine import commit, machine

JOB = jobs.Job("memory", 64, 1_000_000, 100_000, 0.05)
PIECE = 10_000  # rows that are drawn at a time


def write_points(path: Path, count: int, seed: int) -> int:
    """A file of unit vectors, made piece by piece; returns its bytes."""
    points = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.float32, shape=(count, JOB.dim)
    )
    for first in range(0, count, PIECE):
        rows = min(PIECE, count - first)
        points[first : first + rows] = jobs.unit_points(
            JOB, rows, seed + first
        )
    points.flush()
    return points.nbytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--queries", type=int, default=JOB.queries)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bank = write_points(folder / "bank.npy", JOB.bank, 1)
        queries = write_points(
            folder / "queries.npy", arguments.queries, 1_000_001
        )
        run = tool.score(
            arguments.tool, folder, JOB.epsilon, arguments.threads
        )
    beyond = run.peak_bytes - bank - run.energies.nbytes
    report = {
        "machine": machine(),
        "commit": commit(),
        "dim": JOB.dim,
        "bank": JOB.bank,
        "queries": arguments.queries,
        "threads": arguments.threads,
        "seconds": run.seconds,
        "peak_bytes": run.peak_bytes,
        "bank_bytes": bank,
        "queries_bytes": queries,
        "result_bytes": run.energies.nbytes,
        "beyond_bank_and_result_bytes": beyond,
    }
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
