# SPDX-License-Identifier: BSD-3-Clause
"""Pages made by the programs of a build, one folder for a whole test, and what one sees on them."""
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import matplotlib.image
import numpy as np

import browser

PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", "."))
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "apps" / "python"), str(SOURCE / "tests" / "studies" / "program")]
from launch import in_full  # noqa: E402, F401

HENON_HEILES = """study = "poincare"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 10
step = 1.0
[section]
where = "q1"
[ensemble]
energy = 0.125
grid = { q2 = [-0.4, 0.7, 12], q2_dot = [-0.4, 0.4, 11] }
[stop]
crossings = 150
[output]
file = "out.h5"
[indicators]
list = ["lyapunov"]
"""
DOUBLE_PENDULUM = """study = "poincare"
[model]
name = "double-pendulum"
m2 = 0.5
[method]
name = "gauss"
stages = 10
tolerance = 1e-13
[section]
where = "a"
[ensemble]
energy = { from = -1.6, to = 12.0, count = 2 }
random = { count = 12, seed = 3, b = [-1.5, 1.5] }
[stop]
crossings = 40
[output]
file = "out.h5"
"""
MAGNETIC_CHAIN = """study = "poincare"
[model]
name = "magnetic-chain"
alpha = 18.0
[method]
name = "gauss"
stages = 12
step = 0.25
[section]
where = "t"
direction = "both"
condition = "p_t > 0"
[ensemble]
energy = -9.7324
random = { count = 10, seed = 1, s = [-0.35, 0.35], s_dot = [-0.3, 0.3] }
[stop]
crossings = 40
[output]
file = "out.h5"
[plot]
axes = ["s", "p_s"]
"""


class PageTest(unittest.TestCase):
    """`self.at` is the folder of the class, `self.web` its browser. No console error is forgiven."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_pages_")
        cls.addClassCleanup(folder.cleanup)
        cls.at = pathlib.Path(folder.name)
        cls.environment = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"}
        cls.web = cls.enterClassContext(browser.Browser())

    def tearDown(self):
        self.assertEqual(self.web.messages, [])

    @classmethod
    def run_program(cls, *words, program="cotangent"):
        end = subprocess.run([PROGRAMS / program, *map(str, words)], cwd=cls.at, env=cls.environment, text=True, timeout=300,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if end.returncode != 0:
            raise AssertionError(f"{program} {words}: {end.returncode}\n{end.stdout}{end.stderr}")
        return end.stdout

    @classmethod
    def result_of(cls, deck, name, *overrides):
        """The result of a deck's text, or of a deck of input/."""
        if isinstance(deck, pathlib.Path):
            path = deck
        else:
            path = cls.at / f"{name}.toml"
            path.write_text(deck)
        cls.run_program(path, f"output.file={name}.h5", *overrides)
        return cls.at / f"{name}.h5"

    @classmethod
    def page_of(cls, result, *words):
        page = result.with_suffix(".html")
        cls.run_program(result, "--html", page, *words, program="cotangent-plot")
        return page

    def opened(self, deck, name, *overrides, words=()):
        """The result of a deck, after its small page has been opened and its first frame drawn."""
        result = self.result_of(deck, name, *overrides)
        page = self.page_of(result, "--small", *words)
        self.assertLess(page.stat().st_size, 300_000)
        self.web.open(page)
        self.web.until("explorer.frames > 0")
        self.assertEqual(self.web.requests, [f"file://{page}"])
        self.corner = self.web.value("(r => [r.left, r.top])(explorer.overlay.getBoundingClientRect())")
        return result

    def pixel(self, x, y):
        """On the screen, of a place of the plot."""
        return [c + p for c, p in zip(self.corner, self.web.value(f"explorer.plane.toPixels({x}, {y})"))]

    def shot(self):
        """What is on the screen: pixels [rows, columns, 3]. The last frame asked for is drawn."""
        self.web.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return matplotlib.image.imread(io.BytesIO(self.web.picture()))[..., :3]

    def changed(self, before, after):
        """The part of pixels of the plot that differ."""
        width = int(before.shape[1] * 0.7)
        return float((np.abs(before - after).max(-1) > 0.05)[80:, :width].mean())


def column_of(result, name):
    """A data set of a result."""
    with h5py.File(result) as file:
        return file[name][()]
