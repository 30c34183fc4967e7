# SPDX-License-Identifier: Apache-2.0
"""The jobs that everyone does: deterministic points, and the slow truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SUBSET = 128  # queries whose energies are compared with the slow truth
NEIGHBOURS = 5


@dataclass(frozen=True)
class Job:
    """Energies of `queries` points against a bank of `bank` points."""

    name: str
    dim: int
    bank: int
    queries: int
    epsilon: float
    clusters: int = 0  # 0: uniform on the sphere
    spread: float = 0.0

    @property
    def pairs(self) -> int:
        return self.bank * self.queries


JOBS = (
    Job("wide", 768, 4096, 3840, 0.05),
    Job("middle", 64, 100_000, 2000, 0.05),
    Job("narrow", 4, 25_000, 25_000, 0.02, clusters=20, spread=0.05),
)


def unit_points(job: Job, count: int, seed: int) -> np.ndarray:
    """Unit vectors in float32: uniform, or in clusters around fixed centres."""
    points = np.random.default_rng(seed).standard_normal((count, job.dim))
    if job.clusters:
        centers = np.random.default_rng(77).standard_normal(
            (job.clusters, job.dim)
        )
        centers /= np.linalg.norm(centers, axis=1, keepdims=True)
        points *= job.spread
        points += centers[np.arange(count) % job.clusters]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points.astype(np.float32)


def make_points(job: Job) -> tuple[np.ndarray, np.ndarray]:
    """Bank and queries."""
    return unit_points(job, job.bank, 1), unit_points(job, job.queries, 2)


def subset_rows(job: Job) -> np.ndarray:
    """Queries spread evenly over the job."""
    return np.linspace(0, job.queries - 1, SUBSET).astype(int)


def true_energies(
    bank: np.ndarray, queries: np.ndarray, epsilon: float
) -> np.ndarray:
    """-eps log mean exp(-(1 - cosine) / eps), one query at a time in long
    double."""
    atoms = bank.astype(np.longdouble)
    atoms /= np.sqrt((atoms * atoms).sum(axis=1, keepdims=True))
    energies = np.empty(len(queries))
    for i, row in enumerate(queries.astype(np.longdouble)):
        unit = row / np.sqrt((row * row).sum())
        logits = (atoms @ unit - 1) / np.longdouble(epsilon)
        top = logits.max()
        mean = np.exp(logits - top).sum() / len(atoms)
        energies[i] = -epsilon * (top + np.log(mean))
    return energies


def true_neighbours(
    bank: np.ndarray, queries: np.ndarray, count: int
) -> np.ndarray:
    """Squared distances of the nearest bank points, one query at a time."""
    atoms = bank.astype(np.float64)
    nearest = np.empty((len(queries), count))
    for i, row in enumerate(queries.astype(np.float64)):
        squares = ((atoms - row) ** 2).sum(axis=1)
        nearest[i] = np.sort(np.partition(squares, count - 1)[:count])
    return nearest
