# SPDX-License-Identifier: Apache-2.0
"""What record.py keeps of a file: exact hashes and facts.

A hash stands for the exact bits, part by part (a column of a CSV file, a key
of a JSON file), so that a difference has a name. A fact is an integer or a
text, which holds on every machine, or a float, which holds within a tolerance.
"""
import csv
import hashlib
import io
import json
import re
import struct

# Times, the machine, and what follows from the spelling of options.
VOLATILE = re.compile("(.*_)?seconds?|simd|threads|version|run")
# Help for the reader beside a value that is recorded.
PROSE = re.compile("meaning|direction")
# Numbers in JSON that are facts.
FACTS = {"produced", "requested", "bank_rows", "query_rows", "outlier_rows",
         "dimension", "rows", "windows", "kept", "images", "threshold",
         "lambda", "nominal_value", "value"}


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:10]


def parse_npy(data):
    """(type, shape, bytes of the values) of a .npy file."""
    size = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)[0]
    start = (10 if data[6] == 1 else 12) + size
    head = data[:start].decode("latin-1")
    kind = re.search(r"'descr': '([^']*)'", head).group(1)
    shape = re.search(r"'shape': \(([^)]*)\)", head).group(1)
    return kind, "x".join(re.findall(r"\d+", shape)), data[start:]


def mean_size(values):
    """Mean absolute value of the finite ones, of which there may be none."""
    sizes = [abs(x) for x in values if abs(x) < float("inf")]
    return sum(sizes) / len(sizes) if sizes else 0.0


def digest_npy(data):
    kind, shape, values = parse_npy(data)
    facts = {"shape": f"{kind} {shape}"}
    code = {"<f4": "f", "<f8": "d"}.get(kind)
    if code:
        count = len(values) // struct.calcsize(code)
        facts["mean"] = mean_size(struct.unpack(f"<{count}{code}", values))
    return {"": short_hash(data)}, facts


def numbers_of(texts):
    """The texts as floats, or None where one is none."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        return None


def digest_csv(data):
    rows = list(csv.reader(io.StringIO(data.decode())))
    header, rows = rows[0], rows[1:]
    exact, facts = {}, {"rows": len(rows)}
    for name, *column in zip(header, *rows):
        exact[name] = short_hash("\n".join(column).encode())
        numbers = numbers_of(column)
        if "energy" in name and numbers:
            facts[f"mean {name}"] = mean_size(numbers)
    return exact, facts


def lasting(value):
    """The JSON value without what is volatile or prose."""
    if isinstance(value, dict):
        return {key: lasting(inner) for key, inner in value.items()
                if not VOLATILE.fullmatch(key) and not PROSE.fullmatch(key)}
    if isinstance(value, list):
        return [lasting(inner) for inner in value]
    return value


def facts_of_json(value, path, facts):
    if isinstance(value, list):
        for i, inner in enumerate(value):
            is_named = isinstance(inner, dict) and "name" in inner
            facts_of_json(inner, path if is_named else f"{path}{i}.", facts)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, (dict, list)):
                facts_of_json(inner, f"{path}{key}.", facts)
            elif key in FACTS:
                facts[path + value.get("name", key)] = inner


def digest_json(data):
    value = lasting(json.loads(data))
    parts = value.items() if isinstance(value, dict) else [("", value)]
    return {key: short_hash(json.dumps(part, sort_keys=True).encode())
            if isinstance(part, (dict, list, float)) else part
            for key, part in parts}, {}


def digest_result(data):
    """As digest_json, with facts: for what a command prints."""
    facts = {}
    facts_of_json(lasting(json.loads(data)), "", facts)
    return digest_json(data)[0], facts


def digest_safetensors(data):
    """Names, types, shapes and values; not the metadata, which has words."""
    size = struct.unpack_from("<Q", data)[0]
    head = json.loads(data[8:8 + size])
    head.pop("__metadata__", None)
    tensors = [[name, head[name]["dtype"], head[name]["shape"],
                short_hash(data[8 + size:][slice(*head[name]["data_offsets"])])]
               for name in sorted(head)]
    return ({"": short_hash(json.dumps(tensors).encode())},
            {"tensors": len(tensors)})


def digest_of(path):
    """(hashes, facts) of one file, each by the name of a part."""
    kind = path.suffix
    if kind == ".html":  # holds versions; its charts show what is in the run
        return {}, {"is written": path.stat().st_size > 10000}
    if kind == ".toml":  # spelled as the options are
        return {}, {"is written": True}
    readers = {".npy": digest_npy, ".csv": digest_csv, ".json": digest_json,
               ".safetensors": digest_safetensors}
    data = path.read_bytes()
    if kind not in readers and data[8:10] == b'{"':
        kind = ".safetensors"  # models may have any name
    if kind in readers:
        return readers[kind](data)
    return {"": short_hash(data)}, {}
