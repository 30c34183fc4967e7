# SPDX-License-Identifier: Apache-2.0
"""The helpers of bench/compare that are used here too."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "compare"))

from jobs import Job, unit_points  # noqa: E402
from launch import Finished, run  # noqa: E402
from machine import commit, machine  # noqa: E402

__all__ = ["Finished", "HERE", "Job", "commit", "machine", "run", "unit_points"]
