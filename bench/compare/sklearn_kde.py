# SPDX-License-Identifier: Apache-2.0
"""scikit-learn KernelDensity: on the unit sphere the cosine cost is half the
squared distance, so with bandwidth sqrt(epsilon)

    K = (2 pi epsilon)^(dim / 2) density,   E = -epsilon log K.
"""

from __future__ import annotations

import math

import numpy as np
import sklearn
from sklearn.neighbors import KernelDensity

import peer

LEAVES = (200, 400, 1000)  # the default is 40


def offer(bank: np.ndarray, epsilon: float) -> peer.Programs:
    dim = bank.shape[1]
    log_scale = 0.5 * dim * math.log(2 * math.pi * epsilon)

    def with_leaf(size: int) -> peer.Score:
        model = KernelDensity(
            bandwidth=math.sqrt(epsilon), rtol=0, atol=0, leaf_size=size
        ).fit(bank)

        def score(queries: np.ndarray) -> np.ndarray:
            return -epsilon * (model.score_samples(queries) + log_scale)

        return score

    return {
        "KernelDensity": {"leaf_size 40": with_leaf(40)},
        "KernelDensity, best leaf_size": {
            f"leaf_size {size}": with_leaf(size) for size in LEAVES
        },
    }


if __name__ == "__main__":
    peer.main(offer, {"scikit-learn": sklearn.__version__})
