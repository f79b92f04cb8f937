# SPDX-License-Identifier: BSD-3-Clause
"""Every deck, input/*/*.toml: its head, its whole text judged by --check, a shortened run, and what its head promises.

    test_decks.py [unittest's words]                 shortened runs, and the promises that hold in these too
    test_decks.py --full [--ranks N] [--keep FOLDER] [DECK ...]
                                                     whole runs (all but WHOLE_NEEDS_A_CLUSTER), and all promises
    test_decks.py --judge FOLDER [DECK ...]          the results of whole runs that are in FOLDER as NAME.h5

A DECK is a path or a name. Promises are lines `# expect: ...` in the deck; expectations.py says how they are written. The
program is $PROGRAMS/cotangent.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

import h5py

from expectations import Unreadable, expectations, judged
from launch import MPIRUN, PROGRAMS, RANKS, SOURCE, ProgramTest, in_full
from results import same_bits

# What makes a deck short; the default serves most.
SHORT = {
    "poincare": ["stop.crossings=3"],
    "trajectory": ["stop.time=2.0", "output.every=0.5"],
    "atlas": ["stop.time=2.0", "atlas.levels=0"],
    "work-precision": ["stop.time=2.0"],
    "mechanism": ["stop.time=0.004", "output.every=0.002"],
    "hard-spheres": ["stop.time=1.0", "stop.warm_up=0.5"],
    "billiard": ["stop.time=0.2", "output.every=0.1"],
    "overland": ["stop.time=0.05", "output.every=0.05", "output.frames_every=0.05"],
    "periodic-orbits": [],
    "lattice": ["stop.time=2.0", "output.every=1.0", "output.frames_every=1.0"],
    "particles": ["stop.time=0.02", "output.every=0.01", "output.frames_every=0.02", "output.surface_cells=0"],
}
EXTRA = {"henon_heiles_periodic.toml": ["continuation.to=0.14", "continuation.offspring=0"],
         "henon_heiles_manifolds.toml": ["manifolds.length=2.6", "manifolds.homoclinic=1"],
         "ellipsoid_manifolds.toml": ["manifolds.length=0.1"],
         "henon_heiles_escape.toml": ["stop.time=2.0", "ensemble.grid.q1=[-0.7,0.7,9]", "ensemble.grid.q2=[-0.5,0.95,9]"],
         "henon_heiles_order.toml": ["stop.time=2.0", "atlas.levels=0", "ensemble.energy.count=3"],
         **{f"{chain}_atlas.toml": ["stop.time=2.0", "atlas.levels=0", f"model.{parameter}.count=3", "ensemble.energy.count=5"]
            for chain, parameter in (("magnetic_chain", "alpha"), ("magnetic_chain_hanging", "alpha"),
                                     ("magnetic_chain_unequal", "r3"), ("double_pendulum", "m2"), ("elastic_pendulum", "k"))},
         "driven_pendulum_atlas.toml": ["stop.time=2.0", "atlas.levels=0", "model.parameters.g.count=3", "model.parameters.q.count=3"],
         "genus2_atlas.toml": ["stop.time=1.0", "atlas.levels=0", "model.r.count=2", "model.gravity.count=3"],
         "landscape_million.toml": ["mesh.cells=[20,20]", "stop.time=60", "output.frames_every=60"],
         "v_catchment.toml": ["stop.time=60", "output.frames_every=60"],
         "massive_multiplier.toml": ["stop.time=0.1", "output.every=0.05"]}
DECKS = sorted((SOURCE / "input").glob("*/*.toml"))
WHOLE_NEEDS_A_CLUSTER = {"landscape_million"}


def shortened(deck):
    """The overrides that make a deck short."""
    text = deck.read_text(encoding="utf-8")
    study = re.search(r'^study\s*=\s*"([^"]+)"', text, re.M).group(1)
    words = list(EXTRA.get(deck.name, SHORT.get(study, [])))
    if "skip =" in text:
        words.append("plot.skip=0")
    if "random" in text and "[ensemble]" in text:
        words.append("ensemble.random.count=3")
    return words


class Decks(ProgramTest):
    def test_there_are_decks(self):
        self.assertGreater(len(DECKS), 5)
        self.assertEqual(len({deck.stem for deck in DECKS}), len(DECKS), "two decks have one name")

    def test_head_comments(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                head = deck.read_text(encoding="utf-8").split("study =")[0]
                self.assertGreaterEqual(head.count("\n#") + head.startswith("#"), 3)
                self.assertRegex(head, r"Takes|seconds?|minutes?")
                self.assertNotRegex(head, r"\bfacts\b|\b[Dd]ocument 00\d|\bsource 00\d|\bpost on\b",
                                    "a source by its full name")

    def test_every_head_promises_something(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                self.assertGreater(len(expectations(deck.read_text(encoding="utf-8"))), 0)

    def test_the_gallery_names_every_deck(self):
        gallery = (SOURCE / "input" / "README.md").read_text(encoding="utf-8")
        for deck in DECKS:
            self.assertIn(f"]({deck.parent.name}/{deck.name})", gallery)
        for link in re.findall(r"(?:\]\(|src=\")([^)#:\"]+)[)\"]", gallery):
            self.assertTrue((SOURCE / "input" / link).exists(), link)

    def test_the_pendulum_meets_every_method_of_constrained_motion(self):
        listed = self.launch("--list", ranks=1).stdout.split("\nmethods\n")[1].split("\n\n")[0]
        names = re.findall(r"^  ([a-z0-9-]+) ", listed, re.M)
        constrained = [name for name in names if re.search(r"^for .*\bconstrained motion",
                                                           self.launch("--describe", name, ranks=1).stdout, re.M)]
        self.assertIn("rattle", constrained)
        deck = (SOURCE / "input" / "methods" / "pendulum_methods.toml").read_text(encoding="utf-8")
        self.assertEqual(set(constrained), set(re.findall(r'^name = "([^"]+)"', deck.split("[[methods]]", 1)[1], re.M)))

    def test_check(self):
        for deck in DECKS:
            with self.subTest(deck=deck.name):
                end = self.launch(deck, "--check", ranks=1)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)

    def run_shortened(self, deck, ranks):
        with self.subTest(deck=deck.name):
            end = self.launch(deck, *shortened(deck), "output.file=short.h5", ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            rows = judged(deck.read_text(encoding="utf-8"), self.at / "short.h5", False)
            self.assertGreater(len(rows), 0, "every promise is of the whole run alone")
            broken = [said for good, said in rows if not good]
            self.assertEqual(broken, [])

    def test_shortened_runs(self):
        for deck in DECKS:
            self.run_shortened(deck, 1)

    @unittest.skipIf(RANKS == 1, "as in test_shortened_runs")
    def test_first_deck_of_each_study(self):
        studies = {}
        for deck in DECKS:
            studies.setdefault(tomllib.loads(deck.read_text(encoding="utf-8"))["study"], deck)
        self.assertGreater(len(studies), 8)
        for deck in studies.values():
            self.run_shortened(deck, RANKS)
            with self.subTest(deck=deck.name, resumed=True):  # a job that is queued again after its end does nothing
                shutil.copy(self.at / "short.h5", self.at / "before.h5")
                end = self.launch(deck, *shortened(deck), "output.file=short.h5", "--resume", ranks=1)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                self.assertIn("short.h5 was complete", end.stdout)
                self.assertEqual(same_bits(self.at / "before.h5", self.at / "short.h5"), [])


class Promises(ProgramTest):
    """Controls: a promise that isn't kept is noticed, and so is one that can't be read."""
    def judge(self, *lines, full=True):
        return judged("\n".join(lines), self.at / "out.h5", full)

    def setUp(self):
        super().setUp()
        self.assertEqual(self.launch(self.deck(), ranks=1).returncode, 0)

    def test_kept(self):
        for line in ("/orbits/status count finished = 4", "/orbits/energy mean = 0.125 +- 1e-15",
                     "/orbits/crossing_count[0] = 3", "/orbits/initial[0,q2] = -0.1",
                     "/orbits/crossing_count sum = 12 +- 0 %",
                     "/orbits/energy max over /orbits/energy min = 1 +- 1e-9", "/orbits/initial[:,q2] largest = 0.1",
                     "/orbits/energy_error max < 1e-3", "/orbits/steps min > 1",
                     "/orbits/initial{(q1_dot**2 + q2_dot**2 + q2**2)/2 - q2**3/3} largest = 0.125 +- 1e-15", "/orbits/energy drift < 1e-15",
                     "/section/time[0] rise > 1", "/section/time finite count = 12",
                     "/orbits/energy finite max = 0.125 +- 1e-15"):
            with self.subTest(line):
                rows = self.judge(f"# expect: {line}")
                self.assertEqual([good for good, _ in rows], [True], rows)

    def test_broken(self):
        for line in ("/orbits/status count finished = 5", "/orbits/energy mean = 0.126 +- 1e-4", "/orbits/steps min > 1e9",
                     "/orbits/energy_error max < 1e-30", "/orbits/initial[0,q2] = -0.100001", "/orbits/none max < 1",
                     "/orbits/status count done = 4", "/orbits/energy < 1", "/orbits/initial[0,q9] = 0",
                     "/orbits/energy[9] < 1", "/orbits/initial{q9} max < 9",
                     "/orbits/initial{q2.real} max < 9", "/orbits/energy max over /orbits/status count pending < 1"):
            with self.subTest(line):
                self.assertEqual([good for good, _ in self.judge(f"# expect: {line}")], [False])

    def test_those_of_the_whole_run_bind_it_alone(self):
        line = "# expect (full): /orbits/steps min > 1e9"
        self.assertEqual(self.judge(line, full=False), [])
        self.assertEqual([good for good, _ in self.judge(line)], [False])

    def test_unreadable(self):
        for line in ("# expect: about ten", "# Expect: /orbits/steps min > 1", "# expect: /orbits/steps smallest > 1",
                     "# expect: /orbits/steps min > 1 +- 2", "# expect: /orbits/steps min = 1e", "# expect (short): /a max = 1",
                     "# expect: /orbits/steps min = 1 +- -1", "# expect: /orbits/steps min > 1 and more",
                     "# expect: /a{x +} max < 1", "# expect:"):
            with self.subTest(line), self.assertRaises(Unreadable):
                expectations("study = 1\n" + line)
        self.assertEqual(expectations("# Expect closed curves: no chaos.\n# One expects: nothing."), [])


@in_full  # as those of one rank, in test_command_line.py
class Templates(ProgramTest):
    def test_every_template_runs_as_it_is(self):
        listed = self.launch("--list", ranks=1).stdout
        studies = re.findall(r"^\s+([a-z-]+)", listed.split("models")[0], re.M)
        self.assertIn("poincare", studies)
        for study in studies:
            with self.subTest(study=study):
                template = self.launch("--template", study, ranks=1)
                self.assertEqual(template.returncode, 0, template.stderr)
                end = self.launch(self.deck(template.stdout), ranks=RANKS)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / tomllib.loads(template.stdout)["output"]["file"], "r") as file:
                    self.assertEqual(file.attrs["study"], study)
                    for status in ("orbits/status", "systems/status"):
                        if status in file:
                            self.assertTrue((file[status][()] > 0).all(), "some are pending")


def whole_run(deck, ranks, folder):
    """Runs the deck as it stands; the result's path and how long it took."""
    result = folder / f"{deck.stem}.h5"
    began = time.monotonic()
    end = subprocess.run([*MPIRUN, str(ranks), (PROGRAMS / "cotangent").resolve(), deck, f"output.file={result}"], cwd=folder,
                         text=True, capture_output=True, stdin=subprocess.DEVNULL)
    if end.returncode > 1:  # 1: some orbits of a comparison did not arrive, as henon_heiles_methods.toml says
        raise Unreadable(f"the run ended with {end.returncode}: {end.stderr[-400:]}")
    return result, time.monotonic() - began


def whole_runs(words):
    """Holds all promises of decks run as they stand; how many decks broke one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--full", action="store_true")
    mode.add_argument("--judge", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("decks", nargs="*")
    chosen = parser.parse_args(words)
    names = {pathlib.Path(name).stem for name in chosen.decks}
    decks = [deck for deck in DECKS if (deck.stem in names if names else deck.stem not in WHOLE_NEEDS_A_CLUSTER)]
    if len(decks) < len(names):
        parser.error("no such deck among " + " ".join(chosen.decks))
    broke = []
    with tempfile.TemporaryDirectory(prefix="cotangent_whole_") as folder:
        folder = (chosen.keep or pathlib.Path(folder)).resolve()
        for deck in decks:
            try:
                result, seconds = chosen.judge / f"{deck.stem}.h5" if chosen.judge else None, None
                if result is None:
                    result, seconds = whole_run(deck, chosen.ranks, folder)
                if not result.exists():
                    raise Unreadable("no result")
                rows = judged(deck.read_text(encoding="utf-8"), result, True)
            except Unreadable as error:
                rows, seconds = [(False, str(error))], None
            print(deck.stem + (f" ({seconds:.1f} s on {chosen.ranks} ranks)" if seconds is not None else ""), flush=True)
            for good, said in rows:
                print(f"    {'holds ' if good else 'BROKEN'} {said}", flush=True)
            if not all(good for good, _ in rows):
                broke.append(deck.stem)
    print(f"{len(decks)} decks: " + ("all promises hold" if not broke else "broken in " + ", ".join(broke)))
    return len(broke)


if __name__ == "__main__":
    if {"--full", "--judge"} & set(sys.argv[1:]):
        sys.exit(bool(whole_runs(sys.argv[1:])))
    unittest.main()
