# SPDX-License-Identifier: Apache-2.0
"""A page of the documents as a notebook: make_notebook.py PAGE OUT [--execute]

Lines in Python become cells of code, all else cells of text; what the page says
that they print is left to the cells themselves. --execute runs them, in the
environment of the interpreter, which needs nbclient, nbformat and ipykernel;
reports, which are a megabyte each, are kept with --whole only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(
    r"(?P<remark><!-- not run: [^\n]*-->\n)?```(?P<language>\w+)\n(?P<text>.*?)```\n?",
    re.DOTALL,
)


LARGEST = 100_000  # characters


def cell(kind: str, text: str, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.strip("\n").splitlines(keepends=True),
    }
    if kind == "code":
        made.update(execution_count=None, outputs=[])
    return made


def cells_of(page: str) -> list[dict[str, Any]]:
    """The cells of a page, in order."""
    cells: list[dict[str, Any]] = []
    words, end, is_code = "", 0, False

    def add(kind: str, text: str) -> None:
        if text.strip():
            cells.append(cell(kind, text, len(cells)))

    for block in BLOCK.finditer(page):
        between = page[end : block.start()]
        end = block.end()
        if block["language"] == "text" and is_code and not between.strip():
            continue  # printed by the cell above
        words += between
        is_code = block["language"] == "python" and not block["remark"]
        if is_code:
            add("markdown", words)
            add("code", block["text"])
            words = ""
        else:
            words += block.group().removeprefix(block["remark"] or "")
    add("markdown", words + page[end:])
    return cells


def notebook_of(page: str) -> dict[str, Any]:
    return {
        "cells": cells_of(page),
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def without_reports(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without what is too large for the history of a repository."""
    for entry in notebook["cells"]:
        for output in entry.get("outputs", []):
            data = output.get("data", {})
            if len("".join(data.get("text/html", ""))) > LARGEST:
                del data["text/html"]
    return notebook


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook after its cells have run, in a folder that is then gone."""
    import nbclient
    import nbformat

    loaded = nbformat.reads(json.dumps(notebook), as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(
            loaded, resources={"metadata": {"path": folder}}, timeout=600
        )
        client.execute()
    for entry in loaded.cells:
        entry.metadata.pop("execution", None)  # the hour it ran
    return json.loads(nbformat.writes(loaded))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--execute", action="store_true")
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    notebook = notebook_of(arguments.page.read_text(encoding="utf-8"))
    if arguments.execute:
        notebook = executed(notebook)
    if not arguments.whole:
        notebook = without_reports(notebook)
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    temporary = arguments.out.with_name(arguments.out.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, arguments.out)


if __name__ == "__main__":
    main()
