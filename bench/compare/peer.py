# SPDX-License-Identifier: Apache-2.0
"""What every rival shares: it runs as a process of its own, so that its
threads are set before its libraries load, and answers in JSON.

A rival offers programs (ways to do the job that are reported apart); a program
has variants (chunk sizes and the like), of which the fastest is timed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

Score = Callable[[np.ndarray], np.ndarray]
Programs = dict[str, dict[str, Score]]
Offer = Callable[[np.ndarray, float], Programs]

# Query rows and bank rows of a tile: from a quarter of a megabyte upwards.
TILES = ((64, 1024), (64, 2048), (128, 4096), (256, 4096), (512, 8192))
TRIAL_SECONDS = 1.0  # enough to tell variants apart
PATIENCE = 20.0  # seconds


def spans(count: int, step: int) -> Iterator[slice]:
    """[0, count) in pieces of `step`."""
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))


def best_seconds(
    run: Callable[[], np.ndarray], repeats: int
) -> tuple[float, np.ndarray]:
    """Shortest of the repeats, and the last answer. No further repeat begins
    when the ones before have taken too long."""
    best = float("inf")
    begin = time.perf_counter()
    for _ in range(repeats):
        start = time.perf_counter()
        answer = run()
        end = time.perf_counter()
        best = min(best, end - start)
        if end - begin > PATIENCE:
            break
    return best, answer


def in_parts(score: Score, queries: np.ndarray, workers: int) -> np.ndarray:
    """The queries shared among Python threads; libraries release the lock."""
    if workers == 1:
        return score(queries)
    with ThreadPoolExecutor(workers) as pool:
        return np.concatenate(
            list(pool.map(score, np.array_split(queries, workers)))
        )


def fastest_variant(
    variants: dict[str, Score], queries: np.ndarray, workers: int
) -> str:
    """Each variant on a few queries, twice; the name of the fastest."""
    if len(variants) == 1:
        return next(iter(variants))
    first = next(iter(variants.values()))
    few = queries[: 64 * workers]
    seconds, _ = best_seconds(lambda: in_parts(first, few, workers), 2)
    count = int(len(few) * TRIAL_SECONDS / max(seconds, 1e-9))
    some = queries[: max(len(few), min(count, len(queries)))]
    times = {
        name: best_seconds(lambda s=score: in_parts(s, some, workers), 2)[0]
        for name, score in variants.items()
    }
    return min(times, key=times.__getitem__)


def main(offer: Offer, versions: dict[str, str]) -> None:
    """Checks or times the programs on FOLDER/bank.npy and queries.npy; the
    answers go to FOLDER/answer-N.npy."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", default="queries.npy")
    parser.add_argument("--epsilon", type=float, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    bank = np.load(arguments.folder / "bank.npy")
    queries = np.load(arguments.folder / arguments.queries)
    results = []
    for program, variants in offer(bank, arguments.epsilon).items():
        names = list(variants)
        if not arguments.check:
            names = [fastest_variant(variants, queries, arguments.workers)]
        for name in names:
            seconds, answer = best_seconds(
                lambda: in_parts(variants[name], queries, arguments.workers),
                1 if arguments.check else arguments.repeats,
            )
            path = arguments.folder / f"answer-{len(results)}.npy"
            np.save(path, answer)
            results.append(
                {
                    "program": program,
                    "variant": name,
                    "seconds": seconds,
                    "answer": path.name,
                }
            )
    print(json.dumps({"results": results, "versions": versions}))
