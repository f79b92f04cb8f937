# SPDX-License-Identifier: BSD-3-Clause
"""Energy landscapes through deck and file: the numbers of the magnetic balls, equal bits on any number of ranks."""
import math
import unittest

import h5py
import numpy as np

from formula_test import FormulaTest
from launch import SOURCE, ProgramTest
from results import is_dimension, same_bits

CHAIN = SOURCE / "input" / "landscapes/magnetic_chain_landscapes.toml"
HENON_HEILES = SOURCE / "input" / "landscapes/henon_heiles_landscape.toml"
MINIMUM, SADDLE, MAXIMUM = range(3)
SHORT = ["landscape.x.count=25", "landscape.y.count=25"]

# alpha: extrema, saddles, U at the well, U at the pass out of it, lowest U on the boundary. The first is the
# upright chain's well; where it has none, the hanging chain's.
BALLS = {0: (2, 0, -3.0, -math.sqrt(3), -1.7320508), 10: (3, 7, -10.083333333333, -6.236603749871, -6.475),
         17: (3, 7, -15.041666666667, -10.0130052, -10.7573529),
         17.8: (5, 9, -9.632090737160, -9.620938397663, -11.2514045),
         17.9: (5, 9, -9.696626749765, -9.676859509411, -11.3131983),
         18: (5, 9, -9.762270016847, -9.732432443376, -11.375),
         18.4: (5, 9, -10.034194536976, -9.952688270954, -11.6222826),
         18.5: (5, 9, -10.104260809540, -10.007433151614, -11.6841216),
         20: (4, 8, -11.166666666667, -10.823286781857, -12.6125),
         50: (4, 8, -32.416666666667, -27.241629903887, -31.295)}


def listed(file, name):
    """{column: values} of a list in /landscape."""
    return {column: values[()] for column, values in file[f"landscape/{name}"].items()}


class Chain(ProgramTest):
    """The deck of figures 6.2 to 6.11, once for all tests."""


    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls("test_layout")
        run.setUp()
        cls.addClassCleanup(run.doCleanups)
        end = run.launch(CHAIN, *SHORT, "output.file=out.h5", ranks=1)
        assert end.returncode == 0, end.stdout + end.stderr
        cls.said = end.stdout
        cls.file = h5py.File(run.at / "out.h5", "r")
        cls.addClassCleanup(cls.file.close)
        cls.alphas = cls.file["landscape/parameters"][:, 0]

    def test_layout(self):
        lay = self.file["landscape"]
        self.assertEqual(list(self.alphas), list(BALLS))
        self.assertEqual([str(name, "utf-8") if isinstance(name, bytes) else name
                          for name in lay["parameters"].attrs["columns"]], ["alpha"])
        self.assertEqual(lay["energy"].shape, (len(BALLS), 25, 25))
        self.assertEqual(lay["admissible"].shape, lay["energy"].shape)
        self.assertTrue((lay["complete"][()] == 1).all())
        for name in ("x", "y"):
            self.assertEqual(lay[name].attrs["units"], "rad")
            np.testing.assert_allclose(lay[name][()], np.linspace(-math.pi, math.pi, 25), atol=1e-15)

    def test_grid(self):
        lay = self.file["landscape"]
        t, s = np.meshgrid(lay["x"][()], lay["y"][()], indexing="ij")
        apart = 2 * np.abs(np.cos((t + s) / 2))
        safe = np.abs(apart - 1) > 1e-9
        for k, alpha in enumerate(self.alphas):
            np.testing.assert_array_equal(lay["admissible"][k][safe], (apart > 1)[safe])
            ends = (np.cos(2 * (t + s)) + 3 * np.cos(t - s)) / apart**3
            u = 2 * np.cos(t) + np.cos(2 * t + s) - alpha / 12 * (np.cos(2 * t) + np.cos(2 * s) + 6 + ends)
            inside = apart > 1.001
            np.testing.assert_allclose(lay["energy"][k][inside], u[inside], rtol=0, atol=1e-13 * (1 + alpha))

    def test_points_passes_and_escape(self):
        points, passes, boundary = (listed(self.file, name) for name in ("stationary", "passes", "boundary"))
        for k, (alpha, (extrema, saddles, well, out, edge)) in enumerate(BALLS.items()):
            with self.subTest(alpha=alpha):
                mine = np.flatnonzero(points["parameter_index"] == k)
                kinds, energy = points["type"][mine], points["energy"][mine]
                self.assertEqual(np.count_nonzero(kinds != SADDLE), extrema)
                self.assertEqual(np.count_nonzero(kinds == SADDLE), saddles)
                self.assertTrue((np.diff(energy) >= 0).all())
                lower, upper = points["eigenvalues"][mine].T
                np.testing.assert_array_equal(kinds, np.where(lower > 0, MINIMUM, np.where(upper > 0, SADDLE, MAXIMUM)))
                wells = mine[kinds == MINIMUM]
                here = wells[np.abs(points["energy"][wells] - well) < 1e-11]
                self.assertEqual(here.size, 2 if 17.5868 < alpha < 18.5498 else 1)
                delta = 5.1e-8 if alpha == 17 else 1e-11
                for row in here:
                    self.assertAlmostEqual(points["escape_energy"][row], out, delta=delta)
                self.assertTrue(np.isnan(points["escape_energy"][mine[kinds != MINIMUM]]).all())
                edges = boundary["energy"][boundary["parameter_index"] == k]
                self.assertAlmostEqual(edges[0], edge, delta=5.1e-8)
                # A pass refers to points of its own landscape, and stands where its saddle does.
                for row in np.flatnonzero(passes["parameter_index"] == k):
                    other = points if passes["kind"][row] == 0 else boundary
                    self.assertEqual(other["parameter_index"][passes["number"][row]], k)
                    self.assertEqual(other["energy"][passes["number"][row]], passes["energy"][row])
                    for side in ("from", "to"):
                        if passes[side + "_kind"][row] == 0:
                            self.assertIn(passes[side][row], mine)

    def test_two_wells_that_keep_the_chain_apart(self):
        """The barrier lies below the pass to the contact for 17.8847 < alpha < 18.5498 alone."""
        points, passes = listed(self.file, "stationary"), listed(self.file, "passes")
        for k, alpha in enumerate(BALLS):
            origin = np.flatnonzero((passes["parameter_index"] == k) & (np.hypot(passes["x"], passes["y"]) < 1e-9))
            joins = [row for row in origin if passes["lowest"][row]]
            self.assertEqual(len(joins), 1 if 17.8847 < alpha < 18.5498 else 0, alpha)
            for row in joins:
                ends = [passes["from"][row], passes["to"][row]]
                self.assertEqual([points["type"][end] for end in ends], [MINIMUM, MINIMUM])
                self.assertLess(passes["energy"][row], points["escape_energy"][ends].min())
                self.assertAlmostEqual(passes["energy"][row], 3 - 17 * alpha / 24, delta=1e-13)

    def test_changes(self):
        changes = listed(self.file, "changes")
        names = [str(n, "utf-8") if isinstance(n, bytes) else n for n in self.file["landscape/changes/kind"].attrs["names"]]
        found = sorted((names[kind], round(value, 10)) for kind, value in zip(changes["kind"], changes["parameter"]))
        for kind, value, count in (("fold", 17.586776625117, 2), ("energy_coincidence", 17.884699697004, 2),
                                   ("pitchfork", (3120 + 48 * math.sqrt(3579)) / 323, 1),
                                   ("pitchfork", 0.769078284396, 1)):
            self.assertEqual(found.count((kind, round(value, 10))), count, found)
        self.assertEqual(len(found), 18)
        self.assertTrue((np.diff(changes["parameter"]) >= -1e-9).all())
        fold = changes["kind"] == names.index("fold")
        np.testing.assert_allclose(np.abs(changes["x"][fold]), 0.857216, atol=5e-7)
        np.testing.assert_allclose(changes["energy"][fold], -9.499392, atol=5e-7)

    def test_summary(self):
        for part in ("alpha = 18: 3 minima, 9 saddles, 2 maxima", "left at -9.732432443376", "-11.375000000000",
                     "17.884699697004  energy_coincidence", "18.549807164520  pitchfork", "result            out.h5"):
            self.assertIn(part, self.said)
        self.assertNotIn("-0.000000 ", self.said)


class Landscapes(ProgramTest):
    def test_equal_bits_on_any_number_of_ranks(self):
        for ranks in (1, 2, 3):
            end = self.launch(CHAIN, *SHORT, "landscape.x.count=24", f"output.file={ranks}.h5", ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        for ranks in (2, 3):
            self.assertEqual(same_bits(self.at / "1.h5", self.at / f"{ranks}.h5"), [])

    def test_henon_heiles(self):
        end = self.launch(HENON_HEILES, "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            points, passes = listed(file, "stationary"), listed(file, "passes")
            self.assertEqual(file["landscape/energy"].shape, (401, 401))
            self.assertNotIn("parameters", file["landscape"])
            self.assertNotIn("boundary", file["landscape"])
            self.assertTrue((file["landscape/admissible"][()] == 1).all())
        np.testing.assert_allclose(points["energy"], [0, 1 / 6, 1 / 6, 1 / 6], atol=1e-15)
        self.assertAlmostEqual(points["escape_energy"][0], 1 / 6, delta=1e-15)
        places = {(round(x, 9) + 0.0, round(y, 9) + 0.0) for x, y in zip(points["x"][1:], points["y"][1:])}
        half = round(math.sqrt(0.75), 9)
        self.assertEqual(places, {(0.0, 1.0), (half, -0.5), (-half, -0.5)})
        self.assertTrue((passes["lowest"] == 1).all())

    def test_one_value_of_the_parameter(self):
        end = self.launch(CHAIN, *SHORT, "model.alpha=18", "landscape.changes=", "output.file=out.h5", ranks=2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(file["landscape/energy"].shape, (25, 25))
            self.assertEqual(file["landscape/parameters"][()].tolist(), [[18.0]])
            self.assertNotIn("changes", file["landscape"])
            self.assertEqual(len(file["landscape/stationary/x"]), 14)

    def test_windows_need_not_be_a_turn_to_the_last_digit(self):
        turn = ["landscape.x.from=-3.14159", "landscape.x.to=3.14159", "landscape.y.from=0", "landscape.y.to=6.28318"]
        end = self.launch(CHAIN, *SHORT, *turn, "model.alpha=18", "landscape.changes=", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(len(file["landscape/stationary/x"]), 14)
            self.assertEqual(file["landscape/complete"][0], 1)

    def test_grid_alone(self):
        end = self.launch(CHAIN, *SHORT, "landscape.stationary=false", "landscape.passes=false", "landscape.changes=",
                          "output.file=out.h5", ranks=3)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            sets = sorted(name for name, data in file["landscape"].items() if not is_dimension(data))
            self.assertEqual(sets, ["admissible", "energy", "parameters", "x", "y"])

    def test_check_and_dry_run_write_nothing(self):
        for word in ("--check", "--dry-run"):
            end = self.launch(CHAIN, word, "output.file=out.h5", ranks=2)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            self.assertEqual(list(self.at.iterdir()), [])
        self.assertIn("would run       10 landscapes of 251 x 251", end.stdout)
        self.assertIn("MB", end.stdout)

    def test_bad_input(self):
        deck = self.deck(CHAIN.read_text(encoding="utf-8"))
        for override, *parts in [
                ("landscape.x.coordinate=tt", "'tt'", "[landscape.x] coordinate", "did you mean 't'?"),
                ("landscape.y.coordinate=t", "coordinate of x already"),
                ("landscape.x.to=-4", "must be above from = -3.14"),
                ("landscape.y.count=1", "must be at least 2"),
                ("landscape.cells=2", "must be at least 4"),
                ("landscape.colour=red", "unknown key", "colour"),
                ("landscape.at.t=0", "unknown key", "t"),
                ("landscape.stationary=false", "passes", "needs stationary = true"),
                ("landscape.changes.parameter=alhpa", "'alhpa'", "did you mean 'alpha'?"),
                ("landscape.changes.to=-1", "must be above from = 0"),
                ("landscape.changes.steps=0", "must be at least 1"),
                ("model.alpha=[]", "one value at least"),
                ("output.file=nowhere/out.h5", "nowhere")]:
            with self.subTest(override=override):
                end = self.launch(deck, *SHORT, override, ranks=1)
                self.says(end, 3 if "nowhere" in override else 2, *parts)
                self.assertEqual([p.name for p in self.at.iterdir()], ["deck.toml"])

    def test_bad_input_on_several_ranks(self):
        deck = self.deck(CHAIN.read_text(encoding="utf-8"))
        self.says(self.launch(deck, "landscape.x.to=-4", ranks=3), 2, "must be above from")
        self.says(self.launch(deck, *SHORT, "output.file=nowhere/out.h5", ranks=3), 3, "nowhere")

    def test_models_that_do_not_fit(self):
        plane = 'study = "landscape"\n[model]\nname = "%s"\n[landscape]\n%s\n[output]\nfile = "out.h5"\n'
        window = 'x = { from = -1, to = 1, count = 5 }\ny = { from = -1, to = 1, count = 5 }'
        self.refused("missing key 'from'", "[landscape.x]", text=plane % ("henon-heiles", ""))
        self.refused("no parameter to change", text=plane % (
            "henon-heiles", window + '\nchanges = { parameter = "alpha", from = 0, to = 1 }'))
        self.refused("where omega2 has one value; it has 2", text=(plane % (
            "harmonic-oscillator", window + '\nchanges = { parameter = "omega1", from = 1, to = 2 }')).replace(
                "[landscape]", "omega2 = [1, 2]\n[landscape]"))
        end = self.launch(self.deck(plane % ("wayward", window)), program="extension_program", ranks=1)
        self.says(end, 2, "two coordinates", "wayward")
        # U of the Kepler problem is infinite at the centre: the search says so, the grid alone can do without.
        kepler = plane % ("kepler", window)
        self.refused("not finite at the admissible point (0, 0)", "stationary = false", text=kepler)
        end = self.launch(self.deck(kepler), "landscape.stationary=false", ranks=2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertTrue(np.isnan(file["landscape/energy"][2, 2]))
            self.assertEqual(np.flatnonzero(file["landscape/admissible"][()] == 0).tolist(), [12])

    def test_a_landscape_that_cannot_be_resolved_is_said_to_be_incomplete(self):
        """Without gravity the spring's minima are a whole circle."""
        text = ('study = "landscape"\n[model]\nname = "elastic-pendulum"\ng = 0\n[landscape]\n'
                'x = { from = 0.2, to = 1.2, count = 5 }\ny = { from = -0.5, to = 0.52, count = 5 }\ncells = 8\n'
                '[output]\nfile = "out.h5"\n')
        end = self.launch(self.deck(text), ranks=1)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("1 of 1 landscapes may miss stationary points", end.stdout)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(file["landscape/complete"][()].tolist(), [0])


class WaysOut(FormulaTest):
    """Landscapes by formulas: what is said of the ways out of a well."""

    TEXT = """study = "landscape"
[model]
coordinates = ["x", "y"]
parameters = {{ s = 1.0 }}
lagrangian = "x_dot^2/2 + y_dot^2/2 - s*({0})"
domain = "{1}"
[landscape]
x = {{ from = -1.2, to = 1.2, count = 5 }}
y = {{ from = -1.2, to = 1.2, count = 5 }}
[output]
file = "out.h5"
"""
    DIAMOND = TEXT.format("x^2/2 - 2*x^3/3 + y^2/2", "1 - abs(x) - abs(y)")
    MONKEY = TEXT.format("x^3 - 3*x*y^2", "2 - x - y")

    def test_no_more_is_compiled_than_one_method(self):
        """Nothing flies here: all methods would take three times as long."""
        self.set_variable("COTANGENT_CACHE", self.at / "cache")
        self.set_variable("COTANGENT_COMPILER", "/bin/false")  # which leaves the source
        self.refused("the compiler failed", text=self.DIAMOND)
        (source,) = (self.at / "cache").glob("*.cpp")
        self.assertIn('string_view method = "";', source.read_text(encoding="utf-8"))

    def test_over_a_saddle_to_a_corner_of_the_region(self):
        end = self.launch(self.deck(self.DIAMOND), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertIn("left at 0.041666666667", end.stdout)
        # In another unit of energy there are as many digits.
        end = self.launch(self.deck(self.DIAMOND), "model.parameters.s=1e-13", "output.file=small.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertIn("left at 4.166666666667e-15", end.stdout)

    def test_descents_that_come_to_no_end_are_said(self):
        end = self.launch(self.deck(self.MONKEY), ranks=1)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("ASTRAY", end.stdout)
        self.assertIn("descents from passes", end.stdout)

    def test_the_lowest_on_the_boundary_is_a_minimum(self):
        text = self.TEXT.format("x^2 - y^2 + y^4/9", "0.5 - x")  # along x = 1/2 a maximum, and U falls to the edges
        end = self.launch(self.deck(text), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertNotIn("lowest on boundary", end.stdout)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(file["landscape/boundary/minimum"][()].tolist(), [0])
        end = self.launch(self.deck(text), "model.parameters.s=-1", "output.file=other.h5", ranks=1)
        self.assertIn("lowest on boundary     0.500000    0.000000      -0.250000000000", end.stdout)

    def test_infinite_on_the_boundary(self):
        text = self.TEXT.format("log(1 - x^2 - y^2) + 0.3*x", "1 - x^2 - y^2")
        for ranks in (1, 2):
            end = self.launch(self.deck(text), ranks=ranks)
            self.says(end, 2, "not finite on the boundary of the admissible region, at (", "this is at s = 1",
                      "stationary = false")


if __name__ == "__main__":
    unittest.main()
