# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's page of periodic orbits in a real browser: families as lines, what branches, the numbers of each orbit."""
import unittest

import numpy as np

import browser
from pages import SOURCE, PageTest, column_of

TOLD = "document.getElementById('family-told').textContent"


@unittest.skipUnless(browser.found(), "there is no chromium")
class Periodic(PageTest):
    def opened(self, deck, *overrides):
        return super().opened(SOURCE / "input" / "chaos" / f"{deck}.toml", deck, *overrides)

    def gaps(self, shot, x0, y0, x1, y1):
        """The share of a straight line between two places on which nothing is drawn."""
        (px, py), (qx, qy) = self.pixel(x0, y0), self.pixel(x1, y1)
        steps = np.linspace(0.1, 0.9, 200)
        return float(np.mean([shot[int(py + s * (qy - py)) - 1:int(py + s * (qy - py)) + 2, int(px + s * (qx - px)) - 1:
                                   int(px + s * (qx - px)) + 2].min() > 0.9 for s in steps]))

    def test_a_family(self):
        result = self.opened("henon_heiles_periodic", "continuation.to=0.145", "continuation.offspring=0")
        value, trace = column_of(result, "families/value")[0], column_of(result, "families/trace")[0]
        stable, known = column_of(result, "families/stability")[0] == 1, np.isfinite(column_of(result, "families/value")[0])
        names = self.web.value("explorer.data.names")
        shown = np.array(self.web.value("explorer.data.families[0].columns"))
        self.assertLess(np.abs(shown[0] - value[known]).max(), 1e-11)
        self.assertLess(np.abs(shown[names.index("trace")] - trace[known]).max(), 1e-11 * np.abs(trace[known]).max())
        # The period doubles at E = 0.1352859193 (Brack 2001): the line is solid before, dashed after.
        self.web.value(f"(s => {{ s.value = {names.index('trace')}; s.onchange(); }})(document.getElementById('family-y'))")
        shot = self.shot()
        here = np.flatnonzero(known)
        solid = [k for k in here[:-1] if stable[k] and stable[k + 1] and value[k + 1] < 0.134]
        dashed = [k for k in here[:-1] if not stable[k] and not stable[k + 1] and trace[k + 1] > -6]
        gap = [np.mean([self.gaps(shot, value[k], trace[k], value[k + 1], trace[k + 1]) for k in part]) for part in (solid, dashed)]
        self.assertLess(gap[0], 0.02)
        self.assertGreater(gap[1], 0.15)
        branch = self.web.value("explorer.data.families[0].marks.find(m => m.n === 2).columns")
        self.assertAlmostEqual(branch[0], 0.1352859193, 9)
        self.web.move(*self.pixel(branch[0], branch[names.index("trace")]))
        self.assertIn("its period doubles", self.web.value(TOLD))
        self.assertIn("energy = 0.1352859193", self.web.value(TOLD))
        middle = solid[len(solid) // 2]
        self.web.click(*self.pixel(value[middle], trace[middle]))
        said = self.web.value(TOLD)
        self.assertIn(": stable", said)
        self.assertIn(f"energy = {value[middle]:.9g}"[:-1], said)
        self.assertGreater(self.changed(shot, self.shot()), 2e-5)
        self.flown(value[middle], column_of(result, "families/period")[0][known][middle - here[0]])
        self.web.value("explorer.box.focus()")
        self.web.press(".", 190, ".")
        self.assertNotEqual(self.web.value(TOLD), said)
        self.web.press(",", 188, ",")
        self.assertEqual(self.web.value(TOLD), said)
        self.web.press("Escape", 27)
        self.assertEqual(self.web.value(TOLD), "")

    def flown(self, energy, period):
        """The orbit chosen is flown and drawn, closes, and is the program's by the deck that the page gives."""
        self.assertEqual(self.web.value("explorer.closed.period"), period)
        states = np.array(self.web.value("explorer.closed.states"))
        self.assertLess(self.web.value("explorer.closed.gap"), 1e-9)
        self.assertIn("flown in the page for one period", self.web.value("document.getElementById('closed-told').textContent"))
        corner = self.web.value("(r => [r.left, r.top])(document.getElementById('closed').getBoundingClientRect())")
        shot = self.shot()
        for state in states[::17]:
            x, y = (int(a + b) for a, b in zip(corner, self.web.value(f"explorer.beside.toPixels({state[0]}, {state[1]})")))
            self.assertLess(shot[y - 2:y + 3, x - 2:x + 3].min(), 0.6)  # drawn where it is
        away = [int(a + b) for a, b in zip(corner, self.web.value("explorer.beside.toPixels(0.1, 0.137)"))]
        self.assertGreater(shot[away[1] - 2:away[1] + 3, away[0] - 2:away[0] + 3].min(), 0.9)
        self.web.value("document.getElementById('closed-deck').click()")
        deck = self.web.value("document.querySelector('#deck textarea').value")
        self.web.value("document.getElementById('close').click()")
        orbit = self.result_of(deck, "closed")
        q, v = column_of(orbit, "trajectory/q")[0], column_of(orbit, "trajectory/v")[0]
        self.assertEqual(len(q), len(states))
        self.assertLess(np.abs(np.hstack([q, v]) - states).max(), 1e-9)
        self.assertAlmostEqual(column_of(orbit, "orbits/energy")[0], energy, 11)
        # The control: the neighbour's orbit is another, and half of the period doesn't close.
        self.web.press(".", 190, ".")
        self.assertGreater(np.abs(np.array(self.web.value("explorer.closed.states")) - states).max(), 1e-4)
        self.web.press(",", 188, ",")
        self.assertGreater(np.abs(states[len(states) // 2] - states[0]).max(), 1e-2)

    def test_orbits_on_their_section(self):
        result = self.opened("standard_map_residues")
        whose, returns = column_of(result, "orbits/points_orbit"), column_of(result, "orbits/returns")
        self.assertEqual(self.web.value("explorer.data.families.map(f => f.columns[0].length)"), [int((whose == k).sum()) for k in range(len(returns))])
        first = column_of(result, "orbits/points")[np.flatnonzero(whose == 0)[3]]
        x = (first[0] + np.pi) % (2 * np.pi) - np.pi
        self.web.move(*self.pixel(x, first[1]))
        said = self.web.value(TOLD)
        self.assertIn("orbit 0, 13 returns: stable", said)
        self.assertIn("residue = 0.24660815", said)
        self.assertTrue(self.web.value("document.getElementById('closed').hidden"))  # kicked: not flown, which it says
        self.assertIn("kicked", self.web.value("document.getElementById('family-why').textContent"))
        self.web.move(*self.pixel(0, 4.0))  # nothing there
        self.assertEqual(self.web.value(TOLD), "")

    def test_paths_between_walls(self):
        result = PageTest.opened(self, SOURCE / "input" / "billiards" / "stadium_orbits.toml", "stadium_orbits", "ensemble.random.count=20")
        points, whose = column_of(result, "orbits/points"), column_of(result, "orbits/points_orbit")
        path, period = column_of(result, "orbits/path"), column_of(result, "orbits/period")
        self.assertEqual(self.web.value("document.title"), "Periodic orbits of a billiard")
        alone = [k for k in range(len(points)) if np.sort(np.hypot(*(points[:, :2] - points[k, :2]).T))[1] > 0.1]
        for k in alone[:2]:
            self.web.click(*self.pixel(*points[k, :2]))
            self.assertEqual(self.web.value("explorer.chosen.family.family"), whose[k])
            self.assertIn("bounce", self.web.value(TOLD))
            told = self.web.value("document.getElementById('closed-told').textContent")
            self.assertIn("the path stored", told)
            self.assertIn(f"{period[whose[k]]:.6g}"[:6], told)
            np.testing.assert_allclose(self.web.value("explorer.closed.lines[0]"), path[whose[k], :, :2], atol=1e-3)
            self.assertTrue(self.web.value("document.getElementById('closed-deck').hidden"))
            corner = self.web.value("(r => [r.left, r.top])(document.getElementById('closed').getBoundingClientRect())")
            shot = self.shot()

            def darkest(x, y):
                px, py = (int(a + b) for a, b in zip(corner, self.web.value(f"explorer.beside.toPixels({x}, {y})")))
                return shot[py - 2:py + 3, px - 2:px + 3].min()
            self.assertLess(max(darkest(*place) for place in points[whose == whose[k]][:, :2]), 0.7)  # each bounce
            self.assertLess(max(darkest(x, 1) for x in (-0.77, 0.31, 0.83)), 0.7)  # the wall
            self.assertGreater(darkest(1.93, 0.93), 0.9)  # a control: nothing outside


if __name__ == "__main__":
    unittest.main()
