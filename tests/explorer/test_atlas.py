# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's page of an atlas in a real browser: the map's numbers and pixels, and a cell's orbits against the program's."""
import tomllib
import unittest

import numpy as np

import browser
from pages import PageTest, column_of

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
grid = { q2 = [-0.7, 0.9, 17], q2_dot = [-0.2, 0.2, 3] }
[stop]
time = 60.0
[atlas]
across = "energy"
up = "q2"
levels = 2
[output]
file = "out.h5"
"""
# A line over a parameter, whose starts are drawn; and orbits without a section.
LINE = """study = "atlas"
[model]
name = "magnetic-chain"
alpha = { from = 19.8, to = 20.0, count = 5 }
[method]
name = "gauss"
stages = 8
tolerance = 1e-11
[section]
where = "t"
direction = "both"
condition = "p_t > 0"
[ensemble]
energy = -10.9
random = { count = 6, seed = 12, s = [-0.3, 0.3], s_dot = [-0.2, 0.2] }
[stop]
time = 150.0
[atlas]
across = "alpha"
levels = 1
[output]
file = "out.h5"
"""
ESCAPE = """study = "atlas"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 8
step = 0.5
[ensemble]
energy = 0.2
grid = { q1 = [-0.5, 0.5, 5], q2 = [-0.3, 0.5, 3], q1_dot = [0.0, 0.0, 1] }
[stop]
time = 20.0
[exits]
up = "q2 > 1.5"
left = "q1 < -1.2 and q2 < 0"
right = "q1 > 1.2 and q2 < 0"
[atlas]
across = "q1"
up = "q2"
levels = 1
[output]
file = "out.h5"
"""
TOLD = "document.getElementById('map-told').textContent"


class AtlasTest(PageTest):
    def middle(self, i, j):
        """On the screen, of a cell."""
        left, top, width, height = self.web.value(f"explorer.boxOf({i}, {j})")
        return self.corner[0] + left + width / 2, self.corner[1] + top + height / 2

    def click(self, i, j):
        self.web.click(*self.middle(i, j))
        self.web.until("explorer.chosen && !explorer.flight")

    def deck(self, button):
        self.web.value(f"[...document.querySelectorAll('#atlas-page button')].find(b => b.textContent === '{button}').click()")
        deck = self.web.value("document.querySelector('#deck textarea').value")
        self.web.value("document.getElementById('close').click()")
        tomllib.loads(deck)
        return deck


@unittest.skipUnless(browser.found(), "there is no chromium")
class Map(AtlasTest):
    def setUp(self):
        self.result = self.opened(ATLAS, "atlas")

    def test_all_answers_are_there(self):
        seen = column_of(self.result, "atlas/level")
        self.assertGreater((seen < 0).sum(), 30)  # what the page finds between corners
        for name in self.web.value("explorer.data.quantities.map(q => q.name)"):
            stored = column_of(self.result, f"atlas/{name}")
            shown = np.array(self.web.value(f"Array.from(explorer.valuesNamed('{name}'), v => Number.isFinite(v) ? v : null)"),
                             float).reshape(stored.shape)
            np.testing.assert_array_equal(np.isfinite(shown), np.isfinite(stored), name)
            good = np.isfinite(stored)
            self.assertLessEqual(np.abs(shown - stored)[good].max(), max(np.ptp(stored[good]), 1e-12) / 65000, name)
        # The control: as if a coarse level had been the last, it's another map.
        other = "(() => { const m = new AtlasMap({...explorer.data, levels: 1}); return Array.from(m.values(explorer.quantity), v => v || 0); })()"
        stored = np.nan_to_num(column_of(self.result, "atlas/regular"))
        self.assertGreater(np.abs(np.array(self.web.value(other)).reshape(stored.shape) - stored).max(), 0.1)

    def test_colours_and_hatches(self):
        regular, forbidden = column_of(self.result, "atlas/regular"), column_of(self.result, "atlas/forbidden")
        shot = self.shot()

        def patch(j, i, size=9):
            x, y = (int(round(c)) for c in self.middle(i, j))
            return shot[y - size:y + size, x - size:x + size].reshape(-1, 3)

        wholly = np.argwhere((regular == 1) & (forbidden < 1))[0]
        hardly = np.argwhere(regular == np.nanmin(regular))[0]
        nowhere = np.argwhere(forbidden >= 1)[0]
        self.assertLess(np.ptp(patch(*wholly), 0).max(), 0.01)  # one colour, the lightest
        self.assertLess(np.abs(patch(*wholly)[0] * 255 - [0xfe, 0xe8, 0x38]).max(), 2)
        share = float(np.nanmin(regular))
        self.assertLess(np.abs(patch(*hardly)[0] * 255 - self.web.value(f"cividisAt({share})")).max(), 2)
        self.assertGreater(np.ptp(patch(*nowhere).mean(1)), 0.3)  # lines on white
        grey = np.array(self.web.value("cividis")) @ [0.2126, 0.7152, 0.0722]
        self.assertGreater(np.diff(grey).min(), 5)  # told apart in grey as well
        before = shot
        self.web.value("(s => { s.value = explorer.data.quantities.findIndex(q => q.name === 'lyapunov'); s.onchange(); })"
                       "(document.getElementById('quantity'))")
        self.assertGreater(self.changed(before, self.shot()), 0.05)
        self.assertIn("Lyapunov", self.web.value("document.getElementById('map-legend').textContent"))

    def test_hover_tells_a_cell(self):
        self.web.move(*self.middle(6, 10))
        said = self.web.value(TOLD)
        self.assertIn("energy = 0.1325, q₂ = 0.3", said)
        exponent = column_of(self.result, "atlas/lyapunov")[10, 6]
        self.assertIn(f"largest Lyapunov exponent: {exponent:.4g}"[:-1], said)
        self.web.move(*self.middle(0, 0))
        self.assertIn("share of forbidden starts: 1\n", self.web.value(TOLD))

    def test_keys(self):
        self.web.value("explorer.box.focus()")
        self.web.press("ArrowRight", 39)
        first, before = self.web.value("explorer.cell"), self.shot()
        self.assertEqual(first, [4, 8])
        self.web.press("ArrowRight", 39)
        self.web.press("ArrowDown", 40)
        self.assertEqual(self.web.value("explorer.cell"), [5, 7])
        self.assertIn("energy = 0.11875, q₂ = 0\n", self.web.value(TOLD))
        self.assertGreater(self.changed(before, self.shot()), 2e-4)
        self.web.press("Enter", 13)
        self.web.until("explorer.orbits.length > 0 && !explorer.flight")
        self.assertGreater(self.changed(before, self.shot()), 1e-3)
        window = self.web.value("explorer.plane.window")
        self.web.press("+", 187, "+")
        self.assertNotEqual(self.web.value("explorer.plane.window"), window)
        self.web.press("0", 48, "0")
        self.assertEqual(self.web.value("explorer.plane.window"), window)
        self.web.press("Escape", 27)
        self.assertEqual(self.web.value("[explorer.orbits.length, explorer.chosen]"), [0, None])

    def test_a_forbidden_cell_has_no_start(self):
        self.click(0, 0)
        self.assertEqual(self.web.value("explorer.orbits.length"), 0)
        self.assertIn("0 of 3 starts allowed", self.web.value("document.getElementById('cell-status').textContent"))

    def test_nothing_of_a_title_runs(self):
        hostile = "</script><script>window.bad = 1</script><img src=x onerror='window.bad = 1'>"
        self.opened(ATLAS, "hostile", words=("--title", hostile))
        self.assertEqual(self.web.value("document.getElementById('title').textContent"), hostile)
        self.assertIsNone(self.web.value("window.bad"))


@unittest.skipUnless(browser.found(), "there is no chromium")
class Cells(AtlasTest):
    """The orbits of a cell against those of the decks that the page gives."""

    def compared(self, deck, name, cell, other, columns):
        self.opened(deck, name)
        before = self.shot()
        self.click(*cell)
        self.assertGreater(self.changed(before, self.shot()), 5e-4)
        starts = np.array(self.web.value("explorer.orbits.map(o => [...o.q, ...o.v])"))
        points = self.web.value("explorer.orbits.map(o => o.points)")
        result = self.result_of(self.deck("copy all as deck"), f"{name}_cell")
        initial = column_of(result, "orbits/initial")
        rows = np.flatnonzero(np.isfinite(initial).all(1))
        self.assertEqual(starts.shape, initial[rows].shape)
        self.assertLess(np.abs(starts - initial[rows]).max(), 1e-12)
        compared = 0
        for row, flown in zip(rows, points):
            stored = column_of(result, "section/points")[row][:, columns]
            stored = stored[np.isfinite(stored).all(1)][:10]
            self.assertLess(np.abs(np.array(flown[:len(stored)]).reshape(-1, 2) - stored).max(initial=0), 1e-6)
            compared += len(stored)
        self.assertGreater(compared, 10)
        # One start alone; and the control, another cell.
        alone = self.result_of(self.deck("copy as deck"), f"{name}_alone")
        self.assertLess(np.abs(column_of(alone, "orbits/initial")[0] - starts[0]).max(), 1e-15)
        stored = column_of(alone, "section/points")[0][:5, columns]
        self.assertLess(np.abs(np.array(points[0][:5]) - stored[:len(points[0])]).max(), 1e-6)
        self.click(*other)
        self.assertGreater(np.abs(np.array(self.web.value("[...explorer.orbits[0].q, ...explorer.orbits[0].v]")) - starts[0]).max(), 1e-3)

    def test_starts_of_a_grid(self):
        self.compared(ATLAS, "atlas", (5, 8), (6, 8), [1, 3])

    def test_starts_that_are_drawn(self):
        self.compared(LINE, "line", (4, 0), (1, 0), [1, 3])
        self.assertEqual(self.web.value("explorer.map.height"), 1)

    def test_orbits_without_a_section(self):
        self.opened(ESCAPE, "escape")
        self.click(1, 1)
        end = np.array(self.web.value("(o => [o.flight.t, ...o.flight.q])(explorer.orbits[0])"))
        self.assertGreaterEqual(end[0], 20)
        self.assertLess(end[0], 20.2)
        result = self.result_of(self.deck("copy as deck"), "escape_alone", 'exits.up="q2 > 9"', f"stop.time={end[0]}", f"output.every={end[0]}")
        self.assertLess(np.abs(column_of(result, "trajectory/q")[0, -1] - end[1:]).max(), 1e-8)


if __name__ == "__main__":
    unittest.main()
