# SPDX-License-Identifier: Apache-2.0
"""The same jobs by sbog and by others: first every answer is compared, then
everybody is timed. Writes one JSON file."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

import jobs
import tool
from jobs import JOBS, Job
from machine import commit, machine

HERE = Path(__file__).resolve().parent
AGREEMENT = 5e-6  # allowed difference of float energies and squared distances
THREADS = (1, 2)
RUNS = 5  # of sbog, before the others and again after them
OURS = "sbog"
PRUNED = "sbog --tolerance 1e-6"
PEERS = {
    "wide": ("numpy_scipy", "torch_peer", "faiss_peer"),
    "middle": ("numpy_scipy", "torch_peer", "faiss_peer"),
    "narrow": ("numpy_scipy", "torch_peer", "faiss_peer", "sklearn_kde"),
}
ONE_THREADED = ("sklearn_kde",)
NEIGHBOUR_PEERS = ("faiss_peer",)


def say(text: str) -> None:
    print(f"compare: {text}", file=sys.stderr, flush=True)


class Bench:
    """One job in its folder, with the slow truth of a few queries."""

    def __init__(self, program: Path, folder: Path, job: Job) -> None:
        self.program, self.folder, self.job = program, folder, job
        bank, queries = jobs.make_points(job)
        self.rows = jobs.subset_rows(job)
        np.save(folder / "bank.npy", bank)
        np.save(folder / "queries.npy", queries)
        np.save(folder / "subset.npy", queries[self.rows])
        few = queries[self.rows]
        self.energies = jobs.true_energies(bank, few, job.epsilon)
        self.neighbours = jobs.true_neighbours(bank, few, jobs.NEIGHBOURS)
        self.versions: dict[str, str] = {}

    def ours(self, threads: int, tolerance: float = 0.0) -> tool.Scored:
        return tool.score(
            self.program,
            self.folder,
            self.job.epsilon,
            threads,
            tolerance=tolerance,
        )

    def peer(
        self, name: str, threads: int, workers: int, *options: str
    ) -> list[dict]:
        """Runs a rival with `workers` Python threads of threads / workers
        library threads each."""
        count = str(threads // workers)
        environment = dict(
            os.environ, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count
        )
        command = [sys.executable, str(HERE / f"{name}.py"), str(self.folder)]
        command += ["--epsilon", str(self.job.epsilon)]
        command += ["--workers", str(workers), *options]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, check=True
        )
        answer = json.loads(done.stdout)
        self.versions.update(answer["versions"])
        return answer["results"]

    def error(self, name: str, answer: np.ndarray) -> float:
        """Largest distance from the truth; ends the run when too large."""
        is_neighbour = any(name.startswith(p) for p in NEIGHBOUR_PEERS)
        truth = self.neighbours if is_neighbour else self.energies
        if len(answer) == self.job.queries:
            answer = answer[self.rows]
        worst = float(np.abs(answer - truth).max())
        if not worst <= AGREEMENT:
            raise SystemExit(
                f"compare: {name} is {worst:.2g} away from the truth on job "
                f"{self.job.name}, more than {AGREEMENT:g}"
            )
        return worst

    def check(self) -> None:
        """Everybody's answers, before anything is timed."""
        energies = [self.ours(threads).energies for threads in THREADS]
        for other in energies[1:]:
            if energies[0].tobytes() != other.tobytes():
                raise SystemExit("compare: threads change the bits of sbog")
        self.error(OURS, energies[0])
        self.error(PRUNED, self.ours(1, 1e-6).energies)
        for name in PEERS[self.job.name]:
            options = ("--check", "--queries", "subset.npy")
            for result in self.peer(name, 1, 1, *options):
                answer = np.load(self.folder / result["answer"])
                self.error(f"{name}, {result['variant']}", answer)

    def time_ours(self, threads: int, tolerance: float, label: str) -> dict:
        runs = [self.ours(threads, tolerance) for _ in range(RUNS)]
        return {
            "program": label,
            "seconds": min(run.seconds for run in runs),
            "error": self.error(label, runs[-1].energies),
        }

    def time_peer(self, name: str, threads: int) -> list[dict]:
        """Library threads or Python threads, whichever is faster; library
        threads alone are shown too where they are slower."""
        repeats = ("--repeats", "2" if name in ONE_THREADED else "3")
        rows: dict[str, list[dict]] = {}
        for workers in sorted({1, threads}):
            for result in self.peer(name, threads, workers, *repeats):
                answer = np.load(self.folder / result.pop("answer"))
                result["error"] = self.error(name, answer)
                result["python_threads"] = workers
                rows.setdefault(result["program"], []).append(result)
        shown: list[dict] = []
        for program, results in rows.items():
            best = min(results, key=lambda r: r["seconds"])
            shown.append(best)
            if best is not results[0]:
                results[0]["program"] = program + ", library threads only"
                shown.append(results[0])
        return shown

    def time(self, threads: int) -> list[dict]:
        """Rows of the table: sbog before and after the others."""
        kinds = [(0.0, OURS)]
        if self.job.clusters:
            kinds.append((1e-6, PRUNED))
        mine = [self.time_ours(threads, *kind) for kind in kinds]
        others: list[dict] = []
        for name in PEERS[self.job.name]:
            if threads == 1 or name not in ONE_THREADED:
                others += self.time_peer(name, threads)
        for row, kind in zip(mine, kinds):
            again = self.time_ours(threads, *kind)
            row["seconds"] = min(row["seconds"], again["seconds"])
        rows = mine + others
        for row in rows:
            row["threads"] = threads
            row["pairs_per_second"] = self.job.pairs / row["seconds"]
            row["times_sbog"] = row["seconds"] / mine[0]["seconds"]
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", nargs="*", default=[j.name for j in JOBS])
    arguments = parser.parse_args()
    report = {"machine": machine(), "commit": commit(), "versions": {}}
    report["jobs"] = []
    with tempfile.TemporaryDirectory() as place:
        benches = []
        for job in JOBS:
            if job.name not in arguments.jobs:
                continue
            folder = Path(place) / job.name
            folder.mkdir()
            say(f"checking the answers of job {job.name}")
            benches.append(Bench(arguments.tool, folder, job))
            benches[-1].check()
        for bench in benches:
            rows: list[dict] = []
            for threads in THREADS:
                say(f"timing job {bench.job.name}, {threads} thread(s)")
                rows += bench.time(threads)
            report["jobs"].append({**asdict(bench.job), "rows": rows})
            report["versions"].update(bench.versions)
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
