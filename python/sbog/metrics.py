# SPDX-License-Identifier: Apache-2.0
"""Quality of detectors from their scores, and of outliers."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import as_count, as_labels, as_matrix, as_number, as_vector, same_type
from ._listen import Progress, listener_of, thread_count
from .results import MetricList

__all__ = [
    "auroc",
    "average_precision",
    "best_f1",
    "distance_ratio",
    "diversity",
    "evaluate_outliers",
    "f1_at",
    "f1_floor",
    "flip_rate",
    "fpr_at_tpr",
    "mmd_squared",
    "nearest_bank",
    "range_auc_pr",
    "sliced_wasserstein",
    "vus_pr",
]


def _two(positives: Any, negatives: Any) -> tuple[np.ndarray, np.ndarray]:
    return as_vector(positives, "positives"), as_vector(negatives, "negatives")


def auroc(positives: Any, negatives: Any) -> Optional[float]:
    """P(positive > negative) + P(equal) / 2 of two lists of scores."""
    return _core.auroc(*_two(positives, negatives))


def average_precision(positives: Any, negatives: Any) -> Optional[float]:
    """Step-wise average precision; None without positives."""
    return _core.average_precision(*_two(positives, negatives))


def best_f1(positives: Any, negatives: Any) -> Optional[dict[str, float]]:
    """The largest F1 over all thresholds, with its threshold."""
    return _core.best_f1(*_two(positives, negatives))


def f1_at(positives: Any, negatives: Any, threshold: float) -> Optional[dict[str, float]]:
    """F1, precision and recall at a threshold."""
    return _core.f1_at(*_two(positives, negatives), as_number(threshold, "threshold"))


def f1_floor(positives: int, negatives: int) -> Optional[float]:
    """F1 of calling everything positive, from the two counts."""
    return _core.f1_floor(
        as_count(positives, "positives"), as_count(negatives, "negatives")
    )


def fpr_at_tpr(
    positives: Any, negatives: Any, tpr: float = 0.95
) -> Optional[dict[str, float]]:
    """False positives at a wanted recall of the positives."""
    return _core.fpr_at_tpr(*_two(positives, negatives), as_number(tpr, "tpr"))


def vus_pr(scores: Any, labels: Any) -> Optional[float]:
    """Range-aware area under precision-recall of a series, over buffers."""
    values = as_vector(scores, "scores")
    return _core.vus_pr(values, as_labels(labels, "labels", len(values)))


def range_auc_pr(scores: Any, labels: Any, buffer: int) -> Optional[float]:
    """The same for one buffer, in rows."""
    values = as_vector(scores, "scores")
    marks = as_labels(labels, "labels", len(values))
    return _core.range_auc_pr(values, marks, as_count(buffer, "buffer"))


def mmd_squared(
    first: Any,
    second: Any,
    *,
    bandwidth: float = 0.0,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> dict[str, Optional[float]]:
    """Squared maximum mean discrepancy; bandwidth 0: the median heuristic."""
    a, b = same_type(as_matrix(first, "first"), as_matrix(second, "second"))
    return _core.mmd_squared(
        a,
        b,
        as_number(bandwidth, "bandwidth"),
        as_count(seed, "seed"),
        listener_of(progress),
        thread_count(threads),
    )


def sliced_wasserstein(
    first: Any,
    second: Any,
    *,
    directions: int = 1000,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> float:
    """Sliced Wasserstein distance SW2 of two samples."""
    a, b = same_type(as_matrix(first, "first"), as_matrix(second, "second"))
    return _core.sliced_wasserstein(
        a,
        b,
        as_count(directions, "directions"),
        as_count(seed, "seed"),
        listener_of(progress),
        thread_count(threads),
    )


def distance_ratio(
    bank: Any,
    outliers: Any,
    *,
    cost: str = "cosine",
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Optional[float]:
    """How far outliers are from the bank, in units of its held-out rows."""
    a, b = same_type(as_matrix(bank, "bank"), as_matrix(outliers, "outliers"))
    return _core.distance_ratio(
        a, b, cost, as_count(seed, "seed"), listener_of(progress), thread_count(threads)
    )


def nearest_bank(
    bank: Any,
    points: Any,
    *,
    cost: str = "cosine",
    threads: Optional[int] = None,
    progress: Progress = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest bank row of each point, ties to the smallest, and the cost to it."""
    a, b = same_type(as_matrix(bank, "bank"), as_matrix(points, "points"))
    return _core.nearest_bank(a, b, cost, listener_of(progress), thread_count(threads))


def flip_rate(
    bank: Any,
    points: Any,
    *,
    cost: str = "cosine",
    epsilon: float = 0.05,
    quantile: float = 0.95,
    subset_size: int = 256,
    subsets: int = 30,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Optional[float]:
    """How often the decision about a point changes when energy and threshold come
    from a small random part of the bank; None when the bank is no larger."""
    a, b = same_type(as_matrix(bank, "bank"), as_matrix(points, "points"))
    return _core.flip_rate(
        a,
        b,
        cost,
        as_number(epsilon, "epsilon"),
        as_number(quantile, "quantile"),
        as_count(subset_size, "subset_size"),
        as_count(subsets, "subsets"),
        as_count(seed, "seed"),
        listener_of(progress),
        thread_count(threads),
    )


def diversity(points: Any) -> Optional[float]:
    """1 minus the mean cosine of two distinct points."""
    return _core.diversity(as_matrix(points, "points"))


def evaluate_outliers(
    bank: Any,
    outliers: Any,
    *,
    labels: Any = None,
    outlier_labels: Any = None,
    class_anchors: Any = None,
    cost: str = "cosine",
    epsilon: float = 0.05,
    quantile: float = 0.95,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> MetricList:
    """Every metric that the arrays allow: name, value, direction, meaning; for
    those without a value the reason."""
    a, b, anchors = same_type(
        as_matrix(bank, "bank"),
        as_matrix(outliers, "outliers"),
        None if class_anchors is None else as_matrix(class_anchors, "class_anchors"),
    )
    return MetricList(
        _core.evaluate_outliers(
            a,
            b,
            None if labels is None else as_labels(labels, "labels", len(a)),
            None
            if outlier_labels is None
            else as_labels(outlier_labels, "outlier_labels", len(b)),
            anchors,
            cost,
            as_number(epsilon, "epsilon"),
            as_number(quantile, "quantile"),
            as_count(seed, "seed"),
            listener_of(progress),
            thread_count(threads),
        )
    )
