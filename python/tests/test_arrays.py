# SPDX-License-Identifier: Apache-2.0
"""What arrays are taken, what is converted and what is refused."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

import sbog
from sbog import _arrays

EPSILON = 0.1


def model(bank):
    return sbog.EnergyModel(epsilon=EPSILON).fit(bank)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_floats_are_looked_at_and_not_copied(dtype):
    bank = np.random.default_rng(0).normal(size=(50, 3)).astype(dtype)
    bank.flags.writeable = False
    assert np.shares_memory(_arrays.as_matrix(bank, "bank"), bank)
    assert np.shares_memory(model(bank).bank, bank)


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="freed memory is kept")
def test_scoring_a_large_array_takes_little_memory():
    queries = np.ones((3_000_000, 16), dtype=np.float32)  # 192 MB
    fitted = model(np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32))
    fitted.score(queries[:1000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fitted.score(queries)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000  # kilobytes; 24 MB are the energies


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda x: x[::1, ::-1][:, ::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: x.astype(object),
        memoryview,
    ],
)
def test_other_layouts_have_the_same_energies(convert):
    bank = np.random.default_rng(1).normal(size=(40, 3))
    expected = model(bank).score(bank)
    assert np.array_equal(model(convert(bank)).score(convert(bank)), expected)


def test_whole_numbers_become_floats():
    bank = np.arange(1, 25).reshape(8, 3)
    assert model(bank).bank.dtype == np.float64
    assert model(bank.astype(np.float16)).bank.dtype == np.float32


@pytest.mark.parametrize(
    "values, error, words",
    [
        ([["a", "b"]], ValueError, "points: numbers are expected"),
        ([[1.0, {}]], TypeError, "points: numbers are expected"),
        ([[1.0], [1.0, 2.0]], ValueError, "^points: "),
        ([[1j, 1.0]], ValueError, "Complex data not supported"),
        ([1.0, 2.0], ValueError, "points: an array with two axes"),
        (np.ones((2, 2, 2)), ValueError, "got 3 axes"),
        (np.ones((0, 3)), ValueError, "."),
        ([[1.0, 2.0], [1.0, np.nan]], ValueError, "row 1, column 1 is NaN"),
        ([[1.0, 2.0], [np.inf, 1.0]], ValueError, "row 1, column 0"),
        ("text", ValueError, "^points: "),
        (None, (ValueError, TypeError), "^points: "),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(values, error, words):
    with pytest.raises(error, match=words):
        model(values)


def test_an_array_on_another_device_is_refused():
    class OnGraphicsCard:
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(TypeError, match="another device; use .cpu()"):
        model(OnGraphicsCard())


def test_a_wrong_dimension_is_refused():
    fitted = model(np.ones((4, 3)))
    with pytest.raises(ValueError, match="3 coordinates are expected.*got 2"):
        fitted.score(np.ones((4, 2)))
    with pytest.raises(ValueError, match="row 0, column 1 is NaN"):
        fitted.score([[1.0, np.nan, 1.0]])


def test_dlpack_and_buffers_are_taken():
    import array

    class Tensor:  # as those of torch, without a copy
        def __init__(self, values):
            self._values = values

        def __dlpack_device__(self):
            return self._values.__dlpack_device__()

        def __dlpack__(self, **words):
            return self._values.__dlpack__(**words)

    bank = np.random.default_rng(2).normal(size=(10, 2))
    expected = model(bank).score(bank)
    assert np.array_equal(model(Tensor(bank)).score(Tensor(bank)), expected)
    weights = array.array("d", [1.0] * 10)
    fitted = sbog.EnergyModel(epsilon=EPSILON).fit(bank, weights)
    np.testing.assert_allclose(fitted.score(bank), expected, rtol=1e-12)


@pytest.mark.parametrize("first, second", [("torch", "sbog"), ("sbog", "torch")])
def test_torch_may_be_imported_before_and_after(first, second):
    pytest.importorskip("torch")
    program = (
        f"import {first}, {second}\n"
        "bank = torch.randn(50, 3)\n"
        "model = sbog.EnergyModel(epsilon=0.1).fit(bank)\n"
        "print(model.score(bank).shape, torch.mm(bank, bank.T).shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(50,) torch.Size([50, 50])\n"
