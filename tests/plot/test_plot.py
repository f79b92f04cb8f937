# SPDX-License-Identifier: BSD-3-Clause
"""Tests of cotangent-plot: the pictures it makes of small synthetic results, its messages and its exit codes.

Run by ctest, or by hand: /usr/bin/python3 tests/plot/test_plot.py. COTANGENT_PLOT names the program to test;
the default is that of this checkout.
"""
import ast
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import h5py
import matplotlib
import matplotlib.pyplot
import numpy as np
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.patches import Rectangle
from PIL import Image

SOURCE = Path(__file__).resolve().parents[2] / "apps" / "python"
PROGRAM = os.environ.get("COTANGENT_PLOT", str(SOURCE / "cotangent-plot"))
sys.path.insert(0, str(SOURCE))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import synthetic  # noqa: E402
from cotangent.explorer import periodic  # noqa: E402
from cotangent.explorer import section as explored  # noqa: E402
from cotangent.plot import atlases, billiards, captions, choices, cli, energy, landscape, layout, mechanisms, movie  # noqa: E402
from cotangent.plot import overland, painting  # noqa: E402
from cotangent.plot import sections  # noqa: E402
from cotangent.plot import style, tops, trajectories  # noqa: E402
from cotangent.plot.result import Result  # noqa: E402


def options(*arguments):
    """The options as the program would have them."""
    return cli.Options(cli.parser().parse_args(cli.joined(list(arguments))))


def inked(picture):
    """The part of a picture's pixels that is not white."""
    with Image.open(picture) as image:
        return float((np.asarray(image.convert("RGB")).min(axis=2) < 245).mean())


def labels(figure):
    """The axes' labels, those that say nothing left out."""
    return [text for axis in figure.axes for text in (axis.get_xlabel(), axis.get_ylabel()) if text]


def cells(axis):
    """How many cells of colour an axis has."""
    return sum(mesh.get_array().size for mesh in axis.collections if isinstance(mesh, QuadMesh))


class PlotTest(unittest.TestCase):
    """Each test has a folder of its own as `self.at`, and shares the files in `self.shared`."""

    @classmethod
    def setUpClass(cls):
        cls.shared = Path(tempfile.mkdtemp(prefix="cotangent_plot_"))
        synthetic.poincare(cls.shared / "section.h5")
        synthetic.poincare(cls.shared / "energies.h5", energies=(1 / 12, 1 / 10, 1 / 8), side=3, crossings=20)
        synthetic.poincare(cls.shared / "euler.h5", side=3, crossings=20, method="explicit-euler")
        synthetic.poincare(cls.shared / "pending.h5", side=4, crossings=20, pending=5)
        synthetic.trajectories(cls.shared / "pendulum.h5")
        synthetic.mechanism(cls.shared / "chain.h5")
        synthetic.mechanism(cls.shared / "space.h5", dimension=3)
        synthetic.mechanism(cls.shared / "two.h5", cut=5)
        synthetic.lattice(cls.shared / "field.h5", exact=True)
        synthetic.lattice(cls.shared / "modes.h5", modes=4)
        synthetic.lattice(cls.shared / "sheet.h5", rows=24)
        synthetic.landscape(cls.shared / "landscape.h5")
        synthetic.landscape(cls.shared / "landscapes.h5", (0.5, 1.0, 2.0, 4.0))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.at = Path(tempfile.mkdtemp(prefix="cotangent_plot_"))
        self.addCleanup(shutil.rmtree, self.at)

    def run_tool(self, *arguments):
        """(exit code, standard error) of the program, run in this process."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = cli.main([str(a) for a in arguments])
            except SystemExit as stop:
                code = stop.code
        self.assertNotIn("Warning", err.getvalue())
        return code, err.getvalue()

    def drawn(self, name, *arguments, least=0.01):
        """Draws a shared file as a PNG, which must bear ink; its path. What was drawn is `self.figure`."""
        picture = self.at / "picture.png"
        with mock.patch.object(cli, "save", side_effect=cli.save) as save:
            code, err = self.run_tool(self.shared / name, "-o", picture, "--dpi", 80, *arguments)
        self.assertEqual((code, err), (0, ""))
        self.assertGreater(inked(picture), least)
        self.figure = save.call_args.args[0]
        return picture

    def says(self, *texts):
        """The figure has these axes' labels, in this order, and no others."""
        self.assertEqual(labels(self.figure), list(texts))

    def points_in_lines(self):
        """How many points the lines of each axis have that has lines."""
        return [[len(line.get_xdata()) for line in axis.lines] for axis in self.figure.axes if axis.lines]

    def refused(self, code, *words, arguments):
        """The program must end with this code and a message that holds all the words."""
        got, err = self.run_tool(*arguments)
        self.assertEqual(got, code, err)
        self.assertTrue(err.startswith("cotangent-plot: ") or err.startswith("usage: "), err)
        for word in words:
            self.assertIn(word, err)
        self.assertEqual([p for p in self.at.iterdir() if ".part" in p.name], [])


class Pictures(PlotTest):
    def test_section_as_png_pdf_svg(self):
        self.drawn("section.h5")
        self.says("$q_{2}$", r"$\dot{q}_{2}$")
        self.assertIn("$23$ orbits × $80$ crossings", self.figure.texts[1].get_text())
        self.all_are_painted(self.figure.axes[0], "section.h5", "q2", "q2_dot")
        for ending, begin in (("pdf", b"%PDF"), ("svg", b"<?xml")):
            target = self.at / f"picture.{ending}"
            self.assertEqual(self.run_tool(self.shared / "section.h5", "-o", target), (0, ""))
            self.assertTrue(target.read_bytes().startswith(begin))

    def all_are_painted(self, axis, name, x, y):
        """Every crossing has left colour where it belongs, and most of the picture has none."""
        result = Result(self.shared / name)
        x, y = (result.column("section/points", column) for column in (x, y))
        known = np.isfinite(x)
        image, = axis.images
        x0, x1, y0, y1 = image.get_extent()
        ink = np.asarray(image.get_array())[..., 3]
        row, column = (y1 - y[known]) / (y1 - y0) * ink.shape[0], (x[known] - x0) / (x1 - x0) * ink.shape[1]
        self.assertEqual(known.sum(), 23 * 80)
        self.assertGreater(ink[row.astype(int), column.astype(int)].min(), 0.05)
        self.assertLess((ink > 0.05).mean(), 0.5)

    def test_equal_runs_make_equal_bytes(self):
        for ending in ("png", "svg", "pdf"):
            first, second = (self.at / f"{n}.{ending}" for n in "ab")
            for target in (first, second):
                self.run_tool(self.shared / "section.h5", "-o", target, "--dpi", 60)
            self.assertEqual(first.read_bytes(), second.read_bytes(), ending)

    def test_default_name_is_beside_the_result(self):
        shutil.copy(self.shared / "euler.h5", self.at / "mine.h5")
        self.assertEqual(self.run_tool(self.at / "mine.h5", "--dpi", 60)[0], 0)
        self.assertTrue((self.at / "mine.png").is_file())

    def test_errors_of_any_size_are_drawn_as_they_are(self):
        np.testing.assert_allclose(energy.above_zero(np.array([0, 2e-21, 3e-19])), [1e-21, 2e-21, 3e-19])
        self.assertEqual(energy.above_zero(np.zeros(2)).tolist(), [1e-17, 1e-17])
        with h5py.File(self.at / "small.h5", "w") as copy, h5py.File(self.shared / "section.h5") as file:
            for name in file:
                file.copy(name, copy)
            copy.attrs.update(file.attrs)
            copy["orbits/energy_error"][:] = 4e-22
        figure = energy.draw([Result(self.at / "small.h5")], options("small.h5", "--what", "energy"))
        self.assertTrue(any("10^{-22}" in text.get_text() for text in figure.axes[0].texts))
        matplotlib.pyplot.close(figure)

    def test_powers_stand_in_the_labels(self):
        figure, axis = matplotlib.pyplot.subplots()
        axis.plot([0, 1], [0, 3e-10])
        axis.set_xlabel("time  [s]")
        axis.set_ylabel("x  [m]")
        layout.powers_in_labels(figure)
        self.assertEqual((axis.get_xlabel(), axis.get_ylabel()), ("time  [s]", "x  [$10^{-10}$ m]"))
        self.assertFalse(axis.yaxis.get_offset_text().get_visible())
        matplotlib.pyplot.close(figure)

    def test_what_is_taken_from_all_numbers_stands_in_the_label(self):
        """Ticks and label together give the numbers themselves."""
        for low, high, written in ((-300001.2, -299998.8, "x + 300000"), (-3.00001, -2.99999, "x + 3  [$10^{-5}$]"),
                                   (-1000001, -999999, "x + 1000000"), (5.0000001, 5.0000003, "x − 5  [$10^{-7}$]"),
                                   (-3e8, 3e8, "x  [$10^{8}$]"), (-3, 3, "x")):
            figure, axis = matplotlib.pyplot.subplots()
            axis.set_xlim(low, high)
            axis.set_xlabel("x")
            layout.powers_in_labels(figure)
            self.assertEqual(axis.get_xlabel(), written)
            label, _, power = written.partition("  [$10^{")
            taken = float((label[1:] or "0").replace(" ", "").replace("−", "-"))
            shown = [float(tick.get_text().strip("${}").replace("−", "-").replace(r"\mathdefault{", "").rstrip("}"))
                     for tick in axis.get_xticklabels()]
            np.testing.assert_allclose(np.array(shown) * 10.0 ** int(power.rstrip("}$]") or 0) - taken, axis.get_xticks(), rtol=1e-12)
            matplotlib.pyplot.close(figure)

    def test_one_panel_for_each_energy(self):
        with_axis = Result(self.shared / "energies.h5")
        found, names = sections.panels([with_axis], options("f"))
        self.assertEqual([p.label for p in found], ["$E = 1/12$", "$E = 0.1$", "$E = 1/8$"])
        self.assertEqual(names, ("q2", "q2_dot"))
        self.assertEqual(sum(len(p.ids) for p in found), int((with_axis.array("orbits/status") == 1).sum()))
        self.drawn("energies.h5")
        self.says(*["$q_{2}$", r"$\dot{q}_{2}$", "$q_{2}$", "$q_{2}$"])
        self.assertIn("$18$ orbits, $360$ crossings", self.figure.texts[1].get_text())
        self.assertEqual(len({(axis.get_xlim(), axis.get_ylim()) for axis in self.figure.axes}), 1)

    def test_files_side_by_side_are_titled_by_method(self):
        results = [Result(self.shared / name) for name in ("section.h5", "euler.h5")]
        found, _ = sections.panels(results, options("f"))
        self.assertIn("Gauss", found[0].label)
        self.assertIn("Explicit Euler", found[1].label)
        self.drawn("section.h5", self.shared / "euler.h5")
        self.assertEqual([len(axis.images) for axis in self.figure.axes], [1, 1])
        self.all_are_painted(self.figure.axes[0], "section.h5", "q2", "q2_dot")

    def test_files_of_which_but_one_has_indicators(self):
        """The exponent colours all panels or none."""
        some = shutil.copy(self.shared / "section.h5", self.at / "indicated.h5")
        with h5py.File(some, "a") as file:
            file["indicators/lyapunov"] = np.linspace(0, 1, file["orbits/status"].shape[0])
        bars = []
        for second in (self.shared / "section.h5", some):
            self.drawn(some, second)
            bars.append([len(axis.child_axes) for axis in self.figure.axes])
        self.assertEqual(bars, [[0, 0], [1, 1]])

    def test_every_way_to_colour(self):
        seen = {}
        for by in ("auto", "orbit", "none", "chaos", "energy-error", "status", "crossings", "energy", "q2"):
            with self.subTest(by):
                self.drawn("section.h5", "--color-by", by)
                seen[by] = np.asarray(self.figure.axes[0].images[0].get_array())
        np.testing.assert_array_equal(np.ptp(seen["none"][seen["none"][..., 3] > 0.5][:, :3], axis=0) < 0.02, True)
        for by in ("orbit", "chaos", "energy-error", "q2"):  # these tell orbits from one another, each in its way
            self.assertGreater(np.abs(seen[by] - seen["none"]).max(), 0.2, by)
        self.assertGreater(np.abs(seen["q2"] - seen["energy-error"]).max(), 0.2)

    def test_one_scale_of_colours_for_all_panels(self):
        """So that panels of a swept parameter differ; above narrow panels one bar, which has room there."""
        for energies, narrow in (((1 / 12, 1 / 8), False), ((1 / 12, 1 / 10, 1 / 8), True)):
            synthetic.poincare(self.at / f"{narrow}.h5", energies=energies, side=3, crossings=9)
            with mock.patch.object(painting, "paint", side_effect=painting.paint) as paint:
                self.drawn(self.at / f"{narrow}.h5", "--color-by", "energy", "--axes", "q2,q2_dot")
            colours = [call.args[2] for call in paint.call_args_list]
            self.assertTrue(all(np.ptp(lab, axis=0).max() == 0 for lab in colours))
            self.assertEqual(len({tuple(lab[0]) for lab in colours}), len(energies))
            panels, bars = self.figure.axes[:len(energies)], self.figure.axes[len(energies):]
            self.assertEqual([len(axis.child_axes) for axis in panels], [0 if narrow else 1] * len(energies))
            for bar in bars:
                np.testing.assert_allclose(bar.get_xlim(), (1 / 12, 1 / 8))
            self.assertEqual(len(bars), narrow)

    def test_axes_and_orbits_and_limits_can_be_chosen(self):
        self.drawn("section.h5", "--axes", "q2,q1_dot", "--orbits", "7,11-13", "--xlim", "-0.5,0.7", "--ylim", "-1,1")
        self.says("$q_{2}$", r"$\dot{q}_{1}$")
        self.assertEqual((self.figure.axes[0].get_xlim(), self.figure.axes[0].get_ylim()), ((-0.5, 0.7), (-1, 1)))
        self.assertIn("$4$ orbits × $80$ crossings", self.figure.texts[1].get_text())

    def test_a_swept_parameter_is_an_axis(self):
        """A diagram of bifurcations: one panel, one ink, and without the crossings that the deck leaves out."""
        picture = self.shared / "energies.h5"
        with mock.patch.object(painting, "paint", side_effect=painting.paint) as paint:
            self.drawn("energies.h5", "--axes", "energy,q2")
        self.says("$E$", "$q_{2}$")
        self.assertEqual(len(self.figure.axes), 1)
        x, y, lab = paint.call_args.args[:3]
        self.assertEqual(np.unique(x[np.isfinite(y)]).round(12).tolist(), [round(e, 12) for e in (1 / 12, 1 / 10, 1 / 8)])
        self.assertEqual(np.ptp(lab, axis=0).max(), 0)
        shorter = self.at / "skip.h5"
        shutil.copy(picture, shorter)
        with h5py.File(shorter, "a") as file:
            deck = file["deck"][()].decode()
            del file["deck"]
            file["deck"] = deck + "[plot]\nskip = 15\n"
        found, _ = sections.panels([Result(shorter)], options("f", "--axes", "energy,q2"))
        np.testing.assert_array_equal(found[0].y, y[:, 15:])

    def test_a_closer_view_keeps_the_colours(self):
        """Colours come from whole orbits, so `--xlim` must not change them."""
        painted = []
        with mock.patch.object(painting, "paint", side_effect=painting.paint) as paint:
            for arguments in ((), ("--xlim", "-0.1,0.1", "--ylim", "0,0.2")):
                self.drawn("section.h5", *arguments)
                painted.append(paint.call_args.args)
        (_, _, *whole, limits, _, _), (_, _, *closer, close_limits, _, _) = painted
        np.testing.assert_array_equal(whole[0], closer[0])
        np.testing.assert_array_equal(whole[1], closer[1])
        self.assertEqual(close_limits, (-0.1, 0.1, 0, 0.2))
        self.assertNotEqual(limits, close_limits)

    def test_time_series(self):
        self.drawn("pendulum.h5")
        self.says("$a$  [rad]", "$b$  [rad]", "time  [s]", "$E - E_0$  $[10^{-13}]$")
        self.assertEqual(self.points_in_lines(), [[200] * 3, [200] * 3, [200] * 3 + [2]])
        q = Result(self.shared / "pendulum.h5").array("trajectory/q")
        for axis, name in zip(self.figure.axes, (0, 1)):
            np.testing.assert_array_equal([line.get_ydata() for line in axis.lines], q[:, :, name])
        self.drawn("pendulum.h5", "--orbits", "1", "--xlim", "2,5")
        self.says("$a$,  $b$  [rad]", "time  [s]", "$E - E_0$  $[10^{-13}]$")
        self.assertEqual(self.points_in_lines(), [[60] * 2, [60, 2]])
        self.assertEqual({axis.get_xlim() for axis in self.figure.axes}, {(2, 5)})

    def rows_read(self, draw):
        """{data set: the most rows that a reading of it brought}."""
        most, read = {}, Result.array

        def counted(result, name, *selection):
            values = read(result, name, *selection)
            most[name] = max(most.get(name, 0), len(values) if np.ndim(values) > 1 else 0)
            return values
        with mock.patch.object(Result, "array", counted):
            draw()
        return {name: rows for name, rows in most.items() if name.startswith(("trajectory/", "histories/"))}

    def test_no_more_is_read_than_is_drawn(self):
        """Of a hundred trajectories, of which one isn't run and some have no samples, those that are drawn."""
        many, film = self.at / "many.h5", ("--movie", self.at / "film.gif", "--fps", 2, "--duration", 1, "--dpi", 40)
        synthetic.on_sphere(self.at / "sphere.h5", count=100)
        synthetic.trajectories(many, count=100)
        with h5py.File(many, "a") as file:
            file["trajectory/q"][2:9] = np.nan
            time, file["orbits/status"][1] = file["trajectory/time"][()], 7
            del file["trajectory/time"]
            file["trajectory/time"] = time + 0.01 * np.arange(100)[:, None]
        self.assertEqual(trajectories.chosen(Result(many), options("f")).tolist(), [0, 1, *range(9, 47)])
        self.assertEqual(trajectories.chosen(Result(many), options("f", "--orbits", "0,5,50-99"), 3).tolist(), [0, 50, 51])
        for file, arguments, names in ((many, (), ("energy", "q", "time")), (many, film, ("q", "time", "v")),
                                       (self.at / "sphere.h5", (), ("energy", "multiplier", "q", "v")),
                                       (self.at / "sphere.h5", film, ("q", "v"))):
            with self.subTest(file.name, movie=bool(arguments)):
                output = arguments or ("-o", self.at / "a.png", "--dpi", 40)
                read = self.rows_read(lambda: self.assertEqual(self.run_tool(file, *output), (0, "")))
                self.assertEqual({name: rows for name, rows in read.items() if rows},
                                 {f"trajectory/{name}": trajectories.MOST_CURVES for name in names})

    def test_mechanisms(self):
        series = ["energy", "$t$", r"$|g| / |\nabla g|$"]
        for name, arguments, vertical, rods, limits in (("chain.h5", (), "$y$", 12, None),
                                                        ("space.h5", ("--xlim", "-1,1"), "$z$", 12, (-1, 1)),
                                                        ("two.h5", (), "$y$", 11, None)):
            with self.subTest(name):
                self.drawn(name, *arguments)
                shapes = self.figure.axes[0]
                self.assertEqual(labels(self.figure)[:5], ["$x$", vertical, *series])
                self.assertIn(f"${rods}$ rods", shapes.get_title())
                if limits:
                    self.assertEqual(shapes.get_xlim(), limits)
                drawn = [lines for lines in shapes.collections if isinstance(lines, LineCollection)]
                self.assertEqual({len(lines.get_segments()) for lines in drawn}, {rods})
                last = Result(self.shared / name).array("particles/position")[-1][:, [0, -1]]
                np.testing.assert_allclose(drawn[-1].get_segments()[0], last[:2], atol=1e-12)
                self.assertEqual(self.points_in_lines()[1:], [[30, 30], [30], [30]])

    def test_molecules(self):
        ends = np.array([(5, 4), (3, 4), (0, 2), (6, 3), (1, 2), (5, 6)])  # the second is closed
        np.testing.assert_array_equal(mechanisms.molecules(ends, 7), [0, 0, 0, 1, 1, 1, 1])
        chain = np.stack([np.arange(1000), np.arange(1000) + 1], 1)
        np.testing.assert_array_equal(mechanisms.molecules(chain, 1001), 0)
        np.testing.assert_array_equal(mechanisms.molecules(chain[chain[:, 0] != 600][::-1], 1001), np.arange(1001) > 600)

    def test_lattices(self):
        energy = r"$(E - E_0) / E_0$  [$10^{-14}$]"
        self.drawn("field.h5")
        self.says("$x$", r"$\max\ |q - q_{\mathrm{exact}}|$  [$10^{-3}$]", "$t$", energy, "$q$")
        self.assertEqual(cells(self.figure.axes[0]), 40 * 20)
        self.assertEqual(self.points_in_lines(), [[20], [20]])
        self.drawn("modes.h5")
        self.says("energy of the mode", "$t$", energy)
        self.assertEqual(self.points_in_lines(), [[20] * 4, [20]])
        self.drawn("sheet.h5")
        self.says("$y$", "$x$", "$y$", "$x$", "$t$", energy, *4 * ["$z$"])
        self.assertEqual([cells(axis) for axis in self.figure.axes[:4]], [40 * 24] * 4)
        copy = shutil.copy(self.shared / "field.h5", self.at / "begun.h5")
        with h5py.File(copy, "a") as file:
            file["lattice/frame_time"][1:] = np.nan
        self.refused(1, "no sample of the motion yet", arguments=(copy, "-o", self.at / "begun.png"))

    def test_pages_of_lattices_that_have_not_begun(self):
        with h5py.File(shutil.copy(self.shared / "field.h5", self.at / "begun.h5"), "a") as file:
            for name in ("frame_time", "q", "shape"):
                file[f"lattice/{name}"][...] = 0
        self.refused(1, "no whole state in it yet", arguments=(self.at / "begun.h5", "--html", self.at / "a.html"))

    def test_landscapes(self):
        for name, count, least in (("landscape.h5", 1, 0.4), ("landscapes.h5", 4, 0.3)):
            with self.subTest(name):
                self.drawn(name, least=least)
                for axis in self.figure.axes[:count]:
                    self.assertEqual((axis.get_xlim(), axis.get_ylim()), ((-2.5, 2.5), (-1.5, 1.5)))
                    wells, passes = (line.get_xydata() for line in axis.lines[:2])
                    np.testing.assert_array_equal(wells, [(-1, 0), (1, 0)])
                    np.testing.assert_array_equal(passes, [(0, 0)])
        self.says("$y$", "$x$", "$y$", "$x$")

    def test_landscapes_that_are_flat(self):
        """A constant is said; numbers that agree but in their last digits are told apart."""
        for energy, bar, said in ((0.0, None, "$U$ $= 0$ everywhere"), (-7.0, None, "$U$ $= -7$ everywhere"),
                                  (-7 + 1e-9 * np.arange(61 * 41), "$U$ + $7$ [$10^{-6}$]", "$U$  ·"),
                                  (1e-9 * np.arange(61 * 41), "$U$ [$10^{-6}$]", "$U$  ·")):
            file = shutil.copy(self.shared / "landscape.h5", self.at / "flat.h5")
            with h5py.File(file, "r+") as result:
                values = result["landscape/energy"]
                values[...] = np.resize(energy, values.shape)
                del result["landscape/stationary"], result["landscape/passes"]
            self.drawn(file)
            self.assertIn(said, self.figure.texts[1].get_text())
            self.assertEqual([axis.get_title(loc="left") for axis in self.figure.axes[1:]], [bar] if bar else [])
            for axis in self.figure.axes[1:]:
                texts = [text.get_text() for text in axis.get_yticklabels()]
                self.assertEqual(len(set(texts)), len(texts))
            file.unlink()
        self.assertEqual(landscape.reach(np.array([1.5, 2.5])), "$2$")
        self.assertEqual(landscape.reach(np.array([-7, -7 + 1e-9, -7 + 2e-9])), r"$-7$ … $+ 2 \times 10^{-9}$")

    def test_padded_lists_of_stationary_points(self):
        """The lists may be as long as their room in the file, the rest NaN, or hold a row for each parameter."""
        expected = landscape.entries(Result(self.shared / "landscape.h5"), "stationary", 0)
        copy = shutil.copy(self.shared / "landscape.h5", self.at / "padded.h5")
        with h5py.File(copy, "a") as file:
            lists = file["landscape/stationary"]
            for name in list(lists):
                values = lists[name][()]
                del lists[name]
                if name not in ("parameter_index", "eigenvalues"):
                    synthetic.put(lists, name, np.append(values.astype(float), [np.nan] * 4)[None])
        padded = landscape.entries(Result(copy), "stationary", 0)
        for name in ("x", "y", "energy", "type"):
            np.testing.assert_array_equal(padded[name], expected[name])
        self.assertEqual(self.run_tool(copy, "-o", self.at / "a.png", "--dpi", 50), (0, ""))

    def test_the_edge_is_a_contact_of_balls_alone(self):
        for model, said in (("own", "edge of the domain"), ("magnetic-chain", "contact")):
            synthetic.landscape(self.at / f"{model}.h5", model=model)
            self.drawn(self.at / f"{model}.h5", least=0.3)
            self.assertEqual(self.figure.legends[0].get_texts()[-1].get_text(), said)

    def test_passes_round_which_a_lower_way_leads_are_left_out(self):
        passes = {"x": np.arange(3.0), "energy": np.array([1.0, 2.0, 3.0]), "lowest": np.array([1, 0, 1])}
        np.testing.assert_array_equal(landscape.lowest(passes)["energy"], [1.0, 3.0])
        del passes["lowest"]
        self.assertEqual(landscape.lowest(passes)["x"].size, 3)
        self.assertEqual(landscape.lowest({}), {})

    def test_points_on_the_edge_of_a_full_turn_stand_at_both_ends(self):
        turn, plane = np.linspace(-np.pi, np.pi, 9), np.linspace(-1, 1, 9)
        points = {"x": np.array([np.pi, 0.5]), "y": np.array([-np.pi, 0.0]), "type": np.array([0, 1])}
        images = landscape.repeated(points, turn, turn, ["rad", "rad"])
        self.assertEqual(images["x"].size, 5)
        self.assertEqual(np.count_nonzero(images["type"] == 0), 4)
        self.assertEqual(landscape.repeated(points, plane, plane, ["rad", "rad"])["x"].size, 2)
        self.assertEqual(landscape.repeated(points, turn, turn, ["", ""])["x"].size, 2)

    def test_levels_as_one_would_write_them(self):
        self.assertEqual(landscape.level_text(0.166666667), "1/6")
        self.assertEqual(landscape.level_text(-9.732432443), "-9.732432")
        self.assertEqual(landscape.level_text(-9.75), "-9.75")

    def test_histories_of_indicators(self):
        file = shutil.copy(self.shared / "section.h5", self.at / "histories.h5")
        with h5py.File(file, "r+") as result:
            count = result["orbits/status"].shape[0]
            verdict = np.arange(count) % 3.0
            verdict[-1] = np.nan  # it never flew
            time = np.tile(10.0 * np.arange(1, 21), (count, 1))
            for name, values in {"indicators/verdict": verdict, "histories/time": time, "histories/sali": np.exp(-0.1 * time),
                                 "histories/spectrum_2": np.sin(time)}.items():
                if name in result:
                    del result[name]
                result[name] = values
            result["indicators/verdict"].attrs["names"] = np.array(["undecided", "regular", "chaotic"], dtype=h5py.string_dtype())
        self.drawn(file, "--what", "histories")
        self.says("SALI", "$t$", r"$\lambda_{2}$")
        self.assertEqual([axis.get_yscale() for axis in self.figure.axes], ["log", "linear"])
        self.assertEqual(len(self.figure.axes[0].lines), min(count - 1, 60))
        read = self.rows_read(lambda: self.drawn(file, "--what", "histories", "--orbits", "1,4"))
        self.assertEqual(read, {f"histories/{name}": 2 for name in ("sali", "spectrum_2", "time")})

    def test_histories_of_orbits_that_failed_at_once(self):
        file = self.at / "histories.h5"
        synthetic.poincare(file, side=2, crossings=20)
        with h5py.File(file, "r+") as result:
            time = np.tile(10.0 * np.arange(1, 6), (4, 1))
            time[1:] = np.nan
            for name, values in {"indicators/verdict": np.zeros(4), "histories/time": time, "histories/sali": np.exp(-0.1 * time)}.items():
                result[name] = values
            result["indicators/verdict"].attrs["names"] = np.array(["undecided", "regular", "chaotic"], dtype=h5py.string_dtype())
        self.drawn(file, "--what", "histories")
        self.assertEqual(len(self.figure.axes[0].lines), 1)
        self.refused(2, "none of these orbits came to the first row",
                     arguments=[file, "--what", "histories", "--orbits", "1-3", "-o", self.at / "a.png"])

    def test_energy_errors(self):
        self.drawn("section.h5", "--what", "energy")
        self.says("orbit", r"$\max_t\ |E - E_0|$", "orbits")
        error = Result(self.shared / "section.h5").array("orbits/energy_error")
        np.testing.assert_array_equal(np.sort(self.figure.axes[0].lines[0].get_ydata()), np.sort(error[np.isfinite(error)]))

    def test_energy_errors_of_one_size(self):
        """Powers of ten alone as labels, which leave the axis' name its place; no words over points."""
        self.drawn("euler.h5", "--what", "energy")
        axis = self.figure.axes[0]
        labels = [text.get_text() for text in axis.get_yticklabels(minor=True)]
        self.assertEqual(set(labels) - {""}, set())
        self.assertGreaterEqual(axis.texts[0].get_window_extent().y0, axis.get_window_extent().y1)
        low, high = energy.with_powers(2e-17, 8e-17)
        self.assertTrue(low < 1e-17 and 1e-16 < high)
        self.assertEqual(energy.with_powers(2e-17, 3e-16), (2e-17, 3e-16))

    def test_flights_of_a_billiard(self):
        synthetic.billiard(self.at / "out.h5")
        self.drawn(self.at / "out.h5")
        self.says("$x$", "$y$", "arc length $s$", "tangential velocity $v_t / |v|$")
        for line in self.figure.axes[0].lines[1:]:  # after the outline: the same parabola from each bounce to the next
            x, y = line.get_data()
            falls, flies = np.sqrt(2) * np.linspace(0, 1, 20), np.sqrt(2) * np.linspace(-1, 1, 20)
            since = np.concatenate([falls, *[flies] * 5])  # the top, where y = 1
            np.testing.assert_allclose(y, 1 - since ** 2 / 2, atol=1e-12)
        whole = Result(self.at / "out.h5")
        self.assertEqual(len(billiards.flights(whole, 0, 3)), 60)
        synthetic.billiard(self.at / "straight.h5", forces="")
        self.assertEqual(len(billiards.flights(Result(self.at / "straight.h5"), 0, 3)), 4)
        synthetic.billiard(self.at / "field.h5", forces='potential = "x^4"')
        self.assertIsNone(billiards.flights(Result(self.at / "field.h5"), 0, 3))

    def test_an_atlas_of_one_side(self):
        """Shares beside exponents; where values grow by factors along logarithms."""
        values = ((0.01 * 2.0 ** np.arange(8), "log"), (np.linspace(0.1, 2, 8), "linear"), (np.linspace(0, 2, 8), "linear"))
        for k, (across, scale) in enumerate(values):
            line = self.at / f"{k}.h5"
            synthetic.atlas(line, across)
            self.drawn(line)
            self.says("$a$ of the stadium", "share of the allowed starts", "$a$ of the stadium", "Lyapunov exponent")
            shares, exponents = self.figure.axes
            self.assertEqual([shares.get_xscale(), exponents.get_xscale(), exponents.get_yscale(), shares.get_yscale()],
                             [scale] * 3 + ["linear"])
            np.testing.assert_allclose(exponents.lines[0].get_ydata(), np.sqrt(across))
            self.drawn(line, "--color-by", "mean_lyapunov")
            self.says("$a$ of the stadium", "mean Lyapunov exponent")

    def test_who_leaves_a_domain_is_in_contact_as_a_ball_alone(self):
        for model, said in (("henon-heiles", "share that leaves the domain"), ("magnetic-chain", "share that ends in contact")):
            atlas = self.at / f"{model}.h5"
            synthetic.atlas(atlas, np.linspace(0, 2, 8), left=0.3, deck=f'[model]\nname = "{model}"\n')
            self.drawn(atlas)
            self.assertIn(said, [text.get_text() for text in self.figure.axes[0].get_legend().get_texts()])
            self.assertEqual(atlases.word(Result(atlas), "energy_error"), "energy error")

    def test_basins_say_the_runs_own_exponent(self):
        for k, (exponent, says) in enumerate((([0.25], "exponent $0.25$, from boxes $1$ to $4$ starts wide"), ([np.nan], None),
                                              ([0.1, np.nan, 0.3], "exponent $0.10$ to $0.30$,"), (None, None))):
            synthetic.basins(self.at / f"{k}.h5", 2, exponent=exponent)
            self.drawn(self.at / f"{k}.h5", "--what", "basins")
            said = self.figure.texts[1].get_text()
            self.assertIn(says or "starts", said)
            self.assertEqual("uncertainty" in said, says is not None)

    def test_basins_of_many_exits(self):
        """Each exit has a colour of its own, and black is who is inside."""
        for exits in (2, 6, 7, 14):
            synthetic.basins(self.at / f"{exits}.h5", exits)
            self.drawn(self.at / f"{exits}.h5", "--what", "basins")
            self.says("$x$", "$y$", "time", "share still inside")
            basin, survival = self.figure.axes
            colours = [matplotlib.colors.to_hex(line.get_color()) for line in survival.lines[1:]]
            self.assertEqual((colours[0], len(set(colours)), "#000000" in colours), ("#1b1b1f", exits + 1, False))
            self.assertEqual([matplotlib.colors.to_hex(c) for c in basin.collections[0].get_cmap().colors], colours)

    def test_basins_of_each_energy_by_themselves(self):
        """A row for each energy with its own shares; --orbits and the limits hold; what doesn't vary is no axis."""
        file = self.at / "energies.h5"
        synthetic.basins(file, 2, energies=(0.18, 0.3))
        self.drawn(file, "--what", "basins", "--xlim", "-0.5,0.5", "--ylim", "0.1,0.9")
        basins, survivals = self.figure.axes[::2], self.figure.axes[1::2]
        self.assertEqual([axis.get_title(loc="left") for axis in basins], ["$E = 0.18$", "$E = 0.3$"])
        self.assertEqual([(axis.get_xlim(), axis.get_ylim()) for axis in basins], [((-0.5, 0.5), (0.1, 0.9))] * 2)
        self.assertEqual([[text.get_text() for text in axis.get_legend().get_texts()] for axis in survivals],
                         [["inside: 0.375", "exit 0: 0.312", "exit 1: 0.312"], ["inside: 0.000", "exit 0: 1.000", "exit 1: 0.000"]])
        self.assertEqual([np.unique(axis.collections[0].get_array()).tolist() for axis in basins], [[-1, 0, 1], [0]])
        self.drawn(file, "--what", "basins", "--orbits", "256-511")
        self.assertEqual(len(self.figure.axes), 2)
        self.assertIn("$E = 0.3$  ·  $256$ starts", self.figure.texts[1].get_text())
        self.refused(2, "'x_dot' has one value", arguments=[file, "--what", "basins", "--axes", "x,x_dot", "-o", self.at / "a.png"])
        with h5py.File(shutil.copy(file, self.at / "mixed.h5"), "r+") as result:
            del result["orbits/parameters"]
        self.refused(2, "differ in more than these two", arguments=[self.at / "mixed.h5", "--what", "basins", "-o", self.at / "a.png"])

    def test_an_atlas_over_an_unsorted_list(self):
        across, up, chaotic = np.array([0.1, 0.05, 0.12]), np.array([0.3, 0.1]), np.array([[1, 0, 0.5], [0.2, 0.1, 0.3]])
        synthetic.atlas(self.at / "map.h5", across, "energy", up=up, chaotic=chaotic)
        self.drawn(self.at / "map.h5", "--color-by", "chaotic")
        axis = self.figure.axes[0]
        np.testing.assert_allclose(axis.get_xlim(), (0.025, 0.13))
        np.testing.assert_allclose(axis.get_ylim(), (0, 0.4))
        np.testing.assert_array_equal(axis.collections[0].get_array().reshape(2, 3), [[0.1, 0.2, 0.3], [0, 1, 0.5]])
        synthetic.atlas(self.at / "line.h5", across, "energy", chaotic=chaotic[:1])
        self.drawn(self.at / "line.h5", "--color-by", "chaotic")
        np.testing.assert_array_equal(self.figure.axes[0].lines[0].get_xydata(), [(0.05, 0), (0.1, 1), (0.12, 0.5)])

    def test_an_atlas_of_failed_orbits(self):
        """Where all failed no share is known; cells are hatched wholly, and the heading says what hatches mean."""
        across, failed = np.array([0.1, 0.2, 0.5]), np.array([0.0, 0.5, 1.0])
        nowhere, chaotic = np.array([[1.0], [0.0]]), np.where(failed < 1, 0.5, 0)
        synthetic.atlas(self.at / "map.h5", across, "energy", up=[0, 1], chaotic=chaotic, failed=failed, forbidden=nowhere)
        self.drawn(self.at / "map.h5")
        self.assertIn("share of failed orbits", [axis.get_title(loc="left") for axis in self.figure.axes])
        self.assertIn("hatched: no start is allowed,  crossed: every orbit failed", self.figure.texts[1].get_text())
        cells, forbidden, lost = self.figure.axes[0].collections
        np.testing.assert_array_equal(np.ma.getmaskarray(cells.get_array()).reshape(2, 3), [[False, False, True]] * 2)
        for hatched, box in ((forbidden, ((0.05, -0.5), (0.65, 0.5))), (lost, ((0.35, -0.5), (0.65, 1.5)))):
            np.testing.assert_allclose(hatched.get_paths()[0].get_extents().get_points(), box)
        synthetic.atlas(self.at / "line.h5", across, "energy", chaotic=chaotic, failed=failed)
        self.drawn(self.at / "line.h5", "--color-by", "chaotic")
        np.testing.assert_array_equal(self.figure.axes[0].lines[0].get_ydata(), [0.5, 0.5, np.nan])

    def test_periodic_orbits_over_the_columns_asked_for(self):
        synthetic.periodic_orbits(self.at / "families.h5")
        synthetic.periodic_orbits(self.at / "orbits.h5", continued=False)
        for up, label, low in ((None, "$q_{2}$", 0.15), ("q1_dot", r"$\dot{q}_{1}$", 1.05), ("period", "period", 6.05)):
            self.drawn(self.at / "families.h5", *(("--axes", f"energy,{up}") if up else ()))
            self.says("$E$", "trace", "$E$", label)
            self.assertAlmostEqual(self.figure.axes[1].lines[0].get_ydata()[0], low)
        self.drawn(self.at / "orbits.h5", "--axes", "q1_dot,q2", least=0.002)
        self.says(r"$\dot{q}_{1}$", "$q_{2}$")
        for file, axes, *words in (("families", "enrgy,q2", "no family over 'enrgy'", "did you mean 'energy'?"),
                                   ("families", "energy,q2_dt", "no column 'q2_dt'", "did you mean 'q2_dot'?"),
                                   ("orbits", "q2,q2_dt", "no column 'q2_dt'", "did you mean 'q2_dot'?")):
            self.refused(2, "--axes", *words, arguments=[self.at / f"{file}.h5", "-o", self.at / "a.png", "--axes", axes])

    def test_one_point_on_the_section_that_the_deck_names(self):
        """An orbit that closes after one return lies in the plane of what the section leaves free, in pictures and pages."""
        for where, axes in (("q1", ["q2", "q2_dot"]), ("q2", ["q1", "q1_dot"])):
            file = self.at / f"{where}.h5"
            synthetic.orbits_and_manifolds(file, [[0.0, 0.0, 0.2, 0.1]], [1], deck=synthetic.SECTION.replace('"q1"', f'"{where}"'))
            self.drawn(file, least=0.002)
            self.says(*[style.label(name) for name in axes])
            data = periodic.orbits(Result(file))
            self.assertEqual([data["names"][data[axis]] for axis in "xy"], axes)

    def test_billiards_that_are_not_finished(self):
        synthetic.billiard(self.at / "some.h5")
        self.assertIn("$5$ particles", billiards.notes(Result(self.at / "some.h5")))
        with h5py.File(shutil.copy(self.at / "some.h5", self.at / "few.h5"), "r+") as file:
            file["orbits/status"][2:] = 0
        self.assertIn("$2$ of $5$ particles", billiards.notes(Result(self.at / "few.h5")))

    def test_billiards_whose_walls_are_swept(self):
        synthetic.billiard(self.at / "swept.h5", 40, bounces=0, swept=True)
        self.drawn(self.at / "swept.h5")
        room = r"$\mathrm{height}$ of the room"
        self.says(room, "bounces in a unit of time", room, "largest Lyapunov exponent")
        for axis in self.figure.axes:
            points, means = axis.lines
            self.assertEqual(len(points.get_xdata()), 40)
            self.assertEqual(means.get_xdata().tolist(), [1.0, 2.5])
        exponent = Result(self.at / "swept.h5").array("orbits/lyapunov")
        np.testing.assert_allclose(self.figure.axes[1].lines[1].get_ydata(), [exponent[:20].mean(), exponent[20:].mean()])

    def test_where_a_gas_ends(self):
        for count, dots in ((300, 300), (20000, 0)):
            synthetic.billiard(self.at / f"{count}.h5", count, bounces=0)
            self.drawn(self.at / f"{count}.h5")
            self.says(*("$x$", "$y$", "speed", "probability density", *(("density over its mean",) if not dots else ())))
            where = self.figure.axes[0]
            self.assertEqual(sum(len(line.get_xdata()) for line in where.lines[1:]), dots)
            if not dots:
                density = [mesh.get_array() for mesh in where.collections if isinstance(mesh, QuadMesh)][0]
                self.assertAlmostEqual(float(np.nanmedian(np.ravel(density))), 1, delta=0.03)  # few cells stand across the walls

    def test_a_gas_and_its_walls(self):
        """Forces are bars where there are several sets, a sentence where there is one; a method by steps records none."""
        for sets, force, said, bars in (([("left", "circle"), ("right", "circle")], [3.0, 1.0], "2 × circle", [[3, 1], [100, 100]]),
                                        ([("left", "circle"), ("right", "box")], [0.0, 0.0], "circle or box", [[100, 100]]),
                                        ([("pillow", "")], [2.0], "pillow", []), ([("pillow", "")], [0.0], "pillow", [])):
            gas = self.at / f"{said}{sum(force)}.h5"
            synthetic.gas(gas, sets, force)
            figure, _ = cli.figure_of(options(str(gas)))
            self.addCleanup(matplotlib.pyplot.close, figure)
            heading = figure._suptitle.get_text().replace("\n", "  ·  ")
            self.assertTrue(heading.startswith(f"Billiard: {said}  ·  $8$ particles, $24$ collisions"), heading)
            drawn = [[bar.get_height() for bar in axis.patches if isinstance(bar, Rectangle)] for axis in figure.axes[2:]]
            self.assertEqual([heights for heights in drawn if heights], bars)
            self.assertEqual("mean force on the wall $2$" in heading, force == [2.0])
            # On a wall of length 8 a force of 2; 8 particles of speed 1/2 in an area of 4 have 8 v^2 / 2 / 4.
            if sum(force):
                titles = " ".join([heading, *(axis.get_title(loc="left") for axis in figure.axes)])
                self.assertIn(f"pressure ${sum(force) / 8:.4g}$, of an ideal gas $0.25$", titles)

    def test_a_gas_that_loses_particles(self):
        """Who left counts as long as it was there, who couldn't start not at all: in forces, pressures, energies, samples."""
        for left, outside, ideal in (((0, 5), (), (21 + 20 * 0.75) / 41 / 4), ((), (1, 7), 0.75 / 4),
                                     ((2,), (3,), (21 * 0.875 + 20 * 0.75) / 41 / 4)):
            for sets, force in (([("pillow", "")], [2.0]), ([("left", "circle"), ("right", "circle")], [3.0, 1.0])):
                with self.subTest(left=left, outside=outside, sets=len(sets)):
                    gas = self.at / f"gas{len(left)}{len(outside)}{len(sets)}.h5"
                    synthetic.gas(gas, sets, force, left, outside)
                    figure, _ = cli.figure_of(options(str(gas)))
                    self.addCleanup(matplotlib.pyplot.close, figure)
                    said = " ".join([figure._suptitle.get_text(), *(axis.get_title(loc="left") for axis in figure.axes)]).replace("\n", "  ·  ")
                    self.assertIn(f"pressure ${sum(force) / 8:.4g}$, of an ideal gas ${ideal:.4g}$", said)
                    self.assertIn(f"at $t = 10$, with the trails of {8 - len(left) - len(outside)}", said)
                    energy, error = (next(axis for axis in figure.axes if axis.get_ylabel().startswith(label)) for label in ("energy", "$(E"))
                    there = 8 - len(outside) - len(left) * (np.linspace(0, 10, 41) > 5)
                    np.testing.assert_allclose(energy.lines[-1].get_ydata(), 0.125 * there, rtol=1e-14)
                    np.testing.assert_allclose(error.lines[0].get_ydata(), 0, atol=1e-15)
                    bars = [bar.get_height() for axis in figure.axes for bar in axis.patches if isinstance(bar, Rectangle)]
                    np.testing.assert_allclose([height for height in bars if height][:4], [*force, 100, 100] if len(sets) > 1 else [])
        synthetic.gas(self.at / "none.h5", [("pillow", "")], [2.0], outside=range(8))
        self.refused(2, "no sample of the particles: none could start", arguments=[self.at / "none.h5"])
        with h5py.File(self.at / "none.h5", "r+") as file:
            file["orbits/status"][:] = 0
        self.refused(1, "no sample of the particles yet", arguments=[self.at / "none.h5"])

    def test_a_constant_inflow_is_a_level_line(self):
        time = np.linspace(0, 12, 25)
        with h5py.File(self.at / "water.h5", "w") as file:
            synthetic.head(file, "overland", "")
            for name, values in (("sample_time", time), ("volume", 0.05 * time), ("balance_error", 0 * time)):
                synthetic.put(file, f"water/{name}", values)
            synthetic.put(file, "water/ledger", np.outer(0.05 * time * (1 + 1e-13 * np.sin(time)), [0, 0, 1, 0, 0]))
        figure, (volume, rates) = matplotlib.pyplot.subplots(2)
        self.addCleanup(matplotlib.pyplot.close, figure)
        overland.series(volume, rates, Result(self.at / "water.h5"))
        np.testing.assert_allclose(rates.get_ylim(), [0, 0.053], rtol=1e-6)

    def test_what_steps_of_water_cost_side_by_side(self):
        """Names tell the files apart, the axis holds them all, and notes are those of all."""
        runs = (("short", 'name = "mini"\nepsilon = 1e-3', 1.0, 2), ("long", 'name = "mini"\nepsilon = 1e-3', 3.0, 2),
                ("other", 'name = "rt0"\nepsilon = 1e-2', 2.0, 2), ("again/short", 'name = "mini"\nepsilon = 1e-5', 1.0, 3))
        (self.at / "again").mkdir()
        for name, method, end, cells in runs:
            synthetic.overland(self.at / f"{name}.h5", method, end, cells)
        small, tiny = r"$\epsilon = 0.001$", r"$\epsilon = 1 \times 10^{-5}$"
        for names, told, limits, noted, dashed in (
                (("long", "short"), [f"long\n{small}", f"short\n{small}"], (0, 3), "MINI element  ·  Manning  ·  $2$ cells", 2),
                (("short", "other"), [f"short\n{small}", "other"], (0, 2), "Manning  ·  $2$ cells", 1),
                (("other", "other"), ["other", "other"], (0, 2), "Raviart-Thomas elements  ·  Manning  ·  $2$ cells", 0),
                (("short", "again/short"), [small, tiny], (0, 1), "MINI element  ·  Manning", 2)):
            self.drawn(*(self.at / f"{name}.h5" for name in names))
            effort, flux = self.figure.axes
            self.assertEqual([text.get_text().rpartition("\n")[0] for text in effort.get_legend().get_texts()], told)
            self.assertEqual([axis.get_xlim() for axis in self.figure.axes], [limits] * 2)
            self.assertEqual(self.figure.texts[1].get_text(), noted)
            self.assertEqual((len(flux.lines), "dashed" in flux.get_ylabel()), (2 + dashed, dashed > 0))
        self.drawn(self.at / "long.h5", self.at / "short.h5", "--xlim", "0.5,1.5")
        self.assertEqual([axis.get_xlim() for axis in self.figure.axes], [(0.5, 1.5)] * 2)

    def test_work_precision(self):
        table = self.at / "work.csv"
        table.write_text("# title: Methods\nmethod,family,step,work,error\nVerlet,order 2,0.1,1e3,1e-3\n"
                         "Verlet,order 2,0.05,2e3,2.5e-4\nGauss 8,Gauss,0.5,1e3,1e-14\n")
        for arguments in ((), ("--what", "work-precision")):
            self.drawn(table, *arguments)
            self.says("work", "error")
            self.assertEqual([line.get_xydata().tolist() for line in self.figure.axes[0].lines],
                             [[[1e3, 1e-3], [2e3, 2.5e-4]], [[1e3, 1e-14]]])
            self.assertEqual([text.get_text() for text in self.figure.axes[0].texts], ["Gauss 8", "Verlet"])

    def test_orders(self):
        """Errors 3 h^4 and 5 h^2: their lines' slopes stand by the methods; two points make no line."""
        steps = np.array([1.0, 0.5, 0.25])
        errors = [*3 * steps ** 4, *5 * steps ** 2, 1.0, 0.5]
        with h5py.File(self.at / "orders.h5", "w") as file:
            synthetic.head(file, "work-precision", '[model]\nname = "henon-heiles"\n[stop]\ntime = 40.0\n')
            names = ["fourth", "second", "two points"]
            synthetic.put(file, "comparison/method", np.repeat([0, 1, 2], [3, 3, 2]), names=names)
            synthetic.put(file, "comparison/step", [*steps, *steps, 1.0, 0.5])
            synthetic.put(file, "comparison/position_error", errors)
            synthetic.put(file, "comparison/initial", np.zeros((1, 4)))
        self.drawn(self.at / "orders.h5", "--what", "orders")
        self.says("step $h$", "largest distance from the reference at the end")
        self.assertEqual([text.get_text() for text in self.figure.axes[0].texts], ["fourth:  4.0", "second:  2.0"])

    def test_collocation(self):
        degree, levels = np.arange(2, 12), 3
        with h5py.File(self.at / "examples.h5", "w") as file:
            synthetic.head(file, "collocation", "")
            synthetic.put(file, "collocation/degree", degree)
            for name in ("initial_value", "boundary_value"):
                synthetic.put(file, f"collocation/{name}_error", 10.0 ** -degree)
            synthetic.put(file, "collocation/level_error", -np.outer(10.0 ** -degree, [1, 10, 100]))
        self.drawn(self.at / "examples.h5")
        self.says("degree $K$", "degree $K$")
        values, errors = self.figure.axes
        self.assertEqual(len(values.lines), 2)
        for n, circle in enumerate(errors.lines[1::2], 1):
            np.testing.assert_allclose(circle.get_xydata(), [[3 * n, 10.0 ** (-2 * n - 1)]])
        self.assertEqual(len(errors.lines), 2 * levels)

    def test_statements(self):
        """Drawn from the words of the program, here one that says of each name what a file of that name holds."""
        (self.at / "bin").mkdir()
        stub = self.at / "bin" / "cotangent"
        stub.write_text('#!/bin/sh\n[ -f "$2" ] && exec cat "$2"\necho "cotangent: unknown $2" >&2\nexit 2\n')
        stub.chmod(0o755)
        spring, ball = self.at / "spring", self.at / "ball"
        spring.write_text("# spring: A spring\n# k = 2\nr,U\n0,1\n1,-0.5\n2,0\n")
        side = np.linspace(-2, 2, 41)
        disc = "\n".join(f"{x},{y},{x * x + y * y - 1}" for x in side for y in side)
        ball.write_text("# ball: A ball\n# R = 1\nx,y,g\n" + disc + "\n")
        with mock.patch.dict(os.environ, COTANGENT_PROGRAM=str(stub)):
            self.drawn(spring, "--statement")
            self.says("distance  $r$", "potential  $U$")
            np.testing.assert_array_equal(self.figure.axes[0].lines[0].get_xydata(), [[0, 1], [1, -0.5], [2, 0]])
            self.drawn(ball, "--statement")
            self.says("$x$", "$y$")
            edge = self.figure.axes[0].collections[-1].get_paths()[0].vertices
            self.assertLess(abs(np.hypot(*edge.T) - 1).max(), 0.01)
            for names, word in (((ball, spring), "one picture"), (("bell",), "unknown bell")):
                code, err = self.run_tool(*names, "--statement", "-o", self.at / "a.png")
                self.assertEqual(code, 2)
                self.assertIn(word, err)
        with mock.patch.dict(os.environ, COTANGENT_PROGRAM=str(self.at / "nowhere")):
            self.refused(2, "COTANGENT_PROGRAM names", arguments=[spring, "--statement", "-o", self.at / "a.png"])

    def test_small_pictures_are_small(self):
        picture = self.drawn("section.h5", "--small")
        with Image.open(picture) as image:
            self.assertEqual(image.mode, "P")
        self.assertLess(picture.stat().st_size, 250_000)

    def test_movies(self):
        film = self.at / "film.gif"
        for model in ("double-pendulum", "elastic-pendulum", "magnetic-chain", "kepler"):
            result = self.at / f"{model}.h5"
            synthetic.trajectories(result, model)
            code, err = self.run_tool(result, "--movie", film, "--fps", 5, "--duration", 1, "--dpi", 40)
            self.assertEqual((code, err), (0, ""))
            with Image.open(film) as image:
                self.assertEqual(image.n_frames, 5, model)
        if shutil.which("ffmpeg"):
            film = self.at / "film.mp4"
            self.assertEqual(self.run_tool(result, "--movie", film, "--fps", 5, "--duration", 1, "--dpi", 41), (0, ""))
            self.assertIn(b"ftyp", film.read_bytes()[:16])

    def test_the_program_itself(self):
        """As users start it: the script finds its modules, prints the picture's name, and has a help."""
        target = self.at / "a.png"
        done = subprocess.run([PROGRAM, self.shared / "euler.h5", "-o", target, "--dpi", "50"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{target}\n", ""))
        self.assertIn("work-precision", subprocess.check_output([PROGRAM, "--help"], text=True))

    def test_the_installed_layout(self):
        shutil.copytree(SOURCE / "cotangent", self.at / "share/cotangent/python/cotangent")
        (self.at / "bin").mkdir()
        tool = shutil.copy(SOURCE / "cotangent-plot", self.at / "bin")
        subprocess.run([tool, "--help"], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.at / "share")
        alone = subprocess.run([tool, "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(alone.returncode, 1)
        self.assertIn("the package cotangent is neither in", alone.stderr)


def beyond(figure):
    """Texts that run off the page."""
    width, height = figure.get_size_inches() * figure.dpi
    boxes = [(text.get_text(), text.get_window_extent()) for text in figure.texts]
    return [text for text, box in boxes if box.x0 < 0 or box.x1 > width or box.y1 > height]


class Columns(PlotTest):
    """Which columns are drawn, with which units, and where they find room."""

    def figure(self, module, *arguments):
        found = module.draw([Result(self.at / "f.h5")], options("f", "--dpi", "80", *arguments))
        self.addCleanup(matplotlib.pyplot.close, found)
        return found

    def test_each_column_has_its_own_unit(self):
        synthetic.coordinates(self.at / "f.h5", ("x", "y", "a"), ["1", "1", "rad"], ["1", "1", "rad/time"])
        result = Result(self.at / "f.h5")
        self.assertEqual([result.units("trajectory/q", name) for name in ("x", "y", "a")], ["", "", "rad"])
        self.assertEqual(result.units("trajectory/v", "a_dot"), "rad/time")
        self.assertEqual(result.units("trajectory/q"), "")
        self.assertEqual([text for text in labels(self.figure(trajectories)) if "$x$" in text or "$a$" in text],
                         ["$x$", "$a$  [rad]"])
        self.assertEqual(labels(self.figure(trajectories, "--axes", "x,a"))[:2], ["$x$", "$a$  [rad]"])

    def test_a_models_own_parameters_are_named(self):
        """Those that a model stated by formulas has in a table of their own, and those of a built-in one; not what is swept."""
        for written in ("parameters = { q = 0.5, x1_a = 2, g = { from = 1.0, to = 2.0, count = 9 } }", "q = 0.5\nx1_a = 2\ng = [1.0, 2.0]"):
            synthetic.coordinates(self.at / "own.h5", ["x", "y"], parameters=written + "\n")
            result = Result(self.at / "own.h5")
            self.assertEqual(result.parameters(), {"q": 0.5, "x1_a": 2})
            self.assertEqual(captions.constants(result), ["$q = 0.5$", r"$\mathrm{x1\_a} = 2$"])
            result.file.close()

    def test_the_pair_that_spreads(self):
        synthetic.unequal_section(self.at / "f.h5")
        result = Result(self.at / "f.h5")
        self.assertEqual(sections.axis_names(result, None), ("s", "s_dot"))
        self.assertEqual(sections.axis_names(result, ("t", "t_dot")), ("t", "t_dot"))
        self.assertEqual(labels(self.figure(sections)), [r"$s$  [rad]", r"$\dot{s}$  [rad/time]"])
        self.assertEqual(sections.axis_names(Result(self.shared / "section.h5"), None), ("q2", "q2_dot"))

    def test_the_deck_names_the_axes(self):
        synthetic.unequal_section(self.at / "f.h5", '[plot]\naxes = ["s", "p_s"]\n', momentum=True)
        self.assertEqual(labels(self.figure(sections)), [r"$s$  [rad]", "$p_{s}$"])
        found, _ = sections.panels([Result(self.at / "f.h5")], options("f"))
        np.testing.assert_array_equal(found[0].y, 3 * Result(self.at / "f.h5").column("section/points", "s_dot"))
        synthetic.unequal_section(self.at / "g.h5", '[plot]\naxes = ["s", "p_r"]\n')
        self.refused(2, "[plot] axes", "no column 'p_r'", arguments=[self.at / "g.h5", "-o", self.at / "p.png"])

    def test_many_coordinates_stand_in_columns(self):
        names = ("x", "y", *(f"q{k}" for k in range(12)))
        for count in (1, 3):
            (self.at / "f.h5").unlink(missing_ok=True)
            synthetic.coordinates(self.at / "f.h5", names, count=count, parameters="".join(
                f"a_long_parameter_{k} = {k}.125\n" for k in range(12)))
            figure = self.figure(trajectories, "--title", "A heading of many words that " * 8)
            self.assertEqual(len(figure.axes), 14)  # one plane, twelve others, the energy
            self.assertEqual(beyond(figure), [])
            width, height = figure.get_size_inches()
            self.assertLess(height, 1.2 * width)
            self.assertEqual(figure.axes[0].get_aspect(), 1.0)
            self.assertEqual({axis.get_ylim() for axis in figure.axes[1:13]}, {figure.axes[1].get_ylim()})

    def test_what_is_listed_is_drawn(self):
        """A plane of velocities too; of points that rods join there is neither a picture of particles nor a movie."""
        listed = {name: choices.listed(Result(self.shared / name)) for name in ("pendulum.h5", "chain.h5")}
        self.assertIn("a, b, a_dot, b_dot: a plane instead of time", listed["pendulum.h5"])
        self.assertIn("--movie", listed["pendulum.h5"])
        self.assertNotIn("--movie", listed["chain.h5"])
        self.assertNotIn("--what particles", listed["chain.h5"])
        self.refused(2, "no movies of points that rods join", arguments=[self.shared / "chain.h5", "--movie", self.at / "a.gif"])
        self.drawn("pendulum.h5", "--axes", "a,b_dot")
        self.says("$a$  [rad]", r"$\dot{b}$  [rad/s]", "time  [s]", "$E - E_0$  $[10^{-13}]$")
        result = Result(self.shared / "pendulum.h5")
        expected = np.stack([result.array("trajectory/q")[..., 0], result.array("trajectory/v")[..., 1]], 2)
        np.testing.assert_array_equal([line.get_xydata() for line in self.figure.axes[0].lines[::2]], expected)
        synthetic.trajectories(self.at / "many.h5", count=100, samples=3)
        self.drawn(self.at / "many.h5", "--axes", "a,b")
        self.assertIn("40 of 100 trajectories", self.figure.texts[1].get_text())
        synthetic.coordinates(self.at / "one.h5", ["x"])
        self.assertNotIn("--movie", choices.listed(Result(self.at / "one.h5")))

    def test_long_names_stay_beside_their_panels(self):
        synthetic.coordinates(self.at / "f.h5", ["x", "a_name_of_a_coordinate_of_32chars", "another_name_of_a_coordinate_32c"])
        self.drawn(self.at / "f.h5")
        for axis in self.figure.axes[:3]:
            self.assertLess(axis.yaxis.label.get_window_extent().height, 1.16 * axis.get_window_extent().height)
        self.assertEqual(self.figure.axes[0].yaxis.label.get_size(), matplotlib.rcParams["axes.labelsize"])

    def test_pairs_in_the_plane(self):
        self.assertEqual(trajectories.planes(["x", "y", "a", "b"]), [("x", "y")])
        self.assertEqual(trajectories.planes(["x1", "y1", "x2", "y2", "y3"]), [("x1", "y1"), ("x2", "y2")])
        self.assertEqual(trajectories.planes(["x1", "y1", "z1", "q0"]), [])

    def test_tops(self):
        t = np.linspace(0, 6, 120)
        theta, phi, psi = 0.6 + 0.1 * np.sin(3 * t), 0.4 * t, 2.5 * t
        def turn(angle, i, j):
            matrix = np.tile(np.eye(3), (t.size, 1, 1))
            matrix[:, i, i] = matrix[:, j, j] = np.cos(angle)
            matrix[:, i, j], matrix[:, j, i] = -np.sin(angle), np.sin(angle)
            return matrix
        q = (turn(phi, 0, 1) @ turn(theta, 1, 2) @ turn(psi, 0, 1)).reshape(1, -1, 9)
        for angle, found in zip((theta, phi, psi), tops.euler_angles(q)):
            np.testing.assert_allclose(np.exp(1j * found[0]), np.exp(1j * angle), atol=1e-12)
            np.testing.assert_allclose(np.diff(found[0]), np.diff(angle), atol=1e-12)
        self.assertTrue(np.isnan(tops.euler_angles(np.eye(3).reshape(1, 1, 9))[1]).all())
        synthetic.coordinates(self.at / "f.h5", tops.MATRIX, count=2, q=np.concatenate([q, q]))
        figure = self.figure(trajectories)
        self.assertEqual(len(figure.axes), 2 + 3 + 1)
        curves = np.concatenate([line.get_xydata() for line in figure.axes[0].lines])
        self.assertLess(np.nanmax(np.hypot(*curves.T)), 1 + 1e-9)
        self.assertEqual(beyond(figure), [])

    def test_no_module_imports_in_a_circle(self):
        imports = {}
        for path in (SOURCE / "cotangent" / "plot").glob("*.py"):
            inner = [node for node in ast.walk(ast.parse(path.read_text()))
                     if isinstance(node, ast.ImportFrom) and node.level == 1]
            imports[path.stem] = {node.module for node in inner if node.module} | {
                name.name for node in inner if not node.module for name in node.names}
        while imports:
            ends = [name for name, needs in imports.items() if not needs & imports.keys()]
            self.assertTrue(ends, f"these import each other: {sorted(imports)}")
            for name in ends:
                del imports[name]


class Failures(PlotTest):
    def test_no_file(self):
        self.refused(2, "sektion.h5: no such file", "did you mean 'section.h5'?",
                     arguments=[self.shared / "sektion.h5", "-o", self.at / "a.png"])

    def test_not_a_result_file(self):
        (self.at / "text.h5").write_text("no HDF5\n")
        self.refused(2, "text.h5: not an HDF5 file", arguments=[self.at / "text.h5"])
        with h5py.File(self.at / "other.h5", "w") as file:
            file["x"] = 1
        self.refused(2, "other.h5: not a cotangent result file", "missing", arguments=[self.at / "other.h5"])
        with h5py.File(self.at / "other.h5", "a") as file:
            file.attrs["format"] = "xdmf"
        self.refused(2, "'xdmf'", arguments=[self.at / "other.h5"])
        self.refused(2, "a folder", arguments=[self.at, "-o", self.at / "a.png"])
        self.refused(2, "a folder", arguments=["."])

    def test_another_version(self):
        copy = shutil.copy(self.shared / "euler.h5", self.at / "new.h5")
        with h5py.File(copy, "a") as file:
            file.attrs["format_version"] = 2
        self.refused(2, "new.h5: format_version 2", "reads 1", arguments=[copy])

    def test_unfinished_run_is_drawn_and_said(self):
        picture = self.at / "a.png"
        self.refused(1, "pending.h5: unfinished: 5 of 16 orbits are pending", "--resume",
                     arguments=[self.shared / "pending.h5", "-o", picture, "--dpi", "60"])
        self.assertTrue(picture.is_file())
        result = Result(self.shared / "pending.h5")
        found, _ = sections.panels([result], options("f"))
        self.assertLess(max(found[0].ids), 11)  # the zeros of pending orbits are no crossings

    def test_nothing_finished_yet(self):
        synthetic.poincare(self.at / "fresh.h5", side=2, crossings=5, pending=4)
        self.refused(1, "fresh.h5: no crossing to draw", "4 pending", arguments=[self.at / "fresh.h5"])

    def test_cut_short(self):
        cut = self.at / "cut.h5"
        whole = (self.shared / "section.h5").read_bytes()
        cut.write_bytes(whole[:len(whole) // 2])
        self.refused(2, "cut.h5: cut short", arguments=[cut])

    def test_unwritable_picture(self):
        result = self.shared / "euler.h5"
        self.refused(3, "no folder", arguments=[result, "-o", self.at / "nowhere" / "a.png"])
        (self.at / "folder.png").mkdir()
        self.refused(3, "it is a folder", arguments=[result, "-o", self.at / "folder.png"])
        self.refused(3, "cannot be written", arguments=[result, "-o", self.at / ("a" * 300 + ".png")])
        self.refused(3, "cannot be written", arguments=[result, "-o", "/proc/picture.png", "--dpi", "50"])

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_write_protected_folder(self):
        self.at.chmod(0o500)
        self.addCleanup(self.at.chmod, 0o700)
        self.refused(3, "permission denied", arguments=[self.shared / "euler.h5", "-o", self.at / "a.png"])

    def test_a_failure_keeps_the_old_picture(self):
        picture = self.at / "a.png"
        picture.write_text("old")
        self.refused(2, "no column 'q9'", arguments=[self.shared / "euler.h5", "-o", picture, "--axes", "q9,q2"])
        self.assertEqual(picture.read_text(), "old")

    def test_unknown_names_get_the_nearest(self):
        section, target = self.shared / "euler.h5", ("-o", self.at / "a.png")
        self.refused(2, "no column 'q2_dt'", "did you mean 'q2_dot'?",
                     arguments=[section, *target, "--axes", "q2,q2_dt"])
        self.refused(2, "--color-by energi-error", "did you mean 'energy-error'?",
                     arguments=[section, *target, "--color-by", "energi-error"])
        self.refused(2, "no orbit 9", "0 to 8", arguments=[section, *target, "--orbits", "3,9"])
        self.refused(2, "invalid choice", arguments=[section, *target, "--what", "sektions"])
        self.refused(2, "below the second", arguments=[section, *target, "--xlim", "2,1"])
        self.refused(2, "1,x", arguments=[section, *target, "--orbits", "1,x"])
        self.refused(2, ".png, .pdf or .svg", arguments=[section, "-o", self.at / "a.bmp"])

    def test_color_by_knows_the_indicators(self):
        section = shutil.copy(self.shared / "euler.h5", self.at / "indicated.h5")
        with h5py.File(section, "a") as file:
            file["indicators/lyapunov"] = np.linspace(0, 1, file["orbits/status"].shape[0])
            file["indicators/averaged"] = np.ones(1)  # one for all orbits: no column of the page, no colour
        self.refused(2, "did you mean 'lyapunov'?", arguments=[section, "--color-by", "lyapunv", "-o", self.at / "a.png"])
        self.refused(2, "--color-by averaged: unknown", arguments=[section, "--color-by", "averaged", "-o", self.at / "a.png"])
        told = [column["name"] for column in explored.columns(Result(section), np.array([0, 7]))]
        self.assertEqual(told, ["energy", "lyapunov", "crossing count", "energy error", "status"])

    def test_options_that_a_picture_does_not_heed(self):
        section, target = self.shared / "euler.h5", ("-o", self.at / "a.png")
        for file, arguments, ignored in ((section, ("--what", "energy", "--axes", "q2,q1"), "--axes"),
                                         (section, ("--what", "energy", "--color-by", "q2"), "--color-by"),
                                         (self.shared / "pendulum.h5", ("--color-by", "a", "--mesh"), "--color-by, --mesh"),
                                         (self.shared / "landscape.h5", ("--orbits", "0"), "--orbits")):
            self.refused(2, f"{ignored}: this picture of {file} doesn't heed it", arguments=[file, *arguments, *target])
        self.drawn("euler.h5", "--what", "energy", "--orbits", "0-4", "--xlim", "0,3")
        self.assertEqual(self.figure.axes[0].get_xlim(), (0, 3))
        self.refused(2, "--ylim: this axis is logarithmic", arguments=[section, "--what", "energy", "--ylim", "0,1e-14", *target])
        self.assertEqual(list(self.at.glob("a.png")), [])

    def test_what_is_not_in_the_file(self):
        section = self.shared / "euler.h5"
        self.refused(2, "no trajectory", arguments=[section, "-o", self.at / "a.png", "--what", "time-series"])
        self.refused(2, "no trajectory", arguments=[section, "--movie", self.at / "a.gif"])
        self.refused(2, "no section", arguments=[self.shared / "pendulum.h5", "-o", self.at / "a.png", "--what",
                                                 "sections"])
        self.refused(2, "no data set /landscape/x", arguments=[section, "-o", self.at / "a.png", "--what", "landscape"])

    def test_numbers_out_of_range(self):
        section, target = self.shared / "section.h5", self.at / "a.png"
        for option, value, *words in (("--orbits", "7-3", "runs downwards", "3-7 is right"), ("--xlim", "0,inf", "must be finite"),
                                      ("--ylim", "nan,1", "must be finite"), ("--dpi", "-3", "from 10 to 2400"),
                                      ("--dpi", "high", "whole number"), ("--width", "0.1", "from 1 to 100"),
                                      ("--width", "nan", "from 1 to 100"), ("--fps", "0", "from 1 to 240"),
                                      ("--duration", "-1", "from 0.01"), ("--width", "1", "too narrow")):
            self.refused(2, option, *words, arguments=[section, option, value, "-o", target])
        self.assertFalse(target.exists())

    def test_pages_movies_and_paraview_take_one_file(self):
        one, two = self.shared / "section.h5", self.shared / "sphere.h5"
        for option in (["--html", self.at / "a.html"], ["--movie", self.at / "a.mp4"], ["--xdmf"]):
            self.refused(2, f"{option[0]} shows one file at a time, 2 are given", arguments=[one, two, *option])
        self.assertEqual(list(self.at.iterdir()), [])

    def test_pictures_of_one_file(self):
        synthetic.atlas(self.at / "atlas.h5", np.linspace(0, 2, 8))
        synthetic.basins(self.at / "basins.h5", 2)
        for what, file in (("atlas", self.at / "atlas.h5"), ("basins", self.at / "basins.h5"),
                           ("landscape", self.shared / "landscape.h5")):
            self.refused(2, f"{what} draws one file at a time, 2 are given", arguments=[file, file, "-o", self.at / "a.png"])

    def test_tables_with_faults(self):
        table, target = self.at / "w.csv", ("-o", self.at / "w.png")
        self.refused(2, "no such file", arguments=[table, *target])
        for content, word in (("method,wrk,error\na,1,1\n", "did you mean 'wrk'?"), ("", "no column 'method'"),
                              ("method,work,error\na,x,1\n", "row 2"), ("method,work,error\n", "no row")):
            table.write_text(content)
            self.refused(2, "w.csv", word, arguments=[table, *target])


class Overlays(PlotTest):
    """Periodic orbits, manifolds and where these cross over sections."""
    POINTS = [[0, 0.1, 0.4, 0.0], [0, -0.2, 0.3, 0.1], [0, 0.3, 0.2, -0.1]]  # unstable, stable, inverse
    LINES = [[[0, 0.1, 0.4, 0.0], [0, 0.2, 0.4, 0.1]], [[0, 0.1, 0.4, 0.0], [0, 0.2, 0.4, -0.1], [0, 0.3, 0.4, -0.2]]]
    CROSSINGS = [[0, 0.25, 0.4, -0.05], [0, 0.35, 0.4, 0.05]]

    def overlaid(self, **changes):
        """A new file."""
        what = {"points": self.POINTS, "stability": [0, 1, 2], "manifolds": self.LINES, "homoclinic": self.CROSSINGS} | changes
        path = self.at / f"orbits_{len(list(self.at.glob('orbits_*')))}.h5"
        synthetic.orbits_and_manifolds(path, **what)
        return path

    @staticmethod
    def lines(axis):
        """{what: points [n, 2]} of what lies over a section."""
        return {line.get_label(): np.column_stack(line.get_data()) for line in axis.lines}

    def test_orbits_and_manifolds_where_the_section_has_them(self):
        self.drawn("section.h5", "--color-by", "q2")
        alone = np.asarray(self.figure.axes[0].images[0].get_array())
        self.drawn("section.h5", "--color-by", "q2", "--overlay", self.overlaid())
        self.says("$q_{2}$", r"$\dot{q}_{2}$")
        axis = self.figure.axes[0]
        np.testing.assert_array_equal(axis.images[0].get_array(), alone)  # the section is as always
        found = self.lines(axis)
        for row, kind in enumerate(("unstable orbit", "stable orbit", "inverse hyperbolic orbit")):
            np.testing.assert_array_equal(found[kind], [[self.POINTS[row][1], self.POINTS[row][3]]])
        for states, kind in zip(self.LINES, ("unstable manifold", "stable manifold")):
            np.testing.assert_array_equal(found[kind], np.array(states)[:, [1, 3]])
        np.testing.assert_array_equal(found["homoclinic point"], np.array(self.CROSSINGS)[:, [1, 3]])
        looks = {line.get_label(): line for line in axis.lines}
        marks = [looks[what] for what in ("stable orbit", "unstable orbit", "inverse hyperbolic orbit", "homoclinic point")]
        self.assertEqual(len({mark.get_marker() for mark in marks}), 4)
        self.assertEqual(min(marks, key=lambda mark: mark.get_markersize()), marks[3])
        self.assertNotEqual(looks["stable manifold"].is_dashed(), looks["unstable manifold"].is_dashed())
        said = [text.get_text() for text in self.figure.legends[0].get_texts()]
        self.assertEqual(set(said), set(found))
        self.drawn("section.h5", "--axes", "q2_dot,q2", "--overlay", self.overlaid())
        found = self.lines(self.figure.axes[0])
        np.testing.assert_array_equal(found["stable orbit"], [[0.1, -0.2]])
        np.testing.assert_array_equal(found["unstable manifold"], np.array(self.LINES[0])[:, [3, 1]])
        for manifolds, said in ((self.LINES, True), ((), False)):  # manifolds lie in the return map's own plane
            self.drawn("section.h5", "--axes", "q2,q1_dot", "--overlay", self.overlaid(manifolds=manifolds))
            found = self.lines(self.figure.axes[0])
            np.testing.assert_array_equal(found["stable orbit"], [[-0.2, 0.3]])
            self.assertEqual(set(found), {"stable orbit", "unstable orbit", "inverse hyperbolic orbit"})
            notes = "".join(text.get_text() for text in self.figure.texts)
            self.assertEqual("known in q2 and q2_dot alone" in notes, said, notes)

    def test_each_energy_has_its_own_orbits(self):
        self.drawn("energies.h5", "--overlay", self.overlaid(energy=[1 / 8, 1 / 10, 1 / 10]))
        first, second, third = (self.lines(axis) for axis in self.figure.axes[:3])
        self.assertEqual(first, {})
        self.assertEqual(set(second), {"stable orbit", "inverse hyperbolic orbit"})
        self.assertEqual(set(third), {"unstable orbit", "unstable manifold", "stable manifold", "homoclinic point"})

    def test_angles_by_whole_turns(self):
        columns, units = ["t", "s", "t_dot", "s_dot"], ["rad", "rad", "rad/time", "rad/time"]
        deck = '[model]\nname = "magnetic-chain-unequal"\n[section]\nwhere = "sin(t / 2)"\n'
        for name, turn in (("about_0.h5", 0.0), ("about_pi.h5", np.pi)):
            synthetic.unequal_section(self.shared / name)
            with h5py.File(self.shared / name, "a") as file:
                file["section/points"][..., 1] += turn
        line = [[0, 3.0, 1, 0.1], [0, 3.1, 1, 0.2], [0, 3.3, 1, 0.3], [0, 3.4, 1, 0.4]]
        orbits = self.overlaid(points=[[0, 0.3 + 4 * np.pi, 1, 20.0]], stability=[1], manifolds=[line], deck=deck, columns=columns, units=units)
        self.drawn("about_0.h5", "--overlay", orbits)
        found = self.lines(self.figure.axes[0])
        np.testing.assert_allclose(found["stable orbit"], [[0.3, 20]], atol=1e-12)  # a velocity stays what it is
        np.testing.assert_allclose(found["unstable manifold"][:, 0], [3.0, 3.1, np.nan, 3.3 - 2 * np.pi, 3.4 - 2 * np.pi])
        self.drawn("about_pi.h5", "--overlay", orbits)
        found = self.lines(self.figure.axes[0])
        np.testing.assert_allclose(found["stable orbit"][:, 0], [0.3], atol=1e-12)
        np.testing.assert_allclose(found["unstable manifold"][:, 0], [3.0, 3.1, 3.3, 3.4])

    def test_bounce_maps_have_them_in_birkhoffs_coordinates(self):
        walls = '[domain]\nsets = [{ name = "room", set = "box" }]\n[forces]\ngravity = [0.0, -1.0]\n'
        states = [[1.5, 0, 1, 1], [2, 0.5, -1, 0], [-1, 2, -3, -4]]  # of a floor of length 4, a wall and the ceiling
        synthetic.billiard(self.at / "out.h5")
        self.drawn(self.at / "out.h5", "--overlay", self.overlaid(
            points=[*states, *states[:2]], stability=[1, 1, 1, 0, 2], manifolds=[[*states, [np.nan] * 4], states], homoclinic=states[:1],
            deck=walls, columns=["x", "y", "x_dot", "y_dot"]))
        found = self.lines(self.figure.axes[1])
        here = [[3.5, np.sqrt(0.5)], [4.5, 0], [9, 0.6]]
        np.testing.assert_allclose(found["stable orbit"], here, atol=1e-12)
        np.testing.assert_allclose(found["homoclinic point"], here[:1], atol=1e-12)
        legend = self.figure.axes[1].get_legend()
        self.assertEqual(len(legend.get_texts()), 6)
        self.assertLess(legend.get_window_extent().x1, self.figure.bbox.x1)  # it isn't cut off
        np.testing.assert_allclose(found["unstable manifold"][[0, 1, 2]], here, atol=1e-12)
        self.refused(2, "another problem: domain.sets.0.set is box", "circle", arguments=[
            self.at / "out.h5", "-o", self.at / "a.png", "--overlay", self.overlaid(deck=walls.replace("box", "circle"))])

    def test_another_problem_is_refused_by_what_differs(self):
        refused = [({"energy": 0.12}, "energy is 0.125", "0.12 in"),
                   ({"deck": synthetic.SECTION.replace("henon-heiles", "toda")}, "model.name is henon-heiles", "toda in"),
                   ({"deck": synthetic.SECTION.replace('"q1"', '"q2"')}, "section.where is q1", "q2 in"),
                   ({"deck": synthetic.SECTION.replace("0.0", "0.1")}, "section.value is 0.0", "0.1 in"),
                   ({"deck": synthetic.SECTION.replace("up", "down")}, "section.direction is up", "down in"),
                   ({"deck": synthetic.SECTION + 'condition = "q2 > 0"\n'}, "section.condition is none in", "q2 > 0 in"),
                   ({"points": np.zeros((0, 4)), "stability": []}, "no periodic orbit was found")]
        for changes, *words in refused:
            self.refused(2, "--overlay", "orbits_", *words,
                         arguments=[self.shared / "section.h5", "-o", self.at / "a.png", "--overlay", self.overlaid(**changes)])
        deck = synthetic.SECTION.replace("[section]", "lambda = 1.0\n[section]")
        with h5py.File(self.shared / "section.h5") as file, h5py.File(self.at / "own.h5", "w") as own:
            for name in file:
                file.copy(name, own)
            own.attrs.update(file.attrs)
            del own["deck"]
            own["deck"] = 'study = "poincare"\n' + deck + "[ensemble]\nenergy = 0.125\n"
        arguments = [self.at / "own.h5", "-o", self.at / "a.png", "--overlay"]
        for value, code in ((2.0, 2), (1.0, 0)):  # the orbits' own parameters count, not what the deck sweeps
            got, said = self.run_tool(*arguments, self.overlaid(deck=deck.replace("1.0", "[1.0, 2.0]"), parameters={"lambda": value}))
            self.assertEqual(got, code, said)
            self.assertEqual("lambda is 1 in" in said, code == 2, said)

    def test_what_has_no_place_for_them_is_refused(self):
        section, orbits = self.shared / "section.h5", self.overlaid()
        (self.at / "text.h5").write_text("text")
        (self.at / "w.csv").write_text("method,work,error\na,1,1\n")
        for words, arguments in (("no periodic orbits in it (study 'poincare')", [section, "--overlay", section]),
                                 ("orbits.h5: no such file", [section, "--overlay", self.at / "orbits.h5"]),
                                 ("text.h5: not an HDF5 file", [section, "--overlay", self.at / "text.h5"]),
                                 ("this is a picture of energy", [section, "--what", "energy", "--overlay", orbits]),
                                 ("this is a picture of time-series", [self.shared / "pendulum.h5", "--overlay", orbits]),
                                 ("over sections and bounce maps alone", [self.at / "w.csv", "--overlay", orbits]),
                                 ("have no column 'energy'", [section, "--axes", "energy,q2", "--overlay", orbits])):
            self.refused(2, words, arguments=[*arguments, "-o", self.at / "a.png"])
        self.refused(2, "movies and pages have none", arguments=[section, "--html", self.at / "a.html", "--overlay", orbits])


class Parts(unittest.TestCase):
    def test_a_painted_point_is_where_it_belongs(self):
        x, y = np.array([[0.25, np.nan, 5.0]]), np.array([[0.75, 0.5, 0.5]])
        image = painting.paint(x, y, style.srgb_to_oklab([[1.0, 0, 0]]), np.array([3.0]), (0, 1, 0, 1), (80, 40), 0.6)
        self.assertEqual(image.shape, (40, 80, 4))
        row, column = np.unravel_index(image[..., 3].argmax(), (40, 80))
        self.assertLessEqual(abs(column - 20), 1)
        self.assertLessEqual(abs(row - 10), 1)  # three quarters up is a quarter down
        np.testing.assert_allclose(image[row, column, :3], [1, 0, 0], atol=1e-3)
        self.assertLess((image[..., 3] > 0.05).sum(), 40)  # one dot: NaN and what is outside leave nothing

    def test_painting_does_not_depend_on_the_order(self):
        rng = np.random.default_rng(1)
        x, y = rng.random((2, 4, 500))
        lab, ink = style.srgb_to_oklab(rng.random((4, 3))), np.full(4, 0.8)
        there = painting.paint(x, y, lab, ink, (0, 1, 0, 1), (50, 50), 0.8)
        back = painting.paint(x[::-1], y[::-1], lab[::-1], ink, (0, 1, 0, 1), (50, 50), 0.8)
        np.testing.assert_allclose(there, back, atol=1e-9)

    def test_chaos_tells_curves_from_area(self):
        rng = np.random.default_rng(2)
        for crossings in (100, 400, 1000, 10000):
            turn = 2 * np.pi * 0.381966 * np.arange(crossings)
            x = np.stack([0.4 * np.cos(turn), 0.9 * rng.random(crossings) - 0.45, 0.1 + 0.01 * np.cos(turn)])
            y = np.stack([0.3 * np.sin(turn), 0.9 * rng.random(crossings) - 0.45, 0.02 * np.sin(turn)])
            measure = sections.chaos(x, y, (-0.5, 0.5, -0.5, 0.5))
            np.testing.assert_allclose(measure, [0, 1, 0], atol=0.05, err_msg=str(crossings))

    def test_envelope_keeps_a_spike(self):
        t = np.linspace(0, 1, 100_003)
        values = np.sin(t)
        values[77_777] = 9.0
        short_t, short = trajectories.envelope(t, values)
        self.assertLess(len(short), 6000)
        self.assertEqual(short.max(), 9.0)
        self.assertEqual(short_t[short.argmax()], t[77_777])
        self.assertTrue((np.diff(short_t) > 0).all())

    def test_levels_resolve_shallow_wells(self):
        """A well of depth 1e-4 in a landscape of height 100 still gets bands of its own."""
        energy = np.linspace(0, 100, 10_000).reshape(100, 100)
        points = {"type": np.array([0, 1]), "energy": np.array([50.0, 50.0001])}
        bands = landscape.levels(energy, np.ones_like(energy, bool), points, {"energy": np.array([50.0001])})
        self.assertGreaterEqual(((bands >= 50.0) & (bands <= 50.0001)).sum(), 6)
        self.assertTrue((np.diff(bands) > 0).all())
        self.assertEqual((bands[0], bands[-1]), (0, 100))

    def test_frames_follow_cubics_exactly(self):
        t = np.array([0.0, 0.3, 1.0, 1.1])
        at = np.linspace(0, 1.1, 23)
        cubic = np.polynomial.Polynomial([1, -2, 0.5, 3])
        got = movie.followed(t, cubic(t)[:, None], cubic.deriv()(t)[:, None], at)
        np.testing.assert_allclose(got[:, 0], cubic(at), rtol=1e-13)

    def test_symbols_and_numbers(self):
        for name, tex in (("q2_dot", r"\dot{q}_{2}"), ("p_t", "p_{t}"), ("p_q1", "p_{q_{1}}"), ("alpha", r"\alpha"),
                          ("theta_dot", r"\dot{\theta}"), ("energy", "E"), ("omega_s", r"\omega_{s}"), ("omega_s_dot", r"\dot{\omega}_{s}"),
                          ("x1_a_dot", r"\dot{\mathrm{x1\_a}}"), ("left_arm_angle", r"\mathrm{left\_arm\_angle}")):
            self.assertEqual(style.symbol(name), tex)
        for name in ("x1_a", "left_arm_angle", "a__b", "x_", "_x", "q2", "alpha_1", "x-y"):
            for told in (name, name + "_dot", "p_" + name):
                matplotlib.mathtext.MathTextParser("path").parse(style.label(told, "m"))  # which raises where it can't be read
        for value, written in ((1 / 8, "1/8"), (1 / 12, "1/12"), (-9.74, "-9.74"), (-9.7324, "-9.7324"), (18.0, "18"),
                               (3.2e-15, r"3.2 \times 10^{-15}"), (0.0, "0")):
            self.assertEqual(style.number(value), written)
        self.assertEqual(style.power(2.1e-14), r"3 \times 10^{-14}")  # a bound is rounded up
        self.assertEqual(style.power(1e-14), "10^{-14}")
        for name, written in (("henon-heiles", "Hénon–Heiles"), ("swinging Atwood machine", "Swinging Atwood machine"), ("", "")):
            self.assertEqual(style.model_name(name), written)

    def test_far_outliers_do_not_set_the_limits(self):
        values = np.concatenate([np.linspace(0, 1, 1000), [1e6]])
        self.assertLess(layout.extent(values)[1], 2)
        self.assertGreater(layout.extent(np.linspace(0, 1, 1000))[1], 1)


if __name__ == "__main__":
    unittest.main()
