# SPDX-License-Identifier: Apache-2.0
"""Small input files with the same bytes on every machine, for record.py.

Numbers are rounded before they are written, so that the last bit of a sine
does not matter; normal numbers are sums of uniform ones for the same reason.
"""
import csv
import math
import random
import struct
import zlib
from pathlib import Path


def normal(draw):
    return sum(draw.random() for _ in range(12)) - 6.0


def write_npy(path, kind, rows):
    """Writes rows (lists of numbers, or numbers) as '<f4', '<f8' or '<i8'."""
    is_flat = not isinstance(rows[0], list)
    values = rows if is_flat else [x for row in rows for x in row]
    shape = f"({len(rows)},)" if is_flat else f"({len(rows)}, {len(rows[0])})"
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    code = {"<f4": "f", "<f8": "d", "<i8": "q"}[kind]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                     head.encode() + struct.pack(f"<{len(values)}{code}",
                                                 *values))


def write_csv(path, header, rows):
    with path.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        if header:
            writer.writerow(header)
        writer.writerows(rows)


def write_png(path, pixels):
    """Writes rows of grey values as an 8-bit PNG file."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    size = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + bytes(row) for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) +
                     chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def unit(point, digits):
    length = math.sqrt(sum(x * x for x in point))
    return [round(x / length, digits) for x in point]


def make_points(folder):
    """Four classes of unequal size in 16 dimensions, and what goes with them."""
    draw = random.Random(1)
    dim = 16
    centres = [unit([normal(draw) for _ in range(dim)], 6) for _ in range(4)]
    sizes = [160, 120, 80, 40]

    def near(centre, spread):
        return unit([c + spread * normal(draw) for c in centre], 6)

    points, labels = [], []
    for label, size in enumerate(sizes):
        points += [near(centres[label], 0.08) for _ in range(size)]
        labels += [label] * size
    queries = [near(centres[i % 4], 0.08 + 0.02 * i) for i in range(24)]
    write_npy(folder / "points.npy", "<f4", points)
    write_npy(folder / "labels.npy", "<i8", labels)
    write_npy(folder / "anchors.npy", "<f8",
              [near(centre, 0.02) for centre in centres])
    write_npy(folder / "queries.npy", "<f8", queries)
    write_npy(folder / "query_labels.npy", "<i8", [i % 4 for i in range(24)])
    write_npy(folder / "weights.npy", "<f8",
              [round(0.5 + draw.random(), 6) for _ in points])
    write_npy(folder / "losses.npy", "<f8",
              [round(draw.random() + 0.3 * label, 6) for label in labels])
    write_npy(folder / "metric.npy", "<f8",
              [[1.0 + 0.125 * i if i == j else 0.0625 * (abs(i - j) == 1)
                for j in range(dim)] for i in range(dim)])
    write_npy(folder / "costs.npy", "<f8",
              [[round(1.0 - sum(a * b for a, b in zip(query, point)), 6)
                for point in points[:120]] for query in queries])
    write_npy(folder / "few_losses.npy", "<f8",
              [round(draw.random(), 6) for _ in range(120)])
    write_csv(folder / "points.csv", ["name"] + [f"x{i}" for i in range(dim)],
              [[f"p{i}"] + point for i, point in enumerate(points)])
    write_csv(folder / "labels.csv", [], [[label] for label in labels])


def make_wide_points(folder):
    """Two classes in 96 dimensions, where subspace proposals pay."""
    draw = random.Random(2)
    centres = [[normal(draw) for _ in range(96)] for _ in range(2)]
    write_npy(folder / "wide.npy", "<f4",
              [unit([c + 0.5 * normal(draw) for c in centres[i // 100]], 6)
               for i in range(200)])
    write_npy(folder / "wide_labels.npy", "<i8", [i // 100 for i in range(200)])


def make_series(folder):
    """A plant with times and six channels, and bare waves without a header."""
    draw = random.Random(3)
    rows, load = [], 0.0
    for t in range(1500):
        load += 0.05 * (math.sin(t / 40.0) - load)
        second = 30 * t
        clock = (f"2024-03-{1 + second // 86400:02d}T"
                 f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:"
                 f"{second % 60:02d}")
        rows.append([
            clock,
            round(20 + 4 * math.sin(t / 30.0) + 0.2 * normal(draw), 3),
            round(3 + load + 0.05 * normal(draw), 3),
            round(100 + 8 * math.sin((t - 6) / 30.0) + 2 * load +
                  0.4 * normal(draw), 2),
            [0, 1, 2, 1][t // 125 % 4],
            1 if t % 173 == 0 else 0,
            7.5,
        ])
    write_csv(folder / "telemetry.csv",
              ["time", "temperature", "flow", "pressure", "mode", "alarm",
               "setpoint"], rows)
    write_csv(folder / "waves.csv", [],
              [[round(math.sin(t / period) + 0.05 * normal(draw), 4)
                for period in (5.0, 9.0, 17.0)] for t in range(700)])


def make_images(folder):
    """Two classes, bars and squares, 20 PNG files of 12 x 12 pixels each."""
    draw = random.Random(4)
    for name in ("bars", "squares"):
        (folder / "pictures" / name).mkdir(parents=True)
        for i in range(20):
            at, low = draw.randrange(2, 8), draw.randrange(2, 6)

            def is_inside(y, x):
                if name == "bars":
                    return at <= x < at + 2
                return low <= y < low + 5 and at <= x < at + 4

            write_png(folder / "pictures" / name / f"{i:02d}.png",
                      [[draw.randrange(0, 60) + 160 * is_inside(y, x)
                        for x in range(12)] for y in range(12)])


def make_data(folder):
    folder = Path(folder)
    folder.mkdir(parents=True)
    make_points(folder)
    make_wide_points(folder)
    make_series(folder)
    make_images(folder)
