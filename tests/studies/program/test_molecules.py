# SPDX-License-Identifier: BSD-3-Clause
"""study = "mechanism" with molecules that feel each other: energies against a sum over all pairs, ranks, resuming, and what
bad input gets."""
import unittest

import h5py
import numpy as np

from launch import RANKS, ProgramTest
from results import same_bits

HELD = """study = "mechanism"
[model]
name = "rod-chain"
rods = 4
dimension = 3
length = 1.0
mass = 1.0
gravity = 0.0
temperature = 1.0
[molecules]
count = 24
[surface]
name = "torus"
R = 5.0
r = 2.0
from = [7.0, 0.0, 0.0]
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
file = "out.h5"
"""

BOX = """study = "mechanism"
[model]
name = "rod-chain"
rods = 3
closed = true
dimension = 2
length = 0.7
mass = 1.0
gravity = 0.0
temperature = 0.5
periods = [9.0, 8.0]
[molecules]
count = 12
apart = 0.9
[potential]
name = "lennard-jones"
cut = 2.5
mode = "switched"
switch_from = 2.0
[method]
name = "rattle"
step = 0.002
[stop]
time = 0.4
[output]
every = 0.04
file = "out.h5"
"""


TRIMERS = """study = "mechanism"
[model]
name = "rod-chain"
rods = 2
dimension = 3
length = 1.0
mass = 1.0
gravity = 0.0
temperature = 1.0
periods = [20.0, 20.0, 20.0]
[molecules]
count = 500
apart = 0.9
[potential]
name = "lennard-jones"
cut = 1.5
[method]
name = "rattle"
step = 0.002
[stop]
time = 0.08
[output]
every = 0.02
file = "out.h5"
"""


def lennard_jones(r, cut):
    """Cut and shifted."""
    return np.where(r < cut, 4 * (r ** -12 - r ** -6 - cut ** -12 + cut ** -6), 0.0)


def distances(position, ends, periods=None):
    """Of all pairs of points that no rod joins."""
    apart = position[:, None] - position[None]
    if periods is not None:
        apart -= periods * np.round(apart / periods)
    felt = np.triu(np.ones(apart.shape[:2], bool), 1)
    felt[ends.min(1), ends.max(1)] = False
    return np.linalg.norm(apart, axis=2)[felt]


class Molecules(ProgramTest):
    def run_to(self, name, *words, text=HELD, ranks=RANKS, code=0):
        self.ended(self.deck(text), f"output.file={name}", *words, ranks=ranks, code=code)
        if code == 75:
            return None
        with h5py.File(self.at / name, "r") as file:
            return {key: value[()] for key, value in file["particles"].items()}

    def test_on_a_surface(self):
        found = self.run_to("held.h5")
        x, ends, energy = found["position"], found["ends"], found["energy"]
        self.assertEqual((x.shape, ends.shape), ((11, 120, 3), (96, 2)))
        around = np.hypot(x[..., 0], x[..., 1])
        np.testing.assert_allclose(np.hypot(around - 5, x[..., 2]), 2.0, atol=1e-13)
        length = np.linalg.norm(np.diff(x[:, ends], axis=2)[:, :, 0], axis=2)
        np.testing.assert_allclose(length, 1.0, atol=2e-13)
        self.assertLess(found["constraint_error"].max(), 1e-14 * 7)
        self.assertGreater(distances(x[0], ends).min(), 0.89)
        pairs = [lennard_jones(distances(row, ends), 2 ** (1 / 6)).sum() for row in x]
        np.testing.assert_allclose(found["pair_energy"], pairs, rtol=1e-11, atol=1e-11)
        np.testing.assert_array_equal(found["pair_energy"], energy[:, 1])  # there is no gravity
        np.testing.assert_allclose(energy[:, 0] + energy[:, 1], energy[:, 2], rtol=1e-14)
        # 240 degrees of freedom less 96: a temperature of 1 to within its own fluctuation.
        self.assertLess(abs(2 * energy[0, 0] / 144 - 1), 0.4)
        self.assertLess(np.ptp(energy[:, 2]), 2e-2)  # measured: 2e-3
        self.assertGreater(np.ptp(energy[:, 0]), 1.0)  # the control: without the pairs' energy

    def test_in_a_periodic_box(self):
        found = self.run_to("box.h5", text=BOX)
        x, ends, energy = found["position"], found["ends"], found["energy"]
        self.assertEqual((x.shape, ends.shape), ((11, 36, 2), (36, 2)))
        shifted = self.run_to("shifted.h5", "potential.mode=shifted", "potential.switch_from=", text=BOX)
        periods = np.array([9.0, 8.0])
        pairs = [lennard_jones(distances(row, ends, periods), 2.5).sum() for row in shifted["position"]]
        np.testing.assert_allclose(shifted["pair_energy"], pairs, rtol=1e-11, atol=1e-11)
        alone = [lennard_jones(distances(row, ends), 2.5).sum() for row in shifted["position"]]  # the control
        self.assertGreater(np.abs(np.subtract(pairs, alone)).max(), 0.1)
        self.assertLess(np.ptp(energy[:, 2]), 5e-3)
        self.assertGreater(np.ptp(energy[:, 0]), 0.1)
        momentum = found["velocity"].sum(1)
        np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-12)

    def test_energy_to_second_order(self):
        errors = []
        for step in (0.004, 0.002):
            found = self.run_to("order.h5", f"method.step={step}", "model.gravity=0.5", text=BOX)
            errors.append(np.ptp(found["energy"][:, 2]))
        self.assertGreater(errors[0] / errors[1], 3.0)
        self.assertLess(errors[0] / errors[1], 5.5)

    def test_ranks(self):
        for text in (HELD, BOX):
            alone = self.run_to("alone.h5", ranks=1, text=text)
            for ranks in (2, 3):
                with self.subTest(ranks=ranks):
                    other = self.run_to("other.h5", ranks=ranks, text=text)
                    # Of one start the sum has the same bits; along the motion multipliers are solved by each rank's way.
                    self.assertEqual(other["pair_energy"][0], alone["pair_energy"][0])
                    for key in ("position", "velocity", "energy", "pair_energy"):
                        np.testing.assert_allclose(other[key], alone[key], rtol=1e-8, atol=1e-8, err_msg=key)

    def test_ranks_that_do_not_divide_the_molecules(self):
        alone = self.run_to("alone.h5", ranks=1, text=TRIMERS)
        self.run_to("parts.h5", "output.wall_minutes=1e-5", ranks=2, text=TRIMERS, code=75)
        for ranks, words in ((3, ("output.file=three.h5",)), (3, ("output.file=parts.h5", "--resume"))):
            end = self.launch("deck.toml", *words, ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            self.assertIn("elimination of each molecule in lanes", end.stdout)
            name = words[0].split("=")[1]
            with h5py.File(self.at / name, "r") as file:
                self.assertEqual(file["particles/pair_energy"][0], alone["pair_energy"][0])
                for key in ("position", "velocity", "multiplier"):
                    np.testing.assert_allclose(file["particles"][key][()], alone[key], rtol=0, atol=1e-10, err_msg=key)

    def test_in_lanes_and_by_petsc(self):
        lanes = "elimination of each molecule in lanes"
        found = {}
        for name, words in (("lanes", ()), ("petsc", ("--", "-position_pc_use_amat", "false", "-velocity_pc_use_amat", "false")),
                            ("half", ("--", "-velocity_pc_use_amat", "false"))):
            end = self.launch(self.deck(HELD), f"output.file={name}.h5", *words, ranks=RANKS)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            with h5py.File(self.at / f"{name}.h5", "r") as file:
                found[name] = file["particles/position"][()]
                for said in (end.stdout, file["provenance"].attrs["petsc"]):
                    (self.assertNotIn if name == "petsc" else self.assertIn)(lanes, said)
                    if name == "half":
                        self.assertRegex(said, f"positions by the project's own Newton's method and {lanes}, velocities by PETSc")
        for name in ("petsc", "half"):
            apart = np.abs(found[name] - found["lanes"]).max()
            self.assertLess(apart, 1e-11)  # measured: 7e-15
            self.assertGreater(apart, 0)  # they did not do the same

    def test_what_joined_points_do_to_each_other_pulls_along_the_rod(self):
        apart, felt = self.run_to("apart.h5"), self.run_to("felt.h5", "potential.joined=true")
        np.testing.assert_allclose(felt["position"], apart["position"], atol=1e-9)
        # 2 l lambda is the force along a rod: it takes up the repulsion, U' at r = 1.
        np.testing.assert_allclose(felt["multiplier"] - apart["multiplier"], -24 / 2, atol=1e-6)
        np.testing.assert_allclose(felt["pair_energy"] - apart["pair_energy"], 96 * 1.0, atol=1e-6)

    def test_stopped_and_resumed(self):
        self.run_to("whole.h5")
        self.run_to("parts.h5", "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        for _ in range(2):  # the second has nothing left to do
            end = self.launch("deck.toml", "output.file=parts.h5", "--resume", ranks=RANKS)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])
        self.run_to("more.h5", "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("more.h5", "whole.h5")
        end = self.launch("deck.toml", "output.file=more.h5", "--resume", ranks=RANKS + 1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "more.h5", "r") as more, h5py.File(self.at / "whole.h5", "r") as whole:
            np.testing.assert_allclose(more["particles/position"][()], whole["particles/position"][()], atol=1e-9)

    def test_refused(self):
        at_one_place = "model.positions=[[0,0],[0.7,0],[0.35,0.6062177826491071],[0,0],[-0.7,0],[-0.35,0.6062177826491071]]"
        for text, words, part in (
                (HELD, ["potential.name=lenard-jones"], "did you mean 'lennard-jones'"),
                (HELD, ["potential.sigma=0"], "must be positive"),
                (HELD, ["potential.joind=true"], "did you mean 'joined'"),
                (HELD, ["molecules.count=0"], "count = 0"),
                (HELD, ["molecules.count=100"], "of the 100 molecules"),
                (HELD, ["model.closed=true"], "positions or file"),
                (HELD, ["model.temperature=-1"], "temperature = -1"),
                (HELD, ["model.periods=[20,0,0]"], "doesn't repeat"),
                (BOX, ["model.periods=[9,5]"], "half the period"),
                (BOX, ["model.periods=[9]"], "two lengths"),
                (BOX, ["model.periods="], "'box'"),
                (BOX, ["model.angle=1"], "angle"),
                (BOX, ["molecules.box=[9,0]"], "must be 2 lengths"),
                (BOX, ["molecules.count=2", "molecules.apart=", at_one_place], "points 0 and 3 are at one place"),
                (BOX, ["molecules.count=1", "model.positions=[[0,0],[0.7,0],[0.35,0.6062177826491071]]",
                       "model.velocities=[[1,0],[1,0],[1,0]]"], "velocities of their own")):
            with self.subTest(words=words):
                self.refused(part, text=text, words=words)


if __name__ == "__main__":
    unittest.main()
