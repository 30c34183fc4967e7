# SPDX-License-Identifier: Apache-2.0
"""Models that are wrong by construction, asked from Python."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import xml.etree.ElementTree

import numpy as np
import pytest

import sbog


def units(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def made(points):
    bank, labels = points
    return sbog.sample_outliers(bank, labels, count=40, seed=2)


def lenient(points):
    """Logits by the nearest class mean, but sure of all that it takes for 2."""
    means = sbog.class_means(*points)

    def model(cases):
        cosines = units(cases) @ means.T
        logits = 20 * cosines - 17
        logits[cosines.argmax(axis=1) == 2, 2] = 50.0
        return logits

    return model


def test_a_class_that_is_always_accepted_is_the_first_weak_spot(points, made):
    result = sbog.stress(lenient(points), made)
    assert result.status == "done" and result.is_passed
    assert result.task == "classifier"
    spot = result.weak_spots[0]
    assert (spot["grouping"], spot["group"]) == ("class", "2")
    assert spot["failures"]["share"] == 1.0
    assert len(result.table) == len(made) == result.cases
    assert (result.table["value"] <= 1).all()


def test_cases_in_memory_have_the_verdict_of_the_run_of_the_program(points, tmp_path):
    bank, labels = points
    options = {"count": 20, "seed": 5}
    made = sbog.sample_outliers(bank, labels, **options)
    run = sbog.generate(bank, out=tmp_path / "run", labels=labels, **options)
    model = lenient(points)
    words = {"seek": True, "budget": 200, "require": ["accepted <= 0.2"]}
    one, two = sbog.stress(model, made, **words), sbog.stress(model, run, **words)
    assert one.status == two.status == "not reached"
    a, b = one.to_dict(), two.to_dict()
    for name in ("overall", "severities", "groups", "weak_spots", "gates", "auroc"):
        assert a[name] == b[name], name
    assert a["seek"]["rounds"] == b["seek"]["rounds"]
    found = np.load(tmp_path / "run" / "sought.npy")
    assert np.array_equal(one.sought["points"].astype(np.float32), found)
    one.junit(tmp_path / "one.xml")
    assert (tmp_path / "one.xml").read_bytes() == (
        tmp_path / "run" / "stress.junit.xml"
    ).read_bytes()
    assert "<iframe srcdoc=" in two._repr_html_() and "<iframe" not in one._repr_html_()


def test_a_function_has_the_verdict_of_the_same_answers_from_files(points, tool, tmp_path):
    bank, labels = points
    run = sbog.generate(bank, out=tmp_path / "run", labels=labels, count=20)
    asked = []

    def model(cases):
        asked.append(cases)
        return cases[:, 0].astype(float)

    of_function = sbog.stress(model, run, batch=1000)
    for name, cases in zip(("cases", "controls"), asked):
        np.save(tmp_path / f"{name}.npy", cases[:, 0].astype(float))
    tool(
        "stress", tmp_path / "run", "--predictions", tmp_path / "cases.npy",
        "--control-predictions", tmp_path / "controls.npy", "--quiet",
    )
    of_files = sbog.stress(
        None, run, predictions=tmp_path / "cases.npy",
        control_predictions=tmp_path / "controls.npy",
    )
    for name in ("overall", "groups", "weak_spots", "threshold", "auroc"):
        assert of_function[name] == of_files[name], name


def test_cases_are_asked_for_in_batches_on_the_calling_thread(made):
    import threading

    here, sizes = threading.get_ident(), []

    def model(cases):
        assert threading.get_ident() == here
        assert cases.dtype == np.float32 and cases.flags.c_contiguous
        sizes.append(len(cases))
        cases[:] = 0  # what it writes changes no case
        return np.zeros(len(cases))

    latents = made.latents.copy()
    sbog.stress(model, made, batch=50, control_count=70, threshold=0.5)
    assert sizes == [50, 50, 20, 50, 20]
    assert np.array_equal(made.latents, latents)


def test_what_a_model_raises_comes_out_as_itself(made):
    class Broken(ValueError):
        pass

    def model(cases):
        raise Broken("as it is")

    with pytest.raises(Broken, match="^as it is$") as caught:
        sbog.stress(model, made)
    assert caught.traceback[-1].name == "model"


@pytest.mark.parametrize(
    "answer, error, words",
    [
        (lambda x: np.zeros(3), ValueError, "model: gave 3 answers to .* cases"),
        (lambda x: np.full(len(x), np.nan), ValueError, "case 0 .* has NaN"),
        (lambda x: None, ValueError, "^model: numbers with one row per case"),
        (lambda x: ["a"] * len(x), ValueError, "^model: numbers"),
        (lambda x: np.zeros((len(x), 2, 2)), ValueError, "^model: numbers"),
        (lambda x: np.zeros((len(x), 0)), ValueError, "gave no number"),
    ],
)
def test_answers_that_are_none_are_refused(made, answer, error, words):
    with pytest.raises(error, match=words):
        sbog.stress(answer, made)


def test_spellings_of_scikit_learn_are_taken(points, made):
    told = [
        sbog.stress(lenient(points), made, **words).to_dict()
        for words in ({"seed": 3, "threads": 1}, {"random_state": 3, "n_jobs": 1})
    ]
    assert told[0] == told[1]


def test_wrong_use_is_refused(made, points):
    with pytest.raises(TypeError, match="classifier.predict_proba"):
        sbog.stress(object(), made)
    with pytest.raises(ValueError, match="did you mean 'threshold'"):
        sbog.stress(np.sum, made, treshold=1)
    with pytest.raises(ValueError, match="^require: "):
        sbog.stress(lambda x: x[:, 0], made, require=["nothing"])
    with pytest.raises(ValueError, match="controls: rows of 6 columns"):
        sbog.stress(lambda x: x[:, 0], made, controls=points[0][:, :3])
    with pytest.raises(ValueError, match="no folder"):
        sbog.stress(lambda x: x[:, 0], made, out="somewhere")
    with pytest.raises(OSError, match="^nowhere: "):
        sbog.stress(lambda x: x[:, 0], "nowhere")
    changed = sbog.sample_outliers(*points, count=2)
    changed.table["anchor_row"][1] = 300
    with pytest.raises(ValueError, match="^anchor_row: rows of the bank"):
        sbog.stress(lambda x: x[:, 0], changed, seek=True)
    none = sbog.sample_outliers(*points, count=2, margin=50.0, max_rounds=1)
    with pytest.raises(ValueError, match="there is no outlier"):
        sbog.stress(lambda x: x[:, 0], none)


def test_seeking_finds_more_failures_in_the_loop(points, made):
    calls = []

    def model(cases):
        calls.append(len(cases))
        return 1 - cases[:, 1].astype(float)

    plain = sbog.stress(model, made, threshold=0.2)
    asked = sum(calls)
    result = sbog.stress(model, made, threshold=0.2, seek=True, budget=300)
    seek = result.seek
    assert sum(calls) == 2 * asked + seek["model_calls"]
    assert seek["model_calls"] <= 300
    assert plain.sought is None
    before = seek["failures_in_first_pool"] / seek["first_pool"]
    assert seek["failures_in_last_pool"] / seek["last_pool"] > before
    failing = 1 - result.sought["points"][:, 1] <= 0.2
    assert failing.sum() == seek["failures_in_last_pool"]
    assert (points[1][result.sought["anchor_row"]] == result.sought["class"]).all()


def test_data_are_made_into_cases_at_severities():
    rng = np.random.default_rng(1)
    bank = rng.normal(size=(3000, 5)) + 4 * np.eye(5)[0]
    result = sbog.stress(
        lambda x: -units(x)[:, 0], bank, count=15, severity=[1, 2],
        require=["detection >= 0 at severity 2"],
    )
    assert result.is_passed
    shares = {s["severity"]: s["detection"] for s in result.severities}
    assert set(shares) == {1, 2} and shares[2] >= shares[1]
    assert "severity 2" in result._repr_html_()
    assert [r["severity"] for r in result.chart["data"]["values"]] == ["1", "2"]
    folder = result.run
    assert os.path.isdir(folder)
    del result
    assert not os.path.isdir(folder)


def test_losses_have_the_worst_case_of_the_ball(made):
    result = sbog.stress(lambda x: x[:, 0] ** 2, made, task="loss", loss_radius=[0, 0.05])
    curve = result.worst_loss["curve"]
    assert [c["radius"] for c in curve] == [0, 0.05]
    assert curve[0]["worst_expected_loss"] <= curve[1]["worst_expected_loss"]


def test_windows_of_scenarios_are_cases_at_their_severities():
    rng = np.random.default_rng(5)
    t = np.arange(2500)
    rows = np.column_stack([np.sin(t / 8.0), np.cos(t / 11.0)])
    rows += rng.normal(size=rows.shape) * 0.05
    made = sbog.series.scenarios(
        rows, count=3, severity=[1, 2], law="edit-first", width=100
    )
    assert sorted(edit["severity"] for edit in made.edits) == [1, 1, 1, 2, 2, 2]
    shapes = []

    def model(windows):
        shapes.append(windows.shape[1:])
        return np.abs(windows).max(axis=(1, 2))

    result = sbog.stress(model, made)
    assert result.task == "detector" and result.cases == len(made) == 6
    assert set(shapes) == {made.windows.shape[1:]}
    assert [s["severity"] for s in result.severities] == [1, 2]
    assert np.array_equal(result.table["value"], np.abs(made.windows).max(axis=(1, 2)))
    assert list(result.table["sentence"]) == made.sentences
    assert result._repr_html_().startswith("<table>")


def test_a_file_of_a_detector_is_a_model(points, made, tmp_path):
    bank, labels = points
    model = tmp_path / "m.safetensors"
    sbog.detect_train(bank, labels=labels, out=model, kind="latent")
    run = sbog.generate(bank, out=tmp_path / "run", labels=labels, count=10)
    assert sbog.stress(model, run).task == "detector"
    with pytest.raises(TypeError, match="a function of arrays"):
        sbog.stress(model, made)


def test_the_file_of_junit_has_gates_and_weak_spots(points, made, tmp_path):
    gates = ["accepted <= 1", "accepted <= 0 for class 2"]
    result = sbog.stress(lenient(points), made, require=gates)
    assert not result.is_passed
    result.junit(tmp_path / "stress.xml")
    suite = xml.etree.ElementTree.parse(tmp_path / "stress.xml").getroot()
    kinds = [case.get("classname") for case in suite]
    assert kinds.count("gate") == 2 and "weak-spot" in kinds
    assert suite.get("failures") == "1"
    assert "FAIL" in result._repr_html_()


INTERRUPTED = """
    import numpy, sbog, time
    bank = numpy.random.default_rng(0).normal(size=(300, 4))
    made = sbog.sample_outliers(bank, count=20)
    def model(cases):
        print("asked", flush=True)
        while True:
            time.sleep(0.01)
    try:
        sbog.stress(model, made)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


def test_ctrl_c_stops_a_model_that_hangs():
    program = textwrap.dedent(INTERRUPTED)
    # A shell that runs the tests in its background ignores Ctrl-C for them.
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert child.stdout.readline() == "asked\n"
    pressed = time.time()
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "stopped\n"
    assert time.time() - pressed < 5.0
