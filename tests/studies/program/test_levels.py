# SPDX-License-Identifier: BSD-3-Clause
"""The programs for levels of x86-64, as `portable` builds them: same bits where both have fused multiply-add, no mixture else.

All decks: compare_bits.py with two programs of libexec/cotangent.
"""
import os
import pathlib
import subprocess
import unittest

from launch import MPIRUN, POINCARE, PROGRAMS, ProgramTest
from results import same_bits

FOLDER = PROGRAMS.resolve().parent / "libexec" / "cotangent"
LYAPUNOV = '[indicators]\nlist = ["spectrum", "gali-4"]\n'
FORMULA = POINCARE.replace('name = "henon-heiles"', 'coordinates = ["q1", "q2"]\n'
                           'lagrangian = "(q1_dot^2 + q2_dot^2 - q1^2 - q2^2)/2 - q1^2*q2 + q2^3/3"')


def levels():
    """Those that are here and that this processor has, the lowest first."""
    found = []
    for program in sorted(FOLDER.glob("cotangent-x86-64-v*")):
        level = program.name.removeprefix("cotangent-")
        if subprocess.run([PROGRAMS / "cotangent", "--version"], env={**os.environ, "COTANGENT_CPU": level},
                          capture_output=True).returncode == 0:
            found.append(level)
    return found


class Levels(ProgramTest):
    levels = levels()

    def run_at(self, level, text, file, ranks=1):
        self.deck(text)
        self.ended("deck.toml", f"output.file={file}", ranks=ranks,
                   env={**(self.alone if ranks == 1 else os.environ), "COTANGENT_CPU": level})
        return pathlib.Path(self.at / file)

    def test_the_highest_is_taken_and_said(self):
        self.assertGreater(len(self.levels), 1)
        for level, variables in [(self.levels[-1], {}), *((level, {"COTANGENT_CPU": level}) for level in self.levels)]:
            end = self.launch("--version", ranks=1, env={**self.alone, **variables})
            self.assertIn(f"-march={level}", end.stdout)

    def test_same_bits_with_fused_multiply_add(self):
        for text in (POINCARE, POINCARE + LYAPUNOV, FORMULA):
            files = [self.run_at(level, text, f"{level}.h5") for level in self.levels]
            for file in files[2:]:
                self.assertEqual(same_bits(files[1], file), [])
            self.assertNotEqual(same_bits(files[0], files[1]), [])  # the control: the lowest level has none

    def test_ranks_of_two_levels(self):
        """With fused multiply-add in both the job has one rank's bits; else it is refused."""
        def mixed(first, second):
            start = [*MPIRUN, "1", "-x", f"COTANGENT_CPU={first}", PROGRAMS / "cotangent", "deck.toml", ":", "-n", "1", "-x",
                     f"COTANGENT_CPU={second}", PROGRAMS / "cotangent", "deck.toml"]
            return subprocess.run(start, cwd=self.at, text=True, capture_output=True, timeout=self.longest, stdin=subprocess.DEVNULL)
        whole = self.run_at(self.levels[1], POINCARE, "whole.h5")
        if len(self.levels) > 2:
            end = mixed(self.levels[1], self.levels[2])
            self.assertEqual(end.returncode, 0, end.stderr)
            self.assertEqual(same_bits(whole, self.at / "out.h5"), [])
        self.says(mixed(self.levels[0], self.levels[1]), 2, "fused multiply-add", "COTANGENT_CPU")


if __name__ == "__main__":
    unittest.main()
