# SPDX-License-Identifier: Apache-2.0
"""Detectors of questions out of scope on embeddings of CLINC150, trained without
any such question: AUROC and FPR95, the share of foreign questions that pass when
95 % of the known ones do.

FOLDER holds train.npy, train_labels.npy, test.npy and oos_test.npy, with the prefix
--encoder before embeddings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sbog
from sklearn.neighbors import LocalOutlierFactor

Score = Callable[[np.ndarray], np.ndarray]


def unit(path: Path) -> np.ndarray:
    rows = np.load(path).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def detectors(bank: np.ndarray, labels: np.ndarray) -> dict[str, Callable[[], Score]]:
    """By name: how it is trained; what that gives is large for foreign rows."""

    def energy(**given: np.ndarray) -> Score:
        fitted = sbog.SinkhornOutlierEnergy(cost="cosine").fit(bank, **given)
        return lambda rows: -fitted.score_samples(rows)

    def factor() -> Score:
        fitted = LocalOutlierFactor(novelty=True, n_jobs=-1).fit(bank)
        return lambda rows: -fitted.score_samples(rows)

    def latent() -> Score:
        return sbog.LatentDetector(random_state=0).fit(bank, labels).outlier_scores

    return {
        "LocalOutlierFactor": factor,
        "SinkhornOutlierEnergy": energy,
        "SinkhornOutlierEnergy with labels": lambda: energy(labels=labels),
        "LatentDetector": latent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", default="bge-small_")
    parser.add_argument("--only", nargs="*")
    arguments = parser.parse_args()

    def part(name: str) -> np.ndarray:
        return unit(arguments.folder / f"{arguments.encoder}{name}.npy")

    labels = np.load(arguments.folder / "train_labels.npy").astype(np.int64)
    known, foreign = part("test"), part("oos_test")
    for name, train in detectors(part("train"), labels).items():
        if arguments.only and name not in arguments.only:
            continue
        score = train()
        strange, usual = score(foreign), score(known)
        auroc = sbog.metrics.auroc(strange, usual)
        # Known questions are kept below the line.
        passed = sbog.metrics.fpr_at_tpr(-usual, -strange)
        print(f"{name}: AUROC {auroc:.3f}, FPR95 {passed['value']:.1%}", flush=True)


if __name__ == "__main__":
    main()
