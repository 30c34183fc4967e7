# SPDX-License-Identifier: Apache-2.0
"""Pages with lines in Python: run as written, they print what the page says."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- not run: [^\n]*-->\n)?```(\w+)\n(.*?)```", re.DOTALL)


# A script with a name is a file for the commands after it.
SCRIPT = re.compile(r"# \S+\.py\n")


def blocks_of(page):
    """Language and lines of the blocks that are run."""
    return [
        (language, text)
        for remark, language, text in BLOCK.findall(page)
        if not remark and not (language == "python" and SCRIPT.match(text))
    ]


def is_printed(expected, printed):
    """Line by line, where ... stands for any text."""
    wanted = [
        ".*".join(map(re.escape, line.split("..."))) for line in expected.splitlines()
    ]
    return re.fullmatch("\n".join(wanted), printed.strip()) is not None


PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if any(language == "python" for language, _ in blocks_of(path.read_text()))
]


def test_there_are_pages():
    assert PAGES


NEED = re.compile(r"<!-- needs (\w+) -->")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page, tmp_path, monkeypatch):
    for module in NEED.findall(page.read_text()):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    names, printed, is_ours = {}, "", False
    for language, text in blocks_of(page.read_text()):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, page.name, "exec"), names)
            printed, is_ours = out.getvalue(), True
        elif language == "text" and is_ours:
            assert is_printed(text.strip(), printed), printed
        else:
            is_ours = False


def test_dots_stand_for_any_text():
    assert is_printed("a ... c", "a b c\n")
    assert not is_printed("a ... c", "a b d\n")
    assert not is_printed("a", "a\nb")
