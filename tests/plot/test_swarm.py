# SPDX-License-Identifier: BSD-3-Clause
"""Tests of cotangent-plot where particles interact on a surface: what is drawn of them, the series, the movie.

Run by ctest, or by hand: /usr/bin/python3 tests/plot/test_swarm.py.
"""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import h5py
import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("Agg")

from test_plot import PlotTest, options  # noqa: E402  (which finds the modules)
import synthetic  # noqa: E402
from cotangent.plot import movie, particles  # noqa: E402
from cotangent.plot.result import Result  # noqa: E402


class Particles(PlotTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = Path(tempfile.mkdtemp(prefix="cotangent_plot_"))
        synthetic.particles(cls.shared / "few.h5")
        synthetic.particles(cls.shared / "thousand.h5", 1000, conserved=(), failed=3)
        synthetic.particles(cls.shared / "free.h5", 300, conserved=("Px", "Lz"), surface=False)

    def swarm(self, name):
        """(the result, its particles in axes, the places of its last frame)"""
        figure = matplotlib.pyplot.figure(figsize=(4, 4), dpi=80)
        self.addCleanup(matplotlib.pyplot.close, figure)
        result = Result(self.shared / name)
        swarm = particles.Swarm(figure.add_axes((0, 0, 1, 1)), result, options("f"), 2.0)
        places = result.array("particles/position", -1)
        swarm.show(places, particles.speed(result.array("particles/velocity", -1)))
        return result, swarm, places

    def test_pictures(self):
        for name in ("few.h5", "thousand.h5", "free.h5"):
            picture = self.drawn(name)
            with Image.open(picture) as image:
                self.assertGreater(image.width / image.height, 1.4)

    def test_the_surface_hides_what_lies_behind(self):
        """On a torus seen from the distance, a point is hidden if its normal looks away, and some more are."""
        _, swarm, places = self.swarm("thousand.h5")
        shown = np.asarray(swarm.discs.get_offsets())
        ring = places * [1, 1, 0]
        normal = places - ring / np.linalg.norm(ring, axis=1)[:, None]
        view = swarm.stage.view
        toward = view.centre + particles.scene.FAR * view.scale * view.axes[2] - places
        away = (toward * normal).sum(1) < -0.2 * np.linalg.norm(toward, axis=1) * np.linalg.norm(normal, axis=1)
        drawn = (np.abs(view.project(places)[:, None, :2] - shown).max(2) < 1e-12).any(1)
        self.assertEqual(drawn.sum(), len(shown))
        self.assertFalse(drawn[away].any())
        self.assertGreater(away.sum(), 300)
        self.assertGreater(drawn.sum(), 300)
        _, free, everyone = self.swarm("free.h5")  # the control: without a surface nothing is hidden
        self.assertEqual(len(free.discs.get_offsets()), len(everyone))

    def test_the_nearest_disc_is_in_front_and_has_its_speed(self):
        result, swarm, places = self.swarm("free.h5")
        depth = swarm.stage.view.project(places)[:, 2]
        nearest = depth.argmin()
        np.testing.assert_allclose(swarm.discs.get_offsets()[-1], swarm.stage.view.project(places)[nearest, :2])
        speed = np.linalg.norm(result.array("particles/velocity", -1)[nearest])
        np.testing.assert_allclose(swarm.discs.get_facecolors()[-1, :3], particles.COLOURS(speed / 2.0)[:3])
        sizes = swarm.discs.get_sizes()
        self.assertAlmostEqual(np.sqrt(sizes[-1] / sizes[0]), depth.max() / depth.min())

    def test_discs_leave_room_for_each_other(self):
        few, many = (self.swarm(name)[1].diameter for name in ("few.h5", "thousand.h5"))
        self.assertEqual(few, particles.SIZES[1])
        self.assertLess(many, 0.6 * few)

    def test_very_many_are_painted(self):
        with mock.patch.object(particles, "MANY", 999):
            _, swarm, places = self.swarm("thousand.h5")
            at, visible = swarm.stage.seen(places)
            paint = np.asarray(swarm.painted.get_array())[..., 3]
            x0, x1, y0, y1 = swarm.box
            column = ((at[visible, 0] - x0) / (x1 - x0) * paint.shape[1]).astype(int)
            row = ((y1 - at[visible, 1]) / (y1 - y0) * paint.shape[0]).astype(int)
            self.assertGreater(paint[row, column].min(), 0.2)
            self.assertLess(paint.mean(), 0.25)
            self.drawn("thousand.h5")

    def test_series(self):
        """Energies a particle, their error over the mean kinetic energy, the temperature, what is conserved."""
        for name, momenta in (("few.h5", [[r"$\Delta L_z$"]]), ("thousand.h5", []),
                              ("free.h5", [[r"$\Delta P_x$", r"$\Delta L_z$"]])):
            result = Result(self.shared / name)
            made = particles._panels(result, result.written("particles/sample_time"))
            self.assertEqual([names for names, *_ in made[3:]], momenta)
            energy = result.array("particles/energy")
            count = result.file["particles/position"].shape[1]
            np.testing.assert_allclose(made[0][1], energy.T / count)
            np.testing.assert_allclose(made[1][1][0] * energy[:, 0].mean(), energy[:, 2] - energy[0, 2], atol=1e-12)
            for _, values, *_ in made[3:]:
                np.testing.assert_array_equal(values[:, 0], 0)

    def test_periodic_places_return_to_the_surface(self):
        _, swarm, places = self.swarm("free.h5")
        before = np.sort(np.asarray(swarm.discs.get_offsets()), 0)
        swarm.periods = np.array([0, 8.0, 0])
        inside = places + [0, 4, 0]
        swarm.show(inside, np.ones(len(places)))
        there = np.asarray(swarm.discs.get_offsets())
        swarm.show(inside + [0, -24, 0], np.ones(len(places)))
        np.testing.assert_allclose(swarm.discs.get_offsets(), there, atol=1e-12)
        self.assertGreater(np.abs(np.sort(there, 0) - before).max(), 0.1)

    def test_captions(self):
        self.assertIn("3 newton_diverged", particles.said(Result(self.shared / "thousand.h5")))
        few = particles.said(Result(self.shared / "few.h5"))
        self.assertIn("$21$ particles", few)
        self.assertIn(r"Lennard–Jones: $\epsilon = 1$, $\mathrm{cut} = 2.5$", few)

    def test_a_run_that_has_not_ended(self):
        """What is not written yet is zero, and left out; a run that ended before its time left NaN."""
        for name in ("begun", "ended", "empty"):
            synthetic.particles(self.at / f"{name}.h5", written=4)
        for name, first in (("ended", 4), ("empty", 0)):
            with h5py.File(self.at / f"{name}.h5", "a") as file:
                file["particles/status"][:] = 4
                file["particles/time"][first:] = file["particles/sample_time"][first:] = np.nan
        for name in ("begun", "ended"):
            self.assertEqual(len(particles.frames(Result(self.at / f"{name}.h5"))), 4)
        picture = self.at / "a.png"
        self.refused(1, "begun.h5: unfinished", "--resume",
                     arguments=[self.at / "begun.h5", "-o", picture, "--dpi", "60"])
        self.assertTrue(picture.is_file())
        self.refused(1, "empty.h5: no sample", arguments=[self.at / "empty.h5", "-o", picture])

    def test_movie(self):
        film = self.at / "film.gif"
        short = ("--fps", 4, "--duration", 1, "--dpi", 40)
        self.assertEqual(self.run_tool(self.shared / "few.h5", "--movie", film, *short), (0, ""))
        with Image.open(film) as image:
            self.assertEqual(image.n_frames, 4)

    def test_frames_pass_through_the_samples(self):
        figure = matplotlib.pyplot.figure()
        self.addCleanup(matplotlib.pyplot.close, figure)
        result = Result(self.shared / "few.h5")
        scene = movie.Procession(figure.add_axes((0, 0, 1, 1)), result, options("f"),
                                 result.array("particles/time")[[0, 2, 5]])
        with mock.patch.object(scene.swarm, "show") as show:
            for moment, row in enumerate((0, 2, 5)):
                scene.show(moment)
                places, speeds = show.call_args.args
                np.testing.assert_allclose(places, result.array("particles/position", row), atol=1e-12)
                np.testing.assert_allclose(speeds, particles.speed(result.array("particles/velocity", row)))

    def test_what_it_refuses(self):
        target = ("-o", self.at / "a.png")
        self.refused(2, "draws one file", arguments=[self.shared / "few.h5", self.shared / "free.h5", *target])
        self.refused(2, "the run itself writes few.xdmf", arguments=[self.shared / "few.h5", *target, "--xdmf"])
        synthetic.mechanism(self.at / "chain.h5")
        self.refused(2, "no particles in space", arguments=[self.at / "chain.h5", *target, "--what", "particles"])


if __name__ == "__main__":
    unittest.main()
