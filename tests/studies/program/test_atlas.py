# SPDX-License-Identifier: BSD-3-Clause
"""An atlas: the same bits on any number of ranks, after a kill, and at each point those of a deck of this point alone.
Exits: known times and sides of a free flight, and Hénon-Heiles' symmetry."""
import os
import re
import subprocess
import unittest

import h5py
import numpy as np

from launch import PROGRAMS, RANKS, ProgramTest
from results import same_bits

ATLAS = """study = "atlas"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 8
step = 0.75
[section]
where = "q1"
[ensemble]
energy = { from = 0.05, to = 0.16, count = 9 }
grid = { q2 = [-0.4, 0.7, 17], q2_dot = [-0.2, 0.2, 3] }
[stop]
time = 300.0
[atlas]
across = "energy"
up = "q2"
levels = 2
[output]
file = "out.h5"
"""

BILLIARD = """study = "atlas"
[domain]
sets = [{ set = "stadium", a = [0.1, 0.5, 2.0] }]
[ensemble]
energy = 0.5
grid = { x = [-0.05, 0.05, 3], y = [-0.5, 0.5, 3], x_dot = [-0.9, 0.9, 7] }
[exits]
hole = "x > 0 and x < 0.1 and y > 0"
[stop]
time = 30.0
[atlas]
across = "stadium.a"
up = "y"
[output]
file = "out.h5"
"""

# Free flight on a line: x = x0 + v t leaves at +-1 when it comes there.
FREE = """study = "trajectory"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2"
[method]
name = "gauss"
step = 0.3
[ensemble]
list = [[0.0, 0.25], [0.5, -0.5], [0.0, 0.01], [1.5, 0.1]]
[stop]
time = 10.0
[exits]
left = "x < -1"
right = "not x <= 1 and x_dot > -5"
[output]
file = "out.h5"
"""

ESCAPE = """study = "trajectory"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 8
step = 0.25
[ensemble]
energy = 0.2
grid = { q1 = [-0.3, 0.3, 7], q2 = [-0.3, 0.3, 5], q1_dot = [0.0, 0.0, 1] }
[stop]
time = 300.0
[exits]
up = "q2 > 1.5"
left = "q1 < -1.5 and q2 < 0"
right = "q1 > 1.5 and q2 < 0"
[output]
file = "out.h5"
"""


class Atlas(ProgramTest):
    def run_to(self, file, text=ATLAS, ranks=1, words=()):
        self.deck(text)
        self.ended("deck.toml", f"output.file={file}", *words, ranks=ranks)
        return self.at / file

    def test_bits_on_one_two_and_three_ranks(self):
        one = self.run_to("one.h5")
        for ranks in (2, 3):
            self.assertEqual(same_bits(one, self.run_to("more.h5", ranks=ranks)), [])
        self.assertEqual(same_bits(one, self.run_to("lanes.h5", words=["method.lanes=3"])), [])
        # The control: another tolerance is another map.
        self.assertNotEqual(same_bits(one, self.run_to("other.h5", words=["atlas.tolerance=2.0"])), [])

    def test_a_map_is_refined_where_answers_differ(self):
        with h5py.File(self.run_to("out.h5")) as file:
            level, share, forbidden = (file[f"atlas/{name}"][()] for name in ("level", "chaotic", "forbidden"))
            sums = sum(file[f"atlas/{name}"][()] for name in ("chaotic", "regular", "undecided", "escaped", "left", "failed"))
        self.assertEqual(level.shape, (17, 9))
        self.assertEqual({0, 1, 2}, set(level.ravel()) - {-1})
        self.assertTrue((level[::4, ::4] == 0).all())
        self.assertTrue((level == -1).any())
        self.assertTrue((np.isnan(share) == (forbidden == 1))[level >= 0].all())
        self.assertLess(np.abs(sums[np.isfinite(sums)] - 1).max(), 1e-12)
        # Interpolated points lie within what the cell's corners have.
        self.assertLessEqual(np.nanmax(share), 1)
        self.assertGreaterEqual(np.nanmin(share), 0)

    def test_what_was_skipped_is_what_the_full_map_has(self):
        with h5py.File(self.run_to("out.h5")) as file:
            level, share = file["atlas/level"][()], file["atlas/lyapunov"][()]
        with h5py.File(self.run_to("full.h5", words=["atlas.levels=0"])) as file:
            full = file["atlas/lyapunov"][()]
            self.assertTrue((file["atlas/level"][()] == 0).all())
        seen = level >= 0
        self.assertEqual(share[seen].tobytes(), full[seen].tobytes())
        self.assertNotEqual(share[~seen].tobytes(), full[~seen].tobytes())

    def test_a_point_run_alone_has_the_same_bits(self):
        with h5py.File(self.run_to("out.h5")) as file:
            energy, q2 = file["atlas/across"][()], file["atlas/up"][()]
            answers = {name: item[()] for name, item in file["atlas"].items()}
        level = answers["level"]
        y, x = np.argwhere((level == 2) & (answers["chaotic"] > 0))[0]
        alone = ATLAS.replace('"atlas"', '"poincare"', 1).replace("{ from = 0.05, to = 0.16, count = 9 }", repr(float(energy[x])))
        alone = alone.replace("[-0.4, 0.7, 17]", f"[{q2[y]!r}, {q2[y]!r}, 1]".replace("np.float64(", "").replace(")", ""))
        alone = alone[:alone.index("[atlas]")].replace("[stop]", "[stop]\ncrossings = 100000") + \
            '[indicators]\nlist = ["lyapunov"]\n[output]\nfile = "out.h5"\n'
        with h5py.File(self.run_to("alone.h5", text=alone)) as file:
            flown = file["orbits/status"][()] == 2
            verdict, exponent = file["indicators/verdict"][()][flown], file["indicators/lyapunov"][()][flown]
        self.assertEqual(answers["chaotic"][y, x], np.mean(verdict == 2))
        self.assertEqual(answers["lyapunov"][y, x], exponent.max())
        # The control: a neighbour's answer is another.
        self.assertNotEqual(answers["lyapunov"][y, x - 1], exponent.max())

    def test_islands(self):
        """On q1 = 0 at E = 1/12 about each elliptic point curves are one; and some starts lie in chains, that the crossings of a
        deck of one point alone visit in turn, a few of them to each."""
        text = ATLAS.replace("time = 300.0", "time = 2000.0\ncrossings = 200").replace("levels = 2\n", "")
        text = text.replace("{ from = 0.05, to = 0.16, count = 9 }", "{ from = 0.08, to = 0.12, count = 3 }")
        text = text.replace("[-0.2, 0.2, 3]", "[0.0, 0.0, 1]")
        one = self.run_to("one.h5", text=text)
        self.assertEqual(same_bits(one, self.run_to("more.h5", text=text, ranks=3)), [])
        with h5py.File(one) as file:
            islands, regular = file["atlas/islands"][()], file["atlas/regular"][()]
        np.testing.assert_array_equal(np.isfinite(islands), regular > 0)
        told = islands[np.isfinite(islands)]
        self.assertTrue((told == np.round(told)).all())
        self.assertGreater(np.mean(told == 1), 0.5)
        self.assertGreater((told > 1).sum(), 0)

    def test_of_a_billiard(self):
        """Over a wall's parameter and where particles start: the same bits on any ranks, and those of one point alone; in a
        trap between walls that swing and take energy too."""
        swinging = BILLIARD.replace("[0.1, 0.5, 2.0] }", "[0.1, 0.5, 2.0], amplitude = [0.0, 0.05], frequency = 3.0, restitution = 0.99 }")
        trap = '[forces]\npotential = "harmonic"\nk_x = 0.1\nk_y = 0.2\n[ensemble]'
        results = [self.judge_billiard(text) for text in (BILLIARD, swinging.replace("[ensemble]", trap))]
        self.assertNotEqual(*results)

    def judge_billiard(self, text):
        one = self.run_to("one.h5", text=text)
        for ranks in (2, 3):
            self.assertEqual(same_bits(one, self.run_to("more.h5", text=text, ranks=ranks)), [])
        with h5py.File(one) as file:
            across, up = file["atlas/across"][()], file["atlas/up"][()]
            answers = {name: item[()] for name, item in file["atlas"].items()}
        self.assertEqual((answers["failed"] == 0).all(), True)
        self.assertGreater(np.nanmax(answers["escaped"]), 0.1)
        y, x = 1, 2
        alone = text.replace('"atlas"', '"billiard"', 1).replace("[0.1, 0.5, 2.0]", repr(float(across[x]))).replace(
            "y = [-0.5, 0.5, 3]", f"y = [{float(up[y])!r}, {float(up[y])!r}, 1]")
        alone = alone[:alone.index("[atlas]")] + '[indicators]\nlist = ["lyapunov"]\n[output]\nevery = 0.0\nfile = "out.h5"\n'
        with h5py.File(self.run_to("alone.h5", text=alone)) as file:
            stayed = file["exits/exit"][()] < 0
            exponent, verdict = file["indicators/lyapunov"][()], file["indicators/verdict"][()]
        self.assertEqual(answers["escaped"][y, x], np.mean(~stayed))
        self.assertEqual(answers["chaotic"][y, x], np.mean(stayed & (verdict == 2)))
        self.assertEqual(answers["lyapunov"][y, x], exponent[stayed].max())
        self.assertNotEqual(answers["lyapunov"][y, x - 1], exponent[stayed].max())  # the control
        self.assertRegex(self.launch(self.deck(text), "--dry-run").stdout, r"time +about [\d.e-]+ s")
        return answers["lyapunov"].tobytes()

    def test_refused_billiards(self):
        for words, say in ((["atlas.across=stadium.b"], "did you mean 'stadium.a'"),
                           (["stop.decided=true"], "takes no exit")):
            end = self.launch(self.deck(BILLIARD), *words)
            self.assertEqual(end.returncode, 2, end.stdout + end.stderr)
            self.assertIn(say, end.stdout + end.stderr)
        end = self.launch(self.deck(BILLIARD.replace("[0.1, 0.5, 2.0] }", "[0.1, 0.5, 2.0], temperature = 1.0 }")))
        self.assertEqual(end.returncode, 2)
        self.assertIn("aren't rough", end.stderr + end.stdout)
        end = self.launch(self.deck(BILLIARD.replace("[0.1, 0.5, 2.0]", "[-0.1, 0.5, 2.0]")))
        self.assertEqual(end.returncode, 2)
        self.assertIn("must be positive", end.stderr + end.stdout)

    def test_killed_and_resumed(self):
        words = ["stop.time=3000.0", "output.checkpoint_minutes=1e-5"]
        whole = self.run_to("whole.h5", words=words)
        for checkpoint in (1, 2, 4, 8, 16, 32):  # until the first point has its answers
            self.killed("deck.toml", "output.file=cut.h5", *words, ranks=2, checkpoint=checkpoint)
            with h5py.File(self.at / "cut.h5.checkpoint") as held:
                if held["state/points"].shape[0] > 0:
                    break
        else:
            self.fail("none had")
        self.assertNotEqual(same_bits(whole, self.at / "cut.h5"), [])
        end = self.launch("deck.toml", "output.file=cut.h5", *words, "--resume", ranks=3)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(whole, self.at / "cut.h5"), [])

    @unittest.skipUnless(RANKS == 1, "one rank's")
    def test_memory_is_what_dry_run_says(self):
        deck = self.deck(ATLAS.replace("count = 9", "count = 601").replace("17], q2_dot = [-0.2, 0.2, 3]", "601], q2_dot = [0.0, 0.0, 1]")
                         .replace("stages = 8", "stages = 2").replace("levels = 2\n", "").replace("time = 300.0", "time = 0.75"))
        told = float(re.search(r"memory +about ([0-9.]+) MB", self.launch(deck, "--dry-run").stdout).group(1))
        process = subprocess.Popen([PROGRAMS / "cotangent", deck], cwd=self.at, env=self.alone, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_maxrss * 1024 / 1e6, 1.25 * told)

    def test_a_point_that_takes_several_starts(self):
        # Of a point that isn't done a checkpoint has the orbits that have ended: so one that is killed again and again gets on.
        words = ["stop.time=3000.0", "ensemble.grid={ q2 = [-0.4, 0.7, 40], q2_dot = [-0.2, 0.2, 10] }", "atlas.up=",
                 "ensemble.energy={ from = 0.05, to = 0.16, count = 2 }", "atlas.levels=", "output.checkpoint_minutes=1e-5"]
        whole = self.run_to("whole.h5", words=words)
        orbits, going_on = [], []
        for ranks in (2, 3):
            for checkpoint in (1, 2, 4, 8, 16, 32):  # until more orbits have ended
                self.killed("deck.toml", "output.file=cut.h5", *words, *going_on, ranks=ranks, checkpoint=checkpoint)
                with h5py.File(self.at / "cut.h5.checkpoint") as held:
                    self.assertEqual(held["state/points"].shape[0], 0)
                    found = {tuple(row[:2]) for row in held["state/orbits"]}
                if len(found) > (len(orbits[-1]) if orbits else 0):
                    break
            else:
                self.fail("none ended")
            orbits.append(found)
            going_on = ["--resume"]
        self.assertGreater(orbits[1], orbits[0])
        end = self.launch("deck.toml", "output.file=cut.h5", *words, "--resume")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(whole, self.at / "cut.h5"), [])

    def test_rotation_numbers_are_the_turns_of_the_section(self):
        """Against turns counted on the crossings of a Poincaré deck: to a turn in all of them."""
        count = 2000
        low = ATLAS.replace("from = 0.05, to = 0.16, count = 9", "from = 0.01, to = 0.02, count = 2").replace(
            "[-0.4, 0.7, 17]", "[0.0, 0.0, 1]").replace("[-0.2, 0.2, 3]", "[0.09, 0.127, 2]").replace(
            "time = 300.0", f"time = 1e5\ncrossings = {count}").replace('up = "q2"', 'up = "q2_dot"').replace(
            "levels = 2", "levels = 0")
        section = low.replace('"atlas"', '"poincare"', 1)
        with h5py.File(self.run_to("out.h5", text=low)) as file:
            turns = file["atlas/rotation"][()]
        with h5py.File(self.run_to("section.h5", text=section[:section.index("[atlas]")] + '[output]\nfile = "out.h5"\n')) as file:
            places = file["section/points"][()][..., [1, 3]].reshape(2, 2, count, 2)  # by energy, then q2_dot
        self.assertTrue(np.isfinite(turns).all())
        counted = np.empty((2, 2))
        for energy in range(2):
            for start in range(2):
                z = places[energy, start, :, 0] + 1j * places[energy, start, :, 1]
                z -= z.mean()
                counted[start, energy] = abs(np.angle(z[1:] / z[:-1]).sum()) / (2 * np.pi * (count - 1))
        self.assertLess(np.abs(turns - counted).max(), 1 / count)
        self.assertGreater(np.ptp(counted), 10 / count)

    def test_refusals(self):
        for words, say in ((["atlas.levels=4"], "a multiple of 16"),
                           (["atlas.up=energi"], "did you mean 'energy'"),
                           (["atlas.refine=['chaotik']"], "did you mean 'chaotic'"),
                           (["exits.out=q2"], "compare it"),
                           (["exits.out='q2 == 1'"], "two sides"),
                           (["method.name='lobatto'"], "a tangent map: gauss")):
            self.refused(say, text=ATLAS, words=words)


class Exits(ProgramTest):
    run_to = Atlas.run_to

    def test_times_and_sides_of_free_flight(self):
        with h5py.File(self.run_to("out.h5", text=FREE)) as file:
            exit, at = file["exits/exit"][()], file["exits/time"][()]
            status, end = file["orbits/status"][()], file["orbits/final"][()]
            names = [n.decode() if isinstance(n, bytes) else n for n in file["exits/exit"].attrs["names"]]
        self.assertEqual(names, ["left", "right"])
        self.assertEqual(exit.tolist(), [1, 0, -1, 1])
        np.testing.assert_allclose(at, [4, 3, np.nan, 0], atol=1e-12)
        self.assertEqual(status.tolist(), [5, 5, 1, 5])
        np.testing.assert_allclose(end[:, 0], [1, -1, 0.1, 1.5], atol=1e-12)

    def uncertainty(self, path):
        """(share, exponent) as the file has them, and by the same definition from its exits: one grid of two axes."""
        with h5py.File(path) as file:
            width, share, exponent = (file[f"exits/uncertainty/{name}"][()] for name in ("width", "share", "exponent"))
            exit = file["exits/exit"][()]
        again = np.full(share.shape, np.nan)
        for row, answers in zip(again, exit.reshape(len(share), *self.sides)):
            for k, e in enumerate(width):
                corners = np.stack([answers[i, j] for i in (slice(None, -e, e), slice(e, None, e))
                                    for j in (slice(None, -e, e), slice(e, None, e))])
                known = np.isfinite(corners).all(0)
                row[k] = ((corners != corners[0]).any(0) & known).sum() / known.sum()
        np.testing.assert_array_equal(share, again)
        slopes = [np.polyfit(np.log(width), np.log(row), 1)[0] for row in again]
        np.testing.assert_allclose(exponent, slopes, rtol=1e-12)
        return share, exponent

    def test_smooth_boundaries_have_the_exponent_1_and_fractal_ones_less(self):
        """Of free flight to the time 2 the basins are bounded by lines; Hénon and Heiles' are fractal, at any energy above 1/6."""
        self.sides = 97, 65
        text = FREE.replace("list = [[0.0, 0.25], [0.5, -0.5], [0.0, 0.01], [1.5, 0.1]]",
                            "grid = { x = [-0.9, 0.8, 97], x_dot = [-1.0, 1.0, 65] }").replace("time = 10.0", "time = 2.0")
        share, smooth = self.uncertainty(self.run_to("smooth.h5", text=text))
        self.assertEqual(share.shape, (1, 4))
        self.assertLess(abs(smooth[0] - 1), 0.02)  # 0.989
        self.sides = 33, 41
        text = ESCAPE.replace("energy = 0.2", "energy = [0.2, 0.25]").replace("0.3, 7]", "0.4, 33]").replace("0.3, 5]", "0.5, 41]")
        text = text.replace("time = 300.0", "time = 60.0").replace("step = 0.25", "step = 0.5")
        one = self.run_to("one.h5", text=text)
        share, fractal = self.uncertainty(one)
        self.assertEqual(share.shape, (2, 4))
        self.assertLess(fractal.max(), 0.5)
        self.assertNotEqual(*fractal)
        for ranks in (2, 3):
            self.assertEqual(same_bits(one, self.run_to("more.h5", text=text, ranks=ranks)), [])
        end = self.launch(self.deck(text))
        self.assertRegex(end.stdout, rf"basins +uncertainty exponent {min(fractal):.3g} to {max(fractal):.3g}, of boxes 1 to 8 starts")
        # A kill, on the way, and the rest on more ranks.
        self.deck(text)
        self.killed("deck.toml", "output.file=cut.h5", "output.checkpoint_minutes=1e-5", ranks=2)
        with h5py.File(self.at / "cut.h5") as cut:
            self.assertTrue(np.isnan(cut["exits/uncertainty/exponent"][()]).all())
        end = self.launch("deck.toml", "output.file=cut.h5", "output.checkpoint_minutes=1e-5", "--resume", ranks=3)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(one, self.at / "cut.h5"), [])

    def test_killed_while_boxes_are_counted(self):
        """All orbits have ended then, and no answer is there yet: it is that of a run on its own."""
        text = ESCAPE.replace("0.3, 7]", "0.4, 33]").replace("0.3, 5]", "0.5, 41]").replace("time = 300.0", "time = 20.0")
        one = self.run_to("one.h5", text=text)
        with h5py.File(one) as file:
            place, share = file["exits/exit"].id.get_offset(), file["exits/uncertainty/share"][()]
        self.assertTrue((share > 0).all())
        words = ("deck.toml", "output.file=cut.h5", "output.checkpoint_minutes=1e-5")
        # For each width of boxes rank 0 reads the row of their lowest corners twice: here in the midst of the second.
        self.killed(*words, ranks=2, read=(place, 4))
        with h5py.File(self.at / "cut.h5") as cut:
            self.assertEqual(cut["exits/exit"].id.get_offset(), place)
            self.assertTrue((cut["orbits/status"][()] > 0).all())
            self.assertTrue(np.isnan(cut["exits/uncertainty/exponent"][()]).all())
            self.assertEqual(cut["run/exit_code"][()], -1)
        end = self.launch(*words, "--resume", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(one, self.at / "cut.h5"), [])

    def test_where_there_are_no_boxes_there_is_no_exponent(self):
        for changes in ((), ("ensemble.grid.q1=[-0.3,0.3,9]",), ("ensemble.grid.q2=[-0.3,0.3,8]", "ensemble.grid.q1=[0.1,0.1,1]"),
                        ("ensemble.grid.q1=[-0.3,0.3,8]", "ensemble.grid.q2=[-0.3,0.3,8]")):
            with h5py.File(self.run_to("out.h5", text=ESCAPE, words=["stop.time=5.0", *changes])) as file:
                self.assertEqual("uncertainty" in file["exits"], len(changes) == 2 and "q2" in changes[1])
                if "uncertainty" in file["exits"]:
                    self.assertEqual(file["exits/uncertainty/width"][()].tolist(), [1, 2])

    def test_exits_are_those_of_the_mirror(self):
        """q1 to -q1 changes left for right and nothing else, where the start's velocity q1_dot is 0."""
        one = self.run_to("one.h5", text=ESCAPE)
        self.assertEqual(same_bits(one, self.run_to("two.h5", text=ESCAPE, ranks=2)), [])
        with h5py.File(one) as file:
            exit, at = (file[f"exits/{name}"][()].reshape(7, 5) for name in ("exit", "time"))
        quick = at < 30  # before chaos has made round-off large
        self.assertGreater(quick.sum(), 10)
        self.assertTrue({0, 1, 2} <= set(exit.ravel()))
        mirrored = np.array([0, 2, 1, -1])[exit[::-1].astype(int)]
        self.assertEqual(exit[quick].tolist(), mirrored[quick].tolist())
        np.testing.assert_allclose(at[quick], at[::-1][quick], rtol=1e-6)
        self.assertNotEqual(exit[quick].tolist(), exit[::-1][quick].tolist())

    def test_an_atlas_counts_them(self):
        text = ATLAS.replace("from = 0.05, to = 0.16", "from = 0.1, to = 0.3").replace("[output]", ESCAPE[ESCAPE.index(
            "[exits]"):ESCAPE.index("[output]")] + "[output]")
        with h5py.File(self.run_to("out.h5", text=text)) as file:
            escaped, energy = file["atlas/escaped"][()], file["atlas/across"][()]
        self.assertEqual(np.nanmax(escaped[:, energy < 1 / 6]), 0)
        self.assertGreater(np.nanmean(escaped[:, -1]), 0.5)


if __name__ == "__main__":
    unittest.main()
