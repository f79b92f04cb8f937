# SPDX-License-Identifier: BSD-3-Clause
"""Reads result files and compares them: equal runs have equal data sets, /run aside."""
import contextlib
import dataclasses
import struct

import h5py
import numpy as np


def crc64(data):
    """CRC-64/XZ."""
    rest = 2**64 - 1
    for byte in data:
        rest = (rest >> 8) ^ CRC64[(rest ^ byte) & 255]
    return rest ^ (2**64 - 1)


CRC64 = []
for number in range(256):
    for _ in range(8):
        number = (number >> 1) ^ (0xC96C5795D7870F42 if number & 1 else 0)
    CRC64.append(number)


@contextlib.contextmanager
def edited_checkpoint(path):
    """A checkpoint, open to be changed; afterwards it is sealed as src/io/seal.hpp says."""
    with h5py.File(path, "r+") as file:  # which cuts the seal off, if anything is written
        yield file
    data = path.read_bytes()
    if data[-32:-16] == MARK:
        data = data[:-32]
    sums = b"".join(struct.pack("<Q", crc64(data[k : k + 2**20])) for k in range(0, len(data), 2**20))
    path.write_bytes(data + MARK + struct.pack("<QQ", len(data), crc64(sums)))


MARK = b"cotangent seal 1"


def data_sets(path):
    """Every data set of a file but /run's, by its path."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()])
                        if isinstance(item, h5py.Dataset) and not name.startswith("run/") and not is_dimension(item) else None)
    return found


def is_dimension(item):
    """Whether a data set is a dimension's name alone."""
    return bytes(item.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not a netCDF variable")


def same_bits(first, second, leave_out=("deck",)):
    """The names of the data sets that differ in any bit."""
    a, b = data_sets(first), data_sets(second)
    names = (set(a) | set(b)) - set(leave_out)
    return sorted(name for name in names
                  if name not in a or name not in b or np.asarray(a[name]).tobytes() != np.asarray(b[name]).tobytes())


@dataclasses.dataclass
class Comparison:
    """What sets two results apart, data set by data set."""
    equal: list  # to the bit
    apart: dict  # by name the largest difference over the largest number, infinity where a text, a shape or a NaN differs
    retyped: list  # of another type; whether their numbers are the same stands in the two above
    gone: list  # only the first has them
    new: list  # only the second

    def worst(self):
        return max(self.apart.values(), default=0.0)

    def same(self, tolerance=0.0):
        return not self.gone and self.worst() <= tolerance


def largest_difference(a, b):
    if a.shape != b.shape or a.dtype.kind not in "fiu" or b.dtype.kind not in "fiu":
        return float("inf")
    a, b = a.astype(float), b.astype(float)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)) or not np.array_equal(a[~np.isfinite(a)], b[~np.isfinite(b)], equal_nan=True):
        return float("inf")
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    return float(np.abs(a - b).max() / max(1.0, np.abs(a).max())) if a.size else 0.0


def compare(first, second, leave_out=("deck",)):
    a, b = data_sets(first), data_sets(second)
    found = Comparison([], {}, [], sorted(set(a) - set(b)), sorted(set(b) - set(a)))
    for name in sorted(set(a) & set(b) - set(leave_out)):
        one, other = np.asarray(a[name]), np.asarray(b[name])
        if one.dtype != other.dtype:
            found.retyped.append(f"{name} ({one.dtype} to {other.dtype})")
            same = one.shape == other.shape and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        else:
            same = one.shape == other.shape and one.tobytes() == other.tobytes()
        if same:
            found.equal.append(name)
        else:
            found.apart[name] = largest_difference(one, other)
    return found


def statuses(path):
    """How many trajectories ended how."""
    with h5py.File(path, "r") as file:
        status = file["orbits/status"]
        names = [name.decode() if isinstance(name, bytes) else name for name in status.attrs["names"]]
        values, counts = np.unique(status[()], return_counts=True)
    return {names[value]: int(count) for value, count in zip(values, counts)}
