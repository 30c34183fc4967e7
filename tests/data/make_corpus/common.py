# SPDX-License-Identifier: Apache-2.0
"""Where the files go and what the valid ones hold."""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(
    sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
)


def put(kind, name, data):
    path = ROOT / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def good(name, data):
    put("valid", name, data)


def bad(name, data):
    put("malformed", name, data)


def counting(shape, dtype):
    count = int(np.prod(shape))
    values = np.arange(count)
    return (
        (values % 2 if np.dtype(dtype) == np.bool_ else values)
        .astype(dtype)
        .reshape(shape)
    )
