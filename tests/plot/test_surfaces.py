# SPDX-License-Identifier: BSD-3-Clause
"""Tests of cotangent-plot where trajectories move on a surface: what hides what, the picture, the movie, XDMF.

Run by ctest, or by hand: /usr/bin/python3 tests/plot/test_surfaces.py.
"""
import unittest
import xml.etree.ElementTree as tree

import h5py
import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("Agg")

from test_plot import PlotTest, options  # noqa: E402  (which finds the modules)
import synthetic  # noqa: E402
from cotangent.plot import scene, surfaces  # noqa: E402
from cotangent.plot.result import Result  # noqa: E402

PIXEL = 0.002


class Depth(unittest.TestCase):
    """A sphere hides exactly what lies behind it."""

    def setUp(self):
        self.vertices, normals, self.triangles = synthetic.sphere()
        low, high = np.full(3, -1.0), np.ones(3)
        self.view = scene.View(low, high, 30.0, 25.0)
        self.picture = scene.Picture(self.view, self.vertices, normals, self.triangles, PIXEL)

    def test_points_of_a_sphere_are_seen_from_outside_alone(self):
        rng = np.random.default_rng(1)
        points = rng.normal(size=(4000, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        camera = scene.FAR * self.view.scale * self.view.axes[2]
        facing = ((camera - points) * points).sum(1) / np.linalg.norm(camera - points, axis=1)  # cosine to the normal
        clear = np.abs(facing) > 0.15  # all but a rim, where a pixel's neighbours may be empty
        seen = self.picture.visible(points)
        np.testing.assert_array_equal(seen[clear], facing[clear] > 0)
        self.assertGreater(seen.sum(), 1000)

    def test_without_depth_the_same_points_would_be_drawn(self):
        """The control: an empty picture hides nothing."""
        self.picture.farthest[:] = np.inf
        self.assertTrue(self.picture.visible(self.vertices).all())

    def test_places_before_and_behind(self):
        along = self.view.axes[2]
        places = np.stack([2 * along, -2 * along, 0 * along, 3 * self.view.axes[0]])
        np.testing.assert_array_equal(self.picture.visible(places), [True, False, False, True])

    def test_the_picture_is_a_disc(self):
        """Its area is that of the cone of sight: radius s / sqrt(1 - s^2) FAR with s = 1 / distance, s of a sphere."""
        sine = 1 / (scene.FAR * self.view.scale)
        radius = scene.FAR * sine / np.sqrt(1 - sine ** 2)
        covered = np.isfinite(self.picture.depth).sum() * PIXEL ** 2
        self.assertAlmostEqual(covered / (np.pi * radius ** 2), 1, delta=0.01)  # 0.997
        self.assertEqual(self.picture.image().shape, (*self.picture.shape, 4))

    def test_a_closed_surface_shows_its_outside_alone(self):
        """Also near a rim, where the form's normals at the corners of a triangle may look away."""
        vertices, normals, triangles = synthetic.torus(sides=(24, 12))
        low, high = vertices.min(0), vertices.max(0)
        outside = scene.Picture(scene.View(low, high), vertices, normals, triangles, PIXEL)
        self.assertGreaterEqual(outside.normal[..., 2].min(), 0)
        inside = scene.Picture(scene.View(low, high), vertices, -normals, triangles[:, ::-1], PIXEL)
        self.assertLessEqual(inside.normal[..., 2].max(), 0)

    def test_triangles_hide_each_other_in_any_order(self):
        normals = self.vertices
        back = scene.Picture(self.view, self.vertices, normals, self.triangles[::-1], PIXEL)
        np.testing.assert_allclose(back.depth, self.picture.depth, atol=1e-12)


class OnSurface(PlotTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        synthetic.on_sphere(cls.shared / "sphere.h5")
        synthetic.on_sphere(cls.shared / "one.h5", count=1)
        synthetic.on_sphere(cls.shared / "many.h5", count=9, cut=50)

    def test_pictures(self):
        for name in ("sphere.h5", "one.h5", "many.h5"):
            picture = self.drawn(name, least=0.1)
            with Image.open(picture) as image:
                self.assertGreater(image.width / image.height, 1.8)
        self.drawn("sphere.h5", "--view", "-10,60", "--xlim", "1,3", least=0.1)
        self.drawn("sphere.h5", "--what", "time-series", least=0.01)

    def test_a_section_stands_beside_its_surface(self):
        synthetic.section_on_sphere(self.shared / "section_on_sphere.h5")
        picture = self.drawn("section_on_sphere.h5", "--axes", "z,z_dot", least=0.1)
        with Image.open(picture) as image:
            right = np.asarray(image.convert("RGB"))[:, image.width // 2:]
        self.assertGreater((right.min(2) < 245).mean(), 0.2)
        alone = self.drawn("section.h5", "--axes", "q2,q2_dot")
        with Image.open(alone) as image:
            self.assertLess(image.width, 620)  # a section without a surface is as it was

    def test_what_is_drawn(self):
        """Half of a great circle lies behind the sphere; both halves together are the whole curve."""
        figure = matplotlib.pyplot.figure(figsize=(4, 4), dpi=80)
        self.addCleanup(matplotlib.pyplot.close, figure)
        result = Result(self.shared / "one.h5")
        stage = surfaces.Stage(figure.add_axes((0, 0, 1, 1)), result, options("f"))
        q = result.array("trajectory/q")[0]
        near, far = (len(lines.get_segments()) for lines in stage.curve(q, (0, 0, 0), 1.0))
        self.assertEqual(near + far, len(q) - 1)
        self.assertGreater(min(near, far), 0.35 * len(q))

    def test_energy_errors_are_relative_to_the_mean_kinetic_energy(self):
        result = Result(self.shared / "sphere.h5")
        error, _ = surfaces.relative_energy_error(result, np.arange(3))
        energy = result.array("trajectory/energy")
        np.testing.assert_allclose(error, (energy - energy[:, :1]) / 0.5, rtol=1e-12)  # |v| = 1

    def test_long_curves_end_before_they_cover_the_surface(self):
        t = np.linspace(0, 100, 1001)
        q = np.stack([np.cos(t), np.sin(t), 0 * t], 1)[None]
        self.assertEqual(surfaces.shown_until(t, q, 12.0, 0.001), 100)
        self.assertEqual(surfaces.shown_until(t, q, 12.0, 0.1), 12.0 * surfaces.COVERED / 0.1 // 5 * 5)

    def test_movie(self):
        film = self.at / "film.gif"
        short = ("--fps", 4, "--duration", 1, "--dpi", 40)
        self.assertEqual(self.run_tool(self.shared / "many.h5", "--movie", film, *short), (0, ""))
        with Image.open(film) as image:
            self.assertEqual(image.n_frames, 4)

    def test_a_view_that_is_none(self):
        for view in ("1", "1,2,3", "0,90", "x,1"):
            self.refused(2, "--view", arguments=[self.shared / "one.h5", "-o", self.at / "a.png", "--view", view])

    def test_xdmf_refers_to_what_is_there(self):
        synthetic.on_sphere(self.at / "many.h5", count=9, cut=50)
        self.assertEqual(self.run_tool(self.at / "many.h5", "-o", self.at / "a.png", "--dpi", 40, "--xdmf"), (0, ""))
        root = tree.parse(self.at / "many.xdmf").getroot()
        grids = root.findall(".//Grid[@GridType='Uniform']")
        self.assertEqual([g.get("Name") for g in grids], ["surface", *(f"trajectory {k}" for k in range(9))])
        with h5py.File(self.at / "many.h5") as file:
            for item in root.findall(".//DataItem[@Format='HDF']"):
                name, _, path = item.text.strip().partition("|")[0].partition(":")
                self.assertEqual(name, "many.h5")
                if item.get("Type") is None:
                    self.assertEqual(item.get("Dimensions"), " ".join(map(str, file[path].shape)))
                self.assertEqual(int(item.get("Precision")), file[path].dtype.itemsize)
            slabs = root.findall(".//DataItem[@Type='HyperSlab']")
            self.assertEqual(len(slabs), 9 * len(grids[1].findall("*")[1:]))
            for slab in slabs:
                numbers, whole = slab
                shape = np.array(whole.get("Dimensions").split(), int)
                start, stride, count = np.array(numbers.text.split(), int).reshape(3, -1)
                self.assertEqual(numbers.get("Dimensions"), f"3 {len(shape)}")
                self.assertTrue((start + stride * (count - 1) < shape).all())
                self.assertEqual(slab.get("Dimensions"), " ".join(map(str, count[1:])))
                place, box = slab.text.strip().split("|")  # the same for XDMF 3
                self.assertEqual(place, whole.text)
                self.assertEqual(box, ":".join(" ".join(map(str, n)) for n in (start, stride, count, shape)))
            for grid in grids[1:]:
                line = grid.find("Topology")
                self.assertEqual(line.find("DataItem").text.split(), [str(k) for k in range(int(line.get("NodesPerElement")))])
            lengths = [int(g.find("Topology").get("NodesPerElement")) for g in grids[1:]]
            self.assertEqual(lengths, [200] * 8 + [150])  # without what is missing
            self.assertEqual(grids[0].find("Topology").get("NumberOfElements"), str(len(file["surface/triangles"])))

    def test_xdmf_of_what_isnt_in_space(self):
        synthetic.trajectories(self.at / "plane.h5")
        self.refused(2, "neither a surface", arguments=[self.at / "plane.h5", "-o", self.at / "a.png", "--xdmf"])


if __name__ == "__main__":
    unittest.main()
