# SPDX-License-Identifier: BSD-3-Clause
"""Every XDMF file opens in ParaView, by each of its three readers, with all points, cells, arrays and times.

    test_paraview.py [unittest's words]     short runs of all studies that write such a file, and that of cotangent-plot
    test_paraview.py --all [DECK ...]       the same for every deck that has one, shortened as in test_decks.py

What the readers find is compared with the HDF5 file to the bit, and they must print nothing. Skipped where there is no
pvpython (Debian: paraview, python3-paraview). The programs are in $PROGRAMS.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "studies" / "program"))

from launch import MPIRUN, PROGRAMS, SOURCE, ProgramTest  # noqa: E402
from test_decks import DECKS, shortened  # noqa: E402
from zlib import crc32  # noqa: E402

STUDIES = ("particles", "mechanism", "overland", "lattice")
SHORT = {  # one deck of each study and kind of geometry
    "torus": ("particles/lennard_jones_on_torus.toml", "stop.time=0.02", "output.every=0.01", "output.frames_every=0.01",
              "particles.count=100", "output.surface_cells=12"),
    "rods": ("mechanisms/rod_chain.toml", "stop.time=0.004", "output.every=0.002"),
    "water": ("overland/lake_at_rest.toml", "stop.time=0.2", "output.every=0.1", "mesh.cells=[8,8]"),
    "sheet": ("lattices/elastic_sheet.toml", "model.sites=[13,9]", "stop.time=2", "output.frames_every=1")}


def summary(numbers):
    numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    return [list(numbers.shape), crc32(numbers.tobytes())]


def in_space(points):
    """Points [n, 2 or 3] as [n, 3]."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))


def block(points, cells, **arrays):
    """What a reader should find: `cells` [m, corners], or their number of a grid of quadrilaterals."""
    points = in_space(points)
    return {"points": summary(points), "cells": cells if isinstance(cells, int) else len(cells),
            "corners": None if isinstance(cells, int) else summary(np.ravel(cells)),
            "bounds": np.column_stack([points.min(0), points.max(0)]).ravel().tolist(),
            "arrays": {name: summary(array) for name, array in arrays.items()}}


def surface_of(file):
    if "surface/triangles" not in file:
        return []
    return [block(file["surface/vertices"][()], file["surface/triangles"][()], normal=file["surface/normals"][()])]


def rising(times):
    """Until where they rise: what follows was not reached."""
    count = 1
    while count < len(times) and times[count] > times[count - 1]:
        count += 1
    return times[:count]


def particles(file):
    x, v = file["particles/position"], file["particles/velocity"]
    cells = file["particles/ends"][()] if len(file.get("particles/ends", ())) else np.arange(x.shape[1])[:, None]
    times = rising(file["particles/time"][()])
    arrays = [{"velocity": v[k]} if x.shape[2] == 3 else {"vx": v[k][:, 0], "vy": v[k][:, 1]} for k in range(len(times))]
    return times, [[block(x[k], cells, **arrays[k]), *surface_of(file)] for k in range(len(times))]


def water(file):
    times, depth, q = rising(file["water/time"][()]), file["water/depth"], file["water/discharge"]
    return times, [[block(file["mesh/vertices"][()], file["mesh/cells"][()], bed=file["mesh/bed"][()], depth=depth[k],
                          qx=q[k][:, 0], qy=q[k][:, 1])] for k in range(len(times))]


def sheet(file):
    x, v = file["lattice/position"], file["lattice/v"]
    place = file["lattice/place"][()]
    sides = [len(np.unique(place[:, d])) for d in range(place.shape[1])]
    times = rising(file["lattice/frame_time"][()])
    return times, [[block(x[k], int(np.prod([n - 1 for n in sides])), **({"velocity": v[k]} if v.shape[2] == 3 else {}))]
                   for k in range(len(times))]


def curves(file):
    blocks = surface_of(file)
    for row, q in enumerate(file["trajectory/q"][()]):
        good = int(np.isfinite(q).all(-1).sum())
        arrays = {"v": file["trajectory/v"][row][:good], "energy": file["trajectory/energy"][row][:good]}
        if "trajectory/multiplier" in file and file["trajectory/multiplier"].shape[2:] == (1,):
            arrays["multiplier"] = file["trajectory/multiplier"][row][:good, 0]
        blocks.append(block(q[:good], np.arange(good)[None], **arrays))
    return None, [blocks]


def expected(result):
    with h5py.File(result) as file:
        for group, reader in (("particles", particles), ("water", water), ("lattice", sheet), ("trajectory", curves)):
            if group in file:
                return reader(file)
    raise AssertionError(f"{result}: nothing for ParaView in it")


def differences(result, found):
    """What each reader finds other than there is, in words."""
    times, instants = expected(result)
    for reader, seen in found.items():
        if times is not None and not np.array_equal(times, seen["times"]):
            yield f"{reader}: times {seen['times']}"
        if len(seen["instants"]) != len(instants):
            yield f"{reader}: {len(seen['instants'])} of {len(instants)} instants"
        for k, (want, have) in enumerate(zip(instants, seen["instants"])):
            if len(want) != len(have):
                yield f"{reader}: {len(have)} of {len(want)} blocks at instant {k}"
            for b, (one, other) in enumerate(zip(want, have)):
                for key in ("points", "cells", "corners", "arrays"):
                    if one[key] is not None and one[key] != other[key]:
                        yield f"{reader}: {key} of block {b} at instant {k}: {other[key]}, not {one[key]}"
                if not np.allclose(one["bounds"], other["bounds"], rtol=1e-15, atol=0):
                    yield f"{reader}: bounds of block {b} at instant {k}: {other['bounds']}, not {one['bounds']}"


def read(files, at):
    """What ParaView finds in XDMF files, and what its readers have said of each."""
    target = at / "found.json"
    end = subprocess.run(["pvpython", "--force-offscreen-rendering", HERE / "read_xdmf.py", target, *files], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    said = [line for line in end.stdout.splitlines()
            if line.strip() and not re.fullmatch(r"[^:]+[.]xdmf: X[a-z0-9A-Z ]+", line)]
    if end.returncode != 0:
        raise AssertionError(f"pvpython ended with {end.returncode}:\n{end.stdout}")
    return json.loads(target.read_text(encoding="utf-8")), said


@unittest.skipUnless(shutil.which("pvpython"), "ParaView isn't installed (Debian: paraview, python3-paraview)")
class ParaView(ProgramTest):
    longest = 600

    def test_all_readers_find_all_there_is(self):
        for name, (deck, *words) in SHORT.items():
            end = self.launch(SOURCE / "input" / deck, *words, f"output.file={name}.h5", ranks=1)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        end = self.launch(self.deck(CURVES), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        end = self.launch("curves.h5", "-o", "curves.png", "--dpi", 40, "--xdmf", program="cotangent-plot", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        names = [*SHORT, "curves"]
        # Controls: the same with one row for another, and with slabs as XDMF 2 alone says them.
        text = (self.at / "torus.xdmf").read_text(encoding="utf-8")
        (self.at / "moved.xdmf").write_text(text.replace("|1 0 0:", "|0 0 0:").replace(">1 0 0 1 1 1", ">0 0 0 1 1 1"))
        (self.at / "older.xdmf").write_text(text.replace('Type="HyperSlab"', 'ItemType="HyperSlab"'))
        found, said = read([self.at / f"{name}.xdmf" for name in (*names, "moved")], self.at)
        self.assertEqual(said, [])
        for name in names:
            with self.subTest(name=name):
                self.assertEqual(list(differences(self.at / f"{name}.h5", found[f"{name}.xdmf"])), [])
        wrong = list(differences(self.at / "torus.h5", found["moved.xdmf"]))
        self.assertEqual({said.split(": ")[0] for said in wrong}, {"XDMF Reader", "Xdmf3 Reader S", "Xdmf3 Reader T"})
        found, said = read([self.at / "older.xdmf"], self.at)
        self.assertIn("Skipping unrecognized array type [None]", said)
        wrong = list(differences(self.at / "torus.h5", found["older.xdmf"]))
        self.assertEqual({said.split(": ")[0] for said in wrong}, {"Xdmf3 Reader S", "Xdmf3 Reader T"})


CURVES = """study = "trajectory"
[model]
name = "torus"
R = 2.0
r = 1.0
[method]
name = "rattle"
step = 0.01
[ensemble]
list = [[3, 0, 0, 0, 1, 0.5], [-3, 0, 0, 0, 1, 0.2]]
[stop]
time = 1.0
[output]
file = "curves.h5"
every = 0.1
"""


def with_xdmf(deck):
    """How a deck gets its XDMF: by the run, by the plot tool, or None."""
    text = deck.read_text(encoding="utf-8")
    study = re.search(r'^study\s*=\s*"([^"]+)"', text, re.M).group(1)
    return "run" if study in STUDIES else "plot" if study == "trajectory" else None


def check_all(names):
    """Each deck's file, in words; the number of those that don't hold."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="cotangent_paraview_") as folder:
        at = pathlib.Path(folder)
        for deck in DECKS:
            by = with_xdmf(deck)
            if by is None or (names and deck.stem not in names):
                continue
            words = [word for word in shortened(deck) if word != "output.surface_cells=0"]
            run = [PROGRAMS / "cotangent", deck, *words, f"output.file={deck.stem}.h5"]
            end = subprocess.run([*MPIRUN, "1", *run], cwd=at, text=True, capture_output=True)
            if end.returncode == 0 and by == "plot":
                end = subprocess.run([PROGRAMS / "cotangent-plot", f"{deck.stem}.h5", "-o", "a.png", "--dpi", "40", "--xdmf"],
                                     cwd=at, text=True, capture_output=True)
            target = at / f"{deck.stem}.xdmf"
            if not target.exists():
                nothing = end.returncode == 0 or "neither a surface nor curves" in end.stderr
                failed += not nothing
                print(f"{deck.stem:32} {'nothing in space' if nothing else 'failed: ' + (end.stderr.strip() or '?')[:160]}",
                      flush=True)
                continue
            found, said = read([target], at)
            wrong = [*differences(at / f"{deck.stem}.h5", found[target.name]), *said]
            first = found[target.name]["XDMF Reader"]["instants"]
            failed += bool(wrong)
            print(f"{deck.stem:32} {len(first)} times, " + ", ".join(
                f"{b['points'][0][0]} points in {b['cells']} cells ({', '.join(b['arrays'])})" for b in first[0][:3])
                + (" ..." if len(first[0]) > 3 else "") + ": " + ("; ".join(wrong[:3]) or "the same in all three readers"),
                flush=True)
            for old in at.iterdir():
                old.unlink()
    return failed


if __name__ == "__main__":
    if "--all" in sys.argv:
        parser = argparse.ArgumentParser()
        parser.add_argument("--all", action="store_true")
        parser.add_argument("decks", nargs="*")
        sys.exit(check_all({pathlib.Path(deck).stem for deck in parser.parse_args().decks}) > 0)
    unittest.main()
