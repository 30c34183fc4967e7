# SPDX-License-Identifier: Apache-2.0
"""The contract of scikit-learn, and what the estimators promise beyond it."""

import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sbog
from sbog.estimators import (
    BoundaryOutlierSampler,
    LatentDetector,
    SeriesDetector,
    SinkhornOutlierEnergy,
)


@parametrize_with_checks(
    [SinkhornOutlierEnergy(), BoundaryOutlierSampler(), sbog.PyODEnergy()]
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:there are too few held-out rows")
@parametrize_with_checks([LatentDetector()])
def test_the_detector_passes_them_but_for_rows_of_zeros(estimator, check):
    # One check rounds its rows to whole numbers, some of them to zeros.
    if check.func.__name__ == "check_estimators_dtypes":
        with pytest.raises(ValueError, match="zero vector"):
            check(estimator)
    else:
        check(estimator)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(700, 3))


def test_energies_are_those_of_the_model(rows):
    fitted = SinkhornOutlierEnergy().fit(rows)
    model = sbog.EnergyModel(cost="squared-euclidean").fit(rows)
    assert fitted.epsilon_ == model.epsilon_
    assert np.array_equal(fitted.energies_, model.score_bank())
    assert np.array_equal(fitted.score_samples(rows), -model.score_bank())
    queries = rows[:5] + 0.1
    assert np.array_equal(fitted.score_samples(queries), -model.score(queries))
    assert fitted.offset_ == -model.threshold(0.95)
    assert (fitted.predict(rows) == -1).sum() == 35  # 5 % of 700


def test_a_threshold_at_another_level_needs_no_refit(rows):
    fitted = SinkhornOutlierEnergy().fit(rows)
    other = SinkhornOutlierEnergy(level=0.8).fit(rows)
    assert fitted.threshold_at(0.8) == -other.offset_
    assert fitted.threshold_at(0.95) == -fitted.offset_


def test_rows_may_come_in_batches(rows):
    whole = SinkhornOutlierEnergy(epsilon=0.3).fit(rows)
    parts = SinkhornOutlierEnergy(epsilon=0.3)
    for batch in (rows[:256], rows[256:512], rows[512:]):
        parts.partial_fit(batch)
    queries = np.vstack([rows[::50], rows[::50] * 1.5])
    np.testing.assert_allclose(
        parts.score_samples(queries), whole.score_samples(queries), rtol=1e-9
    )
    np.testing.assert_allclose(parts.energies_, whole.energies_, rtol=1e-9)
    assert parts.offset_ == pytest.approx(whole.offset_, rel=1e-9)
    said, expected = parts.explain(queries[-3:]), whole.explain(queries[-3:])
    assert np.array_equal(said["rows"], expected["rows"])
    np.testing.assert_allclose(said["shares"], expected["shares"], rtol=1e-6)
    np.testing.assert_allclose(said["gradient"], expected["gradient"], rtol=1e-6)


def test_a_row_of_weight_two_is_that_row_twice(rows):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, len(rows)).astype(float)
    weighted = SinkhornOutlierEnergy().fit(rows, sample_weight=weights)
    repeated = SinkhornOutlierEnergy().fit(np.repeat(rows, weights.astype(int), axis=0))
    queries = np.vstack([rows[:20], rows[:20] + 0.2])
    assert np.array_equal(
        weighted.score_samples(queries), repeated.score_samples(queries)
    )
    # Without one copy, by the formula.
    i = int(np.argmax(weights))
    mass = weights.copy()
    mass[i] -= 1
    cost = ((rows - rows[i]) ** 2).sum(axis=1)
    eps = weighted.epsilon_
    expected = eps * np.log((mass * np.exp(-cost / eps)).sum() / mass.sum())
    assert weighted.score_samples(rows[i : i + 1])[0] == pytest.approx(expected)


def test_labels_let_one_class_support_a_row(rows):
    labels = np.where(rows[:, 0] > 0, "right", "left")
    fitted = SinkhornOutlierEnergy(epsilon=0.5).fit(rows, labels=labels)
    each = [
        SinkhornOutlierEnergy(epsilon=0.5).fit(rows[labels == c])
        for c in ("left", "right")
    ]
    queries = rows[:9] + 0.3
    expected = np.maximum(*(e.score_samples(queries) for e in each))
    assert np.array_equal(fitted.score_samples(queries), expected)
    said = fitted.explain(np.array([[3.0, 0.0, 0.0]]))
    assert (labels[said["rows"][0]] == "right").all()


def test_an_outlier_is_explained_by_its_feature(rows):
    fitted = SinkhornOutlierEnergy().fit(rows)
    said = fitted.explain(np.array([[0.0, 6.0, 0.0]]), top=3)
    assert np.argmax(np.abs(said["gradient"][0])) == 1
    assert said["gradient"][0, 1] > 0
    assert said["shares"].shape == (1, 3) and said["shares"][0].sum() <= 1 + 1e-12
    assert rows[said["rows"][0, 0], 1] > 1.5


def test_it_is_saved_without_pickle(rows, tmp_path):
    fitted = SinkhornOutlierEnergy(level=0.9).fit(rows[:500], sample_weight=None)
    fitted.partial_fit(rows[500:])
    fitted.save(tmp_path / "model.npz")
    loaded = SinkhornOutlierEnergy.load(tmp_path / "model.npz")
    copied = pickle.loads(pickle.dumps(fitted))
    for other in (loaded, copied):
        assert other.get_params() == fitted.get_params()
        assert other.offset_ == fitted.offset_
        assert np.array_equal(other.score_samples(rows), fitted.score_samples(rows))
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    np.save(tmp_path / "other.npy", np.ones(3))
    (tmp_path / "text").write_text("a,b")
    (tmp_path / "cut").write_bytes((tmp_path / "model.npz").read_bytes()[:5000])
    for name in ("other.npz", "other.npy", "text", "cut"):
        with pytest.raises(OSError, match="not a file of SinkhornOutlierEnergy"):
            SinkhornOutlierEnergy.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        SinkhornOutlierEnergy.load(tmp_path / "nowhere")


@pytest.mark.parametrize("names", [np.array([3, 7]), np.array(["a", "b"], dtype=object)])
def test_a_saved_file_has_its_name_and_knows_classes_and_columns(rows, names, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["x", "y", "z"])
    labels = names[(rows[:, 0] > 0).astype(int)]
    fitted = SinkhornOutlierEnergy(epsilon=0.5).fit(frame, labels=labels)
    fitted.save(tmp_path / "model")
    loaded = SinkhornOutlierEnergy.load(tmp_path / "model")
    assert loaded.classes_.tolist() == names.tolist()
    assert np.array_equal(loaded.score_samples(frame), fitted.score_samples(frame))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["y", "x", "z"]])


def test_a_file_of_another_format_is_refused(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(sbog.estimators, "_FORMAT", 2)
    SinkhornOutlierEnergy().fit(rows).save(tmp_path / "new.npz")
    monkeypatch.undo()
    with pytest.raises(OSError, match="format 1 is expected, got 2"):
        SinkhornOutlierEnergy.load(tmp_path / "new.npz")


def test_it_works_in_pipelines_and_searches(rows):
    pipeline = make_pipeline(StandardScaler(), SinkhornOutlierEnergy())
    far = np.vstack([rows, rows[:50] + 9.0])
    truth = np.r_[np.ones(700), -np.ones(50)]
    search = GridSearchCV(
        pipeline,
        {"sinkhornoutlierenergy__level": [0.5, 0.93]},
        scoring="accuracy",
        cv=2,
    )
    search.fit(far, truth)
    assert search.best_params_ == {"sinkhornoutlierenergy__level": 0.93}


def test_pyod_has_the_other_sign(rows):
    fitted = sbog.PyODEnergy(contamination=0.1).fit(rows)
    other = SinkhornOutlierEnergy(level=0.9).fit(rows)
    assert np.array_equal(fitted.decision_scores_, -other.score_samples(rows))
    assert fitted.labels_.sum() == 70
    assert np.array_equal(fitted.predict(rows) == 1, other.predict(rows) == -1)
    assert np.array_equal(fitted.labels_, fitted.predict(rows))
    assert np.array_equal(fitted.labels_, sbog.PyODEnergy().fit_predict(rows))
    scores = fitted.decision_scores_
    expected = (scores - scores.min()) / (scores.max() - scores.min())
    np.testing.assert_allclose(fitted.predict_proba(rows)[:, 1], expected, atol=1e-15)
    assert fitted.predict_proba(rows[:1] + 90.0).tolist() == [[0.0, 1.0]]


def test_the_sampler_splits_a_total_over_classes(points):
    bank, labels = points
    names = np.array(["a", "b", "c"])[labels]
    sampler = BoundaryOutlierSampler(options={"quantile": 0.9}).fit(bank, names)
    made = sampler.sample(10, random_state=3)
    assert [int((made.classes == c).sum()) for c in "abc"] == [4, 3, 3]
    assert made.reports[0]["label"] == "a"
    one = sampler.sample(5, classes="b", random_state=3)
    assert (one.classes == "b").all() and len(one) == 5
    assert np.array_equal(one.latents[:3], made.latents[made.classes == "b"])
    few = sampler.sample(classes={"a": 1, "c": 2})
    assert few.classes.tolist() == ["a", "c", "c"]
    with pytest.raises(ValueError, match="d is none of a, b, c"):
        sampler.sample(3, classes="d")


def test_severities_are_taken_in_turn():
    bank = np.random.default_rng(2).normal(size=(2500, 4))
    sampler = BoundaryOutlierSampler().fit(bank)
    made = sampler.sample(9, severity=[1, 2], random_state=1)
    assert sorted(made.table["severity"]) == [1] * 5 + [2] * 4
    assert [b["severity"] for b in made.reports[0]["severities"]] == [1, 2]
    # The decade of the rarity, where it is told.
    rarity, severity = made.table["rarity"], made.table["severity"]
    assert (rarity <= 10.0**-severity).all() and (rarity > 10.0 ** -(severity + 1)).all()
    # The bound counts the bank rows that are as far out.
    scores = made.bank_scores
    expected = [(1 + (scores >= e).sum()) / 2501 for e in made.table["score"]]
    np.testing.assert_allclose(made.table["rarity_bound"], expected)
    again = sbog.sample_outliers(bank, severity="1,2", count=3)
    assert len(again) == 6
    with pytest.raises(ValueError, match="severity: "):
        sampler.sample(3, severity=9)


def test_severities_have_the_outliers_of_the_program(tool, tmp_path):
    bank = np.random.default_rng(2).normal(size=(2500, 4))
    np.save(tmp_path / "bank.npy", bank.astype(np.float32))
    made = sbog.sample_outliers(bank.astype(np.float32), severity=[1, 2], count=4)
    tool(
        "generate", tmp_path / "bank.npy", "--severity", "1,2", "--count", 4,
        "--out", tmp_path / "run", "--quiet", "--no-report",
    )
    assert np.array_equal(made.latents, np.load(tmp_path / "run" / "outliers.npy"))
    table = np.genfromtxt(
        tmp_path / "run" / "outliers.csv", delimiter=",", names=True, dtype=None,
        encoding="utf-8",
    )
    for name in ("severity", "rarity", "rarity_low", "rarity_high", "rarity_bound"):
        np.testing.assert_array_equal(table[name], made.table[name])


def test_conditions_hold_in_every_outlier():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    age = rng.uniform(20, 70, 800)
    values = np.column_stack([age, 2 * age + rng.normal(size=800) * 3])
    frame = pandas.DataFrame(values, columns=["age", "income"])
    sampler = BoundaryOutlierSampler().fit(frame)
    made = sampler.sample(20, conditions={"age": 40})
    assert len(made) == 20 and (made.latents[:, 0] == 40).all()
    assert len(np.unique(made.latents[:, 1])) == 20
    assert (made.table["margin"] >= 0).all()
    same = sbog.sample_outliers(values, count=20, conditions={0: 40.0})
    assert np.array_equal(same.latents, made.latents)
    with pytest.raises(ValueError, match="'weight' is none of age, income"):
        sampler.sample(2, conditions={"weight": 1})
    with pytest.raises(ValueError, match="a column from 0 to 1 is expected, got 2"):
        sbog.sample_outliers(values, conditions={2: 1.0})
    with pytest.raises(ValueError, match="finite value"):
        sampler.sample(2, conditions={"age": np.nan})
    with pytest.raises(ValueError, match="not on the sphere"):
        sbog.sample_outliers(values, conditions={0: 1.0}, projection="sphere")


def test_an_outlier_set_is_a_table(points):
    pandas = pytest.importorskip("pandas")
    bank, labels = points
    names = np.array(["a", "b", "c"])[labels]
    made = BoundaryOutlierSampler().fit(bank, names).sample(6)
    frame = made.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 6
    assert list(frame["class"]) == list(made.classes)
    assert set(frame.columns) == set(made.table.dtype.names)


def test_resampling_fills_up_the_small_classes(points):
    bank, labels = points
    kept = np.r_[0:100, 100:160, 200:230]
    rows, classes = BoundaryOutlierSampler().fit_resample(bank[kept], labels[kept])
    assert np.bincount(classes).tolist() == [100, 100, 100]
    assert np.array_equal(rows[:190], bank[kept])
    with pytest.raises(ValueError, match="labels are expected"):
        BoundaryOutlierSampler().fit(bank, labels[:5])


def test_the_latent_detector_classifies_and_rejects(points):
    bank, labels = points
    names = np.array(["a", "b", "c"])[labels]
    fitted = LatentDetector().fit(bank, names)
    assert (fitted.predict(bank) == names).mean() > 0.95
    strange = fitted.is_unusual(-bank[:20])
    assert strange.mean() > fitted.is_unusual(bank[:20]).mean()
    assert np.array_equal(
        pickle.loads(pickle.dumps(fitted)).outlier_scores(bank[:5]),
        fitted.outlier_scores(bank[:5]),
    )
    assert clone(fitted).get_params() == fitted.get_params()


def wave(n, rng):
    t = np.arange(n)
    return np.c_[np.sin(t / 7), np.cos(t / 11)] + rng.normal(size=(n, 2)) * 0.1


def test_the_series_detector_finds_a_jump():
    rng = np.random.default_rng(4)
    fitted = SeriesDetector().fit(wave(1500, rng))
    series = wave(600, rng)
    series[300:330, 0] += 4.0
    result = fitted.detect(series)
    assert result.scores.shape == (600,)
    assert result.alarms[0]["channels"]
    assert any(a["first"] < 330 and a["last"] >= 300 for a in result.alarms)
    assert (fitted.predict(series)[305:325] == -1).mean() > 0.8
    assert fitted.score_samples(series).argmin() in range(290, 340)


def test_scenarios_of_a_frame_have_windows_and_sentences():
    pandas = pytest.importorskip("pandas")
    values = wave(1200, np.random.default_rng(5))
    times = pandas.date_range("2024-01-01", periods=1200, freq="min")
    frame = pandas.DataFrame(values, index=times, columns=["flow", "pressure"])
    made = sbog.series.scenarios(frame, count=2, epochs=6, width=100)
    assert made.windows.shape[0] == len(made) == len(made.sentences) == len(made.edits)
    assert made.windows.shape == made.sources.shape
    assert made.windows.shape[2] == 2
    same = sbog.series.scenarios(
        frame, count=2, epochs=6, width=100, n_jobs=1, random_state=0
    )
    assert np.array_equal(same.windows, made.windows)
    assert "flow" in " ".join(made.sentences) or "pressure" in " ".join(made.sentences)
    periods = sbog.series.scenarios(
        frame.to_period("min"), count=2, epochs=6, width=100
    )
    assert periods.sentences == made.sentences
    broken = frame.set_axis(times.where(np.arange(1200) != 7))
    with pytest.raises(ValueError, match="row 7 has none"):
        sbog.series.scenarios(broken)
