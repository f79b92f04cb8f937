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
        self.web.value("explorer.box.focus()")
        self.web.press(".", 190, ".")
        self.assertNotEqual(self.web.value(TOLD), said)
        self.web.press(",", 188, ",")
        self.assertEqual(self.web.value(TOLD), said)
        self.web.press("Escape", 27)
        self.assertEqual(self.web.value(TOLD), "")

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
        self.web.move(*self.pixel(0, 4.0))  # nothing there
        self.assertEqual(self.web.value(TOLD), "")


if __name__ == "__main__":
    unittest.main()
