# SPDX-License-Identifier: Apache-2.0
"""torch on the CPU: mm and logsumexp in tiles that fit a cache; also the same
with exp and sum in place, which only works because cosines are bounded."""

from __future__ import annotations

import math
import os

import numpy as np
import torch

import peer

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.set_flush_denormal(True)


def offer(bank: np.ndarray, epsilon: float) -> peer.Programs:
    columns = torch.from_numpy(bank).T.contiguous()
    shift = torch.tensor(-1 / epsilon)

    def by_logsumexp(q: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(torch.mm(q, b), dim=1) - 1 / epsilon

    # Every logit is in [-2 / epsilon, 0]: no maximum is needed.
    def in_place(q: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.addmm(shift, q, b).exp_().sum(dim=1).log_()

    def tiled(reduce, rows: int, cols: int) -> peer.Score:
        tiles = [
            columns[:, b].contiguous() for b in peer.spans(len(bank), cols)
        ]

        def score(queries: np.ndarray) -> np.ndarray:
            with torch.inference_mode():
                sharp = torch.from_numpy(queries) / epsilon
                parts = [
                    torch.logsumexp(
                        torch.stack([reduce(sharp[q], b) for b in tiles])
                        .double(),
                        dim=0,
                    )
                    for q in peer.spans(len(queries), rows)
                ]
                total = torch.cat(parts).numpy()
            return -epsilon * (total - math.log(len(bank)))

        return score

    def variants(reduce) -> dict[str, peer.Score]:
        return {
            f"tile {rows} x {cols}": tiled(reduce, rows, cols)
            for rows, cols in peer.TILES
        }

    return {
        "torch logsumexp": variants(by_logsumexp),
        "torch in place": variants(in_place),
    }


if __name__ == "__main__":
    peer.main(offer, {"torch": torch.__version__})
