# SPDX-License-Identifier: BSD-3-Clause
"""Starts from a file of the user's: the same orbits as from the deck, read as they are needed, judged before."""
import os
import subprocess
import unittest

import h5py
import numpy as np

from launch import ProgramTest
from results import same_bits

DECK = """study = "trajectory"
[model]
name = "henon-heiles"
[method]
name = "stormer-verlet"
step = 0.05
[ensemble]
file = "starts.h5"
[stop]
time = 1.0
[output]
every = 0.5
file = "out.h5"
"""


class StartsFile(ProgramTest):
    def store(self, states, name="starts"):
        with h5py.File(self.at / "starts.h5", "w") as file:
            file.create_dataset(name, data=states)

    def run_deck(self, *words, ranks=1):
        self.ended(self.deck(DECK), *words, ranks=ranks)

    def test_same_bits_as_a_list(self):
        states = np.random.default_rng(5).uniform(-0.3, 0.3, (2500, 4))
        self.store(states)
        rows = ", ".join(str(row.tolist()) for row in states)
        self.deck(DECK.replace('file = "starts.h5"', f"list = [{rows}]"), "list.toml")
        end = self.launch("list.toml", "output.file=list.h5")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        for ranks in (1, 3):
            self.run_deck(ranks=ranks)
            self.assertEqual(same_bits(self.at / "list.h5", self.at / "out.h5"), [])
        self.store(states[::-1])
        self.run_deck("output.file=other.h5")
        self.assertIn("trajectory/q", same_bits(self.at / "list.h5", self.at / "other.h5"))

    def test_axes_go_through_the_file_again(self):
        """The file's rows run fastest, then the values of a parameter."""
        states = np.random.default_rng(6).uniform(-0.3, 0.3, (1500, 4))
        self.store(states)
        self.run_deck("model.name=elastic-pendulum", "model.g=[1.0, 2.0]", "method.name=rk4")
        with h5py.File(self.at / "out.h5") as file:
            np.testing.assert_array_equal(file["orbits/initial"][:], np.concatenate([states, states]))

    def memory(self, rows):
        """The most memory that a run over this many states takes, in MB."""
        with h5py.File(self.at / "starts.h5", "w") as file:
            file.create_dataset("starts", shape=(rows, 4), dtype="f8")  # never written: takes no room on the disk
        process = subprocess.Popen([self.program, self.deck(DECK), "--dry-run"], cwd=self.at, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss / 1024

    def test_memory_does_not_grow(self):
        self.assertLess(self.memory(10_000_000) - self.memory(10), 20)  # found: 0; the states are 320

    def test_bad_files(self):
        self.says(self.launch(self.deck(DECK)), 3, "starts.h5: cannot open the file")
        (self.at / "starts.h5").write_text("no numbers\n")
        self.says(self.launch("deck.toml"), 2, "deck.toml:8, [ensemble] file", "starts.h5 is no HDF5 file")
        (self.at / "starts.h5").unlink()
        os.mkfifo(self.at / "starts.h5")
        self.says(self.launch("deck.toml"), 2, "deck.toml:8, [ensemble] file", "starts.h5 is no regular file")
        (self.at / "starts.h5").unlink()
        with h5py.File(self.at / "starts.h5", "w") as file:
            file.create_group("starts")
        self.says(self.launch("deck.toml"), 2, "deck.toml:8, [ensemble] file", "has no data set /starts")
        self.store(np.zeros((3, 4)), name="start")
        self.says(self.launch("deck.toml"), 2, "deck.toml:8, [ensemble] file", "has no data set /starts")
        for shape in ((3, 5), (3, 3), (12,), (3, 4, 1)):
            self.store(np.zeros(shape))
            self.says(self.launch("deck.toml"), 2, "[ensemble] file", "/starts must have 4 columns: q, then v")
        self.store(np.zeros((0, 4)))
        self.says(self.launch("deck.toml"), 2, "[ensemble] file", "holds no state")
        self.store(np.array([[b"a"] * 4]))
        self.says(self.launch("deck.toml"), 2, "/starts holds no numbers")
        self.store(np.zeros((3, 4)))
        self.says(self.launch("deck.toml", "ensemble.energy=0.1"), 2, "whole states have their energy")
        self.assertFalse((self.at / "out.h5").exists())


if __name__ == "__main__":
    unittest.main()
