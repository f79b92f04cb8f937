# SPDX-License-Identifier: BSD-3-Clause
"""Indicators of chaos as a deck asks for them: the same bits on any number of ranks, and clear refusals."""
import re
import unittest

import h5py
import numpy as np

from launch import FULL, KICKED_ROTOR, POINCARE, ProgramTest
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


ROTOR = "study = \"poincare\"\n" + KICKED_ROTOR + """[ensemble]
grid = { x = [0.0, 0.0, 1], x_dot = [3.7, 3.8, 41] }
[stop]
crossings = 20000
[indicators]
list = ["rotation"]
[output]
file = "out.h5"
"""
SLEIGH = """study = "trajectory"
[model]
name = "chaplygin-sleigh"
offset = 0.5
[method]
name = "lobatto-spark"
stages = 4
step = 0.05
[ensemble]
project = true
list = [[0.0, 0.0, 0.0, 1.0, 0.0, 1.2]]
[stop]
time = 600.0
[indicators]
list = ["spectrum"]
[output]
every = 100.0
file = "out.h5"
"""
STADIUM = """study = "billiard"
[domain]
sets = [{ set = "stadium", a = [1.0, 0.3] }]
[ensemble]
energy = 0.5
random = { count = 10, seed = 1, x = [-0.9, 0.9], y = [-0.4, 0.4], x_dot = [-1.0, 1.0] }
[stop]
time = 500.0
[indicators]
list = ["spectrum", "sali"]
[output]
every = 0.0
file = "out.h5"
"""

class Indicators(ProgramTest):
    def run_to(self, file, text=DECK, ranks=1, words=()):
        self.deck(text)
        self.ended("deck.toml", f"output.file={file}", *words, ranks=ranks)
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

    def test_a_flight_that_failed_is_not_regular(self):
        """From rest into the centre of Kepler's field; a circle is the control."""
        text = """study = "trajectory"
[model]
name = "kepler"
[method]
name = "gauss"
stages = 8
step = 0.02
[ensemble]
list = [[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]
[stop]
time = 20.0
[indicators]
list = ["megno"]
[output]
every = 1.0
"""
        self.deck(text)
        self.launch("deck.toml", "output.file=out.h5", ranks=1)
        with h5py.File(self.at / "out.h5") as file:
            names = [name.decode() if isinstance(name, bytes) else name for name in file["orbits/status"].attrs["names"]]
            self.assertEqual([names[status] for status in file["orbits/status"]], ["finished", "newton_diverged"])
            self.assertEqual(list(file["indicators/verdict"]), [1, 0])

    def test_a_flight_that_ended_before_its_time_is_not_regular(self):
        """In a corner, by an exit, without its section; what flies on is the control."""
        flat = STADIUM[:STADIUM.index("[ensemble]")].replace('"stadium", a = [1.0, 0.3]', '"rectangle"') + """[ensemble]
list = [[0.0, 0.0, 1.0, 1.0], [0.1, 0.0, 0.3, 0.2]]
[stop]
time = 300.0
[indicators]
list = ["megno"]
"""
        unmet = POINCARE.replace('where = "q1"', 'where = "q1"\nvalue = 5.0').replace(
            'energy = 0.125\ngrid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }', "list = [[0.0, 0.1, 0.45, 0.0]]").replace(
            "crossings = 3", "crossings = 10\npatience = 100") + '[indicators]\nlist = ["megno"]\n'
        exits = '[exits]\nhole = "x < -0.4"\n'
        for text, status, verdict in ((flat, ["corner", "finished"], [0, 1]), (flat + exits, ["corner", "left_domain"], [0, 0]),
                                      (unmet, ["section_not_met"], [0])):
            with self.subTest(status=status), h5py.File(self.run_to(f"{status[-1]}.h5", text=text)) as file:
                names = file["orbits/status"].attrs["names"].astype(str)
                self.assertEqual([names[k] for k in file["orbits/status"]], status)
                self.assertLess(file["indicators/mean_megno"][()].max(), 2.5)
                self.assertEqual(list(file["indicators/verdict"]), verdict)

    def test_growth_that_passes_with_friction_is_not_chaos(self):
        """A pendulum falls from next to upright, and comes to rest: neighbours part like those of chaotic motion, for a while.
        Controls: a chaotic attractor (the next test), and walls that take no energy, of what is refused."""
        falls = DRIVEN.replace("c = 0.5, A = 1.2", "c = 0.1, A = 0.0").replace(
            "random = { count = 9, seed = 2, x = [-3.0, 3.0], x_dot = [-1.0, 1.0] }", "list = [[3.14159264, 0.0]]").replace(
            "every = 0.0371", "every = 1.0").replace("crossings = 20005", "crossings = 40")
        for crossings, verdict in ((40, 0), (200, 1)):
            with h5py.File(self.run_to(f"{crossings}.h5", text=falls, words=[f"stop.crossings={crossings}"])) as file:
                if verdict == 0:
                    self.assertGreater(file["indicators/mean_megno"][0], 3)
                    self.assertLess(file["indicators/sali"][0], 1e-8)
                self.assertEqual(list(file["indicators/verdict"]), [verdict])
        self.refused("decided", "transient", text=falls, words=("stop.decided=true",))
        walls = STADIUM.replace("[1.0, 0.3]", "1.0")
        self.refused("decided", "transient", text=walls.replace("a = 1.0", "a = 1.0, restitution = 0.9"), words=("stop.decided=true",))
        self.run_to("walls.h5", text=walls, words=["stop.decided=true"])

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

    def test_over_kicks(self):
        """The standard map's exponents against the product of its derivatives, for the same bits on any lanes and ranks."""
        text = ROTOR.replace("K = 0.97", "K = 6.0").replace("20000", "3000").replace('"rotation"', '"spectrum"').replace("41]", "5]")
        one = self.run_to("one.h5", text=text)
        self.assertEqual(same_bits(one, self.run_to("two.h5", text=text, ranks=2)), [])
        self.assertEqual(same_bits(one, self.run_to("lanes.h5", text=text, words=["method.lanes=1"])), [])
        with h5py.File(one) as file:
            spectrum, crossings = file["indicators/spectrum"][()], file["section/points"][()]
            columns = [name.decode() if isinstance(name, bytes) else name for name in file["section/points"].attrs["columns"]]
        self.assertLess(np.abs(spectrum.sum(1)).max(), 1e-12)
        x = crossings[0, :, columns.index("x")]
        map_of = lambda at: np.array([[1 - 6 * np.cos(at), 1], [-6 * np.cos(at), 1]])  # of (x, p), kick and then drift
        vector, growth = np.array([1.0, 0.3]), 0.0
        for at in x:
            vector = map_of(at) @ vector
            growth += np.log(np.linalg.norm(vector))
            vector /= np.linalg.norm(vector)
        self.assertAlmostEqual(spectrum[0, 0], growth / len(x), delta=5e-3)
        self.assertGreater(spectrum[0, 0], 1.0)

    def test_of_what_rolls(self):
        """A sleigh's exponents: four zeros, and the rate at which it stops turning (tests/integrators has it in closed form)."""
        with h5py.File(self.run_to("out.h5", text=SLEIGH)) as file:
            spectrum = file["indicators/spectrum"][0]
        self.assertEqual(spectrum.shape, (5,))
        self.assertLess(np.abs(spectrum[:4]).max(), 0.02)
        self.assertAlmostEqual(spectrum[4], -0.4 * np.sqrt(1 + 1.25 * 1.2 ** 2), delta=0.02)

    def test_between_walls(self):
        """The stadium is chaotic, the circle isn't; the rows don't depend on ranks, nor on what else is swept."""
        one = self.run_to("one.h5", text=STADIUM)
        self.assertEqual(same_bits(one, self.run_to("two.h5", text=STADIUM, ranks=2)), [])
        circle = self.run_to("circle.h5", text=STADIUM.replace('set = "stadium", a = [1.0, 0.3]', 'set = "circle"'))
        alone = self.run_to("alone.h5", text=STADIUM.replace("[1.0, 0.3]", "1.0"))
        with h5py.File(one) as swept, h5py.File(alone) as single, h5py.File(circle) as round:
            self.assertEqual(list(swept["orbits/parameters"].attrs["columns"]), ["stadium.a"])
            self.assertGreater(np.mean(swept["indicators/verdict"][()] == 2), 0.8)  # some stay between the flat sides
            self.assertEqual(set(round["indicators/verdict"][()]), {1})
            for path in ("indicators/spectrum", "indicators/sali", "orbits/bounces"):
                self.assertEqual(swept[path][()][:10].tobytes(), single[path][()].tobytes(), path)
                self.assertNotEqual(swept[path][()][10:].tobytes(), single[path][()].tobytes(), path)
            self.assertLess(np.abs(swept["indicators/spectrum"][()].sum(1)).max(), 1e-12)
        circles = STADIUM.replace('set = "stadium", a = [1.0, 0.3]', 'set = "circle", radius = [1.0, 0.9]')
        self.refused("aren't rough", text=circles.replace("[1.0, 0.9]", "1.0, temperature = 1.0"))
        for words, say in ((["method.name=leapfrog", "method.step=0.01"], "one value of each parameter"),
                           (["indicators.list=['rotation']"], "rotation")):
            end = self.launch(self.deck(circles), *words)
            self.assertEqual(end.returncode, 2, end.stdout + end.stderr)
            self.assertIn(say, end.stdout + end.stderr)

    def test_methods_say_whether_they_have_a_tangent_map(self):
        for method, has in (("gauss", True), ("rattle", True), ("lobatto-spark", True), ("lobatto-pair-6", True), ("shake", False)):
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



def average(values):
    """Weighted as chaos/birkhoff.hpp has it, in 80 bits."""
    s = np.arange(1, len(values), dtype=np.longdouble) / len(values)
    weight = np.exp(-1 / (s * (1 - s)))
    return (weight[:, None] * values[1:]).sum(axis=0) / weight.sum()


class Averages(ProgramTest):
    """Rotation numbers of the kicked rotor, which is the standard map; averages of formulas."""
    def flown(self, *words, text=ROTOR, ranks=1):
        end = self.launch(self.deck(text), *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            return {name: data[()] for name, data in file["indicators"].items() if not is_dimension(data)} | {"start": file["orbits/initial"][()]}

    def test_twelve_digits(self):
        """Against the map itself in 80 bits and flights more than twice as long; without kicks, exactly the velocity."""
        found = self.flown("model.parameters.K=0.5", "stop.crossings=60000")
        regular = found["rotation_digits"] > 13
        self.assertGreater(regular.sum(), 5)
        x, y = (found["start"][regular, k].astype(np.longdouble) for k in (0, 1))
        gains = []
        for _ in range(150000):
            y = y - np.longdouble(0.5) * np.sin(x)
            x = x + y
            gains.append(y)
        known = average(np.array(gains)) / (8 * np.arctan(np.longdouble(1)))
        self.assertLess(np.abs(found["rotation"][regular] - known).max(), 1e-12)
        free = self.flown("model.parameters.K=0")
        self.assertLess(np.abs(free["rotation"] - free["start"][:, 1] / (2 * np.pi)).max(), 1e-12)
        self.assertGreater(np.abs(free["rotation"] - found["rotation"]).max(), 1e-4)  # a control

    def test_about_a_centre(self):
        """Near the point at rest the rotor turns by a quarter where the kicks are 2 strong, clockwise."""
        near = ("model.parameters.K=2", "ensemble.grid.x_dot=[0.0001,0.001,4]", "stop.crossings=4000")
        found = self.flown(*near, text=ROTOR.replace('list = ["rotation"]', 'list = ["rotation"]\ncentre = [0.0, 0.0]'))
        self.assertLess(np.abs(found["rotation"] + 0.25).max(), 1e-6)
        self.assertGreater(np.abs(found["rotation"] + 0.25).max(), 1e-10)  # a control: it depends on the amplitude
        self.assertLess(np.abs(self.flown(*near)["rotation"]).max(), 1e-12)  # its angle doesn't advance

    def test_last_golden_torus(self):
        """J. M. Greene, J. Math. Phys. 20 (1979) 1183: it breaks at K = 0.971635. Starts on x = 0 between those whose rotation
        numbers are next to the golden mean: below, an orbit has it, and its halves agree; above there is a gap."""
        golden = (5**0.5 - 1) / 2
        for kick, there in ((0.97, True), (0.973, False)):
            low, high = 3.7, 3.8
            for _ in range(6):
                found = self.flown(f"model.parameters.K={kick}", f"ensemble.grid.x_dot=[{low!r},{high!r},41]")
                off, start = found["rotation"] - golden, found["start"][:, 1].tolist()
                passes = np.flatnonzero((off[:-1] < 0) & (off[1:] > 0))
                best = np.abs(off).argmin()
                at = passes[np.abs(passes - best).argmin()]
                low, high = start[at], start[at + 1]
            with self.subTest(K=kick):
                nearest, digits = abs(off[best]), found["rotation_digits"][best]
                (self.assertLess if there else self.assertGreater)(nearest, 1e-9)
                (self.assertGreater if there else self.assertLess)(digits, 8.5)

    def test_averages_of_formulas(self):
        """On a torus of Henon-Heiles to many digits, in the sea to a few; equal bits on ranks, over crossings and samples."""
        text = POINCARE.replace("grid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }",
                                "points = [{ q2 = 0.2, q2_dot = 0.0 }, { q2 = -0.2, q2_dot = 0.0 }]").replace(
            "crossings = 3", "crossings = 4000") + '[indicators]\nlist = ["birkhoff", "rotation", "megno"]\n' \
            'averages = { q2 = "q2", kinetic = "(q1_dot^2 + q2_dot^2)/2" }\n'
        found = self.flown(text=text)
        self.assertEqual(found["birkhoff"].shape, (2, 2))
        with h5py.File(self.at / "out.h5") as file:
            points = file["section/points"][()]
            self.assertEqual(list(file["indicators/birkhoff"].attrs["columns"].astype(str)), ["q2", "kinetic"])
        for orbit in range(2):
            q2, kinetic = points[orbit, :, 1], (points[orbit, :, 2]**2 + points[orbit, :, 3]**2) / 2
            known = average(np.stack([q2, kinetic], axis=1).astype(np.longdouble))
            self.assertLess(np.abs(found["birkhoff"][orbit] - known).max(), 1e-13)
        self.assertEqual(list(found["verdict"]), [1, 2])
        self.assertGreater(found["birkhoff_digits"][0].min(), 10)
        self.assertLess(found["birkhoff_digits"][1].max(), 5)
        for name, values in self.flown(text=text, ranks=2).items():
            np.testing.assert_array_equal(values, found[name])
        samples = text.replace("poincare", "trajectory").replace('[section]\nwhere = "q1"\n', "").replace(
            "crossings = 4000", "time = 2000.0").replace("[output]", "[output]\nevery = 1.0").replace("{ q2 = 0.2", "{ q1 = 0.0, q2 = 0.2").replace("{ q2 = -0.2", "{ q1 = 0.0, q2 = -0.2").replace('"rotation", ', "")
        self.assertGreater(self.flown(text=samples)["birkhoff_digits"][0].min(), 5)

    def test_what_is_refused(self):
        for change, parts in (
                (('["rotation"]', '["rotaton"]'), ["rotaton", "rotation"]), (('["rotation"]', '["rotation", "rotation"]'), ["twice"]),
                (('["rotation"]', '["rotation"]\nplane = "y"'), ["plane", "x"]), (('["rotation"]', '["rotation"]\ncentre = [1.0]'), ["two"]),
                (('["rotation"]', '["birkhoff"]'), ["averages"]), (('["rotation"]', '["birkhoff"]\naverages = { a = "z" }'), ["'z'"])):
            with self.subTest(change=change[1]):
                self.refused(*parts, text=ROTOR.replace(*change))


DECIDED = POINCARE.replace("q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2]", "q2 = [-0.4, 0.7, 9], q2_dot = [-0.3, 0.3, 5]").replace(
    "crossings = 3", "crossings = 600") + '[indicators]\nlist = ["lyapunov", "sali", "megno"]\n'


class Decided(ProgramTest):
    """stop.decided ends what is known to be chaotic; all else is as without it, and no verdict is another."""
    def flown(self, file, *words, ranks=1, text=DECIDED):
        end = self.launch(self.deck(text), f"output.file={file}", *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / file) as found:
            return {name: found[name][()] for name in (
                "orbits/status", "orbits/crossing_count", "orbits/steps", "section/points", "indicators/verdict",
                "indicators/mean_megno", "indicators/sali")} | {"names": list(found["orbits/status"].attrs["names"].astype(str))}

    def test_chaos_ends_early_and_nothing_else_changes(self):
        whole, brief = self.flown("whole.h5"), self.flown("brief.h5", "stop.decided=true")
        early = brief["orbits/status"] == brief["names"].index("decided")
        self.assertGreater(early.sum(), 5)
        self.assertGreater((brief["orbits/status"] == brief["names"].index("finished")).sum(), 5)
        np.testing.assert_array_equal(brief["indicators/verdict"], whole["indicators/verdict"])
        self.assertTrue((brief["indicators/verdict"][early] == 2).all() and (brief["indicators/verdict"][~early] != 2).all())
        self.assertTrue(((brief["indicators/mean_megno"][early] > 3) & (brief["indicators/sali"][early] < 1e-8)).all())
        self.assertTrue((brief["orbits/steps"][early] % 64 == 0).all())
        self.assertLess(brief["orbits/steps"][early].sum(), 0.7 * whole["orbits/steps"][early].sum())
        for orbit, count in enumerate(brief["orbits/crossing_count"]):  # crossings up to there are the same, then none
            np.testing.assert_array_equal(brief["section/points"][orbit, :count], whole["section/points"][orbit, :count])
            self.assertTrue(np.isnan(brief["section/points"][orbit, count:]).all())
        for name in ("orbits/steps", "section/points", "indicators/mean_megno", "indicators/sali"):
            np.testing.assert_array_equal(brief[name][~early], whole[name][~early])

    def test_bits(self):
        """Of ranks and lanes, and of a run that was stopped."""
        long = ("stop.decided=true", "stop.crossings=6000")
        brief = self.flown("brief.h5", *long)
        for file, words, ranks in (("ranks.h5", (), 3), ("lanes.h5", ("method.lanes=1",), 2)):
            for name, values in self.flown(file, *long, *words, ranks=ranks).items():
                np.testing.assert_array_equal(values, brief[name], file)
        words = ("output.file=parts.h5", *long, "output.checkpoint_minutes=1e-5")
        self.killed(self.deck(DECIDED), *words, ranks=1)
        self.assertNotEqual(same_bits(self.at / "brief.h5", self.at / "parts.h5"), [])
        for name, values in self.flown("parts.h5", *words[1:], "--resume").items():
            np.testing.assert_array_equal(values, brief[name])

    def test_refused(self):
        self.refused("decided", "indicators", text=POINCARE, words=("stop.decided=true",))
        self.refused("decided", "exit", text=WAVES + '[exits]\nfar = "q2 > 2"\n', words=("stop.decided=true",))


HISTORY = POINCARE.replace("poincare", "trajectory").replace('[section]\nwhere = "q1"\n', "").replace(
    "grid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }",
    "points = [{ q1 = 0.0, q2 = 0.2, q2_dot = 0.0 }, { q1 = 0.0, q2 = -0.2, q2_dot = 0.0 }]").replace(
    "crossings = 3", "time = 2000.0").replace("[output]", "[output]\nevery = 500.0") + \
    '[indicators]\nlist = ["spectrum", "sali", "megno"]\nhistory = 300.0\n'
COLUMNS = ("spectrum_1", "spectrum_4", "sali", "megno", "mean_megno")


class History(ProgramTest):
    def flown(self, *words, ranks=1, file="out.h5"):
        end = self.launch(self.deck(HISTORY), f"output.file={file}", *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / file) as found:
            return {name if group == "indicators" else f"history_{name}": data[()] for group in ("indicators", "histories") if group in found
                    for name, data in found[group].items() if not is_dimension(data)}

    def test_rows_are_the_indicators_of_shorter_flights(self):
        found = self.flown()
        time = found["history_time"]
        self.assertEqual(time.shape, (2, 6))
        self.assertTrue(((time >= 300.0 * np.arange(1, 7)) & (time < 300.0 * np.arange(1, 7) + 0.5)).all())
        for row in (0, 3):
            brief = self.flown(f"stop.time={float(time[0, row])!r}", "indicators.history=", file="brief.h5")
            for name in COLUMNS:
                end = brief[name] if name in brief else brief["spectrum"][:, int(name[-1]) - 1]
                self.assertEqual(found[f"history_{name}"][0, row], end[0], name)
        self.assertGreater(found["history_mean_megno"][1, -1], 2 * found["history_mean_megno"][1, 0])  # it moves: chaos
        self.assertLess(abs(found["history_mean_megno"][0, -1] - 2), 0.8)

    def test_bits_and_what_was_not_reached(self):
        long = ("stop.time=200000.0", "indicators.history=30000.0", "output.every=50000.0")
        found = self.flown(*long)
        for file, words, ranks in (("ranks.h5", (), 3), ("lanes.h5", ("method.lanes=1",), 1)):
            for name, values in self.flown(*long, *words, ranks=ranks, file=file).items():
                np.testing.assert_array_equal(values, found[name], name)
        words = ("output.file=parts.h5", *long, "output.checkpoint_minutes=1e-5")
        self.killed(self.deck(HISTORY), *words, ranks=1)
        for name, values in self.flown("--resume", *words[1:], file="parts.h5").items():
            np.testing.assert_array_equal(values, found[name], name)
        early = self.flown(*long, "stop.decided=true", file="early.h5")["history_time"]
        self.assertTrue(np.isfinite(early[0]).all() and np.isnan(early[1, -1]))

    def test_a_row_for_every_time_asked_for(self):
        """Steps longer than that are in several rows; the last one isn't lost to the rounding of a sum of steps."""
        for step, every, end in ((0.5, 0.1, 20.0), (0.1, 0.1, 1.0), (0.11, 1.1, 7.7), (0.05, 0.1, 0.3), (0.7, 0.7, 9.1)):
            with self.subTest(step=step, every=every):
                time = self.flown(f"method.step={step}", f"indicators.history={every}", f"stop.time={end}",
                                  f"output.every={end}", file="rows.h5")["history_time"]
                due = every * np.arange(1, time.shape[1] + 1)
                self.assertEqual(time.shape[1], round(end / every))
                self.assertTrue((time >= due * (1 - 1e-11)).all())
                self.assertTrue((time < due + step * (1 + 1e-11)).all())

    def test_refused(self):
        self.refused("history", "longer than stop.time", text=HISTORY, words=("indicators.history=1e4",))
        self.refused("history", "100 000", text=HISTORY, words=("indicators.history=1e-3",))
        self.refused("history", "stop.time", text=DECIDED + "history = 1.0\n")


PENDULUM = """study = "trajectory"
[model]
name = "pendulum"
[method]
name = "gauss"
stages = 8
step = 0.2
[ensemble]
list = [[1.0, 0.0], [2.8, 0.0], [0.0, 2.2], [0.0, -3.0]]
[stop]
time = 2000.0
[indicators]
list = ["frequencies"]
signals = { height = "cos(angle)", across = "sin(angle)", rate = "angle_dot" }
[output]
every = 0.2
file = "out.h5"
"""

WAVES = POINCARE.replace("poincare", "trajectory").replace('[section]\nwhere = "q1"\n', "").replace(
    "grid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }",
    "points = [{ q1 = 0.0, q2 = 0.2, q2_dot = 0.0 }, { q1 = 0.0, q2 = -0.2, q2_dot = 0.0 }]").replace(
    "crossings = 3", "time = 4000.0").replace("[output]", "[output]\nevery = 0.5") + """[indicators]
list = ["frequencies", "megno"]
signals = { x = "q1", y = "q2" }
"""


def complete_elliptic(k):
    """K(k) by the arithmetic-geometric mean."""
    a, b = 1.0, (1 - k * k) ** 0.5
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, (a * b) ** 0.5
    return np.pi / (a + b)


class Frequencies(ProgramTest):
    flown = Averages.flown

    def test_pendulum(self):
        """Its periods are 4 K(sin(a/2)) for an amplitude a, and 2 k K(k), k = 2/v, where it circles: Landau, Lifshitz,
        Mechanics, 11, exercise 1; in radians a unit of time to 10 digits."""
        found = self.flown(text=PENDULUM)
        swing = [2 * np.pi / (4 * complete_elliptic(np.sin(a / 2))) for a in (1.0, 2.8)]
        circle = [2 * np.pi / (2 * k * complete_elliptic(k)) for k in (2 / 2.2, 2 / 3.0)]
        known = np.array(swing + circle)
        height, across, rate = found["frequencies"].T
        self.assertLess(np.abs(across - known).max(), 1e-10)
        self.assertLess(np.abs(rate - known).max(), 1e-10)
        self.assertLess(np.abs(height - known * [2, 2, 1, 1]).max(), 1e-10)  # it is as high on both sides
        self.assertLess(found["frequency_diffusion"].max(), 1e-10)
        self.assertGreater(np.abs(rate - [1, 1, 2.2, 3.0]).min(), 1e-2)  # a control: not those of small or free motion

    def test_tori_and_the_sea(self):
        """Halves agree on a torus of Henon-Heiles and don't in the sea; the same bits on two ranks."""
        found = self.flown(text=WAVES)
        self.assertEqual(list(found["verdict"]), [1, 2])
        self.assertLess(found["frequency_diffusion"][0].max(), 1e-6)
        self.assertGreater(found["frequency_diffusion"][1].min(), 1e-4)
        with h5py.File(self.at / "out.h5") as file:
            frequencies = file["indicators/frequencies"]
            self.assertEqual(list(frequencies.attrs["columns"].astype(str)), ["x", "y"])
            self.assertEqual(frequencies.attrs["units"], "rad/time")
        for name, values in self.flown(text=WAVES, ranks=2).items():
            np.testing.assert_array_equal(values, found[name])

    def test_what_does_not_vary_has_no_frequency(self):
        """On the axis of Henon-Heiles x is at rest."""
        text = WAVES.replace("energy = 0.125\n", "").replace(", \"megno\"", "")
        at = text.index("points =")
        text = text[:at] + "list = [[0.0, 0.1, 0.0, 0.0]]" + text[text.index("\n", at):]
        found = self.flown(text=text)["frequencies"]
        self.assertTrue(np.isnan(found[0, 0]))
        self.assertTrue(0.9 < found[0, 1] < 1.0, found)

    def test_memory_is_counted(self):
        """A whole trajectory's samples are held while its averages are made: --dry-run tells."""
        def memory(text):
            end = self.launch(self.deck(text), "--dry-run", "stop.time=1000000")
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            number, unit = re.search(r"memory +about ([0-9.]+) ([kMG]?)B", end.stdout).groups()
            return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]

        samples = 5e6
        more = memory(PENDULUM) - memory(PENDULUM[:PENDULUM.index("[indicators]")] + PENDULUM[PENDULUM.index("[output]"):])
        self.assertGreater(more, samples * 8 * (2 * 2 + 3))
        self.assertLess(more, samples * 8 * 50)

    def test_what_is_refused(self):
        section = ROTOR.replace('"rotation"', '"frequencies"')
        self.refused("samples at even times", text=section)
        for change, parts in ((('signals = { height', 'averages = { height'), ["signals", "whose frequencies"]),
                              (('"cos(angle)"', '"cos(angel)"'), ["angel"]),
                              (('"frequencies"', '"frequencies", "frequencies"'), ["twice"]),
                              (('"frequencies"', '"frequency"'), ["frequencies"])):
            with self.subTest(change=change[1]):
                self.refused(*parts, text=PENDULUM.replace(*change))


INTEGRABLE = """study = "{study}"
{motion}
[ensemble]
{ensemble}
random = {{ count = {count}, seed = 1, {box} }}
[stop]
time = {time}
[indicators]
list = ["megno"]
[output]
every = {every}
file = "out.h5"
"""
GAUSS = '[method]\nname = "gauss"\nstages = 8\nstep = {}'
MODELS = {  # study, motion, ensemble, box, time
    "Toda's lattice of three": (
        "trajectory", '[model]\ncoordinates = ["x", "y"]\nlagrangian = "(x_dot^2 + y_dot^2)/2 - (exp(2*x + 2*sqrt(3)*y) '
        '+ exp(2*x - 2*sqrt(3)*y) + exp(-4*x))/24"\n' + GAUSS.format(0.2), "",
        "x = [-0.5, 0.5], y = [-0.5, 0.5], x_dot = [-0.7, 0.7], y_dot = [-0.7, 0.7]", 1000.0),
    "Kepler": ("trajectory", '[model]\nname = "kepler"\n' + GAUSS.format(0.05), "",
               "x = [0.8, 1.2], y = [-0.2, 0.2], x_dot = [-0.4, 0.4], y_dot = [0.7, 1.1]", 500.0),
    "ellipse": ("billiard", '[domain]\nsets = [{ set = "ellipse", a = 1.0, b = 0.6 }]', "energy = 0.5",
                "x = [-1.0, 1.0], y = [-0.6, 0.6], x_dot = [-1.0, 1.0]", 2000.0),
    "sphere": ("trajectory", '[model]\nname = "sphere"\n[method]\nname = "rattle"\nstep = 0.05', "project = true",
               "x = [-1.0, 1.0], y = [-1.0, 1.0], z = [-1.0, 1.0], x_dot = [-1.0, 1.0], y_dot = [-1.0, 1.0], z_dot = [-1.0, 1.0]",
               200.0),
    "Euler's top": ("trajectory", '[model]\nname = "heavy-top"\nI1 = 1.0\nI2 = 2.0\nI3 = 2.5\nweight_length = 0.0\n'
                    '[method]\nname = "rattle"\nstep = 0.05', "project = true",
                    ", ".join(f"r{i}{j}{dot} = [-1.0, 1.0]" for dot in ("", "_dot") for i in "123" for j in "123"),
                    1500.0 if FULL else 400.0)}


class Integrable(ProgramTest):
    def test_regular_without_exception(self):
        """10 000 starts of each in full, 200 with every test. The control: Hénon and Heiles, Toda cut at the third order."""
        for name, (study, motion, ensemble, box, time) in MODELS.items():
            with self.subTest(name):
                text = INTEGRABLE.format(study=study, motion=motion, ensemble=ensemble, box=box, time=time,
                                         every=0.0 if study == "billiard" else time, count=10_000 if FULL else 200)
                end = self.launch(self.deck(text))
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / "out.h5") as file:
                    self.assertEqual(set(file["orbits/status"][()]), {1})
                    self.assertEqual(set(file["indicators/verdict"][()]), {1})
                    self.assertLess(file["indicators/mean_megno"][()].max(), 2.5)
        study, motion, ensemble, box, time = MODELS["Kepler"]
        text = INTEGRABLE.format(study=study, motion=motion.replace('name = "kepler"', 'name = "henon-heiles"'), ensemble=ensemble,
                                 box="q1 = [-0.2, 0.2], q2 = [-0.2, 0.2], q1_dot = [-0.35, 0.35], q2_dot = [-0.35, 0.35]",
                                 time=2000.0, every=2000.0, count=200)
        end = self.launch(self.deck(text))
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            self.assertIn(2, file["indicators/verdict"][()])


if __name__ == "__main__":
    unittest.main()
