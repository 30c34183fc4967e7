# SPDX-License-Identifier: Apache-2.0
"""Robust logits by sbog and by torch: the answers of both are compared with a
slow bisection in long double, then both are timed. Writes one JSON file."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from machine import commit, machine

HERE = Path(__file__).resolve().parent
SAMPLES, CLASSES, ATOMS = 2000, 100, 8
EPSILON, RADIUS = 0.05, 0.005  # kappa = 0.1
THREADS = (1, 2)
REPEATS = 10  # of sbog, before torch and again after it
SUBSET = 256  # rows that are compared with the slow truth
# Allowed difference of values, which span about 10, and of weights. A float
# solver is held to less.
AGREEMENT = {"torch, tuned, in float": 2e-4}
USUAL_AGREEMENT = 2e-6


def write_batch(folder: Path) -> None:
    """Similarities of cosine size over a temperature of 0.1, costs of points
    near the sample."""
    random = np.random.default_rng(31)
    similarities = 2 * random.standard_normal((SAMPLES * CLASSES, ATOMS))
    costs = 0.02 * random.standard_normal((SAMPLES, ATOMS)) ** 2
    costs[:, 0] = 0
    np.save(folder / "similarities.npy", similarities.astype(np.float32))
    np.save(folder / "costs.npy", costs.astype(np.float32))


def truth(folder: Path, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and laws of some rows by bisection of the divergence."""
    losses = -np.load(folder / "similarities.npy")[rows].astype(np.longdouble)
    costs = np.load(folder / "costs.npy")[rows // CLASSES]
    log_q = -costs.astype(np.longdouble) / np.longdouble(EPSILON)
    log_q -= np.log(np.exp(log_q).sum(axis=1, keepdims=True))
    losses -= (top := losses.max(axis=1, keepdims=True))
    kappa = np.longdouble(RADIUS) / np.longdouble(EPSILON)
    low = np.full((len(rows), 1), -30, np.longdouble)
    high = np.full((len(rows), 1), 30, np.longdouble)
    for _ in range(120):
        middle = (low + high) / 2
        z = log_q + np.exp(middle) * losses
        shift = z.max(axis=1, keepdims=True)
        log_s = shift + np.log(np.exp(z - shift).sum(axis=1, keepdims=True))
        law = np.exp(z - log_s)
        divergence = (law * (z - log_s - log_q)).sum(axis=1, keepdims=True)
        is_below = divergence < kappa
        low = np.where(is_below, middle, low)
        high = np.where(is_below, high, middle)
    values = -(top[:, 0] + (law * losses).sum(axis=1))
    return values.astype(float), law.astype(float)


class Bench:
    """One batch in its folder."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder
        write_batch(folder)
        count = SAMPLES * CLASSES
        self.rows = np.linspace(0, count - 1, SUBSET).astype(int)
        self.values, self.laws = truth(folder, self.rows)
        self.version = ""

    def error(self, name: str, values, tilted) -> float:
        """Largest distance from the truth; ends the run when too large."""
        few = values.reshape(-1)[self.rows]
        worst = float(np.abs(few - self.values).max())
        laws = float(np.abs(tilted[self.rows] - self.laws).max())
        limit = AGREEMENT.get(name, USUAL_AGREEMENT)
        if not max(worst, laws) <= limit:
            raise SystemExit(
                f"robust_logits: {name} is {max(worst, laws):.2g} away from "
                f"the truth, more than {limit:g}"
            )
        return worst

    def ours(self, threads: int, repeats: int) -> dict:
        words = [self.program, self.folder, EPSILON, RADIUS, threads, repeats]
        done = subprocess.run(
            [str(w) for w in words], stdout=subprocess.PIPE, check=True
        )
        values = np.load(self.folder / "values.npy")
        tilted = np.load(self.folder / "tilted.npy")
        return {
            "program": "sbog",
            **json.loads(done.stdout),
            "error": self.error("sbog", values, tilted),
        }

    def torch(self, threads: int, workers: int, repeats: int) -> list[dict]:
        """`workers` Python threads of threads / workers torch threads."""
        count = str(threads // workers)
        environment = dict(
            os.environ, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count
        )
        command = [sys.executable, str(HERE / "robust_torch.py")]
        command += [str(self.folder), "--epsilon", str(EPSILON)]
        command += ["--radius", str(RADIUS), "--workers", str(workers)]
        command += ["--repeats", str(repeats)]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, check=True
        )
        answer = json.loads(done.stdout)
        self.version = answer["torch"]
        for row in answer["results"]:
            with np.load(self.folder / row.pop("answer")) as arrays:
                row["error"] = self.error(
                    row["program"], arrays["values"], arrays["tilted"]
                )
        return answer["results"]

    def check(self) -> None:
        """Both answers, before anything is timed; sbog must give the same
        bytes for every number of threads."""
        laws = []
        for threads in THREADS:
            self.ours(threads, 1)
            laws.append((self.folder / "tilted.npy").read_bytes())
        if any(law != laws[0] for law in laws):
            raise SystemExit("robust_logits: threads change the bits of sbog")
        self.torch(1, 1, 1)

    def time(self, threads: int) -> list[dict]:
        """sbog before and after torch; torch with its own threads or Python
        threads, whichever is faster."""
        mine = self.ours(threads, REPEATS)
        programs: dict[str, list[dict]] = {}
        for workers in sorted({1, threads}):
            for row in self.torch(threads, workers, 3):
                programs.setdefault(row["program"], []).append(row)
        again = self.ours(threads, REPEATS)
        mine["seconds"] = min(mine["seconds"], again["seconds"])
        rows = [mine] + [
            min(results, key=lambda r: r["seconds"])
            for results in programs.values()
        ]
        for row in rows:
            row["threads"] = threads
            row["rows_per_second"] = SAMPLES * CLASSES / row["seconds"]
            row["times_sbog"] = row["seconds"] / mine["seconds"]
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True,
                        help="robust_rows")  # fmt: skip
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    report = {"machine": machine(), "commit": commit()}
    report |= {"samples": SAMPLES, "classes": CLASSES, "atoms": ATOMS}
    report |= {"epsilon": EPSILON, "radius": RADIUS, "rows": []}
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(arguments.program, Path(place))
        bench.check()
        for threads in THREADS:
            report["rows"] += bench.time(threads)
        report["version"] = bench.version
    for row in report["rows"]:
        print(
            f"robust_logits: {row['threads']} thread(s), {row['program']}: "
            f"{row['rows_per_second']:.3g} rows/s, "
            f"{row['times_sbog']:.2f} x the time of sbog"
        )
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
