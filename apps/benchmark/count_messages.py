#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""count_messages.py [--ranks 1,2,4,8,16,32,64] [--only NAME] LIBRARY PROGRAM

Messages and bytes per rank and step against the number of ranks, for particles, lattices, mechanisms and overland flow:
the difference of two runs, one of twice as many steps, both with as many samples. LIBRARY is libcount_messages.so
(target count_messages). Collective calls per step follow, by the bytes that a rank gives; those of less than one in a
hundred steps are left out.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import tempfile

INPUT = pathlib.Path(__file__).resolve().parents[2] / "input"
MPIRUN = os.environ.get("MPIRUN", "mpirun --oversubscribe -n").split()
WATER = """study = "overland"
[mesh]
from = [0.0, 0.0]
to = [1000.0, 1000.0]
cells = [64, 64]
[bed]
height = "0.02*y + 2*sin(x/90)"
[initial]
depth = 0.1
[friction]
law = "manning"
coefficient = 0.05
[boundary.bottom]
kind = "free"
[method]
name = "conservative"
step = 2.0
[solver]
linear = "{linear}"
[stop]
time = 20.0
[output]
every = 20.0
file = "out.h5"
"""


def long_run(step, *words, pace=("every", "frames_every")):
    """Overrides that make so many steps and two samples."""
    def of(steps):
        time = f"{steps * step:.10g}"
        return [*words, f"method.step={step}", f"stop.time={time}", *(f"output.{key}={time}" for key in pace)]
    return of


# name, deck, overrides by the number of steps, the lesser number of steps
CASES = (("particles (20 000)", INPUT / "particles/lennard_jones_on_torus.toml",
          long_run(0.002, "particles.count=20000", "model.R=62.5", "model.r=25", "output.surface_cells=0"), 100),
         ("lattice, fixed point (chain, 65536)", INPUT / "lattices/fput_recurrence.toml",
          long_run(0.25, "model.sites=65536", "output.modes=2"), 100),
         ("lattice, fixed point (sheet, 128 x 128)", INPUT / "lattices/elastic_sheet.toml",
          long_run(0.05, "model.sites=[128,128]"), 50),
         ("lattice, Newton (chain, 8192)", INPUT / "lattices/double_pendulum_chain.toml",
          long_run(0.02, "model.sites=8192"), 10),
         ("lattice, Lobatto pair (chain, 1025)", INPUT / "lattices/inextensible_chain.toml",
          long_run(0.05, "model.sites=1025", "model.held=[0]", 'start.x="site"', 'start.y="0"'), 10),
         ("mechanism (chain, 8192 rods)", INPUT / "mechanisms/rod_chain.toml",
          long_run(2e-5, "model.rods=8192", "method.constraint_tolerance=1e-12", pace=("every",)), 50),
         ("mechanism (800 rods in 40 molecules)", INPUT / "mechanisms/polymers_on_torus.toml",
          long_run(0.002, "output.surface_cells=0", pace=("every",)), 100),
         ("overland, direct (8192 cells)", WATER.format(linear="direct"), long_run(2.0), 8),
         ("overland, krylov (8192 cells)", WATER.format(linear="krylov"), long_run(2.0), 8))


def count(library, program, deck, words, ranks):
    """[messages, bytes, {to whom: messages}] of every rank, and calls by name of the rank that made most."""
    with tempfile.TemporaryDirectory(prefix="cotangent_messages_") as folder:
        at = pathlib.Path(folder)
        if isinstance(deck, str):
            (at / "deck.toml").write_text(deck, encoding="utf-8")
            deck = at / "deck.toml"
        # mpirun goes before its ranks: see many_ranks.py.
        end = subprocess.run([*MPIRUN, str(ranks), "-x", f"LD_PRELOAD={library}", "-x", f"MESSAGE_COUNTS={at}", "nice", program,
                              deck, *words, "output.file=out.h5"], cwd=at, text=True, capture_output=True, stdin=subprocess.DEVNULL)
        if end.returncode != 0:
            raise SystemExit(f"{deck} on {ranks} ranks: exit code {end.returncode}\n{end.stdout}{end.stderr}")
        messages, calls = [], collections.Counter()
        for path in sorted(at.glob("rank.*")):
            mine = collections.Counter()
            for line in path.read_text(encoding="utf-8").splitlines():
                words = line.split()
                if words[0] == "message":
                    messages.append([int(words[1]), int(words[2]), {}])
                elif words[0] == "to":
                    messages[-1][2][words[1]] = int(words[2])
                elif words[1] == "of":
                    mine[f"{words[0]} of {words[2]} B"] += int(words[3])
                else:
                    mine[words[0]] += int(words[1])
            calls |= mine
    assert len(messages) == ranks
    return messages, calls


def by_size(rates, in_both):
    """What is told of the collective calls of a step: ["Allreduce of 8 B x 2"].

    Of each call all sizes together are as many as they are: the sizes of PETSc's calls of the start change from run to run, so
    that one of them has more calls in the longer run, another less. Sizes are told, the most frequent first, as long as they
    are no more than all; what is left stands together, as do sizes of one run alone.
    """
    told, rest = [], collections.Counter()
    for key, rate in rates.items():
        rest[key.split(" of ")[0]] += rate
    for key, rate in sorted(rates.items(), key=lambda item: -item[1]):
        name = key.split(" of ")[0]
        if rate >= 0.05 and key in in_both and rate <= rest[name] + 1e-9:
            told.append(f"{key} x {rate:.3g}")
            rest[name] -= rate
    return told + [f"{name} of other sizes x {rate:.2g}" for name, rate in rest.items() if rate >= 0.01]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")],
                        default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    chosen = parser.parse_args()
    for name, deck, words, steps in CASES:
        if chosen.only not in name:
            continue
        print(f"\n{name}\n{'ranks':>6}{'messages':>10}{'most':>9}{'bytes':>11}{'most':>11}{'neighbours':>11}{'most':>5}"
              "   collective calls per step", flush=True)
        for ranks in chosen.ranks:
            (few, called), (many, called_more) = (count(chosen.library.resolve(), chosen.program.resolve(), deck,
                                                        words(n), ranks) for n in (steps, 2 * steps))
            messages = [(b[0] - a[0]) / steps for a, b in zip(few, many)]
            size = [(b[1] - a[1]) / steps for a, b in zip(few, many)]
            others = [sum(n > a[2].get(to, 0) for to, n in b[2].items()) for a, b in zip(few, many)]
            rates = {key: (called_more[key] - called[key]) / steps for key in called | called_more}
            told = by_size(rates, {key for key in rates if called[key] > 0})
            print(f"{ranks:6}{sum(messages) / ranks:10.1f}{max(messages):9.1f}{sum(size) / ranks:11.0f}{max(size):11.0f}"
                  f"{sum(others) / ranks:11.1f}{max(others):5}   {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
