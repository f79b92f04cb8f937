# SPDX-License-Identifier: BSD-3-Clause
"""Sections of angles that turn many times in a step, and domains whose formula has no value outside."""
import unittest

import h5py
import numpy as np

from formula_test import FormulaTest
from results import same_bits

ROTOR = """study = "poincare"
[model]
coordinates = ["x"]
angles = ["x"]
lagrangian = "x_dot^2/2"
[method]
name = "gauss"
stages = 8
step = 10.0
[section]
where = "x"
[ensemble]
list = [[0.5, 20.0]]
[stop]
crossings = 60
[output]
file = "out.h5"
"""


OSCILLATOR = """study = "trajectory"
[model]
name = "harmonic-oscillator"
[method]
name = "gauss"
step = 0.07
[ensemble]
list = [[1.0, 0.5, 0.0, 0.3]]
[stop]
time = 1.0
[output]
every = 0.3
file = "out.h5"
"""
CIRCLE = """study = "billiard"
[domain]
sets = [{ name = "circle", set = "circle" }]
[ensemble]
list = [[0.1, 0.2, 0.7, 0.4]]
[stop]
time = 1.0
[output]
every = 0.3
file = "out.h5"
"""


class Ends(FormulaTest):
    longest = 60

    def test_the_last_of_equal_times_is_the_end(self):
        """3 * 0.1 is more than 0.3 by round-off alone, and is meant; what is more than that isn't."""
        for text, path in ((OSCILLATOR, "trajectory/time"), (CIRCLE, "trajectory/time")):
            for end, every, count in ((0.3, 0.1, 4), (0.7, 0.1, 8), (4.35, 0.05, 88), (33.3, 0.9, 38), (0.35, 0.1, 4),
                                      (0.3 - 1e-12, 0.1, 3)):
                with self.subTest(path=path, end=end, every=every):
                    self.run_to("out.h5", text, f"stop.time={end!r}", f"output.every={every}", ranks=1)
                    with h5py.File(self.at / "out.h5") as file:
                        np.testing.assert_array_equal(file[path][()].ravel(), every * np.arange(count))
        strobed = ROTOR.replace("step = 10.0", "step = 0.1").replace('where = "x"', 'where = "t"\nevery = 0.1')
        for end, count in ((0.3, 3), (0.7, 7), (0.25, 2)):
            self.run_to("out.h5", strobed, f"stop.time={end}", ranks=1)
            with h5py.File(self.at / "out.h5") as file:
                self.assertEqual(file["orbits/crossing_count"][()].tolist(), [count])


class Turns(FormulaTest):
    longest = 60

    def test_a_step_that_turns_without_end_is_a_status(self):
        """a'' = a^3 blows up in a finite time: the step before it spans more levels than there are numbers."""
        text = ROTOR.replace('"x"', '"a"').replace("x_dot^2/2", "a_dot^2/2 + a^4/4").replace(
            'name = "gauss"\nstages = 8\nstep = 10.0', 'name = "rk4"\nstep = 0.01').replace("[[0.5, 20.0]]", "[[1.0, 1.0]]")
        end = self.launch(self.deck(text), "stop.crossings=200000")
        self.assertIn(end.returncode, (0, 1), end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            names = [name.decode() if isinstance(name, bytes) else name for name in file["orbits/status"].attrs["names"]]
            status = [names[k] for k in file["orbits/status"][()]]
        self.assertEqual(status[0], "non_finite")

    def test_a_step_that_grows_beyond_what_can_be_listed_is_a_status(self):
        """A free rotor's steps grow without end: at last one holds more than a million strobes."""
        text = ROTOR.replace('name = "gauss"\nstages = 8\nstep = 10.0', 'name = "dormand-prince-853"\ntolerance = 1e-10')
        text = text.replace('where = "x"', 'where = "t"\nevery = "1e-5"')
        end = self.launch(self.deck(text), "stop.crossings=3000000", ranks=1)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("1 crowded_step", end.stdout)

    def test_a_free_rotor_whose_steps_grow(self):
        for start, direction in ((1.0, "up"), (-1.0, "down")):
            text = ROTOR.replace('name = "gauss"\nstages = 8\nstep = 10.0', 'name = "dormand-prince-853"\ntolerance = 1e-10')
            text = text.replace("[[0.5, 20.0]]", f"[[0.0, {start}]]").replace("crossings = 60", "crossings = 1000")
            self.run_to("out.h5", text.replace('where = "x"', f'where = "x"\ndirection = "{direction}"'), ranks=1)
            with h5py.File(self.at / "out.h5") as file:
                np.testing.assert_allclose(file["section/time"][0], 2 * np.pi * np.arange(1, 1001), rtol=1e-12)

    def test_indicators_have_the_bits_of_each_alone(self):
        starts = [[0.5, 20.0 + k] for k in range(8)]
        words = ('indicators.list=["lyapunov", "megno"]', "stop.time=400.0")
        text = ROTOR.replace("[[0.5, 20.0]]", str(starts))
        self.run_to("lanes.h5", text, *words, ranks=1)
        self.run_to("one.h5", text, *words, "method.lanes=1", ranks=1)
        self.assertEqual(same_bits(self.at / "lanes.h5", self.at / "one.h5"), [])
        self.run_to("alone.h5", ROTOR, *words, ranks=1)
        with h5py.File(self.at / "alone.h5") as alone, h5py.File(self.at / "lanes.h5") as lanes:
            for name in ("lyapunov", "megno"):
                self.assertEqual(alone[f"indicators/{name}"][0], lanes[f"indicators/{name}"][0])
                self.assertNotEqual(lanes[f"indicators/{name}"][1], lanes[f"indicators/{name}"][0])

    def test_a_domain_that_has_no_value_outside_is_left(self):
        for domain in ("sqrt(1 - x^2)", "1 - x^2", "log(2 - x^2)"):
            for step in (0.05, 0.07):
                with self.subTest(domain=domain, step=step):
                    text = ROTOR.replace("poincare", "trajectory").replace('[section]\nwhere = "x"\n', "").replace(
                        'angles = ["x"]\n', f'domain = "{domain}"\n').replace("step = 10.0", f"step = {step}").replace(
                        "[[0.5, 20.0]]", "[[0.0, 1.0]]").replace("crossings = 60", "time = 5.0").replace("[output]", "[output]\nevery = 1.0")
                    self.run_to("out.h5", text, ranks=1)
                    with h5py.File(self.at / "out.h5") as file:
                        names = [n.decode() if isinstance(n, bytes) else n for n in file["orbits/status"].attrs["names"]]
                        self.assertEqual(names[file["orbits/status"][0]], "left_domain")
                        self.assertAlmostEqual(file["orbits/final"][0, 0], 1.0, delta=1e-7)


if __name__ == "__main__":
    unittest.main()
