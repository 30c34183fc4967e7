# SPDX-License-Identifier: Apache-2.0
"""The checks of scikit-learn, by the names of its releases."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import to_numpy

KINDS = [np.float64, np.float32]


def validate(estimator: Any, X: Any, **words: Any) -> Any:
    """validate_data, which also says where a value is missing."""
    if hasattr(X, "__dlpack_device__") and not hasattr(X, "__array_namespace__"):
        X = to_numpy(X, "X")
    try:
        return _validate_data(estimator, X, **words)
    except ValueError as error:
        if not ("NaN" in str(error) or "infinity" in str(error)):
            raise
        place = _first_strange(X)
        if place is None:
            raise
        first = str(error).splitlines()[0]
        raise ValueError(f"{first} Row {place[0]}, column {place[1]}.") from None


def _validate_data(estimator: Any, X: Any, **words: Any) -> Any:
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6 a method of the estimator
        return estimator._validate_data(X, **words)
    return validate_data(estimator, X, **words)


def _first_strange(X: Any) -> Optional[tuple[int, int]]:
    """Row and column of the first value that is not finite."""
    try:
        strange = np.argwhere(~np.isfinite(np.asarray(X, dtype=np.float64)))
    except (TypeError, ValueError):
        return None
    if not len(strange) or strange.shape[1] != 2:
        return None
    return int(strange[0, 0]), int(strange[0, 1])
