# SPDX-License-Identifier: BSD-3-Clause
"""Pair potentials, fields of billiards, lattices and rain that the deck states by formulas: the bits of the built-in ones,
each with a control, and what a wrong formula gets."""
import re
import unittest

import h5py
import numpy as np

from launch import RANKS, ProgramTest, some
from results import same_bits

PARTICLES = """study = "particles"
[model]
name = "torus"
R = 6.0
r = 3.0
[potential]
{}
cut = 2.5
mode = "{}"
[method]
name = "rattle"
step = 0.005
[particles]
start = "even"
count = 200
temperature = 1.0
[stop]
time = 0.5
[output]
every = 0.1
file = "out.h5"
"""
LENNARD_JONES = """potential = "4*epsilon*((sigma/r)^12 - (sigma/r)^6)"
parameters = { epsilon = 0.7, sigma = 0.9 }"""
POTENTIALS = {
    "lennard-jones": ('name = "lennard-jones"\nepsilon = 0.7\nsigma = 0.9', LENNARD_JONES),
    "ricker": ('name = "ricker"\ndepth = 0.5\nr_e = 0.8', """where = { x = "(r/r_e)^2" }
parameters = { depth = 0.5, r_e = 0.8 }
potential = "(1 - 3*x)*exp(1.5 - 1.5*x)*(0.5*depth)\""""),
    "yukawa": ('name = "yukawa"\nstrength = 2.0\nlength = 0.7', """potential = "exp(-r/length)/r*strength"
parameters = { strength = 2.0, length = 0.7 }"""),
}
MOLECULES = """study = "mechanism"
[model]
name = "rod-chain"
rods = 3
closed = true
dimension = 2
length = 0.7
temperature = 0.5
periods = [9.0, 8.0]
[molecules]
count = 12
apart = 0.9
[potential]
{}
cut = 2.5
[method]
step = 0.002
[stop]
time = 0.1
[output]
every = 0.02
file = "out.h5"
"""
BILLIARD = """study = "billiard"
[domain]
dimension = {}
sets = [{{ name = "wall", set = "{}" }}]
[forces]
{}
[ensemble]
random = {{ count = 20, seed = 1, x = [-0.2, 0.2], y = [-0.2, 0.2], x_dot = [-1.0, 1.0], y_dot = [-1.0, 1.0] }}
[stop]
time = 4.0
[output]
every = 0.5
collisions = 3
file = "out.h5"
"""
FIELDS = {
    "henon-heiles": (2, "circle", 'potential = "henon-heiles"\nlambda = 0.9', """parameters = { lambda = 0.9 }
potential = "0.5*(x^2 + y^2) + lambda*(x^2*y - y^2*y*(1/3))\""""),
    "kepler": (2, "egg", 'potential = "kepler"\nstrength = -0.3\ngravity = [0.0, -0.5]',
               'potential = "-strength/sqrt(x^2 + y^2)"\nparameters = { strength = -0.3 }\ngravity = [0.0, -0.5]'),
    "harmonic-in-space": (3, "sphere", 'potential = "harmonic-in-space"\nk_y = 2.0',
                          'potential = "0.5*(kx*x^2 + ky*y^2 + kx*z^2)"\nparameters = { kx = 1.0, ky = 2.0 }'),
}
LATTICE = """study = "lattice"
[model]
{}
sites = {}
boundary = "{}"
[start]
{}
[method]
{}
[stop]
time = 4.0
[output]
every = 0.5
{}
file = "out.h5"
"""
GAUSS = 'name = "gauss"\nstep = 0.1'
FPUT = """coordinates = ["q"]
neighbours = { right = 1 }
parameters = { beta = 0.5 }
where = { square = "(right.q - q)^2" }
terms = { site = "0.5*q_dot^2", bond = "-(square*(0.5 + (0.25*beta)*square))" }"""
PENDULUMS = """coordinates = ["a", "b"]
angles = ["a", "b"]
neighbours = { right = 1 }
parameters = { m1 = 1.0, m2 = 0.8, l1 = 1.0, l2 = 1.0, g = 1.0, coupling = 0.5 }
where = { mass = "m1 + m2" }
terms.bond = "(cos(right.b - b) - 1)*coupling"
terms.site = '''(0.5*mass*l1*l1)*a_dot^2 + (0.5*m2*l2*l2)*b_dot^2
  + (m2*l1*l2)*((cos(a)*cos(b) + sin(a)*sin(b))*(a_dot*b_dot)) + (mass*g*l1)*cos(a) + (m2*g*l2)*cos(b)'''"""
SINE_GORDON = """coordinates = { q = "rad" }
neighbours = { right = 1, up = [0, 1] }
parameters = { spacing = 0.2 }
where = { stiffness = "-0.5/(spacing*spacing)" }
terms.site = "0.5*q_dot^2 + (cos(q) - 1)"
terms.bond = "(right.q - q)^2*stiffness"
terms.across = "(up.q - q)^2*stiffness\""""
BUMP = 'q = "0.5*exp(-x^2)"\nq_dot = "0.1*exp(-x^2)"'
CHAIN_OF_RODS = """coordinates = ["x", "y"]
neighbours = { right = 1 }
parameters = { mass = 1.0, g = 1.0, spacing = 1.0 }
terms = { bob = "0.5*mass*(x_dot^2 + y_dot^2) - mass*g*y" }
constraints = { rod = "((right.x - x)^2 + (right.y - y)^2 - spacing^2)*(0.5/spacing)" }"""
LATTICES = {
    "fput-beta": ('name = "fput-beta"\nbeta = 0.5', FPUT, 48, "fixed", "modes = [4.0]", GAUSS, "modes = 3"),
    "fput-beta by Verlet": ('name = "fput-beta"\nbeta = 0.5', FPUT, 48, "periodic", "modes = [4.0]",
                            'name = "stormer-verlet"\nstep = 0.1', "modes = 3"),
    "sine-gordon": ('name = "sine-gordon"\nspacing = 0.2', SINE_GORDON, 60, "free", BUMP, GAUSS, ""),
    "sine-gordon, a grid": ('name = "sine-gordon"\nspacing = 0.2', SINE_GORDON, [10, 8], "periodic", BUMP,
                            'name = "gauss"\nstep = 0.05', ""),
}
SECTION = """study = "poincare"
[model]
coordinates = ["q1", "q2"]
lagrangian = "(q1_dot^2 + q2_dot^2)/2 - (q1^2 + square)/2 - (q1^2*q2 - q2*square/3)"
where = {{ square = "q2^2", speed = "q2_dot^2", clock = "2*t" }}
[method]
name = "gauss"
step = 0.25
[section]
where = "{}"
condition = "{}"
direction = "both"
[ensemble]
list = [[0.1, 0.1, 0.3, 0.2], [0.0, -0.1, 0.2, 0.4]]
[stop]
crossings = 10
[output]
file = "out.h5"
"""
POOL = """study = "overland"
[mesh]
from = [0.0, 0.0]
to = [2.0, 1.0]
cells = [12, 6]
[bed]
height = "0.2*x"
[initial]
depth = 0.3
where = "x > 1"
[friction]
coefficient = 1.0
[rain]
rate = 0.01
[method]
name = "{}"
step = 0.05
[stop]
time = 0.4
[output]
every = 0.1
file = "out.h5"
"""


# On several ranks what one reads is tested once: each case is a start of all.
EACH = 1 if RANKS > 1 else 20


class Statements(ProgramTest):
    def run_to(self, name, text, *words):
        return self.ended(self.deck(text), f"output.file={name}", *words).stdout

    def different(self, one, other):
        self.run_to("one.h5", one)
        self.assertIn("\nformulas ", self.run_to("other.h5", other))
        return same_bits(self.at / "one.h5", self.at / "other.h5")

    def refused(self, text, *parts):
        self.says(self.launch(self.deck(text)), 2, "deck.toml:", *parts)

    def test_potentials(self):
        for name, (built_in, formula) in some(POTENTIALS):
            with self.subTest(name):
                mode = "switched" if name == "yukawa" else "shifted"
                self.assertEqual(self.different(PARTICLES.format(built_in, mode), PARTICLES.format(formula, mode)), [])
        other = LENNARD_JONES.replace("4*epsilon", "4.000000000001*epsilon")
        self.assertIn("particles/position",
                      self.different(PARTICLES.format(LENNARD_JONES, "cut"), PARTICLES.format(other, "cut")))

    @unittest.skipIf(RANKS > 1, "one rank reads what all do")
    def test_range_of_a_potential(self):
        """Cut off where it isn't felt, as a built-in one."""
        built_in, formula = (PARTICLES.format(text, "cut").replace("cut = 2.5", "tail = 1e-6")
                             for text in POTENTIALS["ricker"])
        self.run_to("one.h5", built_in)
        self.run_to("other.h5", formula)
        energies = [h5py.File(self.at / name)["particles/energy"][...] for name in ("one.h5", "other.h5")]
        np.testing.assert_allclose(*energies, rtol=1e-9, atol=1e-9)
        far = PARTICLES.format('potential = "r^2"', "cut").replace("cut = 2.5", "tail = 1e-6")
        self.refused(far, "[potential] tail", "never falls below it")
        near = PARTICLES.format('potential = "1e-30*exp(-r)"', "cut").replace("cut = 2.5", "tail = 1e-6")
        self.refused(near, "[potential] tail", "isn't felt")

    def test_molecules(self):
        built_in, formula = POTENTIALS["lennard-jones"]
        self.assertEqual(self.different(MOLECULES.format(built_in), MOLECULES.format(formula)), [])

    def test_potentials_refused(self):
        for text, *parts in some((
                ('potential = "4*(r^-12 - rr^-6)"', "[potential] potential", "unknown name 'rr'", "column 12", "did you mean 'r'",
                 "           ^"),
                ('potential = "a"\nparameters = { a = 1.0 }', "is constant: r is not in it"),
                ('potential = "1/r"\nname = "none"', "[potential] name", "not both"),
                ('potential = "1/r"\nparameters = { r = 1.0 }', "'r' stands twice"),
                ('potential = "r < 1"', "[potential] potential"),
                ('potential = "u"\nwhere = { u = "1/rr" }', "[potential.where] u", "did you mean 'r'"),
                ('potential = "1/r"\ndepth = 3.0', "depth")), EACH):
            with self.subTest(text):
                self.refused(PARTICLES.format(text, "cut"), *parts)

    def test_fields(self):
        for name, (dimension, wall, built_in, formula) in some(FIELDS):
            with self.subTest(name):
                built_in, formula = (BILLIARD.format(dimension, wall, text) for text in (built_in, formula))
                if dimension == 3:
                    built_in, formula = (text.replace("x_dot = ", "z = [-0.2, 0.2], z_dot = [-1.0, 1.0], x_dot = ")
                                         for text in (built_in, formula))
                self.assertEqual(self.different(built_in, formula), [])
        other = formula.replace("kx = 1.0", "kx = 1.0000000001").replace("lambda = 0.9", "lambda = 0.9000000001")
        self.assertIn("collisions/point", self.different(formula, other))

    @unittest.skipIf(RANKS > 1, "one rank compiles")
    def test_one_file_for_all_formulas_of_a_deck(self):
        """A wall and a field; a pair potential; a lattice: each from its file where there is no compiler and no cache."""
        sets = '[{ name = "wall", omega = "1 - x^2 - y^2"@ }]'
        billiard = BILLIARD.format(2, "circle", FIELDS["henon-heiles"][3] + "\n@")
        billiard = re.sub(r"sets = .*", "sets = " + sets, billiard)
        fput = LATTICES["fput-beta"]
        for text in (billiard, PARTICLES.format(LENNARD_JONES + "\n@", "cut"), LATTICE.format(fput[1] + "\n@", *fput[2:])):
            with self.subTest(text[:20]):
                named = text.replace('"@', '", compiled = "all"').replace("@", 'compiled = "all"')
                self.run_to("usual.h5", text.replace('"@', '"').replace("@", ""))
                end = self.launch("--compile", self.deck(named), "-o", "all")
                self.assertEqual(end.returncode, 0, end.stderr)
                nothing = {"COTANGENT_COMPILER": "none", "COTANGENT_CACHE": str(self.at / "empty")}
                end = self.launch(self.deck(named), "output.file=ahead.h5", env={**self.alone, **nothing})
                self.assertEqual(end.returncode, 0, end.stderr)
                self.assertEqual(end.stdout.count("from all"), named.count("compiled"))
                self.assertEqual(same_bits(self.at / "usual.h5", self.at / "ahead.h5"), [])
                # Another formula isn't in it.
                other = re.sub(r"(1 - x|4\*epsilon|0\.5\*q_dot)", r"1.5*\1", named)
                self.assertNotEqual(other, named)
                end = self.launch(self.deck(other), "output.file=x.h5", env={**self.alone, **nothing})
                self.says(end, 2, "another formula", "--compile DECK -o FILE")

    def test_fields_refused(self):
        for forces, *parts in some((
                ('potential = "harmonik"', "[forces] potential", "did you mean 'harmonic'"),
                ('potential = "x^2 + yy^2"', "[forces] potential", "unknown name 'yy'", "did you mean 'y'"),
                ('potential = "x^2 + z^2"', "'z'"),
                ('potential = "k*x^2"\nk = 1.0', "unknown name 'k'"),
                ('potential = "2*k"\nparameters = { k = 1.0 }', "is constant: x, y are not in it")), EACH):
            with self.subTest(forces):
                self.refused(BILLIARD.format(2, "circle", forces), *parts)

    def test_lattices(self):
        for name, (built_in, formula, *rest) in some(LATTICES, 2):
            with self.subTest(name):
                self.assertEqual(self.different(LATTICE.format(built_in, *rest), LATTICE.format(formula, *rest)), [])
        rest = LATTICES["fput-beta"][2:]
        other = FPUT.replace("0.25*beta", "0.2500000001*beta")
        self.assertIn("lattice/q", self.different(LATTICE.format(FPUT, *rest), LATTICE.format(other, *rest)))

    @unittest.skipIf(RANKS > 1, "Newton's method has other last bits on more ranks")
    def test_lattices_by_newton_and_with_constraints(self):
        rest = (12, "free", 'a = "0.5*exp(-x^2)"', GAUSS, "")
        built_in = 'name = "double-pendulum-chain"\nm2 = 0.8\ncoupling = 0.5'
        # Terms add up in the order of the deck, here another one: equal but for rounding.
        self.run_to("one.h5", LATTICE.format(built_in, *rest))
        self.run_to("other.h5", LATTICE.format(PENDULUMS, *rest))
        with h5py.File(self.at / "one.h5") as one, h5py.File(self.at / "other.h5") as other:
            np.testing.assert_allclose(one["lattice/q"], other["lattice/q"], atol=1e-11)
        rest = (9, "free", 'x = "x"', 'name = "lobatto-pair"\nstep = 0.05', "")
        built_in = 'name = "inextensible-chain"'
        self.assertEqual(self.different(LATTICE.format(built_in, *rest), LATTICE.format(CHAIN_OF_RODS, *rest)), [])

    @unittest.skipIf(RANKS > 1, "one rank reads what all do")
    def test_modes_are_those_of_the_terms(self):
        """Where small oscillations aren't those of a chain of unit masses there are none."""
        text = LATTICE.format(FPUT.replace("0.5*q_dot^2", "h*q_dot^2").replace("(right.q - q)^2", "(right.q - q + d)^2 + 10*d*q").replace(
            "{ beta", "{ h = 0.5, d = 0.0, beta"), *LATTICES["fput-beta"][2:])
        self.run_to("known.h5", text)  # the control
        for change in (("h = 0.5", "h = 1.0"), ("d = 0.0", "d = 0.1")):
            with self.subTest(change):
                self.refused(text.replace(*change), "modes", "small oscillations")

    def test_lattices_refused(self):
        for change, *parts in some((
                (("right.q - q", "rigt.q - q"), "[model.where] square", "unknown name 'rigt.q'", "did you mean 'right.q'"),
                (("right.q - q", "right.p - q"), "unknown name 'right.p'", "did you mean 'right.q'"),
                (("0.5*q_dot^2", "0.5*q^2"), "[model] terms", "no velocity q_dot"),
                (("0.5*q_dot^2", "beta"), "[model.terms] site", "is constant"),
                (("right = 1", "right = 0"), "[model.neighbours] right", "not both 0"),
                (("right = 1", "right = [1, 2, 3]"), "[model.neighbours] right"),
                (("beta = 0.5", "spacing = -1.0, beta = 0.5"), "spacing", "must be positive"),
                (("coordinates", "cordinates"), "coordinates")), EACH):
            with self.subTest(change):
                self.refused(LATTICE.format(FPUT.replace(*change), 48, "free", BUMP, GAUSS, ""), *parts)

    @unittest.skipIf(RANKS > 1, "one rank reads what all do")
    def test_parts_of_a_model_in_its_section(self):
        """They stand for what they say; parts of the time aren't known there."""
        self.run_to("written_out.h5", SECTION.format("q1 - 0.1*q2^2", "q2_dot^2 < 0.2"))
        self.run_to("parts.h5", SECTION.format("q1 - 0.1*square", "speed < 0.2"))
        self.assertEqual(same_bits(self.at / "written_out.h5", self.at / "parts.h5"), [])
        self.run_to("other.h5", SECTION.format("q1 - 0.1001*square", "speed < 0.2"))
        self.assertIn("section/points", same_bits(self.at / "written_out.h5", self.at / "other.h5"))
        self.refused(SECTION.format("q1 - 0.1*sqare", "q1 < 1"), "[section] where", "did you mean 'square'")
        self.refused(SECTION.format("q1 - clock", "q1 < 1"), "[section] where", "unknown name 'clock'")

    def test_rain(self):
        for method in some(("conservative", "mini", "rt0"), EACH):
            with self.subTest(method):
                pool = POOL.format(method)
                self.run_to("number.h5", pool)
                for rate in ("1/100", "0.01 + 0*x"):
                    self.run_to("formula.h5", pool, f"rain.rate={rate}")
                    if RANKS == 1:  # MUMPS has other last bits each time
                        self.assertEqual(same_bits(self.at / "number.h5", self.at / "formula.h5"), [])
                self.run_to("other.h5", pool, "rain.rate=0.0100000001 + 0*x")
                self.assertIn("water/depth", same_bits(self.at / "number.h5", self.at / "other.h5"))
                # The mean over a step is exact to t^7, at the vertices; a column of them has the width of its cells.
                said = self.run_to("varying.h5", pool, "rain.rate=0.01*(1 + x*t)^4")
                x, t = np.linspace(0, 2, 13), 0.4
                fallen = 0.01 * np.where(x > 0, ((1 + x * t)**5 - 1) / (5 * np.maximum(x, 1e-9)), t)
                with h5py.File(self.at / "varying.h5") as found:
                    rain, _, inflow, outflow, clipped = found["water/ledger"][-1]
                    kept = found["water/volume"][-1] - found["water/volume"][0]
                self.assertLess(abs(rain - np.trapz(fallen, x)), 1e-15)  # measured: 7e-18
                self.assertLess(abs(kept - (rain + inflow - outflow + clipped)), 1e-14, said)  # measured: 3e-17

    def test_rain_refused(self):
        pool = POOL.format("conservative")
        self.refused(pool.replace("rate = 0.01", 'rate = "0.1 - x*tt"'), "[rain] rate", "did you mean 't'", "column 9")
        self.refused(pool.replace("rate = 0.01", 'rate = "0.1 - x"'), "[rain] rate", "at least 0", "t = 0")
        # Found on one rank, told by all: whose part of the land it is, the partitioner says; the rain is negative there.
        end = self.launch(self.deck(pool.replace("rate = 0.01", 'rate = "0.1 - x*t"')))
        self.says(end, 2, "deck.toml:", "[rain] rate", "at least 0")
        said = re.search(r"is (-[\d.e-]+) at \(([\d.]+), ([\d.]+)\) and t = ([\d.]+)", end.stderr)
        self.assertTrue(said, end.stderr)
        rate, x, y, t = map(float, said.groups())
        self.assertLess(abs(rate - (0.1 - x * t)), 1e-6)
        self.assertTrue(1 < x <= 2 and 0 <= y <= 1 and 0.05 < t < 0.1, said[0])
        self.refused(pool.replace("rate = 0.01", 'rate = "sqrt(0.2 - t)"'), "[rain] rate", "must be finite")


if __name__ == "__main__":
    unittest.main()
