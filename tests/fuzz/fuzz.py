# SPDX-License-Identifier: BSD-3-Clause
"""fuzz.py PROGRAM [--seconds S] [--keep FOLDER]

Fuzzes one reader for S seconds: PROGRAM is fuzz_formulas, fuzz_decks, fuzz_meshes, fuzz_rasters, fuzz_tables, fuzz_starts or
fuzz_checkpoints. It begins with what was found before (findings/), and with good texts and files of the kind: this project's
decks and the formulas in them, small meshes, rasters, tables and HDF5 files. FOLDER keeps what it learns, for a later run
to go on. A finding ends it with another code than 0, and stands in the folder where it runs: put it into findings/ once it
is mended.
"""
import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = {"starts": 20000, "checkpoints": 30000}  # bytes of what is tried
# HDF5 1.10 loses memory where it refuses a file, and asks for as much as a damaged one says.
HDF5 = "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16"
LEAST, ROUNDS = 1000, 8  # texts to be tried, and how often the time is given for them
ROOT = HERE.parent.parent
FORMULA = re.compile(r'= *"([^"]*[-+*/^(<>][^"]*)"')


def begin_decks(folder, _program):
    for deck in decks():
        shutil.copy(deck, folder)


def begin_formulas(folder, _program):
    for deck in decks():
        for number, formula in enumerate(FORMULA.findall(deck.read_text(encoding="utf-8"))):
            for language in range(3):
                (folder / f"{deck.stem}.{number}.{language}").write_bytes(bytes([language]) + formula.encode())


def decks():
    found = sorted((ROOT / "input").rglob("*.toml")) + sorted((ROOT / "apps").rglob("*.toml"))
    assert len(found) > 50
    return found


# A square of four triangles around node 5, with the names of two of its sides.
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1), (.5, .5))
LINES, TRIANGLES = ((1, 2), (2, 3), (3, 4), (4, 1)), ((1, 2, 5), (2, 3, 5), (3, 4, 5), (4, 1, 5))
NAMES = '$PhysicalNames\n2\n1 1 "inflow"\n1 2 "wall"\n$EndPhysicalNames\n'


def mesh_22():
    elements = [f"{k} 1 2 {1 + (k > 1)} {k} {a} {b}" for k, (a, b) in enumerate(LINES, 1)]
    elements += [f"{k} 2 2 3 1 {a} {b} {c}" for k, (a, b, c) in enumerate(TRIANGLES, 5)]
    nodes = [f"{k} {x} {y} 0" for k, (x, y) in enumerate(CORNERS, 1)]
    return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", NAMES + "$Nodes", "5", *nodes, "$EndNodes", "$Elements",
                      "8", *elements, "$EndElements", ""]).encode()


def mesh_22_binary():
    nodes = b"".join(struct.pack("=iddd", k, x, y, 0) for k, (x, y) in enumerate(CORNERS, 1))
    lines = struct.pack("=iii", 1, 4, 2) + b"".join(struct.pack("=5i", k, 1 + (k > 1), k, a, b)
                                                   for k, (a, b) in enumerate(LINES, 1))
    triangles = struct.pack("=iii", 2, 4, 2) + b"".join(struct.pack("=6i", k, 3, 1, a, b, c)
                                                       for k, (a, b, c) in enumerate(TRIANGLES, 5))
    return (b"$MeshFormat\n2.2 1 8\n" + struct.pack("=i", 1) + b"\n$EndMeshFormat\n" + NAMES.encode() + b"$Nodes\n5\n" + nodes
            + b"\n$EndNodes\n$Elements\n8\n" + lines + triangles + b"\n$EndElements\n")


def mesh_41():
    entities = [f"{k} {x} {y} 0 0" for k, (x, y) in enumerate(CORNERS[:4], 1)]
    entities += [f"{k} 0 0 0 1 1 0 1 {1 + (k > 1)} 2 {a} -{b}" for k, (a, b) in enumerate(LINES, 1)] + ["1 0 0 0 1 1 0 0 4 1 2 3 4"]
    nodes = []
    for k, (x, y) in enumerate(CORNERS, 1):
        nodes += [f"{0 if k < 5 else 2} {k if k < 5 else 1} 0 1", str(k), f"{x} {y} 0"]
    elements = []
    for k, (a, b) in enumerate(LINES, 1):
        elements += [f"1 {k} 1 1", f"{k} {a} {b}"]
    elements += ["2 1 2 4"] + [f"{k} {a} {b} {c}" for k, (a, b, c) in enumerate(TRIANGLES, 5)]
    return "\n".join(["$MeshFormat", "4.1 0 8", "$EndMeshFormat", NAMES + "$Entities", "4 4 1 0", *entities, "$EndEntities",
                      "$Nodes", "5 5 1 5", *nodes, "$EndNodes", "$Elements", "5 8 1 8", *elements, "$EndElements", ""]).encode()


def mesh_41_binary():
    def entity(dimension, tag, box, groups, around):
        return (struct.pack("=i", tag) + struct.pack(f"={len(box)}d", *box) + struct.pack(f"=Q{len(groups)}i", len(groups), *groups)
                + (struct.pack(f"=Q{len(around)}i", len(around), *around) if dimension else b""))
    entities = struct.pack("=4Q", 4, 4, 1, 0) + b"".join(entity(0, k, (x, y, 0), (), ()) for k, (x, y) in enumerate(CORNERS[:4], 1))
    entities += b"".join(entity(1, k, (0, 0, 0, 1, 1, 0), (1 + (k > 1),), (a, -b)) for k, (a, b) in enumerate(LINES, 1))
    entities += entity(2, 1, (0, 0, 0, 1, 1, 0), (), (1, 2, 3, 4))
    nodes = struct.pack("=4Q", 1, 5, 1, 5) + struct.pack("=3iQ", 2, 1, 0, 5) + struct.pack("=5Q", 1, 2, 3, 4, 5)
    nodes += b"".join(struct.pack("=3d", x, y, 0) for x, y in CORNERS)
    elements = struct.pack("=4Q", 2, 8, 1, 8) + struct.pack("=3iQ", 1, 1, 1, 4)
    elements += b"".join(struct.pack("=3Q", k, a, b) for k, (a, b) in enumerate(LINES, 1)) + struct.pack("=3iQ", 2, 1, 2, 4)
    elements += b"".join(struct.pack("=4Q", k, a, b, c) for k, (a, b, c) in enumerate(TRIANGLES, 5))
    return (b"$MeshFormat\n4.1 1 8\n" + struct.pack("=i", 1) + b"\n$EndMeshFormat\n" + NAMES.encode() + b"$Entities\n" + entities
            + b"\n$EndEntities\n$Nodes\n" + nodes + b"\n$EndNodes\n$Elements\n" + elements + b"\n$EndElements\n")


def begin_meshes(folder, _program):
    for make in (mesh_22, mesh_22_binary, mesh_41, mesh_41_binary):
        (folder / make.__name__).write_bytes(make())


def begin_rasters(folder, _program):
    head = "ncols 4\nnrows 3\nxllcorner 10\nyllcorner -3\ncellsize 0.5\nNODATA_value -9999\n"
    (folder / "corner").write_text(head + "1 2 3 4\n5 -9999 7 8\n9 10 11 12\n", encoding="ascii")
    (folder / "centre").write_text("NCOLS 2\nNROWS 2\nXLLCENTER 0\nYLLCENTER 0\nCELLSIZE 1e2\n1.5 2\n-3e-1 4\n", encoding="ascii")


def begin_tables(folder, _program):
    (folder / "blanks").write_text("# x y z\n1 2.5 -3e-2\n\n4 5 6 # the second\n", encoding="ascii")
    (folder / "commas").write_text("1,2,3,4,5,6\r\n.5, +1e-320 ,inf,nan,-0,7\r\n", encoding="ascii")


def begin_starts(folder, _program):
    rows = np.arange(18.0).reshape(3, 6)
    for name, options in {"whole": {}, "old": {"libver": "earliest"}, "new": {"libver": "latest"}}.items():
        with h5py.File(folder / name, "w", **options) as file:
            file["starts"] = rows
            file.create_dataset("q", data=rows.astype(np.float32), chunks=(2, 3), compression="gzip", shuffle=True)
            file.create_dataset("v", data=rows, chunks=(1, 6), maxshape=(None, 6), fletcher32=True)
            file["copies"] = np.arange(6).reshape(3, 2)
            file["velocity"] = np.bytes_("a text")


def begin_checkpoints(folder, program):
    subprocess.run([program.resolve(), "--write", folder.resolve() / "whole"], check=True)


BEGIN = {"decks": begin_decks, "formulas": begin_formulas, "meshes": begin_meshes, "rasters": begin_rasters, "tables": begin_tables,
         "starts": begin_starts, "checkpoints": begin_checkpoints}


def begin(folder, program, reader):
    with tempfile.TemporaryDirectory() as good:
        BEGIN[reader](pathlib.Path(good), program)
        if reader in ("meshes", "rasters", "tables", "starts"):  # what it begins with has to be read
            subprocess.run([program.resolve(), *pathlib.Path(good).iterdir()], check=True, stderr=subprocess.DEVNULL,
                           env=os.environ | {"COTANGENT_MUST_READ": "1", "ASAN_OPTIONS": HDF5})
        shutil.copytree(good, folder, dirs_exist_ok=True)
    if (HERE / "findings" / reader).is_dir():
        for finding in (HERE / "findings" / reader).iterdir():
            shutil.copy(finding, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=pathlib.Path)
    chosen = parser.parse_args()
    reader = chosen.program.name.removeprefix("fuzz_")
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        begin(folder, chosen.program, reader)
        words = HERE / (reader + ".dict")
        tried = 0
        for _ in range(ROUNDS):  # a busy machine tries less in the same time
            end = subprocess.run([chosen.program.resolve(), f"-max_total_time={chosen.seconds}", f"-max_len={LONGEST.get(reader, 6000)}",
                                  *([f"-dict={words}"] if words.exists() else []), "-timeout=60", "-rss_limit_mb=2048", "-verbosity=0",
                                  "-print_final_stats=1", folder], check=False, stderr=subprocess.PIPE, text=True,
                                 env=os.environ | ({"ASAN_OPTIONS": HDF5} if reader in LONGEST else {}))
            print("\n".join(line for line in end.stderr.splitlines() if "Recommended" not in line and "# Uses" not in line))
            found = re.search(r"number_of_executed_units: *(\d+)", end.stderr)
            tried += int(found[1]) if found else 0
            if end.returncode != 0 or tried >= LEAST:
                return end.returncode
    print(f"fewer than {LEAST} texts were tried: that proves nothing", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
