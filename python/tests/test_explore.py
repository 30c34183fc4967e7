# SPDX-License-Identifier: Apache-2.0
"""What the sliders show is what the sampler does."""

import numpy as np
import pytest

import sbog
from sbog._explore import Explorer


def explorer(points, **options):
    bank, labels = points
    return Explorer(bank, labels, None, "boundary", options, 0, 2)


def test_the_picture_is_that_of_the_sampler(points):
    bank, labels = points
    seen = explorer(points).look(0.05, 0.5, 0.1)
    options = {"epsilon": 0.05, "semantic_floor": 0.5, "sigma": 0.1}
    made = sbog.sample_outliers(
        bank, labels, count=40, anchor_count=60, max_rounds=4, seed=0, **options
    )
    assert np.array_equal(seen["scores"], made.bank_scores)
    assert list(seen["thresholds"]) == [r["threshold"] for r in made.reports]
    assert np.array_equal(seen["outliers"], made.latents)
    assert np.array_equal(
        seen["is_outside"], made.bank_scores >= seen["thresholds"][labels]
    )


def test_the_share_falls_with_the_floor(points):
    look = explorer(points)
    shares = []
    for floor in (-1.0, 0.5, 0.9, 0.999):
        seen = look.look(0.05, floor, 0.1)
        shares.append(look.share)
        assert look.share == seen["feasible"].sum() / seen["proposals"]
        assert len(seen["feasible"]) == len(seen["anchor_rows"])
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0 and shares[-1] < shares[0]


def test_five_thousand_points_are_shown_at_most():
    bank = np.random.default_rng(0).normal(size=(12_000, 8)).astype(np.float32)
    look = Explorer(bank, None, None, "boundary", {}, 0, 2)
    assert len(look.points) == len(look.places) == 5000
    assert len(look.look(0.1, None, 0.1)["scores"]) == 5000


def test_a_move_of_a_slider_computes_everything_again(points):
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    widget = sbog.explore(*points)
    assert len(widget.places) == 300 * 2 * 4 and len(widget.outside) == 300
    before = (widget.outside, widget.outliers, widget.words)
    assert "proposals are feasible" in widget.words
    widget.sigma = widget.sigma * 3
    assert (widget.outside, widget.outliers, widget.words) != before
    widget.epsilon = -1.0
    assert widget.share is None and "epsilon" in widget.words
    assert "export default" in widget._esm and "http" not in str(widget._esm)


def test_without_anywidget_it_says_what_is_missing(points, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install anywidget"):
        sbog.explore(*points)
