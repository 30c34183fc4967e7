# SPDX-License-Identifier: Apache-2.0
"""1-NN: the distance of a row to the nearest recorded row.

use: nearest_row.py RECORDING.npy CASES.npy OUT.npy

CASES has the shape windows x rows x channels. Channels are in units of their
recorded standard deviation; at most 4,000 evenly spaced recorded rows are kept.
"""

import sys

import numpy as np

recording, cases, out = sys.argv[1:]
rows = np.load(recording).astype(np.float64)
spread = rows.std(axis=0)
spread[spread == 0] = 1.0
bank = (rows[:: -(-len(rows) // 4000)] / spread).astype(np.float32)
squares = (bank**2).sum(axis=1)
windows = np.load(cases)
scores = np.empty(windows.shape[:2])
for window, score in zip(windows, scores):
    points = (window / spread).astype(np.float32)
    distance = squares - 2 * points @ bank.T
    score[:] = distance.min(axis=1) + (points**2).sum(axis=1)
np.save(out, np.sqrt(np.maximum(scores, 0.0)))
