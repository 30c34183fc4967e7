# SPDX-License-Identifier: Apache-2.0
"""A map with sliders: what epsilon, the semantic floor and sigma do to a bank."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import as_labels, as_matrix
from ._charts import MOST_POINTS, spread
from ._listen import thread_count
from ._sampling import _anchors
from .jobs import texts_of

_PROPOSALS = 16
_OUTLIERS = 40
_ANCHORS = 60


class Explorer:
    """What is feasible at a setting, and how it looks; see `explore`.

    share : share of the proposals that pass every test.
    """

    def __init__(
        self, bank: Any, labels: Any, class_anchors: Any, profile: str,
        options: dict[str, Any], seed: int, threads: Optional[int],
    ) -> None:
        points = as_matrix(bank, "bank")
        chosen = spread(len(points), MOST_POINTS)
        marks = None if labels is None else as_labels(labels, "labels", len(points))
        self.rows = chosen
        self.points = np.ascontiguousarray(points[chosen])
        self.labels = None if marks is None else np.ascontiguousarray(marks[chosen])
        self._anchors = _anchors(class_anchors, self.points, self.labels)
        self._profile = profile
        self._options = {"anchor_count": _ANCHORS, "max_rounds": 4, **options, "seed": seed}
        self._threads = thread_count(threads)
        shown = self._on_map(self.points)
        self._mean, self._axes, self.explained = _core.principal_axes(shown, 2)
        self.places = self.place(shown)
        self.share = float("nan")

    def _on_map(self, points: np.ndarray) -> np.ndarray:
        if self._options.get("projection", "sphere") != "sphere":
            return points
        norms = np.linalg.norm(points, axis=1, keepdims=True)
        return np.ascontiguousarray(points / np.where(norms > 0, norms, 1))

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points on the map, along the two leading axes."""
        places = (points - self._mean) @ self._axes.T
        pad = np.zeros((len(places), 2 - places.shape[1]))
        return np.ascontiguousarray(np.hstack([places, pad]), dtype=np.float32)

    def look(
        self,
        epsilon: Optional[float] = None,
        semantic_floor: Optional[float] = None,
        sigma: Optional[float] = None,
    ) -> dict[str, Any]:
        """Scores and thresholds, feasible proposals of every anchor, outliers."""
        wanted = {"epsilon": epsilon, "semantic_floor": semantic_floor, "sigma": sigma}
        values = {**self._options, **{k: v for k, v in wanted.items() if v is not None}}
        seen = _core.look(
            self.points,
            self.labels,
            self._anchors,
            self._profile,
            [(k, texts_of(k, v)) for k, v in values.items()],
            _PROPOSALS,
            _OUTLIERS,
            None,
            self._threads,
        )
        asked = seen["proposals"]
        self.share = float(seen["feasible"].sum() / asked) if asked else 0.0
        limits = seen["thresholds"]
        if self.labels is not None:
            limits = limits[np.unique(self.labels, return_inverse=True)[1]]
        seen["is_outside"] = seen["scores"] >= limits
        return seen


def _range(value: float, factor: float) -> list[float]:
    return [value / factor, value * factor]


def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "explore: anywidget is needed (pip install anywidget)"
        ) from None

    class ExplorerWidget(anywidget.AnyWidget):
        """Sliders and a map; `look` redraws it at their values."""

        _esm = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explore.js")
        epsilon = traitlets.Float().tag(sync=True)
        semantic_floor = traitlets.Float().tag(sync=True)
        sigma = traitlets.Float().tag(sync=True)
        ranges = traitlets.Dict().tag(sync=True)
        places = traitlets.Bytes().tag(sync=True)
        outside = traitlets.Bytes().tag(sync=True)
        outliers = traitlets.Bytes().tag(sync=True)
        words = traitlets.Unicode().tag(sync=True)
        share = traitlets.Float(allow_none=True).tag(sync=True)

        def __init__(self, explorer: Explorer, epsilon: float, floor: float, sigma: float):
            self.explorer = explorer
            super().__init__(
                epsilon=epsilon,
                semantic_floor=floor,
                sigma=sigma,
                ranges={
                    "epsilon": _range(epsilon, 20.0),
                    "sigma": _range(sigma, 10.0),
                    "semantic_floor": [-1.0, 1.0],
                    "has_floor": explorer._anchors is not None,
                },
                places=explorer.places.tobytes(),
            )
            self.observe(self._redraw, ["epsilon", "semantic_floor", "sigma"])
            self._redraw()

        def _redraw(self, _: Any = None) -> None:
            explorer = self.explorer
            has_floor = explorer._anchors is not None
            try:
                seen = explorer.look(
                    self.epsilon, self.semantic_floor if has_floor else None, self.sigma
                )
            except ValueError as error:
                self.share, self.words = None, str(error)
                return
            made = explorer.place(seen["outliers"])
            with self.hold_sync():
                self.outside = seen["is_outside"].astype(np.uint8).tobytes()
                self.outliers = made.tobytes()
                self.share = explorer.share
                anchors = len(seen["feasible"])
                some = int((seen["feasible"] > 0).sum())
                self.words = (
                    f"{explorer.share:.1%} of {seen['proposals']:,} proposals are "
                    f"feasible, at {some} of {anchors} anchors"
                )

    return ExplorerWidget


def explore(
    bank: Any,
    labels: Any = None,
    class_anchors: Any = None,
    *,
    profile: str = "boundary",
    epsilon: Optional[float] = None,
    semantic_floor: Optional[float] = None,
    sigma: Optional[float] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    **options: Any,
) -> Any:
    """A widget with sliders for epsilon, the semantic floor and sigma.

    It shows the map of at most 5,000 bank points, evenly spread over the rows,
    which of them are beyond the threshold, some outliers, and the share of the
    proposals that are feasible. All of it is computed again at every move.
    `options` are those of `sbog.sample_outliers`. Needs anywidget.
    """
    widget = _widget_class()
    explorer = Explorer(bank, labels, class_anchors, profile, options, seed, threads)
    first = explorer.look(epsilon, semantic_floor, sigma)
    if epsilon is None:
        epsilon = float(f"{np.median(first['epsilons']):.3g}")
    if sigma is None:
        sigma = float(f"{np.median(first['sigmas']):.3g}")
    if semantic_floor is None:
        semantic_floor = float(f"{np.min(first['floors']):.3g}")
    return widget(explorer, epsilon, max(-1.0, semantic_floor), sigma)
