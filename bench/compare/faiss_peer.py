# SPDX-License-Identifier: Apache-2.0
"""faiss IndexFlatL2, five nearest neighbours: another quantity, shown for its
cost. The answer is the squared distances."""

from __future__ import annotations

import os

import faiss
import numpy as np

import peer
from jobs import NEIGHBOURS

faiss.omp_set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def offer(bank: np.ndarray, epsilon: float) -> peer.Programs:
    del epsilon
    index = faiss.IndexFlatL2(bank.shape[1])
    index.add(bank)

    def search(queries: np.ndarray) -> np.ndarray:
        return index.search(np.ascontiguousarray(queries), NEIGHBOURS)[0]

    return {f"faiss k-NN, k = {NEIGHBOURS}": {"IndexFlatL2": search}}


if __name__ == "__main__":
    peer.main(offer, {"faiss": faiss.__version__})
