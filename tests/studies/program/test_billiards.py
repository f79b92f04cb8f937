# SPDX-License-Identifier: BSD-3-Clause
"""study = "billiard": what it writes, the numbers of A. Morita, "Reinventing the wheel: simulating collisions" (blog
KakkoKari), bits on any number of ranks and after a stop, bad input."""
import os
import tomllib
import unittest
import unittest.mock

import h5py
import numpy as np

from launch import RANKS, SOURCE, ProgramTest
from results import same_bits

CIRCLES = """study = "billiard"
[domain]
inside = "left or right or bowl"
sets = [
  { name = "left", set = "circle", centre = [-2.0, 0.0], radius = 1.0 },
  { name = "right", set = "circle", centre = [2.0, 0.0], radius = 1.0 },
  { name = "bowl", set = "circle", centre = [0.0, -2.0], radius = 2.23606797749979 },
]
[forces]
gravity = [0.0, -10.0]
[ensemble]
random = { count = 50, seed = 1, x = [-4.0, 4.0], y = [-4.5, 1.0] }
[stop]
time = 5.0
[output]
every = 0.5
collisions = 30
file = "out.h5"
"""
ONE = """study = "billiard"
[domain]
sets = [{ set = "circle" }]
[ensemble]
list = [[0.3, 0.2, 1.0, 0.5]]
[stop]
collisions = 20
[output]
file = "out.h5"
"""


class Runs(ProgramTest):
    def run_to(self, name, *words, text=CIRCLES, ranks=RANKS, code=0):
        self.ended(self.deck(text), f"output.file={name}", *words, ranks=ranks, code=code)
        return h5py.File(self.at / name, "r")


class Billiards(Runs):
    def test_field_and_set_of_ones_own(self):
        text = ONE.replace('set = "circle"', 'set = "diamond", size = 0.9').replace(
            "collisions = 20", "time = 20.0") + 'every = 0.1\n[forces]\npotential = "saddle"\nstrength = 0.7\n'
        end = self.launch(self.deck(text), program="extension_program")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as found:
            q, v = found["trajectory/q"][0], found["trajectory/v"][0]
            self.assertGreater(found["orbits/crossing_count"][0], 10)
        self.assertLess(np.abs(q).sum(axis=1).max(), 0.9)
        kinetic = 0.5 * (v**2).sum(axis=1)
        energy = kinetic + 0.7 * q[:, 0] * q[:, 1]
        self.assertLess(np.ptp(energy), 1e-11)
        self.assertGreater(np.ptp(kinetic), 0.1)  # it does feel the field

    def test_pictures_in_plane_and_space(self):
        space = ONE.replace('sets = [{ set = "circle" }]', """dimension = 3
inside = "ball and not core"
sets = [{ name = "ball", set = "sphere" }, { name = "core", set = "sphere", radius = 0.4 }]""").replace(
            "[[0.3, 0.2, 1.0, 0.5]]", "[[0.6, 0.2, 0.1, 1.0, 0.5, 0.2]]")
        for name, text in (("plane", ONE), ("space", space)):
            samples = text.replace("collisions = 20", "time = 8.0") + "every = 0.05\n"
            self.run_to(f"{name}.h5", text=samples, ranks=1)
            end = self.launch(f"{name}.h5", "-o", f"{name}.png", program="cotangent-plot", ranks=1)
            self.assertEqual(end.returncode, 0, end.stderr)
            self.assertGreater((self.at / f"{name}.png").stat().st_size, 20000)
        with h5py.File(self.at / "space.h5", "r") as found:
            place, normal = found["surface/vertices"][()], found["surface/normals"][()]
            corners = found["surface/triangles"][()]
        radius = np.linalg.norm(place, axis=1)
        self.assertLess(np.minimum(np.abs(radius - 1), np.abs(radius - 0.4)).max(), 1e-9)
        self.assertEqual(len(place) - len(corners) / 2, 4)  # two closed surfaces, each of genus 0
        inward = np.where(radius > 0.7, -1, 1)
        self.assertLess(np.abs((normal * place).sum(axis=1) / radius - inward).max(), 1e-9)

    def test_fields_refused(self):
        field = ONE + '[forces]\npotential = "%s"\n'
        self.refused("potential", "'harmonik'", "'harmonic'", text=field % "harmonik")
        self.refused("potential", "'kepler-in-space'", text=field % "kepler-in-space")
        self.refused("[stop] time", text=field % "harmonic")
        rough = (field % "harmonic").replace("}]", ", temperature = 1.0 }]", 1)
        self.refused("aren't rough", text=rough, words=("stop.time=1", "output.lyapunov=true"))
        self.refused("k_z", text=field % "harmonic", words=("stop.time=1", "forces.k_z=2"))

    def test_what_it_writes(self):
        found = self.run_to("all.h5")
        count = found["orbits/crossing_count"][()]
        time, point, wall = (found[f"collisions/{name}"][()] for name in ("time", "point", "wall"))
        self.assertEqual(time.shape, (50, 30))
        for k in range(50):
            used = min(count[k], 30)
            self.assertTrue((np.diff(time[k, :used]) > 0).all())
            self.assertTrue(np.isnan(time[k, used:]).all() and (wall[k, used:] == -1).all())
        centres, radii = np.array([[-2, 0], [2, 0], [0, -2.0]]), np.array([1, 1, 5 ** 0.5])
        hit = wall >= 0
        apart = np.linalg.norm(point[hit][:, None] - centres, axis=2) - radii
        self.assertLess(np.abs(apart[np.arange(len(apart)), wall[hit]]).max(), 1e-13)
        apart[np.arange(len(apart)), wall[hit]] = 1
        self.assertGreater(apart.min(), 0)  # no other set holds the point: the last one was left
        energy = 0.5 * (found["collisions/velocity"][()][hit] ** 2).sum(1) + 10 * point[hit][:, 1]
        self.assertLess(np.abs(energy - np.repeat(found["orbits/energy"][()], hit.sum(1))).max(), 1e-12)
        inside = found["orbits/samples_within"][()]
        q = found["trajectory/q"][()]
        counted = (np.linalg.norm(q[:, :, None] - centres, axis=3) < radii).sum(1)
        self.assertTrue((inside == counted).all())
        for name in ("collisions/arc", "collisions/tangential", "orbits/impulse", "domain/outline"):
            self.assertIn("meaning", found[name].attrs)
        self.assertLess(np.nanmax(np.abs(found["collisions/tangential"][()])), 1)
        self.assertEqual(set(found["orbits/status"][()]), {1})

    def test_the_energies_of_morita(self):
        deck = (SOURCE / "input" / "billiards/billiard_circle_leapfrog.toml").read_text(encoding="utf-8")
        for words, expected, within in (((), 0.1310, 5e-5), (("method.mended=true",), 1.3e-4, 5e-6),
                                        (("method.name=euler",), 0.3878, 5e-5)):
            energy = self.run_to("source.h5", *words, text=deck)["trajectory/energy"][()].sum(0)
            self.assertAlmostEqual(np.ptp(energy) / abs(energy[0]), expected, delta=within)
        exact = (SOURCE / "input" / "billiards/billiard_circle.toml").read_text(encoding="utf-8")
        found = self.run_to("exact.h5", text=exact)
        energy = found["trajectory/energy"][()].sum(0)
        self.assertLess(np.ptp(energy) / abs(energy[0]), 2.5e-14)  # measured: 1.5e-15
        self.assertEqual(found["orbits/crossing_count"][()].sum(), 201)

    def test_the_search_for_the_wall(self):
        deck = (SOURCE / "input" / "billiards/three_circles_two_ended.toml").read_text(encoding="utf-8")
        for search, expected in (("two-ended", [1, 0, 0]), ("one-ended", [16, 0, 176])):
            found = self.run_to("search.h5", f'method.search="{search}"', text=deck)["orbits/against_exact"][()]
            self.assertEqual(found[:, :3].sum(0).tolist(), expected)  # missed, invented, off the way

    def test_bits(self):
        self.run_to("one.h5", ranks=1)
        self.run_to("more.h5", ranks=3)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "more.h5"), [])
        self.run_to("other.h5", "ensemble.random.seed=2", ranks=1)  # the control
        self.assertNotEqual(same_bits(self.at / "one.h5", self.at / "other.h5"), [])

    def test_stopped_and_resumed(self):
        long = ("stop.time=30000", "output.every=5000", "output.lyapunov=true")
        self.run_to("whole.h5", *long)
        self.run_to("parts.h5", *long, "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        for _ in range(2):
            end = self.launch("deck.toml", "output.file=parts.h5", *long, "--resume", ranks=RANKS + 1)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])

    def test_arc_lengths_where_the_outline_ends(self):
        floor = ('domain.sets=[{set="half-plane"}]', "forces.gravity=[0.0,-1.0]", "stop.collisions=100", "output.collisions=100")
        found = self.run_to("floor.h5", *floor, "ensemble.list=[[-1.0,1.0,1.0,0.0],[1.0,1.0,1.0,0.0]]", text=ONE)
        arc, x = found["collisions/arc"][()], found["collisions/point"][..., 0]
        outline = found["domain/outline"][:, 0]
        np.testing.assert_array_equal(np.isnan(arc), (x < outline.min()) | (x > outline.max()))
        beside = ~np.isnan(arc)
        self.assertGreater(beside.sum(), 1)
        np.testing.assert_allclose(arc[beside] - arc[beside][0], x[beside] - x[beside][0], atol=1e-10)
        # A lone start far from it has no outline, and is told so.
        lone = (*floor, "ensemble.list=[[0.0,1.0,1.0,0.0]]")
        found = self.run_to("lone.h5", *lone, text=ONE)
        self.assertEqual(len(found["domain/outline"]), 0)
        self.assertTrue(np.isnan(found["collisions/arc"][()]).all())
        for name, words, told in (("lone.h5", lone, True), ("floor.h5", (*lone, "ensemble.list=[[0.0,1.0,1.0,0.0],[1.0,1.0,1.0,0.0]]"), False)):
            end = self.launch("deck.toml", f"output.file={name}", *words, "--check")
            self.assertEqual("no wall was found about the starts" in end.stdout, told, end.stdout + end.stderr)

    def test_pressure_of_an_ideal_gas(self):
        deck = tomllib.loads((SOURCE / "input" / "billiards/ideal_gas.toml").read_text(encoding="utf-8"))
        self.assertEqual(deck["study"], "billiard")
        found = self.run_to("gas.h5", "output.every=0", text=(SOURCE / "input" / "billiards/ideal_gas.toml").read_text())
        v = found["orbits/initial"][:, 2:]
        ideal = 0.5 * (v ** 2).sum() / (8 - np.pi * 0.16)
        pressure = found["orbits/impulse"][()].sum(0) / 100 / np.array([12, 0.8 * np.pi])
        self.assertTrue((np.abs(pressure / ideal - 1) < 0.04).all(), pressure / ideal)  # measured: 1.005, 0.99

    def test_ends_are_statuses(self):
        def status(*words):
            with self.run_to("end.h5", *words, text=ONE) as file:
                return file["orbits/status"].attrs["names"][file["orbits/status"][0]]
        self.assertEqual(status(), "finished")
        self.assertEqual(status("stop.time=0.1"), "time_limit")
        self.assertEqual(status('domain.sets=[{set="half-plane"}]', "ensemble.list=[[0.0,1.0,0.0,1.0]]"), "left_domain")
        self.assertEqual(status('domain.sets=[{set="rectangle"}]', "ensemble.list=[[0.0,0.0,1.0,1.0]]"), "corner")
        self.assertEqual(status('domain.sets=[{set="half-plane",restitution=0.5}]', "forces.gravity=[0,-1]",
                                "ensemble.list=[[0.0,1.0,0.0,0.0]]", "stop.collisions=1000"), "collapsed")

    def test_what_a_wall_stops_rests_on_it(self):
        for law in ("restitution = 0.0", "temperature = 0.0"):
            with self.subTest(law):
                text = ONE.replace('set = "circle"', f'set = "rectangle", {law}').replace("collisions = 20", "time = 10.0")
                end = self.launch(self.deck(text.replace("[0.3, 0.2, 1.0, 0.5]", "[0.1, 0.2, 1.0, 0.0]")), "output.file=out.h5")
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / "out.h5") as file:
                    np.testing.assert_allclose(file["orbits/final"][0], [1.0, 0.2, 0.0, 0.0], atol=1e-15)

    def test_one_start_inside_suffices_for_an_outline(self):
        states = np.full((1000, 4), 3.0)
        states[7] = [0.1, 0.2, 1.0, 0.3]
        text = ONE.replace("[[0.3, 0.2, 1.0, 0.5]]", str(states.tolist()))
        end = self.launch(self.deck(text), "output.file=out.h5", "output.collisions=10")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            self.assertGreater(len(file["domain/outline"]), 100)
            self.assertTrue(np.isfinite(file["collisions/arc"][7]).all())

    def test_outlines_of_any_size(self):
        for radius in (1e-7, 1e-3, 1.0, 1e8):
            start = f"list = [[{0.3 * radius}, {0.2 * radius}, {radius}, {0.5 * radius}]]"
            text = ONE.replace('"circle"', f'"circle", radius = {radius}').replace(
                "list = [[0.3, 0.2, 1.0, 0.5]]", start) + "collisions = 20\n"
            with self.run_to("size.h5", text=text, ranks=1) as found:
                length = found["domain/outline"][-1, 2] / (2 * np.pi * radius)
                arc = found["collisions/arc"][0] / (2 * np.pi * radius)
                point = found["collisions/point"][0]
            self.assertLess(abs(length - 1), 1e-4, radius)
            turn = np.arctan2(point[:, 1], point[:, 0]) / (2 * np.pi)
            self.assertLess(np.abs((arc - turn - (arc[0] - turn[0]) + 0.5) % 1 - 0.5).max(), 1e-4, radius)

    def test_neighbours_between_flat_walls_do_not_part(self):
        flat = ONE.replace('set = "circle"', 'set = "rectangle"').replace("collisions = 20", "time = 7.0")
        with self.run_to("flat.h5", "output.lyapunov=true", text=flat, ranks=1) as found:
            self.assertLess(abs(found["orbits/lyapunov"][0]), 1e-14)

    def test_walls_by_formula_have_the_bits_of_built_in_ones(self):
        """Walls that are polynomials in time, on intervals, moving and in space; and a control."""
        cache = unittest.mock.patch.dict(os.environ, COTANGENT_CACHE=str(self.at / "cache"))
        cache.start()
        self.addCleanup(cache.stop)
        self.alone["COTANGENT_CACHE"] = os.environ["COTANGENT_CACHE"]
        egg = 'name="egg", omega="1 - (x/a)^2 - (y/b)^2*exp(k*x)", parameters={a=1.3, b=1.0, k=%s}'
        swings = ", amplitude=[0.1, 0.0], frequency=2.0"
        cases = {
            "circle": ('set="circle", radius=1.1', 'name="circle", omega="r*r - x^2 - y^2", parameters={r=1.1}', ""),
            "egg": ('set="egg"', egg % 0.4, ""),
            "moving egg": ('set="egg"' + swings, egg % 0.4 + swings, ""),
            "with a core": ('set="egg"}, {name="core", set="circle", radius=0.2',
                            egg % 0.4 + '}, {name="core", omega="r*r - x^2 - y^2", parameters={r=0.2}',
                            "domain.inside=egg and not core"),
            "torus": ('name="ring", set="torus"', 'name="ring", parameters={R=1.0, r=0.4}, '
                      'omega="(4*R*R)*(x^2 + y^2) - (x^2 + y^2 + z^2 + (R*R - r*r))^2"', "domain.dimension=3")}
        for name, (built_in, formula, more) in cases.items():
            with self.subTest(name):
                words = [more] if more else []
                if name == "torus":
                    words.append("ensemble.list=[[1.1,0.1,0.0,1.0,0.5,0.2]]")
                self.run_to("built_in.h5", "domain.sets=[{%s}]" % built_in, *words, text=ONE)
                self.run_to("formula.h5", "domain.sets=[{%s}]" % formula, *words, text=ONE)
                self.assertEqual(same_bits(self.at / "built_in.h5", self.at / "formula.h5"), [])
        self.run_to("built_in.h5", 'domain.sets=[{set="egg"}]', text=ONE)
        self.run_to("other.h5", "domain.sets=[{%s}]" % (egg % 0.4000000000001), text=ONE)
        self.assertIn("orbits/final", same_bits(self.at / "built_in.h5", self.at / "other.h5"))

    def test_sides_of_no_line_refused(self):
        self.refused("nx and ny are both zero", text=ONE.replace('"circle"', '"half-plane", ny = 0.0'))
        self.refused("nx, ny and nz are all zero", text=ONE.replace('"circle"', '"half-space", nz = 0.0').replace(
            "[domain]", "[domain]\ndimension = 3"))

    def test_walls_by_formula_refused(self):
        for wall, *parts in (('omega="1 - x^2 - yy^2"', "omega", "unknown", "'yy'", "did you mean 'y'?"),
                             ('omega="1 - z^2"', "'z'"),
                             ('omega="2"', "is constant"),
                             ('omega="a", parameters={a=1.0}', "is constant"),
                             ('omega="1 - abs(x)"', "a wall is made of"),
                             ('omega="1 - x^2", parameters={x=1.0}', "stands twice"),
                             ('omega="1 - x^2", set="circle"', "not both")):
            with self.subTest(wall):
                self.refused(*parts, text=ONE, words=['domain.sets=[{name="wall", %s}]' % wall])
        self.refused("name", text=ONE, words=['domain.sets=[{omega="1 - x^2"}]'])

    def test_refused(self):
        for words, *parts in ((['domain.sets=[{set="circel"}]'], "did you mean 'circle'"),
                             (["domain.inside=circle and not circle"], "the domain is empty"),
                             (["domain.inside=circl"], "[domain] inside",
                              "unknown set 'circl' at column 1 of 'circl'; did you mean 'circle'?"),
                             (["domain.inside=(circle"], "expected ')' at the end of '(circle'"),
                             (["domain.inside=circle circle"], "expected 'and' or 'or' at column 8"),
                             (["domain.inside=circle or"], "expected a set at the end of 'circle or'"),
                             (['domain.sets=[{set="circle",radius=-1}]'], "radius"),
                             (['domain.sets=[{set="circle",restitution=2}]'], "restitution"),
                             (['domain.sets=[{set="circle",amplitude=[0.1,0.0]}]'], "amplitude", "give frequency"),
                             (['domain.sets=[{set="circle",amplitude=[0.1,0.0],frequency=0.0}]'], "give frequency"),
                             (['domain.sets=[{set="circle",frequency=2.0}]'], "frequency", "give amplitude"),
                             (['domain.sets=[{set="circle",phase=2.0}]'], "phase", "give amplitude"),
                             (['domain.sets=[{set="circle",temperature=1.0,restitution=0.5}]'], "restitution",
                              "throws back by that alone"),
                             (["domain.dimension=3", 'domain.sets=[{set="torus",R=0.4,r=1.0}]'], "R",
                              "a torus has R > r > 0"),
                             (["domain.dimension=3", 'domain.sets=[{set="torus",R=[1.0,0.7],r=[0.3,0.8]}]'],
                              "a torus has R > r > 0"),
                             (["domain.sets=[%s]" % ",".join('{name="r%d",set="rectangle"}' % k for k in range(12)),
                               "domain.inside=not (%s)" % " or ".join(f"r{k}" for k in range(12))],
                              "inside", "more than 4096 cells", "one wall each"),
                             (["domain.sets=[]"], "give at least one"),
                             (["ensemble.list=[[3.0,0.0,1.0,0.0]]"], "no start is inside the domain"),
                             (["domain.dimension=4"], "must be 2 or 3"),
                             (["forces.gravity=[1]"], "must hold 2 numbers"),
                             (["stop.collisions="], "give time, collisions"),
                             (["method.name=leapfrog", "method.step=0.1"], "runs to stop.time"),
                             (["output.lyapunv=true"], "did you mean 'lyapunov'")):
            with self.subTest(words=words):
                self.refused(*parts, text=ONE, words=words)


class Exits(Runs):
    """Leaks; and the exponents of Lorentz gases and of Sinai's billiard."""
    leak = (SOURCE / "input" / "billiards/leaking_diamond.toml").read_text(encoding="utf-8")
    few = ("ensemble.random.count=3000", "stop.time=200")

    def test_the_rate_of_a_leak_and_a_circle_without_one(self):
        """Survival against exp(-kappa t): straight in the diamond; integrable motion in the circle has no rate."""
        kappa = 0.0268443
        def survival(found, times):
            time = found["exits/time"][()]
            return np.array([1 - np.mean(time < t) for t in times])
        found = self.run_to("diamond.h5", "ensemble.random.count=20000", "stop.time=150", text=self.leak)
        times = np.array([1, 2, 3]) / kappa
        np.testing.assert_allclose(np.log(survival(found, times)) / (-kappa * times), 1, atol=0.04)
        exit, time, bounces, final, status = (found[name][()] for name in (
            "exits/exit", "exits/time", "exits/bounces", "orbits/final", "orbits/status"))
        names = list(found["orbits/status"].attrs["names"])
        self.assertTrue(((exit >= 0) == (status == names.index("left_domain"))).all())
        self.assertTrue(((exit < 0) == (status == names.index("finished"))).all())
        self.assertTrue((np.isnan(time) == (exit < 0)).all() and (time[exit >= 0] == found["orbits/time"][()][exit >= 0]).all())
        self.assertTrue((bounces[exit >= 0] == found["orbits/bounces"][()].sum(1)[exit >= 0]).all())
        x, y = final[exit == 0, :2].T
        self.assertTrue(((x > 0.3) & (x < 0.3195) & (np.abs(np.hypot(x - 1, y - 1) - 1.1) < 1e-13)).all())
        outward = ((1 - final[exit == 0, :2]) * final[exit == 0, 2:]).sum(1)
        self.assertGreater(outward.min(), 0)  # through the hole, not back from it
        # A circle with holes of the same share of its wall, and the same h/(pi A).
        radius = 2 * 0.012 / (np.pi * kappa)
        circle = survival(self.run_to("circle.h5", "ensemble.random.count=20000", "stop.time=400", "domain.inside=disc", (
            'domain.sets=[{name="disc", set="circle", radius=%r}]' % float(radius)),
            f"exits.wide=x > 0 and abs(y) < {float(radius * np.sin(0.012 * np.pi))!r}", "exits.narrow=x > 2",
            text=self.leak), np.array([1, 10]) / kappa)
        self.assertGreater(circle[1], 0.02)
        self.assertGreater(circle[1], 100 * circle[0] ** 10)

    def test_bits_of_leaks(self):
        self.run_to("one.h5", *self.few, text=self.leak, ranks=1)
        self.run_to("more.h5", *self.few, text=self.leak, ranks=3)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "more.h5"), [])
        self.run_to("parts.h5", *self.few, "output.wall_minutes=1e-5", text=self.leak, code=75)
        self.stopped_midway("parts.h5", "one.h5")
        end = self.launch("deck.toml", "output.file=parts.h5", *self.few, "--resume", ranks=RANKS + 1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "parts.h5"), [])
        end = self.launch("one.h5", "-o", "leak.png", program="cotangent-plot", ranks=1)
        self.assertEqual(end.returncode, 0, end.stderr)

    def test_exits_refused(self):
        leak = ONE + '[exits]\nhole = "%s"\n'
        self.refused("[exits] hole", "'xx'", text=leak % "xx > 0.9")
        self.refused("[exits] hole", "'x_dot'", text=leak % "x_dot > 0.9")
        self.refused("two sides", text=leak % "x == 1")
        self.refused("names no exit", text=ONE + "[exits]\n")
        self.refused("knows no exits", text=leak % "x > 0.9", words=(
            "method.name=leapfrog", "method.step=0.1", "stop.collisions=", "stop.time=10"))

    def test_the_exponent_of_sinais_billiard_tends_to_its_limit(self):
        """Dahlqvist (1997): -2 ln R - .12837 + O(R ln^2 R), from disc to disc."""
        deck = (SOURCE / "input" / "billiards/sinai_limit.toml").read_text(encoding="utf-8")
        found = self.run_to("sinai.h5", "stop.time=40000", text=deck)
        discs = list(range(1, 10, 2))
        radius = np.array([table["radius"] for table in tomllib.loads(deck)["domain"]["sets"][1::2]])
        time, hits = found["orbits/time"][()], found["orbits/bounces"][()][:, discs]
        per_time, of_map = found["orbits/lyapunov"][()], found["orbits/lyapunov_per_bounce"][()][:, discs]
        own = np.arange(len(time)) // (len(time) // 5)
        self.assertTrue(((hits > 0) == (own[:, None] == np.arange(5))).all())
        hits, of_map = (x[np.arange(len(own)), own] for x in (hits, of_map))
        np.testing.assert_allclose(per_time * time / hits, of_map, rtol=1e-12)
        each = [own == k for k in range(5)]
        free = np.array([time[k].sum() / hits[k].sum() for k in each])
        np.testing.assert_allclose(free, (1 - np.pi * radius ** 2) / (2 * radius), rtol=0.03)
        exponent = np.array([(of_map[k] * hits[k]).sum() / hits[k].sum() for k in each])
        off = np.abs(exponent + 2 * np.log(radius) + 0.12837)
        self.assertTrue((np.diff(off[:4]) < 0).all() and off[4] < off[2], off)  # measured: .122, .086, .053, .028, .011
        self.assertTrue((off < 0.3 * radius * np.log(radius) ** 2).all(), off)
        # The control: with the flat walls' bounces left in it is far from the limit, farther as R is less.
        bounces = found["orbits/crossing_count"][()]
        mixed = np.array([(per_time * time)[k].sum() / bounces[k].sum() for k in each]) + 2 * np.log(radius) + 0.12837
        self.assertTrue((np.diff(np.abs(mixed)) > 0).all() and abs(mixed[0]) > 1, mixed)


DISCS = """study = "hard-spheres"
[model]
lattice = 20
packing = [0.2, 0.4]
systems = 2
[stop]
warm_up = 5.0
time = 60.0
[output]
file = "out.h5"
"""


class HardSpheres(Runs):
    def test_equation_of_state(self):
        found = self.run_to("discs.h5", text=DISCS)
        eta, z = found["systems/packing"][()], found["systems/compressibility"][()]
        np.testing.assert_allclose(z, (1 + eta ** 2 / 8) / (1 - eta) ** 2, rtol=0.03)  # measured: 0.01
        self.assertLess(found["orbits/energy_error"][()].max(), 1e-13)

    def test_bits_of_systems(self):
        self.run_to("one.h5", "stop.time=10", text=DISCS, ranks=1)
        self.run_to("more.h5", "stop.time=10", text=DISCS, ranks=3)
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "more.h5"), [])

    def test_stopped_and_resumed_systems(self):
        """A signal ends a run within a system or between two; that one and the rest go on later, on other ranks."""
        words = ("stop.time=120", "model.systems=4")
        self.run_to("whole.h5", *words, text=DISCS, ranks=2)
        self.stopped(self.deck(DISCS), "output.file=parts.h5", "output.checkpoint_minutes=0.002", *words, ranks=1)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])  # the control
        with h5py.File(self.at / "parts.h5.checkpoint") as file:
            self.assertLessEqual(file["state/state"].shape[0], 1)  # none where the stop met the end of a system
        end = self.launch("deck.toml", "output.file=parts.h5", *words, "--resume", ranks=RANKS + 2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])

    def test_refused_systems(self):
        for words, part in ((["model.packing=0.95"], "overlapping"), (["model.lattice=7"], "must be even"), (["model.lattice=4"], "at least 6"),
                            (["model.dimension=4"], "must be 2 or 3"), (["stop.time=1"], "beyond warm_up"),
                            (["model.lattise=4"], "did you mean 'lattice'")):
            with self.subTest(words=words):
                self.refused(part, text=DISCS, words=words)


if __name__ == "__main__":
    unittest.main()
