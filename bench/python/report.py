# SPDX-License-Identifier: Apache-2.0
"""From the measurements of the Python package to bench/results/python.json and
the tables of bench/README.md. A missed target is shown, never an error."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import page  # noqa: E402
from machine import ROOT, commit, machine  # noqa: E402

PARTS = ("no_copy", "call_overhead", "detectors")
BEGIN, END = "<!-- python: written by bench/python -->", "<!-- end of python -->"
CALLS = {
    "python": "Python",
    "library": "C++",
    "library_new_threads": "C++, with threads of its own as from Python",
}
OURS = "sbog, epsilon=auto"  # the default, and the slower of ours
RIVALS = {"KernelDensity": 10, "LocalOutlierFactor": 3}


def worked(row: dict) -> float:
    return row["fit_processor_seconds"] + row["score_processor_seconds"]


def times_ours(detectors: dict) -> dict[str, float]:
    """Processor seconds of fitting and scoring, in those of ours."""
    seconds = {row["program"]: worked(row) for row in detectors["results"]}
    return {name: value / seconds[OURS] for name, value in seconds.items()}


def targets(result: dict) -> page.Targets:
    found = page.Targets()
    array = result["no_copy"]
    gigabytes = array["array_bytes"] / 1e9
    found.want(
        f"{gigabytes:.0f} GB of float32 scored, resident size grows by",
        array["grown_bytes"] / 1e6, 100, "{:.1f} MB", False,
    )  # fmt: skip
    for row in result["call_overhead"]["calls"]:
        seconds = row["processor"]
        found.want(
            f"a call from Python beyond that in C++, {row['threads']} thread(s)",
            100 * (seconds["python"] / seconds["library"] - 1), 5, "{:.1f} %", False,
        )  # fmt: skip
    times = times_ours(result["detectors"])
    for name, target in RIVALS.items():
        what = f"SinkhornOutlierEnergy beside {name}"
        found.want(what, times[name], target, "{:.3g} x")
    return found


def call_table(overhead: dict) -> str:
    rows = [
        [str(row["threads"]), words]
        + [f"{1e3 * row[clock][name]:.2f}" for clock in ("processor", "wall")]
        for row in overhead["calls"]
        for name, words in CALLS.items()
    ]
    return page.table(["threads", "call", "processor ms", "ms"], rows)


def detector_table(detectors: dict) -> str:
    times = times_ours(detectors)
    keys = (
        "fit_processor_seconds",
        "score_processor_seconds",
        "fit_seconds",
        "score_seconds",
    )
    rows = [
        [name, *(f"{row[key]:.2f}" for key in keys), f"{times[name]:.2f}"]
        for row in detectors["results"]
        for name in [row["program"]]
    ]
    head = ["program", "fit, processor s", "score, processor s", "fit, s", "score, s"]
    return page.table([*head, "time / sbog's"], rows)


def rendered(result: dict) -> str:
    facts, overhead, detectors = (
        result[name] for name in ("machine", "call_overhead", "detectors")
    )
    versions = ", ".join(f"{n} {v}" for n, v in sorted(detectors["versions"].items()))
    least = overhead["calls"][0]["least_call_seconds"]
    return "\n\n".join(
        [
            f"{facts['cpu']}, {facts['cores']} cores, {facts['simd']}; commit "
            f"{result['commit'][:12]}; {versions}.",
            page.target_table(result["targets"]),
            f"{overhead['queries']:,} queries against {overhead['bank']:,} points of "
            f"dimension {overhead['dim']}, the shortest of {overhead['repeats']} calls "
            f"each; a call with one query and one point takes {1e3 * least:.2f} ms:",
            call_table(overhead),
            f"{detectors['rows']:,} rows of {detectors['dim']} numbers are fitted, "
            f"{detectors['queries']:,} others scored. The last column has the "
            "processor seconds of both, in those of `SinkhornOutlierEnergy` with its "
            "default temperature:",
            detector_table(detectors),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", type=Path, help="folder of raw measurements")
    raw = parser.parse_args().raw
    result: dict = {"machine": machine(), "commit": commit()}
    for name in PARTS:
        part = json.loads((raw / f"{name}.json").read_text())
        result[name] = {k: v for k, v in part.items() if k not in result}
    result["targets"] = targets(result)
    text = json.dumps(result, indent=2) + "\n"
    (ROOT / "bench" / "results" / "python.json").write_text(text)
    page.put_into_page(ROOT / "bench" / "README.md", BEGIN, END, rendered(result))
    page.print_targets(result["targets"])


if __name__ == "__main__":
    main()
