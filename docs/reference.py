# SPDX-License-Identifier: Apache-2.0
# Pages that are not written by hand: what every command says about itself, and
# one page of classes and functions per room of the library.
import re
import subprocess
import xml.etree.ElementTree as ElementTree

# Those that people call first; as in ARCHITECTURE.md, from the top.
ROOMS = {
    "job": "Jobs: what every command does, as a function",
    "run": "The folder of a run",
    "scenario": "Edits of windows, their search and their sentences",
    "series": "Series, windows, the encoder, detectors",
    "report": "Drawings and the report",
    "image": "Images: readers, drawn sets, sheets",
    "oracle": "Processes whose boundary is known",
    "table": "Tables of numbers and categories as points",
    "certify": "Intervals, required counts, conformal split",
    "sample": "Anchors, proposals, tests, picks, rivals",
    "metrics": "Quality of outliers and of detection",
    "detect": "Scores of points beside a bank, and their detector",
    "dro": "Worst cases and robust logits",
    "nn": "Parameters, Adam, the fused encoder of windows",
    "energy": "Costs, measures, energies, thresholds",
    "data": "Readers and writers",
    "base": "Matrices, errors, threads, random streams, options",
}


def said(tool, words):
    return subprocess.run(
        [tool, *words], check=True, capture_output=True, text=True
    ).stdout


def help_of(tool, *words):
    """Every option of a command; of a group its commands, not all of theirs."""
    text = said(tool, [*words, "--help"])
    return text if commands_of(text) else said(tool, [*words, "--help-all"])


def commands_of(help_text):
    section = help_text.split("Subcommands:", 1)
    if len(section) == 1:
        return []
    block = section[1].strip("\n").split("\n\n", 1)[0]
    return re.findall(r"^  (\S+)", block, flags=re.MULTILINE)


def commands_page(tool):
    lines = ["# Commands", "", "As the tool itself tells it.", ""]

    def add(words):
        text = help_of(tool, *words)
        title = " ".join(["sbog", *words])
        level = "##" if len(words) <= 1 else "###"
        lines.extend([f"{level} {title}", "", "```text", text.rstrip(), "```", ""])
        for name in commands_of(text):
            add([*words, name])

    add([])
    return "\n".join(lines)


def about(header):
    """What the top of a header says; indented lines stay as they are."""
    lines = []
    for line in header.read_text().splitlines()[1:]:
        if not line.startswith("//"):
            break
        text = line[2:].rstrip()
        if text.startswith("   "):
            lines.extend(["", "    " + text.strip(), ""])
        else:
            lines.append(text.strip())
    return lines


def words_of(node):
    """The description of a class or member as one paragraph."""
    parts = []
    for name in ("briefdescription", "detaileddescription"):
        found = node.find(name)
        if found is not None:
            parts.append(" ".join("".join(found.itertext()).split()))
    return " ".join(part for part in parts if part)


def plain(node, name):
    found = node.find(name)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def template_of(node):
    found = node.find("templateparamlist")
    if found is None:
        return ""
    names = []
    for parameter in found.findall("param"):
        words = [plain(parameter, "type"), plain(parameter, "declname")]
        names.append(" ".join(word for word in words if word))
    return f"template <{', '.join(names)}>\n"


def declaration_of(member):
    kind = member.get("kind")
    if kind == "enum":
        values = ", ".join(plain(v, "name") for v in member.findall("enumvalue"))
        return f"enum class {plain(member, 'name')} {{ {values} }};"
    text = plain(member, "definition") + plain(member, "argsstring")
    text = text.replace("sbog::", "")
    if kind == "variable" and member.find("initializer") is not None:
        text += " " + plain(member, "initializer")
    return template_of(member) + text + ";"


def member_lines(member):
    lines = ["```text", declaration_of(member), "```", ""]
    if words := words_of(member):
        lines.extend([escape(words), ""])
    return lines


def escape(text):
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def public_members(compound):
    for section in compound.findall("sectiondef"):
        for member in section.findall("memberdef"):
            if member.get("prot") == "public" and member.get("kind") != "define":
                yield member


def class_lines(xml, reference):
    compound = ElementTree.parse(xml / f"{reference}.xml").getroot()[0]
    name = plain(compound, "compoundname").replace("sbog::", "", 1)
    if compound.get("prot") == "private":
        return []
    lines = [f"### {compound.get('kind')} {escape(name)}", ""]
    if words := words_of(compound):
        lines.extend([escape(words), ""])
    for member in public_members(compound):
        lines.extend(member_lines(member))
    return lines


def free_members(xml):
    """Functions, types and constants of the namespaces, by their header."""
    by_header = {}
    for file in sorted(xml.glob("namespacesbog*.xml")):
        compound = ElementTree.parse(file).getroot()[0]
        for member in public_members(compound):
            place = member.find("location")
            header = place.get("declfile") or place.get("file")
            by_header.setdefault(header, []).append(member)
    return by_header


def header_files(xml):
    """Where doxygen writes about a header, by its path."""
    files = {}
    for entry in ElementTree.parse(xml / "index.xml").getroot():
        if entry.get("kind") == "file":
            file = xml / f"{entry.get('refid')}.xml"
            compound = ElementTree.parse(file).getroot()[0]
            files[compound.find("location").get("file")] = compound
    return files


def header_lines(xml, compound, free):
    lines = []
    for inner in compound.findall("innerclass"):
        if inner.get("prot") == "public":
            lines.extend(class_lines(xml, inner.get("refid")))
    if free:
        lines.extend(["### Functions, types and constants", ""])
    for member in free:
        lines.extend(member_lines(member))
    return lines


def room_page(root, xml, room, free, files):
    lines = [f"# {ROOMS[room]}", "", f"Headers of `sbog/{room}/`.", ""]
    for header in sorted((root / "sbog" / room).glob("*.h")):
        name = f"sbog/{room}/{header.name}"
        lines.extend([f"## {name}", "", *about(header), ""])
        lines.extend(header_lines(xml, files[name], free.get(name, [])))
    return "\n".join(lines)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_pages(root, build):
    """Writes docs/reference/ from the built tool and the headers."""
    folder = root / "docs" / "reference"
    tool = root / "build" / "bin" / "sbog"
    write(folder / "commands.md", commands_page(str(tool)))
    index = ["# C++", "", "One page per room of the library.", "", "```{toctree}", ":maxdepth: 1", ""]
    there = {path.parent.name for path in (root / "sbog").glob("*/CMakeLists.txt")}
    if there != set(ROOMS):
        raise ValueError(f"ROOMS is not the list of rooms: {there ^ set(ROOMS)}")
    xml = build / "xml"
    free, files = free_members(xml), header_files(xml)
    for room in ROOMS:
        write(folder / f"{room}.md", room_page(root, xml, room, free, files))
        index.append(room)
    index.extend(["```", ""])
    write(folder / "cpp.md", "\n".join(index))
