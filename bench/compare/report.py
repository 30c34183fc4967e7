# SPDX-License-Identifier: Apache-2.0
"""From raw measurements to bench/results, the tables of bench/README.md and the
list of targets on standard output. A missed target is shown, never an error."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from machine import ROOT, commit, machine
from page import print_targets, put_into_page, table, target_table
from targets import targets

BEGIN = "<!-- results: written by make bench -->"
END = "<!-- end of results -->"
# What Google Benchmark says about every run; the rest are our counters.
STANDARD = {
    "name", "family_index", "per_family_instance_index", "run_name",
    "run_type", "repetitions", "repetition_index", "threads", "iterations",
    "real_time", "cpu_time", "time_unit",
}  # fmt: skip
# Rates and the shares of a limit that belong to them.
SHARES = {"GFLOP/s": "fma_peak_%", "pairs/s": "exp_limit_%"}
RATES = set(SHARES) | {"rows/s"}


def natural_key(run: dict) -> list:
    """Numbers in a name are ordered as numbers."""
    parts = re.split(r"(\d+)", run["name"])
    return [int(p) if p.isdigit() else p for p in parts]


def kept(run: dict) -> dict:
    """Our counters of a run, and its time."""
    counters = {k: v for k, v in run.items() if k not in STANDARD}
    name = run["run_name"].removesuffix("/real_time")
    return {"name": name, "milliseconds": run["real_time"], **counters}


def merged(runs: list[dict]) -> dict:
    """The best time and the best rate of all repetitions."""
    best = {
        key: (max if key in RATES else min)(run[key] for run in runs)
        for key in runs[0]
    }
    if "sgemm_ms" in best:
        best["sgemm_%"] = 100 * best["sgemm_ms"] / best["energy_ms"]
    if "pruned_ms" in best:
        best["x_exact"] = best["exact_ms"] / best["pruned_ms"]
    return best


def bound_of(run: dict) -> tuple | None:
    """Counter of the rate, counter of its share, and what it depends on."""
    _, scalar, *_, threads = run["name"].split("/")
    for rate, share in SHARES.items():
        if share in run:
            return rate, share, scalar, threads
    return None


def best_runs(raw: dict) -> list[dict]:
    """One row per benchmark. A disturbed repetition may see too low a limit, so
    shares refer to the highest that the whole run has seen."""
    runs = [kept(r) for r in raw["benchmarks"] if r["run_type"] == "iteration"]
    limits: dict[tuple, float] = {}
    for run in runs:
        if bound := bound_of(run):
            limit = 100 * run[bound[0]] / run[bound[1]]
            limits[bound] = max(limit, limits.get(bound, 0.0))
    groups: dict[str, list[dict]] = {}
    for run in runs:
        groups.setdefault(run["name"], []).append(run)
    best = [merged(group) for group in groups.values()]
    for run in best:
        if bound := bound_of(run):
            run[bound[1]] = 100 * run[bound[0]] / limits[bound]
    return sorted(best, key=natural_key)


def micro_table(micro: dict) -> str:
    def cell(run: dict, key: str, form: str = "{:.0f} %") -> str:
        return form.format(run[key]) if key in run else ""

    rows = []
    for run in micro["benchmarks"]:
        share = cell(run, "fma_peak_%", "{:.0f} % of FMA peak")
        share += cell(run, "exp_limit_%", "{:.0f} % of exp limit")
        share += cell(run, "sgemm_%", "{:.0f} % of SGEMM's speed")
        share += cell(run, "x_exact", "{:.2f} x exact")
        rate = cell(run, "pairs/s", "{:.3g}")
        rate += cell(run, "rows/s", "{:.3g} rows")
        rows.append(
            [f"`{run['name']}`", f"{run['milliseconds']:.1f}", rate, share]
        )
    return table(["benchmark", "ms", "pairs/s", "beside its bound"], rows)


def compare_table(compare: dict) -> str:
    rows = []
    for job in compare["jobs"]:
        what = (
            f"dim {job['dim']}, n {job['bank']:,}, "
            f"{job['queries']:,} queries"
        )
        for row in job["rows"]:
            rows.append(
                [
                    what,
                    str(row["threads"]),
                    row["program"],
                    f"{1e3 * row['seconds']:.1f}",
                    f"{row['pairs_per_second']:.3g}",
                    f"{row['times_sbog']:.2f}",
                    f"{row['error']:.0e}",
                ]
            )
    head = ["job", "threads", "program", "ms", "pairs/s", "time / sbog's"]
    return table([*head, "error"], rows)


def generation_table(generate: dict) -> str:
    """Whole runs, from reading the bank to the written folder."""
    image, series = generate["image"], generate["series"]
    evaluate = generate["evaluate"]

    def row(what: str, run: dict, made: str, each: str) -> list[str]:
        seconds, megabytes = run["seconds"], run["peak_bytes"] / 1e6
        return [what, made, f"{seconds:.2f}", each, f"{megabytes:.0f}"]

    def generated(what: str, run: dict) -> list[str]:
        made = f"{run['produced']:,} of {run['requested']:,}"
        return row(what, run, made, f"{run['ms_per_outlier']:.3f}")

    bank = image["classes"] * image["class_points"]
    rows = [
        generated(
            f"images, dim {image['dim']}, n {bank:,} in "
            f"{image['classes']} classes",
            image,
        ),
        generated(
            f"time series, dim {series['dim']}, n {series['bank']:,}, "
            f"margin {series['margin']:g}",
            series,
        ),
        row(
            f"evaluate, dim {evaluate['dim']}, n {evaluate['bank']:,}",
            evaluate,
            f"{evaluate['outliers']:,}",
            "",
        ),
    ]
    return table(["setting", "outliers", "s", "ms / outlier", "MB"], rows)


def sampler_table(generate: dict) -> str:
    """The sampler beside torch."""
    rows = [
        [
            row["program"],
            f"{row['outliers']:,}",
            str(row.get("batch", "")),
            f"{row['ms_per_outlier']:.3f}",
            f"{row['times_sbog']:.2f}",
            f"{row['error']:.0e}",
        ]
        for row in generate["torch"]["rows"]
    ]
    head = ["program", "outliers", "batch", "ms / outlier", "time / sbog's"]
    return table([*head, "error"], rows)


def robust_table(robust: dict) -> str:
    """Robust logits beside torch."""
    rows = [
        [
            str(row["threads"]),
            row["program"],
            f"{1e3 * row['seconds']:.1f}",
            f"{row['rows_per_second']:.3g}",
            f"{row['times_sbog']:.2f}",
            f"{row['error']:.0e}",
        ]
        for row in robust["rows"]
    ]
    head = ["threads", "program", "ms", "rows/s", "time / sbog's", "error"]
    return table(head, rows)


def rendered(
    micro: dict,
    compare: dict,
    generate: dict,
    robust: dict,
    found: list[dict],
) -> str:
    m = micro["machine"]
    versions = ", ".join(
        f"{name} {version}"
        for name, version in sorted(compare["versions"].items())
    )
    return "\n\n".join(
        [
            f"{m['cpu']}, {m['cores']} cores, {m['simd']}; commit "
            f"{compare['commit'][:12]}; {versions}; OpenBLAS as "
            f"{m['openblas_core']}.",
            "### Targets",
            target_table(found),
            "### Beside other libraries",
            compare_table(compare),
            "### Generation",
            generation_table(generate),
            f"The sampler alone, {generate['torch']['classes']} classes:",
            sampler_table(generate),
            "### Robust logits",
            f"{robust['samples']:,} samples x {robust['classes']} classes, "
            f"{robust['atoms']} atoms each:",
            robust_table(robust),
            "### Beside the hardware",
            micro_table(micro),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", type=Path, help="folder of raw measurements")
    raw_folder = parser.parse_args().raw
    raw = json.loads((raw_folder / "micro.json").read_text())
    compare = json.loads((raw_folder / "compare.json").read_text())
    compare["memory"] = json.loads((raw_folder / "memory.json").read_text())
    generate = json.loads((raw_folder / "generate.json").read_text())
    robust = json.loads((raw_folder / "robust.json").read_text())
    micro = {
        "machine": machine(),
        "commit": commit(),
        "simd_target": raw["context"]["simd_target"],
        "openblas_core": raw["context"]["openblas_core"],
        "benchmarks": best_runs(raw),
    }
    found = targets(micro, compare, generate, robust)
    compare["targets"] = found
    results = ROOT / "bench" / "results"
    results.mkdir(exist_ok=True)
    contents = {
        "micro": micro,
        "compare": compare,
        "generate": generate,
        "robust": robust,
    }
    for name, content in contents.items():
        text = json.dumps(content, indent=2)
        (results / f"{name}.json").write_text(text + "\n")
    put_into_page(
        ROOT / "bench" / "README.md", BEGIN, END,
        rendered(micro, compare, generate, robust, found),
    )  # fmt: skip
    print_targets(found)


if __name__ == "__main__":
    main()
