# SPDX-License-Identifier: BSD-3-Clause
"""What bad input gets: its own clear message or status, the exit code of its kind, and never a hang."""
import errno
import os
import resource
import subprocess
import threading
import time
import unittest

import h5py

from launch import POINCARE, RANKS, ProgramTest

TRAJECTORY = """study = "trajectory"
[model]
name = "kepler"
[method]
name = "gauss"
step = 0.1
[ensemble]
list = [[1.0, 0.0, 0.0, 1.0]]
[stop]
time = 10.0
[output]
every = 0.5
file = "out.h5"
"""
MANIFOLD = """study = "trajectory"
[model]
name = "sphere"
[method]
name = "rattle"
step = 0.01
[ensemble]
list = [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
[stop]
time = 1.0
[output]
every = 0.5
file = "out.h5"
"""


class Deck(ProgramTest):
    """Refused before anything is begun, with exit code 2."""

    def test_missing(self):
        self.says(self.launch("none.toml"), 2, "cannot read the deck 'none.toml'", "No such file")

    def test_unreadable(self):
        self.says(self.launch("."), 2, "cannot read the deck '.'", "it is a folder")
        if os.geteuid() != 0:
            (self.at / self.deck()).chmod(0)
            self.says(self.launch("deck.toml"), 2, "cannot read the deck 'deck.toml'", "Permission denied")

    def test_no_text(self):
        (self.at / "deck.toml").write_bytes(bytes(range(256)))
        self.says(self.launch("deck.toml"), 2, "deck.toml:1:")

    def test_empty(self):
        self.refused("study", "deck.toml", text="")

    def test_watched_formulas_that_never_change(self):
        """Sections, conditions, exits and averages that depend on nothing, or whose numbers aren't finite."""
        never, constant = "isn't a finite number", "is constant"
        for key, text, why in (("section.where", "2*pi", constant), ("section.where", "0*q1", constant),
                               ("section.where", "q1 - q1", constant), ("section.where", "q1 + 1/0", never),
                               ("section.where", "log(-1)*q1", never), ("section.where", "q1/(2 - 2)", "divided by zero"),
                               ("section.condition", "1 > 0", constant), ("section.condition", "q1 > 1/0", never)):
            with self.subTest(text):
                self.refused(f"[section] {key[8:]} = ", why, "\n  " + text, "^", words=(f"{key}={text}",))
        flight = TRAJECTORY.replace("kepler", "henon-heiles")
        for text, why in (("1/0 > q1", never), ("2 > 1", constant)):
            self.refused("[exits] a = ", why, text=flight.replace("[stop]", f'[exits]\na = "{text}"\n[stop]'))
        for text, why in (("1/0", never), ("2", constant)):
            self.refused("[indicators.averages] s = ", why, text=flight.replace(
                "[stop]", f'[indicators]\nlist = ["birkhoff"]\naverages = {{ s = "{text}" }}\n[stop]'))

    def test_singular_everywhere(self):
        """Told before the run: no start has another mass matrix."""
        for words in ([], ["--check"]):
            self.refused("[model] name = ", "at every start the mass matrix is singular", text=TRAJECTORY,
                         words=["model.name=elastic-pendulum", "model.m=0", *words])

    def test_more_in_a_step_than_can_be_listed(self):
        """Samples and strobes: told before the run where steps are fixed."""
        self.refused("[output] every", "2e+06 samples fall into a step of 0.1", "give 1.01e-07 or more", text=TRAJECTORY,
                     words=["output.every=0.5e-7", "--dry-run"])
        self.assertEqual(self.launch("deck.toml", "output.every=1.01e-7", "--check").stdout, "deck ok\n")
        self.assertEqual(self.launch("deck.toml", "output.every=1e-8", "stop.time=1e-6").returncode, 0)
        strobe = POINCARE.replace('where = "q1"', 'where = "t"\nevery = "1e-7"').replace("grid = { ", "grid = { q1 = [0.0, 0.0, 1], ")
        self.says(self.launch(self.deck(strobe)), 2, "[section] every", "5e+06 times fall into a step of 0.5", "give 5.06e-07 or more")

    def test_syntax_error(self):
        self.refused("deck.toml:5:", text=POINCARE.replace("step = 0.5", "step 0.5").replace('name = "gauss"\n', ""))

    def test_unknown_key(self):
        self.refused("unknown key 'stepp' in [method] (deck.toml:7); did you mean 'step'?",
                     text=POINCARE.replace("step = 0.5", "step = 0.5\nstepp = 0.5"))

    def test_unknown_hint(self):
        """MPI drops a hint that it doesn't know: no error, since another MPI may know it, but a warning, before a run and after."""
        hints = POINCARE + "hints = { %s = 4, striping_factor = 2, romio_cb_write = \"enable\" }\n"
        for words, end in ((["--check"], "deck ok\n"), ([], "ranks: ")):
            said = self.launch(self.deck(hints % "cb_node"), *words)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual([line for line in said.stdout.splitlines() if "hint" in line],
                             ["warning: [output] hints: 'cb_node' is none that MPI-IO is known to have, and may have no effect; "
                              "did you mean 'cb_nodes'?"])
            self.assertIn(end, said.stdout)
        self.assertEqual(self.launch(self.deck(hints % "cb_nodes"), "--check").stdout, "deck ok\n")

    def test_tolerance_below_rounding(self):
        """What collocation can't keep it doesn't try to: the deck is warned, and told what is taken."""
        adaptive = POINCARE.replace('name = "gauss"', 'name = "chebyshev-lobatto"\nstages = 16').replace("step = 0.5", "tolerance = %s")
        self.assertEqual(self.launch(self.deck(adaptive % "1e-15"), "--check").stdout,
                         "warning: [method] tolerance: 1e-15 is less than chebyshev-lobatto of 16 stages rounds by; "
                         "it takes 1.3e-13\ndeck ok\n")
        self.assertEqual(self.launch(self.deck(adaptive % "2e-13"), "--check").stdout, "deck ok\n")

    def test_misspelt_where_another_is_missing(self):
        """What is missing is told with the key that was probably meant for it."""
        self.refused("give step (fixed) or tolerance (adaptive)", "was 'step' meant by 'stepp' (deck.toml:6)?",
                     text=POINCARE.replace("step = 0.5", "stepp = 0.5"))
        self.refused("was 'method' meant by 'methods' (deck.toml:4)?", text=POINCARE.replace("[method]", "[methods]"))
        self.refused("missing key 'crossings'", "was 'stop' meant by 'stopp'", text=POINCARE.replace("[stop]", "[stopp]"))
        self.refused("was 'grid' meant by 'gird'", text=POINCARE.replace("grid =", "gird ="))

    def test_a_section_that_stands_still(self):
        self.refused("[section] where", "is constant", words=['section.where="cos(1)"'])

    def test_files_that_would_be_lost(self):
        """Nothing but an earlier result is replaced."""
        deck = self.deck(POINCARE)
        before = (self.at / deck).read_bytes()
        self.refused("[output] file", "is the deck itself", words=[f"output.file={deck}"])
        self.assertEqual((self.at / deck).read_bytes(), before)
        starts = "[ensemble]\nfile = \"starts.h5\"\n[stop]"
        with h5py.File(self.at / "starts.h5", "w") as file:
            file["starts"] = [[0.0, 0.1, 0.4, 0.0]]
        before = (self.at / "starts.h5").read_bytes()
        text = POINCARE.partition("[ensemble]")[0] + starts + POINCARE.partition("[stop]")[2]
        self.refused("is the file that [ensemble] file names", text=text, words=["output.file=./starts.h5"])
        self.refused("starts.h5: is there, and no result of cotangent", words=["output.file=starts.h5"])
        self.assertEqual((self.at / "starts.h5").read_bytes(), before)
        # A word of the deck that is no file's name stands in nobody's way, when the result is there, too.
        for word in ("poincare", "gauss"):
            end = self.launch(self.deck(), f"output.file={word}")
            self.assertEqual(end.returncode, 0, end.stderr)
            self.assertIn("was complete", self.launch("deck.toml", f"output.file={word}", "--resume").stdout)
        (self.at / "notes.txt").write_text("of my own")
        self.refused("notes.txt: is there, and no result of cotangent", words=["output.file=notes.txt"])
        self.assertEqual((self.at / "notes.txt").read_text(), "of my own")
        (self.at / "kept.h5").write_bytes(b"")
        (self.at / "kept.h5").chmod(0o444)
        self.refused("kept.h5: may not be written to", words=["output.file=kept.h5"], code=3)
        os.mkfifo(self.at / "pipe")
        self.refused("pipe: is there, and no file for a result", words=["output.file=pipe"], code=3)
        self.assertTrue((self.at / "pipe").is_fifo())
        self.refused("[output] file", "is empty", words=['output.file=""'])

    def test_a_link_leads_to_the_result(self):
        (self.at / "scratch").mkdir()
        (self.at / "link.h5").symlink_to("scratch/real.h5")
        for _ in range(2):
            self.assertEqual(self.launch(self.deck(POINCARE), "output.file=link.h5").returncode, 0)
            self.assertTrue((self.at / "link.h5").is_symlink())
            with h5py.File(self.at / "scratch" / "real.h5") as file:
                self.assertEqual(file.attrs["format"], "cotangent")
        # An empty file, and a damaged result, are replaced.
        (self.at / "scratch" / "real.h5").write_bytes((self.at / "scratch" / "real.h5").read_bytes()[:3000])
        self.assertEqual(self.launch("deck.toml", "output.file=link.h5").returncode, 0)

    def test_unknown_section(self):
        self.refused("unknown section 'outputs'", "did you mean 'output'?", text=POINCARE + "[outputs]\nx = 1\n")

    def test_unknown_override(self):
        self.refused("unknown key 'stpe' in [method] (command line); did you mean 'step'?", words=["method.stpe=0.25"])

    def test_malformed_override(self):
        self.refused("override 'half': expected section.key=value", words=["half"])

    def test_wrong_type(self):
        self.refused("deck.toml:6", "[method] step", '"half"', text=POINCARE.replace("0.5", '"half"', 1))

    def test_wrong_range(self):
        self.refused("[method] step", "-0.5", words=["method.step=-0.5"])

    def test_number_that_is_none(self):
        self.refused("[ensemble] energy", "nan", words=["ensemble.energy=nan"])

    def test_unknown_names(self):
        for override, *parts in [
            ("study=poincarre", "'poincarre'", "did you mean 'poincare'?"),
            ("model.name=henon-heils", "'henon-heils'", "did you mean 'henon-heiles'?"),
            ("method.name=gaus", "'gaus'", "did you mean 'gauss'?"),
            ("section.direction=upp", "'upp'", "did you mean 'up'?"),
            ("section.where=q_1", "'q_1'", "did you mean 'q1'?"),
            ("section.condition=p_q3 > 0", "'p_q3'", "did you mean 'p_q"),
            ("ensemble.grid={ q2 = [0, 1, 2], q2_dott = [0, 1, 2] }", "'q2_dott'", "did you mean 'q2_dot'?"),
        ]:
            with self.subTest(override):
                self.refused(*parts, words=[override])

    def test_unknown_parameter(self):
        self.refused("unknown key 'alhpa' in [model]", "did you mean 'alpha'?",
                     words=["model.name=magnetic-chain", "model.alhpa=18", "section.where=t", "ensemble.energy=-9.74",
                            "ensemble.grid={ s = [0.0, 0.0, 1], s_dot = [0.0, 0.1, 2] }"])

    def test_option_of_another_method(self):
        for name, option in (("rk4", "stages=8"), ("implicit-midpoint", "stages=2"), ("stormer-verlet", "tolerance=1e-9"),
                             ("gauss", 'treatment="A"')):
            with self.subTest(name):
                self.refused(f"[method] {option.split('=')[0]} = ", f"no option of the method '{name}', which takes",
                             "step", words=[f"method.name={name}", f"method.{option}"])

    def test_options_are_judged(self):
        self.refused("1 to 16 stages, not 40", words=["method.stages=40"])
        self.refused("1 to 16 stages, not 40", words=["method.stages=40", "--check"])
        self.refused("'B'", "valid: A, C, E", words=["method.name=lobatto", "method.treatment=B"])
        self.refused("give step (fixed) or tolerance (adaptive)", words=["method.step="])

    @staticmethod
    def processor_seconds():
        """Of all programs that have ended: how busy the machine is with others doesn't matter."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime

    def test_unknown_keys_come_before_the_starts(self):
        """Not after a search through ten million points of which none is feasible."""
        for words in ([], ["--check"], ["--dry-run"]):
            began = self.processor_seconds()
            self.refused("unknown key 'stepp'", words=[
                "method.stepp=1", "ensemble.energy=-0.125",
                "ensemble.grid={ q2 = [-0.1, 0.1, 10000], q2_dot = [0.0, 0.1, 1000] }", *words])
            self.assertLess(self.processor_seconds() - began, 10 * RANKS)  # found: 0.4; the search would take a minute

    def test_large_ensembles_are_judged_by_a_part(self):
        began = self.processor_seconds()
        end = self.launch(self.deck(), "--dry-run", "ensemble.energy=-0.125",
                          "ensemble.grid={ q2 = [-0.1, 0.1, 10000], q2_dot = [0.0, 0.1, 1000] }")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertIn("10000000 trajectories", end.stdout)
        self.assertLess(self.processor_seconds() - began, 5 * RANKS)

    def test_no_feasible_start(self):
        self.refused("[ensemble] energy", "no start is feasible", words=["ensemble.energy=-0.125"])

    def test_check_judges_too(self):
        self.refused("no start is feasible", words=["ensemble.energy=-0.125", "--check"])
        self.refused("no start is feasible", words=["ensemble.energy=-0.125", "--dry-run"])

    def test_petsc_options_without_use(self):
        self.refused("solves no large systems", words=["--", "-ksp_type", "cg"])


class CommandLine(ProgramTest):
    def test_nothing_asked(self):
        self.says(self.launch(), 2, "no deck is given")

    def test_unknown_option(self):
        self.refused("unknown option '--resum'; did you mean '--resume'?", words=["--resum"])
        self.refused("unknown option '-x'", words=["-x"])

    def test_too_much_asked(self):
        self.says(self.launch("--list", "--version"), 2, "--list and --version don't go together")
        self.refused("a deck and --list don't go together", words=["--list"])
        self.says(self.launch("--describe"), 2, "--describe")

    def test_unknown_names(self):
        self.says(self.launch("--describe", "keplr"), 2, "'keplr'", "did you mean 'kepler'?")
        self.says(self.launch("--template", "poincarre"), 2, "'poincarre'", "did you mean 'poincare'?")

    @unittest.skipIf(RANKS > 1, "mpirun reads what the ranks print")
    def test_no_room_to_print(self):
        with open("/dev/full", "w") as full:
            self.says(self.launch("--list", stdout=full), 3, "cannot write to the standard output")


class Numerics(ProgramTest):
    """A failure is a status of its trajectory; the others go on, and the run ends with exit code 1."""

    def status(self, code, *statuses, text=TRAJECTORY, words=()):
        end = self.launch(self.deck(text), *words)
        everything = f"exit code {end.returncode}\n{end.stdout}\n{end.stderr}"
        self.assertEqual(end.returncode, code, everything)
        with h5py.File(self.at / "out.h5") as file:
            data_set = file["/orbits/status"]
            names = data_set.attrs.get("names", data_set.attrs.get("meaning", ""))
            found = [int(s) for s in data_set[:]]
        self.assertEqual(found, list(statuses), f"{names}\n{everything}")
        return end

    FINISHED, TIME_LIMIT, STEP_TOO_SMALL, NEWTON_DIVERGED, SINGULAR, NON_FINITE, NOT_MET = 1, 2, 3, 4, 6, 8, 9
    FALL, ELLIPSE, CENTRE = "[1.0, 0.0, 0.0, 0.0]", "[1.0, 0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0, 1.0]"

    def test_singular_mass_matrix(self):
        end = self.status(1, self.SINGULAR, self.FINISHED, words=["model.name=elastic-pendulum", "model.m=[0.0,1.0]"])
        self.assertIn("1 finished, 1 singular_mass_matrix", end.stdout)

    def test_step_shrinks_to_nothing(self):
        end = self.status(1, self.STEP_TOO_SMALL, self.FINISHED, self.STEP_TOO_SMALL, words=[
            "method.step=", "method.tolerance=1e-12", f"ensemble.list=[{self.FALL}, {self.ELLIPSE}, {self.FALL}]"])
        self.assertIn("1 finished, 2 step_too_small", end.stdout)

    def test_newton_fails(self):
        end = self.status(1, self.FINISHED, self.NEWTON_DIVERGED, words=[
            "method.step=2", "stop.time=100", "ensemble.list=[[10.0, 0.0, 0.0, 0.3], [1.0, 0.0, 0.0, 0.1]]"])
        self.assertIn("1 finished, 1 newton_diverged", end.stdout)
        self.status(1, self.NEWTON_DIVERGED, words=[
            "model.name=double-pendulum", "method.name=chebyshev-lobatto", "method.step=5", "stop.time=100",
            "ensemble.list=[[3.0, 1.0, 2.0, -1.0]]"])

    def test_non_finite_start(self):
        self.status(1, self.NON_FINITE, self.FINISHED, words=[f"ensemble.list=[{self.CENTRE}, {self.ELLIPSE}]"])

    def test_non_finite_motion(self):
        self.status(1, self.NON_FINITE, self.FINISHED, words=[
            "model.name=henon-heiles", "method.name=explicit-euler", "stop.time=100",
            "ensemble.list=[[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]"])

    def test_section_never_met(self):
        end = self.status(0, self.NOT_MET, text=POINCARE, words=[
            "section.where=q1 + 5", "ensemble.energy=", "ensemble.grid=", "ensemble.list=[[0.1, 0.1, 0.0, 0.0]]",
            "stop.patience=1000"])
        self.assertIn("1 section_not_met", end.stdout)

    def test_infeasible_among_feasible(self):
        INFEASIBLE = 7
        end = self.status(0, self.FINISHED, INFEASIBLE, text=POINCARE, words=[
            "ensemble.grid={ q2 = [0.0, 0.9, 2], q2_dot = [0.0, 0.0, 1] }"])
        self.assertIn("1 infeasible_start", end.stdout)


class Manifolds(Numerics):
    """Starts, parameters and steps under constraints."""

    SINGULAR_CONSTRAINT, INFEASIBLE = 10, 7
    GOOD, OFF, ASKEW = "[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]", "[1.1, 0.0, 0.0, 0.0, 1.0, 0.0]", "[1.0, 0.0, 0.0, 0.1, 1.0, 0.0]"
    test_singular_mass_matrix = test_step_shrinks_to_nothing = test_newton_fails = test_non_finite_start = None
    test_non_finite_motion = test_section_never_met = test_infeasible_among_feasible = None

    def test_off_the_manifold(self):
        # |g| / |grad g| = (1.21 - 1) / 2.2
        self.refused("no start is on the manifold", "0.0955", "project = true", text=MANIFOLD,
                     words=[f"ensemble.list=[{self.OFF}]"])
        self.refused("no start is on the manifold", "its velocity by 0.1", "project = true", text=MANIFOLD,
                     words=[f"ensemble.list=[{self.ASKEW}]"])
        end = self.status(0, self.INFEASIBLE, self.FINISHED, self.INFEASIBLE, text=MANIFOLD,
                          words=[f"ensemble.list=[{self.OFF}, {self.GOOD}, {self.ASKEW}]"])
        self.assertIn("2 infeasible_start", end.stdout)

    def test_projected_on_request(self):
        self.status(0, self.FINISHED, self.FINISHED, text=MANIFOLD,
                    words=["ensemble.project=true", f"ensemble.list=[{self.OFF}, {self.ASKEW}]"])
        with h5py.File(self.at / "out.h5") as file:
            first = file["/orbits/initial"][:]
        self.assertLess(abs((first[:, :3]**2).sum(axis=1) - 1).max(), 1e-15)
        self.assertLess(abs((first[:, :3] * first[:, 3:]).sum(axis=1)).max(), 1e-15)
        (self.at / "out.h5").unlink()
        self.refused("no start is feasible", text=MANIFOLD, words=[
            "ensemble.project=true", "ensemble.list=[[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]"])

    def test_nothing_to_project(self):
        self.refused("unknown key 'project'", text=TRAJECTORY, words=["ensemble.project=true"])

    def test_no_such_surface(self):
        for words, *parts in (
                (["model.name=lemniscate", "model.r=0.3"], "regular", "0 < r < a^4/4 = 0.25"),
                (["model.name=torus", "model.R=0.3"], "R > r > 0"),
                (["model.r=-1"], "r > 0"),
                (["model.mass=0"], "mass must be positive"),
                (["model.mass=-1"], "mass must be positive"),
                (["model.name=torus", "model.r=[0.4, 1.2]"], "R > r > 0"),
                (["model.name=planar-pendulum", "model.mass=0"], "mass must be positive"),
                (["model.name=four-bar-linkage", "model.ground=7"], "the loop can't close"),
                (["model.name=heavy-top", "model.I3=2.5"], "moments of inertia"),
                (["model.name=rod-on-ellipsoid", "model.length=3"], "length")):
            with self.subTest(words):
                self.refused("[model]", *parts, text=MANIFOLD, words=words)

    def test_methods_that_know_no_constraints(self):
        for name in ("gauss", "stormer-verlet"):
            self.refused(f'"{name}"', "the motion of 'sphere' is constrained", "rattle", text=MANIFOLD,
                         words=[f"method.name={name}"])
        self.refused('"rattle"', "kepler", text=TRAJECTORY, words=["method.name=rattle"])

    def test_constraint_tolerance(self):
        for tolerance in ("1e-17", "1e-300"):  # below round-off: as good as round-off
            self.status(0, self.FINISHED, text=MANIFOLD, words=[f"method.constraint_tolerance={tolerance}"])
            with h5py.File(self.at / "out.h5") as file:
                self.assertLess(file["/orbits/constraint_error"][0], 1e-15)
            (self.at / "out.h5").unlink()
        for tolerance in ("0.0", "-1e-10", "nan"):
            self.refused("[method] constraint_tolerance", text=MANIFOLD,
                         words=[f"method.constraint_tolerance={tolerance}"])

    def test_a_step_without_a_multiplier(self):
        end = self.status(1, self.FINISHED, self.NEWTON_DIVERGED, self.FINISHED, text=MANIFOLD, words=[
            f"ensemble.list=[{self.GOOD}, [0.0, 1.0, 0.0, 0.0, 0.0, 200.0], {self.GOOD}]"])
        self.assertIn("2 finished, 1 newton_diverged", end.stdout)

    def test_dependent_constraints(self):
        """A parallelogram folded flat; beside it one that isn't."""
        end = self.status(1, self.SINGULAR_CONSTRAINT, self.FINISHED, text=MANIFOLD, words=[
            "model.name=four-bar-linkage", "model.rocker=1",
            "ensemble.list=[[1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0]]"])
        self.assertIn("1 singular_constraint", end.stdout)


class Rolling(Numerics):
    """Starts and methods of motion that rolls; the two edges of a program's own model may be parallel."""

    SINGULAR_CONSTRAINT, INFEASIBLE = 10, 7
    GOOD, SLIPS = "[0.0, 0.0, 0.0, 1.0, 0.0, 0.5]", "[0.0, 0.0, 0.0, 1.0, 0.25, 0.5]"
    SLEIGH = MANIFOLD.replace('"sphere"', '"chaplygin-sleigh"').replace('"rattle"', '"lobatto-spark"\nstages = 3')
    test_singular_mass_matrix = test_step_shrinks_to_nothing = test_newton_fails = test_non_finite_start = None
    test_non_finite_motion = test_section_never_met = test_infeasible_among_feasible = None

    def test_slipping(self):
        self.refused("no start rolls without slipping", "its velocity by 0.25", "project = true", text=self.SLEIGH,
                     words=[f"ensemble.list=[{self.SLIPS}]"])
        self.status(0, self.INFEASIBLE, self.FINISHED, text=self.SLEIGH,
                    words=[f"ensemble.list=[{self.SLIPS}, {self.GOOD}]"])
        (self.at / "out.h5").unlink()
        self.status(0, self.FINISHED, text=self.SLEIGH,
                    words=["ensemble.project=true", f"ensemble.list=[{self.SLIPS}]"])
        with h5py.File(self.at / "out.h5") as file:
            self.assertLess(abs(file["/orbits/initial"][0, 4]), 1e-15)
            self.assertLess(file["/orbits/constraint_error"][0], 1e-14)

    def test_methods_that_do_not_roll(self):
        for name in ("rattle", "gauss"):
            self.refused(f'"{name}"', "the motion of 'chaplygin-sleigh' rolls", "lobatto-spark", text=self.SLEIGH,
                         words=[f"method.name={name}", f"ensemble.list=[{self.GOOD}]"])
        self.refused("2 to 8 stages, not 12", text=self.SLEIGH,
                     words=["method.stages=12", f"ensemble.list=[{self.GOOD}]"])

    def test_dependent_edges(self):
        """Two knife edges at one point: parallel, and across."""
        end = self.launch(self.deck(self.SLEIGH), "model.name=two-edges", "ensemble.list=[[0.0, 0.0, 0.0, 0.0, 1.0, 0.0,"
                          " 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.1, 0.2]]", program="extension_program")
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("1 finished, 1 singular_constraint", end.stdout)


class Files(ProgramTest):
    """The file system's refusals have exit code 3; results that don't fit the deck are bad input."""

    LARGE = ["ensemble.grid={ q2 = [-0.1, 0.1, 16], q2_dot = [0.0, 0.1, 16] }", "stop.crossings=20000"]  # 205 MB

    def test_no_folder(self):
        self.refused("nowhere", words=["output.file=nowhere/out.h5"], code=3)

    def test_no_scratch(self):
        """Told before MPI is started, which would end the program without the reason."""
        environment = {**self.alone, "PMI_RANK": "0", "TMPDIR": "/proc"}  # as a launcher starts it, but nothing can be written
        self.says(self.launch(self.deck(), ranks=1, env=environment), 3, "/proc: cannot ", "0.0 MB are free there, where MPI",
                  "name another folder by TMPDIR")

    def test_no_permission(self):
        self.refused("/proc/out.h5", words=["output.file=/proc/out.h5"], code=3)
        (self.at / "file").write_text("")
        self.refused("file/out.h5", words=["output.file=file/out.h5"], code=3)
        if os.geteuid() != 0:
            (self.at / "locked").mkdir(mode=0o500)
            self.refused("locked/out.h5", words=["output.file=locked/out.h5"], code=3)

    def test_result_is_a_folder(self):
        (self.at / "results").mkdir()
        self.says(self.launch(self.deck(), "output.file=results"), 3, "results")

    def small_disk(self, size):
        disk = self.at / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                          capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk])
        return disk

    def test_disk_too_small(self):
        disk = self.small_disk("4m")
        self.says(self.launch(self.deck(), *self.LARGE, f"output.file={disk}/out.h5"), 3, "needs", "are available")
        self.assertEqual(list(disk.iterdir()), [])

    def test_disk_runs_full(self):
        """The result's space is set apart when the run begins: what others take later is no concern of it."""
        disk = self.small_disk("256m")
        filled = []

        def begun():
            try:
                with h5py.File(disk / "out.h5", "r") as file:
                    return (file["orbits/status"][()] != 0).any()
            except OSError:
                return False

        def fill():
            """Takes the rest of the disk once the run has written rows."""
            while not begun():
                time.sleep(0.002)
            with open(disk / "else", "wb", buffering=0) as other:
                try:
                    while True:
                        other.write(bytes(1 << 20))
                except OSError as error:
                    filled.append(error.errno)

        threading.Thread(target=fill, daemon=True).start()
        end = self.launch(self.deck(), *self.LARGE, f"output.file={disk}/out.h5")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(filled, [errno.ENOSPC])
        with h5py.File(disk / "out.h5", "r") as file:
            self.assertTrue((file["orbits/status"][()] == 1).all())

    def test_file_size_limit(self):
        end = self.launch("-c", 'ulimit -f 40000; exec "$@"', "sh", self.program, self.deck(), *self.LARGE,
                          program="/bin/sh")
        self.says(end, 3, "out.h5: the file needs 205.", "no file may be longer than")

    def test_resume_without_result(self):
        """One line of a batch script serves first start and requeue."""
        end = self.launch(self.deck(), "--resume")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertIn("--resume: no out.h5 yet: the run begins from its start", end.stdout)

    def test_resume_of_something_else(self):
        (self.at / "out.h5").write_text("no result\n")
        self.says(self.launch(self.deck(), "--resume"), 3, "out.h5: cannot open the file")
        self.assertEqual((self.at / "out.h5").read_text(), "no result\n")

    def finished(self):
        self.ended(self.deck())

    def test_resume_of_another_version(self):
        self.finished()
        with h5py.File(self.at / "out.h5", "r+") as file:
            file.attrs.modify("format_version", 99)
        self.says(self.launch(self.deck(), "--resume"), 2, "out.h5", "another version", "99")

    def test_resume_with_a_different_deck(self):
        self.finished()
        before = (self.at / "out.h5").read_bytes()
        self.says(self.launch(self.deck(), "--resume", "method.step=0.25"), 2, "[method] step", "0.5", "0.25")
        self.assertEqual((self.at / "out.h5").read_bytes(), before)


@unittest.skipIf(RANKS == 1, "needs companions")
class OneRankAlone(ProgramTest):
    def ends(self, *words):
        end = self.launch(self.deck(TRAJECTORY), "model.name=wayward", *words, program="extension_program")
        self.assertEqual(end.returncode, 70, end.stdout + end.stderr)
        self.assertRegex(end.stderr, r"(?m)^cotangent: .*rank 1 gives up")

    def test_fails_under_way(self):
        self.ends("ensemble.list=", "ensemble.grid={ x = [0, 1, 64], x_dot = [1, 1, 1] }", "stop.time=20000")

    def test_fails_where_others_meet(self):
        self.ends("ensemble.list=", "ensemble.energy=1", "ensemble.grid={ x = [0, 1, 8] }")


if __name__ == "__main__":
    unittest.main()
