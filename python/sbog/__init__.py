# SPDX-License-Identifier: Apache-2.0
"""Structured outliers by the Sinkhorn outlier energy.

The jobs of the command line are functions (generate, score, evaluate, certify,
dro, train_series, detect_train, detect_score, report, demo); arrays in memory
have EnergyModel, sample_outliers, solve_dro, robust_logits, certify_outliers and
sbog.metrics; stress asks a model where it breaks, explore shows what options do.
The estimators for scikit-learn are found where it is installed, and sbog.torch is
imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, metrics
from ._core import (
    EnergyState,
    certifiable_ceiling,
    required_counts,
    smallest_count,
    smallest_epsilon,
)
from ._energy import (
    COSTS,
    EnergyModel,
    calibrate_threshold,
    conformal_p_values,
    find_epsilon,
)
from ._explore import explore
from ._listen import SbogWarning
from ._robust import Certificate, certify_outliers, robust_logits, run_oracle, solve_dro
from ._sampling import OutlierSet, class_means
from ._stress import StressResult
from .jobs import (
    certify,
    demo,
    detect_score,
    detect_train,
    dro,
    evaluate,
    generate,
    merge,
    report,
    score,
    train_series,
)
from .results import Result, RunResult

if TYPE_CHECKING:  # with the options of their tables, and what is found on demand
    from . import series as series
    from ._signatures import sample_outliers, stress
    from .estimators import BoundaryOutlierSampler as BoundaryOutlierSampler
    from .estimators import LatentDetector as LatentDetector
    from .estimators import PyODEnergy as PyODEnergy
    from .estimators import SeriesDetector as SeriesDetector
    from .estimators import SinkhornOutlierEnergy as SinkhornOutlierEnergy
else:
    from ._sampling import sample_outliers
    from ._stress import stress

__version__: str = _core.version

_ESTIMATORS = (
    "BoundaryOutlierSampler",
    "LatentDetector",
    "PyODEnergy",
    "SeriesDetector",
    "SinkhornOutlierEnergy",
)

__all__ = [
    "COSTS",
    "Certificate",
    "EnergyModel",
    "EnergyState",
    "OutlierSet",
    "Result",
    "RunResult",
    "SbogWarning",
    "StressResult",
    "calibrate_threshold",
    "certifiable_ceiling",
    "certify",
    "certify_outliers",
    "class_means",
    "conformal_p_values",
    "demo",
    "detect_score",
    "detect_train",
    "dro",
    "evaluate",
    "explore",
    "find_epsilon",
    "generate",
    "merge",
    "metrics",
    "report",
    "required_counts",
    "robust_logits",
    "run_oracle",
    "sample_outliers",
    "score",
    "smallest_count",
    "smallest_epsilon",
    "solve_dro",
    "stress",
    "train_series",
]


if not TYPE_CHECKING:  # else every name would be there

    def __getattr__(name: str) -> Any:
        # The estimators need scikit-learn, which the package does not ask for.
        if name in _ESTIMATORS:
            from . import estimators

            return getattr(estimators, name)
        if name == "series":
            import importlib

            return importlib.import_module(".series", __name__)
        raise AttributeError(f"module 'sbog' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS})
