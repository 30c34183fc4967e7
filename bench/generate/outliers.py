# SPDX-License-Identifier: Apache-2.0
"""Outliers as somebody made them, their energies in double, and whether two
programs draw from the same law."""

from __future__ import annotations

import csv
import json
import tomllib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np

AGREEMENT = 5e-6  # allowed difference of an energy
STANDARD_ERRORS = 5.0  # allowed difference of means


@dataclass(frozen=True)
class Outliers:
    """One entry per outlier."""

    points: np.ndarray
    labels: np.ndarray
    anchor_rows: np.ndarray  # bank rows that were started from
    rounds: np.ndarray  # zero-based round of success
    energies: np.ndarray  # as the program says
    margins: np.ndarray

    @staticmethod
    def load(path: Path) -> Outliers:
        with np.load(path) as arrays:
            return Outliers(**arrays)

    def save(self, path: Path) -> None:
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        np.savez(path, **arrays)


@dataclass(frozen=True)
class AnchorPlan:
    """What the sampler needs to know of one class."""

    label: int
    threshold: float
    semantic_floor: float
    anchor_rows: np.ndarray
    rows: np.ndarray  # of the class, in the bank
    center: np.ndarray  # unit vector


class Run:
    """A finished run folder beside its bank."""

    def __init__(self, folder: Path, run: Path) -> None:
        self.run = run
        self.bank = np.load(folder / "bank.npy", mmap_mode="r")
        self.labels = np.load(folder / "labels.npy")
        self.manifest = json.loads((run / "manifest.json").read_text())
        config = tomllib.loads((run / "config.toml").read_text())
        self.options = config["generate"]

    @cached_property
    def plans(self) -> dict[int, AnchorPlan]:
        """By label."""
        plans = {}
        for entry in self.manifest["classes"]:
            label = entry["label"]
            rows = np.flatnonzero(self.labels == label)
            center = self.unit(rows).mean(axis=0)
            plans[label] = AnchorPlan(
                label,
                entry["threshold"],
                entry["semantic_floor"],
                np.array([a["row"] for a in entry["anchors"]]),
                rows,
                center / np.linalg.norm(center),
            )
        return plans

    def unit(self, rows: np.ndarray) -> np.ndarray:
        """Bank rows as unit vectors in double."""
        points = self.bank[rows].astype(np.float64)
        return points / np.linalg.norm(points, axis=1, keepdims=True)

    def neighbours(self, label: int, row: int) -> np.ndarray:
        """The reference of an anchor: the nearest others of its class."""
        rows = self.plans[label].rows
        others = self.unit(rows[rows != row])
        cosines = others @ self.unit(np.array([row]))[0]
        nearest = np.argpartition(-cosines, self.options["local"] - 1)
        return others[nearest[: self.options["local"]]]

    def mass(self, label: int) -> int:
        """Atoms that the mean is over; the anchor itself is not one."""
        return len(self.plans[label].rows) - 1

    def outliers(self, step: int = 1) -> Outliers:
        """Every step-th of them."""
        points = np.load(self.run / "outliers.npy", mmap_mode="r")[::step]
        with open(self.run / "outliers.csv", newline="") as file:
            rows = [
                row for i, row in enumerate(csv.DictReader(file))
                if i % step == 0
            ]  # fmt: skip

        def column(name: str, kind: type) -> np.ndarray:
            return np.array([kind(row[name]) for row in rows], dtype=kind)

        return Outliers(
            np.array(points),
            column("class", int),
            column("anchor_row", int),
            column("round", int),
            column("energy", float),
            column("margin", float),
        )

    def true_energies(self, outliers: Outliers) -> np.ndarray:
        """-eps log (1 / mass) sum exp(-(1 - cosine) / eps) over the neighbours
        of each outlier's anchor, in double."""
        epsilon = self.options["epsilon"]
        energies = np.empty(len(outliers.points))
        order = np.argsort(outliers.anchor_rows, kind="stable")
        anchors = outliers.anchor_rows[order]
        starts = np.flatnonzero(np.diff(anchors, prepend=-1))
        for group in np.split(order, starts[1:]):
            label = int(outliers.labels[group[0]])
            near = self.neighbours(label, outliers.anchor_rows[group[0]])
            points = outliers.points[group].astype(np.float64)
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            terms = np.exp((points @ near.T - 1) / epsilon).sum(axis=1)
            energies[group] = -epsilon * np.log(terms / self.mass(label))
        return energies

    def check_energies(self, who: str, outliers: Outliers) -> float:
        """Largest distance from the energies in double; ends the run when too
        large, or when a margin is not the energy less the threshold."""
        truth = self.true_energies(outliers)
        thresholds = np.array(
            [self.plans[int(label)].threshold for label in outliers.labels]
        )
        worst = max(
            float(np.abs(outliers.energies - truth).max()),
            float(np.abs(outliers.margins - (truth - thresholds)).max()),
        )
        if not worst <= AGREEMENT:
            raise SystemExit(
                f"generate: an energy of {who} is {worst:.2g} away from the "
                f"truth, more than {AGREEMENT:g}"
            )
        return worst


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """Difference of two means in standard errors."""
    error = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    gap = abs(a.mean() - b.mean())
    return float(gap / error) if error > 0 else float(gap > 0) * np.inf


def check_law(who: str, theirs: Outliers, ours: Outliers) -> float:
    """Mean margins and mean rounds, in each class and over all: the largest
    difference in standard errors; ends the run when too large. Only outliers
    of the same classes are compared."""
    kinds = [np.unique(theirs.labels)]
    kinds += [kinds[0][i : i + 1] for i in range(len(kinds[0]))]
    worst = 0.0
    for labels in kinds:
        mine = np.isin(ours.labels, labels)
        other = np.isin(theirs.labels, labels)
        for name in ("margins", "rounds"):
            values = getattr(theirs, name)[other], getattr(ours, name)[mine]
            worst = max(worst, apart(*values))
    if not worst <= STANDARD_ERRORS:
        raise SystemExit(
            f"generate: the means of {who} and sbog are {worst:.1f} standard "
            f"errors apart, more than {STANDARD_ERRORS:g}"
        )
    return worst
