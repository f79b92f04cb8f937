"""Reads result files and compares them: equal runs have equal data sets, /run aside."""
import h5py
import numpy as np


def data_sets(path):
    """Every data set of a file but /run's, by its path."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()])
                        if isinstance(item, h5py.Dataset) and not name.startswith("run/") else None)
    return found


def same_bits(first, second, leave_out=("deck",)):
    """The names of the data sets that differ in any bit."""
    a, b = data_sets(first), data_sets(second)
    names = (set(a) | set(b)) - set(leave_out)
    return sorted(name for name in names
                  if name not in a or name not in b or np.asarray(a[name]).tobytes() != np.asarray(b[name]).tobytes())


def statuses(path):
    """How many trajectories ended how."""
    with h5py.File(path, "r") as file:
        status = file["orbits/status"]
        names = [name.decode() if isinstance(name, bytes) else name for name in status.attrs["names"]]
        values, counts = np.unique(status[()], return_counts=True)
    return {names[value]: int(count) for value, count in zip(values, counts)}
