# SPDX-License-Identifier: BSD-3-Clause
"""measure_memory.py [--ranks 1,2,4,8] [--only NAME] PROGRAM ...

The most memory that each rank held, for a million of everything, against the number of ranks and against what --dry-run
foretells. Each rank is started by a small script, which waits for it and asks the kernel for its peak. A run of
a thousandth of the size shows what the program takes for itself; `whole` is what is left of the worst rank's peak, times
the ranks, over the same on one rank: 1 where memory falls as 1/ranks, the number of ranks where it doesn't.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from launch import MPIRUN, SOURCE

INPUT = SOURCE / "input"
NETWORK = """study = "lattice"
[model]
name = "fput-alpha"
sites = {sites}
copies = "network.h5"
held = [0]
[start]
random = {{ q = 0.1, seed = 1 }}
[method]
step = 0.1
stages = 4
[stop]
time = 0.3
[output]
every = 0.1
frames_every = 0.3
file = "out.h5"
"""


DUMBBELLS = """study = "mechanism"
[model]
name = "rod-chain"
rods = 1
dimension = 3
length = 1.0
mass = 1.0
gravity = 0.0
temperature = 1.0
periods = [{side}, {side}, {side}]
[molecules]
count = {molecules}
[potential]
name = "lennard-jones"
cut = 2.5
[method]
name = "rattle"
step = 0.002
[stop]
time = 0.012
[output]
every = 0.004
file = "out.h5"
"""


def network(at, sites):
    """A square net, numbered row by row."""
    side = round(sites ** 0.5)
    number = np.arange(side * side).reshape(side, side)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    with h5py.File(at / "network.h5", "w") as file:
        file["bond"] = np.concatenate([across, down])
    (at / "deck.toml").write_text(NETWORK.format(sites=side * side), encoding="utf-8")
    return [at / "deck.toml"]


def particles(_, count):
    wide = (count / 51274) ** 0.5
    return [INPUT / "particles/lennard_jones_on_torus.toml", f"particles.count={count}", f"model.R={100 * wide}",
            f"model.r={40 * wide}", "stop.time=0.01", "output.every=0.004", "output.frames_every=0.004", "method.step=0.002",
            "output.surface_cells=0", "stop.time=0.012"]


def rods(_, count):
    return [INPUT / "mechanisms/rod_chain.toml", f"model.rods={count}", "method.constraint_tolerance=1e-11",
            "stop.time=1e-4", "output.every=4e-5", "stop.time=8e-5"]


def molecules(at, points):
    text = DUMBBELLS.format(molecules=points // 2, side=round((points / 0.2) ** (1 / 3), 3))
    (at / "deck.toml").write_text(text, encoding="utf-8")
    return [at / "deck.toml"]


def cells(_, count):
    side = round((count / 2) ** 0.5)
    return [INPUT / "overland/landscape_million.toml", f"mesh.cells=[{side},{side}]",
            f"mesh.to=[{10 * side}.0,{10 * side}.0]", "stop.time=60", "output.frames_every=60"]


def poincare(_, count):
    side = round(count ** 0.5)
    return [INPUT / "sections/henon_heiles_chaos.toml", f"ensemble.grid.q2=[-0.4,0.7,{side}]",
            f"ensemble.grid.q2_dot=[-0.4,0.4,{side}]", "stop.crossings=2"]


def billiard(_, count):
    return [INPUT / "billiards/three_circles_million.toml", f"ensemble.random.count={count}", "stop.time=0.5"]


CASES = (("particles", particles, 10**6), ("rods", rods, 10**6), ("points of molecules", molecules, 10**6),
         ("sites of a network", network, 10**6),
         ("cells", cells, 5 * 10**5), ("crossings' starts", poincare, 10**6), ("billiard's starts", billiard, 10**6))


# A rank's parent: runs the program, leaves its peak in a folder. It is small itself, for a child's peak counts what its
# parent had when it was started.
PARENT = """import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(os.path.join(sys.argv[1], f"peak.{os.getpid()}"), "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
sys.exit(code if code >= 0 else 128 - code)"""


def peaks(program, words, ranks, at):
    """MB of every rank."""
    end = subprocess.run([*MPIRUN, str(ranks), sys.executable, "-S", "-c", PARENT, at, program, *words,
                          "output.file=out.h5", "output.checkpoint_minutes=0.001"], cwd=at, text=True, capture_output=True,
                         stdin=subprocess.DEVNULL)
    if end.returncode != 0:
        raise SystemExit(f"{words} on {ranks} ranks: exit code {end.returncode}\n{end.stdout}{end.stderr}")
    found = [float(path.read_text()) for path in at.glob("peak.*")]
    assert len(found) == ranks
    for path in [*at.glob("peak.*"), *at.glob("out.*")]:
        path.unlink()
    return found


def foretold(program, words, ranks, at):
    end = subprocess.run([*MPIRUN, str(ranks), program, *words, "--dry-run"], cwd=at, text=True, capture_output=True,
                         stdin=subprocess.DEVNULL)
    found = re.search(r"memory +about ([\d.e+-]+) (k|M|G|T)B", end.stdout)
    return float(found[1]) * {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[found[2]] / 2**20 if found else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 4, 8])
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    chosen = parser.parse_args()
    print(f"{'case':20}{'program':>8}{'ranks':>6}{'small MB':>10}{'least MB':>10}{'most MB':>10}{'whole':>7}"
          f"{'foretold':>10}{'off %':>7}", flush=True)
    for name, make, count in CASES:
        if chosen.only not in name:
            continue
        for which, program in enumerate(chosen.programs):
            alone = None
            for ranks in chosen.ranks:
                with tempfile.TemporaryDirectory(prefix="cotangent_memory_") as folder:
                    at = pathlib.Path(folder)
                    small = max(peaks(program.resolve(), make(at, count // 1000), ranks, at))
                    words = make(at, count)
                    guess = foretold(program.resolve(), words, ranks, at)
                    found = peaks(program.resolve(), words, ranks, at)
                taken = (max(found) - small) * ranks
                alone = alone or taken
                print(f"{name:20}{which + 1:8}{ranks:6}{small:10.1f}{min(found):10.1f}{max(found):10.1f}"
                      f"{taken / alone:7.2f}{guess:10.1f}{100 * (guess / max(found) - 1):7.0f}", flush=True)


if __name__ == "__main__":
    main()
