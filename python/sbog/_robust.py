# SPDX-License-Identifier: Apache-2.0
"""Worst cases over transport balls, certificates and the oracle, on arrays."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _core
from ._arrays import as_count, as_labels, as_matrix, as_number, as_vector, same_type
from ._listen import Progress, listener_of, thread_count
from .jobs import texts_of
from .results import Curve, Result


def _optional_vector(values: Any, name: str, count: int) -> Optional[np.ndarray]:
    return None if values is None else as_vector(values, name, count)


def solve_dro(
    losses: Any,
    bank: Any,
    radius: Union[float, Sequence[float]],
    *,
    nominal: Any = None,
    weights: Any = None,
    nominal_weights: Any = None,
    cost: str = "cosine",
    epsilon: float = 0.05,
    metric: Any = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Any:
    """The largest expected loss over a transport ball around the nominal points.

    `losses` has one value per bank row. With one radius a Result (value, lambda,
    duality_gap, worst_case: the mass of every bank row, ..); with several radii a
    list of them, the robustness curve.
    """
    points, start = same_type(
        as_matrix(bank, "bank"),
        None if nominal is None else as_matrix(nominal, "nominal"),
    )
    radii = [as_number(r, "radius") for r in np.atleast_1d(np.asarray(radius, object))]
    rows = len(points) if start is None else len(start)
    solved = _core.solve_dro(
        as_vector(losses, "losses", len(points)),
        points,
        start,
        _optional_vector(weights, "weights", len(points)),
        _optional_vector(nominal_weights, "nominal_weights", rows),
        cost,
        as_number(epsilon, "epsilon"),
        None if metric is None else as_matrix(metric, "metric", np.float64),
        radii,
        listener_of(progress),
        thread_count(threads),
    )
    results = [Result("solve_dro", facts.pop("status"), facts) for facts in solved]
    return results[0] if np.ndim(radius) == 0 else Curve(results)


def robust_logits(
    similarities: Any,
    costs: Any,
    *,
    weights: Any = None,
    labels: Any = None,
    epsilon: float = 0.05,
    radius: float = 0.005,
    sign: str = "paper",
    threads: Optional[int] = None,
    progress: Progress = None,
) -> dict[str, np.ndarray]:
    """For each sample and class the smallest expected similarity over a ball.

    `similarities` has the shape (samples, classes, atoms), `costs` (samples,
    atoms). Gives values and lambdas (samples, classes), and the gradients of the
    values: tilted by the similarities and cost_gradients by the costs. `sign`:
    "paper" lowers all classes, "adversarial" lowers that of `labels` and raises
    the others, "upper" raises all.
    """
    cube = np.asarray(similarities)
    if cube.ndim != 3:
        raise ValueError(
            "similarities: the shape (samples, classes, atoms) is expected, got "
            f"{cube.shape}"
        )
    flat, rows = same_type(
        as_matrix(cube.reshape(-1, cube.shape[2]), "similarities"),
        as_matrix(costs, "costs"),
    )
    if rows.shape != (cube.shape[0], cube.shape[2]):
        raise ValueError(
            f"costs: the shape {(cube.shape[0], cube.shape[2])} is expected, got "
            f"{rows.shape}"
        )
    out = _core.robust_logits(
        flat,
        rows,
        _optional_vector(weights, "weights", cube.shape[2]),
        None if labels is None else as_labels(labels, "labels", cube.shape[0]),
        as_number(epsilon, "epsilon"),
        as_number(radius, "radius"),
        sign,
        listener_of(progress),
        thread_count(threads),
    )
    for name in ("tilted", "cost_gradients"):
        out[name] = out[name].reshape(cube.shape)
    return out


class Certificate(Result):
    """What a sample size can promise. `sentence()` says it in English."""

    def sentence(self) -> str:
        """The most important sentence."""
        return self._facts["sentences"][0] if self._facts["sentences"] else ""


def certify_outliers(
    reference: Any,
    calibration: Any,
    outliers: Any,
    *,
    weights: Any = None,
    reference_labels: Any = None,
    calibration_labels: Any = None,
    outlier_labels: Any = None,
    thresholds: Any = None,
    cost: str = "cosine",
    epsilon: float = 0.05,
    delta: float = 0.05,
    level: float = 0.95,
    margin: float = 0.0,
    pool: float = 0.0,
    is_independent: bool = True,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Certificate:
    """Certifies the decisions about outliers against an independent reference."""
    a, b, c = same_type(
        as_matrix(reference, "reference"),
        as_matrix(calibration, "calibration"),
        as_matrix(outliers, "outliers"),
    )

    def labels(values: Any, name: str, count: int) -> Optional[np.ndarray]:
        return None if values is None else as_labels(values, name, count)

    facts = _core.certify_outliers(
        a,
        b,
        c,
        _optional_vector(weights, "weights", len(a)),
        labels(reference_labels, "reference_labels", len(a)),
        labels(calibration_labels, "calibration_labels", len(b)),
        labels(outlier_labels, "outlier_labels", len(c)),
        None if thresholds is None else as_vector(thresholds, "thresholds"),
        cost,
        as_number(epsilon, "epsilon"),
        as_number(delta, "delta"),
        as_number(level, "level"),
        as_number(margin, "margin"),
        as_number(pool, "pool"),
        is_independent,
        listener_of(progress),
        thread_count(threads),
    )
    return Certificate("certify_outliers", "done", facts)


def run_oracle(
    *,
    seed: int = 1,
    nats: float = 6.0,
    mean_scale: float = 1.0,
    bank_per_class: int = 2000,
    outputs_per_class: int = 400,
    threads: Optional[int] = None,
    progress: Progress = None,
    **options: Any,
) -> Result:
    """A generator judged on windows whose boundary is known exactly.

    `options` are those of sample_outliers; without any it is Algorithm 1.
    """
    given = [(k, texts_of(k, v)) for k, v in options.items() if v is not None]
    facts = _core.run_oracle(
        as_count(seed, "seed"),
        as_number(nats, "nats"),
        as_number(mean_scale, "mean_scale"),
        as_count(bank_per_class, "bank_per_class"),
        as_count(outputs_per_class, "outputs_per_class"),
        given,
        listener_of(progress),
        thread_count(threads),
    )
    return Result("run_oracle", "done", facts)
