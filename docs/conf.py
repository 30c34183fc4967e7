# SPDX-License-Identifier: Apache-2.0
# The site of the documents; built by `make docs`.
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "docs"))
import reference  # noqa: E402  (pages made from the tool and the headers)

project = "sbog"
copyright = "the sbog authors, Apache-2.0"
version = release = re.search(
    r"project\(sbog VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()
).group(1)

extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"sbog {release}"

build = root / "build" / "docs"
reference.write_pages(root, build)
