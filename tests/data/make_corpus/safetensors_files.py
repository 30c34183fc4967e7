# SPDX-License-Identifier: Apache-2.0
"""safetensors files: at least one for each rule of the format."""

import struct

from common import bad, counting, good
from safetensors.numpy import save as save_reference


def st(header, buffer=b"", length=None):
    text = header if isinstance(header, bytes) else header.encode()
    return (
        struct.pack("<Q", len(text) if length is None else length)
        + text
        + buffer
    )


def entry(dtype="F32", shape="[2,3]", offsets="[0,24]", extra=""):
    return '{"dtype":"%s","shape":%s,"data_offsets":%s%s}' % (
        dtype,
        shape,
        offsets,
        extra,
    )


def make():
    six = counting((6,), "<f4").tobytes()
    one = '{"a":%s}'
    good(
        "safetensors/reference.safetensors",
        save_reference(
            {"a": counting((3, 4), "<f4"), "b": counting((5,), "<i8")},
            {"made": "by the reference"},
        ),
    )
    good("safetensors/empty.safetensors", st("{}"))
    good("safetensors/padded.safetensors", st(one % entry() + "     ", six))
    good(
        "safetensors/unaligned.safetensors",
        st(
            '{"u":%s,"f":%s}'
            % (entry("U8", "[1]", "[0,1]"), entry("F32", "[2,3]", "[1,25]")),
            b"\0" + six,
        ),
    )
    good(
        "safetensors/rank_0_and_no_elements.safetensors",
        st(
            '{"z":%s,"s":%s}'
            % (entry("F32", "[0,7]", "[4,4]"), entry("F32", "[]", "[0,4]")),
            b"\0" * 4,
        ),
    )
    half = counting((4,), "<f2").tobytes()
    brain = (counting((4,), "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    good(
        "safetensors/half_types.safetensors",
        st(
            '{"h":%s,"b":%s}'
            % (entry("F16", "[4]", "[0,8]"), entry("BF16", "[4]", "[8,16]")),
            half + brain,
        ),
    )
    good(
        "safetensors/all_other_types.safetensors",
        st(
            "{"
            + ",".join(
                '"%s":%s' % (t, entry(t, "[2]", "[%d,%d]" % (b, e)))
                for t, b, e in (
                    ("F64", 0, 16),
                    ("I64", 16, 32),
                    ("I32", 32, 40),
                    ("U8", 40, 42),
                    ("BOOL", 42, 44),
                )
            )
            + "}",
            b"".join(
                counting((2,), d).tobytes()
                for d in ("<f8", "<i8", "<i4", "u1", "u1")
            ),
        ),
    )
    good(
        "safetensors/escaped_name.safetensors",
        st('{"\\u00e4\\ud83d\\ude00\\n\\"":%s}' % entry(), six),
    )

    def b(name, *parts, **more):
        bad(f"safetensors/{name}.safetensors", st(*parts, **more))

    bad("safetensors/empty.safetensors", b"")
    bad("safetensors/size_cut.safetensors", b"\2\0\0\0\0\0\0")
    b("header_beyond_file", "{}", length=3)
    b("header_beyond_cap", "{}", length=16 * 1024 * 1024 + 1)
    b("header_beyond_64_bits_of_sense", "{}", length=(1 << 64) - 1)
    b("header_empty", "")
    b("header_begins_with_space", " {}")
    b("header_array", "[]")
    b("header_not_utf8", b'{"\xff":' + entry().encode() + b"}", six)
    b("header_overlong_utf8", b'{"\xc0\xaf":' + entry().encode() + b"}", six)
    b("header_unclosed", one[:-1] % entry(), six)
    b("header_trailing_text", one % entry() + "x", six)
    b("header_trailing_line_end", one % entry() + "\n", six)
    b("header_trailing_nul", one % entry() + "\0", six)
    b("header_two_documents", one % entry() + "{}", six)
    b("header_trailing_comma", '{"a":%s,}' % entry(), six)
    b("header_comment", '{/**/"a":%s}' % entry(), six)
    b("header_too_deep", '{"a":' * 2000 + "1" + "}" * 2000)
    b("header_deep_array", one % entry(shape="[[[[2]]],3]"), six)
    b("name_twice", '{"a":%s,"a":%s}' % (entry(), entry()), six)
    b("name_twice_by_escape", '{"a":%s,"\\u0061":%s}' % (entry(), entry()), six)
    b("name_too_long", '{"%s":%s}' % ("n" * 1025, entry()), six)
    b("name_control_character", '{"a\n":%s}' % entry(), six)
    b("name_lone_surrogate", '{"\\ud800":%s}' % entry(), six)
    b("name_bad_escape", '{"\\x61":%s}' % entry(), six)
    b("name_number", "{1:%s}" % entry(), six)
    b("entry_null", '{"a":null}')
    b("entry_number", '{"a":1}')
    b("entry_empty", '{"a":{}}')
    b("field_twice", one % entry(extra=',"dtype":"F32"'), six)
    b(
        "field_unknown",
        one % '{"dtype":"F32","shape":[2,3],"strides":[3,1]}',
        six,
    )
    b("field_one_too_many", one % entry(extra=',"x":1'), six)
    b("field_dtype_missing", one % '{"shape":[2,3],"data_offsets":[0,24]}', six)
    b("field_shape_missing", one % '{"dtype":"F32","data_offsets":[0,24]}', six)
    b("field_offsets_missing", one % '{"dtype":"F32","shape":[2,3]}', six)
    b("dtype_unknown", one % entry("F8_E4M3", "[24]"), six)
    b("dtype_lower_case", one % entry("f32"), six)
    b(
        "dtype_number",
        '{"a":{"dtype":1,"shape":[2,3],"data_offsets":[0,24]}}',
        six,
    )
    b("dtype_u16", one % entry("U16", "[12]"), six)
    b("shape_string", one % entry(shape='"2,3"'), six)
    b("shape_negative", one % entry(shape="[-2,-3]"), six)
    b("shape_plus", one % entry(shape="[+2,3]"), six)
    b("shape_fraction", one % entry(shape="[2.0,3]"), six)
    b("shape_exponent", one % entry(shape="[2e0,3]"), six)
    b("shape_leading_zero", one % entry(shape="[02,3]"), six)
    b("shape_beyond_2_to_53", one % entry(shape="[9007199254740993]"), six)
    b("shape_beyond_64_bits", one % entry(shape="[99999999999999999999]"), six)
    b(
        "shape_wraps",
        one % entry(shape="[4294967296,4294967296,4]", offsets="[0,0]"),
    )
    b(
        "shape_wraps_behind_zero",
        one % entry(shape="[0,4294967296,4294967296]", offsets="[0,0]"),
    )
    b("shape_rank_9", one % entry(shape="[1,1,1,1,1,1,1,2,3]"), six)
    b("offsets_one", one % entry(offsets="[24]"), six)
    b("offsets_three", one % entry(offsets="[0,24,24]"), six)
    b("offsets_reversed", one % entry(offsets="[24,0]"), six)
    b("offsets_beyond_buffer", one % entry(offsets="[0,24]"), six[:-1])
    b(
        "offsets_huge",
        one % entry(offsets="[9007199254740968,9007199254740992]"),
        six,
    )
    b("offsets_of_other_size", one % entry(shape="[2,2]"), six)
    b(
        "tensors_overlap",
        '{"a":%s,"b":%s}'
        % (entry("U8", "[4]", "[0,4]"), entry("U8", "[4]", "[2,6]")),
        b"\0" * 6,
    )
    b("tensors_same_place", '{"a":%s,"b":%s}' % (entry(), entry()), six)
    b(
        "tensors_leave_gap",
        '{"a":%s,"b":%s}'
        % (entry("U8", "[2]", "[0,2]"), entry("U8", "[2]", "[3,5]")),
        b"\0" * 5,
    )
    b("tensors_begin_late", one % entry("U8", "[2]", "[1,3]"), b"\0" * 3)
    b("tensors_leave_tail", one % entry(), six + b"\0")
    b("tensors_none_but_buffer", "{}", b"\0")
    b(
        "empty_tensor_in_middle",
        '{"a":%s,"b":%s}'
        % (entry("U8", "[4]", "[0,4]"), entry("U8", "[0]", "[2,2]")),
        b"\0" * 4,
    )
    b("metadata_number", '{"__metadata__":{"a":1}}')
    b("metadata_nested", '{"__metadata__":{"a":{"b":"c"}}}')
    b("metadata_string", '{"__metadata__":"a"}')
    b("metadata_twice", '{"__metadata__":{},"__metadata__":{}}')
    b("metadata_key_twice", '{"__metadata__":{"a":"1","a":"2"}}')
