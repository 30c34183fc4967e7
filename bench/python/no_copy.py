# SPDX-License-Identifier: Apache-2.0
"""How much the resident size grows while an array of 2 GB of float32 is scored:
an array that was copied, or converted, would take 2 GB more. Writes one JSON file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import sbog

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from machine import commit, machine  # noqa: E402

ROWS, DIM = 4_000_000, 125  # 2 GB


def peak_bytes() -> int:
    """The largest resident size since the mark was taken back."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status: a line VmHWM is expected")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    bank = np.random.default_rng(1).normal(size=(16, DIM)).astype(np.float32)
    model = sbog.EnergyModel(epsilon=0.1).fit(bank)
    points = np.ones((arguments.rows, DIM), dtype=np.float32)
    model.score(points[:1000])
    Path("/proc/self/clear_refs").write_text("5")  # the mark falls to what is now
    before = peak_bytes()
    begin = time.perf_counter()
    energies = model.score(points)
    seconds = time.perf_counter() - begin
    report = {
        "machine": machine(),
        "commit": commit(),
        "array_bytes": points.nbytes,
        "result_bytes": energies.nbytes,
        "grown_bytes": peak_bytes() - before,
        "seconds": seconds,
    }
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")
    print(
        f"{points.nbytes / 1e9:.2f} GB scored in {seconds:.1f} s: resident size grew by "
        f"{report['grown_bytes'] / 1e6:.1f} MB, {energies.nbytes / 1e6:.1f} MB of them "
        "the energies"
    )


if __name__ == "__main__":
    main()
