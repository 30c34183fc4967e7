# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the program to compare with, and made points."""

import os
import subprocess

import numpy as np
import pytest

from sbog import _tool


@pytest.fixture(scope="session")
def tool():
    """Runs the compiled program; SBOG_TOOL names it in a build tree."""
    program = os.environ.get("SBOG_TOOL", _tool.path())
    assert os.access(program, os.X_OK), f"{program}: the tests need the program"

    def run(*words):
        done = subprocess.run(
            [program, *map(str, words)], capture_output=True, text=True
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    return run


@pytest.fixture
def points():
    """Three clusters on a circle of directions, with their labels."""
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(3), 100)
    centres = np.eye(6)[:3] * 4
    values = centres[labels] + rng.normal(size=(300, 6)) * 0.4
    return values.astype(np.float32), labels
