#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of commands.txt and compares what they write.

    record.py TOOL                  compare with expected.json
    record.py TOOL --only NAME      ... the cases whose name contains NAME
    record.py TOOL --add            record what is not recorded yet
    record.py TOOL --record         record everything anew

expected.json holds facts, which are compared on every machine, and exact
hashes for machines of the same kind: instruction set, C library, compiler,
build, and with LibTorch the processor. Elsewhere only facts are compared.
Exit code: 0 nothing changed, 1 something did, 2 wrong use.
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from digest import digest_of, digest_result
from made_data import make_data

HERE = Path(__file__).resolve().parent


@dataclass
class Case:
    name: str
    tolerance: float = 1e-3
    is_loose: bool = False
    needs_libtorch: bool = False
    lines: list = field(default_factory=list)


def read_cases(path):
    cases = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if line.startswith("["):
            name, *words = line.strip("[]").split()
            cases.append(Case(name))
            for word in words:
                if word == "libtorch":
                    cases[-1].needs_libtorch = True
                elif word == "loose":
                    cases[-1].is_loose = True
                else:
                    cases[-1].tolerance = float(word)
        elif line and not line.startswith("#"):
            words = shlex.split(line)
            if not cases or words[0] not in ("sbog", "kill-at"):
                sys.exit(f"{path}:{number}: '{line}' is no command of a case")
            cases[-1].lines.append(words)
    return cases


def ask_tool(tool):
    """(has LibTorch, kind of machine without it, kind of machine with it)."""
    told = subprocess.run([tool, "doctor", "--json"], capture_output=True,
                          check=False).stdout
    facts = json.loads(told)
    libtorch = facts["libtorch"]
    has_libtorch = libtorch["is_installed"] and not libtorch["fault"]
    libc = " ".join(os.confstr("CS_GNU_LIBC_VERSION").split())
    plain = ", ".join([facts["kernel_target"], libc, facts["compiler"],
                       facts["build"]])
    return (has_libtorch, plain,
            f"{plain}, {facts['cpu']}, LibTorch {libtorch['version']}")


def run_until(command, folder, pattern, environment):
    """Starts a command and kills it once a file matches `pattern`."""
    with subprocess.Popen(command, cwd=folder, env=environment,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not any(folder.glob(pattern)):
            time.sleep(0.001)
        process.kill()
    return process.returncode < 0


def safe_digest(path):
    """A file that is not what its name says is a difference, not an end."""
    try:
        return digest_of(path)
    except (ValueError, LookupError, AttributeError, struct.error) as fault:
        return {}, {"cannot be read": str(fault)}


def loosened(exact, facts):
    """Leaves as facts that commands end well and that a run is written."""
    kept = {name: "0 or 1" if name.endswith("exit") and value in (0, 1)
            else value for name, value in facts.items()
            if name.endswith((" exit", " was killed", " is written"))}
    return {**exact, **facts}, kept


def run_case(case, tool, work):
    """Returns (hashes, facts, last words of commands that failed)."""
    folder = work / case.name
    folder.mkdir()
    environment = dict(os.environ, LC_ALL="C", TZ="UTC", NO_COLOR="1")
    exact, facts, words_of = {}, {}, {}

    def keep(name, digest):
        for kept, found in zip((exact, facts), digest):
            kept.update({f"{name} {part}".strip(): value
                         for part, value in found.items()})

    for number, words in enumerate(case.lines, 1):
        if words[0] == "kill-at":
            was_killed = run_until([tool] + words[3:], folder, words[1],
                                   environment)
            facts[f"command {number} was killed"] = was_killed
            continue
        done = subprocess.run([tool] + words[1:], cwd=folder, check=False,
                              env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True)
        facts[f"command {number} exit"] = done.returncode
        (work / f"{case.name}.{number}.stderr").write_bytes(done.stderr)
        if done.returncode:
            words_of[number] = done.stderr.decode().strip().split("\n")[-1]
        if "--json" in words and done.stdout:
            keep(f"command {number}", digest_result(done.stdout))
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            keep(str(path.relative_to(folder)), safe_digest(path))
    if case.is_loose:
        exact, facts = loosened(exact, facts)
    return exact, facts, words_of


def is_close(a, b, tolerance):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-9
    return a == b


def differences(recorded, now, agree):
    """Lines for what changed or is gone, and the names of what is new."""
    changed = []
    for name, value in recorded.items():
        if name not in now:
            changed.append(f"{name}: is gone")
        elif not agree(value, now[name]):
            changed.append(f"{name}: was {value}, is {now[name]}")
    return changed, [name for name in now if name not in recorded]


def compare(case, entry, kind, exact, facts):
    """(lines about changes, names of new things, whether bits were compared)"""
    changed, new = differences(
        entry["facts"], facts, lambda a, b: is_close(a, b, case.tolerance))
    if kind not in entry["exact"]:
        return changed, new, False
    bits = differences(entry["exact"][kind], exact, lambda a, b: a == b)
    return changed + bits[0], new + bits[1], True


def store(expected, case, kind, exact, facts, keeps_old):
    """Takes results over; `keeps_old`: only what is not recorded yet."""
    entry = expected.setdefault(case.name, {"facts": {}, "exact": {}})
    if keeps_old:
        old = entry["exact"].get(kind, {})
        entry["facts"] = {**facts, **entry["facts"]}
        entry["exact"][kind] = {**exact, **old}
        return
    if entry["exact"].get(kind) != exact:
        entry["exact"] = {}  # what other machines wrote is out of date
    entry["facts"] = facts
    entry["exact"][kind] = exact


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool", help="the program sbog")
    parser.add_argument("--only", default="", help="part of the cases' names")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--jobs", type=int, default=1,
                        help="cases that run at the same time (default 1)")
    parser.add_argument("--expected", type=Path, default=HERE / "expected.json")
    parser.add_argument("--commands", type=Path, default=HERE / "commands.txt")
    parser.add_argument("--keep", type=Path,
                        help="folder to run in, which is kept")
    return parser.parse_args()


def run_all(cases, tool, work, jobs):
    """Yields (case, what run_case gives, seconds) in the order of `cases`."""
    def timed(case):
        start = time.monotonic()
        result = run_case(case, tool, work)
        return case, result, time.monotonic() - start

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(timed, cases)


def main():
    options = read_arguments()
    tool = shutil.which(options.tool)
    if not tool:
        print(f"record.py: there is no program {options.tool}", file=sys.stderr)
        return 2
    tool = os.path.abspath(tool)
    has_libtorch, plain_kind, torch_kind = ask_tool(tool)
    cases = [case for case in read_cases(options.commands)
             if options.only in case.name]
    left_out = [case for case in cases
                if case.needs_libtorch and not has_libtorch]
    cases = [case for case in cases if case not in left_out]
    expected = {}
    if options.expected.exists():
        expected = json.loads(options.expected.read_text())

    work = options.keep or Path(tempfile.mkdtemp(prefix="sbog-record-"))
    make_data(work / "data")
    failed, without_bits = 0, 0
    try:
        for case, (exact, facts, words_of), seconds in run_all(
                cases, tool, work.resolve(), options.jobs):
            kind = torch_kind if case.needs_libtorch else plain_kind
            entry = expected.get(case.name, {"facts": {}, "exact": {}})
            changed, new, has_bits = compare(case, entry, kind, exact, facts)
            without_bits += not has_bits
            failed += bool(changed)
            word = "CHANGED" if changed else "same" if has_bits else "facts"
            print(f"{word:8}{case.name} ({seconds:.1f} s)", flush=True)
            for line in changed:
                print(f"        {line}")
            for number, words in words_of.items() if changed else ():
                print(f"        command {number} said: {words}")
            if new:
                print(f"        not recorded: {', '.join(new[:6])}" +
                      (f" and {len(new) - 6} more" if len(new) > 6 else ""))
            if options.record or options.add:
                store(expected, case, kind, exact, facts, options.add)
    finally:
        if not options.keep:
            shutil.rmtree(work)
    if options.record or options.add:
        options.expected.write_text(
            json.dumps(expected, indent=1, sort_keys=True) + "\n")

    print(f"{len(cases)} cases, {failed} changed; machine: {torch_kind}")
    if without_bits:
        print(f"{without_bits} of them compared by facts alone: no hashes are "
              "recorded for this kind of machine")
    if left_out:
        print(f"{len(left_out)} left out, as the tool has no LibTorch: " +
              ", ".join(case.name for case in left_out))
    cpu = os.times()
    print(f"CPU: {cpu.children_user + cpu.children_system:.1f} s")
    return 1 if failed and not options.record else 0


if __name__ == "__main__":
    sys.exit(main())
