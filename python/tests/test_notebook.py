# SPDX-License-Identifier: Apache-2.0
"""The notebook of the tutorial: made from its page, run, and without a fault."""

import importlib.util
import json
import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NOTEBOOK = DOCS / "tutorial-python.ipynb"


def maker():
    spec = importlib.util.spec_from_file_location("make", DOCS / "make_notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sources(cells):
    return [(c["cell_type"], "".join(c["source"])) for c in cells]


def test_the_notebook_is_that_of_the_page():
    # Out of date? The first lines of docs/make_notebook.py say how to make it.
    page = (DOCS / "tutorial-python.md").read_text()
    kept = json.loads(NOTEBOOK.read_text())
    assert sources(kept["cells"]) == sources(maker().cells_of(page))


def test_every_cell_was_run_and_the_file_is_small():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    code = [c for c in cells if c["cell_type"] == "code"]
    assert [c["execution_count"] for c in code] == list(range(1, len(code) + 1))
    outputs = [o for c in code for o in c["outputs"]]
    assert not [o for o in outputs if o["output_type"] == "error"]
    shown = ["".join(o.get("data", {}).get("text/plain", "")) for o in outputs]
    assert any("generate: done" in text for text in shown)
    assert NOTEBOOK.stat().st_size < 100_000


def test_large_pages_are_left_out_and_small_tables_kept():
    data = [{"text/html": ["x" * 200_000], "text/plain": "run"}, {"text/html": "t"}]
    made = {"cells": [{"outputs": [{"data": d} for d in data]}, {"source": ""}]}
    kept = maker().without_reports(made)["cells"][0]["outputs"]
    assert kept == [{"data": {"text/plain": "run"}}, {"data": {"text/html": "t"}}]


def test_text_cells_keep_commands_and_code_cells_lose_what_was_printed():
    page = (
        "# T\n```python\nprint(1)\n```\n\n```text\n1\n```\nthen\n```sh\nls\n```\n"
        "<!-- not run: slow -->\n```python\nx\n```\n"
    )
    made = sources(maker().cells_of(page))
    assert made[:2] == [("markdown", "# T"), ("code", "print(1)")]
    assert made[2] == ("markdown", "then\n```sh\nls\n```\n```python\nx\n```")
    assert len(made) == 3
