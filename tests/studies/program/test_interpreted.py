# SPDX-License-Identifier: BSD-3-Clause
"""Decks with formulas where there is no compiler: interpreted through the same templates, or refused with a way out."""
import unittest

import h5py
import numpy as np

from formula_test import HENON_HEILES, FormulaTest, deck_of
from launch import in_full
from results import compare

FRICTION = """study = "trajectory"
[model]
coordinates = ["x", "y"]
parameters = { c = 0.1, F = 0.3, w = 1.3, b = 0.7 }
where = { r2 = "x^2 + y^2" }
lagrangian = "(x_dot^2 + y_dot^2)/2*(1 + r2/10) + b*(x*y_dot - y*x_dot) - r2/2 - r2^2/4 + x*F*cos(w*t)"
force = { y = "-c*sin(y_dot)" }
dissipation = "c*x_dot^2/2"
[method]
name = "gauss"
stages = 6
step = 0.05
[ensemble]
list = [[0.7, -0.4, 0.1, 0.2], [0.1, 0.5, -0.3, 0.0]]
[stop]
time = 20.0
[output]
every = 1.0
file = "out.h5"
"""
SURFACE = """study = "poincare"
[model]
coordinates = ["x", "y", "z"]
parameters = { g = 0.8, a = 1.5 }
lagrangian = "(x_dot^2 + y_dot^2 + 2*z_dot^2)/2 - g*z"
constraint = "x^2 + y^2/a + z^2 - 1"
domain = "2 - z"
[method]
name = "rattle"
step = 0.005
[section]
where = "y"
direction = "up"
[ensemble]
project = true
list = [[0.7, 0.3, -0.6, 0.5, 0.8, 0.2], [0.1, 0.5, -0.8, 1.1, -0.3, 0.2], [-0.5, 0.1, 0.8, 0.3, 0.9, 0.4]]
[stop]
crossings = 4
[output]
file = "out.h5"
"""


class Interpreted(FormulaTest):
    def both(self, text, *words):
        """The same deck compiled and interpreted."""
        said = self.run_to("compiled.h5", text, *words)
        self.assertNotIn("interpreted", said)
        self.set_variable("COTANGENT_COMPILER", "none")
        said = self.run_to("interpreted.h5", text, *words)
        self.assertIn("interpreted", said)
        return self.at / "compiled.h5", self.at / "interpreted.h5"

    def assert_agree(self, text, data, tolerance):
        compiled, interpreted = self.both(text)
        with h5py.File(compiled) as one, h5py.File(interpreted) as other:
            a, b = one[data][()], other[data][()]
            self.assertGreater(np.isfinite(a).sum(), 20)
            self.assertEqual(a.shape, b.shape)
            np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b))
            self.assertLess(np.nanmax(np.abs(a - b)), tolerance)

    def test_free_motion(self):
        self.assert_agree(deck_of(HENON_HEILES), "section/points", 1e-9)

    @in_full
    def test_forces_and_time(self):
        self.assert_agree(FRICTION, "trajectory/q", 1e-11)

    def test_on_a_surface(self):
        self.assert_agree(SURFACE, "section/points", 1e-9)

    # One of two operands may be a number, and a whole exponent a parameter, whatever the sign of the base.
    FUNCTIONS = FRICTION.replace("- r2/2", " ".join("- 0.2*" + term for term in (
        "max(x, 0.1)^2", "min(0.2, y)", "hypot(x, 1)", "atan2(0.5, x)", "atan2(y, 2)", "2^x", "x^n")) + " - r2/2").replace(
            "b = 0.7", "b = 0.7, n = 4.0")

    def test_functions_of_a_number(self):
        self.assert_agree(self.FUNCTIONS, "trajectory/q", 1e-9)

    def test_control_another_formula(self):
        compiled, _ = self.both(deck_of(HENON_HEILES))
        self.run_to("other.h5", deck_of(HENON_HEILES.replace("1.5", "1.51")))
        with h5py.File(compiled) as one, h5py.File(self.at / "other.h5") as other:
            self.assertGreater(np.nanmax(np.abs(one["section/points"][()] - other["section/points"][()])), 1e-3)

    def test_same_bits_on_any_ranks(self):
        self.set_variable("COTANGENT_COMPILER", "none")
        for ranks in (1, 2, 3):
            self.run_to(f"{ranks}.h5", deck_of(HENON_HEILES), ranks=ranks)
        for ranks in (2, 3):
            found = compare(self.at / "1.h5", self.at / f"{ranks}.h5")
            self.assertIn("section/points", found.equal)
            self.assertTrue(found.same())

    def test_parameters_are_swept(self):
        text = self.FUNCTIONS.replace("b = 0.7", "b = [0.5, 0.6, 0.7]")
        self.assert_agree(text, "orbits/final", 1e-10)

    def test_a_check_needs_no_compiler(self):
        """What is interpreted is judged in a moment; what isn't is compiled, and said so elsewhere."""
        deck = self.deck(deck_of(HENON_HEILES + "parameters = { b = 2.0 }\n"))
        alone = {**self.alone, "COTANGENT_COMPILER": "none", "COTANGENT_CACHE": str(self.at / "cache")}
        end = self.launch("--check", deck, ranks=1, env=alone)
        self.assertEqual((end.returncode, end.stdout), (0, "warning: parameter 'b' is in no formula of [model]\ndeck ok\n"), end.stderr)
        self.assertNotEqual(self.launch("--compile", deck, ranks=1, env=alone).returncode, 0)  # a control

    def test_what_is_refused(self):
        self.set_variable("COTANGENT_COMPILER", "none")
        five = 'coordinates = ["a", "b", "c", "d", "e"]\nlagrangian = "(a_dot^2+b_dot^2+c_dot^2+d_dot^2+e_dot^2)/2 - a*b"\n'
        rest = '[method]\nname="gauss"\nstep=0.1\n[ensemble]\nlist=[[0,0,0,0,0,0,0,0,0,0]]\n[stop]\ntime=1.0\n[output]\nfile="o.h5"\n'
        self.refused("coordinates", "COTANGENT_INTERPRETED", "--compile", text=deck_of(five, "trajectory", rest))
        self.refused("'gauss' alone", "'rk4'", "--compile", text=deck_of(HENON_HEILES).replace('"gauss"\nstages = 8', '"rk4"'))
        self.refused("constraints", "--compile", text=SURFACE.replace("2*z_dot^2", "z^2*z_dot^2"))
        self.refused("rolling", "--compile",
                     text=SURFACE.replace("domain", 'rolling = "x_dot"\ndomain').replace("rattle", "lobatto-spark"))


if __name__ == "__main__":
    unittest.main()
