# SPDX-License-Identifier: Apache-2.0
"""npy files: every type, order and version; every way to be wrong."""

import io
import struct

import numpy as np
from common import bad, counting, good

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
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (
        descr,
        order,
        shape,
    )


def make():
    for kind in NPY_TYPES:
        good(f"npy/c_{kind}.npy", numpy_bytes(counting((3, 4), "<" + kind)))
        if kind[1] != "1":
            good(
                f"npy/big_{kind}.npy", numpy_bytes(counting((3, 4), ">" + kind))
            )
    good("npy/c_bool.npy", numpy_bytes(counting((3, 4), bool)))
    good(
        "npy/fortran_f4.npy",
        numpy_bytes(np.asfortranarray(counting((3, 4), "<f4"))),
    )
    good(
        "npy/fortran_big_i2_rank4.npy",
        numpy_bytes(np.asfortranarray(counting((2, 3, 4, 5), ">i2"))),
    )
    for version in (1, 2, 3):
        good(
            f"npy/version_{version}.npy",
            numpy_bytes(counting((5,), "<f8"), (version, 0)),
        )
    good("npy/rank_0.npy", numpy_bytes(np.zeros((), "<f4")))
    good("npy/empty_rows.npy", numpy_bytes(np.zeros((0, 7), "<f4")))
    good("npy/rank_3.npy", numpy_bytes(counting((2, 2, 3), "<f4")))
    good(
        "npy/double_quotes_long_suffix.npy",
        npy(
            '{"shape":(2L,3L),"fortran_order":False,"descr":"<f4"}',
            counting((6,), "<f4").tobytes(),
        ),
    )

    six = counting((6,), "<f4").tobytes()
    bad("npy/empty.npy", b"")
    bad("npy/magic_only.npy", b"\x93NUMPY")
    bad("npy/magic_wrong.npy", npy(dict_text(), six, magic=b"\x92NUMPY"))
    bad("npy/version_0.npy", npy(dict_text(), six, version=(0, 0)))
    bad("npy/version_4.npy", npy(dict_text(), six, version=(4, 0)))
    bad("npy/version_minor.npy", npy(dict_text(), six, version=(1, 1)))
    bad("npy/header_length_cut.npy", b"\x93NUMPY\x02\x00\x10")
    bad("npy/header_beyond_file.npy", npy(dict_text(), b"", length=60000))
    bad(
        "npy/header_beyond_cap.npy",
        npy(dict_text(), six, version=(2, 0), length=1 << 30),
    )
    bad("npy/header_empty.npy", npy("", six))
    bad("npy/header_not_dict.npy", npy("('<f4', False, (2, 3))\n", six))
    bad(
        "npy/header_unclosed.npy",
        npy(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), \n", six
        ),
    )
    bad("npy/header_trailing_text.npy", npy(dict_text() + "x", six))
    bad("npy/header_escape.npy", npy(dict_text(descr="'<f\\x34'"), six))
    bad("npy/header_nested.npy", npy("{" * 2000, six))
    bad(
        "npy/key_missing.npy", npy("{'descr': '<f4', 'shape': (2, 3), }\n", six)
    )
    bad(
        "npy/key_twice.npy",
        npy(
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n",
            six,
        ),
    )
    bad(
        "npy/key_unknown.npy",
        npy(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}\n",
            six,
        ),
    )
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
    bad(
        "npy/shape_wraps.npy",
        npy(dict_text(shape="(4611686018427387904, 4)"), b""),
    )
    bad(
        "npy/shape_wraps_behind_zero.npy",
        npy(dict_text(shape="(0, 4611686018427387904, 4)"), b""),
    )
    bad(
        "npy/shape_2_to_62.npy",
        npy(dict_text(descr="'|u1'", shape="(4611686018427387904,)"), b""),
    )
    bad(
        "npy/shape_beyond_64_bits.npy",
        npy(dict_text(shape="(99999999999999999999,)"), b""),
    )
    bad(
        "npy/shape_rank_33.npy",
        npy(dict_text(shape="(" + "1, " * 33 + ")"), six[:4]),
    )
    bad("npy/data_truncated.npy", npy(dict_text(), six[:-1]))
    bad("npy/data_trailing.npy", npy(dict_text(), six + b"\0"))
    bad("npy/data_missing.npy", npy(dict_text()))
