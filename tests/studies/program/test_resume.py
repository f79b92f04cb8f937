# SPDX-License-Identifier: BSD-3-Clause
"""A run that was stopped goes on to the same bits, on any number of ranks. Of killed runs: kill_campaign.py."""
import pathlib
import shutil
import signal
import tempfile
import time
import unittest

import h5py
import numpy as np

from launch import POINCARE, ProgramTest
from results import edited_checkpoint, same_bits

DECK = POINCARE.replace("q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2]", "q2 = [-0.3, 0.7, 8], q2_dot = [-0.3, 0.4, 5]").replace(
    "crossings = 3", "crossings = 12000") + "checkpoint_minutes = 1e-4\n"
SURFACE = """study = "poincare"
[model]
name = "lemniscate"
[method]
name = "rattle"
step = 0.01
[section]
where = "y"
[ensemble]
energy = 0.5
project = true
random = { count = 40, seed = 3, x = [-1.0, 1.0], z = [-0.1, 0.1], x_dot = [-1.0, 1.0], y_dot = [0.0, 1.0], z_dot = [-1.0, 1.0] }
[stop]
crossings = 1500
[output]
file = "out.h5"
checkpoint_minutes = 1e-4
"""


DRIVEN = """study = "trajectory"
[model]
coordinates = ["a"]
parameters = { c = 0.5, F = 1.2, w = 0.6666666666666666 }
lagrangian = "a_dot^2/2 + cos(a)"
force = { a = "F*cos(w*t)" }
dissipation = "c*a_dot^2/2"
[method]
name = "gauss"
step = 0.25
[ensemble]
random = { count = 40, seed = 3, a = [-3.0, 3.0], a_dot = [-1.0, 1.0] }
[stop]
time = 5000.0
[output]
every = 10.0
file = "out.h5"
checkpoint_minutes = 1e-4
"""


class Mixed(ProgramTest):
    def test_a_result_and_a_checkpoint_that_do_not_belong_together(self):
        deck, short = self.deck(DECK), "output.wall_minutes=5e-4"
        self.assertEqual(self.launch(deck, short, ranks=1).returncode, 75)
        shutil.copy(self.at / "out.h5", self.at / "older.h5")
        self.assertEqual(self.launch(deck, short, "--resume", ranks=1).returncode, 75)
        shutil.copy(self.at / "out.h5", self.at / "newer.h5")
        shutil.copy(self.at / "older.h5", self.at / "out.h5")
        self.says(self.launch(deck, "--resume", ranks=1), 2, "out.h5.checkpoint", "later moment than the result")
        (self.at / "out.h5").unlink()
        self.says(self.launch(deck, "--resume", ranks=1), 2, "out.h5.checkpoint", "put the result back")
        self.assertTrue((self.at / "out.h5.checkpoint").exists())
        # A control: the one that belongs to it goes on.
        shutil.copy(self.at / "newer.h5", self.at / "out.h5")
        self.assertEqual(self.launch(deck, short, "--resume", ranks=1).returncode, 75)


DISCS = """study = "hard-spheres"
[model]
dimension = 2
lattice = 6
packing = 0.3
systems = 3
[stop]
warm_up = 1.0
time = 1e4
[output]
file = "out.h5"
"""


class Unfit(ProgramTest):
    """A checkpoint that is whole, and in which something is other than any run writes it."""
    def stopped_at_once(self, text):
        self.assertEqual(self.launch(self.deck(text), "output.wall_minutes=1e-9", ranks=1).returncode, 75)
        self.checkpoint = self.at / "out.h5.checkpoint"
        self.written = self.checkpoint.read_bytes()

    def refused(self, edit, *parts):
        self.checkpoint.write_bytes(self.written)
        with edited_checkpoint(self.checkpoint) as file:
            edit(file)
        before = self.checkpoint.read_bytes()
        self.says(self.launch("deck.toml", "output.wall_minutes=1e-9", "--resume"), 2, "out.h5.checkpoint", *parts)
        self.assertEqual(self.checkpoint.read_bytes(), before)

    @staticmethod
    def replaced(name, change):
        def edit(file):
            rows = file["state"][name][()]
            del file["state"][name]
            file["state"][name] = change(rows)
        return edit

    def test_tasks_under_way(self):
        self.stopped_at_once(DRIVEN)
        for name in ("id", "state"):
            with self.subTest(longer=name):
                self.refused(self.replaced(name, lambda rows: np.concatenate([rows, rows[:1]])),
                             "the fields 'id' and 'state' have")
        for wrong in (0.5, 40, float("nan")):
            with self.subTest(wrong=wrong):
                self.refused(self.replaced("id", lambda rows: np.full_like(rows, wrong)),
                             f"the field 'id' holds {wrong}, which is none of 0 to 39")
        with self.subTest("twice"):
            self.refused(self.replaced("id", np.zeros_like), "the field 'id' holds 0 twice")

    def test_systems_under_way(self):
        self.stopped_at_once(DISCS)
        self.refused(self.replaced("id", lambda rows: rows - 1), "the field 'id' holds -1, which is none of 0 to 2")

    def test_what_every_checkpoint_has(self):
        self.stopped_at_once(DRIVEN)
        for name in ("format", "format_version", "study"):
            with self.subTest(missing=name):
                self.refused(lambda file: file.attrs.__delitem__(name), "not a checkpoint that this program can read")
        for name in ("deck", "state"):
            with self.subTest(missing=name):
                self.refused(lambda file: file.__delitem__(name), "not a checkpoint that this program can read")


class Resume(ProgramTest):
    text = DECK
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_whole_")
        cls.addClassCleanup(folder.cleanup)
        cls.whole = pathlib.Path(folder.name) / "whole.h5"

    def undisturbed(self):
        """The result of the run that nothing stops, made once for all tests."""
        self.deck(self.text)
        if not self.whole.exists():
            end = self.launch("deck.toml", f"output.file={self.whole}", ranks=2)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        return self.whole

    def go_on(self, ranks):
        end = self.launch("deck.toml", "--resume", ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(file["run/starts"][()], 2)

    def test_stopped_by_signals(self):
        whole = self.undisturbed()
        for checkpoint, number in enumerate(self.signals, 2):
            with self.subTest(signal=number.name):
                for leftover in self.at.glob("out.h5*"):
                    leftover.unlink()
                self.assertIn("--resume", self.stopped("deck.toml", by=number, ranks=1, checkpoint=checkpoint))
                self.stopped_midway("out.h5", whole)
                self.go_on(2)
                self.assertEqual(same_bits(whole, self.at / "out.h5"), [])

    def test_forwarded_by_mpirun(self):
        """SIGUSR1 to mpirun reaches all ranks, as batch systems send it."""
        whole = self.undisturbed()
        self.stopped("deck.toml", ranks=2)
        self.stopped_midway("out.h5", whole)
        self.go_on(3)
        self.assertEqual(same_bits(whole, self.at / "out.h5"), [])

    def test_damaged_checkpoints(self):
        """Killed; then a bit of the newest checkpoint is another: the run goes on from the older one, to the same bits."""
        whole = self.undisturbed()
        newest, older = (self.at / f"out.h5.checkpoint{end}" for end in ("", ".older"))
        self.killed("deck.toml", ranks=1, checkpoint=3)
        self.assertNotEqual(older.read_bytes(), newest.read_bytes())
        kept = {path: path.read_bytes() for path in self.at.glob("out.h5*")}

        def leave(**changed):
            for path, data in kept.items():
                path.write_bytes(data)
            for name, data in changed.items():
                {"newest": newest, "older": older, "result": self.at / "out.h5"}[name].write_bytes(data)

        flipped = bytearray(kept[newest])
        flipped[len(flipped) // 3] ^= 4
        cut = kept[newest][:-1]
        for data in (flipped, cut, b""):
            leave(newest=data, older=kept[older][:-40])
            self.says(self.launch("deck.toml", "--resume"), 2, "out.h5.checkpoint: ", "out.h5.checkpoint.older: has no checksum")
            self.assertEqual((newest.read_bytes(), older.read_bytes()), (data, kept[older][:-40]))
        for changed, said in (({"newest": flipped}, 1), ({"newest": cut}, 1), ({"older": flipped}, 0)):  # the last is the control
            leave(**changed)
            end = self.launch("deck.toml", "--resume", ranks=3)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            self.assertEqual(end.stdout.count("the run goes on from the checkpoint before it"), said, end.stdout)
            self.assertEqual(same_bits(whole, self.at / "out.h5"), [])
            self.assertEqual(list(self.at.glob("out.h5.checkpoint*")), [])
        # A result that was cut short isn't one; nothing is written to what is left.
        half = kept[self.at / "out.h5"][: len(kept[self.at / "out.h5"]) // 2]
        leave(result=half)
        self.says(self.launch("deck.toml", "--resume"), 3, "out.h5: cannot open the file", "truncated")
        self.assertEqual((self.at / "out.h5").read_bytes(), half)
        self.assertEqual((newest.read_bytes(), older.read_bytes()), (kept[newest], kept[older]))

    def test_wall_clock_limit(self):
        whole = self.undisturbed()
        end = self.launch(self.deck(self.text), "output.wall_minutes=1e-5")
        self.assertEqual(end.returncode, 75, end.stdout + end.stderr)
        self.stopped_midway("out.h5", whole)
        self.go_on(1)
        self.assertEqual(same_bits(whole, self.at / "out.h5"), [])

    def test_resuming_what_is_complete_changes_nothing(self):
        whole = self.undisturbed()
        shutil.copy(whole, self.at / "out.h5")
        end = self.launch("deck.toml", "--resume")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(whole, self.at / "out.h5"), [])


class SignalsThatComeTwice(ProgramTest):
    def test_at_once_they_are_one_request_later_they_end_the_run(self):
        """As of `timeout`, which sends its signal to the program and to the program's group; and of an impatient user."""
        self.deck(DECK.replace("crossings = 12000", "crossings = 3000"))
        for number, seconds, code in ((signal.SIGTERM, 0.05, 75), (signal.SIGINT, 0.05, 75), (signal.SIGTERM, 1.1, -signal.SIGTERM)):
            with self.subTest(signal=number.name, seconds=seconds):
                with self.held("deck.toml", ranks=1) as process:
                    for _ in range(2):
                        process.send_signal(number)
                        time.sleep(seconds)
                self.assertEqual(process.returncode, code, process.said)
                end = self.launch("deck.toml", "--resume", ranks=1)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / "out.h5", "r") as file:
                    self.assertEqual(file["run/starts"][()], 2)
                (self.at / "out.h5").unlink()


class ResumeOnASurface(Resume):
    """The same under constraints, whose methods hand multipliers from step to step."""
    text = SURFACE
    signals = (signal.SIGTERM,)
    test_forwarded_by_mpirun = test_damaged_checkpoints = test_wall_clock_limit = test_resuming_what_is_complete_changes_nothing = None


class ResumeWithIndicators(Resume):
    """The same with deviations along, whose frame and growth are saved too."""
    text = DECK.replace("crossings = 12000", "crossings = 3000") + """[indicators]
list = ["lyapunov", "spectrum", "sali", "gali-3", "megno"]
"""
    signals = (signal.SIGTERM,)
    test_forwarded_by_mpirun = test_damaged_checkpoints = test_wall_clock_limit = test_resuming_what_is_complete_changes_nothing = None


class ResumeWhatIsDriven(Resume):
    """The same with friction and a drive, stated by formulas: the work done goes on too."""
    text = DRIVEN
    signals = (signal.SIGTERM,)
    test_forwarded_by_mpirun = test_damaged_checkpoints = test_wall_clock_limit = test_resuming_what_is_complete_changes_nothing = None


if __name__ == "__main__":
    unittest.main()
