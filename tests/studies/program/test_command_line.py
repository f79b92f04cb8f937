# SPDX-License-Identifier: BSD-3-Clause
"""What the program says of itself, and that its templates run as they are."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

import h5py
import numpy as np

from launch import POINCARE, PROGRAMS, RANKS, SOURCE, ProgramTest, some

# Starts a program and says its peak in kB: that of a start from here would count what this process has at its own.
PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


class Program(ProgramTest):
    def text(self, *words, program="cotangent"):
        end = self.launch(*words, program=program)
        self.assertEqual(end.returncode, 0, end.stderr)
        self.assertEqual(end.stderr, "")
        return end.stdout

    def names(self, heading, program="cotangent"):
        """The entries below a heading of --list."""
        block = re.search(rf"(?m)^{heading}\n((?:  \S.*\n)+)", self.text("--list", program=program))
        return [line.split()[0] for line in block[1].splitlines()]


class SaysOfItself(Program):
    def test_list(self):
        self.assertLessEqual({"poincare", "trajectory", "landscape"}, set(self.names("studies")))
        models = {path.stem.replace("_", "-") for folder in ("models", "surfaces")
                  for path in (SOURCE / "src/mechanics" / folder).glob("*.hpp")}
        self.assertEqual(set(self.names("models")), models)
        self.assertLessEqual({"gauss", "rk4", "stormer-verlet", "explicit-euler"}, set(self.names("methods")))
        for line in self.text("--list").splitlines():
            self.assertRegex(line, r"^$|^\w+$|^  \S+ +\S")

    def test_describe_everything(self):
        potentials = {path.stem.replace("_", "-") for path in (SOURCE / "src/mechanics/potentials").glob("*.hpp")}
        self.assertEqual(set(self.names("potentials")), potentials)
        for part in ("r_e = 0.16666666666666666", "[potential]"):
            self.assertIn(part, self.text("--describe", "ricker"))
        for heading in ("studies", "models", "potentials", "sets", "fields", "lattices", "methods"):
            for name in some(self.names(heading), 4):
                with self.subTest(name):
                    self.assertTrue(self.text("--describe", name).startswith(f"{name}: "))

    def test_describe_a_model(self):
        text = self.text("--describe", "magnetic-chain")
        for part in ("t, t_dot, p_t", "[rad] and [rad/time] an angle", "alpha = 18", "left_domain", "s_dot p_t p_s alpha"):
            self.assertIn(part, text)
        self.deck('study = "trajectory"\n' + text[text.index("[model]"):] + "[method]\nstep = 0.1\n[stop]\ntime = 1\n"
                  "[ensemble]\nlist = [[0, 0, 0, 0]]\n")
        self.assertEqual(self.text("deck.toml", "--check"), "deck ok\n")

    def test_describe_what_one_study_has(self):
        end = self.launch("--describe", "g-baoab", ranks=1)
        self.assertEqual(end.returncode, 2)
        self.assertIn('a word of study "particles": cotangent --describe particles', end.stderr)
        self.assertIn("unknown study, model", self.launch("--describe", "g-baoa", ranks=1).stderr)

    def test_describe_a_method(self):
        takes = {"gauss": {"stages = 8", "step", "tolerance"}, "rk4": {"step", 'projection = "none"', "onto"}, "implicit-midpoint": {"step"},
                 "dormand-prince-853": {"step", "tolerance"},
                 "lobatto": {"stages = 8", "step", "tolerance", 'treatment = "E"'},
                 "rattle": {"step", "constraint_tolerance = 1e-14", '[solver] multipliers = "lanes"'}}
        for name in self.names("methods"):
            with self.subTest(name):
                text = self.text("--describe", name)
                block = re.search(r"(?m)^options, with their defaults\n((?:  \S.*\n)+)", text)[1]
                options = {line[2:32].strip() for line in block.splitlines() if "[" in line}
                self.assertLessEqual({"step", "lanes = 0"}, options)
                if name in takes:
                    self.assertEqual(options, takes[name] | {"lanes = 0"})
                self.assertRegex(text, r"(?m)^for (free|constrained|free and constrained) motion(, rolling included)?(; .+)?$")
                self.assertIn("forces", text)
                model, start = ("sphere", "1, 0, 0, 0, 1, 0") if "\nfor constrained" in text else ("kepler", "1, 0, 0, 1")
                self.deck(f'study = "trajectory"\n[model]\nname = "{model}"\n' + text[text.index("[method]"):]
                          + f"[stop]\ntime = 1\n[ensemble]\nlist = [[{start}]]\n")
                self.assertEqual(self.text("deck.toml", "--check"), "deck ok\n")

    def rows(self, name):
        lines = [line for line in self.text("--statement", name).splitlines() if not line.startswith("#")]
        return np.array([line.split(",") for line in lines[1:]], float)

    def test_statements_in_numbers(self):
        """Ricker's wavelet: U(0) = depth exp(3/2) / 2, zero at r_e / sqrt 3, the least, -depth, at r_e. Bernoulli's
        lemniscate, inflated: f^2 - r^2 in the plane z = 0, and -r^2, the least, where the curve meets the grid."""
        r, u = self.rows("ricker").T
        self.assertAlmostEqual(u[0], 0.25 * np.exp(1.5), delta=1e-15)
        self.assertAlmostEqual(np.interp(1 / 6 / np.sqrt(3), r, u), 0, delta=1e-4)
        self.assertLess(abs(r[np.argmin(u)] - 1 / 6), r[1])
        self.assertAlmostEqual(u.min(), -0.5, delta=1e-4)
        x, y, g = self.rows("lemniscate").T
        f = (x**2 + y**2)**2 - (x**2 - y**2)
        self.assertLess(abs(g - (f**2 - 1 / 36)).max(), 1e-13)
        self.assertEqual(g.size, 241**2)
        self.assertAlmostEqual(g.min(), -1 / 36, delta=1e-15)
        self.assertGreater(g[abs(x) == abs(x).max()].min(), 0)
        self.assertTrue(np.isfinite(self.rows("lennard-jones")).all())
        for name, word in (("torsu", "did you mean 'torus'?"), ("plane", "doesn't cross"), ("none", "nothing to draw")):
            self.says(self.launch("--statement", name, ranks=1), 2, word)

    def test_help(self):
        text = self.text("--help")
        for part in ("usage: cotangent DECK.toml", "--resume", "--check", "--dry-run", "--list", "--describe NAME",
                     "--template STUDY", "--doctor", "--version", "PETSc options"):
            self.assertIn(part, text)
        self.assertEqual(text, self.text("-h"))
        self.assertLessEqual(max(map(len, text.splitlines())), 110)

    def test_version(self):
        text = self.text("--version")
        self.assertRegex(text, r"^cotangent \d+\.\d+\.\d+\n")
        for part in ("commit", "compiler  GNU", "MPI", "HDF5"):
            self.assertIn(part, text)


    def doctor(self, code, ranks=1, **changed):
        """What --doctor says, by what it looked at."""
        cache = {"COTANGENT_CACHE": str(self.at / "cache")}
        end = self.launch("--doctor", ranks=ranks, env={**(self.alone if ranks == 1 else os.environ), **cache, **changed})
        self.assertEqual(end.returncode, code, end.stdout + end.stderr)
        return {line.split()[0]: line for line in end.stdout.splitlines()}

    def test_doctor(self):
        """The control comes first: what is well is told to be."""
        for ranks in (1, 2):
            said = self.doctor(0, ranks)
            self.assertEqual({"compiler", "MPI", "HDF5", "PETSc", "Eigen", "SIMD", "ranks", "folder", "results", "space", "scratch",
                              "cache", "formulas"}, set(said))
            for name in ("MPI", "HDF5", "PETSc", "Eigen", "folder", "results", "cache", "formulas"):
                self.assertTrue(said[name].endswith(": ok"), said[name])
            self.assertIn(f"{ranks} ranks write a file", said["results"])
            self.assertIn(f"{ranks} of {ranks} on", said["ranks"])
            self.assertIn("trivial one compiles", said["formulas"])
            self.assertEqual([path for path in self.at.rglob("*") if path.is_file()], [], "it leaves something behind")
        self.assertIn("unset it", self.doctor(0, COTANGENT_COMPILER="none")["formulas"])
        wrong = self.doctor(2, COTANGENT_COMPILER="/usr/bin/false")["formulas"]
        self.assertIn("failed", wrong)
        self.assertIn("COTANGENT_COMPILER", wrong)
        self.assertIn("COTANGENT_CACHE", self.doctor(0, COTANGENT_COMPILER="none", COTANGENT_CACHE="/dev/null/in")["cache"])

    def test_doctor_where_nothing_can_be_written(self):
        self.at, kept = pathlib.Path("/proc"), self.at  # not even by root
        said = self.doctor(3, COTANGENT_COMPILER="none", COTANGENT_CACHE=str(kept))
        self.assertIn("cannot create the file", said["results"])
        self.assertIn("run in a folder", said["results"])
        self.assertTrue(said["cache"].endswith(": ok"))

    def test_doctor_says_what_it_can(self):
        """A full disk takes no page of a formula's; nobody reads what a full device takes."""
        library = self.at / "faults.so"
        subprocess.run([os.environ.get("CXX", "c++"), "-x", "c", "-shared", "-fPIC", "-o", library,
                        pathlib.Path(__file__).with_name("faults.c"), "-ldl"], check=True)
        (self.at / "cache").mkdir()
        said = self.doctor(0, COTANGENT_COMPILER="none", LD_PRELOAD=str(library), FAULT_FOLDER=str(self.at / "cache"), FAULT_AT="1",
                           FAULT_ON="1", FAULT_ERROR="28")
        self.assertIn("can't be written", said["cache"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            end = self.launch("--doctor", ranks=1, stdout=full, env={**self.alone, "COTANGENT_COMPILER": "none"})
        self.assertEqual((end.returncode, end.stderr), (3, "cotangent: cannot write to the standard output\n"))

    def test_a_level_that_is_named_in_vain(self):
        end = self.launch(self.deck(), ranks=1, env={**self.alone, "COTANGENT_CPU": "nonsense"})
        self.assertEqual((end.returncode, end.stderr),
                         (0, "cotangent: COTANGENT_CPU=nonsense has no effect: this program has one level\n"))

    def test_answers_without_mpi(self):
        """Starting MPI takes many times as long as an answer: where it can't start, only a run notices."""
        without = {**self.alone, "OMPI_MCA_pml": "none_of_this_name"}
        for words in (["--version"], ["--list"], ["--describe", "gauss"], ["--template", "poincare"], ["--help"],
                      [self.deck(), "--check"]):
            with self.subTest(words):
                end = self.launch(*words, env=without, ranks=1)
                self.assertEqual((end.returncode, end.stderr), (0, ""))
        self.assertNotEqual(self.launch("deck.toml", env=without, ranks=1).returncode, 0)

    def test_what_is_out_of_reach_is_told_at_once(self):
        self.deck('study = "trajectory"\n[model]\nname = "kepler"\n[method]\nstep = 0.1\n[stop]\n'
                  "time = 9223372036854775807\n[output]\nevery = 0.05\n[ensemble]\nlist = [[1, 0, 0, 1]]\n")
        self.says(self.launch("deck.toml", "--dry-run"), 2, "every", "samples can't be counted")
        text = self.text("deck.toml", "output.every=9e15", "--dry-run")
        self.assertIn("out of reach", text)


class Start(Program):
    """A process that nothing launched starts no daemon of Open MPI's, which takes twice as long as the rest of its start."""

    @staticmethod
    def children(parent):
        """The names of a process's living children: a daemon leaves its session, not its parent."""
        names = set()
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # one that has ended meanwhile
                name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
                if int(rest.split()[1]) == parent and rest.split()[0] not in "ZX":
                    names.add(name)
        return names

    def programs_of_a_run(self, awaited=None, **variables):
        """The names of all programs that a run starts; of a long one, which is stopped when an awaited one is seen."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_MCA_ess")} | variables
        self.deck(POINCARE.replace("crossings = 3", "crossings = 20000" if awaited is None else "crossings = 20000000"))
        run = subprocess.Popen([self.program, "deck.toml", "output.file=out.h5"], cwd=self.at, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        names, give_up = set(), time.monotonic() + 60
        while run.poll() is None:
            names |= self.children(run.pid)
            if awaited is not None and (awaited in names or time.monotonic() > give_up):
                run.terminate()
                run.wait()
            time.sleep(0.002)
        error = run.stderr.read()
        run.stderr.close()
        if awaited is None:
            self.assertEqual((run.returncode, error), (0, ""))
        (self.at / "out.h5").unlink(missing_ok=True)
        return names

    def test_petsc_is_opened_where_a_run_needs_it(self):
        """It brings ninety libraries along. The control: a study that solves by it opens it, with options of its own too."""
        if os.environ.get("LATE_PETSC") == "OFF":
            self.skipTest("this program is linked with PETSc")
        opened = {"env": os.environ | {"LD_DEBUG": "files"}, "ranks": 1}
        water = (SOURCE / "input" / "overland" / "lake_at_rest.toml", "stop.time=0.05", "output.every=0.05",
                 "output.frames_every=0.05")
        for words, solved in ((("--version",), False), ((self.deck(POINCARE),), False), (water, True), (("--doctor",), True),
                              ((*water, "output.file=own.h5", "--", "-water_ksp_rtol", "1e-9"), True)):
            end = self.launch(*words, **opened)
            self.assertEqual(end.returncode, 0, end.stdout)
            self.assertEqual("libpetsc" in end.stderr, solved, words)

    def test_one_process_starts_no_daemon(self):
        if "Open MPI v4" not in self.text("--doctor"):
            self.skipTest("from version 5 on Open MPI starts none")
        self.assertEqual(self.programs_of_a_run(), set())
        self.assertIn("orted", self.programs_of_a_run("orted", OMPI_MCA_ess_singleton_isolated="0"))  # what the user sets stays

    def test_it_leaves_nothing_in_the_folder_for_temporary_files(self):
        folder = self.at / "temporary"
        folder.mkdir()
        self.programs_of_a_run(TMPDIR=str(folder))
        self.assertEqual(list(folder.iterdir()), [])


class Templates(Program):
    def setUp(self):
        super().setUp()
        self.studies = self.names("studies")

    def test_run_as_they_are(self):
        for study in self.studies:
            with self.subTest(study):
                self.deck(self.text("--template", study))
                self.assertEqual(self.text("deck.toml", "--check"), "deck ok\n")
                self.assertEqual(list(self.at.glob("*.h5")), [])
                end = self.launch("deck.toml")
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                (result,) = self.at.glob("*.h5")
                with h5py.File(result) as file:
                    self.assertEqual(file.attrs["study"], study)
                result.unlink()

    @unittest.skipUnless(RANKS == 1, "one rank's")
    def test_memory_is_what_dry_run_says(self):
        """Of the program, its libraries and what little a first deck needs: within a quarter, with PETSc and without."""
        for study, *words in (("collocation",), ("poincare", "stop.crossings=3"), ("hard-spheres", "stop.time=11"),
                              ("periodic-orbits",), ("particles", "stop.time=0.1"), ("mechanism", "stop.time=0.01")):
            with self.subTest(study=study):
                deck = self.deck(self.text("--template", study))
                told = float(re.search(r"memory +about ([0-9.]+) MB a rank", self.text(deck, *words, "--dry-run"))[1])
                end = subprocess.run([sys.executable, "-S", "-c", PEAK, PROGRAMS / "cotangent", deck, *words], cwd=self.at,
                                     env=self.alone, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
                taken = int(end.stdout) * 1024 / 1e6
                self.assertTrue(0.75 * taken < told < 1.25 * taken, f"{told} MB told, {taken} taken")

    def test_dry_run_writes_nothing(self):
        for study in self.studies:
            with self.subTest(study):
                self.deck(self.text("--template", study))
                self.assertNotEqual(self.text("deck.toml", "--dry-run"), "")
                self.assertEqual(list(self.at.glob("*.h5")), [])


class OwnProblem(Program):
    """The example of a model of one's own: listed, described, run by its deck."""

    def test_listed_first(self):
        models = self.names("models", program="swinging_atwood")
        self.assertEqual(models[0], "swinging-atwood")
        self.assertIn("henon-heiles", models)
        self.assertIn("mu = ", self.text("--describe", "swinging-atwood", program="swinging_atwood"))

    def test_its_deck(self):
        deck = SOURCE / "apps/own_problem/swinging_atwood.toml"
        end = self.launch(deck, "stop.crossings=20", "output.file=own.h5", program="swinging_atwood")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "own.h5") as file:
            flown = file["/orbits/status"][:] == 1
            self.assertGreater(flown.sum(), 80)
            self.assertTrue((file["/orbits/crossing_count"][:][flown] == 20).all())
            self.assertLess(file["/orbits/energy_error"][:][flown].max(), 1e-11)  # found: 4e-13 after 500 crossings


if __name__ == "__main__":
    unittest.main()
