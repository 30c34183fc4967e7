# SPDX-License-Identifier: Apache-2.0
"""Estimators in the manner of scikit-learn; the numbers come from the library."""

from __future__ import annotations

import json
import zipfile
from typing import Any, Optional

import numpy as np

try:
    from sklearn.base import BaseEstimator, OutlierMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError:  # the rest of the package does without it
    raise ImportError(
        "the estimators of sbog need scikit-learn: pip install scikit-learn"
    ) from None

from . import _sampling
from ._detectors import LatentDetector, SeriesDetector
from ._energy import calibrate_threshold
from ._shards import Bank, Shard, make_shard
from ._validate import KINDS, validate

__all__ = [
    "BoundaryOutlierSampler",
    "LatentDetector",
    "PyODEnergy",
    "SeriesDetector",
    "SinkhornOutlierEnergy",
]


_FORMAT = 1  # of the files that `save` writes


def _weights(sample_weight: Any, X: np.ndarray) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    weights: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("sample_weight: numbers of at least 0 are expected")
    return weights


def _without_objects(names: Any) -> np.ndarray:
    array = np.asarray(names)
    return array.astype("U") if array.dtype.kind == "O" else array


def _open_arrays(path: Any) -> Any:
    """The arrays of a file that `save` wrote."""
    try:
        file = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):  # of no format of NumPy
        file = None
    if not isinstance(file, np.lib.npyio.NpzFile) or "facts" not in file:
        raise OSError(f"{path}: not a file of SinkhornOutlierEnergy")
    return file


class SinkhornOutlierEnergy(OutlierMixin, BaseEstimator):
    """Novelty detection by the Sinkhorn outlier energy.

    Parameters
    ----------
    cost : str, default="squared-euclidean"
        Ground cost: one of `sbog.COSTS`.
    epsilon : float or "auto", default="auto"
        Temperature; "auto": about 15 rows support a row.
    level : float, default=0.95
        Share of the training rows that are to be inliers.
    metric : array, default=None
        The matrix of a Mahalanobis cost.
    n_jobs : int, default=None
        Threads; None and -1: all cores. Results do not depend on it.

    A training row never supports itself: rows that equal one are scored without
    one copy of it, so `fit_predict` and `fit(X).predict(X)` agree.

    Attributes
    ----------
    offset_ : minus the threshold; decision_function is score_samples minus it.
    epsilon_ : the temperature in force.
    energies_ : leave-one-out energies of the distinct training rows.
    """

    def __init__(
        self,
        cost: str = "squared-euclidean",
        epsilon: Any = "auto",
        level: float = 0.95,
        metric: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.cost = cost
        self.epsilon = epsilon
        self.level = level
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, labels: Any = None
    ) -> SinkhornOutlierEnergy:
        """Takes the bank. With `labels` a row is supported by one class alone:
        the one that supports it best."""
        X = validate(self, X, dtype=KINDS, order="C", ensure_min_samples=2)
        weights = _weights(sample_weight, X)
        if labels is None:
            groups = [np.arange(len(X))]
            self.classes_ = None
        else:
            self.classes_, numbers = np.unique(labels, return_inverse=True)
            if numbers.shape != (len(X),):
                raise ValueError(f"labels: {len(X)} labels are expected, one per row")
            groups = [np.flatnonzero(numbers == c) for c in range(len(self.classes_))]
        self._banks = []
        for rows in groups:
            bank = self._new_bank()
            part = None if weights is None else weights[rows]
            shard = make_shard(X[rows], part, 0)
            bank.add(Shard(shard.points, shard.weights, rows[shard.rows]))
            self._banks.append(bank)
        self.n_rows_ = len(X)
        return self._settle()

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> SinkhornOutlierEnergy:
        """Adds rows; what is known of the others is merged, not computed again.

        The temperature stays that of the first call.
        """
        is_first = not hasattr(self, "_banks")
        X = validate(
            self,
            X,
            dtype=KINDS if is_first else self._banks[0].shards[0].points.dtype,
            order="C",
            reset=is_first,
            ensure_min_samples=2 if is_first else 1,
        )
        if is_first:
            return self.fit(X, sample_weight=sample_weight)
        if len(self._banks) > 1:
            raise ValueError("partial_fit: not after a fit with labels")
        shard = make_shard(X, _weights(sample_weight, X), self.n_rows_)
        self._banks[0].add(shard)
        self.n_rows_ += len(X)
        return self._settle()

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the energy: large is well supported."""
        X = self._queries(X)
        energies: np.ndarray = np.min([bank.score(X) for bank in self._banks], axis=0)
        return -energies

    def decision_function(self, X: Any) -> np.ndarray:
        """Above 0 for inliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for inliers, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def threshold_at(self, level: float) -> float:
        """The energy that a share `level` of the training rows stays below."""
        check_is_fitted(self)
        energies = np.concatenate([bank.energies for bank in self._banks])
        masses = np.concatenate([bank.masses for bank in self._banks])
        if (masses == masses[0]).all():
            return calibrate_threshold(energies, level)
        if not 0 < level < 1:
            raise ValueError(f"level: a number in (0, 1) is expected, got {level}")
        order = np.argsort(energies, kind="stable")
        reached = np.cumsum(masses[order])
        place = np.searchsorted(reached, level * reached[-1])
        return float(energies[order[min(place, len(order) - 1)]])

    def explain(self, X: Any, top: int = 5) -> dict[str, np.ndarray]:
        """Who supports each row, and which feature makes it an outlier.

        rows, shares : the `top` training rows that carry the support, largest
            share first, (n, top).
        gradient : by how much the energy grows with each feature, (n, features).
        """
        X = self._queries(X)
        sizes = [len(bank.energies) for bank in self._banks]
        top = min(top, min(sizes))
        rows = np.empty((len(X), top), dtype=np.int64)
        shares = np.empty((len(X), top))
        gradient = np.empty(X.shape)
        energies = np.array([bank.score(X) for bank in self._banks])
        for i, best in enumerate(energies.argmin(axis=0)):
            bank = self._banks[best]
            weights = bank.weights_of(X[i])
            order = np.argsort(-weights, kind="stable")[:top]
            rows[i], shares[i] = bank.rows[order], weights[order]
            gradient[i] = bank.gradient(X[i])
        return {"rows": rows, "shares": shares, "gradient": gradient}

    def save(self, path: Any) -> None:
        """Writes a .npz file without pickled objects, under this very name; see
        `load`."""
        check_is_fitted(self)
        arrays: dict[str, Any] = {}
        if self.metric is not None:
            arrays["metric"] = np.asarray(self.metric)
        for b, bank in enumerate(self._banks):
            arrays[f"energies.{b}"] = bank.energies
            for s, shard in enumerate(bank.shards):
                arrays[f"points.{b}.{s}"] = shard.points
                arrays[f"masses.{b}.{s}"] = shard.masses
                arrays[f"rows.{b}.{s}"] = shard.rows
        params = {k: v for k, v in self.get_params().items() if k != "metric"}
        facts = {
            "format": _FORMAT,
            "params": params,
            "epsilons": [bank.epsilon for bank in self._banks],
            "shards": [len(bank.shards) for bank in self._banks],
            "n_rows": self.n_rows_,
            "n_features": self.n_features_in_,
        }
        if self.classes_ is not None:
            arrays["classes"] = _without_objects(self.classes_)
        if hasattr(self, "feature_names_in_"):
            arrays["feature_names"] = _without_objects(self.feature_names_in_)
        with open(path, "wb") as file:
            np.savez(file, facts=np.array(json.dumps(facts)), **arrays)

    @classmethod
    def load(cls, path: Any) -> SinkhornOutlierEnergy:
        """Reads what `save` wrote."""
        with _open_arrays(path) as file:
            facts = json.loads(str(file["facts"]))
            if facts["format"] != _FORMAT:
                raise OSError(
                    f"{path}: format {_FORMAT} is expected, got {facts['format']}; "
                    "it was written by another version of sbog"
                )
            metric = file["metric"] if "metric" in file else None
            made = cls(**facts["params"], metric=metric)
            made.n_features_in_ = facts["n_features"]
            made.n_rows_ = facts["n_rows"]
            made.classes_ = file["classes"] if "classes" in file else None
            if "feature_names" in file:
                made.feature_names_in_ = file["feature_names"].astype(object)
            made._banks = []
            for b, (count, epsilon) in enumerate(
                zip(facts["shards"], facts["epsilons"])
            ):
                shards = []
                for s in range(count):
                    masses = file[f"masses.{b}.{s}"]
                    weights = None if (masses == 1.0).all() else masses
                    points = file[f"points.{b}.{s}"]
                    shards.append(Shard(points, weights, file[f"rows.{b}.{s}"]))
                bank = made._new_bank()
                bank.__setstate__(
                    {
                        "energy": bank._energy,
                        "shards": shards,
                        "energies": file[f"energies.{b}"],
                        "epsilon": epsilon,
                    }
                )
                made._banks.append(bank)
        return made._settle()

    def _new_bank(self) -> Bank:
        return Bank(
            cost=self.cost,
            epsilon=self.epsilon,
            metric=self.metric,
            threads=self.n_jobs,
        )

    def _settle(self) -> SinkhornOutlierEnergy:
        self.epsilon_ = self._banks[0].epsilon
        self.energies_ = np.concatenate([bank.energies for bank in self._banks])
        self.threshold_ = self.threshold_at(self.level)
        self.offset_ = -self.threshold_
        return self

    def _queries(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "offset_")
        kind = self._banks[0].shards[0].points.dtype
        rows: np.ndarray = validate(self, X, dtype=kind, order="C", reset=False)
        return rows


class BoundaryOutlierSampler(BaseEstimator):
    """Outliers beyond the support of each class, still of their class.

    Parameters
    ----------
    profile : str, default="boundary"
        Defaults to start from, as of `sbog.sample_outliers`.
    options : dict, default=None
        Further options of `sbog.sample_outliers`, such as {"quantile": 0.99}.
    random_state : int, default=None
        Seed of `fit_resample`, and of `sample` where it gets none; None: 0.
    n_jobs : int, default=None
        Threads; None and -1: all cores. Results do not depend on it.
    """

    def __init__(
        self,
        profile: str = "boundary",
        options: Optional[dict[str, Any]] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.profile = profile
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> BoundaryOutlierSampler:
        """Takes the bank, and with `y` the class of each row."""
        self.X_ = validate(self, X, dtype=KINDS, order="C", ensure_min_samples=2)
        self.classes_, self.labels_ = None, None
        if y is not None:
            y = np.asarray(y)
            if y.shape != (len(self.X_),):
                raise ValueError(f"y: {len(self.X_)} labels are expected, one per row")
            self.classes_, numbers = np.unique(y, return_inverse=True)
            self.labels_ = numbers.astype(np.int64)
        return self

    def sample(
        self,
        n: int = 100,
        *,
        classes: Any = None,
        severity: Any = None,
        conditions: Any = None,
        random_state: Optional[int] = None,
        progress: Any = None,
    ) -> _sampling.OutlierSet:
        """`n` outliers in all, as even over the classes as can be.

        classes : some of them, or a dict that says how many of each.
        severity : a decade of rarity or a list of them, which the outliers of a
            class take in turn: 2 is what 1 in 100 to 1 in 1,000 rows reach.
        conditions : values that columns have in every outlier, by name or number.
        """
        check_is_fitted(self, "X_")
        counts = self._counts(n, classes)
        return self._draw(counts, random_state, progress, severity, conditions)

    def fit_resample(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows and labels with outliers added until all classes are as large as
        the largest, in the manner of imbalanced-learn."""
        self.fit(X, y)
        assert self.labels_ is not None and self.classes_ is not None
        sizes = np.bincount(self.labels_)
        made = self._draw((sizes.max() - sizes).tolist(), None, None)
        rows = np.vstack([self.X_, made.latents.astype(self.X_.dtype)])
        return rows, np.concatenate([self.classes_[self.labels_], made.classes])

    def _counts(self, n: int, classes: Any) -> list[int]:
        known = [0] if self.classes_ is None else list(self.classes_)
        if isinstance(classes, dict):
            wanted = dict(classes)
        else:
            chosen = known if classes is None else list(np.atleast_1d(classes))
            each, more = divmod(int(n), max(len(chosen), 1))
            wanted = {c: each + (i < more) for i, c in enumerate(chosen)}
        strange = [c for c in wanted if c not in known]
        if strange:
            names = ", ".join(str(c) for c in known)
            raise ValueError(f"classes: {strange[0]} is none of {names}")
        return [int(wanted.get(c, 0)) for c in known]

    def _draw(
        self,
        counts: list[int],
        seed: Optional[int],
        progress: Any,
        severity: Any = None,
        conditions: Any = None,
    ) -> _sampling.OutlierSet:
        if seed is None:
            seed = self.random_state
        return _sampling.draw(
            self.X_,
            self.labels_,
            profile=self.profile,
            counts=counts,
            seed=0 if seed is None else int(seed),
            threads=self.n_jobs,
            progress=progress,
            severity=severity,
            conditions=conditions,
            class_names=self.classes_,
            column_names=getattr(self, "feature_names_in_", None),
            **(self.options or {}),
        )


class PyODEnergy(BaseEstimator):
    """The same with the names and the sign of PyOD: large scores and 1 are outliers.

    Parameters
    ----------
    contamination : float, default=0.1
        Share of the training rows that are to be outliers.
    cost, epsilon, metric, n_jobs : as of SinkhornOutlierEnergy.

    Attributes
    ----------
    decision_scores_, threshold_, labels_ : of the training rows.
    """

    def __init__(
        self,
        contamination: float = 0.1,
        cost: str = "squared-euclidean",
        epsilon: Any = "auto",
        metric: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.contamination = contamination
        self.cost = cost
        self.epsilon = epsilon
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> PyODEnergy:
        """Takes the bank."""
        self.model_ = SinkhornOutlierEnergy(
            cost=self.cost,
            epsilon=self.epsilon,
            level=1 - self.contamination,
            metric=self.metric,
            n_jobs=self.n_jobs,
        ).fit(X)
        self.n_features_in_ = self.model_.n_features_in_
        self.threshold_ = self.model_.threshold_
        self.decision_scores_ = self.decision_function(X)
        self.labels_ = (self.decision_scores_ > self.threshold_).astype(int)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The energy: large is outlying."""
        check_is_fitted(self, "model_")
        return -self.model_.score_samples(X)

    def predict(self, X: Any) -> np.ndarray:
        """1 for outliers, 0 for inliers."""
        return (self.decision_function(X) > self.threshold_).astype(int)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """`labels_` of the training rows."""
        return self.fit(X).labels_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Columns for inlier and outlier, as PyOD's method "linear": where a score
        lies between the smallest and the largest one of the training rows."""
        scores = self.decision_function(X)
        low, high = self.decision_scores_.min(), self.decision_scores_.max()
        share = np.clip((scores - low) / (high - low if high > low else 1.0), 0, 1)
        return np.column_stack([1 - share, share])
