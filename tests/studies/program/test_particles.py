# SPDX-License-Identifier: BSD-3-Clause
"""study = "particles": the numbers of D. Shapero, "Billiards on surfaces" (shapero.xyz), with the force's sign set
right, an independent sum over all pairs, bits on any number of ranks and after restarts, and what bad input gets."""
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

from launch import RANKS, SOURCE, ProgramTest
from results import same_bits

TORUS = """study = "particles"
[model]
name = "torus"
R = 8.0
r = 3.0
[potential]
name = "lennard-jones"
cut = 2.5
[method]
name = "rattle"
step = 0.004
[particles]
start = "even"
count = 300
temperature = 1.0
[stop]
time = 0.8
[output]
every = 0.08
surface_cells = 0
file = "out.h5"
"""
RICKER = SOURCE / "input" / "particles/ricker_on_genus2.toml"


class Particles(ProgramTest):
    def run_deck(self, deck, name, *words, ranks=RANKS, code=0):
        self.ended(deck, f"output.file={name}", *words, ranks=ranks, code=code)
        return h5py.File(self.at / name, "r")["particles"]

    def run_torus(self, name, *words, **options):
        return self.run_deck(self.deck(TORUS), name, *words, **options)

    def test_shaperos_particles(self):
        # U(0) of Shapero's start, computed independently, and the energy's largest error relative to the mean kinetic
        # energy at three steps.
        for step, bound in ((0.01, 0.03), (0.005, 0.01), (0.0025, 0.003)):  # measured: 0.0096, 0.0041, 0.0008
            with self.subTest(step=step):
                found = self.run_deck(RICKER, f"{step}.h5", f"method.step={step}", "output.surface_cells=0")
                kinetic, potential, total = found["energy"][()].T
                self.assertLess(abs(potential[0] + 5.9398896294), 1e-9)
                self.assertLess(np.abs(total - total[0]).max() / kinetic.mean(), bound)
                self.assertGreater(kinetic.mean(), 5)
                self.assertLess(found["constraint_error"][-1], 1e-14)
        # The start is the way of one particle under gravity, from which Shapero's solver strayed by 3.6e-7.
        way = self.run_deck(RICKER, "way.h5", "stop.time=0.01", "particles.start=trajectory", "particles.list=",
                            "particles.trajectory.from=[0,0,0.16666666666666666,0.7071067811865476,0.7071067811865475,0]",
                            "particles.trajectory.gravity=1", "particles.trajectory.step=0.01",
                            "particles.trajectory.every=100", "particles.trajectory.count=21", "output.surface_cells=0")
        off = np.abs(way["position"][0] - found["position"][0]).max()
        self.assertLess(off, 1e-6)
        self.assertGreater(off, 1e-8)

    def test_all_pairs(self):
        """RATTLE over all pairs, in NumPy, with the gradient by hand: the same ways to t = 2."""
        found = self.run_deck(RICKER, "out.h5", "stop.time=2", "output.frames_every=0.5", "output.surface_cells=0",
                              "output.every=0.5")
        x = found["position"][0]
        v = np.zeros_like(x)
        h = 0.01

        def level(x):
            s = x[:, 0]**2 + x[:, 1]**2
            f = s * s - (x[:, 0]**2 - x[:, 1]**2)
            gradient = np.stack([2 * f * (4 * x[:, 0] * s - 2 * x[:, 0]), 2 * f * (4 * x[:, 1] * s + 2 * x[:, 1]),
                                 2 * x[:, 2]], axis=1)
            return f * f + x[:, 2]**2 - 1 / 36, gradient

        def force(x):
            r = x[:, None] - x[None]
            s = 36 * (r**2).sum(axis=2)
            slope = 9 * np.exp(1.5 - 1.5 * s) * (4.5 * s - 4.5)  # dU/ds of U = (1 - 3 s) exp(1.5 - 1.5 s) / 4, times 36
            return (-2 * slope[:, :, None] * r).sum(axis=1)

        for k in range(1, 201):
            half = v + h / 2 * force(x)
            gradient = level(x)[1]
            push = np.zeros(len(x))
            for _ in range(20):
                there = x + h * half + push[:, None] * gradient
                value, other = level(there)
                push -= value / (other * gradient).sum(axis=1)
            half += push[:, None] / h * gradient
            x = x + h * half + 0.0
            gradient = level(x)[1]
            v = half + h / 2 * force(x)
            v -= ((gradient * v).sum(axis=1) / (gradient**2).sum(axis=1))[:, None] * gradient
            if k % 50 == 0:
                self.assertLess(np.abs(found["position"][k // 50] - x).max(), 1e-9)  # measured: 8e-13 at t = 2
        self.assertGreater(np.abs(x - found["position"][0]).max(), 0.1)

    def test_surface_and_potential_of_ones_own(self):
        surface = TORUS.replace('"torus"\nR = 8.0\nr = 3.0', '"sphere"\na = 6.0')
        deck = self.deck(surface.replace('"lennard-jones"\ncut = 2.5', '"spring"\nstiffness = 0.01\ncut = 30.0\nmode = "cut"'))
        end = self.launch(deck, "particles.count=20", program="extension_program")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as found:
            x = found["particles/position"][()]
            _, potential, total = found["particles/energy"][()].T
        self.assertLess(np.abs((x**4).sum(axis=2) / 6.0**4 - 1).max(), 1e-12)
        apart = ((x[:, :, None] - x[:, None]) ** 2).sum(axis=3)
        self.assertLess(np.abs(0.25 * 0.01 * apart.sum(axis=(1, 2)) / potential - 1).max(), 1e-12)
        self.assertLess(np.ptp(total), 1e-3)
        self.assertGreater(np.ptp(potential), 1e-2)

    def test_ranks(self):
        alone = self.run_torus("alone.h5", ranks=1)
        for ranks in (2, 3, 4, 8):
            with self.subTest(ranks=ranks):
                self.run_torus(f"{ranks}.h5", ranks=ranks)
                self.assertEqual(same_bits(self.at / "alone.h5", self.at / f"{ranks}.h5"), [])
        self.run_torus("other.h5", "method.step=0.002", ranks=1)  # the control
        self.assertNotEqual(same_bits(self.at / "alone.h5", self.at / "other.h5"), [])
        self.run_torus("skin.h5", "neighbours.skin=0.9", ranks=1)  # lists made at other times
        self.assertEqual(same_bits(self.at / "alone.h5", self.at / "skin.h5"), [])
        # What the surface's symmetry keeps, and what it doesn't.
        self.assertEqual([name.decode() if isinstance(name, bytes) else name
                          for name in alone["momentum"].attrs["conserved"]], ["Lz"])
        momentum = alone["momentum"][()]
        drift = np.abs(momentum - momentum[0]).max(axis=0)
        self.assertLess(drift[5], 1e-10)  # measured: 1e-12
        self.assertGreater(drift[:5].min(), 1)
        energy = alone["energy"][()]
        self.assertLess(np.ptp(energy[:, 2]) / energy[:, 0].mean(), 2e-2)
        self.assertAlmostEqual(alone["temperature"][0], energy[0, 0] / 300, 12)
        self.assertLess(abs(alone["temperature"][0] - 1), 0.15)
        # Pairs: none within the core, the first shell near the minimum of the potential.
        r, g = alone["pair_distance"][()], alone["pair_correlation"][()]
        self.assertEqual(g[r < 0.8].max(), 0)
        self.assertLess(abs(r[g.argmax()] - 2**(1 / 6)), 0.15)
        for item in alone.values():
            self.assertIn("units", item.attrs)
            self.assertIn("meaning", item.attrs)
        xml.etree.ElementTree.parse(self.at / "alone.xdmf")

    def test_stopped_and_resumed(self):
        for words in ((), ("method.name=g-baoab", "method.temperature=1.5")):
            with self.subTest(words=words):
                self.run_torus("whole.h5", *words)
                self.run_torus("parts.h5", "output.wall_minutes=1e-5", *words, code=75)
                self.stopped_midway("parts.h5", "whole.h5")
                end = self.launch("deck.toml", "output.file=parts.h5", "--resume", *words, "model.R=9")
                self.says(end, 2, "another deck")
                for ranks in (RANKS + 1, 1):  # the second has nothing left to do
                    end = self.launch("deck.toml", "output.file=parts.h5", "--resume", *words, ranks=ranks)
                    self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                    self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])
                self.assertFalse(list(self.at.glob("*.checkpoint")))

    def test_particles_that_fail(self):
        # A step so long that the fast one of two finds no way back to the surface; the others go on.
        fast = ("particles.start=list", "particles.count=", "particles.list=[[11,0,0,0,1,0],[-11,0,0,0,1e5,0],"
                "[0,11,0,1,0,0]]", "particles.temperature=0", "potential.name=none", "potential.cut=")
        found = self.run_torus("out.h5", *fast, "stop.when_particles_fail=go-on", code=1)
        names = [name.decode() if isinstance(name, bytes) else name for name in found["status"].attrs["names"]]
        self.assertEqual([names[k] for k in found["status"]], ["finished", "newton_diverged", "finished"])
        self.assertTrue(np.isfinite(found["position"][()]).all())
        self.assertEqual(np.ptp(found["position"][1:, 1], axis=0).max(), 0)
        self.assertGreater(np.ptp(found["position"][:, 0], axis=0).max(), 0.1)
        ended = self.run_torus("ended.h5", *fast, code=1)
        self.assertTrue(np.isnan(ended["time"][-1]))

    def test_few_particles_for_many_ranks(self):
        found = self.run_torus("out.h5", "particles.count=2", ranks=4)
        self.assertEqual(found["position"].shape, (11, 2, 3))
        self.assertEqual(list(found["status"]), [1, 1])

    def test_unbounded_surface(self):
        """On a plane without periods two particles that are given keep their centre of mass at rest, whoever holds them."""
        words = ("model.name=plane", "model.R=", "model.r=", "particles.start=list", "particles.count=", "particles.temperature=0",
                 "particles.list=[[0,0,0,0.3,0.1,0],[1.2,0,0,-0.3,-0.1,0]]")
        found = self.run_torus("out.h5", *words, "output.surface_cells=20")
        q = found["position"][()]
        self.assertLess(np.abs(q.sum(1) - q[0].sum(0)).max(), 1e-14)
        self.assertGreater(np.abs(q[-1] - q[0]).max(), 0.05)
        self.assertLess(np.abs(q[:, :, 2]).max(), 1e-15)
        self.assertNotIn("pair_correlation", found)
        self.says(self.launch(self.deck(TORUS), *words, "output.pair_bins=10"), 2, "pair_bins", "unbounded")

    def test_a_surface_that_repeats_along_one_axis_alone(self):
        """It is cut around particles that are given, and there is no even start on it."""
        words = ("model.name=plane", "model.R=", "model.r=", "model.periods=[0,10,0]")
        self.says(self.launch(self.deck(TORUS), *words), 2, "the surface is unbounded")
        with h5py.File(self.at / "plane.h5", "w") as file:
            file["starts"] = [[0.0, 0.0, 0.0, 0.3, 0.1, 0.0], [2.0, 9.5, 0.0, -0.3, -0.1, 0.0]]
        self.run_torus("out.h5", *words, "particles.start=file", "particles.file=plane.h5", "particles.count=",
                       "particles.temperature=0", "output.surface_cells=20")
        with h5py.File(self.at / "out.h5") as file:
            across = file["/surface/vertices"][:, 0]
            self.assertLess(across.max() - across.min(), 20)

    def test_a_coarse_surface_is_shown_as_it_is_asked_for(self):
        """Particles start on a fine one all the same."""
        triangles, starts = [], []
        for cells in (20, 40, 60):
            starts.append(self.run_torus("out.h5", "stop.time=0.08", f"output.surface_cells={cells}")["position"][0])
            with h5py.File(self.at / "out.h5") as file:
                triangles.append(len(file["/surface/triangles"]))
        self.assertLess(abs(triangles[1] / triangles[0] - 4), 0.4)
        self.assertLess(abs(triangles[2] / triangles[0] - 9), 0.9)
        self.assertTrue((starts[0] == starts[1]).all() and (starts[0] == starts[2]).all())

    def test_few_particles_on_a_folded_surface(self):
        """Even starts keep the distance that there is room for."""
        words = ("model.name=gyroid", "model.R=", "model.r=", "model.period=7", "model.periods=[14,14,14]")
        for count in (2, 20):
            q = self.run_torus("out.h5", *words, f"particles.count={count}", "stop.time=0.08")["position"][0]
            apart = q[:, None] - q[None]
            apart -= 14 * np.round(apart / 14)
            apart = np.sqrt((apart**2).sum(-1)) + 1e9 * np.eye(count)
            self.assertGreater(apart.min(), 2.0)

    def test_bad_input(self):
        listed = ("particles.start=list", "particles.count=", "particles.temperature=0")
        for words, parts in (
                ((*listed, "particles.list=[[11,0,0],[11,0,0]]"), ("particles 0 and 1 start at one point",)),
                ((*listed, "particles.list=[[11,0,0],[11,0,0.1]]"), ("particle 1 starts", "off the surface", "project")),
                ((*listed, "particles.list=[[11,0,0,1,0,0]]"), ("velocity", "across the surface", "project")),
                ((*listed, "particles.list=[[11,0,0,0,1,0]]", "particles.temperature=1"), ("velocity of its own",)),
                ((*listed, "particles.list=[[11,0]]"), ("particle 0 has 2 numbers",)),
                (("model.name=cylinder", "model.R=", "model.r=", "model.periods=[0,0,5]"), ("half the period",)),
                (("model.periods=[0,0,50]",), ("doesn't repeat",)),
                (("model.name=plane", "model.R=", "model.r="), ("unbounded", "periods")),
                (("potential.name=lennard-jone",), ("lennard-jones",)),
                (("potential.tail=1e-9",), ("cut or tail",)),
                (("potential.name=soft", "potential.cut=1.5"), ("cut", "soft ends by itself, at 1: at most that")),
                (("potential.name=soft", "potential.cut=", "potential.tail=1e-6"), ("tail", "ends by itself", "leave it out")),
                (("potential.sigma=-1",), ("sigma", "positive")),
                (("model.name=double-pendulum", "model.R=", "model.r="), ("no particle on a surface",)),
                (("method.name=g-baoab",), ("temperature",)),
                (("particles.start=file", "particles.count=", "particles.file=nothing.h5"), ("nothing.h5",))):
            with self.subTest(words=words):
                end = self.launch(self.deck(TORUS), *words)
                self.assertIn(end.returncode, (2, 3), end.stdout + end.stderr)
                for part in parts:
                    self.assertIn(part, end.stderr)

    def test_starts_off_the_surface_are_told_in_any_unit(self):
        """A sphere as large as a few atoms, in metres: what is a sixth off it is off it."""
        sphere = self.deck(TORUS.replace('"torus"\nR = 8.0\nr = 3.0', '"sphere"\nr = 3e-9').replace('start = "even"\ncount = 300', 'start = "list"\nlist = LIST')
                           .replace("temperature = 1.0", "").replace("cut = 2.5", "sigma = 3e-10\nepsilon = 1e-21\ncut = 8e-10")
                           .replace("step = 0.004", "step = 1e-14").replace("time = 0.8", "time = 1e-13").replace("every = 0.08", "every = 5e-14")
                           .replace("r = 3e-9", "r = 3e-9\nmass = 6.6e-26"))
        text = (self.at / sphere).read_text()
        for states, told in (("[[2.5e-9, 0, 0], [0, 3e-9, 0]]", "off the surface"), ("[[3e-9, 0, 0, 1e-3, 1.0, 0]]", "across the surface")):
            self.says(self.launch(self.deck(text.replace("LIST", states))), 2, told)
        self.ended(self.deck(text.replace("LIST", "[[3e-9, 0, 0], [0, 3e-9, 0, 0, 0, 10.0]]")), "output.file=out.h5", ranks=1)  # a control

    def test_starts_from_files(self):
        rows = [[11, 0, 0, 0, 1, 0], [-11, 0, 0, 0, 1, 0]]
        (self.at / "starts.csv").write_text("# x y z u v w\n" + "\n".join(", ".join(map(str, row)) for row in rows))
        with h5py.File(self.at / "starts.h5", "w") as file:
            file["starts"] = np.array(rows, float)
        for name in ("starts.csv", "starts.h5"):
            found = self.run_torus("out.h5", "particles.start=file", "particles.count=", f"particles.file={name}",
                                   "particles.temperature=0")
            np.testing.assert_array_equal(np.hstack([found["position"][0], found["velocity"][0]]), rows)

    def test_starts_on_any_number_of_ranks(self):
        # Text with lines of very unequal length: a rank's share of the bytes may begin anywhere in one, or hold none.
        angle = np.linspace(0, 6, 40)
        rows = np.stack([11 * np.cos(angle), 11 * np.sin(angle), 0 * angle, -np.sin(angle), np.cos(angle), 0 * angle], axis=1)
        lines = ["  " * (k % 7) + ", ".join(map(repr, map(float, row))) + (" # " + "x" * 900 + "\n" if k % 11 == 3 else "")
                 for k, row in enumerate(rows)]
        (self.at / "starts.csv").write_text("# x y z u v w\n" + "\n".join(lines))
        with h5py.File(self.at / "starts.h5", "w") as file:
            file["starts"] = rows
        given = ("particles.count=", "particles.temperature=0", "particles.project=true")
        start = "[11,0,0,0,1,0.5]"
        kinds = {"even": (), "uniform": ("particles.start=uniform",),
                 "periodic": ("model.name=cylinder", "model.R=", "model.r=4", "model.periods=[0,0,9]"),
                 "list": ("particles.start=list", f"particles.list={rows.tolist()}", *given),
                 "csv": ("particles.start=file", "particles.file=starts.csv", *given),
                 "h5": ("particles.start=file", "particles.file=starts.h5", *given),
                 "trajectory": ("particles.start=trajectory", f"particles.trajectory.from={start}", *given,
                                "particles.trajectory.step=0.01", "particles.trajectory.every=200",
                                "particles.trajectory.count=15")}
        short = ("stop.time=0.008", "output.every=0.004", "output.surface_cells=20", "potential.name=none", "potential.cut=")
        for kind, words in kinds.items():
            with self.subTest(kind=kind):
                alone = self.run_torus(f"{kind}.h5", *words, *short, ranks=1)
                for ranks in (2, 3, 4):
                    self.run_torus(f"{kind}{ranks}.h5", *words, *short, ranks=ranks)
                    self.assertEqual(same_bits(self.at / f"{kind}.h5", self.at / f"{kind}{ranks}.h5"), [])
                if kind in ("list", "csv", "h5"):
                    np.testing.assert_allclose(alone["position"][0], rows[:, :3], rtol=0, atol=1e-12)
                    self.assertEqual(same_bits(self.at / "list.h5", self.at / f"{kind}.h5"), [])
        self.run_torus("seed.h5", "particles.seed=2", *short)  # the controls
        self.assertNotEqual(same_bits(self.at / "even.h5", self.at / "seed.h5"), [])
        self.assertNotEqual(same_bits(self.at / "even.h5", self.at / "uniform.h5"), [])
        # What is wrong is named as on one rank.
        (self.at / "starts.csv").write_text("\n".join(lines[:-1] + ["11, zero, 0"]))
        wrong = len((self.at / "starts.csv").read_text().splitlines())
        for ranks in (1, 4):
            end = self.launch("deck.toml", *kinds["csv"], ranks=ranks)
            self.assertEqual(end.returncode, 2)
            self.assertIn(f"line {wrong}: 'zero' is no number", end.stderr)
        for last, said in (("inf, 0, 0", "particle 39 has a number that isn't finite"),
                           ("0.1, 0, 0", "particle 39 starts"), ("0.1, 0, 0", "off the surface")):
            (self.at / "starts.csv").write_text("\n".join(lines[:-1] + [last]))
            for how in ((), ("--check",)):
                self.says(self.launch("deck.toml", *kinds["csv"], "particles.project=false", *how, ranks=2), 2, said)
        (self.at / "starts.csv").write_text("\n".join(lines[:-1] + ["11, 0"]))
        for ranks in (1, 4):
            self.assertIn("particle 39 has 2 numbers", self.launch("deck.toml", *kinds["csv"], ranks=ranks).stderr)


if __name__ == "__main__":
    unittest.main()
