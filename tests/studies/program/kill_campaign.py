"""kill_campaign.py [--kills N] [--ranks 1,2,3] [--length 1.0] [--seed S] [--only NAME,...] PROGRAM

Kills runs of every study at random moments, all ranks at once, and goes on with --resume on as many or on other ranks.
A kill counts where the run was alive, its file could be read at once and held a row, and a checkpoint lay beside it where
the study makes one; an earlier one is resumed like the others and told apart (`early`), a later one is taken again. In the
end the result must be the uninterrupted run's: to the bit, or to what the study promises across ranks. Ends with 1 where
something was lost.
"""
import argparse
import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

from launch import MPIRUN, SOURCE, kill_session
from results import compare

EXACT = (0.0, 0.0, 0.0)  # tolerances: on one rank before and after, on as many, on others


@dataclasses.dataclass
class Case:
    deck: str
    key: str  # the override that sets the run's length
    full: float  # its value for a run of some seconds on one rank
    whole: float  # which is rounded to a multiple of this
    tolerance: tuple = EXACT
    aside: tuple = ("deck",)  # data sets that aren't compared where the tolerance isn't 0

    def words(self, length):
        value = max(2, round(self.full * length / self.whole)) * self.whole
        return [f"{self.key}={value:.10g}"] if self.key else []


def poincare(grid, crossings, step):
    return f"""study = "poincare"
[model]
name = "henon-heiles"
[method]
name = "gauss"
step = {step}
[section]
where = "q1"
[ensemble]
energy = 0.125
grid = {{ q2 = [-0.4, 0.7, {grid[0]}], q2_dot = [-0.4, 0.4, {grid[1]}] }}
[stop]
crossings = {crossings}
"""


TRAJECTORY = """study = "trajectory"
[model]
name = "rod-on-ellipsoid"
gravity = 1.0
[method]
name = "rattle"
step = 0.01
[ensemble]
project = true
random = { count = 500, seed = 2, x1 = [0.4, 0.9], y1 = [0.3, 0.7], z1 = [0.3, 0.6], y2 = [-0.5, 0.2], x2 = [0.3, 0.9], z2 = [0.1, 0.5], x1_dot = [-1.0, 1.0], y2_dot = [-1.0, 1.0] }
[stop]
time = 100.0
[output]
every = 0.5
"""
BILLIARD = """study = "billiard"
[domain]
inside = "left or right or bowl"
sets = [
  { name = "left", set = "circle", centre = [-2.0, 0.0], radius = 1.0 },
  { name = "right", set = "circle", centre = [2.0, 0.0], radius = 1.0 },
  { name = "bowl", set = "circle", centre = [0.0, -2.0], radius = 2.23606797749979 },
]
[forces]
gravity = [0.0, -10.0]
[ensemble]
random = { count = 20000, seed = 1, x = [-4.0, 4.0], y = [-4.5, 1.0] }
[stop]
time = 100.0
[output]
every = 1.0
collisions = 20
"""
HARD_SPHERES = """study = "hard-spheres"
[model]
dimension = 2
lattice = 12
packing = { from = 0.1, to = 0.6, count = 10 }
systems = 4
[stop]
warm_up = 1.0
time = 20.0
"""


def particles(count, wide, cut, every):
    return f"""study = "particles"
[model]
name = "torus"
R = {8.0 * wide}
r = {3.0 * wide}
[potential]
name = "lennard-jones"
cut = {cut}
[method]
name = "rattle"
step = 0.004
[particles]
start = "even"
count = {count}
temperature = 1.0
[stop]
time = 4.0
[output]
every = {every}
surface_cells = 0
"""


MOLECULES = """study = "mechanism"
[model]
name = "rod-chain"
rods = 4
dimension = 3
length = 1.0
mass = 1.0
gravity = 0.0
temperature = 1.0
[molecules]
count = 240
[surface]
name = "torus"
R = 16.0
r = 6.0
from = [22.0, 0.0, 0.0]
[potential]
name = "lennard-jones"
cut = 1.122462048309373
[method]
name = "rattle"
step = 0.002
[stop]
time = 0.2
[output]
every = 0.02
surface_cells = 20
"""
MECHANISM = """study = "mechanism"
[model]
name = "rod-chain"
rods = 1000
[method]
name = "rattle"
step = 0.00005
[stop]
time = 0.1
[output]
every = 0.0005
"""
FIXED_POINT = """study = "lattice"
[model]
name = "fput-alpha"
sites = 2000
boundary = "fixed"
[start]
modes = [2.0]
[method]
step = 0.2
stages = 4
solver = "fixed-point"
[stop]
time = 20.0
[output]
every = 1.0
frames_every = 10.0
modes = 4
"""
NEWTON = """study = "lattice"
[model]
name = "double-pendulum-chain"
sites = 200
[start]
a = "0.6*cos(2*pi*site/sites)"
[method]
step = 0.05
[stop]
time = 1.0
[output]
every = 0.25
"""
LOBATTO = """study = "lattice"
[model]
name = "inextensible-chain"
sites = 41
boundary = "free"
length = 1.0
held = [0, 40]
[start]
x = "0.5/sin(0.03)*sin(0.06*(site-20))"
y = "-0.5/sin(0.03)*cos(0.06*(site-20))"
[method]
name = "lobatto-pair"
stages = 3
step = 0.05
[stop]
time = 100.0
[output]
every = 0.25
"""


def overland(method):
    return f"""study = "overland"
[mesh]
from = [0.0, 0.0]
to = [2.0, 1.0]
cells = [16, 8]
[bed]
height = "0.1*x"
[initial]
depth = 0.3
where = "x > 1.5"
[friction]
coefficient = 1.0
[boundary.left]
kind = "free"
[method]
name = "{method}"
step = 0.01
[stop]
time = 2.0
[output]
every = 0.05
"""


LANDSCAPE = """study = "landscape"
[model]
name = "magnetic-chain"
alpha = [0, 10, 17, 17.8, 17.9, 18, 18.4, 18.5, 20, 50]
[landscape]
x = { coordinate = "t", from = -3.141592653589793, to = 3.141592653589793, count = 251 }
y = { coordinate = "s", from = -3.141592653589793, to = 3.141592653589793, count = 251 }
stationary = true
passes = true
changes = { parameter = "alpha", from = 0, to = 50, steps = 50 }
[output]
"""
ROUND_OFF = (0.0, 0.0, 1e-9)
WATER = dict(tolerance=(0.0, 1e-12, 1e-7), aside=("deck", "water/effort"))

CASES = {
    "poincare": Case(poincare((8, 5), 3000, 0.05), "stop.crossings", 5000, 1),
    "poincare, writing": Case(poincare((300, 300), 4, 1.0), "stop.crossings", 30, 1),
    "trajectory": Case(TRAJECTORY, "stop.time", 160, 0.5),
    "billiard": Case(BILLIARD, "stop.time", 60, 1),
    "hard-spheres": Case(HARD_SPHERES, "stop.time", 50, 1),
    "particles": Case(particles(1500, 2.5, 2.5, 0.04), "stop.time", 16.0, 0.04),
    "particles, writing": Case(particles(2000, 10.0, 1.2, 0.004), "stop.time", 4.0, 0.004),
    "molecules": Case(MOLECULES, "stop.time", 2.0, 0.02, ROUND_OFF),
    "mechanism": Case(MECHANISM, "stop.time", 0.2, 0.0005, ROUND_OFF),
    "lattice, fixed point": Case(FIXED_POINT, "stop.time", 1000, 10),
    "lattice, Newton": Case(NEWTON, "stop.time", 100, 0.25, (0.0, 0.0, 1e-9)),
    "lattice, Lobatto pair": Case(LOBATTO, "stop.time", 5, 0.25, (0.0, 1e-12, 1e-11)),
    "overland, conservative": Case(overland("conservative"), "stop.time", 4.0, 0.05, **WATER),
    "overland, mini": Case(overland("mini"), "stop.time", 2.0, 0.05, **{**WATER, "tolerance": (0.0, 1e-12, 1e-6)}),
    "landscape": Case(LANDSCAPE, "", 1, 1),
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
    """How many rows were written: samples, trajectories or systems that ended, points of a landscape."""
    with h5py.File(path, "r") as file:
        for name in ("particles/time", "lattice/time", "water/time", "landscape/energy"):
            if name in file:
                return int(np.isfinite(file[name][()]).sum())
        name = next(name for name in ("orbits/status", "systems/status") if name in file)
        return int(np.count_nonzero(file[name][()]))


class Campaign:
    patient = False  # whether a kill waits for the first checkpoint

    def __init__(self, program, case, name, length, at, chance, ranks):
        self.program, self.case, self.name, self.at, self.chance, self.ranks = program, case, name, at, chance, ranks
        self.result = at / "out.h5"
        deck = case.deck if "[output]" in case.deck else case.deck + "[output]\n"
        (at / "deck.toml").write_text(deck + 'file = "out.h5"\n', encoding="utf-8")
        self.words = ["deck.toml", *case.words(length)]
        often = ["output.checkpoint_minutes=0.001"]
        # A program whose study makes no checkpoint doesn't know the key.
        self.checkpoint = subprocess.run([program, *self.words, *often, "--check"], cwd=at, capture_output=True).returncode == 0
        self.words += often if self.checkpoint else []
        self.whole, self.seconds = {}, {}  # uninterrupted results and how long they took, by number of ranks
        self.counts = dict.fromkeys(("kills", "alive", "rows", "checkpoint", "early", "late", "bits"), 0)
        self.worst, self.failures = 0.0, []

    def command(self, ranks):
        return [*MPIRUN, str(ranks), self.program, *self.words]

    def clear(self):
        for old in self.at.glob("out.*"):
            old.unlink()

    def uninterrupted(self, ranks):
        """The result that a resumed run must have. Where bits are any number's, one rank's serves all."""
        if ranks not in self.seconds:
            self.clear()
            began = time.monotonic()
            process = subprocess.Popen(self.command(ranks), cwd=self.at, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            while not self.result.exists() and process.poll() is None:
                time.sleep(0.002)
            self.opened = time.monotonic() - began
            said = process.communicate(timeout=600)[0]
            if process.returncode != 0:
                raise SystemExit(f"{self.name} on {ranks} ranks: exit code {process.returncode}\n{said}")
            self.seconds[ranks] = max(0.02, time.monotonic() - began - self.opened)
            self.whole[ranks] = self.at / f"whole_{ranks}.h5"
            self.result.rename(self.whole[ranks])
        return self.whole[min(self.whole) if self.case.tolerance == EXACT else ranks]

    def killed(self, ranks):
        """Begins a run and kills it: was it alive?"""
        self.clear()
        process = subprocess.Popen(self.command(ranks), cwd=self.at, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        # In short runs most moments come before the first checkpoint: there a kill waits for it.
        awaited = self.at / "out.h5.checkpoint" if self.patient and self.checkpoint else self.result
        while not awaited.exists() and process.poll() is None:
            time.sleep(0.001)
        try:
            process.wait(timeout=self.chance.uniform(0, 0.1 if self.patient else 0.95) * self.seconds[ranks])
            alive = False
        except subprocess.TimeoutExpired:
            alive = True
        kill_session(process.pid)
        alive = alive and process.wait() < 0
        return alive

    def fail(self, *words):
        self.failures.append(f"{self.name}: " + " ".join(map(str, words)))

    def kill(self, before, after):
        """One kill with all that follows; what became of it."""
        whole = self.uninterrupted(before)
        if not self.killed(before):
            self.seconds[before] *= 0.85  # the machine is less busy now than when it was measured
            return "late"
        self.counts["kills"] += 1
        self.counts["alive"] += 1
        time.sleep(0.05)
        where = f"killed on {before}, resumed on {after}:"
        count, checkpoint = 0, bool(list(self.at.glob("out.h5.checkpoint*")))
        if self.result.exists():
            if problem := readable(self.result):
                self.fail(where, "the file can't be read:", problem)
            else:
                count = rows(self.result)
        end = subprocess.run([*self.command(after), "--resume"], cwd=self.at, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=600)
        something = count > 0 and (checkpoint or not self.checkpoint)
        kind = "counted" if something else "early"
        self.counts["rows"] += count > 0
        self.counts["checkpoint"] += checkpoint
        if end.returncode != 0:
            self.fail(where, f"{kind}, {count} rows,", "with a checkpoint:" if checkpoint else "without a checkpoint:",
                      f"exit code {end.returncode}:", (end.stderr or end.stdout).strip()[:400])
            return kind
        if list(self.at.glob("out.h5.checkpoint*")):
            self.fail(where, "the checkpoint is left over")
        tolerance = self.case.tolerance[0 if before == after == 1 else 1 if before == after else 2]
        found = compare(whole, self.result, self.case.aside if tolerance > 0 else ("deck",))
        self.counts["bits"] += found.same()
        self.worst = max(self.worst, found.worst())
        if not found.same(tolerance) or found.new or found.retyped:
            self.fail(where, f"{kind}, {count} rows;", f"more than {tolerance:.0e} apart:", found.apart, found.gone, found.new)
        return kind

    def run(self, pairs):
        for before, after in pairs:
            for attempt in range(24):
                kind = self.kill(before, after)
                if kind == "counted":
                    break
                self.counts[kind] += 1
            else:
                self.fail(f"no kill on {before} ranks met a run with something to lose")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="that count, of each study")
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--length", type=float, default=1.0, help="of the runs; 1: some seconds on one rank")
    parser.add_argument("--after-checkpoint", action="store_true", help="kill once there is one, for short runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="studies whose names hold one of these, with commas")
    parser.add_argument("program", type=pathlib.Path)
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    print(f"{'study':24}{'kills':>6}{'alive':>6}{'with rows':>10}{'checkpoint':>11}{'early':>6}{'late':>5}"
          f"{'same bits':>10}{'largest':>9}{'seconds':>8}", flush=True)
    failures = []
    for name, case in CASES.items():
        if not any(part in name for part in chosen.only.split(",")):
            continue
        with tempfile.TemporaryDirectory(prefix="cotangent_kills_") as folder:
            campaign = Campaign(chosen.program.resolve(), case, name, chosen.length, pathlib.Path(folder), chance, chosen.ranks)
            campaign.patient = chosen.after_checkpoint
            pairs = []
            for k in range(chosen.kills):
                before = chosen.ranks[k % len(chosen.ranks)]
                # On as many ranks every other time: only there some studies promise bits.
                pairs.append((before, before if k // len(chosen.ranks) % 2 else chance.choice(chosen.ranks)))
            campaign.run(pairs)
        c = campaign.counts
        print(f"{name:24}{c['kills']:6}{c['alive']:6}{c['rows']:10}{c['checkpoint']:11}{c['early']:6}{c['late']:5}"
              f"{c['bits']:10}{campaign.worst:9.1e}{np.mean(list(campaign.seconds.values())):8.2f}", flush=True)
        for line in campaign.failures:
            print("    " + line, flush=True)
        failures += campaign.failures
    print("nothing was lost" if not failures else f"{len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
