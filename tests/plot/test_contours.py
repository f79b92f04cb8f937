# SPDX-License-Identifier: BSD-3-Clause
"""Tests of level lines: what is dropped of them lies on what is kept, and lines of different levels stay apart."""
import sys
import unittest
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "apps" / "python"))

from cotangent.plot import contours  # noqa: E402


def away(points, line):
    """The distances of points [n, 2] from a polyline [m, 2]."""
    return np.min([contours.distances(points, a, b) for a, b in zip(line[:-1], line[1:])], 0)


def fan(count=301):
    """(x, y, values) of the angle about a point just beyond the edge: all its level lines meet there."""
    x, y = np.linspace(0, 1, count), np.linspace(-0.5, 0.5, count)
    return x, y, np.arctan2(y[:, None], x[None, :] + 0.01)


def nearest(levels):
    """The least distance between the points of lines of different levels."""
    points = [np.concatenate([contours.dense(line, 0.5) for line in lines]) for lines in levels if lines]
    return min(np.linalg.norm(a[:, None] - b[None], axis=-1).min() for k, a in enumerate(points) for b in points[:k])


class Simplified(unittest.TestCase):
    def lines(self):
        t = np.linspace(0, 2 * np.pi, 501)
        circle = np.stack([np.cos(t), np.sin(t)], 1)
        circle[-1] = circle[0]
        yield "circle", circle
        yield "wave", np.stack([t, np.sin(9 * t) / (1 + t)], 1)
        yield "noise", np.stack([t, np.random.default_rng(3).normal(size=t.size)], 1)
        yield "space", np.stack([np.cos(3 * t), np.sin(3 * t), t], 1)

    def test_every_point_lies_within_the_tolerance(self):
        for name, line in self.lines():
            for tolerance in (1e-4, 1e-2, 0.3):
                with self.subTest(name, tolerance=tolerance):
                    kept = contours.simplified(line, tolerance)
                    self.assertLessEqual(away(contours.dense(line, 0.05), kept).max(), tolerance * (1 + 1e-9))
                    np.testing.assert_array_equal(kept[[0, -1]], line[[0, -1]])
                    places = [int(np.flatnonzero((line == point).all(1))[0]) for point in kept[:-1]]
                    self.assertEqual(places, sorted(set(places)))

    def test_as_few_points_as_the_curvature_asks_for(self):
        """A chord of a circle of radius 1 that is off by d is 2 sqrt(2 d) long; halving gets within twice as many."""
        circle = next(self.lines())[1]
        least = np.pi / np.sqrt(2 * 1e-3)
        kept = len(contours.simplified(circle, 1e-3))
        self.assertGreater(kept, least)
        self.assertLess(kept, 2 * least)
        # The control: as many points taken evenly from a line with a corner miss it.
        bent = np.concatenate([np.linspace([0, 0], [0.9, 0], 1000), np.linspace([0.9, 0], [0.9, 0.1], 112)[1:]])
        kept = contours.simplified(bent, 1e-6)
        np.testing.assert_array_equal(kept, [[0, 0], [0.9, 0], [0.9, 0.1]])
        self.assertGreater(away(bent, bent[[0, len(bent) // 2, -1]]).max(), 1e-3)

    def test_what_is_short_stays(self):
        for line in (np.zeros((0, 2)), [[1, 2]], [[1, 2], [1, 2]]):
            np.testing.assert_array_equal(contours.simplified(line, 1.0), line)

    def test_long_lines_need_no_deep_stack(self):
        saw = np.stack([np.arange(4001.0), np.arange(4001) % 2 * np.arange(4001.0)], 1)
        self.assertEqual(len(contours.simplified(saw, 0.1)), 4001)


class Uncrowded(unittest.TestCase):
    def setUp(self):
        x, y, values = fan()
        self.levels = [[100 * line for line in lines] for lines in contours.of_grid(x, y, values, np.linspace(-0.7, 0.7, 15))]

    def test_levels_stay_apart_where_they_meet(self):
        gap = 2.0
        self.assertLess(nearest(self.levels), 0.2 * gap)
        apart = contours.uncrowded(self.levels, gap)
        self.assertGreater(nearest(apart), 0.6 * gap)
        # The middle one is whole, its neighbours begin where there is room; far out, all are there.
        reach = [min(line[:, 0].min() for line in lines) for lines in apart]
        self.assertEqual(reach[7], 0)
        self.assertLess(reach[3], reach[1])
        self.assertLess(reach[1], reach[0])
        self.assertGreater(reach[0], 15)
        self.assertTrue(all(max(line[:, 0].max() for line in lines) > 99 for lines in apart[3:-3]))
        # The control: lines with room between them stay as they are.
        whole = contours.uncrowded([lines for k, lines in enumerate(self.levels) if k % 7 == 0], 0.05)
        self.assertEqual([len(lines) for lines in whole], [1, 1, 1])
        for part, line in zip(whole, self.levels[::7]):
            self.assertLess(away(line[0], part[0]).max(), 1e-12)

    def test_lines_keep_away_from_what_is_taken(self):
        across = np.array([[50.0, -60.0], [50.0, 60.0]])
        apart = contours.uncrowded(self.levels, 2.0, [across])
        for lines in apart[1:-1]:
            self.assertGreater(min(away(line, across).min() for line in lines), 1.2)
            self.assertTrue(any(line[:, 0].max() < 50 for line in lines) or min(line[:, 0].min() for line in lines) > 40)

    def test_a_closed_line_that_is_cut_is_one_stretch(self):
        t = np.linspace(0, 2 * np.pi, 401)
        circle = 20 * np.stack([np.cos(t), np.sin(t)], 1)
        circle[-1] = circle[0]
        one, = contours.uncrowded([[circle]], 1.0)
        np.testing.assert_array_equal(one[0][0], one[0][-1])
        cut, = contours.uncrowded([[circle]], 1.0, [np.array([[-25.0, 0.0], [-15.0, 0.0]])])
        self.assertEqual(len(cut), 1)
        self.assertLess(abs(np.linalg.norm(np.diff(cut[0], axis=0), axis=1).sum() - 40 * np.pi), 3)
        self.assertEqual(contours.uncrowded([[], []], 1.0), [[], []])


class Drawn(unittest.TestCase):
    def axis(self, dpi=100):
        figure = plt.figure(figsize=(4, 4), dpi=dpi)
        self.addCleanup(plt.close, figure)
        return figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(-0.5, 0.5))

    def pixels(self, axis):
        axis.figure.canvas.draw()
        return np.asarray(axis.figure.canvas.buffer_rgba())[..., :3].astype(int)

    def test_lines_do_not_merge(self):
        x, y, values = fan()
        levels = contours.of_grid(x, y, values, np.linspace(-1.4, 1.4, 57))
        dark = []
        for thinned in (True, False):
            axis = self.axis()
            axis.set_axis_off()
            if thinned:
                lines = contours.draw(axis, levels, colors="k", linewidths=0.5)
            else:
                axis.contour(x, y, values, np.linspace(-1.4, 1.4, 57), colors="k", linewidths=0.5)
            dark.append(float((self.pixels(axis)[180:220, :40].mean(2) < 140).mean()))
        self.assertLess(dark[0], 0.3)
        self.assertGreater(dark[1], 0.5)
        count = sum(len(path.vertices) for path in lines.get_paths())
        self.assertLess(count, sum(len(line) for lines in levels for line in lines) / 20)

    def test_bands_are_filled_as_contourf_fills_them(self):
        x, y, values = fan(151)
        values = np.sin(3 * values) * np.cos(9 * x[None]) + y[:, None]
        colours = matplotlib.colormaps["viridis"](np.linspace(0, 1, 8))
        self.assertEqual(self.paper(x, y, values, np.linspace(values.min(), values.max(), 9), colours), 0)
        self.assertGreater(self.paper(x, y, values, np.linspace(-0.6, 0.6, 9), colours), 0.1)

    def paper(self, x, y, values, edges, colours):
        """The part of the picture that no band covers, after it has been compared with contourf's."""
        pictures = []
        for ours in (True, False):
            axis = self.axis()
            axis.set_axis_off()
            if ours:
                contours.fill(axis, x, y, values, edges, colours)
                points = sum(len(patch.get_path().vertices) for patch in axis.patches)
            else:
                norm = matplotlib.colors.BoundaryNorm(edges, 8)
                axis.contourf(x, y, values, edges, cmap=matplotlib.colors.ListedColormap(colours), norm=norm)
            pictures.append(self.pixels(axis))
        self.assertLess(float((np.abs(pictures[0] - pictures[1]).max(2) > 40).mean()), 0.03)
        self.assertGreater(float((np.abs(pictures[0] - pictures[1][::-1]).max(2) > 40).mean()), 0.2)  # the control
        self.assertLess(points, 4000)
        return float((pictures[0].min(2) > 250).mean())

    def test_lines_of_a_mesh(self):
        axis = self.axis()
        x, y = (c.ravel() for c in np.meshgrid(np.linspace(0, 1, 30), np.linspace(-0.5, 0.5, 30)))
        levels = contours.of_mesh(axis, matplotlib.tri.Triangulation(x, y), x + y, 6)
        self.assertEqual(len(axis.collections), 0)
        lines = contours.draw(axis, levels)
        self.assertEqual(axis.collections[:], [lines])
        self.assertTrue(all(len(path.vertices) == 2 for path in lines.get_paths()))  # straight ones
        self.assertGreater(len(lines.get_paths()), 4)


if __name__ == "__main__":
    unittest.main()
