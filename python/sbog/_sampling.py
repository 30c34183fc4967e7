# SPDX-License-Identifier: Apache-2.0
"""Outliers of arrays in memory, with their provenance."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, Optional

import numpy as np

from . import _charts as charts
from . import _core
from ._arrays import as_labels, as_matrix, as_vector
from ._listen import Progress, listener_of, thread_count
from .jobs import _paragraph, texts_of
from .results import html_table


class OutlierSet:
    """Outliers and where they come from.

    latents : the outliers, one per row, in the type of the bank.
    table : structured array with one row each: class, anchor_row, round, energy,
        margin (energy minus threshold), cosines, origin; rarity (how often a
        point of the class is as far out, with an interval and a safe bound) and
        severity (its decade: 2 is 1 in 100 to 1 in 1,000; 0 is more often).
    reports : one dict per class: requested, produced, threshold, epsilon,
        fill_rate, acceptance with an interval, limiting_test.
    status : "done", "partial" or "infeasible".
    bank_scores : leave-one-out scores of the bank rows.
    """

    def __init__(
        self, raw: dict[str, Any], class_names: Any = None, source: Any = None
    ) -> None:
        # What it was drawn from, and class numbers: for stress and charts.
        self._source: dict[str, Any] = source or {}
        self._numbers: np.ndarray = np.asarray(raw["table"]["class"])
        self._names: Any = class_names
        self.status: str = raw["status"]
        self.latents: np.ndarray = raw["latents"]
        self.bank_scores: np.ndarray = raw["bank_scores"]
        self.reports: list[dict[str, Any]] = raw["reports"]
        columns = {k: np.asarray(v) for k, v in raw["table"].items()}
        columns["origin"] = columns["origin"].astype("U9")
        if class_names is not None:
            columns["class"] = class_names[columns["class"]]
            for report in self.reports:
                report["label"] = class_names[report["label"]]
        self.table: np.ndarray = np.empty(
            len(self.latents), dtype=[(k, v.dtype) for k, v in columns.items()]
        )
        for name, column in columns.items():
            self.table[name] = column

    @property
    def classes(self) -> np.ndarray:
        """The class of each outlier."""
        return self.table["class"]

    @property
    def fill_rate(self) -> float:
        """Share of what was asked for that is there."""
        asked = sum(report["requested"] for report in self.reports)
        return len(self.latents) / asked if asked else 1.0

    @property
    def limiting_test(self) -> Optional[str]:
        """The test that turned down most proposals where outliers are missing."""
        short = [r for r in self.reports if r["status"] != "done"]
        short.sort(key=lambda r: r["produced"] - r["requested"])
        return short[0]["limiting_test"] if short else None

    @property
    def chart(self) -> dict[str, Any]:
        """The map of bank and outliers as a Vega-Lite specification."""
        return charts.outlier_map(self)

    def __len__(self) -> int:
        return len(self.latents)

    def to_dict(self) -> dict[str, Any]:
        """The facts without the points."""
        return {
            "status": self.status,
            "outliers": len(self),
            "fill_rate": self.fill_rate,
            "limiting_test": self.limiting_test,
            "reports": self.reports,
        }

    def to_frame(self) -> Any:
        """The table as a DataFrame of pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame: pandas is needed (pip install pandas)") from None
        return pandas.DataFrame({k: self.table[k] for k in self.table.dtype.names or ()})

    def __repr__(self) -> str:
        return (
            f"<sbog OutlierSet: {self.status}; {len(self):,} outliers of "
            f"{len(self.reports)} class{'' if len(self.reports) == 1 else 'es'}>"
        )

    def _repr_html_(self) -> str:
        facts: dict[str, Any] = {k: v for k, v in self.to_dict().items() if k != "reports"}
        if len(self):
            facts["median energy"] = float(np.median(self.table["energy"]))
            facts["median margin"] = float(np.median(self.table["margin"]))
        for report in self.reports[:12]:
            facts[f"class {report['label']}"] = (
                f"{report['produced']} of {report['requested']}, threshold "
                f"{report['threshold']:.4g}, epsilon {report['epsilon']:.4g}"
            )
        return html_table(facts, f"sbog outliers: {self.status}")


def class_means(bank: Any, labels: Any) -> np.ndarray:
    """Class means of unit length, one row per label in increasing order."""
    points = as_matrix(bank, "bank")
    return _core.class_means(points, as_labels(labels, "labels", len(points)))


def _severities(severity: Any) -> str:
    return "" if severity is None else ",".join(texts_of("severity", severity))


def _place(key: Any, names: Any, dim: int) -> int:
    if isinstance(key, str):
        known = [] if names is None else [str(name) for name in names]
        if key not in known:
            shown = ", ".join(known) if known else "numbers of columns"
            raise ValueError(f"conditions: {key!r} is none of {shown}")
        return known.index(key)
    if isinstance(key, (bool, float)) or not -dim <= int(key) < dim:
        raise ValueError(f"conditions: a column from 0 to {dim - 1} is expected, got {key!r}")
    return int(key) % dim


def _condition(
    conditions: Any, names: Any, dim: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Options under which the named columns have the wanted values: a box that
    is as thin as a point there."""
    if options.get("projection", "box") == "sphere":
        raise ValueError(
            "conditions: columns keep their values in a box, not on the sphere; "
            "leave out projection='sphere'"
        )
    limit = float(np.finfo(np.float32).max)
    low = np.array(options.get("box_low", np.full(dim, -limit)), dtype=np.float64)
    high = np.array(options.get("box_high", np.full(dim, limit)), dtype=np.float64)
    for name, bound in (("box_low", low), ("box_high", high)):
        if bound.shape != (dim,):
            raise ValueError(f"{name}: {dim} numbers are expected, one per column")
    for key, value in dict(conditions).items():
        at = _place(key, names, dim)
        if not np.isfinite(value):
            raise ValueError(f"conditions: a finite value is expected for {key!r}")
        low[at] = high[at] = float(value)
    given = {"cost": "squared-euclidean", **options}
    return {**given, "projection": "box", "box_low": low, "box_high": high}


def draw(
    bank: Any,
    labels: Any = None,
    class_anchors: Any = None,
    losses: Any = None,
    metric: Any = None,
    *,
    profile: str = "boundary",
    severity: Any = None,
    conditions: Any = None,
    counts: Any = None,
    threads: Optional[int] = None,
    progress: Progress = None,
    class_names: Any = None,
    column_names: Any = None,
    **options: Any,
) -> OutlierSet:
    """What sample_outliers does; `counts` has the outputs of every class."""
    if column_names is None:
        column_names = getattr(bank, "columns", None)
    points = as_matrix(bank, "bank")
    marks = None if labels is None else as_labels(labels, "labels", len(points))
    anchors = _anchors(class_anchors, points, marks)
    if "random_state" in options:
        options["seed"] = options.pop("random_state")
    if "n_jobs" in options:
        threads = options.pop("n_jobs")
    if conditions:
        options = _condition(conditions, column_names, points.shape[1], options)
    given = [(k, texts_of(k, v)) for k, v in options.items() if v is not None]
    source = {
        "bank": points,
        "labels": marks,
        "class_anchors": anchors,
        "losses": None if losses is None else as_vector(losses, "losses", len(points)),
        "metric": None if metric is None else as_matrix(metric, "metric", np.float64),
        "profile": profile,
        "given": given,
    }
    arguments: Any = (
        *source.values(),
        _severities(severity),
        None if counts is None else [int(n) for n in counts],
        listener_of(progress),
        thread_count(threads),
    )
    raw = _core.sample_outliers(*arguments)
    return OutlierSet(raw, class_names, source)


def _anchors(class_anchors: Any, points: np.ndarray, marks: Any) -> Any:
    if class_anchors is None:
        class_anchors = "none" if marks is None else "means"
    if not isinstance(class_anchors, str):
        return as_matrix(class_anchors, "class_anchors", np.float64)
    if class_anchors not in ("means", "none"):
        raise ValueError(
            "class_anchors: an array, 'means' or 'none' is expected, got "
            f"{class_anchors!r}"
        )
    if class_anchors == "none":
        return None
    if marks is None:
        raise ValueError("class_anchors: 'means' needs labels")
    return _core.class_means(points, marks)


def sample_outliers(
    bank: Any,
    labels: Any = None,
    class_anchors: Any = None,
    losses: Any = None,
    metric: Any = None,
    *,
    profile: str = "boundary",
    severity: Any = None,
    conditions: Any = None,
    threads: Optional[int] = None,
    progress: Progress = None,
    **options: Any,
) -> OutlierSet:
    return draw(
        bank,
        labels,
        class_anchors,
        losses,
        metric,
        profile=profile,
        severity=severity,
        conditions=conditions,
        threads=threads,
        progress=progress,
        **options,
    )


def _describe() -> None:
    options = _core.sampler_options()
    body = "\n".join(_paragraph(o) for o in options)
    sample_outliers.__doc__ = (
        "Outliers of a bank: weakly supported by it, still of their class.\n\n"
        "    Parameters\n    ----------\n"
        "    bank : array\n        Points, one per row, float32 or float64.\n"
        "    labels : array, optional\n        Class of each row; none: one class.\n"
        "    class_anchors : array, 'means' or 'none', optional\n"
        "        One row per class, which outliers must stay near by their cosine.\n"
        "        Default: means with labels.\n"
        "    losses : array, optional\n        One per row, for task_beta.\n"
        "    metric : array, optional\n        The matrix of a Mahalanobis cost.\n"
        "    profile : str\n        Defaults to start from: "
        + ", ".join(_core.profile_names())
        + ".\n"
        "    severity : int or list of int, optional\n"
        "        Bands of rarity, each of which gets `count` outliers of every class:\n"
        "        2 is what 1 in 100 to 1 in 1,000 points reach.\n"
        "    conditions : dict, optional\n"
        "        Values that columns have in every outlier, by name or number. The\n"
        "        cost is then squared-euclidean unless another one is given.\n"
        + textwrap.indent(body, "    ")
        + "\n    threads : int, optional\n        None and -1: all cores.\n"
        "    progress : bool or callable, optional\n        As for the jobs.\n"
    )
    own = list(inspect.signature(sample_outliers).parameters.values())[:-1]
    kinds = inspect.Parameter
    own += [kinds(o.name, kinds.KEYWORD_ONLY, default=None) for o in options]
    sample_outliers.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        own, return_annotation=OutlierSet
    )


_describe()
