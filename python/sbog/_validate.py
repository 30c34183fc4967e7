# SPDX-License-Identifier: Apache-2.0
"""The checks of scikit-learn, by the names of its releases."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = [np.float64, np.float32]


def validate(estimator: Any, X: Any, **words: Any) -> Any:
    """validate_data; a method of the estimator before scikit-learn 1.6."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        return estimator._validate_data(X, **words)
    return validate_data(estimator, X, **words)
