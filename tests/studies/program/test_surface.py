# SPDX-License-Identifier: BSD-3-Clause
"""The surface in a result: there as triangles for a particle on a surface, whatever the ranks, and only then."""
import unittest

import h5py
import numpy as np

from launch import SOURCE, ProgramTest
from results import data_sets, same_bits

DECK = """study = "trajectory"
[model]
name = "torus"
R = 2.0
r = [0.5, 0.8]
[method]
name = "rattle"
step = 0.02
[ensemble]
project = true
list = [[2.5, 0.0, 0.0, 0.0, 1.0, 0.3], [2.6, 0.1, 0.1, 0.2, 1.0, 0.1]]
[stop]
time = 2.0
[output]
every = 0.1
file = "out.h5"
"""


def lengths_off(vertices, major, minor):
    """How far vertices are off a torus."""
    tube = np.hypot(np.hypot(vertices[:, 0], vertices[:, 1]) - major, vertices[:, 2])
    return np.abs(tube - minor).max()


class Surface(ProgramTest):
    def run_deck(self, *words, text=DECK, ranks=1):
        return self.ended(self.deck(text), *words, ranks=ranks)

    def test_the_torus_of_the_first_parameters(self):
        self.run_deck()
        with h5py.File(self.at / "out.h5") as file:
            vertices, triangles = file["surface/vertices"][()], file["surface/triangles"][()]
            normals = file["surface/normals"][()]
            self.assertIn("closed, of genus 1", file["surface/triangles"].attrs["meaning"])
            self.assertIn("first combination", file["surface/vertices"].attrs["meaning"])
        self.assertLess(lengths_off(vertices, 2.0, 0.5), 1e-14)  # 1e-15; the second's would be off by 0.3
        edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1)
        _, counts = np.unique(edges, axis=0, return_counts=True)
        self.assertTrue((counts == 2).all())
        self.assertEqual(len(vertices) - len(counts) + len(triangles), 0)
        a, b, c = (vertices[corner] for corner in triangles.T)
        volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6  # positive where triangles face outward
        self.assertAlmostEqual(volume / (2 * np.pi ** 2 * 2.0 * 0.25), 1, delta=0.01)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-14)

    def test_its_resolution(self):
        counts = []
        for cells in (24, 48):
            self.run_deck(f"output.surface_cells={cells}")
            counts.append(len(data_sets(self.at / "out.h5")["surface/triangles"]))
        self.assertAlmostEqual(counts[1] / counts[0], 4, delta=0.4)
        self.run_deck("output.surface_cells=0")
        self.assertFalse([name for name in data_sets(self.at / "out.h5") if "surface" in name])
        (self.at / "out.h5").unlink()
        self.refused("surface_cells", "4000", "at most 1000", text=DECK, words=["output.surface_cells=4000"])

    def test_an_unbounded_surface_is_there_where_the_trajectories_are(self):
        text = DECK.replace('"torus"\nR = 2.0\nr = [0.5, 0.8]', '"cylinder"\nr = 2.0').replace("= 2.0\n[out", "= 20.0\n[out")
        self.run_deck(text=text)
        sets = data_sets(self.at / "out.h5")
        q, vertices = sets["trajectory/q"].reshape(-1, 3), sets["surface/vertices"]
        cell = np.ptp(vertices, axis=0).max() / 40
        self.assertTrue((vertices.min(0) < q.min(0) + cell).all() and (vertices.max(0) > q.max(0) - cell).all())
        self.assertLess(np.ptp(vertices[:, 2]), 2 * np.ptp(q[:, 2]))
        self.assertLess(np.abs(np.hypot(vertices[:, 0], vertices[:, 1]) - 2).max(), 1e-14)

    def test_the_same_on_any_number_of_ranks(self):
        self.run_deck()
        (self.at / "out.h5").rename(self.at / "one.h5")
        self.run_deck(ranks=3)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "out.h5"), [])

    def test_a_free_motion_has_none(self):
        deck = SOURCE / "input" / "sections/henon_heiles_chaos.toml"
        end = self.launch(deck, "stop.crossings=1", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertFalse([name for name in data_sets(self.at / "out.h5") if "surface" in name])
        (self.at / "out.h5").unlink()
        self.says(self.launch(deck, "output.surface_cells=10", ranks=1), 2, "surface_cells")


if __name__ == "__main__":
    unittest.main()
