# SPDX-License-Identifier: Apache-2.0
"""idx files, plain and gzipped."""

import gzip
import struct

from common import bad, counting, good

IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def idx(code, shape, data, zeros=b"\0\0"):
    return (
        zeros
        + bytes([code, len(shape)])
        + b"".join(struct.pack(">I", n) for n in shape)
        + data
    )


def zipped(data):
    return gzip.compress(data, mtime=0)


def make():
    for code, dtype in IDX_TYPES.items():
        good(
            f"idx/type_{code}.idx",
            idx(code, (3, 4), counting((3, 4), dtype).tobytes()),
        )
        good(
            f"idx/type_{code}.idx.gz",
            zipped(idx(code, (3, 4), counting((3, 4), dtype).tobytes())),
        )
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
    bad(
        "idx/gzip_claims_16_tb.idx.gz",
        zipped(idx(14, (1 << 20, 1 << 21), b"\0" * 1000)),
    )
