# SPDX-License-Identifier: BSD-3-Clause
"""A trajectory's bits are its own: they depend on the deck alone, not on ranks, lanes or batch-mates."""
import unittest

from launch import POINCARE, ProgramTest
from results import data_sets, same_bits

ENSEMBLE = POINCARE.replace("grid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }",
                            "grid = { q2 = [-0.4, 0.7, 9], q2_dot = [-0.4, 0.4, 9] }").replace(
                                "crossings = 3", "crossings = 40")
CHAIN = """study = "poincare"
[model]
name = "magnetic-chain"
alpha = [18.0, 18.005]
[method]
name = "gauss"
stages = 12
step = 0.5
[section]
where = "t"
direction = "both"
condition = "p_t > 0"
[ensemble]
energy = [-9.745, -9.740]
random = { count = 5, seed = 4, s = [-0.3, 0.3], s_dot = [-0.3, 0.3] }
[stop]
crossings = 6
[output]
file = "out.h5"
"""
GEODESICS = """study = "poincare"
[model]
name = "lemniscate"
r = [0.12, 0.16]
[method]
name = "rattle"
step = 0.01
[section]
where = "y"
[ensemble]
energy = [0.5, 1.0]
project = true
random = { count = 5, seed = 3, x = [-1.0, 1.0], z = [-0.1, 0.1], x_dot = [-1.0, 1.0], y_dot = [0.0, 1.0], z_dot = [-1.0, 1.0] }
[stop]
crossings = 30
[output]
file = "out.h5"
"""
ROD = """study = "trajectory"
[model]
name = "rod-on-ellipsoid"
gravity = 1.0
[method]
name = "rattle"
step = 0.01
[ensemble]
project = true
random = { count = 11, seed = 2, x1 = [0.4, 0.9], y1 = [0.3, 0.7], z1 = [0.3, 0.6], y2 = [-0.5, 0.2], x2 = [0.3, 0.9], z2 = [0.1, 0.5], x1_dot = [-1.0, 1.0], y2_dot = [-1.0, 1.0] }
[stop]
time = 5.0
[output]
every = 0.25
file = "out.h5"
"""


class Bits(ProgramTest):
    def run_deck(self, text, name, *words, ranks=1):
        self.ended(self.deck(text), f"output.file={name}", *words, ranks=ranks)
        return self.at / name

    def test_ranks(self):
        for text in (ENSEMBLE, CHAIN, GEODESICS, ROD):
            alone = self.run_deck(text, "alone.h5")
            for ranks in (2, 3, 4, 7):
                with self.subTest(ranks=ranks):
                    other = self.run_deck(text, f"ranks{ranks}.h5", ranks=ranks)
                    self.assertEqual(same_bits(alone, other), [])

    def test_lanes(self):
        for text in (ENSEMBLE, CHAIN, GEODESICS, ROD):
            full = self.run_deck(text, "full.h5")
            for lanes in (1, 2, 3, 5, 8):
                with self.subTest(lanes=lanes):
                    other = self.run_deck(text, f"lanes{lanes}.h5", f"method.lanes={lanes}")
                    self.assertEqual(same_bits(full, other), [])

    def test_batch_mates(self):
        """The same starts in an ensemble of other company."""
        many = data_sets(self.run_deck(ENSEMBLE, "many.h5"))
        few = data_sets(self.run_deck(ENSEMBLE, "few.h5", "ensemble.grid.q2=[-0.4, -0.4, 1]"))
        self.assertEqual(many["section/points"][:9].tobytes(), few["section/points"].tobytes())

    def test_adaptive_and_other_methods(self):
        for method in ('"gauss"\ntolerance = 1e-11', '"dormand-prince-853"\ntolerance = 1e-10', '"chebyshev-lobatto"\nstep = 0.5',
                       '"stormer-verlet"\nstep = 0.02', '"implicit-euler"\nstep = 0.02'):
            text = ENSEMBLE.replace('"gauss"\nstep = 0.5', method).replace("crossings = 40", "crossings = 8")
            with self.subTest(method=method.split()[0]):
                alone = self.run_deck(text, "a.h5")
                other = self.run_deck(text, "b.h5", "method.lanes=3", ranks=3)
                self.assertEqual(same_bits(alone, other), [])

    def test_the_comparison_can_fail(self):
        one = self.run_deck(ENSEMBLE, "one.h5")
        other = self.run_deck(ENSEMBLE, "other.h5", "method.step=0.4")
        self.assertIn("section/points", same_bits(one, other))


if __name__ == "__main__":
    unittest.main()
