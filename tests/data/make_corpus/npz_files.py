# SPDX-License-Identifier: Apache-2.0
"""npz files: stored, deflated, zip64; damaged directories; bombs."""

import io
import struct
import zipfile

import numpy as np
from common import bad, counting, good
from npy_files import dict_text, npy, numpy_bytes


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
    return data[:at] + value + data[at + len(value) :]


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
U16, U32 = struct.Struct("<H").pack, struct.Struct("<I").pack


def zip64(data):
    """The same archive with saturated fields and the zip64 records."""
    end = data.rindex(END)
    (count,) = struct.unpack_from("<H", data, end + 10)
    size, offset = struct.unpack_from("<II", data, end + 12)
    record = struct.pack(
        "<4sQHHIIQQQQ",
        b"PK\x06\x06",
        44,
        45,
        45,
        0,
        0,
        count,
        count,
        size,
        offset,
    )
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    last = struct.pack(
        "<4sHHHHIIH", END, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0
    )
    return data[:end] + record + locator + last


def make():
    a = numpy_bytes(counting((3, 4), "<f4"))
    b = numpy_bytes(counting((5,), ">i4"))
    stored = npz([("a.npy", a)])
    deflated = npz([("a.npy", a)], zipfile.ZIP_DEFLATED)
    good("npz/stored.npz", npz([("a.npy", a), ("b.npy", b)]))
    good(
        "npz/deflated.npz",
        npz([("a.npy", a), ("b.npy", b)], zipfile.ZIP_DEFLATED),
    )
    good(
        "npz/comment_and_other_member.npz",
        npz(
            [("a.npy", a), ("readme.txt", b"hello")], comment=b"PK\x05\x06 note"
        ),
    )
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
    bad(
        "npz/member_count_low.npz",
        patched(npz([("a.npy", a), ("b.npy", b)]), END, 10, U16(1)),
    )
    bad("npz/member_count_high.npz", patched(stored, END, 10, U16(2)))
    bad(
        "npz/member_twice.npz",
        patched(
            patched(npz([("a.npy", a), ("b.npy", b)]), CENTRAL, 46, b"a"),
            LOCAL,
            30,
            b"a",
        ),
    )
    bad("npz/directory_offset.npz", patched(stored, END, 16, U32(7)))
    bad("npz/directory_size.npz", patched(stored, END, 12, U32(1 << 31)))
    bad("npz/directory_signature.npz", patched(stored, CENTRAL, 0, b"PX"))
    bad("npz/directory_name_size.npz", patched(stored, CENTRAL, 28, U16(60000)))
    bad("npz/several_disks.npz", patched(stored, END, 4, U16(3)))
    bad(
        "npz/encrypted.npz",
        patched(patched(stored, CENTRAL, 8, U16(1)), LOCAL, 6, U16(1)),
    )
    bad(
        "npz/method_lzma.npz",
        patched(patched(stored, CENTRAL, 10, U16(14)), LOCAL, 8, U16(14)),
    )
    bad("npz/method_disagrees.npz", patched(stored, LOCAL, 8, U16(8)))
    bad("npz/name_disagrees.npz", patched(stored, LOCAL, 30, b"c"))
    bad(
        "npz/stored_sizes_disagree.npz",
        patched(stored, CENTRAL, 24, U32(len(a) + 1)),
    )
    bad(
        "npz/member_beyond_file.npz",
        patched(
            patched(stored, CENTRAL, 24, U32(1 << 30)),
            CENTRAL,
            20,
            U32(1 << 30),
        ),
    )
    bad(
        "npz/header_offset_beyond_file.npz",
        patched(stored, CENTRAL, 42, U32(1 << 30)),
    )
    bad("npz/crc_stored.npz", patched(stored, CENTRAL, 16, U32(1)))
    bad("npz/crc_deflated.npz", patched(deflated, CENTRAL, 16, U32(1)))
    bad(
        "npz/deflate_damaged.npz", patched(deflated, LOCAL, 35, b"\xff\xff\xff")
    )
    bad("npz/deflate_cut.npz", patched(deflated, CENTRAL, 20, U32(20)))
    bad(
        "npz/deflate_claims_more.npz",
        patched(deflated, CENTRAL, 24, U32(len(a) + 4)),
    )
    bad("npz/member_not_npy.npz", npz([("a.npy", b"hello")]))
    bad("npz/member_truncated.npz", npz([("a.npy", a[:-1])]))
    bad(
        "npz/member_truncated_deflated.npz",
        npz([("a.npy", a[:-1])], zipfile.ZIP_DEFLATED),
    )
    huge = npy(dict_text(shape="(1000000, 1000000)"), b"\0" * 1000)
    bad(
        "npz/bomb_header_claims_4_tb.npz",
        npz([("a.npy", huge)], zipfile.ZIP_DEFLATED),
    )
    bomb = npz(
        [("a.npy", npy(dict_text(), b"\0" * 3000000))], zipfile.ZIP_DEFLATED
    )
    bad(
        "npz/bomb_more_than_header.npz",
        patched(bomb, CENTRAL, 24, U32(len(npy(dict_text())) + 24)),
    )
    bad(
        "npz/object_member.npz",
        npz([("a.npy", npy(dict_text(descr="'|O'"), b"\x80\x04."))]),
    )
    wide = zip64(stored)
    bad(
        "npz/zip64_offset_beyond_file.npz",
        patched(wide, b"PK\x06\x07", 8, struct.pack("<Q", 1 << 62)),
    )
    bad("npz/zip64_signature.npz", patched(wide, b"PK\x06\x06", 0, b"PX"))
    bad(
        "npz/zip64_members.npz",
        patched(wide, b"PK\x06\x06", 32, struct.pack("<Q", 1 << 40)),
    )
    bad(
        "npz/zip64_extra_missing.npz",
        patched(
            patched(stored, CENTRAL, 20, U32(0xFFFFFFFF)),
            CENTRAL,
            24,
            U32(0xFFFFFFFF),
        ),
    )
