# SPDX-License-Identifier: Apache-2.0
"""What a long call says: progress, notes and warnings."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Callable, Optional, Union

_DASHED = re.compile(r"--([a-z][a-z-]*)")
Progress = Union[None, bool, Callable[[str, int, int], Any]]


def in_python(text: str) -> str:
    """Options as keywords spell them: `anchor_count` for `--anchor-count`."""
    return _DASHED.sub(lambda match: match[1].replace("-", "_"), text)


def _depth() -> int:
    """How many calls above its caller the first line outside of the package is,
    which is the one that a warning is about."""
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    return depth


class SbogWarning(UserWarning):
    """A sentence of a job that may change what its user does."""


class _Bar:
    """A bar of tqdm for every stage; silent where tqdm is not installed."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._tqdm is None:
            return
        if self._bar is None or stage != self._stage:
            self.close()
            self._bar = self._tqdm(total=total, desc=stage or None)
            self._stage = stage
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Listener:
    """Called by the library on the thread that called it.

    `progress` is None (silent), True (a bar of tqdm, if it is installed) or a
    function that is called as progress(stage, done, total). What it raises ends
    the call.
    """

    def __init__(self, progress: Progress = None) -> None:
        if progress is not None and not callable(progress):
            progress = _Bar() if progress else None
        self._progress: Optional[Callable[[str, int, int], Any]] = progress
        self._stage = ""
        self.notes: list[str] = []
        self.warnings: list[str] = []

    def __call__(self, kind: str, text: str, done: int, total: int) -> None:
        if kind == "progress":
            if self._progress is not None:
                self._progress(self._stage, done, total)
        elif kind == "note":
            self.notes.append(in_python(text))
        elif kind == "warning":
            self.warnings.append(in_python(text))
        elif kind == "stage":
            self._stage = text
        elif kind == "end":
            self.close()

    def close(self) -> None:
        if isinstance(self._progress, _Bar):
            self._progress.close()

    def emit_warnings(self) -> None:
        level = _depth()
        for sentence in self.warnings:
            warnings.warn(sentence, SbogWarning, stacklevel=level)


def listener_of(progress: Progress) -> Optional[Listener]:
    """None when there is nothing to tell: the call is then silent and cheap."""
    return None if progress is None or progress is False else Listener(progress)


def thread_count(threads: Optional[int]) -> int:
    """0, all cores, for None and -1, as scikit-learn's n_jobs."""
    if threads is None or threads == -1:
        return 0
    if threads < 0:
        raise ValueError(f"threads: a count, or -1 for all cores, got {threads}")
    return int(threads)
