# SPDX-License-Identifier: Apache-2.0
"""Arrays as the library takes them.

float32 and float64 arrays that lie row by row pass through without a copy.
Everything else is converted on purpose, once: integers, booleans and float16
become float64 (float16: float32), other layouts and byte orders become rows.
What is no number is refused with one sentence.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

_CPU = 1  # of DLPack


def to_numpy(values: Any, name: str) -> np.ndarray:
    """An array of NumPy from whatever holds numbers, without a copy if it can."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"{name}: a dense array is expected, got a sparse one; use .toarray()"
        )
    device = getattr(values, "__dlpack_device__", None)
    if device is not None and device()[0] != _CPU:
        raise TypeError(
            f"{name}: an array in the memory of the processor is expected, got "
            "one on another device; use .cpu()"
        )
    if hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
        try:
            return np.asarray(values)
        except ValueError as error:  # rows of different length
            raise ValueError(f"{name}: {error}") from None
    return np.from_dlpack(values)


def _numbers(array: np.ndarray, name: str) -> np.ndarray:
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported")
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{name}: numbers are expected, got objects that are none: {error}"
            ) from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: numbers are expected, got {array.dtype}")
    kind = np.dtype(np.float32 if array.dtype.kind == "f" else np.float64)
    if array.dtype.itemsize > 4:
        kind = np.dtype(np.float64)
    return np.ascontiguousarray(array, dtype=kind)


def as_matrix(values: Any, name: str, dtype: Any = None) -> np.ndarray:
    """Points, one per row; of `dtype` if it is given."""
    array = to_numpy(values, name)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: an array with two axes, one point per row, is expected, "
            f"got {array.ndim} axes; use .reshape(-1, 1) for points with one "
            "coordinate"
        )
    if 0 in array.shape:
        raise ValueError(
            f"{name}: at least one row and one column are expected, got shape "
            f"{array.shape}"
        )
    array = _numbers(array, name)
    return array if dtype is None else array.astype(dtype, copy=False)


def as_vector(values: Any, name: str, count: int | None = None) -> np.ndarray:
    """float64 numbers, `count` of them if it is given."""
    array = to_numpy(values, name)
    if array.ndim != 1 or count not in (None, array.shape[0]):
        wanted = "numbers" if count is None else f"{count} numbers"
        raise ValueError(
            f"{name}: {wanted} on one axis are expected, got shape {array.shape}"
        )
    return _numbers(array, name).astype(np.float64, copy=False)


def as_labels(values: Any, name: str, count: int | None = None) -> np.ndarray:
    """Whole numbers as int64, one per row."""
    array = to_numpy(values, name)
    if array.ndim != 1 or count not in (None, array.shape[0]):
        raise ValueError(
            f"{name}: one label per row is expected, got shape {array.shape}"
        )
    if array.dtype.kind not in "iub":
        rounded = _numbers(array, name)
        if not np.array_equal(rounded, np.rint(rounded)):
            raise ValueError(f"{name}: whole numbers are expected")
        array = rounded
    return np.ascontiguousarray(array, dtype=np.int64)


def as_count(value: Any, name: str) -> int:
    """A whole number of at least 0."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: a whole number is expected, got {value!r}") from None
    if not 0 <= count < 2**64:
        raise ValueError(
            f"{name}: a whole number of at least 0 and below 2^64 is expected, "
            f"got {count}"
        )
    return count


def as_number(value: Any, name: str) -> float:
    """A number; what may be and what not says who takes it."""
    if isinstance(value, str):
        raise TypeError(f"{name}: a number is expected, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a number is expected, got {value!r}") from None


def same_type(*arrays: np.ndarray | None) -> list[Any]:
    """float32 when all of them are, else float64 for all."""
    given = [array for array in arrays if array is not None]
    dtype = np.result_type(*given) if given else np.float64
    return [
        None if array is None else array.astype(dtype, copy=False) for array in arrays
    ]
