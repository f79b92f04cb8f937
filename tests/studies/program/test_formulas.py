# SPDX-License-Identifier: BSD-3-Clause
"""Problems stated by formulas in the deck: the bits of the built-in models, the cache, compiled files, driven motion."""
import cmath
import math
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import h5py

from formula_test import HENON_HEILES, SECTION, SHARED, FormulaTest, deck_of
from launch import POINCARE, PROGRAMS, in_full, some
from results import same_bits

DOUBLE_PENDULUM = """coordinates = ["a", "b"]
angles = ["a", "b"]
parameters = { m1 = 1.0, m2 = 1.0, l1 = 1.0, l2 = 1.0, g = 1.0 }
where = { difference = "cos(a)*cos(b) + sin(a)*sin(b)", mass = "m1 + m2" }
lagrangian = '''0.5*mass*l1*l1*a_dot^2 + 0.5*m2*l2*l2*b_dot^2 + m2*l1*l2*(difference*(a_dot*b_dot))
  + mass*g*l1*cos(a) + m2*g*l2*cos(b)'''
"""
MAGNETIC_CHAIN = """coordinates = ["t", "s"]
angles = ["t", "s"]
parameters = { alpha = [18.0, 18.005] }
lagrangian = '''(3.4 + 2*cos_sum)*t_dot^2 + 0.7*s_dot^2 + (2.4 + cos_sum)*t_dot*s_dot
  + alpha/12*magnetic - heights'''
domain = "2*abs(cos_c) - 1"
[model.where]
sin_c = "sin(0.5*(t + s))"
cos_c = "cos(0.5*(t + s))"
sin_d = "sin(0.5*(t - s))"
cos_d = "cos(0.5*(t - s))"
cos_sum = "2*cos_c^2 - 1"
cos_difference = "2*cos_d^2 - 1"
r13 = "2*abs(cos_c)"
far = "1/(r13*r13*r13)"
magnetic = "6 + (2*cos_sum^2 - 1)*far + cos_difference*(2*cos_sum + 3*far)"
heights = "(2*cos_sum + 1)*cos_c*cos_d - (2*cos_sum + 3)*sin_c*sin_d"
"""
TORUS = """coordinates = ["x", "y", "z"]
parameters = { R = 1.0, r = 0.4, mass = 1.0, gravity = 0.0 }
lagrangian = "mass*(0.5*(x_dot^2 + y_dot^2 + z_dot^2) - gravity*z)"
constraint = ["(sqrt(x^2 + y^2) - R)^2 + z^2 - r^2"]
"""
SLEIGH = """coordinates = { x = "1", y = "1", a = "rad" }
angles = ["a"]
parameters = { mass = 1.0, inertia = 1.0, offset = 0.5, tilt = 0.1 }
where = { u = "x_dot - offset*sin(a)*a_dot", w = "y_dot + offset*cos(a)*a_dot" }
lagrangian = "0.5*mass*(u^2 + w^2) + 0.5*inertia*a_dot^2 - mass*tilt*(x + offset*cos(a))"
rolling = ["y_dot*cos(a) - x_dot*sin(a)"]
"""
GEODESICS = """[method]
name = "rattle"
step = 0.01
[section]
where = "y"
[ensemble]
energy = 0.5
project = true
grid = { x = [1.4, 1.4, 1], y_dot = [1.0, 1.0, 1], z_dot = [0.05, 4.05, 21] }
[stop]
crossings = 20
[output]
surface_cells = 0
file = "out.h5"
"""
ROLLING = """[method]
name = "lobatto-spark"
stages = 4
step = 0.1
[ensemble]
project = true
list = [[0.0, 0.0, 0.0, 1.0, 0.0, 1.5], [0.0, 0.0, 1.0, -0.8, -1.2, -0.3]]
[stop]
time = 4.0
[output]
every = 0.1
file = "out.h5"
"""
CASES = {
    "henon-heiles": (HENON_HEILES, "poincare", SECTION.format("q1", "0.125", "q2"), "name = \"henon-heiles\""),
    "double-pendulum": (DOUBLE_PENDULUM, "poincare", SECTION.format("a", "[-1.0, 4.0]", "b"), "name = \"double-pendulum\""),
    "magnetic-chain": (MAGNETIC_CHAIN, "poincare", SECTION.format("t", "[-9.745, -9.74]", "s"),
                       "name = \"magnetic-chain\"\nalpha = [18.0, 18.005]"),
    "torus": (TORUS, "poincare", GEODESICS, "name = \"torus\"\nR = 1.0\nr = 0.4"),
    "chaplygin-sleigh": (SLEIGH, "trajectory", ROLLING, "name = \"chaplygin-sleigh\"\ntilt = 0.1"),
}


class Formulas(FormulaTest):
    def test_bits_of_the_built_in_models(self):
        for name, (formulas, study, rest, built_in) in some(CASES, 3):
            with self.subTest(name):
                self.run_to("built_in.h5", deck_of(built_in + "\n", study, rest))
                self.run_to("formula.h5", deck_of(formulas, study, rest))
                self.assertEqual(same_bits(self.at / "built_in.h5", self.at / "formula.h5"), [])
                with h5py.File(self.at / "formula.h5") as found:
                    self.assertRegex(found["provenance"].attrs["formulas"], "compiled in|from the cache")

    def test_bits_of_large_formulas(self):
        """As tables of operations, whatever their size: a chart with where, roots and a domain; a manifold."""
        for name in some(("magnetic-chain", "torus")):
            with self.subTest(name):
                formulas, study, rest, built_in = CASES[name]
                self.run_to("built_in.h5", deck_of(built_in + "\n", study, rest))
                self.set_variable("COTANGENT_MOST_UNFOLDED", 0)
                self.run_to("table.h5", deck_of(formulas, study, rest))
                self.assertEqual(same_bits(self.at / "built_in.h5", self.at / "table.h5"), [])

    def test_control_another_formula_has_other_bits(self):
        self.run_to("one.h5", deck_of(HENON_HEILES))
        self.run_to("other.h5", deck_of(HENON_HEILES.replace("q2 - 1.5", "q2 - 1.5000000000001")))
        self.assertIn("section/points", same_bits(self.at / "one.h5", self.at / "other.h5"))


class Cache(FormulaTest):
    """Each test has a cache of its own."""

    def setUp(self):
        super().setUp()
        self.cache = self.at / "cache"
        self.set_variable("COTANGENT_CACHE", self.cache)

    def objects(self):
        return sorted(self.cache.glob("*.so"))

    def fill(self):
        """Brings the object of Hénon-Heiles' deck from the cache of all tests."""
        self.set_variable("COTANGENT_CACHE", SHARED)
        self.run_to("filled.h5", deck_of(HENON_HEILES))
        self.set_variable("COTANGENT_CACHE", self.cache)
        self.cache.mkdir(mode=0o700)
        for made in pathlib.Path(SHARED).glob("*.so"):
            shutil.copy2(made, self.cache)

    def test_compiled_once(self):
        self.assertIn("compiled in", self.run_to("first.h5", deck_of(HENON_HEILES)))
        self.assertIn("from the cache", self.run_to("second.h5", deck_of(HENON_HEILES)))
        self.assertEqual(len(self.objects()), 1)
        self.assertEqual(same_bits(self.at / "first.h5", self.at / "second.h5"), [])
        # Names, units and values are no part of the code.
        renamed = HENON_HEILES.replace("q1", "first").replace("q2", "second")
        self.run_to("renamed.h5", deck_of(renamed, rest=SECTION.format("first", "0.125", "second")))
        self.assertEqual(len(self.objects()), 1)
        # Nor is a run that is resumed another.
        self.run_to("half.h5", deck_of(HENON_HEILES), "stop.crossings=20")
        self.assertIn("was complete", self.run_to("half.h5", deck_of(HENON_HEILES), "stop.crossings=20", "--resume"))

    @in_full
    def test_what_killed_compilations_left_goes_after_a_day(self):
        self.run_to("first.h5", deck_of(HENON_HEILES))
        key = self.objects()[0].stem
        old, young, other = (self.cache / name for name in (f"{key}.host.7.cpp", f"{key}.host.8.so", "notes.of.mine.log"))
        claim = self.cache / f"{key}.0.compiling"
        for file in (old, young, other, claim):
            file.write_text("left", encoding="utf-8")
        for file in (old, other, claim):
            os.utime(file, (1e9, 1e9))
        self.run_to("second.h5", deck_of(HENON_HEILES.replace("1.5", "1.6")))  # another one is compiled
        self.assertEqual([file.exists() for file in (old, young, other, claim)], [False, True, True, False])

    @in_full
    def test_cache_that_is_no_ones_to_write(self):
        self.cache.write_text("a file, not a folder", encoding="utf-8")
        told = self.run_to("out.h5", deck_of(HENON_HEILES))
        self.assertIn("can't be written", told)
        self.assertEqual(len(list((self.at / ".cotangent").glob("*.so"))), 1)

    def test_object_that_others_may_write_is_not_loaded(self):
        self.fill()
        for made in self.objects():
            made.chmod(0o777)
        self.says(self.launch(self.deck(deck_of(HENON_HEILES)), "output.file=next.h5"), 2, "others may write", "remove it")
        self.assertFalse((self.at / "next.h5").exists())

    def test_compiled_ahead(self):
        self.fill()
        deck = self.deck(deck_of(HENON_HEILES))
        end = self.launch("--compile", deck, "-o", "hh.formula", ranks=1)
        self.assertEqual(end.returncode, 0, end.stderr)
        self.assertFalse((self.at / "out.h5").exists())
        self.run_to("usual.h5", deck_of(HENON_HEILES))
        shutil.rmtree(self.cache)
        told = self.run_to("ahead.h5", deck_of(HENON_HEILES), "model.compiled=hh.formula")
        self.assertIn("from hh.formula", told)
        self.assertFalse(self.cache.exists())
        self.assertEqual(same_bits(self.at / "usual.h5", self.at / "ahead.h5"), [])
        # It serves the formula, the method and the number of stages that it was made for alone, whatever its parameters.
        for other in ("model.lagrangian=q1_dot^2 + q2_dot^2 - q1^2", "method.stages=4"):
            self.says(self.launch(deck, "model.compiled=hh.formula", other, "output.file=x.h5"), 2, "another formula")
        (self.at / "hh.formula").write_bytes(b"\x7fELF")  # no such file
        self.says(self.launch(deck, "model.compiled=hh.formula", "output.file=x.h5"), 2, "another formula")
        self.says(self.launch(deck, "model.compiled=none.formula", "output.file=x.h5"), 3, "none.formula")
        self.says(self.launch("--compile", self.deck(POINCARE), ranks=1), 2, "no formulas")


    def test_a_file_of_compiled_formulas_that_is_damaged(self):
        self.fill()
        deck = self.deck(deck_of(HENON_HEILES))
        self.assertEqual(self.launch("--compile", deck, "-o", "hh.formula", ranks=1).returncode, 0)
        whole = (self.at / "hh.formula").read_bytes()
        middle = len(whole) // 2
        for damaged in (whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:], whole[:middle], whole[:-1], whole + b"more"):
            (self.at / "hh.formula").write_bytes(damaged)
            self.says(self.launch(deck, "model.compiled=hh.formula"), 2, "lagrangian = ", "hh.formula", "damaged", "make it again")
        os.mkfifo(self.at / "pipe")
        (self.at / "folder").mkdir()
        for name in ("pipe", "folder", "/dev/null"):
            self.says(self.launch(deck, f"model.compiled={name}"), 2, name, "no file to read")
        self.assertFalse((self.at / "out.h5").exists())

    def test_compiling_spares_other_files(self):
        """The deck itself, say, as the file to write; and a pipe or a device."""
        self.fill()
        text = deck_of(HENON_HEILES)
        deck = self.deck(text)
        os.mkfifo(self.at / "pipe")
        for name in (deck, "pipe"):
            self.says(self.launch("--compile", deck, "-o", name, ranks=1), 2, f"cannot leave compiled formulas in {name}")
        self.assertEqual((self.at / deck).read_text(encoding="utf-8"), text)
        self.assertTrue((self.at / "pipe").is_fifo())
        # What is of this kind is replaced, also by many at once.
        runs = [subprocess.Popen([PROGRAMS / "cotangent", "--compile", deck, "-o", "hh.formula"], cwd=self.at, env=self.alone,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(8)]
        for run in runs:
            said, _ = run.communicate(timeout=self.longest)
            self.assertEqual(run.returncode, 0, said)
        self.run_to("out.h5", text, "model.compiled=hh.formula")
        self.assertEqual([file.name for file in self.at.glob("hh.formula*")], ["hh.formula"])

    def test_a_cache_serves_machines_without_a_compiler(self):
        self.fill()
        self.run_to("with.h5", deck_of(HENON_HEILES))
        self.set_variable("COTANGENT_COMPILER", self.at / "missing")
        self.assertIn("from the cache", self.run_to("without.h5", deck_of(HENON_HEILES)))
        self.assertEqual(same_bits(self.at / "with.h5", self.at / "without.h5"), [])
        shutil.rmtree(self.cache)
        self.says(self.launch(self.deck(deck_of(HENON_HEILES))), 2, "needs a compiler", "lagrangian = ",
                  "'cotangent --compile DECK -o FILE'", "compiled = ")

    def test_nowhere_to_write(self):
        for name in ("cache", ".cotangent"):
            (self.at / name).write_text("a file, not a folder", encoding="utf-8")
        self.says(self.launch(self.deck(deck_of(HENON_HEILES))), 3, "by the variable COTANGENT_CACHE")


DRIVEN = """study = "trajectory"
[model]
coordinates = ["x"]
parameters = { c = 0.3, k = 1.7, F = 0.8, w = 1.3 }
lagrangian = "x_dot^2/2 - k*x^2/2"
force = { x = "F*cos(w*t)" }
dissipation = "c*x_dot^2/2"
[method]
name = "gauss"
stages = 8
step = 0.25
[ensemble]
list = [[0.7, -0.4], [0.1, 0.2]]
[stop]
time = 4.0
[output]
every = 0.5
file = "out.h5"
"""
SHAKEN = """study = "trajectory"
[model]
coordinates = ["x", "y"]
lagrangian = "(x_dot^2 + y_dot^2)/2 - y"
force = { x = "-0.2*x_dot", y = "-0.2*y_dot" }
constraint = ["((x - 0.3*sin(1.7*t))^2 + (y - 0.2*cos(1.1*t))^2 - 1)/2"]
[method]
name = "lobatto-spark"
stages = 6
step = 0.1
[ensemble]
project = true
list = [[0.4, -0.7, 0.5, 0.3]]
[stop]
time = 4.0
[output]
every = 0.5
file = "out.h5"
"""

BELT = """study = "trajectory"
[model]
coordinates = ["x", "y", "a"]
parameters = { u = 0.3 }
lagrangian = "(x_dot^2 + y_dot^2 + a_dot^2)/2"
rolling = ["(y_dot - u)*cos(a) - x_dot*sin(a)"]
[method]
name = "lobatto-spark"
stages = 6
step = 0.1
[ensemble]
list = [[0.0, 0.0, 0.0, 1.0, 0.3, 0.7]]
[stop]
time = 10.0
[output]
every = 0.5
file = "out.h5"
"""


class Driven(FormulaTest):
    """Forces, dissipation, constraints that move."""

    def test_the_exact_solution(self):
        c, k, drive, w, t = 0.3, 1.7, 0.8, 1.3, 4.0
        steady = drive / complex(k - w * w, c * w)
        omega = (k - c * c / 4) ** 0.5
        starts, ends, error, energy = self.final(DRIVEN)
        for (x, v), end in zip(starts, ends):
            x, v = x - steady.real, v - (1j * w * steady).real
            transient = complex(x, -(v + c / 2 * x) / omega) * cmath.exp(complex(-c / 2, omega) * t)
            wave = steady * cmath.exp(1j * w * t)
            self.assertAlmostEqual(end[0], (transient + wave).real, delta=1e-14)
            self.assertAlmostEqual(end[1], (complex(-c / 2, omega) * transient + 1j * w * wave).real, delta=1e-14)
        self.assertLess(error, 1e-14)
        self.assertGreater(energy.max() - energy.min(), 0.1)
        # Friction as a force is the same motion; with the other sign it isn't.
        plain = DRIVEN.replace('dissipation = "c*x_dot^2/2"\n', "")
        plain = plain.replace("F*cos(w*t)", "F*cos(w*t) - c*x_dot")
        as_force = self.final(plain)[1]
        self.assertLess(abs(as_force - ends).max(), 1e-14)
        wrong = self.final(plain, "model.parameters.c=-0.3")[1]
        self.assertGreater(abs(wrong - ends).max(), 0.1)

    def test_a_knife_edge_on_a_belt(self):
        """The belt's work is in the balance, and the path is a circle seen from it; as a table, too."""
        for most in some((2000, 0)):
            self.set_variable("COTANGENT_MOST_UNFOLDED", most)
            (end,), error, energy = self.final(BELT)[1:]
            for found, exact in zip(end, (math.sin(7) / 0.7, (1 - math.cos(7)) / 0.7 + 3, 7, math.cos(7), math.sin(7) + 0.3, 0.7)):
                self.assertAlmostEqual(found, exact, delta=1e-12)
            self.assertLess(error, 1e-13)
            self.assertGreater(energy.max() - energy.min(), 0.3)

    def test_a_pivot_that_shakes(self):
        (start,), (end,), error, energy = self.final(SHAKEN)
        self.assertLess(error, 1e-13)
        self.assertGreater(energy.max() - energy.min(), 0.1)
        self.assertAlmostEqual(math.hypot(start[0], start[1] - 0.2), 1, delta=1e-14)  # moved onto it
        x, y = 0.3 * math.sin(1.7 * 4), 0.2 * math.cos(1.1 * 4)
        self.assertAlmostEqual(math.hypot(end[0] - x, end[1] - y), 1, delta=1e-14)

    @in_full
    def test_the_same_pivot_by_its_angle(self):
        """The time in the Lagrangian, friction in Rayleigh's function."""
        (start,), (end,) = self.final(SHAKEN)[:2]
        x, y = 0.3 * math.sin(1.7 * 4), 0.2 * math.cos(1.1 * 4)
        angle, speed = math.atan2(start[0], 0.2 - start[1]), (start[2] - 0.51) * (0.2 - start[1]) + start[3] * start[0]
        by_angle = f"""study = "trajectory"
[model]
coordinates = ["a"]
where = {{ u = "0.51*cos(1.7*t) + cos(a)*a_dot", s = "sin(a)*a_dot - 0.22*sin(1.1*t)" }}
lagrangian = "(u^2 + s^2)/2 + cos(a) - 0.2*cos(1.1*t)"
dissipation = "0.1*(u^2 + s^2)"
[method]
name = "gauss"
step = 0.1
[ensemble]
list = [[{angle!r}, {speed!r}]]
""" + SHAKEN[SHAKEN.index("[stop]"):]
        (at,), balance = self.final(by_angle)[1:3]
        self.assertLess(balance, 1e-13)
        self.assertAlmostEqual(end[0], x + math.sin(at[0]), delta=1e-11)
        self.assertAlmostEqual(end[1], y - math.cos(at[0]), delta=1e-11)

    def test_energy_under_a_constraint_that_moves(self):
        grid = "grid = { x = [0.4, 0.4, 1], y = [-0.7, -0.7, 1], x_dot = [0.9, 0.9, 1], y_dot = [0.3, 0.3, 1] }"
        self.final(SHAKEN.replace("list = [[0.4, -0.7, 0.5, 0.3]]", f"energy = [0.3, 0.9]\n{grid}"))
        with h5py.File(self.at / "out.h5") as found:
            for (x, y, u, v), energy in zip(found["orbits/initial"], found["orbits/energy"]):
                self.assertAlmostEqual(x * (u - 0.51) + (y - 0.2) * v, 0, delta=1e-13)  # the pivot's velocity
                self.assertAlmostEqual((u * u + v * v) / 2 + y, energy, delta=1e-13)
            self.assertAlmostEqual(found["orbits/energy"][0], 0.3, delta=1e-13)
            self.assertAlmostEqual(found["orbits/energy"][1], 0.9, delta=1e-13)

    def test_what_is_refused(self):
        self.refused("force", "unknown coordinate 'y'", "valid: x", text=DRIVEN.replace("{ x =", "{ y ="))
        self.refused("dissipation", "no velocity", text=DRIVEN.replace("c*x_dot^2/2", "c*x^2/2"))
        self.refused("force", "x_dott", "did you mean", text=DRIVEN.replace("F*cos(w*t)", "x_dott"))
        self.refused("domain", "depends on the time", text=DRIVEN.replace("force", 'domain = "2 - t - x"\nforce'))
        rattle = SHAKEN.replace("lobatto-spark", "rattle").replace("stages = 6\n", "")
        self.refused("constrained by what moves", "'rattle'", "lobatto-spark", text=rattle)
        still = rattle[:rattle.index("constraint")] + 'constraint = ["x^2 + y^2 - 1"]\n' + rattle[rattle.index("[method]"):]
        self.refused("forces that depend on velocities", "'rattle'", "lobatto-spark", text=still)


class Described(FormulaTest):
    """What the program says of its own models, as formulas."""

    def said(self, *words):
        end = self.launch("--describe", *words, ranks=1)
        self.assertEqual(end.returncode, 0, end.stderr)
        return end.stdout

    def test_formulas_of_models(self):
        self.assertIn("L = 0.5*(q1_dot^2 + q2_dot^2) - q1^2*(0.5 + q2) + q2^2*(q2 - 1.5)/3", self.said("henon-heiles"))
        self.assertIn("0 = (sqrt(x^2 + y^2) - R)^2 + z^2 - r^2", self.said("torus"))
        self.assertIn("U = (1 - s*(1/sigma^2))^2*strength", self.said("soft"))
        self.assertIn(r"L &= \frac{1}{2} \, \left(\dot{q}_1^{2}", self.said("henon-heiles", "--latex"))
        self.says(self.launch("--describe", "henon-heils", "--as-deck", ranks=1), 2, "did you mean 'henon-heiles'")
        self.says(self.launch("--list", "--latex", ranks=1), 2, "go with --describe")

    def test_formulas_of_a_deck(self):
        deck = self.deck(deck_of(HENON_HEILES))
        said = self.said(deck)
        self.assertIn("L = 0.5*(q1_dot*q1_dot + q2_dot*q2_dot) - q1*q1*(0.5 + q2)", said)
        self.assertIn("no bounded domain", said)
        self.assertNotIn("in a deck", said)  # which it is
        self.assertIn(r"L &= \frac{1}{2} \, \left(\dot{q}_1 \, \dot{q}_1", self.said(deck, "--latex"))
        self.assertIn("lagrangian = ", self.said(deck, "--as-deck"))
        self.assertIn('name = "henon-heiles"', self.said(self.deck(POINCARE)))
        self.says(self.launch("--describe", self.deck('study = "billiard"\n'), ranks=1), 2, "no model of trajectories")

    def test_javascript_of_a_deck(self):
        """What the explorer's pages fly: a deck's formulas give the motion of the model that they were printed from."""
        named = deck_of('name = "henon-heiles"\n')
        printed = self.said("henon-heiles", "--as-deck")
        stated = deck_of(printed[printed.index("[model]") + len("[model]\n"):printed.index("[method]")])
        motions = []
        for text in (named, stated, stated.replace("0.5", "0.25")):
            said = self.said(self.deck(text), "--javascript")
            self.assertIn("section: {", said)
            self.assertNotIn("domain", said)  # which none of them has
            motions.append(re.search(r"^  motion\(x, d\) \{$.*?^  \}", said, re.M | re.S)[0])
        self.assertEqual(motions[0], motions[1])
        self.assertNotEqual(motions[1], motions[2])

    def test_a_model_without_a_name_is_the_decks(self):
        for name, called in (("", "the deck's model"), ('name = "ring"\n', "'ring'")):
            text = deck_of(name + TORUS, "poincare", GEODESICS)
            self.says(self.launch(self.deck(text.replace("rattle", "gauss")), "--check"), 2, f"the motion of {called} is constrained")
            self.says(self.launch("--describe", self.deck(text), "--javascript", ranks=1), 2, f"cotangent: {called} is constrained; --javascript")

    def test_formulas_of_billiards(self):
        self.assertIn("0 < 1 - (x/a)^2 - (y/b)^2*exp(k*x)", self.said("egg"))
        sinai = self.said("sinai")
        self.assertIn("wall5 = x^2 + y^2 - radius^2", sinai)
        self.assertIn("inside, where above 0: wall1 and wall2 and wall3 and wall4 and wall5", sinai)
        self.assertIn("(wall1 and wall2 and wall3 and wall4) or wall5 or wall6", self.said("stadium", "--as-deck"))
        self.assertIn("U = 0.5*(k_x*x^2 + k_y*y^2)", self.said("harmonic"))
        self.assertIn("U = -strength/sqrt(x^2 + y^2)", self.said("kepler"))
        self.assertIn(r"\frac", self.said("egg", "--latex"))
        self.says(self.launch("--describe", "field:keplr", "--as-deck", ranks=1), 2, "did you mean 'kepler'")

    def test_decks_of_models_run_as_they_are(self):
        """Also of those where not every start does: into a centre, or a disc that falls over."""
        for name in ("kepler", "rolling-disc"):
            end = self.launch(self.deck(self.said(name, "--as-deck")), ranks=1)
            self.assertEqual(end.returncode, 0, name + end.stdout + end.stderr)

    def test_decks_of_billiards_have_their_bits(self):
        """One wall that is no polynomial, walls put together, a field; a control each by another parameter."""
        for name, table, built_in, parameter in some((
                ("rectangle", "domain", 'dimension = 2\nsets = [{ set = "rectangle" }]', ("b = 1", "b = 1.01")),
                ("egg", "domain", 'dimension = 2\nsets = [{ set = "egg" }]', ("k = 0.4", "k = 0.41")),
                ("field:kepler", "forces", 'potential = "kepler"', ("strength = 1", "strength = 1.01")))):
            with self.subTest(name):
                deck = self.said(name, "--as-deck")
                begin = deck.index(f"[{table}]")
                end = deck.index("\n[", begin)
                named = deck[:begin] + f"[{table}]\n{built_in}\n" + deck[end:]
                self.assertIn(parameter[0], deck)
                for file, text in (("formula", deck), ("built_in", named), ("other", deck.replace(*parameter))):
                    run = self.launch(self.deck(text), f"output.file={file}.h5", ranks=1)
                    self.assertEqual(run.returncode, 0, text + run.stdout + run.stderr)
                found = [h5py.File(self.at / f"{file}.h5") for file in ("formula", "built_in", "other")]
                for data in ("collisions/point", "collisions/time", "collisions/velocity"):
                    formula, same, other = (file[data][()].tobytes() for file in found)
                    self.assertEqual(formula, same, data)
                    if data == "collisions/point":
                        self.assertNotEqual(formula, other)
                for file in found:
                    file.close()

    def test_formulas_of_lattices(self):
        toda = self.said("toda")
        self.assertIn("site = 0.5*q_dot^2", toda)
        self.assertIn("bond = 1 + (q - right.q - exp(q - right.q))", toda)
        self.assertIn("L is their sum over all sites; right: (1, 0)", toda)
        self.assertIn("0 = ", self.said("inextensible-chain"))
        self.assertIn(r"q_{\mathrm{right}}", self.said("toda", "--latex"))
        self.assertIn("right_up = [1, 1], left_up = [-1, 1], right2 = [2, 0]", self.said("elastic-sheet", "--as-deck"))

    def test_decks_of_lattices_have_their_bits(self):
        for name, parameter in some((("inextensible-chain", "g"), ("toda", None), ("fput-alpha", "alpha"), ("fput-beta", "beta"),
                                     ("phi-four", "spacing"), ("sine-gordon", "spacing"), ("double-pendulum-chain", "m1"),
                                     ("elastic-sheet", "stiffness")), 2):
            with self.subTest(name):
                deck = self.said(name, "--as-deck")
                sites = "\n".join(re.findall(r"^(?:sites|boundary) = .*$", deck, re.M))
                named = deck[:deck.index("[model]")] + f'[model]\nname = "{name}"\n{sites}\n\n' + deck[deck.index("[start]"):]
                other = deck.replace(f"\n{parameter} = ", f"\n{parameter} = 1.01 # ") if parameter else deck.replace("1 + ", "1.5*")
                for text, file in ((deck, "formula.h5"), (named, "built_in.h5"), (other, "other.h5")):
                    end = self.launch(self.deck(text), f"output.file={file}", ranks=1)
                    self.assertEqual(end.returncode, 0, text + end.stdout + end.stderr)
                # Its integrals no deck states.
                self.assertEqual(same_bits(self.at / "built_in.h5", self.at / "formula.h5", ("deck", "lattice/invariant")), [])
                self.assertNotEqual(same_bits(self.at / "built_in.h5", self.at / "other.h5", ("deck", "lattice/invariant")), [])

    def test_decks_of_models_have_their_bits(self):
        for name in some(("double-pendulum", "torus", "henon-heiles", "magnetic-chain", "chaplygin-sleigh", "heavy-top"), 2):
            with self.subTest(name):
                deck = self.said(name, "--as-deck")
                # The built-in model in the rest of the same deck.
                named = deck[:deck.index("[model]")] + f'[model]\nname = "{name}"\n\n' + deck[deck.index("[method]"):]
                for text, file in ((deck, "formula.h5"), (named, "built_in.h5")):
                    end = self.launch(self.deck(text), f"output.file={file}", ranks=1)
                    self.assertEqual(end.returncode, 0, text + end.stdout + end.stderr)
                self.assertEqual(same_bits(self.at / "built_in.h5", self.at / "formula.h5"), [])


if __name__ == "__main__":
    unittest.main()
