# SPDX-License-Identifier: BSD-3-Clause
"""[solver] multipliers = "petsc": particles and trajectories as lanes have them, and what bad input gets."""
import unittest

import h5py
import numpy as np

from launch import RANKS, SOURCE, ProgramTest
from results import same_bits

PARTICLES = """study = "particles"
[model]
name = "lemniscate"
a = 1.0
r = 0.16666666666666666
[potential]
name = "lennard-jones"
sigma = 0.1
cut = 0.25
[method]
name = "rattle"
step = 0.00005
[particles]
start = "even"
count = 200
temperature = 0.5
[stop]
time = 0.05
[output]
every = 0.01
surface_cells = 0
file = "out.h5"
"""
TORUS = """study = "trajectory"
[model]
name = "torus"
gravity = 1.0
[method]
name = "rattle"
step = 0.005
[ensemble]
list = [[1.4, 0.0, 0.0, 0.0, 0.6, 0.8], [1.4, 0.0, 0.0, 0.0, 1.0, 0.0], [0.6, 0.0, 0.0, 0.0, 0.5, 0.5]]
[stop]
time = 5.0
[output]
every = 0.01234
surface_cells = 0
file = "out.h5"
"""
TOP = """study = "poincare"
[model]
name = "heavy-top"
[method]
name = "rattle-suzuki-4"
step = 0.01
[section]
where = "r13"
[ensemble]
project = true
list = [[0.8, 0.0, 0.6, 0.0, 1.0, 0.0, -0.6, 0.0, 0.8, 0.0, -5.0, 0.0, 4.0, 0.0, 3.0, 0.0, -1.0, 0.0]]
[stop]
crossings = 4
[output]
file = "out.h5"
"""
PETSC = "solver.multipliers=petsc"


class Multipliers(ProgramTest):
    def flown(self, text, name, *words, ranks=RANKS, code=0):
        end = self.launch(self.deck(text), f"output.file={name}", *words, ranks=ranks)
        self.assertEqual(end.returncode, code, end.stdout + end.stderr)
        return end.stdout

    def apart(self, first, second, *names):
        with h5py.File(self.at / first, "r") as a, h5py.File(self.at / second, "r") as b:
            return max(np.nanmax(np.abs(a[name][()] - b[name][()])) for name in names)

    def test_particles(self):
        said = self.flown(PARTICLES, "lanes.h5")
        self.assertRegex(said, r"multipliers +in lanes")
        said = self.flown(PARTICLES, "petsc.h5", PETSC)
        self.assertRegex(said, r"multipliers +by PETSc: SNES for 1000 batches, [1-4]\.\d+ iterations each\n")
        apart = self.apart("lanes.h5", "petsc.h5", "particles/position", "particles/velocity")
        self.assertLess(apart, 1e-12)  # measured: 2.3e-13
        self.assertGreater(apart, 0)  # they did not do the same
        with h5py.File(self.at / "petsc.h5", "r") as file:
            self.assertEqual(list(file["run/multipliers_given_up"]), [0])
            self.assertIn("multipliers", file["provenance"].attrs["petsc"])

    def test_trajectories(self):
        self.flown(TORUS, "lanes.h5")
        said = self.flown(TORUS, "petsc.h5", PETSC)
        self.assertRegex(said, r"multipliers +by PETSc: SNES for \d+ batches")
        with h5py.File(self.at / "petsc.h5", "r") as file:
            self.assertIn("multipliers", file["provenance"].attrs["petsc"])
        apart = self.apart("lanes.h5", "petsc.h5", "trajectory/q", "trajectory/v", "orbits/final")
        self.assertLess(apart, 1e-12)  # measured: 2.2e-16

    def test_decks_whose_samples_leave_short_steps(self):
        for deck in ("torus_geodesic", "spherical_pendulum"):
            text = (SOURCE / f"input/surfaces/{deck}.toml").read_text(encoding="utf-8")
            for words in ([], ["method.name=rattle-suzuki-4"], ["model.mass=1e13", "method.step=0.05"]):
                short = ["stop.time=5", *words]
                self.flown(text, "lanes.h5", *short)
                said = self.flown(text, "petsc.h5", *short, PETSC)
                self.assertRegex(said, r"SNES for \d+ batches, [1-4]\.\d+ iterations each\n")  # none given up
                with h5py.File(self.at / "petsc.h5", "r") as file:
                    self.assertEqual(list(file["run/multipliers_given_up"]), [0])
                self.assertLess(self.apart("lanes.h5", "petsc.h5", "trajectory/q", "trajectory/v"), 1e-12)

    def test_atlas(self):
        deck = (SOURCE / "input/chaos/genus2_atlas.toml").read_text(encoding="utf-8")
        short = ["stop.time=4", "atlas.levels=1", "model.gravity.count=3", "model.r.count=3", "ensemble.random.count=8"]
        self.flown(deck, "lanes.h5", *short)
        said = self.flown(deck, "petsc.h5", *short, PETSC)
        self.assertRegex(said, r"multipliers +by PETSc: SNES for \d+ batches")
        with h5py.File(self.at / "petsc.h5", "r") as file:
            self.assertEqual(list(file["run/multipliers_given_up"]), [0])
        apart = self.apart("lanes.h5", "petsc.h5", "atlas/mean_lyapunov")
        self.assertLess(apart, 1e-9)

    def test_sections_of_a_top(self):
        self.flown(TOP, "lanes.h5")
        self.flown(TOP, "petsc.h5", PETSC)
        self.assertLess(self.apart("lanes.h5", "petsc.h5", "section/points", "section/time"), 1e-12)  # measured: 4.9e-14

    def test_resumed(self):
        # What PETSc inverts block by block is the trajectory's own, and the bits are.
        self.flown(PARTICLES, "whole.h5", PETSC)
        self.flown(PARTICLES, "parts.h5", PETSC, "output.wall_minutes=0.0001", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        self.flown(PARTICLES, "parts.h5", PETSC, "--resume")
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])

    def test_options(self):
        self.flown(TORUS, "petsc.h5", PETSC, "stop.time=1", "--", "-multipliers_ksp_type", "gmres", "-multipliers_pc_type",
                   "none", "-multipliers_ksp_rtol", "1e-13")
        self.flown(TORUS, "lanes.h5", "stop.time=1")
        self.assertLess(self.apart("lanes.h5", "petsc.h5", "trajectory/q", "trajectory/v"), 1e-12)
        said = self.flown(PARTICLES, "seen.h5", PETSC, "stop.time=0.01", "--", "-multipliers_ksp_view")
        self.assertIn("type: pbjacobi", said)

    def test_bad_input(self):
        for text in (PARTICLES, TORUS):
            self.refused("[solver] multipliers", "pestc", "petsc", text=text, words=["solver.multipliers=pestc"])
            self.refused("multiplier", "multipliers", text=text, words=["solver.multiplier=petsc"])
            self.refused("-multipliers_kps_type", "did you mean '-multipliers_ksp_type'?", text=text,
                         words=[PETSC, "--", "-multipliers_kps_type", "cg"])
            self.refused("-position_ksp_type", "begin with -multipliers_", text=text,
                         words=[PETSC, "--", "-position_ksp_type", "cg"])
            self.refused("-multipliers_ksp_type", "unless [solver] multipliers", text=text,
                         words=["--", "-multipliers_ksp_type", "cg"])
        self.refused("is nothing for the method 'g-baoab': rattle, rattle-suzuki-4", text=PARTICLES,
                     words=[PETSC, "method.name=g-baoab", "method.temperature=1.0"])
        self.refused("is nothing for the method 'shake': rattle, rattle-suzuki-4", text=TORUS,
                     words=[PETSC, "method.name=shake"])
        self.refused("is nothing for the method 'gauss': rattle", words=[PETSC])
        self.refused("is an option of [solver]", text=TORUS, words=["method.multipliers=petsc"])

    def test_described(self):
        said = self.launch("--describe", "rattle", ranks=1).stdout
        self.assertIn('[solver] multipliers = "lanes"', said)
        self.assertNotIn("multipliers", self.launch("--describe", "shake", ranks=1).stdout)
        self.assertIn('multipliers = "lanes"', self.launch("--template", "particles", ranks=1).stdout)


if __name__ == "__main__":
    unittest.main()
