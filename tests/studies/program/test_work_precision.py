# SPDX-License-Identifier: BSD-3-Clause
"""study = "work-precision": the same data sets on any number of ranks, orders and drifts as theory has them, bad input."""
import os
import subprocess
import sys
import unittest

import h5py
import numpy as np

from launch import RANKS, SOURCE, ProgramTest
from results import same_bits

DECK = """study = "work-precision"
[model]
name = "henon-heiles"
[section]
where = "q1"
[ensemble]
energy = 0.08333333333333333
grid = { q2 = [-0.2, 0.3, 11], q2_dot = [0.0, 0.0, 1] }
[stop]
time = 20.0
[reference]
step = 0.25
"""
METHODS = """[[methods]]
name = "gauss"
stages = 2
steps = [0.2, 0.1, 0.05]
[[methods]]
name = "dormand-prince-853"
tolerances = [1e-6, 1e-9]
[[methods]]
name = "stormer-verlet"
steps = [0.04, 0.02]
[[methods]]
name = "explicit-euler"
label = "forward"
steps = [1e-3, 5e-4]
"""
OUTPUT = '[output]\nfile = "out.h5"\n'


class Comparison(ProgramTest):
    def run_deck(self, methods=METHODS, *words, ranks=1, file="out.h5"):
        return self.ended(self.deck(DECK + methods + OUTPUT), *words, f"output.file={file}", ranks=ranks).stdout

    def rows(self, file="out.h5"):
        """{label: {data set: its rows of this method}}"""
        with h5py.File(self.at / file) as held:
            which = held["comparison/method"][()]
            names = [name.decode() if isinstance(name, bytes) else name for name in held["comparison/method"].attrs["names"]]
            columns = {key: item[()] for key, item in held["comparison"].items() if item.shape == which.shape}
            columns["seconds"] = held["run/comparison_seconds"][()]
        return {name: {key: column[which == k] for key, column in columns.items()} for k, name in enumerate(names)}

    def test_orders_and_errors(self):
        table = self.run_deck()
        rows = self.rows()
        self.assertEqual(list(rows), ["gauss 2", "dormand-prince-853", "stormer-verlet", "forward"])
        for name in rows:
            self.assertIn(name, table)
            self.assertTrue((rows[name]["arrived"] == 11).all())
            self.assertTrue((rows[name]["seconds"] > 0).all())
            self.assertNotIn("constraint_error", rows[name])  # the motion is free
        for name, order in (("gauss 2", 4), ("stormer-verlet", 2), ("forward", 1)):
            self.assertTrue(np.isnan(rows[name]["order"][0]))
            np.testing.assert_allclose(rows[name]["order"][1:], order, atol=0.15)
        np.testing.assert_array_equal(rows["gauss 2"]["steps"], 11 * np.array([100, 200, 400]))
        np.testing.assert_array_equal(rows["gauss 2"]["step"], [0.2, 0.1, 0.05])
        adaptive = rows["dormand-prince-853"]
        self.assertTrue(np.isnan(adaptive["step"]).all() and np.isnan(adaptive["order"]).all())
        np.testing.assert_array_equal(adaptive["tolerance"], [1e-6, 1e-9])
        self.assertLess(adaptive["position_error"][1], adaptive["position_error"][0] / 30)
        with h5py.File(self.at / "out.h5") as held:
            self.assertLess(held["comparison/reference_error"][()], 1e-13)
            for item in held["comparison"].values():
                self.assertTrue(item.attrs["units"] and item.attrs["meaning"])

    def test_explicit_euler_gains_energy_and_verlet_does_not(self):
        """The drift is the gain over the time for one, and far below error over time for the other."""
        self.run_deck(METHODS, "stop.time=100")
        euler, verlet = self.rows()["forward"], self.rows()["stormer-verlet"]
        np.testing.assert_allclose(euler["energy_drift"] * 100 / euler["energy_error"], 1, atol=0.25)
        self.assertLess(np.abs(verlet["energy_drift"] * 100 / verlet["energy_error"]).max(), 0.1)

    def test_same_bits_on_any_ranks(self):
        self.run_deck(ranks=1, file="one.h5")
        self.run_deck(ranks=3, file="three.h5")
        self.assertEqual(same_bits(self.at / "one.h5", self.at / "three.h5"), [])
        self.run_deck(METHODS.replace("0.04", "0.05"), file="other.h5")  # the comparison can fail
        self.assertIn("comparison/position_error", same_bits(self.at / "one.h5", self.at / "other.h5"))

    def test_stopped_and_gone_on_with(self):
        """What has flown is not flown again, whatever the ranks; seconds aside, the result is the same."""
        self.run_deck(file="whole.h5")
        for checkpoint in (1, 2, 4, 8, 16, 32):  # until the first has flown
            self.stopped("deck.toml", "output.checkpoint_minutes=1e-5", ranks=2, checkpoint=checkpoint)
            with h5py.File(self.at / "out.h5.checkpoint") as held:
                flown = held["state/id"][:, 0]
            if len(flown) > 0:
                break
        self.assertTrue(0 < len(np.unique(flown)) == len(flown) < 22)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])  # the control
        end = self.launch("deck.toml", "--resume", ranks=3)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])
        with h5py.File(self.at / "out.h5") as held:
            self.assertTrue((held["run/comparison_seconds"][()] > 0).all())

    def test_trajectories_that_fail_are_counted(self):
        end = self.launch(self.deck(DECK + '[[methods]]\nname = "gauss"\nsteps = [0.5, 8.0]\n' + OUTPUT), ranks=RANKS)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        rows = self.rows()["gauss"]
        self.assertEqual(rows["arrived"][0], 11)
        self.assertLess(rows["arrived"][1], 11)
        self.assertIn("did not arrive", end.stdout)

    def test_it_is_drawn(self):
        self.run_deck()
        tool = SOURCE / "apps" / "python" / "cotangent-plot"
        end = subprocess.run([sys.executable, tool, "out.h5"], cwd=self.at, capture_output=True, text=True,
                             env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((end.returncode, end.stderr), (0, ""))
        self.assertEqual((self.at / "out.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        with h5py.File(self.at / "out.h5", "r+") as held:  # as a run leaves it that was stopped
            for item in ("comparison/energy_error", "comparison/position_error", "run/comparison_seconds"):
                held[item][...] = 0
        end = subprocess.run([sys.executable, tool, "out.h5"], cwd=self.at, capture_output=True, text=True)
        self.assertEqual(end.returncode, 1, end.stderr)
        self.assertIn("the run isn't finished", end.stderr)

    def test_dry_run(self):
        end = self.launch(self.deck(DECK + METHODS + OUTPUT), "--dry-run", ranks=1)
        self.assertEqual(end.returncode, 0, end.stderr)
        self.assertIn("4 methods with 9 steps or tolerances in all, on 11 starts", end.stdout)
        self.assertFalse((self.at / "out.h5").exists())


class BadInput(ProgramTest):
    def refuse(self, methods, *parts, words=()):
        self.refused(*parts, text=DECK + methods + OUTPUT, words=words)

    def test_no_methods(self):
        self.refuse("", "give the methods to compare", "[[methods]]")

    def test_unknown_method(self):
        self.refuse('[[methods]]\nname = "gaus"\nsteps = [0.1]\n', "unknown method 'gaus'", "did you mean 'gauss'?", "deck.toml:14")

    def test_neither_steps_nor_tolerances(self):
        self.refuse('[[methods]]\nname = "gauss"\n', "deck.toml:13", "give steps (fixed) or tolerances (adaptive)")

    def test_both(self):
        self.refuse('[[methods]]\nname = "gauss"\nsteps = [0.1]\ntolerances = [1e-9]\n', "not both")

    def test_values(self):
        for steps, part in (("[]", "needs one value"), ("[0.1, -0.1]", "must be positive"), ('"small"', "small")):
            self.refuse(f'[[methods]]\nname = "gauss"\nsteps = {steps}\n', "deck.toml:15", part)

    def test_a_method_without_step_control(self):
        self.refuse('[[methods]]\nname = "rk4"\ntolerances = [1e-9]\n', "rk4", "no estimate of its error")

    def test_stages(self):
        self.refuse('[[methods]]\nname = "gauss"\nstages = 40\nsteps = [0.1]\n', "stages", "40")

    def test_two_of_one_name(self):
        self.refuse('[[methods]]\nname = "rk4"\nsteps = [0.1]\n' * 2, "two methods are called 'rk4'", "label")

    def test_unknown_key(self):
        self.refuse('[[methods]]\nname = "gauss"\nsteps = [0.1]\nstage = 3\n', "'stage'", "did you mean 'stages'?")

    def test_option_of_another_method(self):
        self.refuse('[[methods]]\nname = "rk4"\nsteps = [0.1]\nstages = 3\n', "stages = 3", "no option of the method 'rk4'")


if __name__ == "__main__":
    unittest.main()
