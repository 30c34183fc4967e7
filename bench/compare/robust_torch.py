# SPDX-License-Identifier: Apache-2.0
"""Robust logits in torch, as a process of its own so that its threads are set
before torch loads: robust_torch.py FOLDER --epsilon E --radius R.

One program is as people write it: all rows at once, rows x atoms, Newton in log
beta with a bracket, masks instead of branches, early stop. The others are tuned
and do what sbog does (Halley from a fourth-order start): atoms first, so that
sums run over whole vectors of rows; chunks that stay in a cache; buffers that
are kept; Q once per sample; a last step that is not checked.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.set_flush_denormal(True)

CHUNKS = (500, 1000, 2000, 4000, 8000, 16000)  # rows
TURNS = 40
ENOUGH = 1e-9  # on K, of the program as people write it
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5}  # of kappa
LAST = 1e-5  # of kappa: one more step is enough
PLAIN = "torch, as people write it"
NAMES = {torch.float64: "torch, tuned", torch.float32: "torch, tuned, in float"}


def plain(similarities, costs, epsilon: float, kappa: float):
    """Values and laws of all rows at once, in double."""
    classes = len(similarities) // len(costs)
    losses = -similarities.double()
    log_q = torch.log_softmax(-costs.double() / epsilon, dim=1)
    log_q = log_q.repeat_interleave(classes, dim=0)
    q = log_q.exp()
    top = losses.max(dim=1, keepdim=True).values
    spread = top - losses.min(dim=1, keepdim=True).values
    gains = (losses - top) / spread.clamp(min=1e-300)
    mean = (q * gains).sum(dim=1, keepdim=True)
    variance = (q * (gains - mean) ** 2).sum(dim=1, keepdim=True)
    at_top = q * (gains == 0)
    most = -torch.log(at_top.sum(dim=1, keepdim=True))
    is_saturated = (most <= kappa + 1e-6) | (variance < 1e-14)
    s = 0.5 * torch.log(2 * kappa / variance.clamp(min=1e-14))
    low = torch.full_like(s, -30)
    high = torch.full_like(s, 30)
    for _ in range(TURNS):
        beta = s.exp()
        z = log_q + beta * gains
        log_s = torch.logsumexp(z, dim=1, keepdim=True)
        law = (z - log_s).exp()
        mean = (law * gains).sum(dim=1, keepdim=True)
        variance = (law * (gains - mean) ** 2).sum(dim=1, keepdim=True)
        off = beta * mean - log_s - kappa
        off = off.masked_fill(is_saturated, 0)
        if off.abs().max() < ENOUGH:
            break
        low = torch.where(off < 0, s, low)
        high = torch.where(off > 0, s, high)
        step = off / (beta * beta * variance).clamp(min=1e-300)
        newton = s - step.clamp(-2, 2)
        is_inside = (newton > low) & (newton < high)
        s = torch.where(is_inside, newton, (low + high) / 2)
    at_top = at_top / at_top.sum(dim=1, keepdim=True)
    law = torch.where(is_saturated, at_top, law)
    return -(law * losses).sum(dim=1), law


class Chunk:
    """Buffers for rows that are solved together, atoms x rows."""

    def __init__(self, atoms: int, rows: int, dtype: torch.dtype) -> None:
        self.z = torch.empty(atoms, rows, dtype=dtype)
        self.e = torch.empty(atoms, rows, dtype=dtype)

    def tilt(self, gains, log_q, beta):
        """K, mean, variance and third moment of the tilted law, and the sum of
        its terms e. Gains are at most 0: no maximum is needed as long as the
        weight of the best atom does not underflow."""
        torch.addcmul(log_q, gains, beta, out=self.e).exp_()
        s0 = self.e.sum(dim=0)
        inverse = s0.reciprocal()
        mean = torch.mul(self.e, gains, out=self.z).sum(dim=0).mul_(inverse)
        second = self.z.mul_(gains).sum(dim=0).mul_(inverse)
        third = self.z.mul_(gains).sum(dim=0).mul_(inverse)
        square = mean * mean
        third += mean * (2 * square - 3 * second)
        variance = second.sub_(square).clamp_(min=0)
        k = (beta * mean).sub_(s0.log()).clamp_(min=0)
        return k, mean, variance, third, inverse


def start(q, gains, kappa: float):
    """Beta by the cumulants of the gains, where the series is sane."""
    x = gains - (q * gains).sum(dim=0)
    square = x * x
    w = q * square
    variance = w.sum(dim=0).clamp_(min=1e-30)
    a = (w * x).sum(dim=0).div_(3 * variance)
    fourth = w.mul_(square).sum(dim=0).div_(variance).sub_(3 * variance)
    b = (2 * kappa / variance).sqrt_()
    factor = 1 + b * (b * (2.5 * a * a - fourth / 8) - a)
    is_sane = (factor > 0.3) & (factor < 3)
    return torch.where(is_sane, b * factor, b)


def halley(beta, k, variance, third, kappa: float):
    slope = beta * variance
    r = (k - (k * kappa).sqrt_()).mul_(2).div_(slope)
    bend = 1 / beta + (third / variance).clamp_(-1, 1) - slope / (2 * k)
    return beta - r / (1 - 0.5 * r * bend).clamp_(0.5, 2)


def solve(losses, log_q, q, kappa: float, chunk: Chunk):
    """sup of the expected loss, and the tilted law: atoms x rows."""
    top = losses.amax(dim=0)
    spread = top - losses.amin(dim=0)
    is_constant = spread <= 0
    gains = losses.sub_(top).div_(spread.masked_fill(is_constant, 1))
    at_top = q * (gains == 0)
    most = -torch.log(at_top.sum(dim=0))
    is_saturated = (most <= kappa) | is_constant
    has_saturated = bool(is_saturated.any())
    is_high = (most < 2 * kappa).logical_and_(~is_saturated)
    has_high = bool(is_high.any())
    wanted = (most - kappa).clamp_(min=1e-30)
    beta = start(q, gains, kappa)
    if has_saturated:
        beta.masked_fill_(is_saturated, 1)
    low = torch.zeros_like(beta)
    high = torch.full_like(beta, math.inf)
    tolerance = TOLERANCE[losses.dtype] * kappa
    for _ in range(TURNS):
        k, mean, variance, third, inverse = chunk.tilt(gains, log_q, beta)
        residual = (k - kappa).abs_()
        if has_saturated:
            residual.masked_fill_(is_saturated, 0)
        worst = float(residual.max())
        if worst <= tolerance:
            break
        is_below = k < kappa
        low = torch.where(is_below, beta, low)
        high = torch.where(is_below, high, beta)
        guess = halley(beta, k, variance, third, kappa)
        if has_high:
            # Near the top log(most - K) is nearly linear in beta.
            left = (most - k).clamp_(min=1e-30)
            step = (left / wanted).log_().mul_(left / (beta * variance))
            guess = torch.where(is_high & (k > kappa / 4), beta + step, guess)
        is_good = (guess > low) & (guess < high) | (residual <= tolerance)
        if not bool(is_good.all()):
            inside = (low * high).sqrt_()
            outside = torch.where(is_below, beta * 4, beta / 4)
            is_open = torch.isinf(high) | (low == 0)
            guess = torch.where(
                is_good, guess, torch.where(is_open, outside, inside)
            )
        if has_saturated:
            guess.masked_fill_(is_saturated, 1)
        beta = guess
        if worst <= LAST * kappa:
            mean, inverse = chunk.tilt(gains, log_q, beta)[1::3]
            break
    law = chunk.e.mul_(inverse)
    value = top + spread * mean
    if has_saturated:
        law = torch.where(is_saturated, at_top / at_top.sum(dim=0), law)
        value = torch.where(is_saturated, top, value)
    return value, law


class Batch:
    """All rows, in chunks of whole samples."""

    def __init__(self, folder: Path, epsilon: float, radius: float) -> None:
        self.similarities = torch.from_numpy(
            np.load(folder / "similarities.npy")
        )
        self.costs = torch.from_numpy(np.load(folder / "costs.npy"))
        self.epsilon, self.kappa = epsilon, radius / epsilon
        self.classes = len(self.similarities) // len(self.costs)
        self.values = torch.empty(len(self.similarities))
        self.tilted = torch.empty_like(self.similarities)

    def work(self, first: int, last: int, rows: int, dtype: torch.dtype):
        """Samples [first, last)."""
        atoms = self.costs.shape[1]
        step = max(1, rows // self.classes)
        chunks: dict[int, Chunk] = {}
        with torch.inference_mode():
            for begin in range(first, last, step):
                end = min(begin + step, last)
                size = (end - begin) * self.classes
                if size not in chunks:
                    chunks[size] = Chunk(atoms, size, dtype)
                logits = self.costs[begin:end].to(dtype).div(-self.epsilon)
                log_q = torch.log_softmax(logits, dim=1).T.contiguous()
                q = log_q.exp().repeat_interleave(self.classes, dim=1)
                log_q = log_q.repeat_interleave(self.classes, dim=1)
                span = slice(begin * self.classes, end * self.classes)
                losses = self.similarities[span].T.contiguous().to(dtype)
                value, law = solve(
                    losses.neg_(), log_q, q, self.kappa, chunks[size]
                )
                self.values[span] = -value
                self.tilted[span] = law.T

    def work_plainly(self, first: int, last: int):
        """Samples [first, last)."""
        span = slice(first * self.classes, last * self.classes)
        with torch.no_grad():
            self.values[span], self.tilted[span] = plain(
                self.similarities[span],
                self.costs[first:last],
                self.epsilon,
                self.kappa,
            )

    def seconds(self, work, workers: int) -> float:
        """work(first, last) on a share of the samples per Python thread."""
        borders = np.linspace(0, len(self.costs), workers + 1).astype(int)
        start = time.perf_counter()
        if workers == 1:
            work(0, len(self.costs))
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(work, borders[:-1], borders[1:]))
        return time.perf_counter() - start

    def tuned(self, rows: int, dtype: torch.dtype):
        return lambda first, last: self.work(first, last, rows, dtype)


def measured(batch: Batch, variants: dict, workers: int, repeats: int):
    """Name of the fastest variant of a short trial, and its best time."""
    times = {
        name: min(batch.seconds(work, workers) for _ in range(2))
        for name, work in variants.items()
    }
    best = min(times, key=times.__getitem__)
    again = min(
        batch.seconds(variants[best], workers) for _ in range(repeats)
    )
    return best, min(times[best], again)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epsilon", type=float, required=True)
    parser.add_argument("--radius", type=float, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    batch = Batch(arguments.folder, arguments.epsilon, arguments.radius)
    programs: dict[str, dict] = {PLAIN: {"all": batch.work_plainly}}
    for dtype, name in NAMES.items():
        programs[name] = {
            f"{rows} rows": batch.tuned(rows, dtype) for rows in CHUNKS
        }
    results = []
    for name, variants in programs.items():
        variant, seconds = measured(
            batch, variants, arguments.workers, arguments.repeats
        )
        answer = arguments.folder / f"torch-{len(results)}.npz"
        np.savez(
            answer, values=batch.values.numpy(), tilted=batch.tilted.numpy()
        )
        results.append(
            {
                "program": name,
                "chunk": variant,
                "seconds": seconds,
                "python_threads": arguments.workers,
                "answer": answer.name,
            }
        )
    print(json.dumps({"results": results, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
