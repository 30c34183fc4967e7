# SPDX-License-Identifier: Apache-2.0
"""Wrong inputs at every door: one clear exception that names the argument."""

import numpy as np
import pytest

import sbog

GOOD = np.random.default_rng(0).normal(size=(30, 3))
LOSSES = GOOD[:, 0].copy()


class OnGraphicsCard:
    """A tensor whose memory the processor cannot see; never looked into."""

    shape, ndim = (30, 3), 2

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **words):
        raise AssertionError("its memory is not on the processor")


def with_nan():
    rows = GOOD.copy()
    rows[4, 2] = np.nan
    return rows


def fitted():
    return sbog.EnergyModel(epsilon=0.5).fit(GOOD)


# Every function that takes points, by the argument it gets them by.
DOORS = {
    "EnergyModel.fit": (lambda x: sbog.EnergyModel(epsilon=0.5).fit(x), "points"),
    "EnergyModel.score": (lambda x: fitted().score(x), "queries"),
    "EnergyModel.state": (lambda x: fitted().state(x), "queries"),
    "EnergyModel.gradient": (lambda x: fitted().gradient(x), "queries"),
    "find_epsilon": (sbog.find_epsilon, "points"),
    "sample_outliers": (lambda x: sbog.sample_outliers(x, count=1), "bank"),
    "solve_dro": (lambda x: sbog.solve_dro(LOSSES, x, 0.1), "bank"),
    "certify_outliers": (lambda x: sbog.certify_outliers(x, GOOD, GOOD), "reference"),
    "class_means": (lambda x: sbog.class_means(x, np.zeros(30, int)), "bank"),
    "mmd_squared": (lambda x: sbog.metrics.mmd_squared(x, GOOD), "first"),
    "sliced_wasserstein": (lambda x: sbog.metrics.sliced_wasserstein(x, GOOD), "first"),
    "distance_ratio": (lambda x: sbog.metrics.distance_ratio(x, GOOD), "bank"),
    "nearest_bank": (lambda x: sbog.metrics.nearest_bank(GOOD, x), "points"),
    "flip_rate": (lambda x: sbog.metrics.flip_rate(x, GOOD, subset_size=9), "bank"),
    "diversity": (sbog.metrics.diversity, "points"),
    "evaluate_outliers": (lambda x: sbog.metrics.evaluate_outliers(x, GOOD), "bank"),
    "score": (lambda x: sbog.score(x), "bank"),
}
# What is wrong, and what the sentence must say.
WRONG = {
    "strings": (np.array([["a", "b"]]), "numbers are expected"),
    "objects": (np.array([[1.0, {}, 2.0]], dtype=object), "numbers are expected"),
    "no-rows": (np.ones((0, 3)), "row"),
    "graphics-card": (OnGraphicsCard(), r"use \.cpu\(\)"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_table_of_numbers_is_refused(door, kind):
    call, name = DOORS[door]
    wrong, words = WRONG[kind]
    with pytest.raises((ValueError, TypeError, OSError), match=f"^{name}: .*{words}"):
        call(wrong)


@pytest.mark.parametrize("door", DOORS)
def test_nan_is_named_by_row_and_column(door):
    call, _ = DOORS[door]
    with pytest.raises((ValueError, OSError), match="row 4, column 2.*NaN"):
        call(with_nan())


@pytest.mark.parametrize(
    "call",
    [
        lambda x: fitted().score(x),
        lambda x: fitted().gradient(x),
        lambda x: sbog.certify_outliers(GOOD, GOOD, x),
        lambda x: sbog.solve_dro(LOSSES, GOOD, 0.1, nominal=x),
        lambda x: sbog.metrics.mmd_squared(GOOD, x),
        lambda x: sbog.metrics.evaluate_outliers(GOOD, x),
    ],
)
def test_another_dimension_is_refused(call):
    with pytest.raises(ValueError, match="2"):
        call(GOOD[:, :2])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sbog.sample_outliers(GOOD, x),
        lambda x: sbog.class_means(GOOD, x),
        lambda x: sbog.metrics.evaluate_outliers(GOOD, GOOD, labels=x),
    ],
)
def test_labels_that_do_not_fit_are_refused(call):
    for wrong in (np.zeros(29, int), np.full(30, 0.5), ["a"] * 30, OnGraphicsCard()):
        with pytest.raises((ValueError, TypeError), match="labels: "):
            call(wrong)


# Numbers: what takes them, by the argument, and the type that is expected.
NUMBERS = {
    "seed": (lambda x: sbog.metrics.mmd_squared(GOOD, GOOD, seed=x), "whole number"),
    "subsets": (
        lambda x: sbog.metrics.flip_rate(GOOD, GOOD, subset_size=9, subsets=x),
        "whole number",
    ),
    "buffer": (
        lambda x: sbog.metrics.range_auc_pr(LOSSES, np.arange(30) % 2, x),
        "whole number",
    ),
    "first_block": (lambda x: fitted().state(GOOD, first_block=x), "whole number"),
    "bank_per_class": (lambda x: sbog.run_oracle(bank_per_class=x), "whole number"),
    "epsilon": (lambda x: sbog.EnergyModel(epsilon=x).fit(GOOD), "number"),
    "radius": (lambda x: sbog.solve_dro(LOSSES, GOOD, [0.1, x]), "number"),
    "level": (lambda x: sbog.calibrate_threshold(LOSSES, x), "number"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_number_is_refused(name):
    call, wanted = NUMBERS[name]
    for wrong in (None, [1, 2], {}):
        with pytest.raises(TypeError, match=f"^{name}: a {wanted} is expected"):
            call(wrong)
    with pytest.raises(ValueError):
        call(-1)


def test_a_buffer_longer_than_the_series_ends():
    marks = np.arange(30) % 2
    values = [sbog.metrics.range_auc_pr(LOSSES, marks, b) for b in (10**4, 2**63)]
    assert values[1] == pytest.approx(values[0], rel=1e-2)


def test_a_value_that_is_missing_has_no_p_value():
    for arrays in ((with_nan()[:, 2], LOSSES), (LOSSES, with_nan()[:, 2])):
        with pytest.raises(ValueError, match="value 4 is NaN"):
            sbog.conformal_p_values(*arrays)


def test_a_state_ends_at_a_temperature_alone():
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="epsilon: a finite number above 0"):
            fitted().state(GOOD).energies(wrong)


def test_rows_of_queries_are_rows_of_the_bank():
    for wrong in (np.full(30, 0.5), np.full(30, 99), [0]):
        with pytest.raises(ValueError, match="^self"):
            fitted().score(GOOD, self_rows=wrong)


def test_errors_of_arrays_name_the_argument_and_no_file():
    with pytest.raises((ValueError, OSError), match="^bank: ") as caught:
        sbog.score(with_nan())
    assert "tmp" not in str(caught.value)


def test_options_are_named_as_keywords():
    with pytest.raises(ValueError, match="[^-]semantic_floor|^semantic"):
        sbog.sample_outliers(GOOD, semantic_floor=3.0)
    with pytest.raises(ValueError) as caught:
        sbog.stress(np.sum, GOOD, controls=GOOD[:, :2], count=3)
    assert "--" not in str(caught.value)


def test_times_that_are_missing_are_named():
    pandas = pytest.importorskip("pandas")
    times = pandas.date_range("2024-01-01", periods=60, freq="min")
    frame = pandas.DataFrame(np.ones((60, 2)), index=times.where(np.arange(60) != 7))
    for call in (
        lambda: sbog.series.scenarios(frame),
        lambda: sbog.generate(frame, kind="series", out="unused"),
        lambda: sbog.detect_train(frame, kind="series", out="unused"),
    ):
        with pytest.raises(ValueError, match="row 7 has none"):
            call()


ESTIMATORS = ("SinkhornOutlierEnergy", "PyODEnergy", "BoundaryOutlierSampler", "LatentDetector")


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(
    "wrong, words",
    [
        (with_nan(), "NaN.*Row 4, column 2"),
        (np.array([["a", "b", "c"]] * 30), "."),
        (np.ones((0, 3)), "0 sample"),
        (OnGraphicsCard(), r"use \.cpu\(\)"),
        (GOOD[:, 0], "Expected 2D array"),
    ],
    ids=["nan", "strings", "no-rows", "graphics-card", "one-axis"],
)
def test_estimators_refuse_what_is_no_table(name, wrong, words):
    pytest.importorskip("sklearn")
    estimator = getattr(sbog, name)()
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(wrong, np.arange(30) % 2)


@pytest.mark.parametrize(
    "name, method",
    [
        ("SinkhornOutlierEnergy", "score_samples"),
        ("SinkhornOutlierEnergy", "explain"),
        ("SinkhornOutlierEnergy", "predict"),
        ("PyODEnergy", "decision_function"),
        ("BoundaryOutlierSampler", "sample"),
        ("LatentDetector", "predict"),
        ("LatentDetector", "is_unusual"),
        ("SeriesDetector", "detect"),
    ],
)
def test_what_is_not_fitted_says_so(name, method):
    pytest.importorskip("sklearn")
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match=f"{name}.* not fitted"):
        getattr(getattr(sbog, name)(), method)(GOOD)


def test_another_number_of_features_is_refused():
    pytest.importorskip("sklearn")
    energy = sbog.SinkhornOutlierEnergy().fit(GOOD)
    for call in (energy.predict, energy.explain):
        with pytest.raises(ValueError, match="2 features.*3 features"):
            call(GOOD[:, :2])
