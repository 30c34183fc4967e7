# SPDX-License-Identifier: Apache-2.0
"""Runs a program and tells its wall time and peak resident size.

A new process inherits the peak size of the one that started it, so this file,
which is small, stands between: launch.py COMMAND... passes the output on and
adds a last line in JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Finished:
    """One run of a program."""

    text: str  # its standard output
    code: int
    seconds: float
    cpu_seconds: float  # of all its threads
    peak_bytes: int


def run(command: list[str], codes: tuple[int, ...] = (0,)) -> Finished:
    """Ends the benchmark unless the exit code is one of `codes`."""
    done = subprocess.run(
        [sys.executable, __file__, *command], stdout=subprocess.PIPE, text=True
    )
    text, _, usage = done.stdout.rstrip("\n").rpartition("\n")
    if done.returncode != 0 or json.loads(usage)["code"] not in codes:
        raise SystemExit(f"bench: {' '.join(command)} failed")
    return Finished(text=text, **json.loads(usage))


def main(command: list[str]) -> None:
    start = time.perf_counter()
    process = subprocess.Popen(command)
    # wait4 instead of wait: it also tells the peak resident size.
    _, status, usage = os.wait4(process.pid, 0)
    answer = {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
    }
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])
