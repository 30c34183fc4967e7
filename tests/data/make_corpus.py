#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small files that the readers are tested with.

    make_corpus.py [FOLDER]      needs numpy and safetensors

valid/FORMAT holds files whose elements are 0, 1, 2, ... in row-major order
(0, 1, 0, 1, ... for bool); malformed/FORMAT holds files that must be refused.
The output is the same on every run. The names say what each file is about.
"""

import gzip
import io
import json
import pathlib
import struct
import sys
import zipfile

import numpy as np
from safetensors.numpy import save as save_reference

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)


def put(kind, name, data):
    path = ROOT / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def good(name, data):
    put("valid", name, data)


def bad(name, data):
    put("malformed", name, data)


def counting(shape, dtype):
    count = int(np.prod(shape))
    values = np.arange(count)
    return (values % 2 if np.dtype(dtype) == np.bool_ else values).astype(dtype).reshape(shape)


# npy ------------------------------------------------------------------------

NPY_TYPES = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split()


def numpy_bytes(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version, allow_pickle=False)
    return out.getvalue()


def npy(header, data=b"", version=(1, 0), length=None, magic=b"\x93NUMPY"):
    text = header.encode("latin-1")
    size = len(text) if length is None else length
    form = "<H" if version[0] == 1 else "<I"
    return magic + bytes(version) + struct.pack(form, size) + text + data


def dict_text(descr="'<f4'", order="False", shape="(2, 3)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)


def make_npy():
    for kind in NPY_TYPES:
        good(f"npy/c_{kind}.npy", numpy_bytes(counting((3, 4), "<" + kind)))
        if kind[1] != "1":
            good(f"npy/big_{kind}.npy", numpy_bytes(counting((3, 4), ">" + kind)))
    good("npy/c_bool.npy", numpy_bytes(counting((3, 4), bool)))
    good("npy/fortran_f4.npy", numpy_bytes(np.asfortranarray(counting((3, 4), "<f4"))))
    good("npy/fortran_big_i2_rank4.npy", numpy_bytes(np.asfortranarray(counting((2, 3, 4, 5), ">i2"))))
    for version in (1, 2, 3):
        good(f"npy/version_{version}.npy", numpy_bytes(counting((5,), "<f8"), (version, 0)))
    good("npy/rank_0.npy", numpy_bytes(np.zeros((), "<f4")))
    good("npy/empty_rows.npy", numpy_bytes(np.zeros((0, 7), "<f4")))
    good("npy/rank_3.npy", numpy_bytes(counting((2, 2, 3), "<f4")))
    good("npy/double_quotes_long_suffix.npy",
         npy('{"shape":(2L,3L),"fortran_order":False,"descr":"<f4"}', counting((6,), "<f4").tobytes()))

    six = counting((6,), "<f4").tobytes()
    bad("npy/empty.npy", b"")
    bad("npy/magic_only.npy", b"\x93NUMPY")
    bad("npy/magic_wrong.npy", npy(dict_text(), six, magic=b"\x92NUMPY"))
    bad("npy/version_0.npy", npy(dict_text(), six, version=(0, 0)))
    bad("npy/version_4.npy", npy(dict_text(), six, version=(4, 0)))
    bad("npy/version_minor.npy", npy(dict_text(), six, version=(1, 1)))
    bad("npy/header_length_cut.npy", b"\x93NUMPY\x02\x00\x10")
    bad("npy/header_beyond_file.npy", npy(dict_text(), b"", length=60000))
    bad("npy/header_beyond_cap.npy", npy(dict_text(), six, version=(2, 0), length=1 << 30))
    bad("npy/header_empty.npy", npy("", six))
    bad("npy/header_not_dict.npy", npy("('<f4', False, (2, 3))\n", six))
    bad("npy/header_unclosed.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), \n", six))
    bad("npy/header_trailing_text.npy", npy(dict_text() + "x", six))
    bad("npy/header_escape.npy", npy(dict_text(descr="'<f\\x34'"), six))
    bad("npy/header_nested.npy", npy("{" * 2000, six))
    bad("npy/key_missing.npy", npy("{'descr': '<f4', 'shape': (2, 3), }\n", six))
    bad("npy/key_twice.npy", npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n", six))
    bad("npy/key_unknown.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}\n", six))
    bad("npy/order_number.npy", npy(dict_text(order="0"), six))
    bad("npy/type_object.npy", npy(dict_text(descr="'|O'"), six))
    bad("npy/type_string.npy", npy(dict_text(descr="'<U2'"), six * 2))
    bad("npy/type_structured.npy", npy(dict_text(descr="[('a', '<f4')]"), six))
    bad("npy/type_complex.npy", npy(dict_text(descr="'<c8'"), six * 2))
    bad("npy/type_long_double.npy", npy(dict_text(descr="'<f16'"), six * 4))
    bad("npy/type_no_byte_order.npy", npy(dict_text(descr="'|f4'"), six))
    bad("npy/type_empty.npy", npy(dict_text(descr="''"), six))
    bad("npy/shape_list.npy", npy(dict_text(shape="[2, 3]"), six))
    bad("npy/shape_number.npy", npy(dict_text(shape="(6)"), six))
    bad("npy/shape_negative.npy", npy(dict_text(shape="(-2, 3)"), six))
    bad("npy/shape_fraction.npy", npy(dict_text(shape="(2.0, 3)"), six))
    bad("npy/shape_leading_zero.npy", npy(dict_text(shape="(02, 3)"), six))
    bad("npy/shape_wraps.npy", npy(dict_text(shape="(4611686018427387904, 4)"), b""))
    bad("npy/shape_wraps_behind_zero.npy", npy(dict_text(shape="(0, 4611686018427387904, 4)"), b""))
    bad("npy/shape_2_to_62.npy", npy(dict_text(descr="'|u1'", shape="(4611686018427387904,)"), b""))
    bad("npy/shape_beyond_64_bits.npy", npy(dict_text(shape="(99999999999999999999,)"), b""))
    bad("npy/shape_rank_33.npy", npy(dict_text(shape="(" + "1, " * 33 + ")"), six[:4]))
    bad("npy/data_truncated.npy", npy(dict_text(), six[:-1]))
    bad("npy/data_trailing.npy", npy(dict_text(), six + b"\0"))
    bad("npy/data_missing.npy", npy(dict_text()))


# npz ------------------------------------------------------------------------

def npz(members, method=zipfile.ZIP_STORED, comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, data)
        archive.comment = comment
    return out.getvalue()


def patched(data, signature, offset, value):
    """Overwrites bytes behind the last occurrence of a record's signature."""
    at = data.rindex(signature) + offset
    return data[:at] + value + data[at + len(value):]


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
U16, U32 = struct.Struct("<H").pack, struct.Struct("<I").pack


def zip64(data):
    """The same archive with saturated fields and the zip64 records."""
    end = data.rindex(END)
    count, = struct.unpack_from("<H", data, end + 10)
    size, offset = struct.unpack_from("<II", data, end + 12)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    last = struct.pack("<4sHHHHIIH", END, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:end] + record + locator + last


def make_npz():
    a = numpy_bytes(counting((3, 4), "<f4"))
    b = numpy_bytes(counting((5,), ">i4"))
    stored = npz([("a.npy", a)])
    deflated = npz([("a.npy", a)], zipfile.ZIP_DEFLATED)
    good("npz/stored.npz", npz([("a.npy", a), ("b.npy", b)]))
    good("npz/deflated.npz", npz([("a.npy", a), ("b.npy", b)], zipfile.ZIP_DEFLATED))
    good("npz/comment_and_other_member.npz", npz([("a.npy", a), ("readme.txt", b"hello")], comment=b"PK\x05\x06 note"))
    good("npz/zip64.npz", zip64(stored))
    out = io.BytesIO()
    np.savez(out, a=counting((2, 3), "<f8"), labels=counting((4,), "<i8"))
    good("npz/numpy_savez.npz", out.getvalue())
    out = io.BytesIO()
    np.savez_compressed(out, a=np.asfortranarray(counting((20, 30), "<f8")))
    good("npz/numpy_savez_compressed.npz", out.getvalue())
    good("npz/no_members.npz", npz([]))

    bad("npz/empty.npz", b"")
    bad("npz/not_zip.npz", b"hello, this is no archive at all; " * 3)
    bad("npz/end_record_cut.npz", stored[:-1])
    bad("npz/trailing_byte.npz", stored + b"\0")
    bad("npz/prepended_byte.npz", b"\0" + stored)
    bad("npz/member_count_low.npz", patched(npz([("a.npy", a), ("b.npy", b)]), END, 10, U16(1)))
    bad("npz/member_count_high.npz", patched(stored, END, 10, U16(2)))
    bad("npz/member_twice.npz", patched(patched(npz([("a.npy", a), ("b.npy", b)]), CENTRAL, 46, b"a"), LOCAL, 30, b"a"))
    bad("npz/directory_offset.npz", patched(stored, END, 16, U32(7)))
    bad("npz/directory_size.npz", patched(stored, END, 12, U32(1 << 31)))
    bad("npz/directory_signature.npz", patched(stored, CENTRAL, 0, b"PX"))
    bad("npz/directory_name_size.npz", patched(stored, CENTRAL, 28, U16(60000)))
    bad("npz/several_disks.npz", patched(stored, END, 4, U16(3)))
    bad("npz/encrypted.npz", patched(patched(stored, CENTRAL, 8, U16(1)), LOCAL, 6, U16(1)))
    bad("npz/method_lzma.npz", patched(patched(stored, CENTRAL, 10, U16(14)), LOCAL, 8, U16(14)))
    bad("npz/method_disagrees.npz", patched(stored, LOCAL, 8, U16(8)))
    bad("npz/name_disagrees.npz", patched(stored, LOCAL, 30, b"c"))
    bad("npz/stored_sizes_disagree.npz", patched(stored, CENTRAL, 24, U32(len(a) + 1)))
    bad("npz/member_beyond_file.npz", patched(patched(stored, CENTRAL, 24, U32(1 << 30)), CENTRAL, 20, U32(1 << 30)))
    bad("npz/header_offset_beyond_file.npz", patched(stored, CENTRAL, 42, U32(1 << 30)))
    bad("npz/crc_stored.npz", patched(stored, CENTRAL, 16, U32(1)))
    bad("npz/crc_deflated.npz", patched(deflated, CENTRAL, 16, U32(1)))
    bad("npz/deflate_damaged.npz", patched(deflated, LOCAL, 35, b"\xff\xff\xff"))
    bad("npz/deflate_cut.npz", patched(deflated, CENTRAL, 20, U32(20)))
    bad("npz/deflate_claims_more.npz", patched(deflated, CENTRAL, 24, U32(len(a) + 4)))
    bad("npz/member_not_npy.npz", npz([("a.npy", b"hello")]))
    bad("npz/member_truncated.npz", npz([("a.npy", a[:-1])]))
    bad("npz/member_truncated_deflated.npz", npz([("a.npy", a[:-1])], zipfile.ZIP_DEFLATED))
    huge = npy(dict_text(shape="(1000000, 1000000)"), b"\0" * 1000)
    bad("npz/bomb_header_claims_4_tb.npz", npz([("a.npy", huge)], zipfile.ZIP_DEFLATED))
    bomb = npz([("a.npy", npy(dict_text(), b"\0" * 3000000))], zipfile.ZIP_DEFLATED)
    bad("npz/bomb_more_than_header.npz", patched(bomb, CENTRAL, 24, U32(len(npy(dict_text())) + 24)))
    bad("npz/object_member.npz", npz([("a.npy", npy(dict_text(descr="'|O'"), b"\x80\x04."))]))
    wide = zip64(stored)
    bad("npz/zip64_offset_beyond_file.npz", patched(wide, b"PK\x06\x07", 8, struct.pack("<Q", 1 << 62)))
    bad("npz/zip64_signature.npz", patched(wide, b"PK\x06\x06", 0, b"PX"))
    bad("npz/zip64_members.npz", patched(wide, b"PK\x06\x06", 32, struct.pack("<Q", 1 << 40)))
    bad("npz/zip64_extra_missing.npz", patched(patched(stored, CENTRAL, 20, U32(0xFFFFFFFF)), CENTRAL, 24, U32(0xFFFFFFFF)))


# csv ------------------------------------------------------------------------

def make_csv():
    good("csv/plain.csv", "0,1,2\n3,4,5\n")
    good("csv/no_last_line_end.csv", "0,1,2\n3,4,5")
    good("csv/crlf.csv", "0,1\r\n2,3\r\n")
    good("csv/header.csv", "a,b,c\n0,1,2\n3,4,5\n")
    good("csv/quoted.csv", '"a, b","say ""x""","two\nlines"\r\n"0","1",2\r\n3,"4",5\r\n')
    good("csv/empty_trailing_lines.csv", "a,b\n0,1\n2,3\n\n\n")
    good("csv/byte_order_mark.csv", b"\xef\xbb\xbfa,b\n0,1\n")
    good("csv/forms_of_numbers.csv", "0.0,+1, 2 \n3e0,40.0E-1,\t5.\n")
    good("csv/one_column.csv", "x\n0\n1\n2\n")

    bad("csv/empty.csv", "")
    bad("csv/only_line_end.csv", "\n")
    bad("csv/only_header.csv", "a,b\n")
    bad("csv/ragged_short.csv", "1,2,3\n4,5\n")
    bad("csv/ragged_long.csv", "1,2\n3,4,5\n")
    bad("csv/text.csv", "a,b\n1,2\n3,x\n")
    bad("csv/text_in_first_row.csv", "1,x\n2,3\n")
    bad("csv/nan.csv", "a,b\n1,nan\n")
    bad("csv/nan_in_first_row.csv", "1,NaN\n2,3\n")
    bad("csv/inf.csv", "a,b\n1,-inf\n")
    bad("csv/infinity.csv", "a,b\n1,Infinity\n")
    bad("csv/too_large.csv", "1,1e999\n")
    bad("csv/too_small.csv", "1,1e-999\n")
    bad("csv/empty_field.csv", "1,\n2,3\n")
    bad("csv/two_numbers_in_field.csv", "1 2,3\n")
    bad("csv/decimal_comma_quoted.csv", '"1,5",2\n')
    bad("csv/hexadecimal.csv", "0x10,1\n")
    bad("csv/two_signs.csv", "+-1,2\n")
    bad("csv/empty_line_inside.csv", "1,2\n\n3,4\n")
    bad("csv/quote_unclosed.csv", 'a,b\n1,"2\n3,4\n')
    bad("csv/quote_inside_field.csv", '1,2"3\n')
    bad("csv/text_after_quote.csv", '1,"2"3\n')
    bad("csv/nul_byte.csv", b"1,2\x003\n")
    bad("csv/binary.csv", bytes(range(256)))
    bad("csv/separator_semicolon.csv", "1;2\n3;4\n")


# idx ------------------------------------------------------------------------

IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def idx(code, shape, data, zeros=b"\0\0"):
    return zeros + bytes([code, len(shape)]) + b"".join(struct.pack(">I", n) for n in shape) + data


def zipped(data):
    return gzip.compress(data, mtime=0)


def make_idx():
    for code, dtype in IDX_TYPES.items():
        good(f"idx/type_{code}.idx", idx(code, (3, 4), counting((3, 4), dtype).tobytes()))
        good(f"idx/type_{code}.idx.gz", zipped(idx(code, (3, 4), counting((3, 4), dtype).tobytes())))
    good("idx/rank_1-ubyte", idx(8, (6,), bytes(range(6))))
    good("idx/rank_8.idx", idx(8, (1, 2, 1, 2, 1, 2, 1, 2), bytes(range(16))))
    good("idx/no_rows.idx", idx(8, (0, 28, 28), b""))

    six = bytes(range(6))
    whole = zipped(idx(8, (2, 3), six))
    bad("idx/empty.idx", b"")
    bad("idx/magic_cut.idx", b"\0\0\x08")
    bad("idx/magic_wrong.idx", idx(8, (2, 3), six, zeros=b"\1\0"))
    bad("idx/type_10.idx", idx(10, (2, 3), six))
    bad("idx/type_0.idx", idx(0, (2, 3), six))
    bad("idx/rank_0.idx", idx(8, (), b"\0"))
    bad("idx/rank_9.idx", idx(8, (1,) * 9, b"\0"))
    bad("idx/rank_255.idx", b"\0\0\x08\xff" + b"\0\0\0\1" * 255 + b"\0")
    bad("idx/extents_cut.idx", b"\0\0\x08\x02\0\0\0\2")
    bad("idx/extents_wrap.idx", idx(8, (0xFFFFFFFF,) * 4, six))
    bad("idx/extents_beyond_file.idx", idx(8, (0xFFFFFFFF, 3), six))
    bad("idx/data_truncated.idx", idx(8, (2, 3), six[:-1]))
    bad("idx/data_trailing.idx", idx(8, (2, 3), six + b"\0"))
    bad("idx/data_of_smaller_type.idx", idx(14, (2, 3), six))
    bad("idx/gzip_header_cut.idx.gz", whole[:5])
    bad("idx/gzip_cut.idx.gz", whole[:-12])
    bad("idx/gzip_checksum.idx.gz", whole[:-8] + b"\0\0\0\0" + whole[-4:])
    bad("idx/gzip_length.idx.gz", whole[:-4] + b"\7\0\0\0")
    bad("idx/gzip_damaged.idx.gz", whole[:10] + b"\xff" * 4 + whole[14:])
    bad("idx/gzip_trailing.idx.gz", whole + b"\0")
    bad("idx/gzip_of_nothing.idx.gz", zipped(b""))
    bad("idx/gzip_of_text.idx.gz", zipped(b"hello"))
    bad("idx/gzip_less_than_header.idx.gz", zipped(idx(8, (2, 3), six[:-1])))
    bad("idx/gzip_more_than_header.idx.gz", zipped(idx(8, (2, 3), six + b"\0")))
    bad("idx/gzip_bomb.idx.gz", zipped(idx(8, (2, 3), b"\0" * 3000000)))
    bad("idx/gzip_claims_16_tb.idx.gz", zipped(idx(14, (1 << 20, 1 << 21), b"\0" * 1000)))


# safetensors ----------------------------------------------------------------

def st(header, buffer=b"", length=None):
    text = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + buffer


def entry(dtype="F32", shape="[2,3]", offsets="[0,24]", extra=""):
    return '{"dtype":"%s","shape":%s,"data_offsets":%s%s}' % (dtype, shape, offsets, extra)


def make_safetensors():
    six = counting((6,), "<f4").tobytes()
    one = '{"a":%s}'
    good("safetensors/reference.safetensors",
         save_reference({"a": counting((3, 4), "<f4"), "b": counting((5,), "<i8")}, {"made": "by the reference"}))
    good("safetensors/empty.safetensors", st("{}"))
    good("safetensors/padded.safetensors", st(one % entry() + "     ", six))
    good("safetensors/unaligned.safetensors",
         st('{"u":%s,"f":%s}' % (entry("U8", "[1]", "[0,1]"), entry("F32", "[2,3]", "[1,25]")), b"\0" + six))
    good("safetensors/rank_0_and_no_elements.safetensors",
         st('{"z":%s,"s":%s}' % (entry("F32", "[0,7]", "[4,4]"), entry("F32", "[]", "[0,4]")), b"\0" * 4))
    half = counting((4,), "<f2").tobytes()
    brain = (counting((4,), "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    good("safetensors/half_types.safetensors",
         st('{"h":%s,"b":%s}' % (entry("F16", "[4]", "[0,8]"), entry("BF16", "[4]", "[8,16]")), half + brain))
    good("safetensors/all_other_types.safetensors",
         st("{" + ",".join('"%s":%s' % (t, entry(t, "[2]", "[%d,%d]" % (b, e))) for t, b, e in
                           (("F64", 0, 16), ("I64", 16, 32), ("I32", 32, 40), ("U8", 40, 42), ("BOOL", 42, 44))) + "}",
            b"".join(counting((2,), d).tobytes() for d in ("<f8", "<i8", "<i4", "u1", "u1"))))
    good("safetensors/escaped_name.safetensors", st('{"\\u00e4\\ud83d\\ude00\\n\\"":%s}' % entry(), six))

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
    b("field_unknown", one % '{"dtype":"F32","shape":[2,3],"strides":[3,1]}', six)
    b("field_one_too_many", one % entry(extra=',"x":1'), six)
    b("field_dtype_missing", one % '{"shape":[2,3],"data_offsets":[0,24]}', six)
    b("field_shape_missing", one % '{"dtype":"F32","data_offsets":[0,24]}', six)
    b("field_offsets_missing", one % '{"dtype":"F32","shape":[2,3]}', six)
    b("dtype_unknown", one % entry("F8_E4M3", "[24]"), six)
    b("dtype_lower_case", one % entry("f32"), six)
    b("dtype_number", '{"a":{"dtype":1,"shape":[2,3],"data_offsets":[0,24]}}', six)
    b("dtype_u16", one % entry("U16", "[12]"), six)
    b("shape_string", one % entry(shape='"2,3"'), six)
    b("shape_negative", one % entry(shape="[-2,-3]"), six)
    b("shape_plus", one % entry(shape="[+2,3]"), six)
    b("shape_fraction", one % entry(shape="[2.0,3]"), six)
    b("shape_exponent", one % entry(shape="[2e0,3]"), six)
    b("shape_leading_zero", one % entry(shape="[02,3]"), six)
    b("shape_beyond_2_to_53", one % entry(shape="[9007199254740993]"), six)
    b("shape_beyond_64_bits", one % entry(shape="[99999999999999999999]"), six)
    b("shape_wraps", one % entry(shape="[4294967296,4294967296,4]", offsets="[0,0]"))
    b("shape_wraps_behind_zero", one % entry(shape="[0,4294967296,4294967296]", offsets="[0,0]"))
    b("shape_rank_9", one % entry(shape="[1,1,1,1,1,1,1,2,3]"), six)
    b("offsets_one", one % entry(offsets="[24]"), six)
    b("offsets_three", one % entry(offsets="[0,24,24]"), six)
    b("offsets_reversed", one % entry(offsets="[24,0]"), six)
    b("offsets_beyond_buffer", one % entry(offsets="[0,24]"), six[:-1])
    b("offsets_huge", one % entry(offsets="[9007199254740968,9007199254740992]"), six)
    b("offsets_of_other_size", one % entry(shape="[2,2]"), six)
    b("tensors_overlap", '{"a":%s,"b":%s}' % (entry("U8", "[4]", "[0,4]"), entry("U8", "[4]", "[2,6]")), b"\0" * 6)
    b("tensors_same_place", '{"a":%s,"b":%s}' % (entry(), entry()), six)
    b("tensors_leave_gap", '{"a":%s,"b":%s}' % (entry("U8", "[2]", "[0,2]"), entry("U8", "[2]", "[3,5]")), b"\0" * 5)
    b("tensors_begin_late", one % entry("U8", "[2]", "[1,3]"), b"\0" * 3)
    b("tensors_leave_tail", one % entry(), six + b"\0")
    b("tensors_none_but_buffer", "{}", b"\0")
    b("empty_tensor_in_middle", '{"a":%s,"b":%s}' % (entry("U8", "[4]", "[0,4]"), entry("U8", "[0]", "[2,2]")), b"\0" * 4)
    b("metadata_number", '{"__metadata__":{"a":1}}')
    b("metadata_nested", '{"__metadata__":{"a":{"b":"c"}}}')
    b("metadata_string", '{"__metadata__":"a"}')
    b("metadata_twice", '{"__metadata__":{},"__metadata__":{}}')
    b("metadata_key_twice", '{"__metadata__":{"a":"1","a":"2"}}')


def make_index():
    good("index/two_shards.json", json.dumps(
        {"metadata": {"total_size": 8, "note": "x"}, "weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}))
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
    for name, shard in {"parent": "..", "self": ".", "empty_name": "", "absolute": "/etc/passwd", "upwards": "../x",
                        "subfolder": "sub/x", "backslash": "sub\\\\x", "drive": "C:x", "nul": "x\\u0000y"}.items():
        bad(f"index/shard_{name}.json", '{"weight_map":{"a":"%s"}}' % shard)


for make in (make_npy, make_npz, make_csv, make_idx, make_safetensors, make_index):
    make()
