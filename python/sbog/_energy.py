# SPDX-License-Identifier: Apache-2.0
"""The Sinkhorn outlier energy of arrays in memory."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import as_count, as_labels, as_matrix, as_number, as_vector
from ._listen import Progress, listener_of, thread_count

COSTS = (
    "cosine",
    "unit-cosine",
    "squared-euclidean",
    "euclidean",
    "squared-mahalanobis",
    "mahalanobis",
)


def find_epsilon(
    points: Any,
    *,
    cost: str = "cosine",
    weights: Any = None,
    metric: Any = None,
    perplexity: float = 15.0,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> float:
    """The temperature at which the median point has `perplexity` supporters."""
    bank = as_matrix(points, "points")
    return _core.find_epsilon(
        bank,
        None if weights is None else as_vector(weights, "weights", len(bank)),
        cost,
        None if metric is None else as_matrix(metric, "metric", np.float64),
        as_number(perplexity, "perplexity"),
        as_count(seed, "seed"),
        listener_of(progress),
        thread_count(threads),
    )


def calibrate_threshold(
    energies: Any, level: float = 0.95, *, margin: float = 0.0, rule: str = "quantile"
) -> float:
    """The energy that a share `level` of in-distribution points stays below.

    `rule` is "quantile" (of the given energies) or "conformal" (of fresh points;
    the energies must then be of points that are not in the reference).
    """
    if rule not in ("quantile", "conformal"):
        raise ValueError(f"rule: 'quantile' or 'conformal' is expected, got {rule!r}")
    values = as_vector(energies, "energies")
    return _core.calibrate_threshold(
        values,
        as_number(level, "level"),
        as_number(margin, "margin"),
        rule == "conformal",
    )


def conformal_p_values(calibration: Any, energies: Any) -> np.ndarray:
    """(1 + #{calibration >= energy}) / (n + 1) of every energy."""
    names = ("calibration", "energies")
    known, asked = (as_vector(v, n) for v, n in zip((calibration, energies), names))
    for values, name in zip((known, asked), names):
        strange = np.flatnonzero(np.isnan(values))
        if len(strange):
            raise ValueError(f"{name}: value {strange[0]} is NaN")
    return _core.conformal_p_values(known, asked)


_Held = Union[_core.EnergyModelFloat, _core.EnergyModelDouble]


class EnergyModel:
    """E(z) = -epsilon log sum_i w_i exp(-d(z, x_i) / epsilon) against a bank.

    Parameters
    ----------
    cost : str
        Ground cost d, one of `sbog.COSTS`. Default: cosine.
    epsilon : float or "auto"
        Temperature; "auto" finds the one at which the median bank point has
        `perplexity` supporters. Default: auto.
    metric : array, optional
        The matrix W of the Mahalanobis costs.
    perplexity : float
        Supporters of the median point that "auto" aims at. Default: 15.
    threads : int, optional
        Worker threads; None and -1: all cores. Results have the same bits for
        any number of them.

    A float32 bank is scored in float32 (fast), a float64 bank in float64; the
    bank is looked at and not copied, so do not change it afterwards.
    """

    def __init__(
        self,
        *,
        cost: str = "cosine",
        epsilon: Union[float, str] = "auto",
        metric: Any = None,
        perplexity: float = 15.0,
        threads: Optional[int] = None,
    ) -> None:
        self.cost = cost
        self.epsilon = epsilon
        self.metric = metric
        self.perplexity = perplexity
        self.threads = threads
        self._held: Optional[_Held] = None
        self._points: Optional[np.ndarray] = None

    def fit(self, points: Any, weights: Any = None, progress: Progress = None) -> EnergyModel:
        """Takes the bank: one point per row, weights that need not add up to 1."""
        bank = as_matrix(points, "points")
        mass = None if weights is None else as_vector(weights, "weights", len(bank))
        metric = None
        if self.metric is not None:
            metric = as_matrix(self.metric, "metric", np.float64)
        epsilon = self.epsilon
        if isinstance(epsilon, str):
            if epsilon != "auto":
                raise ValueError(
                    f"epsilon: a number above 0 or 'auto' is expected, got {epsilon!r}"
                )
            epsilon = find_epsilon(
                bank,
                cost=self.cost,
                weights=mass,
                metric=metric,
                perplexity=self.perplexity,
                threads=self.threads,
                progress=progress,
            )
        arguments = (bank, mass, self.cost, as_number(epsilon, "epsilon"), metric)
        if bank.dtype == np.float32:
            self._held = _core.EnergyModelFloat(*arguments)
        else:
            self._held = _core.EnergyModelDouble(*arguments)
        self._points = bank
        return self

    @property
    def epsilon_(self) -> float:
        """The temperature in force."""
        return self._model().epsilon

    @property
    def dim(self) -> int:
        """Coordinates of a point."""
        return self._model().dim

    @property
    def bank(self) -> np.ndarray:
        """The bank as it is scored against."""
        self._model()
        assert self._points is not None
        return self._points

    def score(
        self, queries: Any, *, self_rows: Any = None, progress: Progress = None
    ) -> np.ndarray:
        """Energies of the queries; large is weakly supported.

        `self_rows` names for each query the bank row that it does not see, -1 for
        none.
        """
        points = self._queries(queries)
        rows = self._rows(self_rows, len(points))
        return self._model().evaluate(
            points, rows, listener_of(progress), thread_count(self.threads)
        )

    def score_bank(
        self, *, includes_self: bool = False, progress: Progress = None
    ) -> np.ndarray:
        """Energies of the bank rows, each without itself (leave-one-out)."""
        return self._model().evaluate_bank(
            includes_self, listener_of(progress), thread_count(self.threads)
        )

    def threshold(
        self, level: float = 0.95, *, margin: float = 0.0, progress: Progress = None
    ) -> float:
        """The energy that a share `level` of the bank stays below."""
        return calibrate_threshold(
            self.score_bank(progress=progress), level, margin=margin
        )

    def state(
        self,
        queries: Any,
        *,
        first_block: int = 0,
        self_rows: Any = None,
        progress: Progress = None,
    ) -> _core.EnergyState:
        """Partial energies that merge with those against the rest of a bank.

        This bank is then a shard that begins at block `first_block` (256 rows a
        block). `a.append(b)` joins shards in order; `a.energies(epsilon)` ends it.
        Shards cut at multiples of 256 rows give the bits of the whole bank.
        """
        points = self._queries(queries)
        return self._model().evaluate_state(
            points,
            self._rows(self_rows, len(points)),
            as_count(first_block, "first_block"),
            listener_of(progress),
            thread_count(self.threads),
        )

    def gibbs_weights(self, query: Any) -> np.ndarray:
        """Shares of the bank rows in the support of one query; they add up to 1."""
        row = self._queries(np.asarray(query).reshape(1, -1))
        return self._model().gibbs_weights(row[0])

    def gradient(
        self, queries: Any, *, surface: str = "ambient", progress: Progress = None
    ) -> np.ndarray:
        """The gradient of E at each query; `surface` is "ambient" or "sphere"."""
        if surface not in ("ambient", "sphere"):
            raise ValueError(
                f"surface: 'ambient' or 'sphere' is expected, got {surface!r}"
            )
        return self._model().gradient(
            self._queries(queries),
            surface == "sphere",
            listener_of(progress),
            thread_count(self.threads),
        )

    def measured_perplexity(self, *, seed: int = 0) -> float:
        """Supporters of the median bank point at the temperature in force."""
        return self._model().perplexity(
            as_count(seed, "seed"), None, thread_count(self.threads)
        )

    def _model(self) -> _Held:
        if self._held is None:
            raise ValueError("EnergyModel: fit(points) comes first")
        return self._held

    def _queries(self, queries: Any) -> np.ndarray:
        model = self._model()
        assert self._points is not None
        points = as_matrix(queries, "queries", self._points.dtype)
        if points.shape[1] != model.dim:
            raise ValueError(
                f"queries: points with {model.dim} coordinates are expected, as the "
                f"bank has, got {points.shape[1]}"
            )
        return points

    @staticmethod
    def _rows(rows: Any, count: int) -> Optional[np.ndarray]:
        if rows is None:
            return None
        array = as_labels(rows, "self_rows")
        if array.shape != (count,):
            raise ValueError(f"self_rows: {count} rows are expected, one per query")
        return array
