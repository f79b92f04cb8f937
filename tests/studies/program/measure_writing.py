# SPDX-License-Identifier: BSD-3-Clause
"""measure_writing.py [--rounds N] [--only NAME] [--at FOLDER] PROGRAM ...

What writing costs: the share of writing in the main job, bytes a second of results of about 1 GB, and 64 ranks on few
processors. Programs take turns, round by round, so that another load on the machine meets them alike; the table shows
medians and the least.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from launch import MPIRUN, SOURCE

INPUT = SOURCE / "input"
MILLION = """study = "particles"
[model]
name = "torus"
R = 500.0
r = 200.0
[potential]
name = "soft"
cut = 1.0
[method]
name = "rattle"
step = 0.001
constraint_tolerance = 1e-10
[particles]
start = "uniform"
count = 1000000
seed = 1
temperature = 1.0
[stop]
time = 0.019
[output]
every = 0.001
pair_bins = 0
surface_cells = 0
file = "out.h5"
"""
CHAIN = """study = "lattice"
[model]
name = "fput-alpha"
sites = 1000000
boundary = "periodic"
[start]
q = "sin(2*pi*site/sites)"
[method]
step = 0.2
stages = 2
[stop]
time = 11.8
[output]
every = 0.2
file = "out.h5"
"""
WATER = """study = "overland"
[mesh]
from = [0.0, 0.0]
to = [3000.0, 1000.0]
cells = [300, 100]
[bed]
height = "0.02*y"
[initial]
depth = 0.1
[friction]
law = "manning"
coefficient = 0.05
[boundary.bottom]
kind = "free"
[method]
name = "conservative"
step = 0.5
[solver]
linear = "krylov"
[stop]
time = 10.0
[output]
every = 0.5
file = "out.h5"
"""
# name, deck, further words, numbers of ranks, rounds as a part of those asked for
CASES = (("main", INPUT / "sections/henon_heiles_chaos.toml", (), (1, 2), 1),
         ("main, 4000 crossings", INPUT / "sections/henon_heiles_chaos.toml", ("stop.crossings=4000",), (1, 2), 1),
         ("ricker", INPUT / "particles/ricker_on_genus2.toml", (), (1, 2), 1),
         ("water, 20 frames", WATER, (), (1, 2), 0.4),
         ("particles, 1 GB", MILLION, (), (1, 2, 4), 0.3),
         ("lattice, 1 GB", CHAIN, (), (1, 2, 4), 0.3),
         ("ricker", INPUT / "particles/ricker_on_genus2.toml", (), (64,), 0.3))


def run(program, deck, words, ranks, at):
    """Seconds by the program's own clock, share of writing, bytes of the file, seconds by the wall."""
    for old in at.glob("*"):
        old.unlink()
    if isinstance(deck, str):
        (at / "deck.toml").write_text(deck, encoding="utf-8")
        deck = at / "deck.toml"
    began = time.monotonic()
    end = subprocess.run([*MPIRUN, str(ranks), program, deck, *words, "output.file=out.h5"], cwd=at, text=True,
                         capture_output=True, stdin=subprocess.DEVNULL)
    wall = time.monotonic() - began
    if end.returncode != 0:
        raise SystemExit(f"{program} {deck} on {ranks} ranks: exit code {end.returncode}\n{end.stdout}{end.stderr}")
    # Both programs print the parts as the mean over ranks.
    line = next(line for line in end.stdout.splitlines() if line.startswith("time "))
    number, unit = re.match(r"time +(?:about )?([\d.e+-]+) (\w+)", line).groups()
    total = float(number) * {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}[unit]
    part = {name: float(share) / 100 * total for name, share in re.findall(r"(\w+) ([\d.]+) %", line)}
    return total, part["write"], (at / "out.h5").stat().st_size, wall, part["start"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--at", help="folder for the results")
    parser.add_argument("--ranks", type=lambda text: {int(part) for part in text.split(",")}, help="of the cases' numbers of ranks these alone")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    chosen = parser.parse_args()
    print(f"{'case':22}{'ranks':>6}{'program':>9}{'rounds':>7}{'s':>9}{'least':>9}{'write s':>9}{'share %':>9}"
          f"{'GB/s':>8}{'most':>8}{'start s':>9}{'wall s':>8}", flush=True)
    for name, deck, words, all_ranks, part in CASES:
        if chosen.only not in name:
            continue
        for ranks in all_ranks:
            if chosen.ranks and ranks not in chosen.ranks:
                continue
            found = [[] for _ in chosen.programs]
            for _ in range(max(1, round(part * chosen.rounds))):
                for which, program in enumerate(chosen.programs):
                    with tempfile.TemporaryDirectory(prefix="cotangent_writing_", dir=chosen.at) as folder:
                        found[which].append(run(program.resolve(), deck, words, ranks, pathlib.Path(folder)))
            for which, runs in enumerate(found):
                total, write, size, wall, start = zip(*runs)
                share = [100 * w / t for w, t in zip(write, total)]
                rate = [s / max(w, 1e-6) / 1e9 for s, w in zip(size, write)]
                print(f"{name:22}{ranks:6}{which + 1:9}{len(runs):7}{statistics.median(total):9.3f}{min(total):9.3f}"
                      f"{statistics.median(write):9.4f}{statistics.median(share):9.2f}{statistics.median(rate):8.3f}"
                      f"{max(rate):8.3f}{statistics.median(start):9.3f}{statistics.median(wall):8.2f}", flush=True)


if __name__ == "__main__":
    main()
