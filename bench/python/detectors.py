# SPDX-License-Identifier: Apache-2.0
"""SinkhornOutlierEnergy beside detectors of scikit-learn and PyOD: each is fitted
to the same 50,000 rows of 64 numbers and scores the same new rows. Where one
computes the same quantity, its answer is compared first. Writes one JSON file.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sbog
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from machine import commit, machine  # noqa: E402

ROWS, DIM, QUERIES, CHECKED = 50_000, 64, 5_000, 100
EPSILON = 64.0  # about that of "auto" on these rows
TOLERANCE = 1e-5


def made_rows(count: int, seed: int) -> np.ndarray:
    """Twenty clusters."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(20, DIM)) * 2
    return (
        centres[rng.integers(20, size=count)] + rng.normal(size=(count, DIM))
    ).astype(np.float32)


def kernel_density() -> KernelDensity:
    # Exact, as ours is; the bandwidth is that of the same kernel.
    return KernelDensity(bandwidth=np.sqrt(EPSILON / 2), rtol=0, atol=0)


def energies_of_density(log_density: np.ndarray) -> np.ndarray:
    return -EPSILON * (log_density + 0.5 * DIM * np.log(np.pi * EPSILON))


def plain_energies(bank: np.ndarray, queries: np.ndarray) -> np.ndarray:
    bank = bank.astype(np.longdouble)
    out = []
    for z in queries.astype(np.longdouble):
        exponents = -((bank - z) ** 2).sum(axis=1) / EPSILON
        top = exponents.max()
        out.append(-EPSILON * (top + np.log(np.exp(exponents - top).mean())))
    return np.array(out, dtype=np.float64)


def offers(jobs: int) -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {
        "sbog": lambda: sbog.SinkhornOutlierEnergy(epsilon=EPSILON, n_jobs=jobs),
        "sbog, epsilon=auto": lambda: sbog.SinkhornOutlierEnergy(n_jobs=jobs),
        "KernelDensity": kernel_density,
        "LocalOutlierFactor": lambda: LocalOutlierFactor(novelty=True, n_jobs=jobs),
    }
    try:
        from pyod.models.kde import KDE
        from pyod.models.knn import KNN
    except ImportError:
        print("detectors: PyOD is not installed and left out", file=sys.stderr)
        return made
    made["PyOD KNN"] = lambda: KNN(n_jobs=jobs)
    made["PyOD KDE"] = lambda: KDE(bandwidth=float(np.sqrt(EPSILON / 2)))
    return made


def check(bank: np.ndarray, queries: np.ndarray) -> dict[str, float]:
    """Largest difference from the plain loop, relative to the energy."""
    few = queries[:CHECKED]
    expected = plain_energies(bank, few)
    ours = sbog.SinkhornOutlierEnergy(epsilon=EPSILON).fit(bank)
    theirs = kernel_density().fit(bank)
    answers = {
        "sbog": -ours.score_samples(few),
        "KernelDensity": energies_of_density(theirs.score_samples(few)),
    }
    errors = {
        name: float(np.max(np.abs(answer / expected - 1)))
        for name, answer in answers.items()
    }
    for name, error in errors.items():
        if not error < TOLERANCE:
            sys.exit(f"detectors: {name} is off by {error:.1e}")
    return errors


def seconds_of(make: Callable[[], Any], bank: np.ndarray, queries: np.ndarray) -> dict:
    """Of fitting and scoring, by the clock on the wall and, which other work on
    the machine disturbs less, by that of the processor."""
    detector = make()
    marks = [(time.perf_counter(), time.process_time())]
    detector.fit(bank)
    marks.append((time.perf_counter(), time.process_time()))
    score = getattr(detector, "score_samples", None) or detector.decision_function
    score(queries)
    marks.append((time.perf_counter(), time.process_time()))
    (fit_wall, fit_worked), (score_wall, score_worked) = np.diff(marks, axis=0)
    return {
        "fit_seconds": float(fit_wall),
        "score_seconds": float(score_wall),
        "fit_processor_seconds": float(fit_worked),
        "score_processor_seconds": float(score_worked),
    }


def worked(run: dict) -> float:
    return run["fit_processor_seconds"] + run["score_processor_seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without", nargs="*", default=[])
    arguments = parser.parse_args()
    bank, queries = made_rows(arguments.rows, 1), made_rows(arguments.queries, 2)
    errors = check(bank, queries)
    results = []
    for name, make in offers(os.cpu_count() or 1).items():
        if name in arguments.without:
            continue
        runs = [seconds_of(make, bank, queries)]
        # What takes long is measured once.
        while len(runs) < arguments.repeats and worked(runs[0]) < 20:
            runs.append(seconds_of(make, bank, queries))
        best = min(runs, key=worked)
        results.append({"program": name, "repeats": len(runs), **best})
        print(
            f"{name:20} fit {best['fit_seconds']:8.2f} s "
            f"({best['fit_processor_seconds']:.2f} s of the processor), score "
            f"{best['score_seconds']:8.2f} s ({best['score_processor_seconds']:.2f} s)",
            flush=True,
        )
    names = ("numpy", "scikit-learn", "pyod")
    versions = {}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    report = {
        "machine": machine(),
        "commit": commit(),
        "rows": arguments.rows,
        "queries": arguments.queries,
        "dim": DIM,
        "errors": errors,
        "versions": versions,
        "results": results,
    }
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
