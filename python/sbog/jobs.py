# SPDX-License-Identifier: Apache-2.0
"""The jobs of the command line as functions.

Nothing about an option is written here: names, help, defaults, choices and
kinds come from the tables that the command line is made from.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import tempfile
import textwrap
from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import _core
from ._arrays import to_numpy
from ._listen import Listener, in_python, thread_count
from .results import Result, RunResult

_MADE_BY = {"generate": RunResult, "demo": RunResult, "report": RunResult}
_FIRST_WORDS = {
    "generate": "Structured outliers of a bank, of a series or of images, as a run.",
    "score": "Energies of a bank or of queries, threshold and quantiles.",
    "merge": "Energies from the states of all shards of a bank.",
    "evaluate": "Every quality metric of generated outliers.",
    "certify": "What the sample size can promise about outliers.",
    "dro": "Worst expected loss over a transport ball, and who carries it.",
    "train_series": "An encoder of windows, learnt once from a normal series.",
    "detect_train": "Learn what is normal from a series or from points.",
    "detect_score": "Score a series and list its alarms, or score points.",
    "report": "A run as one HTML page.",
    "demo": "The main job on embedded data, with a report.",
}
_OWN = """
    threads : int, optional
        Number of worker threads; None and -1: all cores. Also: n_jobs.
    progress : bool or callable, optional
        True: a bar of tqdm, if it is installed; a function is called as
        progress(stage, done, total), and what it raises ends the job.
"""
_TYPES = {"flag": "bool", "switch": "bool", "integer": "int", "number": "float"}


def texts_of(name: str, value: Any) -> list[str]:
    """A value as the texts that the tables read."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if isinstance(value, (bool, np.bool_)):
        return ["true" if value else "false"]
    if isinstance(value, (int, np.integer)):
        return [str(int(value))]
    if isinstance(value, (float, np.floating)):
        return [repr(float(value))]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return [f"{key}={_side_of(name, item)}" for key, item in value.items()]
    if isinstance(value, (list, tuple, range)):
        return [text for item in value for text in texts_of(name, item)]
    raise TypeError(
        f"{name}: a number, a text, a path or a list of them is expected, got "
        f"{type(value).__name__}"
    )


def _side_of(name: str, value: Any) -> str:
    """What a dictionary says of a key: nothing for None, LOW:HIGH for two."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ":".join(_side_of(name, item) for item in value)
    return "".join(texts_of(name, value))


def _names_a_file(option: Any) -> bool:
    words = ("FILE", "DATA", "PATH", "NAME|FILE", "RUN|DATA")
    is_input = option.value_name in words and not option.is_list
    return is_input and not option.is_output


class Inputs:
    """Arrays that stand for files, written where the job finds them.

    They lie in a temporary folder, but those of a run beside it, in OUT-inputs:
    its report, metrics and certificate read the bank again.
    """

    def __init__(self, out: Optional[str]) -> None:
        self._is_kept = out is not None
        self._folder = None if out is None else os.fspath(out).rstrip("/") + "-inputs"
        self._names: dict[str, str] = {}  # of the arrays, by path

    def __enter__(self) -> Inputs:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None and not self._is_kept:
            shutil.rmtree(self._folder, ignore_errors=True)

    def given(self, options: Any, values: dict[str, Any]) -> list:
        """Values as texts by name; arrays as files."""
        known = {name: o for o in options for name in (o.name, *o.other_names)}
        given = []
        for name, value in values.items():
            if value is None:
                continue
            option = known.get(name)
            # What is not known is refused by the table, with the nearest name.
            if option is not None and _names_a_file(option) and _is_array(value):
                value = self._file_of(option.name, value)
            texts = texts_of(name, value)
            if option is not None and not option.is_list and option.value_name == "LIST":
                texts = [",".join(texts)]
            given.append((name, texts))
        return given

    def worded(self, error: Exception) -> Exception:
        """The error with words of Python, and names of arrays for their files."""
        return worded(error, self._names)

    def _file_of(self, name: str, value: Any) -> str:
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="sbog-")
        os.makedirs(self._folder, exist_ok=True)
        if hasattr(value, "to_csv"):
            path = os.path.join(self._folder, name + ".csv")
            self._names[path] = name
            _write_frame(value, path, name)
            return path
        array = to_numpy(value, name)
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name}: numbers are expected, got {array.dtype}")
        path = os.path.join(self._folder, name + ".npy")
        self._names[path] = name
        np.save(path, np.ascontiguousarray(array), allow_pickle=False)
        return path


def worded(error: Exception, names: Mapping[str, str] = {}) -> Exception:
    """An error of the library with options as keywords and names for paths."""
    trace = error.__traceback__
    if trace is not None and trace.tb_next is not None:
        return error  # raised by a function of the caller, and as it is
    text = in_python(str(error))
    for path, name in names.items():
        text = text.replace(path, name)
    return OSError(text) if isinstance(error, OSError) else ValueError(text)


def _write_frame(frame: Any, path: str, name: str) -> None:
    index = getattr(frame, "index", None)
    if type(index).__name__ == "PeriodIndex":
        frame = frame.to_timestamp()
        index = frame.index
    has_times = type(index).__name__ == "DatetimeIndex"
    if has_times:
        assert index is not None
        missing = np.flatnonzero(np.asarray(index.isna()))
        if len(missing):
            raise ValueError(
                f"{name}: every row needs a time, row {missing[0]} has none (NaT)"
            )
    frame.to_csv(path, index=has_times, index_label="time" if has_times else None)


def _is_array(value: Any) -> bool:
    if isinstance(value, (str, bytes, os.PathLike)):
        return False
    return isinstance(value, (list, tuple)) or any(
        hasattr(value, name) for name in ("__array__", "__dlpack__", "to_csv")
    )


def given_texts(values: dict[str, Any]) -> list:
    """Values as texts by name, for options that name no file."""
    return [(k, texts_of(k, v)) for k, v in values.items() if v is not None]


def run_job(
    job: str, values: dict[str, Any], threads: Optional[int] = None, progress: Any = None
) -> Result:
    """Runs the job with values by the names of its table."""
    options = _core.job_options(job)
    if "random_state" in values and any(o.name == "seed" for o in options):
        values["seed"] = values.pop("random_state")
    listener = Listener(progress)
    with Inputs(values.get("out") if job == "generate" else None) as inputs:
        given = inputs.given(options, values)
        try:
            status, text, pairs, classes = _core.run_job(
                job, given, listener, thread_count(threads)
            )
        except (ValueError, OSError) as error:
            raise inputs.worded(error) from None
        finally:
            listener.close()
    arrays: dict[str, Any] = {}
    for name, array in pairs:
        if job == "dro":
            arrays.setdefault(name, []).append(array)
        elif len(array):
            arrays[name] = array
    if classes:
        arrays["classes"] = np.asarray(classes)
    facts = json.loads(text) if text else {}
    listener.emit_warnings()
    kind = _MADE_BY.get(job, Result)
    return kind(job, status, facts, arrays, listener.notes, listener.warnings)


def type_text(option: Any) -> str:
    """The type of a keyword, for docstrings and stubs."""
    base = _TYPES.get(option.type, "str")
    if option.is_list:
        return f"list of {base}"
    if option.choices:
        return "{" + ", ".join(repr(choice) for choice in option.choices) + "}"
    if _names_a_file(option):
        return "str, path or array"
    return base


def _paragraph(option: Any) -> str:
    words = in_python(option.help.rstrip(".") + ".")
    if option.default_text:
        words += f" Default: {in_python(option.default_text)}."
    if len(option.kinds) < 3:
        words += f" For {' and '.join(option.kinds)}."
    if option.other_names:
        words += f" Also: {', '.join(option.other_names)}."
    need = "" if option.is_required else ", optional"
    return f"{option.name} : {type_text(option)}{need}\n" + textwrap.indent(
        textwrap.fill(words, 72), "    "
    )


def docstring(first: str, own: str, options: Any) -> str:
    """Words of a function: its own parameters, those of a table, the common ones."""
    body = textwrap.indent(own + "\n".join(map(_paragraph, options)), "    ")
    return f"{first}\n\n    Parameters\n    ----------\n{body}{_OWN}"


def _docstring(job: str, options: Any) -> str:
    ordered = sorted(options, key=lambda o: (not o.is_positional, not o.is_basic))
    return docstring(_FIRST_WORDS.get(job, f"The job {job}."), "", ordered)


def _signature(options: Any) -> inspect.Signature:
    # The first position is for what the job is about, also where another option
    # may stand for it.
    kinds = inspect.Parameter
    positional = [o for o in options if o.is_positional]
    others = [o for o in options if not o.is_positional]
    parameters = [
        kinds(
            o.name,
            kinds.POSITIONAL_OR_KEYWORD,
            default=kinds.empty if o.is_required else None,
        )
        for o in positional
    ]
    others.sort(key=lambda o: (not o.is_required, not o.is_basic))
    parameters += [
        kinds(
            o.name, kinds.KEYWORD_ONLY, default=kinds.empty if o.is_required else None
        )
        for o in others
    ]
    for name in ("threads", "progress"):
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters, return_annotation=Result)


def _make(job: str) -> Callable[..., Result]:
    options = _core.job_options(job)
    places = [o.name for o in options if o.is_positional]

    def function(*args: Any, **values: Any) -> Result:
        if len(args) > len(places):
            raise TypeError(
                f"{job}() takes {len(places)} arguments without a name, got "
                f"{len(args)}"
            )
        for name, value in zip(places, args):
            if name in values:
                raise TypeError(f"{job}() got {name!r} twice")
            values[name] = value
        threads = values.pop("threads", None)
        if threads is None:
            threads = values.pop("n_jobs", None)
        return run_job(job, values, threads, values.pop("progress", None))

    function.__name__ = function.__qualname__ = job
    function.__module__ = "sbog"
    function.__doc__ = _docstring(job, options)
    function.__signature__ = _signature(options)  # type: ignore[attr-defined]
    return function


__all__ = list(_core.job_names())
globals().update({name: _make(name) for name in __all__})
