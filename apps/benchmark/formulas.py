#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Speed of problems that decks state by formulas, beside the built-in ones: the same motion, run in turn.

formulas.py build/release/bin/cotangent [--repeats 5] [NAME ...]

Of each pair: the median over the runs of the seconds that the built-in one takes over those of the formula, from the
part "integrate" of /run, and the ratio of the least of them; and that of instructions, a long run's less a short one's, by
perf or by valgrind where they can count here.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

import h5py

SECTION = """[method]
name = "gauss"
stages = 8
step = 0.25
[section]
where = "{0}"
direction = "both"
[ensemble]
energy = {1}
random = {{ count = 64, seed = 4, {2} = [-0.3, 0.3], {2}_dot = [-0.3, 0.3] }}
[stop]
crossings = STOP
"""
GEODESICS = """[method]
name = "rattle"
step = 0.002
[ensemble]
project = true
list = [{}]
[stop]
time = STOP
[output]
every = 100
"""
STARTS = ", ".join(f"[{{0}}, 0.0, {{1}}, 0.0, 1.0, {0.1 * k}]" for k in range(16))
ON_SURFACE = """lagrangian = "mass*(0.5*(x_dot^2 + y_dot^2 + z_dot^2) - gravity*z)"
constraint = ["{}"]
coordinates = ["x", "y", "z"]
parameters = {{ {}, mass = 1.0, gravity = 0.0 }}
"""
PARTICLES = """[method]
name = "rattle"
step = 0.001
[particles]
start = "even"
count = 4000
temperature = 1.0
[stop]
time = STOP
[output]
every = 0.1
pair_bins = 0
"""
BILLIARD = """[ensemble]
random = { count = 256, seed = 1, x = [-0.3, 0.3], y = [-0.3, 0.3], x_dot = [0.5, 1.0], y_dot = [0.5, 1.0] }
[stop]
time = STOP
[output]
every = 0
collisions = 0
"""
CHAIN = """sites = 1024
boundary = "fixed"
[start]
modes = [4.0]
[method]
name = "gauss"
step = 0.1
[stop]
time = STOP
[output]
every = 1.0
frames_every = 1.0
"""

# name: study, built-in, formula, the rest, a long run and a short one
PAIRS = {
    "henon-heiles": ("poincare", '[model]\nname = "henon-heiles"\n', """[model]
coordinates = ["q1", "q2"]
lagrangian = "0.5*(q1_dot^2 + q2_dot^2) - 0.5*(q1^2 + q2^2) - (q1^2*q2 - q2^3/3)"
""", SECTION.format("q1", "0.125", "q2"), 2000, 200),
    "magnetic-chain": ("poincare", '[model]\nname = "magnetic-chain"\n', """[model]
coordinates = ["u", "s"]
angles = ["u", "s"]
parameters = { alpha = 18.0 }
lagrangian = '''(3.4 + 2*cos_sum)*u_dot^2 + 0.7*s_dot^2 + (2.4 + cos_sum)*u_dot*s_dot
  + alpha/12*magnetic - heights'''
domain = "2*abs(cos_c) - 1"
[model.where]
sin_c = "sin(0.5*(u + s))"
cos_c = "cos(0.5*(u + s))"
sin_d = "sin(0.5*(u - s))"
cos_d = "cos(0.5*(u - s))"
cos_sum = "2*cos_c^2 - 1"
cos_difference = "2*cos_d^2 - 1"
r13 = "2*abs(cos_c)"
far = "1/(r13*r13*r13)"
magnetic = "6 + (2*cos_sum^2 - 1)*far + cos_difference*(2*cos_sum + 3*far)"
heights = "(2*cos_sum + 1)*cos_c*cos_d - (2*cos_sum + 3)*sin_c*sin_d"
""", SECTION.format("COORDINATE", "-9.745", "s"), 800, 80),
    "double-pendulum": ("poincare", '[model]\nname = "double-pendulum"\n', """[model]
coordinates = ["a", "b"]
angles = ["a", "b"]
parameters = { m1 = 1.0, m2 = 1.0, l1 = 1.0, l2 = 1.0, g = 1.0 }
lagrangian = '''(m1 + m2)*l1^2*a_dot^2/2 + m2*l2^2*b_dot^2/2
  + m2*l1*l2*a_dot*b_dot*(cos(a)*cos(b) + sin(a)*sin(b)) + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)'''
""", SECTION.format("a", "-1.0", "b"), 800, 80),
    "torus": ("trajectory", '[model]\nname = "torus"\nR = 1.0\nr = 0.4\n',
              "[model]\n" + ON_SURFACE.format("(sqrt(x^2 + y^2) - R)^2 + z^2 - r^2", "R = 1.0, r = 0.4"),
              GEODESICS.format(STARTS.format("1.4", "0.0")), 1000, 100),
    "genus 2": ("trajectory", '[model]\nname = "lemniscate"\na = 1.0\nr = 0.16666666666666666\n',
                "[model]\n" + ON_SURFACE.format("((x^2 + y^2)^2 - a^2*(x^2 - y^2))^2 + z^2 - r^2",
                                                "a = 1.0, r = 0.16666666666666666"),
                GEODESICS.format(STARTS.format("0.0", "0.16666666666666666").replace("0.0, 1.0,", "1.0, 0.7,")), 1000, 100),
    "lennard-jones": ("particles", '[potential]\nname = "lennard-jones"\ncut = 2.5\n', """[potential]
potential = "4*epsilon*((sigma/r)^12 - (sigma/r)^6)"
parameters = { epsilon = 1.0, sigma = 1.0 }
cut = 2.5
""", '[model]\nname = "torus"\nR = 40.0\nr = 16.0\n' + PARTICLES, 2, 0.2),
    "lennard-jones, a power written twice": ("particles", '[potential]\nname = "lennard-jones"\ncut = 2.5\n', """[potential]
potential = "D*((a/r)^12 - 2*(a/r)^6)"
parameters = { D = 1.0, a = 1.122462048309373 }
cut = 2.5
""", '[model]\nname = "torus"\nR = 40.0\nr = 16.0\n' + PARTICLES, 2, 0.2),
    "egg": ("billiard", '[domain]\nsets = [{ name = "egg", set = "egg" }]\n', """[domain]
sets = [{ name = "egg", omega = "1 - (x/a)^2 - (y/b)^2*exp(k*x)", parameters = { a = 1.3, b = 1.0, k = 0.4 } }]
""", BILLIARD, 3000, 300),
    "egg in a field": ("billiard", '[domain]\nsets = [{ name = "egg", set = "egg" }]\n[forces]\npotential = "henon-heiles"\n',
                       """[domain]
sets = [{ name = "egg", set = "egg" }]
[forces]
potential = "(x^2 + y^2)/2 + lambda*(x^2*y - y^3/3)"
parameters = { lambda = 1.0 }
""", BILLIARD, 300, 30),
    "fput": ("lattice", '[model]\nname = "fput-beta"\n', """[model]
coordinates = ["q"]
neighbours = { right = 1 }
parameters = { beta = 1.0 }
terms = { mass = "q_dot^2/2", bond = "-(right.q - q)^2/2 - beta*(right.q - q)^4/4" }
""", CHAIN, 1500, 150),
    "sine-gordon": ("lattice", '[model]\nname = "sine-gordon"\n', """[model]
coordinates = ["q"]
neighbours = { right = 1, up = [0, 1] }
parameters = { spacing = 0.1 }
terms.site = "q_dot^2/2 - (1 - cos(q))"
terms.bond = "-(right.q - q)^2/(2*spacing^2)"
terms.across = "-(up.q - q)^2/(2*spacing^2)"
""", CHAIN.replace("modes = [4.0]", 'q = "0.4*exp(-x^2/100)"').replace("step = 0.1", "step = 0.05"), 200, 20),
}


class Runs:
    def __init__(self, program, folder, words):
        self.program, self.folder = pathlib.Path(program).resolve(), pathlib.Path(folder)
        self.environment = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self",
                            "COTANGENT_CACHE": str(self.folder / "cache")}
        self.counter = next(c for c in ("perf", "valgrind", "") if not c or self.counts(c))
        self.words = words

    def launch(self, *words):
        end = subprocess.run(words, cwd=self.folder, env=self.environment, text=True, capture_output=True)
        if end.returncode != 0:
            raise SystemExit(end.stdout + end.stderr)
        return end.stdout + end.stderr

    def deck(self, name, study, problem, rest, stop):
        at = self.folder / "deck.toml"
        text = f'study = "{study}"\n{problem}' + rest.replace("STOP", str(stop))
        text = text.replace("COORDINATE", "u" if "lagrangian" in problem else "t")  # t is the time
        text += ("" if "[output]" in text else "[output]\n") + 'file = "out.h5"\n'
        at.write_text(text)
        (self.folder / "out.h5").unlink(missing_ok=True)
        return at

    def seconds(self, deck):
        self.launch(self.program, deck)
        with h5py.File(self.folder / "out.h5") as result:
            names = [name.decode() if isinstance(name, bytes) else name for name in result["run/part_names"]]
            return float(result["run/part_seconds"][..., names.index("integrate")].max())

    def counts(self, counter):
        if not shutil.which(counter):
            return False
        if counter == "perf":
            return self.instructions_by(counter, ["true"]) is not None
        return subprocess.run(["valgrind", self.program, "--version"], cwd=self.folder, env=self.environment,
                              capture_output=True).returncode == 0  # it doesn't know AVX-512

    def instructions_by(self, counter, words):
        if counter == "perf":
            end = subprocess.run(["perf", "stat", "-x", ",", "-e", "instructions:u", *words], cwd=self.folder,
                                 env=self.environment, text=True, capture_output=True)
            count = re.search(r"^(\d+),.*instructions", end.stderr, re.M)
        else:
            count = re.search(r"Collected : (\d+)", self.launch(
                "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words))
        return int(count.group(1)) if count else None

    def instructions(self, *deck):
        """Of the motion alone: a long run's less a short one's."""
        *pair, long, short = deck
        self.launch(self.program, self.deck(*pair, short))  # compiled
        (self.folder / "out.h5").unlink()
        first = self.instructions_by(self.counter, [self.program, self.folder / "deck.toml"])
        return self.instructions_by(self.counter, [self.program, self.deck(*pair, long)]) - first


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--repeats", type=int, default=5)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(words.program, folder, words)
        print(f"{'':38} {'built-in':>9} {'formula':>9} {'ratio':>7} {'of least':>8}"
              f"  instructions by {runs.counter or 'nothing here'}")
        for name, (study, built_in, formula, rest, long, short) in PAIRS.items():
            if words.names and name not in words.names:
                continue
            taken = {problem: [] for problem in (built_in, formula)}
            ratios = []
            for k in range(words.repeats + 1):
                for problem in taken:
                    taken[problem].append(runs.seconds(runs.deck(name, study, problem, rest, long)))
                if k > 0:  # the first compiles
                    ratios.append(taken[built_in][-1] / taken[formula][-1])
            line = [statistics.median(taken[problem][1:]) for problem in taken]
            least = [min(taken[problem][1:]) for problem in taken]
            text = f"{name:38} {line[0]:8.3f}s {line[1]:8.3f}s {statistics.median(ratios):7.3f} {least[0] / least[1]:7.3f}"
            if runs.counter:
                # valgrind is fifty times slower
                ends = (long, short) if runs.counter == "perf" else (short, short // 10 if isinstance(short, int) else short / 10)
                counts = [runs.instructions(name, study, problem, rest, *ends) for problem in taken]
                text += f"  {counts[0] / counts[1]:6.3f}"
            print(text, flush=True)


if __name__ == "__main__":
    main()
