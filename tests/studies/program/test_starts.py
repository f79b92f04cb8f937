# SPDX-License-Identifier: BSD-3-Clause
"""Where ensembles start: what nobody names is zero, energies are met, boxes are whole, edges are exits."""
import h5py
import numpy as np
import unittest

from formula_test import FormulaTest

PARABOLOID = """study = "poincare"
[model]
coordinates = ["x", "y", "z"]
lagrangian = "(x_dot^2 + y_dot^2 + z_dot^2)/2 - z"
constraint = "x^2 + y^2 - 2*z"
[method]
name = "rattle"
step = 0.01
[section]
where = "y"
[ensemble]
energy = 3.0
project = true
random = { count = 2000, seed = 1, x = [-2.0, 2.0], x_dot = [-1.0, 1.0], y_dot = [-1.0, 1.0] }
[stop]
crossings = 1
"""
RELATIVISTIC = """study = "trajectory"
[model]
coordinates = ["x", "y"]
lagrangian = "-sqrt(1 - x_dot^2 - y_dot^2) - (x^2 + y^2)/2"
[method]
name = "gauss"
stages = 4
step = 0.01
[ensemble]
energy = [1.4, 1.6, 3.0]
grid = { x = [0.0, 0.3, 2], y = [0.0, 0.0, 1], x_dot = [0.0, 0.1, 2] }
[stop]
time = 0.05
[output]
every = 0.05
"""
ON_SPHERE = """study = "trajectory"
[model]
coordinates = ["x", "y", "z"]
lagrangian = "-sqrt(1 - x_dot^2 - y_dot^2 - z_dot^2) - z/2"
constraint = "x^2 + y^2 + z^2 - 1"
[method]
name = "lobatto-spark"
stages = 3
step = 0.01
[ensemble]
energy = 1.4
project = true
list = [[1, 0, 0, 0, 0.1, 0], [1, 0, 0, 0, 0, 0.5], [1, 0, 0, 0, 0.95, 0]]
[stop]
time = 0.05
[output]
every = 0.05
"""
HENON_HEILES = """study = "poincare"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 4
step = 0.25
[section]
where = "q1"
[ensemble]
energy = 0.125
random = { count = 500, seed = 1, q2 = [0.0, 1.3] }
[stop]
crossings = 1
"""
HILL = """study = "trajectory"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2 + x^2/2"
[method]
name = "gauss"
stages = 4
step = 0.05
[ensemble]
list = [[-2.0, -1.0], [-2.0, 0.0], [-1.9999999999999, -1.0], [-2.0, 1.0], [-1.0, -2.0], [-2.5, 0.0]]
[exits]
left = "x < -2"
[stop]
time = 1.0
"""
KICKED = """study = "work-precision"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2"
kick = { potential = "0.5*cos(x)", every = 1.0 }
[[methods]]
name = "gauss"
stages = 2
steps = [0.1]
[ensemble]
list = [[0.3, 0.2]]
[stop]
time = 5.0
"""

HARMONIC = """study = "trajectory"
[model]
name = "harmonic-oscillator"
[method]
name = "gauss"
step = 1e-9
[ensemble]
energy = 0.5
random = { count = 100, seed = 1 }
[stop]
time = 1e-9
[output]
every = 1e-9
"""


class Starts(FormulaTest):
    def orbits(self, text, *words):
        self.run_to("out.h5", text, *words, ranks=1)
        with h5py.File(self.at / "out.h5") as file:
            return {name: data[()] for name, data in file["orbits"].items()}

    def test_what_is_not_named_is_zero_in_every_draw(self):
        def reach(text):
            return np.abs(self.orbits(text)["initial"][:, [0, 2]]).max(0)

        # Of the place where a draw lay, at z = 0, the paraboloid's nearest has |x| < 1.04.
        named = reach(PARABOLOID.replace("x = [-2", "z = [0.0, 0.0], z_dot = [0.0, 0.0], x = [-2"))
        np.testing.assert_allclose(reach(PARABOLOID), named, atol=0.02)
        self.assertGreater(reach(PARABOLOID.replace("x = [-2", "z = [0.0, 2.0], x = [-2"))[0], named[0] + 0.2)  # a control

    def test_an_energy_is_met_where_speeds_have_a_bound(self):
        orbits = self.orbits(RELATIVISTIC)
        x, y, vx, vy = orbits["initial"].T
        energy = 1/np.sqrt(1 - vx**2 - vy**2) + (x**2 + y**2)/2
        self.assertEqual(len(energy), 12)
        wanted = orbits["parameters"][:, 0]
        self.assertTrue((wanted == np.repeat([1.4, 1.6, 3.0], 4)).all())
        self.assertLess(abs(energy - wanted).max(), 1e-12)

    def test_an_energy_is_met_under_constraints(self):
        energy = self.orbits(ON_SPHERE)["energy"]
        self.assertEqual(len(energy), 3)
        self.assertLess(abs(energy - 1.4).max(), 1e-12)

    def test_whole_states_on_a_manifold_fly_from_wherever_they_lie(self):
        """As in free motion: only what is put on the section has to cross it its way, where its condition holds."""
        begin, _, after = PARABOLOID.partition("energy = 3.0")
        begin, after = begin.replace('where = "y"', 'where = "y"\ncondition = "x > 0"'), after.partition("\n[stop]")[2]
        text = begin + "project = true\nSTARTS\n[stop]" + after
        states = text.replace("STARTS", "list = [[1, 0.3, 0.545, 0, 0.5, 0.15], [1, 0.3, 0.545, -3, -0.5, -3.15], "
                              "[-1, 0.3, 0.545, -3, 0.5, 3.15]]")
        orbits = self.orbits(states)
        self.assertEqual(orbits["status"].tolist(), [1, 1, 1])
        self.assertTrue((orbits["initial"][:, 1] == 0.3).all())
        point = text.replace("STARTS", "points = [{ x = 1.0, z = 0.5, y_dot = -0.5 }]")
        self.says(self.launch(self.deck(point)), 2, "direction and condition")
        self.assertEqual(self.orbits(point, "section.direction=down")["status"].tolist(), [1])  # a control

    def test_whole_states_are_projected_as_in_a_trajectory(self):
        """Off the manifold, on the section: no study holds a coordinate of theirs; on the section, points' is held."""
        begin, _, after = PARABOLOID.partition("energy = 3.0")
        text = begin + "project = true\nSTARTS\n[stop]" + after.partition("\n[stop]")[2]
        text = text.replace('where = "y"', 'where = "y"\nvalue = 0.3')
        states = text.replace("STARTS", "list = [[1, 0.3, 0.7, 0, 0.5, 0.3]]")
        crossing = self.orbits(states)["initial"]
        flying = states.replace('"poincare"', '"trajectory"').replace("crossings = 1", "time = 1.0\n[output]\nevery = 0.5")
        section = flying[flying.index("[section]"):flying.index("[ensemble]")]
        np.testing.assert_array_equal(crossing, self.orbits(flying.replace(section, ""))["initial"])
        self.assertGreater(abs(crossing[0, 1] - 0.3), 0.005)
        point = text.replace("STARTS", "points = [{ x = 1.0, z = 0.7, y_dot = 0.5 }]")
        self.assertEqual(self.orbits(point)["initial"][0, 1], 0.3)

    def test_a_start_off_its_manifold_is_told_in_any_unit(self):
        sphere = """study = "trajectory"
[model]
coordinates = ["x", "y", "z"]
lagrangian = "(x_dot^2 + y_dot^2 + z_dot^2)/2"
constraint = ["x^2 + y^2 + z^2 - 9e-24"]
[method]
name = "rattle"
step = 1e-14
[ensemble]
list = [STATE]
[stop]
time = 1e-13
[output]
file = "out.h5"
"""
        for state in ("[3.1e-12, 0, 0, 0, 1e-3, 0]", "[3e-12, 0, 0, 1e-9, 1e-3, 0]"):
            self.says(self.launch(self.deck(sphere.replace("STATE", state))), 2, "no start is on the manifold")
        self.assertEqual(self.orbits(sphere.replace("STATE", "[3e-12, 0, 0, 0, 1e-3, 0]"))["status"].tolist(), [1])  # a control

    def test_a_found_box_holds_all_velocities(self):
        q2, v2 = self.orbits(HENON_HEILES)["initial"][:, [1, 3]].T
        potential = q2**2/2 - q2**3/3
        self.assertLess((v2**2/2 + potential).max(), 0.125)
        self.assertGreater(abs(v2).max(), 0.45)  # of 0.5; the box of the place in the middle ended at 0.206
        wide = self.orbits(HENON_HEILES, "ensemble.random.q2=[-0.5, 2.0]")["initial"]
        self.assertTrue(np.isfinite(wide).all())

    def test_a_found_box_has_the_size_of_the_problem(self):
        for size in (1e-8, 1.0, 5e3, 1e9):  # where U = E
            with self.subTest(size):
                start = self.orbits(HARMONIC, f"model.omega1={1 / size}", f"model.omega2={1 / size}")["initial"]
                self.assertTrue((abs(start[:, :2]) < 1.001 * size).all())
                self.assertGreater(abs(start[:, :2]).max(), 0.8 * size)
                self.assertLess(start[:, :2].min(), -0.5 * size)

    def test_the_box_of_an_angle_is_one_turn(self):
        rotor = HENON_HEILES.replace('name = "henon-heiles"', 'coordinates = ["a", "x"]\nangles = ["a"]\n'
                                     'lagrangian = "(a_dot^2 + x_dot^2 - x^2)/2"')
        rotor = rotor.replace('"q1"', '"x"').replace(", q2 = [0.0, 1.3]", "").replace("0.125", "1.0")
        angle = self.orbits(rotor, "ensemble.random.count=4000")["initial"][:, 0]
        self.assertLessEqual(abs(angle).max(), np.pi)
        self.assertGreater(abs(angle).max(), 3.13)

    def test_from_an_edge_a_start_leaves_where_it_moves_out(self):
        said = self.run_to("out.h5", HILL, ranks=1)
        with h5py.File(self.at / "out.h5") as file:
            exit, time = file["exits/exit"][()], file["exits/time"][()]
        # At rest on the hill's side it falls outward; inward it comes back only after the run.
        self.assertEqual(exit.tolist(), [0, 0, 0, -1, 0, 0], said)
        self.assertEqual(time[[0, 1, 2, 5]].tolist(), [0, 0, 0, 0])
        self.assertAlmostEqual(time[4], np.log((2 + np.sqrt(7))/3), delta=1e-12)  # cosh t + 2 sinh t = 2

    def test_no_possible_start_is_told_before_the_run(self):
        text = HENON_HEILES.replace("energy = 0.125\n", "").replace(
            "q2 = [0.0, 1.3]", "q2 = [0.0, 0.3], q1_dot = [-0.3, -0.1], q2_dot = [0.0, 0.1]")
        self.says(self.launch(self.deck(text)), 2, "[ensemble] random", "no draw has the section's direction; move")
        conditioned = text.replace('where = "q1"', 'where = "q1"\ncondition = "q2 > 0"')
        self.says(self.launch(self.deck(conditioned)), 2, "no draw has the section's direction and condition; move")
        both = conditioned.replace('where = "q1"', 'where = "q1"\ndirection = "both"').replace("q2 > 0", "q2 > 9")
        self.says(self.launch(self.deck(both)), 2, "no draw has the section's condition; move")
        possible = text.replace("q1_dot = [-0.3, -0.1]", "q1_dot = [0.1, 0.3]")  # a control
        self.assertEqual(self.launch(self.deck(possible), "--check").returncode, 0)

    def test_more_than_can_be_counted(self):
        grid = HENON_HEILES.replace("random = { count = 500, seed = 1, q2 = [0.0, 1.3] }", "grid = GRID")
        self.says(self.launch(self.deck(grid.replace("GRID", "{ q2 = [0.0, 0.3, 1e19], q2_dot = [0.0, 0.0, 1] }"))), 2,
                  "q2", "at most 2^53")
        self.says(self.launch(self.deck(grid.replace("GRID", "{ q2 = [0.0, 0.3, 4e9], q2_dot = [0.0, 0.1, 4e9] }"))), 2,
                  "[ensemble]", "more starts than can be counted")
        for most in ("1000000000000000000", "9007199254740992"):
            self.says(self.launch(self.deck(HENON_HEILES), "stop.crossings=" + most), 3, "poincare.h5", "needs")

    def test_kicks_are_no_drift(self):
        said = self.run_to("out.h5", KICKED, ranks=1)
        with h5py.File(self.at / "out.h5") as file:
            comparison = file["comparison"]
            self.assertTrue(np.isnan(comparison["energy_drift"][()]).all(), said)
            self.assertIn("work", comparison["energy_error"].attrs["meaning"])
            self.assertLess(comparison["energy_error"][()].max(), 1e-13)


if __name__ == "__main__":
    unittest.main()
