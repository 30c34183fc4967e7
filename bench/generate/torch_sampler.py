# SPDX-License-Identifier: Apache-2.0
"""The same sampler in torch, as a process of its own so that its threads are
set before torch loads: torch_sampler.py FOLDER --run RUN. Anchors, thresholds
and floors are those that sbog wrote into RUN.

Two programs: one draws every coordinate of every proposal; the other draws only
what the tests depend on, as sbog does (the part in the span of the anchor, its
class anchor and its neighbours, and the length of the rest), and completes the
winners. Both find all cosines by one product per output.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from outliers import Outliers, Run

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.set_flush_denormal(True)

BATCHES = (1, 2, 4, 8, 16, 32)  # outputs that are proposed for at once
TRIAL = 64  # outliers per class, enough to tell batch sizes apart
PATIENCE = 20.0  # seconds


@dataclass(frozen=True)
class Tests:
    """What a proposal of one class has to pass, and the size of a round."""

    label: int
    threshold: float
    semantic_floor: float
    seed_floor: float
    epsilon: float
    mass: float
    sigma: float
    proposals: int
    max_rounds: int
    anchor_rows: np.ndarray


class Ambient:
    """All coordinates of all proposals."""

    name = "torch, every coordinate drawn"

    def __init__(self, tests: Tests, seeds, targets) -> None:
        """`seeds`: anchors x dim; `targets`: anchors x (anchor, class anchor
        and neighbours) x dim. All are unit vectors."""
        self.tests = tests
        self.seeds = seeds.float()
        self.columns = targets.float().transpose(1, 2).contiguous()

    def propose(self, anchors, random, buffers: dict):
        """Cosines with all targets: outputs x proposals x targets."""
        shape = (len(anchors), self.tests.proposals, self.seeds.shape[1])
        v = buffer(buffers, "points", shape).normal_(generator=random)
        v.mul_(self.tests.sigma).add_(self.seeds[anchors].unsqueeze(1))
        length = torch.linalg.vector_norm(v, dim=2, keepdim=True)
        return products(v, anchors, self.columns, buffers).div_(length)

    def complete(self, anchors, outputs, winners, random, buffers: dict):
        points = buffers["points"][outputs, winners]
        return torch.nn.functional.normalize(points, dim=1)


class Subspace:
    """Coordinates in the span of the targets, and the length of the rest."""

    name = "torch, drawn in the span as sbog does"

    def __init__(self, tests: Tests, seeds, targets) -> None:
        self.tests = tests
        # Rows of a target are those of R: the first is along the anchor.
        basis, factors = torch.linalg.qr(targets.transpose(1, 2))
        self.basis = basis.transpose(1, 2).float().contiguous()
        self.columns = factors.float().contiguous()
        self.along = self.columns[:, :1, 0]
        self.rank = self.basis.shape[1]
        self.dim = self.basis.shape[2]

    def propose(self, anchors, random, buffers: dict):
        shape = (len(anchors), self.tests.proposals, self.rank)
        sigma = self.tests.sigma
        v = buffer(buffers, "points", shape).normal_(generator=random)
        v.mul_(sigma)[:, :, :1].add_(self.along[anchors].unsqueeze(1))
        shapes = torch.full(shape[:2], 0.5 * (self.dim - self.rank))
        rest = torch._standard_gamma(shapes, generator=random).mul_(2)
        buffers["rest"] = rest = rest.mul_(sigma * sigma).unsqueeze(2)
        squares = torch.linalg.vector_norm(v, dim=2, keepdim=True).square_()
        length = squares.add_(rest).sqrt_()
        return products(v, anchors, self.columns, buffers).div_(length)

    def complete(self, anchors, outputs, winners, random, buffers: dict):
        inside = buffers["points"][outputs, winners]
        length = buffers["rest"][outputs, winners].sqrt()
        bases = self.basis[anchors[outputs]]
        rest = torch.randn(len(outputs), self.dim, generator=random)
        for _ in range(2):  # twice, so that it is orthogonal to rounding
            along = torch.bmm(bases, rest.unsqueeze(2))
            rest -= torch.bmm(along.transpose(1, 2), bases).squeeze(1)
        rest = torch.nn.functional.normalize(rest, dim=1) * length
        points = torch.bmm(inside.unsqueeze(1), bases).squeeze(1) + rest
        return torch.nn.functional.normalize(points, dim=1)


PROGRAMS = (Ambient, Subspace)


def buffer(buffers: dict, name: str, shape: tuple):
    """Memory that is kept from batch to batch."""
    if name not in buffers or buffers[name].shape != shape:
        buffers[name] = torch.empty(shape)
    return buffers[name]


def products(v, anchors, columns, buffers: dict):
    """Inner products; one mm per output, which copies no columns."""
    shape = (*v.shape[:2], columns.shape[2])
    cosines = buffer(buffers, "cosines", shape)
    for i, anchor in enumerate(anchors.tolist()):
        torch.mm(v[i], columns[anchor], out=cosines[i])
    return cosines


def best_feasible(tests: Tests, cosines):
    """Energy and number of each output's winner; -inf where all fail."""
    logits = (cosines[:, :, 2:] - 1).div_(tests.epsilon)
    energies = torch.logsumexp(logits, dim=2).sub_(math.log(tests.mass))
    energies.mul_(-tests.epsilon)
    fails = energies < tests.threshold
    fails |= cosines[:, :, 0] < tests.seed_floor
    fails |= cosines[:, :, 1] < tests.semantic_floor
    return energies.masked_fill_(fails, -math.inf).max(dim=1)


def batches(count: int, size: int) -> Iterator[slice]:
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def sample(program, count: int, batch: int, random, buffers: dict) -> list:
    """Up to `count` outliers as tuples (points, anchors, round, energies). An
    output that fails gets another anchor in the next round."""
    found = []
    pending = count
    for turn in range(program.tests.max_rounds):
        failed = 0
        for span in batches(pending, batch):
            size = span.stop - span.start
            anchors = torch.randint(
                len(program.columns), (size,), generator=random
            )
            cosines = program.propose(anchors, random, buffers)
            energies, winners = best_feasible(program.tests, cosines)
            outputs = torch.nonzero(energies > -math.inf).squeeze(1)
            failed += size - len(outputs)
            if len(outputs) == 0:
                continue
            points = program.complete(
                anchors, outputs, winners[outputs], random, buffers
            )
            turns = torch.full((len(outputs),), turn)
            found.append((points, anchors[outputs], turns, energies[outputs]))
        pending = failed
        if pending == 0:
            break
    return found


def work(programs: list, count: int, batch: int, seed: int) -> list:
    """All classes, `count` outliers each, in one thread."""
    random = torch.Generator().manual_seed(seed)
    buffers: dict = {}
    with torch.inference_mode():
        return [sample(p, count, batch, random, buffers) for p in programs]


def timed(programs: list, count: int, batch: int, workers: int):
    """Seconds, and what each worker found."""
    shares = [len(part) for part in np.array_split(np.arange(count), workers)]
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        found = list(
            pool.map(
                lambda w: work(programs, shares[w], batch, 1 + w),
                range(workers),
            )
        )
    return time.perf_counter() - start, found


def collected(programs: list, found: list) -> Outliers:
    pieces: list[list] = [[] for _ in range(6)]
    for part in found:
        for program, answers in zip(programs, part):
            tests = program.tests
            for points, anchors, turns, energies in answers:
                margins = energies.double() - tests.threshold
                columns = (
                    points.numpy(),
                    np.full(len(points), tests.label),
                    tests.anchor_rows[anchors.numpy()],
                    turns.numpy(),
                    energies.double().numpy(),
                    margins.numpy(),
                )
                for piece, column in zip(pieces, columns):
                    piece.append(column)
    return Outliers(*(np.concatenate(piece) for piece in pieces))


def prepared(run: Run, kind: type) -> list:
    """A program per class; the same preparation that sbog does before."""
    options = run.options
    programs = []
    for label, plan in run.plans.items():
        tests = Tests(
            label,
            plan.threshold,
            plan.semantic_floor,
            options["seed-floor"],
            options["epsilon"],
            run.mass(label),
            options["sigma"],
            options["proposal-count"],
            options["max-rounds"],
            plan.anchor_rows,
        )
        seeds = run.unit(plan.anchor_rows)
        targets = [
            np.vstack([seed, plan.center, run.neighbours(label, row)])
            for seed, row in zip(seeds, plan.anchor_rows)
        ]
        targets = torch.from_numpy(np.stack(targets))
        programs.append(kind(tests, torch.from_numpy(seeds), targets))
    return programs


def measured(programs: list, count: int, workers: int, repeats: int) -> dict:
    """The fastest batch size of a short trial, timed on all."""
    trial = min(count, TRIAL)
    times = {
        batch: min(timed(programs, trial, batch, workers)[0] for _ in range(2))
        for batch in BATCHES
    }
    batch = min(times, key=times.__getitem__)
    best, begin = math.inf, time.perf_counter()
    for _ in range(repeats):
        seconds, found = timed(programs, count, batch, workers)
        best = min(best, seconds)
        if time.perf_counter() - begin > PATIENCE:
            break
    return {"batch": batch, "seconds": best, "found": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    run = Run(arguments.folder, arguments.run)
    results = []
    for kind in PROGRAMS:
        programs = prepared(run, kind)
        if arguments.check:
            found = timed(programs, arguments.count, 8, arguments.workers)[1]
            result = {"found": found}
        else:
            result = measured(
                programs,
                arguments.count,
                arguments.workers,
                arguments.repeats,
            )
        answer = arguments.folder / f"torch-{len(results)}.npz"
        outliers = collected(programs, result.pop("found"))
        outliers.save(answer)
        results.append(
            {
                "program": kind.name,
                "python_threads": arguments.workers,
                "outliers": len(outliers.points),
                "answer": answer.name,
                **result,
            }
        )
    print(json.dumps({"results": results, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
