# SPDX-License-Identifier: Apache-2.0
"""Every result shows itself: a table, and a chart that Vega-Lite can read."""

import html
import json

import numpy as np
import pytest

import sbog
from sbog import _charts


def encodings_of(spec):
    """Every encoding of a specification with the rows that it draws."""
    rows = spec.get("data", {}).get("values", [])
    for part in (spec, spec.get("spec", {}), *spec.get("layer", [])):
        own = part.get("data", {}).get("values", rows)
        if "encoding" in part:
            yield part["encoding"], own


def assert_is_chart(spec):
    text = json.dumps(spec, allow_nan=False)
    assert json.loads(text) == spec
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/v5")
    found = list(encodings_of(spec))
    assert found
    for encoding, rows in found:
        channels = [c for c in encoding.values() if isinstance(c, dict)]
        fields = {channel["field"] for channel in channels if "field" in channel}
        assert fields and rows
        assert all(any(field in row for row in rows) for field in fields), fields


def assert_shows_itself(result):
    assert result._repr_html_().startswith("<table>")
    assert_is_chart(result.chart)


def test_results_of_jobs_show_themselves(points, tmp_path):
    bank, labels = points
    run = sbog.generate(bank, out=tmp_path / "run", labels=labels, count=8)
    results = [
        run,
        sbog.score(bank, labels=labels, per_class=True),
        sbog.evaluate(tmp_path / "run"),
        sbog.certify(bank, count=20),
        sbog.report(tmp_path / "run", out=tmp_path / "page.html"),
        sbog.detect_train(bank, labels=labels, kind="latent", out=tmp_path / "m.safetensors"),
        sbog.detect_score(tmp_path / "m.safetensors", bank),
        sbog.dro(losses="demo:losses", bank="demo:bank", radius=[0.0, 0.01, 0.1]),
        sbog.stress(lambda x: x[:, 0], run),
        sbog.run_oracle(bank_per_class=100, outputs_per_class=10, anchor_count=5),
    ]
    for result in results:
        assert_shows_itself(result)
    kinds = [row["kind"] for row in run.chart["data"]["values"]]
    assert kinds.count("bank") == 300 and kinds.count("outlier") == 24
    curve = [row["radius"] for row in results[7].chart["data"]["values"]]
    assert curve == [0.0, 0.01, 0.1]
    assert results[7].to_dict()["outcomes"][1]["radius"] == 0.01


def test_links_of_a_page_in_a_notebook_stay_in_the_page(tmp_path):
    run = sbog.generate("demo:bank", labels="demo:labels", out=tmp_path / "run", count=3)
    shown = html.unescape(run._repr_html_())
    base = shown.index('<base href="about:srcdoc">')
    # Before the rules of the page, which would forbid it.
    assert shown.index("<head>") < base < shown.index("Content-Security-Policy")
    assert shown.count("<base") == 1


def test_results_in_memory_show_themselves(points):
    bank, labels = points
    made = sbog.sample_outliers(bank, labels, count=5)
    reference, calibration = bank[::2], bank[1::2]
    results = [
        made,
        sbog.solve_dro(bank[:, 0], bank, 0.01, epsilon=0.1),
        sbog.solve_dro(bank[:, 0], bank, [0.0, 0.01], epsilon=0.1),
        sbog.metrics.evaluate_outliers(bank, made.latents, labels=labels),
        sbog.certify_outliers(reference, calibration, made.latents, epsilon=0.5),
        sbog.stress(lambda x: x[:, 0], made),
    ]
    for result in results:
        assert_shows_itself(result)


def test_a_result_of_a_series_shows_itself():
    rng = np.random.default_rng(3)
    t = np.arange(1200)
    rows = np.column_stack([np.sin(t / 9.0), np.cos(t / 13.0)])
    rows += rng.normal(size=rows.shape) * 0.05
    made = sbog.series.scenarios(rows, count=2, epochs=4, width=80)
    assert_shows_itself(made)
    assert made.sentences[0] in made._repr_html_() or "&" in made._repr_html_()
    assert made.chart["title"] == made.sentences[0]
    drawn = made.chart["data"]["values"]
    assert {row["kind"] for row in drawn} == {"recorded", "edited"}
    for row in drawn[:80]:
        assert row["value"] in made.sources[0]


def test_a_map_has_the_leading_axes(points):
    bank, labels = points
    made = sbog.sample_outliers(bank, labels, count=5)
    units = bank / np.linalg.norm(bank, axis=1, keepdims=True)
    centred = units - units.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred.astype(float), full_matrices=False)
    drawn = made.chart["data"]["values"][: len(bank)]
    x = np.array([row["x"] for row in drawn])
    expected = centred @ axes[0]
    np.testing.assert_allclose(np.abs(x), np.abs(expected), atol=1e-4)
    share = sizes[0] ** 2 / (sizes**2).sum()
    assert f"({share:.0%})" in made.chart["encoding"]["x"]["title"]


def test_large_results_are_drawn_by_a_part():
    chosen = _charts.spread(100_000)
    assert len(chosen) == 5000 and chosen[0] == 0 and chosen[-1] == 99_999
    assert (np.diff(chosen) > 0).all()
    chart = _charts.histogram(np.arange(20_000.0), "energy", "many", [3.0, np.inf])
    assert len(chart["data"]["values"]) == 5000
    assert len(chart["layer"]) == 2
    assert _charts.plain(np.float32("nan")) is None


def test_altair_takes_the_charts(points):
    altair = pytest.importorskip("altair", reason="altair is not installed")
    made = sbog.sample_outliers(*points, count=5)
    assert altair.Chart.from_dict(made.chart).to_dict()
