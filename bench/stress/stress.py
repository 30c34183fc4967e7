# SPDX-License-Identifier: Apache-2.0
"""Speed and memory of a stress test, end to end: scenarios of a CSV of 20,000
rows and 12 channels with the default detector, and latent cases of 768
dimensions with a command that answers a batch of 256 in about a millisecond,
with severities and without. Writes one JSON file, and with --readme the table
between the markers of that page."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "generate"))

import banks  # noqa: E402
import page  # noqa: E402
from shared import Finished, commit, machine, run  # noqa: E402

THREADS = 2
ROWS, CHANNELS = 20_000, 12
CASES = 1000
CLASSES = 10
LATENT_CASES = 10_000
RUNS = 3  # of each kind of sampling, in turn; the shortest counts
BEGIN, END = "<!-- stress: written by bench/stress -->", "<!-- end of stress -->"


def say(text: str) -> None:
    print(f"stress: {text}", file=sys.stderr, flush=True)


def sbog(tool: Path, *words: object) -> tuple[dict, Finished]:
    common = ["--threads", str(THREADS), "--json", "--quiet"]
    done = run([str(tool), *map(str, words), *common], codes=(0, 1))
    return json.loads(done.text), done


def write_series(path: Path) -> None:
    """Channels that follow three slow hidden ones, with noise and daily waves."""
    random = np.random.default_rng(24)
    hidden = np.empty((ROWS, 3))
    state = np.zeros(3)
    for t, step in enumerate(random.standard_normal((ROWS, 3))):
        state = 0.995 * state + 0.1 * step
        hidden[t] = state
    day = np.sin(2 * np.pi * np.arange(ROWS)[:, None] / 1440 + np.arange(CHANNELS))
    values = hidden @ random.standard_normal((3, CHANNELS)) + 0.5 * day
    values += 0.1 * random.standard_normal(values.shape)
    times = np.datetime64("2024-01-01T00:00") + np.arange(ROWS)
    with open(path, "w", encoding="ascii") as file:
        names = ",".join(f"channel{c}" for c in range(CHANNELS))
        file.write(f"time,{names}\n")
        for time, row in zip(times, values):
            file.write(f"{time}," + ",".join(f"{x:.4f}" for x in row) + "\n")


def step(name: str, done: Finished, **more: object) -> dict:
    return {"step": name, "seconds": done.seconds, "cpu_seconds": done.cpu_seconds,
            "peak_bytes": done.peak_bytes, **more}


def measure_series(tool: Path, folder: Path) -> list[dict]:
    say(f"{CASES} cases of {ROWS} x {CHANNELS}")
    data, model = folder / "data.csv", folder / "detector.safetensors"
    write_series(data)
    cases = folder / "cases"
    made, generated = sbog(tool, "generate", data, "--law", "edit-first", "--count",
                           CASES, "--plots", 0, "--out", cases, "--no-report")
    _, trained = sbog(tool, "detect", "train", data, "--out", model)
    asked, stressed = sbog(tool, "stress", cases, "--model", model)
    return [
        step(f"`generate`, {CASES:,} cases, severities 1 to 3", generated,
             cases=made["produced"]),
        step("`detect train`, the default", trained),
        step("`stress`", stressed, cases=asked["overall"]["failures"]["of"]),
    ]


def measure_latent(tool: Path, folder: Path) -> tuple[list[dict], float]:
    say(f"{LATENT_CASES} latent cases of {banks.IMAGE_DIM} dimensions")
    banks.write_image_bank(folder, CLASSES)
    base = ["generate", folder / "bank.npy", "--labels", folder / "labels.npy",
            "--no-report"]
    each = LATENT_CASES // CLASSES
    kinds = {
        "without severities": ["--count", each],
        "severities 1 and 2": ["--count", each // 2, "--severity", "1,2"],
    }
    best: dict[str, tuple[dict, Finished]] = {}
    for repeat in range(RUNS):
        for name, words in kinds.items():
            out = folder / f"{name.split()[0]}-{repeat}"
            found = sbog(tool, *base, *words, "--out", out)
            if name not in best or found[1].cpu_seconds < best[name][1].cpu_seconds:
                best[name] = found
    steps = [
        step(f"`generate`, {LATENT_CASES:,} latent cases, {name}", done,
             cases=made["produced"])
        for name, (made, done) in best.items()
    ]
    # Processor time: what others do on the machine does not count.
    plain, graded = (done.cpu_seconds for _, done in best.values())
    _, stressed = sbog(tool, "stress", folder / "severities-0", "--model",
                       "cp {cases} {out}", "--task", "classifier", "--batch", 256)
    steps.append(step("`stress`, a command, 256 cases in each call", stressed))
    return steps, graded / plain


def table(result: dict) -> str:
    rows = [
        [row["step"], f"{row['cases']:,}" if "cases" in row else "",
         f"{row['seconds']:.1f}", f"{row['cpu_seconds']:.1f}",
         f"{row['peak_bytes'] / 1e6:.0f}"]
        for row in result["series"] + result["latent"]
    ]
    total = sum(row["seconds"] for row in result["series"])
    facts = result["machine"]
    return (
        f"{facts['cpu']}, {facts['cores']} cores; commit {result['commit'][:12]}. "
        f"The series end to end: {total:.0f} s. Latent cases with severities take "
        f"{result['severity_ratio']:.2f} times the processor time of those without.\n\n"
        + page.table(["step", "cases", "s", "processor s", "MB"], rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--readme", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        series = measure_series(options.tool, folder)
        latent, ratio = measure_latent(options.tool, folder)
    result = {"machine": machine(), "commit": commit(), "series": series,
              "latent": latent, "severity_ratio": ratio}
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(table(result))
    if options.readme:
        page.put_into_page(options.readme, BEGIN, END, table(result))


if __name__ == "__main__":
    main()
