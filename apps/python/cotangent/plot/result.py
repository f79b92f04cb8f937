# SPDX-License-Identifier: BSD-3-Clause
"""A cotangent result file (format version 1), opened, checked and read.

Everything that a picture needs to know of the file's layout stands here; the drawing modules ask for
columns by name and never open the file themselves. Whatever is wrong with the input leaves as a PlotError,
whose code is the program's exit code: 1 incomplete, 2 wrong input, 3 the file system.
"""
import difflib
import tomllib
from pathlib import Path

import h5py
import numpy as np

FORMAT_VERSION = 1
PENDING = 0
STATUS_NAMES = ["pending", "finished", "time_limit", "step_too_small", "newton_diverged", "left_domain",
                "singular_mass_matrix", "infeasible_start", "non_finite"]


class PlotError(Exception):
    """What the user is told, and the exit code."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


def nearest(word, choices):
    """The end of a message: the nearest valid choice if one is near, else all of them."""
    choices = [str(choice) for choice in choices]
    near = difflib.get_close_matches(str(word), choices, 1, 0.5)
    return f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(choices) or 'none'}"


def text(value):
    """A string attribute or data set, however HDF5 stored it."""
    if isinstance(value, (np.ndarray, list, tuple)) and np.ndim(value) > 0:
        return text(value[0]) if len(value) else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def texts(value):
    """A list of strings, from an array of strings or from one string that separates them by commas or blanks."""
    if np.ndim(value) == 0:
        return text(value).replace(",", " ").split()
    return [text(item) for item in value]


def readable_name(path):
    """Whether the file system can have such a name at all: not too long, no NUL."""
    try:
        path.exists()
        return True
    except (OSError, ValueError):
        return False


class Result:
    """One result file, open for reading."""

    def __init__(self, path):
        self.path = Path(path)
        self.file = self._opened()
        attributes = self.file.attrs
        if text(attributes.get("format", "")) != "cotangent":
            raise PlotError(f"{path}: not a cotangent result file (its attribute 'format' is "
                            f"{repr(text(attributes['format'])) if 'format' in attributes else 'missing'})")
        version = np.ravel(attributes.get("format_version", -1))[0]
        if version != FORMAT_VERSION:
            raise PlotError(f"{path}: format_version {version}, but this cotangent-plot reads {FORMAT_VERSION}; "
                            "use the cotangent-plot that came with the program that wrote the file")
        self.study = text(attributes.get("study", ""))
        self.deck = self._parsed_deck()

    def _opened(self):
        if not readable_name(self.path):
            raise PlotError(f"{str(self.path)[:80]}…: not a file's name")
        if not self.path.exists():
            folder = self.path.parent
            others = sorted(p.name for p in folder.glob("*.h5")) if folder.is_dir() else []
            hint = f"; {nearest(self.path.name, others)}" if others else ""
            raise PlotError(f"{self.path}: no such file{hint}")
        if self.path.is_dir():
            raise PlotError(f"{self.path}: a folder, not a result file")
        try:
            if not h5py.is_hdf5(self.path):
                open(self.path, "rb").close()  # an unreadable file is told from one of another format
                raise PlotError(f"{self.path}: not an HDF5 file")
            return h5py.File(self.path, "r")
        except OSError as error:
            reason = str(error)
            if "unable to lock" in reason:
                raise PlotError(f"{self.path}: another program holds it; draw it when the run has ended", 3) from error
            if "truncated" in reason:
                raise PlotError(f"{self.path}: cut short (it ends before its own length says); resume the run with "
                                "--resume, or copy the file again") from error
            raise PlotError(f"{self.path}: cannot read: {reason}", 3) from error

    def _parsed_deck(self):
        if "deck" not in self.file:
            return {}
        try:
            return tomllib.loads(text(self.file["deck"][()]))
        except (tomllib.TOMLDecodeError, TypeError):
            return {}  # a picture without its caption is better than none

    # --- data sets ---------------------------------------------------------------------------------------

    def __contains__(self, name):
        return name in self.file

    def array(self, name, selection=()):
        """The data set `name`, or its part: rows by their numbers, which increase, and no others are read; an error that names
        what the file does hold."""
        if name not in self.file:
            held = []
            self.file.visititems(lambda key, item: held.append(key) if isinstance(item, h5py.Dataset) else None)
            raise PlotError(f"{self.path}: no data set /{name}; {nearest(name, held)}")
        return self.file[name][selection]

    def written(self, name):
        """The rows of a series that have been written, given its times: what comes after is NaN or zero."""
        time = self.array(name)
        rows = np.flatnonzero(np.isfinite(time))
        return rows[:1 + int(np.argmax(time[rows]))] if rows.size else rows

    def attribute(self, name, key, default=""):
        """An attribute of a data set as text; `default` where there is none."""
        return text(self.file[name].attrs.get(key, default)) if name in self.file else default

    def units(self, name, column=None):
        """The unit of a data set, or of one of its columns, by name; empty if it is dimensionless, or if its columns
        differ and none is named."""
        if name not in self.file:
            return ""
        given = self.file[name].attrs.get("units", "")
        if np.ndim(given) == 0:
            unit = text(given)
        else:
            by_column, columns = texts(given), self.columns(name)
            same = by_column[0] if len(set(by_column)) == 1 else ""
            unit = by_column[columns.index(column)] if column in columns else same
        return "" if unit in ("1", "", "-") else unit

    def columns(self, name, default=None):
        """The names of the last axis of a data set: its attribute `columns`, `default`, or q1, q2, q1_dot, q2_dot."""
        if name not in self.file:
            return []
        if "columns" in self.file[name].attrs:
            return texts(self.file[name].attrs["columns"])
        if default is not None:
            return default
        width = self.file[name].shape[-1] if self.file[name].shape else 0
        half = [f"q{i + 1}" for i in range(width // 2)]
        return half + [f"{q}_dot" for q in half] if width % 2 == 0 else [f"x{i + 1}" for i in range(width)]

    def column(self, name, column):
        """One named column of the last axis."""
        columns = self.columns(name)
        if column not in columns:
            raise PlotError(f"{self.path}: no '{column}' among the columns of /{name}; {nearest(column, columns)}")
        return self.array(name, (..., columns.index(column)))

    # --- what the deck and the table of orbits say ---------------------------------------------------------

    @property
    def model(self):
        """The model's name, empty if the deck does not say."""
        return str(self.section_of_deck("model").get("name", ""))

    def section_of_deck(self, name):
        """A table of the deck, empty if there is none."""
        table = self.deck.get(name, {})
        return table if isinstance(table, dict) else {}

    def parameters(self):
        """The model's parameters in the deck that are plain numbers; those of a model stated by formulas have a table of their own."""
        table = self.section_of_deck("model")
        stated = table.get("parameters")
        return {key: value for key, value in (table | stated if isinstance(stated, dict) else table).items()
                if isinstance(value, (int, float)) and not isinstance(value, bool)}

    def states(self):
        """The names of coordinates and velocities, q first."""
        for name in ("section/points", "orbits/initial"):
            if name in self:
                return self.columns(name)
        return []

    def coordinates(self):
        """The names of the coordinates alone."""
        states = self.states()
        return states[:len(states) // 2]

    @property
    def orbits(self):
        """How many trajectories the file has room for."""
        return self.file["orbits/status"].shape[0] if "orbits/status" in self else 0

    def status_names(self, name="orbits/status"):
        """The names of the statuses by number."""
        names = self.file[name].attrs.get("names") if name in self else None
        return texts(names) if names is not None else STATUS_NAMES

    def run(self, ids):
        """Those of the rows whose trajectory has been run; the others' places in the file mean nothing yet."""
        return ids[self.array("orbits/status")[ids] != PENDING] if self.orbits else ids

    def pending(self):
        """How many trajectories have not been run yet."""
        return int(np.count_nonzero(self.array("orbits/status") == PENDING)) if self.orbits else 0

    def underway(self):
        """Whether particles, a lattice, or water, have not come to their end yet."""
        return any(name in self and bool((self.array(name) == PENDING).all())
                   for name in ("water/status", "particles/status", "lattice/status"))

    def axes(self):
        """{name: value per orbit} of the model parameters and the energy, as /orbits/parameters has them."""
        if "orbits/parameters" not in self:
            return {}
        table = self.array("orbits/parameters")
        return {name: table[:, i] for i, name in enumerate(self.columns("orbits/parameters")[:table.shape[-1]])}
