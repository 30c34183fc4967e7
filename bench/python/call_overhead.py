# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the same call in C++: 4,000 queries
against 25,000 points of dimension 4, the two taking turns. Writes one JSON file.

A call from Python runs on a thread of its own, which a busy machine may let wait:
the time of the processor is compared as well as that of the clock on the wall.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import sbog

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from machine import commit, machine  # noqa: E402

BANK, QUERIES, DIM, EPSILON = 25_000, 4_000, 4, 0.02


def unit_rows(count: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIM))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


def least_call(threads: int) -> float:
    """Seconds of a call that has next to nothing to do."""
    one = unit_rows(1, 1)
    model = sbog.EnergyModel(epsilon=EPSILON, threads=threads).fit(one)
    best = float("inf")
    for _ in range(1000):
        begin = time.process_time()
        model.score(one)
        best = min(best, time.process_time() - begin)
    return best


def measure(program: Path, threads: int, repeats: int) -> dict:
    bank, queries = unit_rows(BANK, 1), unit_rows(QUERIES, 2)
    model = sbog.EnergyModel(epsilon=EPSILON, threads=threads).fit(bank)
    seconds: dict[str, list] = {"library": [], "library_new_threads": [], "python": []}
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "bank.npy", bank)
        np.save(Path(folder) / "queries.npy", queries)
        words = [str(program), folder, str(EPSILON), str(threads)]
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as peer:
            assert peer.stdin is not None and peer.stdout is not None
            for _ in range(repeats):
                for name, line in (("library", ""), ("library_new_threads", "fresh")):
                    print(line, file=peer.stdin, flush=True)
                    answer = peer.stdout.readline().split()
                    seconds[name].append([float(text) for text in answer])
                begin, worked = time.perf_counter(), time.process_time()
                model.score(queries)
                seconds["python"].append(
                    (time.perf_counter() - begin, time.process_time() - worked)
                )
            peer.stdin.close()
    report: dict = {"threads": threads, "least_call_seconds": least_call(threads)}
    for place, clock in enumerate(("wall", "processor")):
        # The shortest of many: other work on the machine only makes calls longer.
        report[clock] = {
            name: min(row[place] for row in rows) for name, rows in seconds.items()
        }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=Path("build/bin/score_rows"))
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [measure(arguments.program, n, arguments.repeats) for n in (1, 2)]
    report = {
        "machine": machine(),
        "commit": commit(),
        "bank": BANK,
        "queries": QUERIES,
        "dim": DIM,
        "repeats": arguments.repeats,
        "calls": rows,
    }
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")
    for row in rows:
        print(
            f"{row['threads']} thread(s), one query and one point: "
            f"{row['least_call_seconds'] * 1e3:.3f} ms"
        )
        for clock in ("wall", "processor"):
            told = row[clock]
            words = [
                f"{name.replace('_', ' ')} {value * 1e3:.2f} ms "
                f"({told['python'] / value - 1:+.1%})"
                for name, value in told.items()
                if name != "python"
            ]
            print(
                f"{row['threads']} thread(s), {clock}: Python "
                f"{told['python'] * 1e3:.2f} ms; " + ", ".join(words)
            )


if __name__ == "__main__":
    main()
