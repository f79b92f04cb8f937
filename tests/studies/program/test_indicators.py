# SPDX-License-Identifier: BSD-3-Clause
"""Indicators of chaos as a deck asks for them: the same bits on any number of ranks, and clear refusals."""
import unittest

import h5py
import numpy as np

from launch import POINCARE, ProgramTest
from results import is_dimension, same_bits

DECK = POINCARE.replace("q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2]", "q2 = [-0.4, 0.7, 8], q2_dot = [-0.2, 0.2, 3]").replace(
    "crossings = 3", "crossings = 100") + """[indicators]
list = ["lyapunov", "spectrum", "sali", "gali-3", "megno"]
"""

# A pendulum with friction and a drive, chaotic, looked at ten times in a step.
DRIVEN = """study = "poincare"
[model]
coordinates = ["x"]
angles = ["x"]
parameters = { c = 0.5, A = 1.2, w = 0.6666666666666666 }
lagrangian = "x_dot^2/2 + cos(x)"
force = { x = "A*cos(w*t)" }
dissipation = "c*x_dot^2/2"
[method]
name = "gauss"
stages = 8
step = 0.4
[section]
where = "t"
every = 0.0371
[ensemble]
random = { count = 9, seed = 2, x = [-3.0, 3.0], x_dot = [-1.0, 1.0] }
[stop]
crossings = 20005
[indicators]
list = ["lyapunov", "spectrum", "sali", "megno"]
[output]
file = "out.h5"
"""


class Indicators(ProgramTest):
    def run_to(self, file, text=DECK, ranks=1, words=()):
        self.deck(text)
        end = self.launch("deck.toml", f"output.file={file}", *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        return self.at / file

    def test_bits_do_not_depend_on_ranks_or_lanes(self):
        one = self.run_to("one.h5")
        self.assertEqual(same_bits(one, self.run_to("two.h5", ranks=2)), [])
        self.assertEqual(same_bits(one, self.run_to("lanes.h5", words=["method.lanes=3"])), [])

    def test_orbits_are_those_without_indicators(self):
        differ = same_bits(self.run_to("with.h5"), self.run_to("without.h5", text=DECK[:DECK.index("[indicators]")]))
        self.assertTrue(differ and all(name.startswith("indicators/") for name in differ), differ)

    def test_rows_and_verdicts(self):
        with h5py.File(self.run_to("out.h5")) as file:
            flown = file["orbits/status"][()] == 1
            rows = {name: item[()] for name, item in file["indicators"].items() if not is_dimension(item)}
            names = [name.decode() if isinstance(name, bytes) else name for name in file["indicators/verdict"].attrs["names"]]
        self.assertEqual(names, ["undecided", "regular", "chaotic"])
        self.assertEqual(set(rows), {"verdict", "lyapunov", "spectrum", "sali", "gali_3", "megno", "mean_megno"})
        self.assertEqual(rows["spectrum"].shape, (24, 4))
        for name, row in rows.items():
            self.assertEqual(np.isfinite(row).reshape(24, -1).all(1).tolist(), flown.tolist(), name)
        self.assertLess(np.abs(rows["spectrum"][flown].sum(1)).max(), 1e-12)
        self.assertTrue({1, 2} <= set(rows["verdict"][flown]))
        self.assertTrue((rows["sali"][rows["verdict"] == 2] < 1e-8).all())

    def test_friction_shrinks_the_phase_volume_at_its_rate(self):
        """Exponents sum to -c, and end with the last of the crossings, whatever lanes and ranks there are."""
        one = self.run_to("one.h5", text=DRIVEN)
        self.assertEqual(same_bits(one, self.run_to("two.h5", text=DRIVEN, ranks=2)), [])
        self.assertEqual(same_bits(one, self.run_to("lanes.h5", text=DRIVEN, words=["method.lanes=1"])), [])
        with h5py.File(one) as file:
            spectrum, verdict = file["indicators/spectrum"][()], file["indicators/verdict"][()]
            self.assertTrue((file["orbits/status"][()] == 1).all())
        self.assertLess(np.abs(spectrum.sum(1) + 0.5).max(), 1e-12)
        self.assertGreater(spectrum[:, 0].min(), 0.05)
        self.assertEqual(set(verdict), {2})

    def test_kicks_are_refused(self):
        text = DRIVEN.replace('dissipation = "c*x_dot^2/2"', 'kick = { potential = "-A*cos(x)", every = 1.0 }')
        self.deck(text)
        end = self.launch("deck.toml")
        self.assertEqual(end.returncode, 2, end.stdout + end.stderr)
        self.assertIn("without kicks", end.stdout + end.stderr)

    def test_methods_say_whether_they_have_a_tangent_map(self):
        for method, has in (("gauss", True), ("rattle", True), ("shake", False)):
            end = self.launch("--describe", method)
            self.assertEqual("has a tangent map" in end.stdout, has, end.stdout)

    def test_refusals(self):
        for words, say in ((["indicators.list=['lyapunow']"], "did you mean 'lyapunov'"),
                           (["indicators.list=['gali-5']"], "gali-4"),
                           (["indicators.list=[]"], "names no indicator"),
                           (["method.name='lobatto'"], "a tangent map: gauss")):
            self.deck(DECK)
            end = self.launch("deck.toml", *words)
            self.assertEqual(end.returncode, 2, end.stdout + end.stderr)
            self.assertIn(say, end.stdout + end.stderr)


if __name__ == "__main__":
    unittest.main()
