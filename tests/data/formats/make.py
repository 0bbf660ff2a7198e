#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the files of this folder, with NumPy and Python's own zip and gzip: what
other programs write, the tests read. Needs Debian's python3-numpy.

Value number k (last axis fastest) of every array of shape (2, 3, 4) is
(k - 6) / 2 for floats, k - 6 for signed and k for unsigned integers, and
k % 3 == 0 for bools.
"""
import gzip
import io
import os
import struct
import zipfile

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))
K = np.arange(24).reshape(2, 3, 4)


def values(descr):
    kind = np.dtype(descr).kind
    a = {"f": (K - 6) / 2, "i": K - 6, "u": K, "b": K % 3 == 0}[kind]
    return a.astype(descr)


# Every type, byte order and order of axes, as array "<kind><bytes>_<l|b>_<c|f>".
arrays = {}
for code in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1".split():
    for order, sign in (("l", "<"), ("b", ">")):
        a = values(sign + code)
        arrays[f"{code}_{order}_c"] = np.ascontiguousarray(a)
        arrays[f"{code}_{order}_f"] = np.asfortranarray(a)
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)


def npy(array, version):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


for version in ((1, 0), (2, 0), (3, 0)):
    with open(f"version{version[0]}.npy", "wb") as f:
        f.write(npy(values("<f4"), version))
np.save("scalar.npy", np.float64(2.5))
np.save("empty.npy", np.zeros((0, 3), np.float32))
np.save("list.npy", np.array([3, 1, 2], np.int64))

# A data set with a validation part.
np.savez_compressed(
    "xy.npz",
    x=(np.arange(24) / 2).astype(np.float32).reshape(4, 3, 2),
    y=np.array([5, 0, 7, 5], np.int32),
    x_val=(np.arange(12) / 2).reshape(2, 6),
    y_val=np.array([[7], [0]], np.uint8))

# zip64 records for sizes and offsets that do not need them, data descriptors, a
# member that is no array, and a comment after the directory.
zipfile.ZIP64_LIMIT = 20
zipfile.ZIP_FILECOUNT_LIMIT = 1


class Pipe(io.RawIOBase):
    """Cannot seek, hence the descriptors."""

    def __init__(self, f):
        self.f = f

    def writable(self):
        return True

    def write(self, data):
        return self.f.write(data)


with open("zip64.npz", "wb") as f:
    with zipfile.ZipFile(Pipe(f), "w") as z:
        for name, content in (("x.npy", npy(values("<f8"), (1, 0))),
                              ("notes.txt", b"passed over"),
                              ("y.npy", npy(values("<i8"), (1, 0)))):
            info = zipfile.ZipInfo(name)
            info.compress_type = (zipfile.ZIP_DEFLATED if name == "x.npy" else
                                  zipfile.ZIP_STORED)
            with z.open(info, "w", force_zip64=True) as member:
                member.write(content)
        z.comment = b"a comment"


def idx(code, fmt, array):
    head = struct.pack(">BBBB", 0, 0, code, array.ndim)
    head += b"".join(struct.pack(">I", n) for n in array.shape)
    return head + array.astype(fmt).tobytes()


for code, name, fmt in ((8, "ubyte", "u1"), (9, "sbyte", "i1"), (11, "short", ">i2"),
                        (12, "int", ">i4"), (13, "float", ">f4"), (14, "double", ">f8")):
    with open(f"idx3-{name}", "wb") as f:
        f.write(idx(code, fmt, values(fmt)))
data = idx(8, "u1", values("u1"))
with open("idx3-ubyte.gz", "wb") as f:
    f.write(gzip.compress(data, mtime=0))
# Two members are one file.
with open("idx3-ubyte-in-two.gz", "wb") as f:
    f.write(gzip.compress(data[:20], mtime=0) + gzip.compress(data[20:], mtime=0))
