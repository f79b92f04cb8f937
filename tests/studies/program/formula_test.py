# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of decks with formulas share: a cache, and a deck."""
import os
import pathlib
import tempfile

import h5py

from launch import RANKS, ProgramTest

HENON_HEILES = """coordinates = ["q1", "q2"]
lagrangian = "0.5*(q1_dot*q1_dot + q2_dot*q2_dot) - q1*q1*(0.5 + q2) + q2*q2*(q2 - 1.5)/3"
"""
SECTION = """[method]
name = "gauss"
stages = 8
step = 0.25
[section]
where = "{0}"
direction = "both"
[ensemble]
energy = {1}
random = {{ count = 20, seed = 4, {2} = [-0.3, 0.3], {2}_dot = [-0.3, 0.3] }}
[stop]
crossings = 20
[output]
file = "out.h5"
"""


def deck_of(model, study="poincare", rest=SECTION.format("q1", "0.125", "q2")):
    return f'study = "{study}"\n[model]\n{model}{rest}'


# A cache for the tests that aren't about the cache: that of the build folder, where ctest names it.
OWN = tempfile.TemporaryDirectory(prefix="cotangent_formulas_")
SHARED = os.environ.get("COTANGENT_CACHE") or OWN.name


class FormulaTest(ProgramTest):
    longest = 300

    def setUp(self):
        super().setUp()
        self.cache = pathlib.Path(SHARED)
        self.set_variable("COTANGENT_CACHE", self.cache)

    def set_variable(self, name, value):
        """An environment variable of the programs of this test."""
        before = os.environ.get(name)
        os.environ[name] = self.alone[name] = str(value)
        self.addCleanup(lambda: os.environ.pop(name) if before is None else os.environ.__setitem__(name, before))

    def run_to(self, name, text, *words, ranks=RANKS, **options):
        return self.ended(self.deck(text), f"output.file={name}", *words, ranks=ranks, **options).stdout

    def final(self, text, *words):
        self.run_to("out.h5", text, *words)
        with h5py.File(self.at / "out.h5") as found:
            orbits = found["orbits"]
            return orbits["initial"][()], orbits["final"][()], max(orbits["energy_error"][()]), found["trajectory/energy"][()]
