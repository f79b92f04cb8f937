# SPDX-License-Identifier: BSD-3-Clause
"""What results say of the units of their columns: every coordinate its own, velocities that per unit of time."""
import unittest

import h5py
import numpy as np

from launch import ProgramTest

SLEIGH = """study = "trajectory"
[model]
name = "chaplygin-sleigh"
[method]
name = "lobatto-spark"
stages = 2
step = 0.1
[ensemble]
project = true
list = [[0.0, 0.0, 0.0, 1.0, 0.0, 1.5]]
[stop]
time = 0.3
[output]
every = 0.1
file = "out.h5"
"""

BALLS = """study = "poincare"
[model]
name = "magnetic-chain-unequal"
alpha = [10.0, 11.0]
[method]
name = "gauss"
stages = 12
tolerance = 1e-10
[section]
where = "sin(t / 2)"
direction = "both"
condition = "p_t > 0"
[ensemble]
energy = -2.6
grid = { t = [0.0, 0.0, 1], s = [-0.2, 0.2, 2], s_dot = [0.1, 0.1, 1] }
[stop]
crossings = 4
time = 300.0
[output]
file = "out.h5"
"""

METHODS = """study = "work-precision"
[model]
name = "chaplygin-sleigh"
[[methods]]
name = "lobatto-spark"
stages = 2
steps = [0.1, 0.05]
[ensemble]
project = true
list = [[0.0, 0.0, 0.0, 1.0, 0.0, 1.5]]
[stop]
time = 1.0
[output]
file = "out.h5"
"""

ANGLES = ["rad", "rad", "rad/time", "rad/time"]


def units(item):
    """As text, or as the list that goes with the columns."""
    found = item.attrs["units"]
    if np.ndim(found) == 0:
        return found
    assert len(found) == item.shape[-1] == len(item.attrs["columns"]), (item.name, list(found))
    return list(found)


class Units(ProgramTest):
    def result(self, deck, *words):
        self.ended(self.deck(deck), *words, ranks=1)
        return h5py.File(self.at / "out.h5")

    def test_lengths_and_an_angle(self):
        with self.result(SLEIGH) as held:
            for name in ("initial", "final"):
                self.assertEqual(units(held[f"orbits/{name}"]), ["1", "1", "rad", "1", "1", "rad/time"])
            self.assertEqual(units(held["trajectory/q"]), ["1", "1", "rad"])
            self.assertEqual(units(held["trajectory/v"]), ["1", "1", "rad/time"])
            self.assertEqual(list(held["trajectory/v"].attrs["columns"]), ["x_dot", "y_dot", "a_dot"])
            for name in ("trajectory/time", "trajectory/energy", "orbits/constraint_error"):
                self.assertEqual(units(held[name]), "1")

    def test_angles_alone(self):
        with self.result(BALLS) as held:
            for name in ("orbits/initial", "orbits/final", "section/points"):
                self.assertEqual(units(held[name]), ANGLES)
            self.assertEqual(units(held["section/time"]), "1")
            self.assertEqual(units(held["orbits/parameters"]), "1")
            self.assertNotIn("section/plot", held)

    def test_one_unit_for_all_is_one_text(self):
        deck = SLEIGH.replace("chaplygin-sleigh", "double-pendulum").replace("lobatto-spark", "gauss")
        deck = deck.replace("project = true\n", "").replace("[[0.0, 0.0, 0.0, 1.0, 0.0, 1.5]]", "[[0.1, 0.2, 0.0, 0.0]]")
        with self.result(deck) as held:
            self.assertEqual(units(held["trajectory/q"]), "rad")
            self.assertEqual(units(held["trajectory/v"]), "rad/time")
        with self.result(deck.replace("double-pendulum", "henon-heiles")) as held:
            for name in ("trajectory/q", "trajectory/v", "orbits/initial"):
                self.assertEqual(units(held[name]), "1")

    def test_work_and_precision(self):
        with self.result(METHODS) as held:
            for name in ("initial", "reference"):
                self.assertEqual(units(held[f"comparison/{name}"]), ["1", "1", "rad", "1", "1", "rad/time"])
            self.assertEqual(units(held["comparison/position_error"]), "1")

    def test_described(self):
        text = self.launch("--describe", "chaplygin-sleigh", ranks=1).stdout
        self.assertRegex(text, r"a, a_dot, p_a +\[rad\] and \[rad/time\] an angle")
        self.assertRegex(text, r"x, x_dot, p_x +\[1\]\n")


class PlotAxes(ProgramTest):
    """[plot] axes: read, refused, and what it names in the result."""
    def test_momenta_are_written(self):
        end = self.launch(self.deck(BALLS + '[plot]\naxes = ["s", "p_s"]\n'), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        (self.at / "out.h5").rename(self.at / "with.h5")
        self.assertEqual(self.launch(self.deck(BALLS), ranks=1).returncode, 0)
        with h5py.File(self.at / "with.h5") as held, h5py.File(self.at / "out.h5") as plain:
            pairs, points = held["section/plot"][()], held["section/points"][()]
            self.assertEqual(list(held["section/plot"].attrs["columns"]), ["s", "p_s"])
            self.assertEqual(units(held["section/plot"]), ["rad", "1"])
            np.testing.assert_array_equal(pairs[..., 0], points[..., 1])
            np.testing.assert_array_equal(points, plain["section/points"][()])  # nothing else has changed
            self.assertGreater(np.isfinite(pairs).sum(), 0)
            # p is linear in the velocities: p_s / s_dot lies between the mass matrix' bounds, and p_s isn't s_dot
            self.assertGreater(np.nanmax(np.abs(pairs[..., 1] - points[..., 3])), 1e-3)

    def test_states_need_no_more(self):
        end = self.launch(self.deck(BALLS + '[plot]\naxes = ["s", "s_dot"]\n'), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as held:
            self.assertNotIn("section/plot", held)
            self.assertIn("[plot]", held["deck"][()].decode())

    def test_refused(self):
        for deck, axes, *parts in ((BALLS, '["s", "p_r"]', "'p_r'", "in [plot] axes", "did you mean 'p_"),
                                   (BALLS, '["s"]', "[plot] axes", "two names"),
                                   (BALLS, '["s", "s"]', "[plot] axes", "same column twice"),
                                   (BALLS, "3", "[plot] axes"),
                                   (SLEIGH, '["x", "x_dot"]', "'x_dot'", "in [plot] axes", "x, y, a")):
            with self.subTest(axes=axes):
                end = self.launch(self.deck(deck + f"[plot]\naxes = {axes}\n"), "--check", ranks=1)
                self.assertEqual(end.returncode, 2, end.stdout + end.stderr)
                for part in parts:
                    self.assertIn(part, end.stderr)
        end = self.launch(self.deck(BALLS + '[plot]\naxes = ["s", "p_s"]\naxis = 1\n'), "--check", ranks=1)
        self.assertEqual(end.returncode, 2)
        self.assertIn("unknown key 'axis' in [plot]", end.stderr)


if __name__ == "__main__":
    unittest.main()
