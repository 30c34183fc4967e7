# SPDX-License-Identifier: Apache-2.0
"""The types of the package, as mypy sees them; without mypy not looked at."""

import os
import pathlib
import textwrap

import pytest

api = pytest.importorskip("mypy.api", reason="mypy is not installed")

import sbog

FOLDER = pathlib.Path(sbog.__file__).parent
SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"


def check(*words, monkeypatch, cache):
    """What mypy says of the files; the package is the one that is tested."""
    monkeypatch.setenv("MYPYPATH", os.fspath(FOLDER.parent))
    said, failed, _ = api.run(
        ["--config-file", os.fspath(SETTINGS), "--cache-dir", os.fspath(cache), *words]
    )
    assert not failed, failed
    return said


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_the_package_keeps_to_its_types(monkeypatch, cache):
    said = check(os.fspath(FOLDER), monkeypatch=monkeypatch, cache=cache)
    assert said.startswith("Success"), said


USED = """
    import numpy as np
    import sbog

    bank = np.ones((9, 2))
    made = sbog.sample_outliers(bank, count=3, epsilon="auto", random_state=1, n_jobs=2)
    reveal_type(made)
    reveal_type(sbog.EnergyModel().fit(bank).score(bank))
    reveal_type(sbog.generate(bank, out="run", severity=[1, 2]))
    reveal_type(sbog.stress(lambda rows: rows.sum(axis=1), made, budget=9))
    reveal_type(sbog.SinkhornOutlierEnergy().fit(bank))
    reveal_type(sbog.series.scenarios(bank))
    sbog.sample_outliers(bank, quantil=0.9)
    sbog.score(bank, quantil=0.9)
    sbog.stress(np.sum, made, budgt=3)
    sbog.generate(bank, out="run", profile="nowhere")
    sbog.nothing
"""
SAID = [
    (7, "OutlierSet"),
    (8, "ndarray"),
    (9, "RunResult"),
    (10, "StressResult"),
    (11, "SinkhornOutlierEnergy"),
    (12, "Scenarios"),
    (13, 'error: Unexpected keyword argument "quantil"'),
    (14, 'error: Unexpected keyword argument "quantil"'),
    (15, 'error: Unexpected keyword argument "budgt"'),
    (16, 'error: Argument "profile"'),
    (17, "error: Module has no attribute"),
]


def test_a_program_is_told_types_and_wrong_names(tmp_path, monkeypatch, cache):
    (tmp_path / "used.py").write_text(textwrap.dedent(USED))
    monkeypatch.chdir(tmp_path)
    said = check("used.py", monkeypatch=monkeypatch, cache=cache)
    lines = [line for line in said.splitlines() if line.startswith("used.py:")]
    told = [line for line in lines if "note: Revealed" in line or "error:" in line]
    assert len(told) == len(SAID), said
    for line, (number, words) in zip(told, SAID):
        assert line.startswith(f"used.py:{number}:") and words in line, line
