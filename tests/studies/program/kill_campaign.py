# SPDX-License-Identifier: BSD-3-Clause
"""kill_campaign.py [--kills N] [--early N] [--ranks 1,2,3] [--length 1.0] [--seed S] [--only NAME,...] PROGRAM

Kills runs of every study at random moments, all ranks at once, and goes on with --resume on as many or on other ranks.
A kill counts where all ranks were alive and a checkpoint lay beside the result: the run takes it away when it ends. The
moment lies anywhere between the first checkpoint and the end; a third of the kills then waits for the writing of the next
one, and falls into it. Further kills come before the first checkpoint (`early`). In the end the result must be the
uninterrupted run's: to the bit, or to what the study promises across ranks. The control: from the first kill of each study
the run goes on once more, from a checkpoint with other numbers, or with another first row in the result where those no
longer matter, and then must end with another result. Ends with 1 where something was lost or a control found nothing.
"""
import argparse
import dataclasses
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

import test_atlas
import test_billiards
import test_bits
import test_lattice
import test_mechanism
import test_molecules
import test_overland
import test_particles
import test_periodic_orbits
import test_work_precision
from launch import MPIRUN, POINCARE, SOURCE, kill
from results import compare, edited_checkpoint

EXACT = (0.0, 0.0, 0.0)  # tolerances: on one rank before and after, on as many, on others
ROUND_OFF = (0.0, 0.0, 1e-9)
ROOM = 0.25  # seconds from the first checkpoint to the end that a run must leave for a kill


@dataclasses.dataclass
class Case:
    deck: str
    words: tuple  # what makes it a case for kills
    key: str  # the override that sets the run's length
    full: float  # its value for a run of some seconds on one rank
    whole: float  # which is rounded to a multiple of this
    tolerance: tuple = EXACT
    aside: tuple = ()  # data sets that aren't compared where the tolerance isn't 0

    def overrides(self, length):
        return [*self.words, f"{self.key}={max(2, round(self.full * length / self.whole)) * self.whole:.10g}",
                "output.file=out.h5", "output.checkpoint_minutes=0.0005"]


def poincare(grid, step, crossings):
    return Case(POINCARE, (f"ensemble.grid.q2=[-0.4,0.7,{grid[0]}]", f"ensemble.grid.q2_dot=[-0.4,0.4,{grid[1]}]",
                           f"method.step={step}"), "stop.crossings", crossings, 1)


def particles(count, wide, cut, every, time):
    return Case(test_particles.TORUS, (f"particles.count={count}", f"model.R={8 * wide}", f"model.r={3 * wide}",
                                       f"potential.cut={cut}", f"output.every={every}"), "stop.time", time, every)


def lattice(deck, words, time, every, tolerance=EXACT):
    return Case(deck, (*words, f"output.every={every}", f"output.frames_every={every}"), "stop.time", time, every, tolerance)


def overland(method, time, tolerance, words=()):
    return Case(test_overland.POOL, ("mesh.cells=[16,8]", "method.step=0.01", f"method.name={method}", "output.every=0.05", *words),
                "stop.time", time, 0.05, (0.0, 1e-12, tolerance), ("water/effort",))


CASES = {
    "poincare": poincare((8, 5), 0.05, 5000),
    "poincare, writing": poincare((300, 300), 1.0, 30),
    "trajectory": Case(test_bits.ROD, ("ensemble.random.count=500", "output.every=0.5"), "stop.time", 160, 0.5),
    "billiard": Case(test_billiards.CIRCLES, ("ensemble.random.count=20000", "output.every=1", "output.collisions=20"),
                     "stop.time", 60, 1),
    "hard-spheres": Case(test_billiards.DISCS, ("model.lattice=12", "model.packing=[0.1,0.2,0.3,0.4,0.5,0.6]",
                                                "model.systems=7", "stop.warm_up=1"), "stop.time", 50, 1),
    "particles": particles(1500, 2.5, 2.5, 0.04, 16),
    "particles, writing": particles(2000, 10, 1.2, 0.004, 8),
    "molecules": Case(test_molecules.HELD, ("molecules.count=240", "surface.R=16", "surface.r=6", "surface.from=[22,0,0]"),
                      "stop.time", 2, 0.02, ROUND_OFF),
    "mechanism": Case(test_mechanism.CHAIN, ("model.rods=1000", "method.step=5e-5", "output.every=5e-4"), "stop.time", 0.4,
                      0.0005, ROUND_OFF),
    "lattice, fixed point": lattice(test_lattice.CHAIN, ("model.sites=2000", 'method.solver="fixed-point"'), 4000, 10),
    "lattice, Newton": lattice(test_lattice.PENDULUMS, ("model.sites=200",), 100, 0.25, ROUND_OFF),
    "lattice, Lobatto pair": lattice((SOURCE / "input/lattices/inextensible_chain.toml").read_text(encoding="utf-8"), (), 10, 0.25,
                                     (0.0, 1e-12, 1e-11)),
    "overland, conservative": overland("conservative", 36, 1e-7),
    "overland, mini": overland("mini", 6, 1e-6),
    "overland, rt0": overland("rt0", 3, 1e-6, test_overland.RT0),
    "landscape": Case((SOURCE / "input/landscapes/magnetic_chain_landscapes.toml").read_text(encoding="utf-8"),
                      ("model.alpha=[0,18]", "landscape.changes="), "landscape.x.count", 10000, 1),
    "atlas": Case(test_atlas.ATLAS, ("atlas.levels=3",), "stop.time", 3000, 1),
    # However short its flights, each is timed for some hundredths of a second.
    "work-precision": Case(test_work_precision.DECK + test_work_precision.METHODS + test_work_precision.OUTPUT,
                           ("ensemble.grid.q2=[-0.2,0.3,17]",), "stop.time", 20, 1),
    "periodic orbits": Case(test_periodic_orbits.MANY, ("continuation.to=0.16", "continuation.step=0.0005",
                                                        "continuation.largest_step=0.0005"), "continuation.points", 150, 1),
}


def readable(path):
    """That HDF5's own tool and library read every data set."""
    if subprocess.run(["h5dump", "-H", path], capture_output=True).returncode != 0:
        return "h5dump can't read it"
    try:
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, item: item[()] if isinstance(item, h5py.Dataset) else None)
    except (OSError, RuntimeError, KeyError) as error:
        return str(error)
    return ""


def rows(path):
    """How many rows were written: samples, trajectories or systems that ended, points of a landscape, an atlas, a family."""
    with h5py.File(path, "r") as file:
        for name in ("particles/time", "lattice/time", "water/time", "landscape/energy", "atlas/chaotic", "families/value",
                     "comparison/energy_error"):
            if name in file:
                return int(np.isfinite(file[name][()]).sum())
        name = next(name for name in ("orbits/status", "systems/status") if name in file)
        return int(np.count_nonzero(file[name][()]))


def damage(path, places):
    """Other numbers in these places of a file's floating-point data sets."""
    with edited_checkpoint(path) if path.suffix == ".checkpoint" else h5py.File(path, "r+") as file:
        found = []
        file.visititems(lambda name, item: found.append(item) if isinstance(item, h5py.Dataset) and item.dtype.kind == "f"
                        and item.size > 1 and not name.endswith("/id") else None)
        for item in found:
            item[places] = item[places] * 1.0001


def flip_a_bit(path, chance):
    """Any one, of the numbers, of what HDF5 needs to find them, or of the seal."""
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


class Campaign:
    def __init__(self, program, name, length, at, chance):
        self.program, self.case, self.name, self.at, self.chance = program, CASES[name], name, at, chance
        self.result, self.checkpoint, self.unfinished, self.older = (
            at / f"out.h5{end}" for end in ("", ".checkpoint", ".checkpoint.new", ".checkpoint.older"))
        (at / "deck.toml").write_text(self.case.deck, encoding="utf-8")
        self.length = length
        # By number of ranks: an uninterrupted result, seconds to its first checkpoint and from there to its end.
        self.whole, self.first, self.rest = {}, {}, {}
        self.counts = dict.fromkeys(("kills", "rows", "writing", "damaged", "early", "late", "bits"), 0)
        self.worst, self.failures, self.noticed = 0.0, [], "-"

    def start(self, ranks):
        for old in self.at.glob("out.*"):
            old.unlink()
        with open(self.at / "said", "w", encoding="utf-8") as said:
            return subprocess.Popen([*MPIRUN, str(ranks), self.program, *self.words], cwd=self.at, stdin=subprocess.DEVNULL,
                                    stdout=said, stderr=subprocess.STDOUT, start_new_session=True)

    @staticmethod
    def wait(process, seconds=600.0, until=lambda: False):
        """Waits so long, or until something is so, or until the run has ended."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and process.poll() is None and not until():
            time.sleep(0.0005)

    @property
    def words(self):
        return ["deck.toml", *self.case.overrides(self.length)]

    def measure(self, ranks):
        """An uninterrupted run, longer each time until there is room for a kill between checkpoint and end."""
        for _ in range(10):
            began = time.monotonic()
            process = self.start(ranks)
            self.wait(process, until=self.checkpoint.exists)
            there, found = time.monotonic(), self.checkpoint.exists()
            self.wait(process, until=lambda: not self.checkpoint.exists())
            self.first[ranks], self.rest[ranks] = there - began, time.monotonic() - there
            if process.wait(600) != 0 or (found and self.rest[ranks] >= ROOM):
                break
            self.length *= min(8, max(2, 1.3 * ROOM / self.rest[ranks])) if found else 4
            self.whole.clear()  # those of shorter runs
        if process.returncode != 0 or not found:
            raise SystemExit(f"{self.name} on {ranks} ranks: exit code {process.returncode}, "
                             f"{'a' if found else 'no'} checkpoint\n{(self.at / 'said').read_text(encoding='utf-8')}")
        self.whole[ranks] = self.result.rename(self.at / f"whole_{ranks}.h5")

    def resumed(self, ranks):
        return subprocess.run([*MPIRUN, str(ranks), self.program, *self.words, "--resume"], cwd=self.at, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=600)

    def same(self, before, after):
        """Whether the result is the uninterrupted run's as far as promised, and what sets them apart."""
        # Where bits are any number's, one whole result serves all.
        whole = next(iter(self.whole.values())) if self.case.tolerance == EXACT else self.whole[before]
        tolerance = self.case.tolerance[0 if before == after == 1 else 1 if before == after else 2]
        found = compare(whole, self.result, ("deck", *(self.case.aside if tolerance > 0 else ())))
        return found.same(tolerance) and not found.new and not found.retyped, found

    def fail(self, *words):
        self.failures.append(f"{self.name}: " + " ".join(map(str, words)))

    def one(self, before, after, early, within):
        """One kill with all that follows; what became of it."""
        if before not in self.whole:
            self.measure(before)
        process = self.start(before)
        if not early:
            self.wait(process, until=self.checkpoint.exists)
        self.wait(process, self.chance.uniform(0, self.first[before] if early else self.rest[before]))
        if within:
            self.wait(process, until=lambda: self.unfinished.exists() or not self.checkpoint.exists())
            self.wait(process, self.chance.uniform(0, 0.005))
        alive = kill(process.pid).count(self.program.name)
        process.wait()
        checkpoint = self.checkpoint.exists()
        if not early and not checkpoint:
            self.rest[before] *= 0.85  # the machine is less busy now than when it was measured
            if self.rest[before] < ROOM / 2:
                del self.whole[before]
            return "late"
        where = f"killed on {before}, resumed on {after}{', early' if early else ''}:"
        if not early and alive != before:
            self.fail(where, f"{alive} ranks were alive:", (self.at / "said").read_text(encoding="utf-8")[-400:])
        self.counts["writing"] += self.unfinished.exists()
        if self.result.exists():
            if problem := readable(self.result):
                self.fail(where, "the file can't be read:", problem)
            elif not early:
                self.counts["rows"] += rows(self.result) > 0
        kept = [] if early or self.counts["kills"] > 0 else list(self.at.glob("out.*"))
        for path in kept:
            shutil.copy(path, self.at / f"kept_{path.name}")
        damaged = not early and self.older.exists() and self.chance.random() < 1 / 3
        if damaged:
            if self.older.samefile(self.checkpoint):  # killed before the next one had its name
                self.checkpoint.unlink()
                shutil.copy(self.older, self.checkpoint)
            flip_a_bit(self.checkpoint, self.chance)
        end = self.resumed(after)
        if f"{self.result.name} was complete" in end.stdout:
            if list(self.at.glob("out.h5.checkpoint*")):
                self.fail(where, "the checkpoint is left over beside a complete result")
            if not self.same(before, after)[0]:
                self.fail(where, "a complete result of other numbers")
            return "late"  # killed between the end of the result and that of the checkpoint: nothing was to lose
        self.counts["damaged"] += damaged
        if damaged and "goes on from the checkpoint before it" not in end.stdout:
            self.fail(where, "a flipped bit of the checkpoint wasn't noticed:", end.stdout.strip()[:400])
        if end.returncode != 0:
            self.fail(where, f"exit code {end.returncode}:", (end.stderr or end.stdout).strip()[:400])
        elif list(self.at.glob("out.h5.checkpoint*")):
            self.fail(where, "the checkpoint is left over")
        else:
            good, found = self.same(before, after)
            self.counts["bits"] += found.same()
            self.worst = max(self.worst, found.worst())
            if not good:
                self.fail(where, "another result:", found.apart, found.gone, found.new)
        if kept:
            self.control(kept, before, after)
        return "early" if early else "kills"

    def control(self, kept, before, after):
        """Where ranks go on apart, what the checkpoint holds may have landed before the kill: then its row must matter."""
        for self.noticed, path, places in (("state", self.checkpoint, ...), ("row", self.result, 0)):
            for old in kept:
                shutil.copy(self.at / f"kept_{old.name}", old)
            damage(path, places)
            if self.resumed(after).returncode != 0 or not self.same(before, after)[0]:
                return
        self.fail(f"killed on {before}, resumed on {after}: other numbers led to the same result")

    def run(self, before, after, early=False, within=False):
        for _ in range(24):
            kind = self.one(before, after, early, within)
            self.counts[kind] += 1
            if kind != "late":
                return
        self.fail(f"no kill on {before} ranks met a run between its first checkpoint and its end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="of each study after the first checkpoint")
    parser.add_argument("--early", type=int, default=2, help="of each study before it")
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--length", type=float, default=1.0, help="of the runs; 1: some seconds on one rank")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="studies whose names hold one of these, with commas")
    parser.add_argument("program", type=pathlib.Path)
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    print(f"{'study':24}{'kills':>6}{'with rows':>10}{'in writing':>11}{'damaged':>8}{'early':>6}{'late':>5}{'same bits':>10}{'largest':>9}"
          f"{'control':>8}   seconds to the first checkpoint + from it to the end", flush=True)
    failures = []
    for number, name in enumerate(CASES):
        if not any(part in name for part in chosen.only.split(",")):
            continue
        with tempfile.TemporaryDirectory(prefix="cotangent_kills_") as folder:
            campaign = Campaign(chosen.program.resolve(), name, chosen.length, pathlib.Path(folder), chance)
            for k in range(chosen.kills + chosen.early):
                before = chosen.ranks[(k + number) % len(chosen.ranks)]
                # On as many ranks every other time: only there some studies promise bits.
                after = before if (number + k // len(chosen.ranks)) % 2 else chance.choice(chosen.ranks)
                campaign.run(before, after, early=k >= chosen.kills, within=chance.random() < 1 / 3)
        c = campaign.counts
        seconds = [f"{campaign.first[ranks]:.1f} + {campaign.rest[ranks]:.1f}" for ranks in sorted(campaign.whole)]
        print(f"{name:24}{c['kills']:6}{c['rows']:10}{c['writing']:11}{c['damaged']:8}{c['early']:6}{c['late']:5}{c['bits']:10}"
              f"{campaign.worst:9.1e}{campaign.noticed:>8}   {', '.join(seconds)}",
              flush=True)
        for line in campaign.failures:
            print("    " + line, flush=True)
        failures += campaign.failures
    print("nothing was lost" if not failures else f"{len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
