# SPDX-License-Identifier: BSD-3-Clause
"""Results: one HDF5 file, its data sets as labelled arrays that are read as they are needed.

Where xarray is installed a group is an `xarray.Dataset` and a data set an `xarray.DataArray`; where it isn't they are a
`Group` and an `Array` with the same names. Either way no number is read before it is asked for, and then only the slice
that is asked for: files may be larger than memory, and may be those of a run that still goes on.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .deck import read
from .errors import FileSystemError, InputError

try:
    import xarray
    from xarray.backends import BackendArray
    from xarray.core import indexing
except ImportError:  # numpy alone then
    xarray = None  # type: ignore[assignment]

NAME_ALONE = "This is a netCDF dimension but not a netCDF variable"  # how a dimension without coordinates is called


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _attributes(data: h5py.Dataset) -> dict[str, Any]:
    """Units, meaning, names of integers: what is told of a data set, without HDF5's own bookkeeping."""
    hidden = ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME")
    attributes = {}
    for key, value in data.attrs.items():
        if key not in hidden:
            attributes[key] = [_text(item) for item in value] if isinstance(value, np.ndarray) else _text(value)
    return attributes


def is_dimension(data: h5py.Dataset) -> bool:
    """Whether a data set only names a dimension."""
    return str(_text(data.attrs.get("NAME", ""))).startswith(NAME_ALONE)


def _dimensions(data: h5py.Dataset) -> tuple[str, ...]:
    """The dimensions' names; those that the file doesn't tell are called after the data set."""
    own = data.name.rpartition("/")[2]
    names = []
    for k in range(data.ndim):
        scales = list(data.dims[k].values()) if "DIMENSION_LIST" in data.attrs else []
        if scales:
            names.append(scales[0].name.rpartition("/")[2])
        else:
            names.append(own if data.ndim == 1 and h5py.h5ds.is_scale(data.id) else f"{own}_{k}")
    return tuple(names)


class Array:
    """A data set with labels, as it lies in the file. Slices of it are numpy arrays, read when they are taken.

    Attributes:
        name, dims, shape, dtype: as numpy and xarray call them.
        coords: a label or number for each place along a dimension, by the dimension's name; where there are any.
        attrs: ``units`` (one, or a list by column), ``meaning``, and ``names`` of integers that stand for words.
    """

    def __init__(self, file: h5py.File, path: str):
        data = file[path]
        self._file, self._path = file, path
        self.name = path.rpartition("/")[2]
        self.dims, self.shape, self.dtype = _dimensions(data), data.shape, data.dtype
        self.attrs = _attributes(data)
        self.coords: dict[str, Any] = {}
        columns = self.attrs.pop("columns", None)
        if columns is not None and len(set(columns)) == len(columns) == self.shape[-1]:
            if self.dims == (self.name,):  # whose places would be labels, not its numbers
                self.dims = (f"{self.name}_component",)
            self.coords[self.dims[-1]] = np.array(columns, dtype=str)

    def __getitem__(self, key: Any) -> Any:
        return self._file[self._path][key]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self._file[self._path][()], dtype)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def values(self) -> np.ndarray:
        """All of it."""
        return np.asarray(self)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    def sel(self, **labels: Any) -> np.ndarray:
        """The places of these labels: ``points.sel(component="q2")``.

        Raises:
            InputError: no dimension is called so, or it has no such label.
        """
        key: list[Any] = [slice(None)] * self.ndim
        for dimension, label in labels.items():
            places = self.coords.get(dimension)
            found = [] if places is None else np.flatnonzero(np.asarray(places) == label)
            if len(found) == 0:
                there = [] if places is None else [str(place) for place in places]
                raise InputError(f"{self.name} has no {dimension} = {label!r}; it has {there}", value=str(label))
            key[self.dims.index(dimension)] = int(found[0])
        return self[tuple(key)]

    def __repr__(self) -> str:
        extent = ", ".join(f"{name}: {size}" for name, size in zip(self.dims, self.shape))
        return f"<{self.name} ({extent}) {self.dtype}, {self.attrs.get('units')}: {self.attrs.get('meaning')}>"


class Group(Mapping):
    """The arrays of a group by name, also as attributes."""

    def __init__(self, arrays: dict[str, Array]):
        self._arrays = arrays

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __getattr__(self, name: str) -> Array:
        if not name.startswith("_") and name in self._arrays:
            return self._arrays[name]
        raise AttributeError(f"no array is called {name}; there are {', '.join(self._arrays)}")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._arrays.values()))


if xarray is not None:
    class _Lazy(BackendArray):
        """What xarray asks for slices."""

        def __init__(self, array: Array):
            self.array, self.shape, self.dtype = array, array.shape, array.dtype

        def __getitem__(self, key: Any) -> Any:
            return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER_1VECTOR,
                                                      self.array.__getitem__)


class Result:
    """A result file. Its groups are attributes (``result.section``), its data sets items (``result["/section/points"]``);
    what each is, with shape and units, ``print(result)`` says, and the table in src/io/README.md.

    Args:
        path: the HDF5 file.

    Raises:
        FileSystemError: there is no such file.
        InputError: it is no result of this program.
    """

    def __init__(self, path: str | Path):
        self._given, self._folder = Path(path), Path.cwd()
        if not self.path.is_file():
            near = [other.name for other in self.path.parent.glob("*.h5")] if self.path.parent.is_dir() else []
            what = "a folder" if self.path.is_dir() else "no such file"
            raise FileSystemError(f"{path}: {what}" + (f"; there are {', '.join(sorted(near))}" if near else ""), 3)
        try:
            self._file = h5py.File(self.path, "r")
        except OSError as error:
            raise InputError(f"{path}: not an HDF5 file ({error})", 2) from error
        if _text(self._file.attrs.get("format")) != "cotangent":
            raise InputError(f"{path}: not a result of cotangent", 2)

    @property
    def path(self) -> Path:
        """The file, as it was given; from another folder than that where it was opened, in whole."""
        return self._given if Path.cwd() == self._folder else self._folder / self._given

    @property
    def study(self) -> str:
        """Which study made it."""
        return _text(self._file.attrs["study"])

    @property
    def deck(self) -> dict[str, Any]:
        """The resolved deck, all defaults included, as tables; `deck_text` is its text."""
        return read(self.deck_text)

    @property
    def deck_text(self) -> str:
        """The resolved deck as it stands in the file."""
        return _text(self._file["/deck"][()])

    @property
    def groups(self) -> list[str]:
        """The names of the groups that hold arrays."""
        return [name for name, item in self._file.items() if isinstance(item, h5py.Group) and name not in ("provenance", "run")]

    @property
    def provenance(self) -> dict[str, str]:
        """Version, commit, compiler, libraries."""
        return {key: _text(value) for key, value in self._file["/provenance"].attrs.items()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # asked for by copies and pickles before there is a file
            raise AttributeError(name)
        if name in self.groups:
            return self[name]
        raise AttributeError(f"{self.path} has no group {name}; it has {', '.join(self.groups)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.groups]

    def __getitem__(self, path: str) -> Any:
        """A group or a data set, by its path.

        Raises:
            KeyError: there is none.
        """
        if path not in self._file:
            raise KeyError(f"{path}: not in {self.path}, which has {', '.join(self.groups)}")
        item = self._file[path]
        if isinstance(item, h5py.Group):
            arrays = {name: Array(self._file, data.name) for name, data in item.items()
                      if isinstance(data, h5py.Dataset) and data.dtype.kind in "fiu" and not is_dimension(data)}
            if xarray is None:
                return Group(arrays)
            coordinates = {name: places for array in arrays.values() for name, places in array.coords.items()}
            variables = {name: self._variable(array) for name, array in arrays.items() if name not in coordinates}
            return xarray.Dataset(variables, {name: (name, places) for name, places in coordinates.items()},
                                  {"file": str(self.path), "group": item.name})
        array = Array(self._file, item.name)
        if xarray is None:
            return array
        coordinates = {name: (name, places) for name, places in array.coords.items()}
        for k, name in enumerate(array.dims):
            if name not in coordinates and item.parent.get(name) is not None and item.parent[name] != item:
                scale = item.parent[name]
                if not is_dimension(scale) and scale.shape == (array.shape[k],):
                    coordinates[name] = (name, scale[()], _attributes(scale))
        # By way of a Dataset: a DataArray made of a variable would read it.
        return xarray.Dataset({array.name: self._variable(array)}, coordinates)[array.name]

    @staticmethod
    def _variable(array: Array) -> Any:
        lazy = indexing.LazilyIndexedArray(_Lazy(array)) if array.ndim else np.asarray(array)
        return xarray.Variable(array.dims, lazy, array.attrs)

    def __repr__(self) -> str:
        lines = [f"{self.path}: study \"{self.study}\""]

        def tell(_: str, data: h5py.Dataset | h5py.Group) -> None:
            if isinstance(data, h5py.Dataset) and not is_dimension(data):
                extent = ", ".join(f"{dim}: {size}" for dim, size in zip(_dimensions(data), data.shape))
                units = _attributes(data).get("units", "")
                units = ", ".join(units) if isinstance(units, list) else units
                lines.append(f"  {data.name} ({extent}) [{units}] {_attributes(data).get('meaning', '')}")

        for group in self.groups:
            self._file[group].visititems(tell)
        return "\n".join(lines)

    def close(self) -> None:
        """Closes the file; arrays that weren't read can't be read any more. ``with open(path) as result`` does it, too."""
        self._file.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def plot(self, output: str | Path | None = None, **options: Any) -> Any:
        """A picture, as ``cotangent-plot`` draws it; a notebook shows it.

        Args:
            output: the file, .png, .pdf or .svg; beside the result unless given.
            options: the options of cotangent-plot: ``axes="q2,q2_dot"``, ``color_by="orbit"``, ``small=True``,
                ``movie="film.mp4"`` ... (``cotangent-plot --help``).

        Returns:
            A `Picture`; its ``path`` is the file.

        Raises:
            InputError: an option that there isn't, or nothing that is drawn.
            Error: nothing to draw yet, of a run that isn't at its end.
        """
        from .pictures import draw
        return draw([self.path], output, options)

    def explore(self, page: str | Path | None = None, **options: Any) -> Any:
        """One page of HTML that answers to clicks (`cotangent.explorer`); in a notebook it stands there.

        Raises:
            Error: as `plot`.
        """
        from .pictures import explore
        return explore(self.path, page, options)


def open(path: str | Path) -> Result:  # pylint: disable=redefined-builtin
    """Opens a result; see `Result`."""
    return Result(path)
