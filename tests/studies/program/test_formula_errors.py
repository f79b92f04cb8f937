# SPDX-License-Identifier: BSD-3-Clause
"""What decks with formulas get that are wrong: strangers' decks, units, names, compilers, and runs that fail."""
import unittest

import h5py

from formula_test import HENON_HEILES, SECTION, FormulaTest, deck_of
from launch import FULL, SOURCE, in_full

SPRING = """study = "trajectory"
[model]
coordinates = { x = "m" }
parameters = { mass = 1.0, stiffness = 1.7, drag = 0.1 }
parameter_units = { mass = "kg", stiffness = "N/m", drag = "kg/s" }
lagrangian = "mass*x_dot^2/2 - stiffness*x^2/2"
dissipation = "drag*x_dot^2/2"
force = { x = "-stiffness*x^3/(1 + x^2/x^2)/x^2" }
[method]
name = "gauss"
stages = 4
step = 0.1
[ensemble]
list = [[0.7, -0.4]]
[stop]
time = 0.5
[output]
every = 0.5
file = "out.h5"
"""
BARE = """study = "trajectory"
[model]
coordinates = ["x"]
lagrangian = "{0}"
[method]
name = "gauss"
stages = 4
step = 0.1
[ensemble]
list = [[0.5, 0.3], [2.0, 0.3]]
[stop]
time = 1.0
[output]
every = 0.5
file = "out.h5"
"""
EDGE = """study = "trajectory"
[model]
coordinates = ["x", "y", "a"]
parameters = {{ u = 0.3 }}
lagrangian = "(x_dot^2 + y_dot^2 + a_dot^2)/2"
rolling = ["{0}"]
[method]
name = "{1}"
step = 0.1
{2}
[ensemble]
list = [[0.0, 0.0, 0.0, 1.0, 0.3, 0.7]]
[stop]
time = 10.0
[output]
every = 0.5
file = "out.h5"
"""


class Strangers(FormulaTest):
    """What isn't arithmetic never reaches the compiler; what is wrong is said with its place."""

    def refused_formula(self, formula, *parts, model=HENON_HEILES):
        text = deck_of(model).replace(model.split("lagrangian = ")[1].split("\n")[0], "'''" + formula + "'''")
        self.refused(*parts, text=text)

    def test_attacks(self):
        for attack in ('1); system("touch owned"); (1', "__asm__(q1)", "q1_dot^2 // comment", "q1_dot ??/", "q1_dot\\",
                       "q1_dot^2 #include q1", "q1_dot^2; q2", "`touch owned`", "$(touch owned)", "q1_dot^2 /* q2_dot */",
                       "{q1_dot}", "int(q1)", "q1_dot^2 + operator", "std::abs(q1)", "q1_dot^2 + 1e999999x", "q1[0]"):
            with self.subTest(attack):
                self.refused_formula(attack, "lagrangian", "column")
                self.assertFalse((self.at / "owned").exists())

    def test_attacks_by_other_words(self):
        """What else of a deck is written into a source: the method's name; also where nothing but a look is asked for."""
        deck = deck_of(HENON_HEILES)
        for name in ('gauss"; [[gnu::constructor]] static void f() { system("touch owned"); } const char* z = "', "gauss\\n#error",
                     "Gauss", "gauss;", "ga uss"):
            for words in ((), ("--check",)):
                with self.subTest(name=name, words=words):
                    self.deck(deck.replace('name = "gauss"', f"name = {chr(39) * 3}{name}{chr(39) * 3}"))
                    self.says(self.launch("deck.toml", *words), 2, "[method] name", "no method's name")
                    self.assertFalse((self.at / "owned").exists())

    def test_machine_code_of_others(self):
        """Compiled formulas are this user's own files, which nobody else may write to."""
        self.assertEqual(self.launch("--compile", self.deck(deck_of(HENON_HEILES)), "-o", "hh.formula", ranks=1).returncode, 0)
        self.assertEqual((self.at / "hh.formula").stat().st_mode & 0o022, 0)
        (self.at / "hh.formula").chmod(0o666)
        self.says(self.launch("deck.toml", "model.compiled=hh.formula"), 2, "hh.formula", "others may write to it")

    def test_parts_of_parts(self):
        """Legendre's polynomials by their recurrence: each part mentions two others."""
        parts = 'where = { P0 = "1 + 0*q1", P1 = "q1"' + "".join(
            f', P{n} = "({2 * n - 1}*q1*P{n - 1} - {n - 1}*P{n - 2})/{n}"' for n in range(2, 60)) + " }\n"
        text = deck_of(HENON_HEILES.replace('lagrangian = "', parts + 'lagrangian = "0*P59 + '))
        end = self.launch(self.deck(text), "--check")
        self.assertEqual(end.returncode, 0, end.stderr)

    def test_names_that_are_words_of_cpp(self):
        model = HENON_HEILES.replace("q1", "class").replace("q2", "double")
        end = self.launch(self.deck(deck_of(model, rest=SECTION.format("class", "0.125", "double"))))
        self.assertEqual(end.returncode, 0, end.stderr)

    def test_names_that_are_none(self):
        for name in ("", "1q", "q 1", "q-1", "x" * 40, "pi", "q1_dot", "p_q1", "q2"):
            with self.subTest(name):
                self.refused("coordinates", text=deck_of(HENON_HEILES.replace('"q1", "q2"', f'"{name}", "q2"')))

    def test_limits(self):
        self.refused_formula("(" * 10**6 + "q1" + ")" * 10**6, "lagrangian", "within one another")
        self.refused_formula("q1_dot^2 + q2_dot^2" + " + q1" * 10**5, "lagrangian", "operations")

    def test_what_is_no_problem(self):
        self.refused_formula("q1_dot^2 + q2_dot^2 + q3", "lagrangian", "q3", "did you mean")
        self.refused_formula("q1_dot^2 + q3_dot^2", "lagrangian", "q3_dot")
        self.refused_formula("q1_dot^2 + q2", "lagrangian", "q2_dot", "mass of q2")
        self.refused("constraint", "constant", text=deck_of(HENON_HEILES + 'constraint = ["1 + 1"]\n'))
        self.refused("constraint", "velocity", text=deck_of(HENON_HEILES + 'constraint = ["q1_dot - 1"]\n'))
        self.refused("lagrangian", "missing", text=deck_of('coordinates = ["q1", "q2"]\n'))
        for never in ("1/0", "exp(800)", "acos(1.2)", "10^400"):
            self.refused_formula(f"q1_dot^2 + q2_dot^2 + q1*({never})", "lagrangian", "isn't a finite number")
        self.refused("force", "isn't a finite number", text=deck_of(HENON_HEILES + 'force = { q1 = "-q1^(1/0)" }\n'))
        nothing = 'coordinates = ["q1", "q2"]\nwhere = { z = "2 - 2" }\nlagrangian = "q1_dot^2 + q2_dot^2 - q1/z"\n'
        self.refused("lagrangian", "divided by zero", text=deck_of(nothing))
        self.refused_formula("q1_dot^2 + q2_dot^2 - q1/(2 - 2)", "lagrangian", "divided by zero")


class Told(FormulaTest):
    """What doesn't fit is told with its place; what is of no use, as a warning."""

    def shows(self, line, place, *parts, text):
        """Refused; under this line of the formula a caret is at this part of it."""
        self.refused(f"{line}\n  " + " " * line.index(place) + "^", *parts, text=text)

    def test_units(self):
        self.run_to("out.h5", SPRING)
        (self.at / "out.h5").unlink()
        kinetic = "mass*x_dot^2/2 - "
        self.shows(kinetic + "stiffness*x/2", "stiffness*x/2", "lagrangian = ", "unit kg*m/s^2 doesn't fit to kg*m^2/s^2",
                   text=SPRING.replace("stiffness*x^2/2", "stiffness*x/2"))
        self.shows(kinetic + "cos(x)", "x)", "unit m, where it must be 1",
                   text=SPRING.replace("stiffness*x^2/2", "cos(x)"))
        self.shows("drag*x_dot/2", "drag", "dissipation = ", "is of unit kg*m/s^2", "has to be of kg*m^2/s^3",
                   text=SPRING.replace("drag*x_dot^2/2", "drag*x_dot/2"))
        self.shows("drag*x", "drag", "[model.force] x", "is of unit kg*m/s,", "has to be of kg*m/s^2",
                   text=SPRING.replace("-stiffness*x^3/(1 + x^2/x^2)/x^2", "drag*x"))
        kicked = 'kick = {{ potential = "{0}", every = "{1}" }}\n[method]'
        self.shows("stiffness*x^2", "stiffness", "potential = ", "has to be of kg*m^2/s,",
                   text=SPRING.replace("[method]", kicked.format("stiffness*x^2", "drag/stiffness")))
        self.shows("mass/stiffness", "mass", "every = ", "is of unit s^2", "has to be of s,",
                   text=SPRING.replace("[method]", kicked.format("drag*x^2", "mass/stiffness")))
        self.refused("parameter_units", "stiffness", text=SPRING.replace('"N/m"', '"N/"'))
        self.shows("mass*x_dot^2/2 - stiffness*x^2/2", "stiffness*x^2", "kg*m^2/s^2 doesn't fit to kg*m^2/day^2",
                   text=SPRING.replace("[method]", 'time_unit = "day"\n[method]'))

    @in_full
    def test_what_is_not_judged(self):
        """What isn't measured; nor is anything where no unit is given."""
        self.run_to("out.h5", SPRING.replace(', drag = "kg/s"', "").replace("drag*x_dot^2/2", "drag*x_dot^2*cos(x)^2"))
        self.run_to("out.h5", BARE.format("x_dot^2/2 - x - cos(x)"))

    def test_names(self):
        line = "mass*x_dot^2/2 - stifness*x^2/2"
        self.shows(line, "stifness", "unknown name 'stifness' at column 18", "did you mean 'stiffness'?",
                   text=SPRING.replace("stiffness*x^2/2", "stifness*x^2/2"))
        self.shows("mass*y_dot^2/2", "y_dot", "unknown name 'y_dot'", "did you mean 'x_dot'?",
                   text=SPRING.replace("mass*x_dot^2/2 - stiffness*x^2/2", "mass*y_dot^2/2"))
        self.refused("lagrangian = ", "no velocity x_dot", "mass of x would be zero", text=BARE.format("-x^2/2"))
        self.refused("lagrangian = ", "linear in x_dot", "mass of x would be zero", text=BARE.format("x_dot*x - x^2/2"))
        self.refused("constraint = ", "there are 2 constraints and 1 coordinates", text=BARE.format("x_dot^2/2").replace(
            "[method]", 'constraint = ["x", "x^2 - x"]\n[method]'))
        self.shows("2*pi - 1", "2", "constraint = ", "constant", text=BARE.format("x_dot^2").replace(
            "[method]", 'constraint = ["2*pi - 1"]\n[method]'))
        self.shows("x - 2*x_dot", "x_dot", "constraint = ", "depends on a velocity", text=BARE.format("x_dot^2").replace(
            "[method]", 'constraint = ["x - 2*x_dot"]\n[method]'))
        self.refused("lagrangian", "missing", "deck.toml:3", text=BARE.replace('lagrangian = "{0}"\n', ""))

    def test_rolling(self):
        """Linear in the velocities, of coordinates and parameters besides; what a part brings is seen, too."""
        edge = EDGE.format("RULE", "rk4", "")
        self.shows("(y_dot - u*sin(t))*cos(a) - x_dot*sin(a)", "t)", "deck.toml:6", "rolling = ", "depends on the time",
                   text=edge.replace("RULE", "(y_dot - u*sin(t))*cos(a) - x_dot*sin(a)"))
        self.shows("x_dot^2 - y_dot", "x_dot", "rolling = ", "isn't linear in the velocities", text=edge.replace("RULE", "x_dot^2 - y_dot"))
        self.shows("y_dot*sin(a_dot)", "y_dot", "rolling = ", "isn't linear", text=edge.replace("RULE", "y_dot*sin(a_dot)"))
        self.shows("x^2 + y^2 + 0*u", "x^2", "rolling = ", "no velocity", text=edge.replace("RULE", "x^2 + y^2 + 0*u"))
        for part, why in (("u*t", "the time"), ("x_dot*y_dot", "isn't linear"), ("x", "no velocity")):
            self.refused("rolling = ", why, text=edge.replace("RULE", "w").replace("rolling", f'where = {{ w = "{part}" }}\nrolling'))

    def test_energy_on_a_belt(self):
        """A belt works: without it projection onto the energy is possible, with it the way is shown."""
        onto = 'projection = "symmetric"\nonto = "both"'
        belt = EDGE.format("(y_dot - u)*cos(a) - x_dot*sin(a)", "reduced-gauss", onto)
        self.refused("projection onto the energy", "what moves", 'onto = "manifold" is possible', text=belt)
        self.run_to("kept.h5", belt.replace("(y_dot - u)", "y_dot").replace("0.3, 0.7]", "0.0, 0.7]"))
        self.refused("deck.toml:", "[method] onto", "projection = ", "is missing", text=belt.replace('projection = "symmetric"\n', ""))

    def test_names_without_use(self):
        told = self.run_to("out.h5", BARE.format("x_dot^2/2 - x^2/2").replace(
            "[method]", 'parameters = { a = 1.0, b = 2.0 }\nwhere = { used = "a*x", idle = "used + b" }\n'
            'force = { x = "-used" }\n[method]'))
        self.assertIn("warning: parameter 'b' is in no formula of [model]", told)
        self.assertIn("warning: part 'idle' of [model.where] is in no formula", told)
        for name in ("'a'", "'used'"):
            self.assertNotIn(name, told)
        self.assertNotIn("warning", self.run_to("out.h5", SPRING))

    def test_a_compiler_that_fails(self):
        self.cache = self.at / "cache"
        self.set_variable("COTANGENT_CACHE", self.cache)
        self.set_variable("COTANGENT_COMPILER", "/bin/false")
        self.refused("lagrangian = ", "the compiler failed", "x_dot^2/2 - x^4/4", str(self.cache), ".log",
                     text=BARE.format("x_dot^2/2 - x^4/4"))
        self.assertEqual(sorted(file.suffix for file in self.cache.iterdir()), [".cpp", ".failed", ".log"])  # and what those who wait are told
        self.set_variable("COTANGENT_COMPILER", self.at / "none")
        self.refused("needs a compiler", "there is none at", "COTANGENT_COMPILER", text=BARE.format("x_dot^2/2 - x^4/4"))

    def test_a_compiler_that_fails_on_a_part(self):
        """A wall, a field, a lattice's terms, a potential: with its line, key and formula."""
        self.set_variable("COTANGENT_CACHE", self.at / "cache")
        for compiler, why in (("/bin/false", "the compiler failed"), (self.at / "missing", "--compile DECK -o FILE")):
            self.set_variable("COTANGENT_COMPILER", compiler)
            for name, shown in (("wall", ["[domain.sets[1]] omega = ", "1 - x^4 - y^4"]),
                                ("chain", ["[model] terms", "bond = -(right.u - u)^2/(2*spacing^2)"]),
                                ("potential", ["[potential] potential = ", "D*((1 - exp(-a*(r - b)))^2 - 1)"])):
                text = (SOURCE / f"input/your_own/own_{name}.toml").read_text(encoding="utf-8")
                self.refused("deck.toml:", why, *shown, text=text, words=("--check",))
            wall = (SOURCE / "input/your_own/own_wall.toml").read_text(encoding="utf-8").replace(
                'name = "pillow", omega = "1 - x^4 - y^4"', 'set = "circle"').replace("gravity = [0.0, -1.0]", 'potential = "x^4 + y^2"')
            self.refused("deck.toml:", why, "[forces] potential = ", "x^4 + y^2", text=wall, words=("--check",))

    def test_told_before_compiling(self):
        """What the formulas and the deck tell by themselves."""
        self.set_variable("COTANGENT_CACHE", self.at / "cache")
        self.set_variable("COTANGENT_COMPILER", "/bin/false")
        free = BARE.format("x_dot^2/2")
        for more, name, why in (('constraint = ["x - t"]\n', "rattle", "is constrained by what moves"),
                                ('constraint = ["x - 1"]\n', "gauss", "is constrained, which 'gauss' doesn't take"),
                                ('rolling = ["x_dot"]\n', "rattle", "is rolling"), ("", "rattle", "isn't constrained")):
            self.refused("[method] name = ", why, "choose one of", text=free.replace("[method]", more + "[method]").replace("gauss", name))
        kick = free.replace("[method]", 'kick = { potential = "cos(x)", every = 0.0 }\n[method]')
        self.refused("[model.kick] every = 0", "above zero", text=kick)
        chain = (SOURCE / "input/your_own/own_chain.toml").read_text(encoding="utf-8")
        self.refused("[start] u = ", "unknown name 'spacin'", "did you mean 'spacing'?", text=chain.replace("tanh(x/sqrt(2))", "tanh(x/spacin)"))

    def test_unused_parameters_of_parts(self):
        """Of a wall, and by tests/full of a field, a potential and a lattice, whose start may use them, too."""
        wall, chain, potential = ((SOURCE / f"input/your_own/own_{name}.toml").read_text(encoding="utf-8")
                                  for name in ("wall", "chain", "potential"))
        self.warns("'b'", text=wall.replace('y^4"', 'a*y^4", parameters = { a = 1.0, b = 2.0 }'))
        if not FULL:
            return
        self.warns("'b'", text=wall.replace('gravity = [0.0, -1.0]', 'potential = "a*y^2"\nparameters = { a = 1.0, b = 2.0 }'))
        self.warns("'c'", text=potential.replace("b = 1.0 }", "b = 1.0, c = 1.0 }"))
        self.warns("'k'", text=chain.replace("spacing = 0.1 }", "spacing = 0.1, height = 1.0, k = 1.0 }").replace('"tanh', '"height*tanh'))

    def warns(self, name, text):
        end = self.launch(self.deck(text), "--check", ranks=1)
        self.assertEqual(end.returncode, 0, end.stderr)
        warnings = [line for line in end.stdout.splitlines() if line.startswith("warning: ")]
        self.assertEqual(len(warnings), 1, end.stdout)
        self.assertIn(f"parameter {name} is in no formula", warnings[0])

    PLANE = BARE.replace('coordinates = ["x"]', 'coordinates = ["x", "y"]').replace(
        "[[0.5, 0.3], [2.0, 0.3]]", "[[0.5, 0.3, 0.1, 0.2]]")

    def test_singular_from_the_start(self):
        """A mass matrix that no start makes regular; a constraint without a slope there, or that follows from others."""
        singular = "[model] lagrangian = ", "mass matrix is singular", "no kinetic energy"
        for words in ((), ("--check",)):
            self.refused(*singular, text=self.PLANE.format("(x_dot + y_dot)^2/2 - x^2 - y^2"), words=words)
        still = BARE.format("(x - 0.1)^2*x_dot^2/2")
        self.refused(*singular, text=still.replace("[[0.5, 0.3], [2.0, 0.3]]", "[[0.1, 0.3]]"))
        end, statuses = self.statuses(still.replace("[[0.5, 0.3], [2.0, 0.3]]", "[[0.1, 0.3], [2.0, 0.3]]"))
        self.assertEqual(statuses, [6, 1], end.stderr)  # one of them is regular

    def test_constraints_that_have_no_slope(self):
        space = self.PLANE.replace('["x", "y"]', '["x", "y", "z"]').replace("stages = 4\n", "").replace("gauss", "rattle").format(
            "(x_dot^2 + y_dot^2 + z_dot^2)/2").replace("[method]", 'constraint = ["x^2 + y^2"]\n[method]')
        self.refused("slope grad g vanishes", text=space.replace("[[0.5, 0.3, 0.1, 0.2]]", "[[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]]"), words=("--check",))

    @in_full
    def test_constraints_that_depend_on_one_another(self):
        text = self.PLANE.format("(x_dot^2 + y_dot^2)/2").replace("stages = 4\n", "").replace("gauss", "rattle").replace(
            "[method]", 'constraint = ["x - y", "2*x - 2*y"]\n[method]').replace("[[0.5, 0.3, 0.1, 0.2]]", "[[0.5, 0.5, 0.1, 0.1]]")
        self.refused("follows from others", text=text)

    def test_where_a_number_is_not_finite(self):
        self.shows("x_dot^2/2 - x*exp(2*400)", "2*400", "isn't a finite number", text=BARE.format("x_dot^2/2 - x*exp(2*400)"))
        self.shows("x_dot^2/2 - x/(2 - 2)", "(2", "divided by zero", text=BARE.format("x_dot^2/2 - x/(2 - 2)"))

    def test_constant_parts_are_shown(self):
        wall, chain, potential = ((SOURCE / f"input/your_own/own_{name}.toml").read_text(encoding="utf-8")
                                  for name in ("wall", "chain", "potential"))
        self.shows("1 - pi", "1", "omega", "is constant", text=wall.replace("1 - x^4 - y^4", "1 - pi"))
        self.shows("2*pi", "2", "potential", "is constant", text=potential.replace("D*((1 - exp(-a*(r - b)))^2 - 1)", "2*pi"))
        self.shows("3*spacing", "3", "bond", "is constant", text=chain.replace("-(right.u - u)^2/(2*spacing^2)", "3*spacing"))

    def statuses(self, text):
        end = self.launch(self.deck(text))
        with h5py.File(self.at / "out.h5") as found:
            return end, list(found["orbits/status"][()])

    def test_formulas_that_fail_on_the_way(self):
        # The root of a negative number, for the second start alone, which doesn't hinder the first.
        end, (first, second) = self.statuses(BARE.format("x_dot^2/2 + sqrt(1 - x^2)"))
        self.assertEqual((first, second), (1, 8), end.stdout + end.stderr)

    @in_full
    def test_a_mass_that_vanishes_on_the_way(self):
        # At x = 2.
        end, (first, second) = self.statuses(BARE.format("(2 - x)*x_dot^2/2 - x^2/2"))
        self.assertEqual((first, second), (1, 6), end.stdout + end.stderr)


if __name__ == "__main__":
    unittest.main()
