# SPDX-License-Identifier: Apache-2.0
"""Deterministic banks of the settings: written as FOLDER/bank.npy, with the
classes in FOLDER/labels.npy where there are any."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shared import Job, unit_points

IMAGE_DIM = 768
CLASS_POINTS = 1000
# Length of the noise around a class centre of length 1: the mean cosine within
# a class is 1 / (1 + 0.65^2) = 0.70. Variances fall like 1 / rank, so that the
# nearest neighbour is at about 0.82, as among features of a network.
IMAGE_NOISE = 0.65

SERIES = Job("series", 4, 25_000, 1, 0.02, clusters=20, spread=0.05)
EVALUATED = Job("bank", 64, 100_000, 1, 0.05, clusters=100, spread=0.08)
OUTLIERS = Job("outliers", 64, 10_000, 1, 0.05, clusters=100, spread=0.1)


def image_class(label: int) -> np.ndarray:
    """Unit vectors of one class; they do not depend on the other classes."""
    random = np.random.default_rng([20, label])
    center = random.standard_normal(IMAGE_DIM)
    center /= np.linalg.norm(center)
    spread = 1 / np.sqrt(random.permutation(IMAGE_DIM) + 1.0)
    spread *= IMAGE_NOISE / np.linalg.norm(spread)
    points = random.standard_normal((CLASS_POINTS, IMAGE_DIM))
    points *= spread
    points += center
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points.astype(np.float32)


def write_image_bank(folder: Path, classes: int) -> None:
    """`classes` times 1000 points, class by class."""
    bank = np.lib.format.open_memmap(
        folder / "bank.npy",
        mode="w+",
        dtype=np.float32,
        shape=(classes * CLASS_POINTS, IMAGE_DIM),
    )
    for label in range(classes):
        first = label * CLASS_POINTS
        bank[first : first + CLASS_POINTS] = image_class(label)
    bank.flush()
    labels = np.repeat(np.arange(classes), CLASS_POINTS)
    np.save(folder / "labels.npy", labels)


def write_series_bank(folder: Path) -> None:
    np.save(folder / "bank.npy", unit_points(SERIES, SERIES.bank, 1))


def write_evaluated(folder: Path) -> None:
    """A bank and outliers of the same centres, farther from them."""
    for seed, job in enumerate((EVALUATED, OUTLIERS), start=1):
        points = unit_points(job, job.bank, seed)
        np.save(folder / f"{job.name}.npy", points)
        labels = np.arange(job.bank) % job.clusters
        np.save(folder / f"{job.name}-labels.npy", labels)
