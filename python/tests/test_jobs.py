# SPDX-License-Identifier: Apache-2.0
"""Jobs as functions: options from the tables, the same bytes as the program."""

import inspect
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import sbog
from sbog import _core, jobs


@pytest.mark.parametrize("job", jobs.__all__)
def test_keywords_are_the_options_of_the_table(job):
    options = _core.job_options(job)
    signature = inspect.signature(getattr(sbog, job))
    names = [o.name for o in options]
    assert sorted(signature.parameters) == sorted([*names, "threads", "progress"])
    required = {o.name for o in options if o.is_required}
    needed = {
        n for n, p in signature.parameters.items() if p.default is p.empty
    }
    assert needed == required


@pytest.mark.parametrize("job", jobs.__all__)
def test_every_option_is_documented_with_its_choices(job):
    text = " ".join(getattr(sbog, job).__doc__.split())
    for option in _core.job_options(job):
        assert f" {option.name} : " in text
        assert all(f"'{choice}'" in text for choice in option.choices)
    assert "--" not in text.replace("----------", "")


def test_a_wrong_name_suggests_the_nearest():
    with pytest.raises(ValueError, match="epsilonn.*did you mean 'epsilon'"):
        sbog.score("demo:bank", epsilonn=0.1)


def test_a_wrong_value_names_its_option():
    with pytest.raises(ValueError, match="^trim: "):
        sbog.score("demo:bank", trim="much")
    with pytest.raises(TypeError, match="takes 1 argument"):
        sbog.score("demo:bank", "demo:queries")


def test_what_is_required_is_asked_for():
    with pytest.raises(ValueError, match="BANK is required"):
        sbog.score()


def test_a_missing_file_is_an_os_error_with_its_path():
    with pytest.raises(OSError, match="^nowhere.npy: "):
        sbog.score("nowhere.npy")


def test_spellings_of_scikit_learn_are_taken():
    first = sbog.score("demo:bank", threshold="conformal", random_state=5, n_jobs=1)
    second = sbog.score("demo:bank", threshold="conformal", seed=5, threads=2)
    other = sbog.score("demo:bank", threshold="conformal", seed=6)
    assert np.array_equal(first.energies, second.energies)
    assert not np.array_equal(first.energies, other.energies)


def test_an_array_stands_for_a_file(points, tmp_path):
    bank, labels = points
    np.save(tmp_path / "bank.npy", bank)
    by_file = sbog.score(tmp_path / "bank.npy", epsilon=0.05)
    by_array = sbog.score(bank, epsilon=0.05)
    assert np.array_equal(by_file.energies, by_array.energies)
    per_class = sbog.score(bank, labels=labels, per_class=True, epsilon=0.05)
    assert len(per_class["classes"]) == 3


def test_a_warning_is_about_the_line_of_the_caller(points):
    bank, labels = points
    with pytest.warns(sbog.SbogWarning, match="epsilon") as caught:
        sbog.score(bank, labels=labels, per_class=True, epsilon=0.05)
    assert {w.filename for w in caught} == {__file__}


def test_progress_is_told_and_may_end_the_job():
    heard = []
    sbog.score("demo:bank", progress=lambda *words: heard.append(words))
    assert heard and all(done <= total for _, done, total in heard)

    class Enough(Exception):
        pass

    def stop(stage, done, total):
        raise Enough

    with pytest.raises(Enough):
        sbog.score("demo:bank", progress=stop)


def test_results_show_themselves():
    result = sbog.score("demo:bank")
    assert result.status == "done"
    assert result.bank_rows == len(result.energies) == 600
    assert "<table>" in result._repr_html_()
    assert result.to_dict()["bank_rows"] == 600
    with pytest.raises(AttributeError, match="has no 'nothing'"):
        result.nothing


def files_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


def assert_same_runs(first, second, names):
    a, b = files_of(first), files_of(second)
    assert sorted(a) == sorted(b)
    for name in names:
        assert a[name] == b[name], name


def test_a_run_on_points_has_the_bytes_of_the_program(tool, tmp_path):
    made = sbog.generate(
        "demo:bank", out=tmp_path / "a", labels="demo:labels", count=20, seed=7
    )
    words = "--labels demo:labels --count 20 --seed 7 --quiet".split()
    tool("generate", "demo:bank", "--out", tmp_path / "b", *words)
    names = ["config.toml", "outliers.npy", "outliers.csv"]
    assert_same_runs(tmp_path / "a", tmp_path / "b", names)
    assert made.outliers.shape[0] == len(made.table) == made.produced
    assert "<iframe srcdoc=" in made._repr_html_()


def test_a_run_on_an_array_can_be_evaluated_and_reported(points, tmp_path):
    bank, labels = points
    run = sbog.generate(bank, out=tmp_path / "run", labels=labels, count=10)
    assert run.status == "done"
    metrics = sbog.evaluate(tmp_path / "run")
    assert metrics.status == "done"
    page = sbog.report(tmp_path / "run", out=tmp_path / "page.html")
    assert os.path.getsize(tmp_path / "page.html") > 10000
    assert "<iframe srcdoc=" in page._repr_html_()


def test_a_run_on_a_series_has_the_bytes_of_the_program(tool, tmp_path):
    sbog.train_series("demo:series", out=tmp_path / "m.safetensors", epochs=6)
    tool(
        "train", "series", "demo:series", "--out", tmp_path / "n.safetensors",
        "--epochs", 6, "--quiet",
    )
    a, b = (tmp_path / n for n in ("m.safetensors", "n.safetensors"))
    assert a.read_bytes() == b.read_bytes()
    sbog.generate("demo:series", out=tmp_path / "a", model=a, count=3, seed=2)
    tool(
        "generate", "demo:series", "--out", tmp_path / "b", "--model", a,
        "--count", 3, "--seed", 2, "--quiet",
    )
    names = ["outliers.npy", "outliers.csv", "decoded/windows.npy"]
    assert_same_runs(tmp_path / "a", tmp_path / "b", names)


def test_dro_has_the_bytes_of_the_program(tool, tmp_path):
    inputs = {"losses": "demo:losses", "bank": "demo:bank"}
    curve = sbog.dro(radius=[0.01, 0.1], out=tmp_path / "a.npy", **inputs)
    tool(
        "dro", "--losses", "demo:losses", "--bank", "demo:bank",
        "--radius", "0.01,0.1", "--out", tmp_path / "b.npy", "--quiet",
    )
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    assert np.array_equal(np.load(tmp_path / "a.npy"), np.array(curve.worst_case))


def test_a_certificate_has_the_bytes_of_the_program(tool, tmp_path):
    sbog.certify("demo:bank", count=50, seed=1, out=tmp_path / "a.json")
    tool(
        "certify", "demo:bank", "--count", 50, "--seed", 1,
        "--out", tmp_path / "b.json", "--quiet",
    )
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_points_are_told_apart_by_a_trained_detector(points, tmp_path):
    bank, labels = points
    model = tmp_path / "m.safetensors"
    sbog.detect_train(bank, labels=labels, out=model, kind="latent")
    queries = np.vstack([bank[:5], -bank[:5]])
    result = sbog.detect_score(model, queries)
    assert list(result.classes[:5]) == ["0"] * 5
    assert result.scores.shape == result.p_values.shape == (10,)
    assert result.p_values[:5].mean() > result.p_values[5:].mean()


INTERRUPTED = """
    import numpy, sbog, time
    bank = numpy.random.default_rng(0).normal(size=(60000, 64))
    print("ready", flush=True)
    try:
        sbog.EnergyModel(epsilon=0.1, threads=1).fit(bank).score_bank()
    except KeyboardInterrupt:
        print("stopped", time.time(), flush=True)
"""


def test_ctrl_c_stops_within_a_second():
    program = textwrap.dedent(INTERRUPTED)
    # A shell that runs the tests in its background ignores Ctrl-C for them.
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    pressed = time.time()
    child.send_signal(signal.SIGINT)
    word, when = child.communicate(timeout=60)[0].split()
    assert word == "stopped"
    assert float(when) - pressed < 1.0
