# SPDX-License-Identifier: Apache-2.0
"""The command `sbog` of the package: the compiled program in its place."""

from __future__ import annotations

import os
import sys


def path() -> str:
    """Where the program of this package lies."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "sbog")


def main() -> None:
    """Becomes the program, which gets signals and gives its exit code."""
    program = path()
    if not os.access(program, os.X_OK):
        sys.exit(f"sbog: {program} is missing; was the package built without it?")
    os.execv(program, ["sbog", *sys.argv[1:]])
