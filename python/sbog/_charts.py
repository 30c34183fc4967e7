# SPDX-License-Identifier: Apache-2.0
"""Charts of results as Vega-Lite specifications: plain dicts with their data.

`altair.Chart.from_dict(result.chart)` draws one; so does any page with Vega-Lite.
What a chart counts or bins, Vega-Lite does; axes of maps come from the library.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from . import _core

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
MOST_POINTS = 5000
_SIZE = {"width": 480, "height": 320}
_KINDS = {"domain": ["bank", "outlier"], "range": ["#9aa5b1", "#d1495b"]}


def plain(value: Any) -> Any:
    """A value as JSON has it; what is not finite is null."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def spread(count: int, most: int = MOST_POINTS) -> np.ndarray:
    """At most `most` of so many positions, evenly spread."""
    if count <= most:
        return np.arange(count)
    return np.linspace(0, count - 1, most).astype(np.int64)


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Records of columns."""
    names = list(columns)
    return [
        {name: plain(value) for name, value in zip(names, values)}
        for values in zip(*columns.values())
    ]


def _spec(rows: list[dict[str, Any]], title: str, **words: Any) -> dict[str, Any]:
    return {"$schema": SCHEMA, "title": title, "data": {"values": rows}, **_SIZE, **words}


def _field(name: str, title: Optional[str] = None, **words: Any) -> dict[str, Any]:
    return {"field": name, "type": "quantitative", "title": title or name, **words}


def histogram(
    values: Any, name: str, title: str, marks: Iterable[float] = ()
) -> dict[str, Any]:
    """How often values occur, with a line at each mark."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    rows = [{name: float(x)} for x in numbers[spread(len(numbers))]]
    bars = {
        "mark": "bar",
        "encoding": {
            "x": _field(name, bin={"maxbins": 40}),
            "y": {"aggregate": "count", "title": "rows"},
        },
    }
    lines = [
        {
            "data": {"values": [{name: float(mark)}]},
            "mark": {"type": "rule", "color": "#d1495b"},
            "encoding": {"x": _field(name)},
        }
        for mark in marks
        if np.isfinite(mark)
    ]
    return _spec(rows, title, layer=[bars, *lines])


def curve(x: Any, y: Any, names: tuple[str, str], title: str) -> dict[str, Any]:
    """A line through points."""
    rows = rows_of({names[0]: list(x), names[1]: list(y)})
    return _spec(
        rows,
        title,
        mark={"type": "line", "point": True},
        encoding={"x": _field(names[0]), "y": _field(names[1], scale={"zero": False})},
    )


def bars(facts: Mapping[str, Any], title: str) -> dict[str, Any]:
    """A bar for each number."""
    rows = [
        {"name": name, "value": plain(value)}
        for name, value in facts.items()
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    ]
    return _spec(
        rows,
        title,
        mark="bar",
        encoding={
            "y": {"field": "name", "type": "nominal", "sort": None, "title": None},
            "x": _field("value"),
        },
    )


def shares(rows: list[dict[str, Any]], name: str, title: str, word: str) -> dict[str, Any]:
    """Shares with their intervals; rows have `share`, `low` and `high`."""
    x = {"field": name, "type": "nominal", "sort": None, "title": name}
    points = {
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {"x": x, "y": _field("share", word, scale={"domain": [0, 1]})},
    }
    intervals = {
        "mark": "rule",
        "encoding": {"x": x, "y": _field("low", word), "y2": {"field": "high"}},
    }
    return _spec(rows, title, layer=[intervals, points])


def intervals(columns: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Energies of outliers with their intervals and labels."""
    chosen = spread(len(columns["energy"]), 1000)
    rows = rows_of({k: np.asarray(v)[chosen] for k, v in columns.items()})
    for number, row in zip(chosen, rows):
        row["outlier"] = int(number)
    x = _field("outlier")
    colour = {"field": "label", "type": "nominal"}
    return _spec(
        rows,
        title,
        layer=[
            {
                "mark": "rule",
                "encoding": {
                    "x": x,
                    "y": _field("low", "energy"),
                    "y2": {"field": "high"},
                    "color": colour,
                },
            },
            {
                "mark": "point",
                "encoding": {"x": x, "y": _field("energy"), "color": colour},
            },
        ],
    )


def series(scores: Any, thresholds: Any, title: str) -> dict[str, Any]:
    """Scores of rows in time, and the threshold."""
    chosen = spread(len(scores))
    columns = {"row": chosen, "score": np.asarray(scores)[chosen]}
    layers: list[dict[str, Any]] = [
        {"mark": "line", "encoding": {"x": _field("row"), "y": _field("score")}}
    ]
    if thresholds is not None and len(thresholds) == len(scores):
        columns["threshold"] = np.asarray(thresholds)[chosen]
        layers.append(
            {
                "mark": {"type": "line", "color": "#d1495b"},
                "encoding": {"x": _field("row"), "y": _field("threshold", "score")},
            }
        )
    return _spec(rows_of(columns), title, layer=layers)


def map_of(bank: Any, outliers: Any, facts: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Bank and outliers along the two leading axes of the bank."""
    points = np.ascontiguousarray(bank[spread(len(bank))])
    chosen = spread(len(outliers), 1000)
    mean, axes, explained = _core.principal_axes(points, 2)
    rows = _placed(points, mean, axes)
    for row in rows:
        row["kind"] = "bank"
    made = _placed(np.asarray(outliers)[chosen], mean, axes)
    for number, row in zip(chosen, made):
        row["kind"] = "outlier"
        for name, column in facts.items():
            row[name] = plain(column[number])
    shown = [f"component {i + 1} ({share:.0%})" for i, share in enumerate(explained)]
    tooltip = [{"field": name} for name in ("kind", *facts)]
    return _spec(
        rows + made,
        title,
        mark={"type": "point", "filled": True, "opacity": 0.6},
        encoding={
            "x": _field("x", shown[0], scale={"zero": False}),
            "y": _field("y", shown[1] if len(shown) > 1 else "y", scale={"zero": False}),
            "color": {"field": "kind", "type": "nominal", "scale": _KINDS},
            "tooltip": tooltip,
        },
    )


def _placed(points: np.ndarray, mean: np.ndarray, axes: np.ndarray) -> list[dict[str, Any]]:
    places = (points - mean) @ axes.T
    if places.shape[1] < 2:
        places = np.column_stack([places, np.zeros(len(places))])
    return [{"x": float(x), "y": float(y)} for x, y in places]


def outlier_map(made: Any) -> dict[str, Any]:
    """Of an OutlierSet; bank points lie as the outliers do, on the sphere."""
    bank = made._source["bank"]
    outliers = made.latents
    if len(outliers) and np.allclose(np.linalg.norm(outliers, axis=1), 1, atol=1e-3):
        norms = np.linalg.norm(bank, axis=1, keepdims=True)
        bank = bank / np.where(norms > 0, norms, 1)
    facts = {k: made.table[k] for k in ("class", "energy", "margin", "severity")}
    return map_of(bank, outliers, facts, "Bank and outliers")


def windows(sources: Any, edited: Any, channels: Sequence[str], sentence: str) -> dict[str, Any]:
    """The recorded and the edited window, channel by channel, where they differ."""
    changed = np.flatnonzero(np.abs(edited - sources).max(axis=0) > 0)
    rows = []
    for c in changed[:6] if len(changed) else range(min(1, sources.shape[1])):
        name = channels[c] if c < len(channels) else f"channel {c}"
        for kind, window in (("recorded", sources), ("edited", edited)):
            rows += [
                {"row": t, "value": plain(float(v)), "kind": kind, "channel": str(name)}
                for t, v in enumerate(window[:, c])
            ]
    return {
        "$schema": SCHEMA,
        "title": sentence,
        "data": {"values": rows},
        "facet": {"row": {"field": "channel", "type": "nominal", "title": None}},
        "spec": {
            "width": 480,
            "height": 120,
            "mark": "line",
            "encoding": {
                "x": _field("row"),
                "y": _field("value", scale={"zero": False}),
                "color": {"field": "kind", "type": "nominal", "title": None},
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }


def job_chart(result: Any) -> dict[str, Any]:
    """Of the result of a job: what it is about, else its numbers as bars."""
    facts, job = result.to_dict(), result.job
    title = f"sbog {job}"
    if job == "score":
        marks = [c.get("threshold") for c in facts.get("classes", [])]
        return histogram(result.energies, "energy", title, [m for m in marks if m is not None])
    if job == "dro":
        outcomes = [o for o in facts["outcomes"] if not isinstance(o["value"], str)]
        radii = [o["radius"] for o in outcomes]
        values = [o["value"] for o in outcomes]
        return curve(radii, values, ("radius", "worst expected loss"), title)
    if job == "solve_dro":
        return histogram(result.worst_case, "mass", title)
    if job == "certify":
        growth = facts["growth"]
        x = [g["factor"] for g in growth]
        y = [g["certified_share"] for g in growth]
        return curve(x, y, ("times the points", "certified share"), title)
    if job == "certify_outliers":
        names = {"energy": "energies", "low": "energies_low", "high": "energies_high"}
        columns = {k: facts[v] for k, v in names.items()}
        return intervals({**columns, "label": facts["labels"]}, title)
    if job == "detect_score" and "scores" in facts:
        return series(facts["scores"], facts.get("thresholds"), title)
    if job == "evaluate":
        metrics = {m["name"]: m.get("value") for m in facts.get("metrics", [])}
        return bars(metrics, title)
    return bars(facts, title)
