# SPDX-License-Identifier: BSD-3-Clause
"""Indicators of chaos as a deck asks for them: the same bits on any number of ranks, and clear refusals."""
import unittest

import h5py
import numpy as np

from launch import POINCARE, ProgramTest
from results import same_bits

DECK = POINCARE.replace("q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2]", "q2 = [-0.4, 0.7, 8], q2_dot = [-0.2, 0.2, 3]").replace(
    "crossings = 3", "crossings = 100") + """[indicators]
list = ["lyapunov", "spectrum", "sali", "gali-3", "megno"]
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
            rows = {name: item[()] for name, item in file["indicators"].items()}
            names = [name.decode() if isinstance(name, bytes) else name for name in file["indicators/verdict"].attrs["names"]]
        self.assertEqual(names, ["undecided", "regular", "chaotic"])
        self.assertEqual(set(rows), {"verdict", "lyapunov", "spectrum", "sali", "gali_3", "megno", "mean_megno"})
        self.assertEqual(rows["spectrum"].shape, (24, 4))
        for name, row in rows.items():
            self.assertEqual(np.isfinite(row).reshape(24, -1).all(1).tolist(), flown.tolist(), name)
        self.assertLess(np.abs(rows["spectrum"][flown].sum(1)).max(), 1e-12)
        self.assertTrue({1, 2} <= set(rows["verdict"][flown]))
        self.assertTrue((rows["sali"][rows["verdict"] == 2] < 1e-8).all())

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
