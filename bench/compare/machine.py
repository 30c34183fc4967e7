# SPDX-License-Identifier: Apache-2.0
"""What a figure depends on: the processor and the commit."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIMD = ("avx512f", "avx2", "avx", "sse4_2")  # best first


def _cpuinfo(field: str) -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return "unknown"


def openblas_core() -> str:
    """The processor that OpenBLAS takes this one for."""
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    except (OSError, AttributeError):
        return "unknown"
    name.restype = ctypes.c_char_p
    return name().decode()


def machine() -> dict:
    flags = _cpuinfo("flags").split()
    return {
        "cpu": _cpuinfo("model name"),
        "cores": os.cpu_count(),
        "simd": next((s for s in SIMD if s in flags), "none"),
        "openblas_core": openblas_core(),
    }


def commit() -> str:
    """The commit, with "+" when the sources differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    differs = git("status", "--porcelain", "--", "sbog", "cli", "python", "bench",
                  ":!bench/README.md", ":!bench/results")
    return (git("rev-parse", "HEAD") or "unknown") + ("+" if differs else "")
