# SPDX-License-Identifier: Apache-2.0
"""Energies, outliers, worst cases and metrics of arrays against plain NumPy."""

import numpy as np
import pytest

import sbog


def plain_energies(bank, queries, epsilon, weights=None, skip=None):
    """Squared Euclidean costs, the slow and obvious way."""
    mass = np.ones(len(bank)) if weights is None else np.asarray(weights, float)
    out = []
    for i, z in enumerate(queries):
        w = mass.copy()
        if skip is not None:
            w[skip[i]] = 0.0
        d = ((bank - z) ** 2).sum(axis=1)
        out.append(-epsilon * np.log((w * np.exp(-d / epsilon)).sum() / w.sum()))
    return np.array(out)


@pytest.fixture
def bank():
    return np.random.default_rng(5).normal(size=(600, 4))


def fit(bank, **options):
    return sbog.EnergyModel(cost="squared-euclidean", epsilon=0.5, **options).fit(bank)


def test_energies_are_those_of_the_formula(bank):
    queries = np.random.default_rng(6).normal(size=(20, 4)) * 2
    np.testing.assert_allclose(
        fit(bank).score(queries), plain_energies(bank, queries, 0.5), rtol=1e-9
    )
    np.testing.assert_allclose(
        fit(bank).score_bank(),
        plain_energies(bank, bank, 0.5, skip=np.arange(600)),
        rtol=1e-9,
    )
    rows = np.array([3, -1])
    two = fit(bank).score(bank[3:5], self_rows=rows)
    expected = plain_energies(bank, bank[3:4], 0.5, skip=[3])
    np.testing.assert_allclose(two[0], expected[0], rtol=1e-9)


def test_weights_need_not_add_up_to_one(bank):
    weights = np.random.default_rng(7).uniform(size=600)
    fitted = sbog.EnergyModel(cost="squared-euclidean", epsilon=0.5)
    energies = fitted.fit(bank, weights * 7).score(bank[:5])
    expected = plain_energies(bank, bank[:5], 0.5, weights)
    np.testing.assert_allclose(energies, expected, rtol=1e-9)


def test_threads_change_no_bit(bank):
    one, two = (fit(bank, threads=n).score_bank() for n in (1, 2))
    assert np.array_equal(one, two)


def test_states_of_shards_merge_to_the_bits_of_the_whole(bank):
    queries = bank[:9] + 0.5
    whole, left, right = fit(bank), fit(bank[:512]), fit(bank[512:])
    state = left.state(queries)
    state.append(right.state(queries, first_block=state.end_block))
    assert np.array_equal(state.energies(0.5), whole.score(queries))
    with pytest.raises(ValueError):
        state.append(left.state(queries))


def test_the_threshold_is_the_quantile_of_numpy(bank):
    energies = fit(bank).score_bank()
    expected = np.quantile(energies, 0.9)
    assert fit(bank).threshold(0.9) == pytest.approx(expected, rel=1e-14)
    conformal = sbog.calibrate_threshold(energies, 0.9, rule="conformal")
    assert conformal == np.sort(energies)[int(np.ceil(0.9 * 601)) - 1]
    p_values = sbog.conformal_p_values(energies, energies[:3])
    expected = [(1 + (energies >= e).sum()) / 601 for e in energies[:3]]
    np.testing.assert_allclose(p_values, expected)


def test_the_gradient_is_that_of_finite_differences(bank):
    fitted, z, h = fit(bank), np.array([[0.3, -1.0, 0.8, 0.1]]), 1e-5
    steps = np.eye(4) * h
    slopes = (fitted.score(z + steps) - fitted.score(z - steps)) / (2 * h)
    np.testing.assert_allclose(fitted.gradient(z)[0], slopes, rtol=1e-6)
    weights = fitted.gibbs_weights(z[0])
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(
        fitted.gradient(z)[0], 2 * (weights[:, None] * (z - bank)).sum(axis=0)
    )


def test_auto_has_the_wanted_perplexity(bank):
    fitted = sbog.EnergyModel(perplexity=20.0).fit(bank)
    assert fitted.measured_perplexity() == pytest.approx(20.0, rel=0.01)
    assert fitted.epsilon_ == sbog.find_epsilon(bank, perplexity=20.0)


def test_an_unfitted_model_says_so():
    with pytest.raises(ValueError, match="fit.points. comes first"):
        sbog.EnergyModel().score([[1.0]])
    with pytest.raises(ValueError, match="'auto' is expected"):
        sbog.EnergyModel(epsilon="none").fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="cost"):
        sbog.EnergyModel(cost="taxi", epsilon=1.0).fit([[1.0], [2.0]])


def test_outliers_are_those_of_the_program(points, tool, tmp_path):
    bank, labels = points
    np.save(tmp_path / "bank.npy", bank)
    np.save(tmp_path / "labels.npy", labels)
    made = sbog.sample_outliers(bank, labels, count=15, seed=4)
    tool(
        "generate", tmp_path / "bank.npy", "--labels", tmp_path / "labels.npy",
        "--count", 15, "--seed", 4, "--out", tmp_path / "run", "--quiet",
        "--no-report",
    )
    assert np.array_equal(made.latents, np.load(tmp_path / "run" / "outliers.npy"))
    assert made.latents.dtype == np.float32


def test_outliers_have_provenance(points):
    bank, labels = points
    made = sbog.sample_outliers(bank, labels, count=10, seed=1, threads=1)
    again = sbog.sample_outliers(bank, labels, count=10, random_state=1, n_jobs=2)
    assert np.array_equal(made.latents, again.latents)
    assert np.array_equal(made.table, again.table)
    assert len(made) == len(made.table) == 30
    assert (np.bincount(made.classes) == 10).all()
    assert (made.table["margin"] >= 0).all()
    assert (labels[made.table["anchor_row"]] == made.classes).all()
    assert made.fill_rate == 1.0 and made.limiting_test is None
    assert "<table>" in made._repr_html_()


def test_what_cannot_be_made_names_its_test(points):
    bank, labels = points
    made = sbog.sample_outliers(bank, labels, count=3, margin=50.0, max_rounds=2)
    assert made.status == "infeasible" and len(made) == 0
    assert made.limiting_test == "energy" and made.fill_rate == 0.0


def test_sampler_options_are_those_of_the_table(points):
    with pytest.raises(ValueError, match="did you mean 'anchor.count'"):
        sbog.sample_outliers(points[0], anchor_cout=3)
    with pytest.raises(ValueError, match="labels: "):
        sbog.sample_outliers(points[0], points[1][:5])
    with pytest.raises(ValueError, match="profile"):
        sbog.sample_outliers(points[0], profile="none")


def test_the_worst_case_carries_the_value(bank):
    losses = bank[:, 0]
    curve = sbog.solve_dro(losses, bank, [0.0, 0.01, 0.1], epsilon=0.1)
    values = [result.value for result in curve]
    assert values == sorted(values)
    for result in curve:
        assert result.worst_case.sum() == pytest.approx(1.0)
        assert result.worst_case @ losses == pytest.approx(result.value)
    alone = sbog.solve_dro(losses, bank, 0.01, epsilon=0.1)
    assert alone.value == pytest.approx(values[1], rel=1e-12)


def test_robust_logits_have_their_gradient():
    rng = np.random.default_rng(8)
    similarities = rng.normal(size=(2, 3, 5))
    costs = rng.uniform(size=(2, 5))
    out = sbog.robust_logits(similarities, costs, epsilon=0.3, radius=0.05)
    assert out["values"].shape == (2, 3)
    assert (out["values"] < (similarities * 0 + similarities).max(axis=2)).all()
    h = 1e-6
    moved = similarities.copy()
    moved[1, 2, 4] += h
    slope = (
        sbog.robust_logits(moved, costs, epsilon=0.3, radius=0.05)["values"]
        - out["values"]
    )[1, 2] / h
    assert slope == pytest.approx(out["tilted"][1, 2, 4], abs=1e-5)
    with pytest.raises(ValueError, match="samples, classes, atoms"):
        sbog.robust_logits(similarities[0], costs)


def test_a_certificate_speaks(bank):
    rng = np.random.default_rng(9)
    certificate = sbog.certify_outliers(
        bank[:300], bank[300:], rng.normal(size=(20, 4)) * 6,
        cost="squared-euclidean", epsilon=20.0,
    )
    assert "reference points" in certificate.sentence()
    assert len(certificate.labels) == 20
    assert (certificate.energies_low <= certificate.energies).all()
    assert (certificate.energies <= certificate.energies_high).all()
    ceiling = sbog.certifiable_ceiling(0.1, 1000, 0.01)
    assert sbog.smallest_count(ceiling, 0.1, 0.01) == pytest.approx(1000)
    assert sbog.required_counts(0.1, 0.2, 0.05, 10, 0.05)["one_sided"] > 1


def test_metrics_are_those_of_their_definitions(bank):
    rng = np.random.default_rng(10)
    positives, negatives = rng.normal(1, 1, 50), rng.normal(0, 1, 70)
    pairs = positives[:, None] > negatives
    assert sbog.metrics.auroc(positives, negatives) == pytest.approx(pairs.mean())
    assert sbog.metrics.f1_floor(1, 3) == pytest.approx(0.4)
    assert sbog.metrics.fpr_at_tpr(positives, negatives)["recall"] >= 0.95
    assert sbog.metrics.auroc([], [1.0]) is None
    assert 0 < sbog.metrics.average_precision(positives, negatives) <= 1
    best = sbog.metrics.best_f1(positives, negatives)
    at = sbog.metrics.f1_at(positives, negatives, best["threshold"])
    assert best["value"] == at["value"]
    far = bank + 3.0
    assert sbog.metrics.mmd_squared(bank, far)["biased"] > 0.5
    shift = sbog.metrics.sliced_wasserstein(bank, far)
    assert shift == pytest.approx(3.0, rel=0.05)  # |shift| / sqrt(dim) = 6 / 2
    assert sbog.metrics.distance_ratio(bank, far, cost="euclidean") > 2
    rows = {r["name"]: r for r in sbog.metrics.evaluate_outliers(bank, far)}
    assert rows["Diversity"]["value"] == pytest.approx(sbog.metrics.diversity(far))
    assert sbog.metrics.vus_pr([0.1, 0.9, 0.2], [0, 1, 0]) > 0
    assert sbog.metrics.range_auc_pr([0.1, 0.9, 0.2], [0, 1, 0], 0) == 1.0


def test_the_nearest_row_is_that_of_all_costs(bank):
    points = np.random.default_rng(11).normal(size=(30, 4))
    rows, costs = sbog.metrics.nearest_bank(bank, points, cost="euclidean")
    plain = np.linalg.norm(points[:, None] - bank[None], axis=2)
    assert np.array_equal(rows, plain.argmin(axis=1))
    np.testing.assert_allclose(costs, plain.min(axis=1))


def test_decisions_flip_less_on_larger_parts_of_the_bank(bank):
    points = np.random.default_rng(12).normal(size=(80, 4)) * 2
    options = {"cost": "squared-euclidean", "epsilon": 1.0, "seed": 3}
    few, many = (
        sbog.metrics.flip_rate(bank, points, subset_size=n, **options)
        for n in (20, 500)
    )
    assert 0 < many < few < 0.5
    table = sbog.metrics.evaluate_outliers(bank, points, **options)
    named = {row["name"]: row["value"] for row in table}
    assert sbog.metrics.flip_rate(bank, points, **options) == named["FlipRate@256"]
    assert sbog.metrics.flip_rate(bank, points, subset_size=600, **options) is None


def test_the_oracle_judges_a_generator():
    row = sbog.run_oracle(bank_per_class=200, outputs_per_class=20, anchor_count=10)
    assert 0.0 <= row.boundary_precision <= 1.0
    assert len(row.region_coverage) == 9
