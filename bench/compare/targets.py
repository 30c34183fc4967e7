# SPDX-License-Identifier: Apache-2.0
"""The figures that the project wants to reach, taken from the measurements."""

from __future__ import annotations

from collections.abc import Callable

from page import Targets


def _micro(micro: dict, start: str, end: str, counter: str) -> float:
    """Smallest counter of the benchmarks of that name."""
    return min(
        run[counter]
        for run in micro["benchmarks"]
        if run["name"].startswith(start) and run["name"].endswith(end)
    )


def _rows(compare: dict, job: str, threads: int) -> dict[str, dict]:
    rows = next(j["rows"] for j in compare["jobs"] if j["name"] == job)
    return {r["program"]: r for r in rows if r["threads"] == threads}


def _times(compare: dict, job: str, threads: int, program: str) -> float:
    return _rows(compare, job, threads)[program]["times_sbog"]


def _times_torch(compare: dict, job: str, is_tuned: bool) -> float:
    """Two threads. As people use torch: logsumexp with torch's own threads;
    tuned: the fastest program we could write."""
    rows = _rows(compare, job, 2)
    name = "torch logsumexp"
    if is_tuned:
        return min(
            row["times_sbog"]
            for program, row in rows.items()
            if program.startswith("torch")
        )
    row = rows.get(f"{name}, library threads only", rows[name])
    return row["times_sbog"]


def _worst_error(compare: dict) -> float:
    return max(
        row["error"]
        for job in compare["jobs"]
        for row in job["rows"]
        if row["program"].startswith("sbog")
    )


def _generation(generate: dict, want: Callable[..., None]) -> None:
    """Of `sbog generate` and `sbog evaluate`, two threads."""
    image, series = generate["image"], generate["series"]
    evaluate = generate["evaluate"]
    seconds, gigabytes = "{:.3g} s", "{:.2f} GB"
    what = (
        f"image setting, {image['classes']} classes x "
        f"{image['requested'] // image['classes']} outliers"
    )
    want(f"{what}, time", image["seconds"], 360, seconds, False)
    want(f"{what}, memory", image["peak_bytes"] / 1e9, 8, gigabytes, False)
    for row in generate["torch"]["rows"][1:]:
        if "library threads only" not in row["program"]:
            want(
                f"image setting, sampling beside {row['program']}",
                row["times_sbog"], 10, "{:.3g} x",
            )  # fmt: skip
    part = "sampling" if series["is_sampling_alone"] else "in all"
    want(
        f"time-series setting, {series['requested']} outliers, {part}",
        series["sample_seconds"], 2, seconds, False,
    )  # fmt: skip
    what = (
        f"evaluate, dim {evaluate['dim']}, n {evaluate['bank'] // 1000}k, "
        f"{evaluate['outliers'] // 1000}k outliers"
    )
    want(f"{what}, time", evaluate["seconds"], 60, seconds, False)
    want(f"{what}, memory", evaluate["peak_bytes"] / 1e9, 1, gigabytes, False)


def _robust(robust: dict, want: Callable[..., None]) -> None:
    """Of robust logits, two threads. A torch program that computes in float is
    shown too, though it does less."""
    what = f"robust logits, {robust['atoms']} atoms, 2 threads"
    for row in robust["rows"]:
        if row["threads"] != 2:
            continue
        if row["program"] == "sbog":
            want(
                f"{what}, million rows per second",
                row["rows_per_second"] / 1e6, 2, "{:.3g}",
            )  # fmt: skip
        else:
            want(
                f"{what}, beside {row['program']}",
                row["times_sbog"], 10, "{:.3g} x",
            )  # fmt: skip


def targets(
    micro: dict, compare: dict, generate: dict, robust: dict
) -> Targets:
    found = Targets()
    want = found.want
    percent, factor = "{:.0f} %", "{:.3g} x"
    for n in (1024, 4096, 16384):
        want(
            f"dim 768, n {n}, 1 thread, of OpenBLAS SGEMM",
            _micro(
                micro, f"energy_and_sgemm/float/dim:768/n:{n}/", ":1", "sgemm_%"
            ),
            95, percent,
        )  # fmt: skip
        want(
            f"dim 768, n {n}, 2 threads, of the FMA peak",
            _micro(
                micro, f"energy/float/dim:768/n:{n}/", ":2", "fma_peak_%"
            ),
            75, percent,
        )  # fmt: skip
    kinds = {False: "torch logsumexp", True: "the fastest torch program"}
    for is_tuned, rival in kinds.items():
        want(
            f"dim 64, n 100k, 2 threads, beside {rival}",
            _times_torch(compare, "middle", is_tuned), 2.5, factor,
        )  # fmt: skip
    for threads in (1, 2):
        want(
            f"dim 4, n 25k, {threads} thread(s), of the exp limit",
            _micro(
                micro,
                "energy/float/dim:4/n:25000/queries:25000/eps:0.02/",
                f":{threads}",
                "exp_limit_%",
            ),
            65, percent,
        )  # fmt: skip
    for is_tuned, rival in kinds.items():
        want(
            f"dim 4, n 25k, 2 threads, beside {rival}",
            _times_torch(compare, "narrow", is_tuned), 12, factor,
        )  # fmt: skip
    want(
        "dim 4, n 25k, 1 thread, beside KernelDensity(rtol=0)",
        _times(compare, "narrow", 1, "KernelDensity"), 120, factor,
    )  # fmt: skip
    for epsilon in ("0.02", "0.01"):
        for threads in (1, 2):
            want(
                f"dim 4, clustered, eps {epsilon}, {threads} thread(s), "
                "pruned beside exact",
                _micro(
                    micro,
                    f"pruned/float/dim:4/n:25000/queries:25000/eps:{epsilon}/",
                    f":{threads}",
                    "x_exact",
                ),
                2, factor,
            )  # fmt: skip
    want(
        "largest error on E", _worst_error(compare), 1e-6, "{:.1e}", False
    )
    want(
        "memory beyond bank and result, n 1M, dim 64, 100k queries",
        compare["memory"]["beyond_bank_and_result_bytes"] / 1e6,
        64, "{:.1f} MB", False,
    )  # fmt: skip
    _generation(generate, want)
    _robust(robust, want)
    return found
