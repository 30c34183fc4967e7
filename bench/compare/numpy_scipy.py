# SPDX-License-Identifier: Apache-2.0
"""numpy + scipy: matmul and logsumexp in tiles that fit a cache."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import logsumexp

import peer


def offer(bank: np.ndarray, epsilon: float) -> peer.Programs:
    columns = np.ascontiguousarray(bank.T)

    def tiled(reduce, rows: int, cols: int) -> peer.Score:
        def score(queries: np.ndarray) -> np.ndarray:
            sharp = queries / np.float32(epsilon)
            energies = np.empty(len(queries))
            for q in peer.spans(len(queries), rows):
                parts = [
                    reduce(sharp[q] @ columns[:, b])
                    for b in peer.spans(len(bank), cols)
                ]
                total = logsumexp(np.stack(parts).astype(np.float64), axis=0)
                energies[q] = 1 - epsilon * (total - np.log(len(bank)))
            return energies

        return score

    def by_scipy(logits: np.ndarray) -> np.ndarray:
        return logsumexp(logits, axis=1)

    def in_place(logits: np.ndarray) -> np.ndarray:
        top = logits.max(axis=1, keepdims=True)
        np.subtract(logits, top, out=logits)
        np.exp(logits, out=logits)
        return top[:, 0] + np.log(logits.sum(axis=1))

    def variants(reduce) -> dict[str, peer.Score]:
        return {
            f"tile {rows} x {cols}": tiled(reduce, rows, cols)
            for rows, cols in peer.TILES
        }

    return {
        "numpy + scipy logsumexp": variants(by_scipy),
        "numpy in place": variants(in_place),
    }


if __name__ == "__main__":
    peer.main(
        offer, {"numpy": np.__version__, "scipy": scipy.__version__}
    )
