# SPDX-License-Identifier: BSD-3-Clause
"""Driven motion in decks: stroboscopic sections, kicks, and thresholds whose values are known."""
import json
import unittest

import h5py
import numpy as np

from launch import RANKS, SOURCE, ProgramTest
from results import same_bits

REFERENCE = json.loads((SOURCE / "tests" / "reference" / "driven_pendulum.json").read_text(encoding="utf-8"))
KICKED = """study = "poincare"
[model]
coordinates = ["x"]
angles = ["x"]
parameters = { gravity = 0.3, K = 0.8, T = { from = 1.0, to = 1.4, count = 13 } }
lagrangian = "x_dot^2/2 + gravity*cos(x)"
kick = { potential = "-K*cos(x)", every = "T" }
[method]
name = "gauss"
stages = 8
step = 0.45
[section]
where = "t"
every = "T/2"
value = "T/4"
condition = "x_dot > 0.0 or x_dot <= 0.0"
[ensemble]
random = { count = 3, seed = 5, x = [-3.0, 3.0], x_dot = [-2.0, 2.0] }
[stop]
crossings = 300
[output]
file = "out.h5"
"""
PENDULUM = """study = "poincare"
[model]
coordinates = ["x"]
angles = ["x"]
parameters = { q = 0.5, w = 0.6666666666666666, g = 1.0 }
lagrangian = "x_dot^2/2 + cos(x)"
force = { x = "g*cos(w*t)" }
dissipation = "q*x_dot^2/2"
[method]
name = "gauss"
stages = 8
step = 0.4
[section]
where = "t"
every = "2*pi/w"
[ensemble]
list = [[-1.5707963267948966, 0.0]]
[stop]
crossings = 1600
[output]
file = "out.h5"
"""
# Its momentum p = x_dot + sin(t) falls as p0 - t.
FALLING = """study = "poincare"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2 + x_dot*sin(t) - x"
[method]
name = "gauss"
stages = 6
step = 0.1
[ensemble]
list = [[0.0, 1.0], [0.5, 2.0]]
[stop]
time = 10.0
[output]
file = "out.h5"
"""


class Driven(ProgramTest):
    def fly(self, text, *words, file="out.h5", ranks=RANKS):
        end = self.launch(self.deck(text), f"output.file={file}", *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / file) as result:
            return {name: result[name][()] for name in ("section/points", "section/time", "orbits/parameters",
                                                        "orbits/initial", "orbits/energy_error")}

    def test_each_trajectory_has_its_own_period(self):
        found = self.fly(KICKED)
        T = found["orbits/parameters"][:, 0]
        k = np.arange(300)
        self.assertLess(np.abs(found["section/time"] - T[:, None] * (0.25 + 0.5 * k)).max(), 2e-13)  # found: 3e-14
        self.assertLess(found["orbits/energy_error"].max(), 1e-12)  # found: 2e-13

    def test_bits_of_ranks_and_lanes(self):
        self.fly(KICKED, file="one.h5", ranks=1)
        self.fly(KICKED, file="three.h5", ranks=3)
        self.fly(KICKED, "method.lanes=1", file="alone.h5", ranks=1)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "three.h5"), [])
        with h5py.File(self.at / "one.h5") as a, h5py.File(self.at / "alone.h5") as b:
            np.testing.assert_array_equal(a["section/points"][()], b["section/points"][()])
        self.fly(KICKED, "model.parameters.K=0.8000000001", file="other.h5", ranks=1)  # the control
        self.assertNotEqual(same_bits(self.at / "one.h5", self.at / "other.h5"), [])

    def test_resumed_to_the_same_bits(self):
        long = KICKED.replace("crossings = 300", "crossings = 30000").replace("K = 0.8", "K = 0.1")
        self.fly(long, file="whole.h5", ranks=2)
        end = self.launch(self.deck(long), "output.wall_minutes=1e-5", ranks=1)
        self.assertEqual(end.returncode, 75, end.stdout + end.stderr)
        self.stopped_midway("out.h5", "whole.h5")
        end = self.launch("deck.toml", "--resume", ranks=2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])

    def test_the_kicked_rotor_is_the_standard_map(self):
        deck = (SOURCE / "input" / "driven" / "kicked_rotor_orbits.toml").read_text(encoding="utf-8")
        found = self.fly(deck)
        points, start = found["section/points"], found["orbits/initial"].astype(np.longdouble)
        x, p, most = start[:, 0], start[:, 1], 0
        for k in range(55):
            x = x + p
            most = max(most, float(np.abs(points[:, k] - np.stack([x, p], 1)).max()))
            p = p - np.longdouble(0.971635406) * np.sin(x)
        self.assertLess(most, 1e-11)  # found: 1.3e-12
        for row, (m, n) in enumerate(((5, 8), (8, 13), (13, 21), (21, 34), (34, 55))):
            self.assertLess(abs(points[row, n - 1, 0] / (2 * np.pi * n) - m / n), 1e-12)
        # The control: kicks of the other sign make other orbits.
        other = self.fly(deck, "model.parameters.K=-0.971635406", file="other.h5")["section/points"]
        self.assertGreater(abs(other[0, 7, 0] / (16 * np.pi) - 5 / 8), 1e-3)

    def test_kicks_and_friction_together(self):
        """A rotor with friction: exp(-c T) of its speed is left from kick to kick."""
        deck = KICKED.replace("T = { from = 1.0, to = 1.4, count = 13 }", "T = 1.3, c = 0.4").replace("gravity = 0.3", "gravity = 0.0")
        deck = deck.replace('kick = {', 'dissipation = "c*x_dot^2/2"\nkick = {').replace('"T/2"', '"T"').replace('"T/4"', '"0"')
        deck = deck.replace("K = 0.8", "K = 3.1").replace("crossings = 300", "crossings = 30")
        found = self.fly(deck)
        x, v = found["orbits/initial"].astype(np.longdouble).T
        c, T, K = np.longdouble(0.4), np.longdouble(1.3), np.longdouble(3.1)
        most = 0
        for k in range(12):  # then chaos has made much of round-off
            x, v = x + v * (1 - np.exp(-c * T)) / c, v * np.exp(-c * T)
            most = max(most, float(np.abs(found["section/points"][:, k] - np.stack([x, v], 1)).max()))
            v = v - K * np.sin(x)
        self.assertLess(most, 1e-9)
        self.assertLess(found["orbits/energy_error"].max(), 1e-12)

    def multipliers(self, drives, periods, *words):
        """By which factor a perturbation of an orbit of so many periods grows in these, for each drive."""
        drives = ", ".join(map(repr, drives))
        speed = self.fly(PENDULUM, f"model.parameters.g=[{drives}]", *words)["section/points"][..., 1]
        change = np.abs(np.diff(speed[:, ::periods]))
        factors = []
        for row in change:  # where it is small, and not yet round-off
            small = np.flatnonzero((row < 1e-4) & (row > 1e-9))
            first, last = small[0], small[-1]
            factors.append(-(row[last] / row[first]) ** (1.0 / (last - first)))
        return np.array(factors)

    def test_periods_double_where_the_reference_says(self):
        for name, below in (("period 1", 1e-3), ("period 2", 4e-4), ("period 4", 8e-5)):
            with self.subTest(name):
                expected, periods = float(REFERENCE["thresholds"][name][0]), int(name.split()[1])
                drives = expected - below * np.array([3, 2, 1])
                factors = self.multipliers(drives.tolist(), periods)
                found = np.polyval(np.polyfit(factors + 1, drives, 2), 0)
                self.assertLess(abs(found - expected), 0.02 * below, (found, factors))
        # The control: with another friction it is elsewhere.
        expected = float(REFERENCE["thresholds"]["period 1"][0])
        drives = expected - 1e-3 * np.array([3, 2, 1])
        factors = self.multipliers(drives.tolist(), 1, "model.parameters.q=0.501")
        self.assertGreater(abs(np.polyval(np.polyfit(factors + 1, drives, 2), 0) - expected), 2e-4)

    def test_kapitza_stands_where_the_reference_says(self):
        deck = (SOURCE / "input" / "driven" / "kapitza.toml").read_text(encoding="utf-8")
        w = float(REFERENCE["kapitza"]["w"])
        deck = deck.replace("{ from = 13.5, to = 15.25, count = 176 }", f"[{w - 5e-4!r}, {w + 5e-4!r}]")
        deck = deck.replace("3.1515926535897932", "3.1425926535897932").replace("crossings = 2000", "crossings = 4000")
        height = np.cos(self.fly(deck)["section/points"][..., 0])
        self.assertGreater(height[0].max(), 0)
        self.assertLess(height[1].max(), -0.9999)

    @unittest.skipUnless(RANKS == 1, "one rank's")
    def test_momenta_that_depend_on_the_time(self):
        """In sections, in what is drawn of them, in averages and exits they are those of the moment."""
        section = FALLING + """[section]
where = "t"
every = "2*pi"
value = 0.5
[plot]
axes = ["x", "p_x"]
[indicators]
list = ["birkhoff"]
averages = { sine = "p_x - x_dot" }
"""
        found = self.opened(self.deck(section), "stop.crossings=30", "stop.time=1000")
        time = found["section/time"][()]
        np.testing.assert_allclose(found["section/plot"][..., 1], np.array([[1], [2]]) - time, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found["section/plot"][..., 0], found["section/points"][..., 0], rtol=0, atol=0)
        np.testing.assert_allclose(found["indicators/birkhoff"][:, 0], np.sin(0.5), rtol=0, atol=1e-11)
        # p < -2.5 comes first, but x < -4.8 would be the nearer edge if p were that of t = 0.
        exits = FALLING.replace("poincare", "trajectory") + '[exits]\nmomentum = "p_x < -2.5"\nplace = "x < -4.8"\n'
        found = self.opened(self.deck(exits), "output.every=0.5")
        np.testing.assert_allclose(found["exits/time"], [3.5, 4.5], rtol=0, atol=1e-11)
        self.assertEqual(found["exits/exit"][()].tolist(), [0, 0])

    def test_what_is_wrong_is_said(self):
        for there, instead, parts in (
                ('every = "T/2"', 'every = "T/2 - 1"', ("every", "above zero")),
                ('every = "T/2"', "every = 0", ("every", "above zero")),
                ('every = "T/2"', 'every = "T/x"', ("every", "unknown name 'x'", "^")),
                ('every = "T/2"', "", ("missing key 'every'",)),
                ('value = "T/4"', 'value = "1/(T - 1.0)"', ("value", "finite")),
                ('where = "t"', 'where = "x"', ("every", 'where = "t"')),
                ('where = "t"\nevery = "T/2"', 'where = "x - sin(t)"', ("where", "'x - sin(t)' is of states and time", 'where = "t" with every')),
                ('"x_dot > 0.0 or x_dot <= 0.0"', '"t > 3"', ("condition", "'t > 3' is of states and time")),
                ('where = "t"\nevery = "T/2"', 'where = "s - sin(t)"', ("where", "unknown name 's'", "^")),
                ('where = "t"', 'where = "t"\ndirection = "down"', ("direction", "up")),
                ('every = "T" }', 'every = "x*T" }', ("every", "depends on 'x'")),
                ('every = "T" }', 'every = "T - 1.2" }', ("kicks must come",)),
                (', every = "T" }', "}", ("missing key 'every'",)),
                ('"-K*cos(x)", ', '"-K*cos(x_dot)", ', ("potential", "velocity")),
                ('"-K*cos(x)", ', '"-K*cos(y)", ', ("potential", "unknown name 'y'", "^")),
                ('kick = { potential = "-K*cos(x)", every = "T" }', 'kick = "-K*cos(x)"', ("kick", "potential", "every")),
                ("kick = {", 'constraint = ["x^2 - K - T"]\nkick = {', ("kick", "free motion"))):
            with self.subTest(instead=instead):
                self.assertIn(there, KICKED)
                self.refused(*parts, text=KICKED.replace(there, instead))


if __name__ == "__main__":
    unittest.main()
