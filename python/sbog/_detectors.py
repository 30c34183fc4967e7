# SPDX-License-Identifier: Apache-2.0
"""Detectors that the jobs `detect train` and `detect score` make; see estimators."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import jobs
from ._validate import KINDS, validate
from .results import Result


class _FileModel(BaseEstimator):
    """A detector that a job trains; its file is kept as bytes."""

    def _train(self, arrays: dict[str, Any], **options: Any) -> Result:
        with tempfile.TemporaryDirectory(prefix="sbog-") as folder:
            path = os.path.join(folder, "detector.safetensors")
            values = {**arrays, **options, "out": path}
            result = jobs.run_job("detect_train", values, self.n_jobs)
            with open(path, "rb") as file:
                self.model_ = np.frombuffer(file.read(), dtype=np.uint8)
        return result

    def _score(self, data: Any, **options: Any) -> Result:
        with tempfile.TemporaryDirectory(prefix="sbog-") as folder:
            path = os.path.join(folder, "detector.safetensors")
            with open(path, "wb") as file:
                file.write(self.model_.tobytes())
            values = {"model": path, "data": data, **options}
            return jobs.run_job("detect_score", values, self.n_jobs)

    def save(self, path: Any) -> None:
        """Writes the file of the detector, which `sbog detect score` reads."""
        check_is_fitted(self, "model_")
        with open(path, "wb") as file:
            file.write(self.model_.tobytes())


class LatentDetector(ClassifierMixin, _FileModel):
    """A classifier of latent points that also says what is of no class.

    `predict` gives classes; `is_unusual`, `outlier_scores` and `p_values` say
    what should be rejected. Trained by the job `detect train`, which compares
    directions: a row of zeros, which has none, is refused.

    Parameters
    ----------
    level : float, default=0.95
        Share of held-out rows that are to be taken as known.
    random_state : int, default=None
        Seed of the split and of the outliers; None: 0.
    n_jobs : int, default=None
        Threads; None and -1: all cores.
    """

    def __init__(
        self,
        level: float = 0.95,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.level = level
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> LatentDetector:
        """Learns from rows and their classes."""
        X, y = validate(
            self, X, y=y, dtype=KINDS, order="C", ensure_min_features=2
        )
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y: two classes are expected, got one class")
        self._train(
            {"data": X, "labels": numbers.astype(np.int64)},
            kind="latent",
            level=self.level,
            seed=0 if self.random_state is None else self.random_state,
        )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class each row would be taken for."""
        numbers = self._verdicts(X).classes.astype(np.int64)
        classes: np.ndarray = self.classes_[numbers]
        return classes

    def outlier_scores(self, X: Any) -> np.ndarray:
        """Large is unusual."""
        return np.asarray(self._verdicts(X).scores)

    def p_values(self, X: Any) -> np.ndarray:
        """Share of held-out rows that are at least as unusual."""
        return np.asarray(self._verdicts(X).p_values)

    def is_unusual(self, X: Any) -> np.ndarray:
        """Rows above the threshold."""
        verdicts = self._verdicts(X)
        return np.asarray(verdicts.scores) > float(verdicts.threshold)

    def _verdicts(self, X: Any) -> Result:
        check_is_fitted(self, "model_")
        X = validate(self, X, dtype=KINDS, order="C", reset=False)
        return self._score(X)


class SeriesDetector(_FileModel):
    """Anomalies of a series of rows in time, learnt from a normal one.

    It has the parameters and names of an estimator, but its rows are moments in
    order, at least 50: shuffling or splitting them at random means nothing.

    Parameters
    ----------
    detector : str, default="views"
        As of `sbog.detect_train`.
    level : float, default=0.99
        Share of normal rows that are to stay below the threshold.
    causal : bool, default=False
        A score looks only at the past of its row.
    random_state : int, default=None
        Seed; None: 0.
    n_jobs : int, default=None
        Threads; None and -1: all cores.
    """

    def __init__(
        self,
        detector: str = "views",
        level: float = 0.99,
        causal: bool = False,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.detector = detector
        self.level = level
        self.causal = causal
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> SeriesDetector:
        """Learns from rows that are normal: an array, a DataFrame or a file."""
        result = self._train(
            {"data": X},
            kind="series",
            detector=self.detector,
            level=self.level,
            causal=self.causal or None,
            seed=0 if self.random_state is None else self.random_state,
        )
        self.n_features_in_ = result.channels
        return self

    def detect(self, X: Any, **options: Any) -> Result:
        """The Result of `sbog.detect_score`: scores, thresholds, alarms."""
        check_is_fitted(self, "model_")
        return self._score(X, **options)

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the score of each row: large is normal."""
        return -np.asarray(self.detect(X).scores)

    def predict(self, X: Any) -> np.ndarray:
        """1 for normal rows, -1 for those above their thresholds."""
        result = self.detect(X)
        return np.where(result.scores > result.thresholds, -1, 1)
