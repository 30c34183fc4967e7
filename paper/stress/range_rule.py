# SPDX-License-Identifier: Apache-2.0
"""The plainest alarm: how far a row lies beyond the recorded range.

use: range_rule.py RECORDING.npy CASES.npy OUT.npy

CASES has the shape windows x rows x channels. The score of a row is the largest
distance of a channel beyond its recorded limits, in recorded ranges; 0 within.
"""

import sys

import numpy as np

recording, cases, out = sys.argv[1:]
rows = np.load(recording).astype(np.float64)
low, high = rows.min(axis=0), rows.max(axis=0)
width = np.where(high > low, high - low, 1.0)
windows = np.load(cases).astype(np.float64)
beyond = np.maximum(windows - high, low - windows) / width
np.save(out, np.maximum(beyond, 0.0).max(axis=2))
