# SPDX-License-Identifier: Apache-2.0
"""Indices of models that are spread over several files."""

import json

from common import bad, good


def make():
    good(
        "index/two_shards.json",
        json.dumps(
            {
                "metadata": {"total_size": 8, "note": "x"},
                "weight_map": {"a": "one.safetensors", "b": "two.safetensors"},
            }
        ),
    )
    bad("index/empty.json", "")
    bad("index/array.json", "[]")
    bad("index/no_map.json", '{"metadata":{}}')
    bad("index/unknown_key.json", '{"weight_map":{},"x":{}}')
    bad("index/map_twice.json", '{"weight_map":{},"weight_map":{}}')
    bad("index/tensor_twice.json", '{"weight_map":{"a":"x","a":"y"}}')
    bad("index/not_a_string.json", '{"weight_map":{"a":1}}')
    bad("index/trailing.json", '{"weight_map":{}}x')
    bad("index/unclosed.json", '{"weight_map":{"a":"x"')
    bad("index/metadata_list.json", '{"metadata":{"a":[]},"weight_map":{}}')
    for name, shard in {
        "parent": "..",
        "self": ".",
        "empty_name": "",
        "absolute": "/etc/passwd",
        "upwards": "../x",
        "subfolder": "sub/x",
        "backslash": "sub\\\\x",
        "drive": "C:x",
        "nul": "x\\u0000y",
    }.items():
        bad(f"index/shard_{name}.json", '{"weight_map":{"a":"%s"}}' % shard)
