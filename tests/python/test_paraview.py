# SPDX-License-Identifier: BSD-3-Clause
"""Results in ParaView itself: points, cells, arrays, bounds and times by each of its three readers of XDMF, beside what h5py
reads of the same file."""
import json
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

import cotangent as ct

READERS = ("XDMFReader", "Xdmf3ReaderS", "Xdmf3ReaderT")
pytestmark = pytest.mark.skipif(not shutil.which("pvpython"), reason="no ParaView")
DECKS = {  # shortened; which data set holds the points, and what is to be seen at them
    "particles": ("particles/ricker_on_genus2.toml", dict(stop=dict(time=0.2)), "/particles/position", "/particles/time",
                  {"velocity": "/particles/velocity"}),
    "rods": ("mechanisms/rods_on_torus.toml", {}, "/particles/position", "/particles/time", {"velocity": "/particles/velocity"}),
    "sheet": ("lattices/elastic_sheet.toml", {}, "/lattice/position", "/lattice/frame_time", {"velocity": "/lattice/v"}),
    "water": ("overland/dam_break.toml", dict(stop=dict(time=0.5)), "/mesh/vertices", "/water/time",
              {"depth": "/water/depth", "discharge": "/water/discharge", "bed": "/mesh/bed"}),
}


@pytest.fixture(scope="module", params=DECKS)
def case(request, source, tmp_path_factory):
    deck, keys, points, times, arrays = DECKS[request.param]
    file = tmp_path_factory.mktemp(request.param) / f"{request.param}.h5"
    return ct.run(source / "input" / deck, file=file, progress=False, **keys).file, points, times, arrays


def seen(xdmf, reader):
    out = Path(f"{reader}.json").absolute()
    done = subprocess.run(["pvpython", "--force-offscreen-rendering", Path(__file__).with_name("paraview_reads.py"), xdmf, out,
                           reader], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "HDF5-DIAG" not in done.stderr and "rror" not in done.stderr, done.stderr[:2000]
    return json.loads(out.read_text())


def at(file, path, row):
    """The rows of this time, or what doesn't change."""
    data = np.asarray(file[path][row] if path.startswith(("/particles", "/lattice", "/water")) else file[path], float)
    return data.reshape(len(data), -1)


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_sees_all_of_it(case, reader):
    path, points, times, arrays = case
    found = seen(path.with_suffix(".xdmf"), reader)
    with h5py.File(path) as file:
        expected = file[times][()]
        assert np.allclose(found["times"], expected[:len(found["times"])]) and len(found["times"]) == np.isfinite(expected).sum()
        for instant in found["instants"]:
            row = int(np.argmin(abs(expected - instant["time"])))
            places = at(file, points, row)
            grid = next(grid for grid in instant["grids"] if grid["points"] == len(places))
            bounds = np.reshape(grid["bounds"], (3, 2))[:places.shape[1]]
            assert np.allclose(bounds, np.stack([places.min(0), places.max(0)], 1), rtol=1e-6, atol=1e-6)
            cells = (file["/mesh/cells"] if "/mesh/cells" in file else file["/particles/ends"] if "/particles/ends" in file
                     else places)
            if "/lattice/shape" in file:
                length, rows = file["/lattice/shape"][()]
                assert grid["cells"] == (length - 1) * (rows - 1)
            else:
                assert grid["cells"] == len(cells)
            for name, data in arrays.items():
                sizes = np.linalg.norm(at(file, data, row), axis=1)
                _, span = grid["arrays"][name]
                low, high = (sizes.min(), sizes.max()) if data not in ("/water/depth", "/mesh/bed") else (
                    at(file, data, row).min(), at(file, data, row).max())
                assert np.allclose(span, [low, high], rtol=1e-5, atol=1e-9), name
            if "/surface/vertices" in file:
                assert any(grid["points"] == len(file["/surface/vertices"]) and grid["cells"] == len(file["/surface/triangles"])
                           for grid in instant["grids"])


def test_a_row_that_is_not_there_would_be_seen(case):
    """The control: the same file with its places moved by a row shows other bounds."""
    path, points, times, _ = case
    if points.startswith("/mesh"):
        pytest.skip("its points don't move")
    text = path.with_suffix(".xdmf").read_text()
    with h5py.File(path) as file:
        data = file[points]
        first, bytes_of_row = data.id.get_offset(), data.dtype.itemsize * int(np.prod(data.shape[1:]))
        last = at(file, points, data.shape[0] - 1)
    moved = path.with_name("moved.xdmf")
    moved.write_text(text.replace(f'Seek="{first}"', f'Seek="{first + bytes_of_row * (data_rows(path, times) - 1)}"'))
    found = seen(moved, "XDMFReader")["instants"][0]
    grid = next(grid for grid in found["grids"] if grid["points"] == len(last))
    with h5py.File(path) as file:
        start = at(file, points, 0)
    bounds = np.reshape(grid["bounds"], (3, 2))[:start.shape[1]]
    assert not np.allclose(bounds, np.stack([start.min(0), start.max(0)], 1), rtol=1e-6, atol=1e-9)


def data_rows(path, times):
    with h5py.File(path) as file:
        return int(np.isfinite(file[times][()]).sum())
