# SPDX-License-Identifier: Apache-2.0
"""Where a model breaks: any function of arrays is asked about graded cases."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
from typing import Any, Callable, Optional

import numpy as np

from . import _charts as charts
from . import _core, jobs
from ._arrays import as_labels, as_matrix, to_numpy
from ._listen import Listener, Progress, thread_count
from ._sampling import OutlierSet
from .results import Result, RunResult, html_frame, html_table, read_table



class StressResult(Result):
    """What a stress test says about a model; see `sbog.stress`.

    `status` is "done", or "not reached" when a gate of `require` is not passed.
    task, threshold, auroc, overall, severities, groups, weak_spots, gates, seek:
        the facts that `sbog stress --json` prints.
    table : one row per case: severity, class or kinds and channels, value,
        failure, as a structured array.
    sought : with `seek`, the points of the last pool, their losses, classes and
        bank rows; else None.
    """

    sought: Any = None
    _folder: Any = None
    _table: str = ""
    _junit: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether every gate is passed."""
        return self.status == "done"

    def junit(self, path: Any) -> None:
        """Writes a file of JUnit: a test case per gate and per weak spot."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._junit)

    @property
    def table(self) -> np.ndarray:
        """One row per case."""
        return read_table(self._table)

    @property
    def chart(self) -> dict[str, Any]:
        """Failures by severity, or of all cases, with intervals."""
        facts = self._facts
        rows = [
            {"severity": str(group["severity"]), **group["failures"]}
            for group in facts["severities"]
        ]
        rows = rows or [{"severity": "all", **facts["overall"]["failures"]}]
        return charts.shares(rows, "severity", f"sbog stress: {facts['model']}", facts["failure"])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), f"sbog stress: {self.status}") + self._page()

    def _rows(self) -> dict[str, Any]:
        facts = self._facts
        rows: dict[str, Any] = {
            "model": facts["model"],
            "task": facts["task"],
            "threshold": f"{facts['threshold']} (from the {facts['threshold_source']})",
            f"{facts['failure']} in all": _share_words(facts["overall"]["failures"]),
            "controls": _share_words(facts["controls"]["failures"]),
            "AUROC": facts["auroc"],
        }
        for group in facts["severities"]:
            rows[f"severity {group['severity']}"] = _share_words(group["failures"])
        spots = [s for s in facts["weak_spots"] if s["within"] is None]
        for spot in spots[:5]:
            name = f"weak spot: {spot['grouping']} {spot['group']}"
            if spot["severity"] is not None:
                name += f" at severity {spot['severity']}"
            rows[name] = _share_words(spot["failures"])
        for gate in facts["gates"]:
            value = "nothing to measure" if gate["value"] is None else f"{gate['value']:.4g}"
            rows[gate["gate"]] = f"{'pass' if gate['passed'] else 'FAIL'} ({value})"
        return rows

    def _page(self) -> str:
        """The report of the run, if there is one."""
        run = self._facts["run"]
        if not run or not os.path.isdir(run):
            return ""
        with tempfile.TemporaryDirectory(prefix="sbog-") as folder:
            path = os.path.join(folder, "report.html")
            try:
                jobs.run_job("report", {"run": run, "out": path})
            except OSError:  # scenarios that were made without an encoder have none
                return ""
            return html_frame(path)


def _share_words(share: dict[str, Any]) -> str:
    return (
        f"{100 * share['share']:.0f} % (95 %: {100 * share['low']:.0f} to "
        f"{100 * share['high']:.0f}) of {share['of']:,}"
    )


def _answers(model: Callable[..., Any]) -> Callable[[np.ndarray], np.ndarray]:
    """Asks the model and checks what it says: rows of float64."""

    def ask(cases: np.ndarray) -> np.ndarray:
        said = model(cases)
        if hasattr(said, "detach"):  # of torch
            said = said.detach()
        array = to_numpy(said, "model")
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or array.dtype.kind not in "fiub":
            raise ValueError(
                "model: numbers with one row per case are expected, got shape "
                f"{np.shape(said)} of {array.dtype}"
            )
        if len(array) != len(cases):
            raise ValueError(f"model: gave {len(array)} answers to {len(cases)} cases")
        if array.shape[1] == 0:
            raise ValueError("model: gave no number for a case")
        array = np.ascontiguousarray(array, dtype=np.float64)
        strange = np.argwhere(np.isnan(array))
        if len(strange):
            raise ValueError(
                f"model: its answer to case {strange[0, 0]} of a call has NaN in column "
                f"{strange[0, 1]}"
            )
        return array

    return ask


def _name_of(model: Any) -> str:
    name = getattr(model, "__qualname__", None) or type(model).__name__
    owner = getattr(model, "__self__", None)
    return f"{type(owner).__name__}.{model.__name__}" if owner is not None else name


def _in_memory(
    ask: Any, name: str, made: OutlierSet, values: dict[str, Any], controls: Any,
    listener: Listener, threads: int,
) -> Any:
    source = made._source
    if "bank" not in source:
        raise ValueError("cases: outliers of sample_outliers or of a sampler are expected")
    if not len(made):
        raise ValueError("cases: there is no outlier, so that there is nothing to ask")
    names = [] if made._names is None else [(i, str(n)) for i, n in enumerate(made._names)]
    rows = None if controls is None else as_matrix(controls, "controls", np.float32)
    epsilons = [report["epsilon"] for report in made.reports]
    arguments = (
        jobs.given_texts(values),
        ask,
        name,
        as_matrix(made.latents, "cases", np.float32),
        as_labels(made._numbers, "classes"),
        as_labels(made.table["anchor_row"], "anchor_row"),
        as_labels(made.table["severity"], "severity"),
        names,
        as_matrix(source["bank"], "bank", np.float32),
        source["labels"],
        source["class_anchors"],
        source["losses"],
        source["metric"],
        source["profile"],
        source["given"],
        float(np.median(epsilons)),
        rows,
        listener,
        threads,
    )
    try:
        return _core.stress_memory(*arguments)
    except (ValueError, OSError) as error:
        raise jobs.worded(error) from None


def _of_folder(
    ask: Any, name: str, cases: Any, values: dict[str, Any], listener: Listener, threads: int
) -> tuple[Any, Any]:
    """A run that is there, or one made from data in a folder of its own."""
    folder = None
    if isinstance(cases, RunResult):
        cases = cases.folder
    elif hasattr(cases, "run_folder"):  # scenarios of a series
        cases = cases.run_folder
    is_run = isinstance(cases, (str, os.PathLike)) and os.path.exists(
        os.path.join(cases, "manifest.json")
    )
    out = values.get("out")
    if not is_run and out is None:
        folder = tempfile.TemporaryDirectory(prefix="sbog-")
        out = os.path.join(folder.name, "run")
        values = {**values, "out": out}
    options = _core.stress_options()
    with jobs.Inputs(None if is_run else out) as inputs:
        given = inputs.given(options, {"input": cases, **values})
        try:
            return _core.stress_run(given, ask, name, listener, threads), folder
        except (ValueError, OSError) as error:
            raise inputs.worded(error) from None


def stress(
    model: Any,
    cases: Any,
    *,
    threads: Optional[int] = None,
    progress: Progress = None,
    **options: Any,
) -> StressResult:
    values = {k: v for k, v in options.items() if v is not None}
    if "random_state" in values:
        values["seed"] = values.pop("random_state")
    if "n_jobs" in values:
        threads = values.pop("n_jobs")
    if isinstance(model, (str, os.PathLike)):
        values["model"], model = os.fspath(model), None
    elif model is not None and not callable(model):
        raise TypeError(
            "model: a function of arrays is expected, such as classifier.predict_proba, "
            f"or a file of sbog.detect_train, got {type(model).__name__}"
        )
    ask = None if model is None else _answers(model)
    name = "" if model is None else _name_of(model)
    listener = Listener(progress)
    folder = None
    try:
        if isinstance(cases, OutlierSet):
            if ask is None:
                raise TypeError("model: a function of arrays is expected for cases in memory")
            controls = values.pop("controls", None)
            raw = _in_memory(
                ask, name, cases, values, controls, listener, thread_count(threads)
            )
        else:
            raw, folder = _of_folder(ask, name, cases, values, listener, thread_count(threads))
    finally:
        listener.close()
    listener.emit_warnings()
    status, text, table, junit, sought = raw
    result = StressResult(
        "stress", status, json.loads(text), {}, listener.notes, listener.warnings
    )
    result._table, result._junit, result._folder = table, junit, folder
    result.sought = sought
    return result


def _describe() -> None:
    own = ("input", "model", "resume")
    table = [o for o in _core.stress_options() if o.name not in own]
    ordered = sorted(table, key=lambda o: not o.is_basic)
    stress.__doc__ = jobs.docstring(
        "Where a model breaks on outliers, by severity, class and kind of edit.",
        """model : callable, file or command
    A function that takes an array (cases x columns, or windows x rows x
    channels) and gives one row of numbers per case: probabilities or logits of
    a classifier, scores of a detector, losses. What it raises comes out as it
    is. Also a file of `sbog.detect_train`, or a command with {cases} and {out}.
cases : outliers, run or data
    An OutlierSet, Scenarios, the result or the folder of a run, or data (array,
    DataFrame, file) that a run is made from; without `out` in a folder that is
    removed with the result.
""",
        ordered,
    )
    kinds = inspect.Parameter
    parameters = list(inspect.signature(stress).parameters.values())[:-1]
    parameters += [kinds(o.name, kinds.KEYWORD_ONLY, default=None) for o in ordered]
    stress.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        parameters, return_annotation=StressResult
    )


_describe()
