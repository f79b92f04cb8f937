# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's page of energy landscapes in a real browser: the map, its stationary points, orbits that roll on it."""
import unittest

import numpy as np

import browser
from pages import SOURCE, PageTest, column_of

TOLD = "document.getElementById('land-told').textContent"


def henon_heiles(x, y):
    return (x * x + y * y) / 2 + x * x * y - y ** 3 / 3


@unittest.skipUnless(browser.found(), "there is no chromium")
class Landscape(PageTest):
    def opened(self, name, *overrides):
        return super().opened(SOURCE / "input" / "landscapes" / f"{name}.toml", name, *overrides)

    def patch(self, x, y, shot, size=6):
        px, py = (int(round(c)) for c in self.pixel(x, y))
        return shot[py - size:py + size, px - size:px + size].reshape(-1, 3)

    def test_map_points_and_orbits(self):
        result = self.opened("henon_heiles_landscape")
        # What is stored, between the places that are, against U itself; and the control, U elsewhere.
        for x, y in ((0.3, 0.2), (-0.7, 0.9), (1.0, -0.6)):
            share = f"explorer.levelOf(explorer.shareAt({x}, {y}))"
            self.assertAlmostEqual(self.web.value(share), henon_heiles(x, y), 3)
            self.assertGreater(abs(self.web.value(share) - henon_heiles(x + 0.1, y)), 0.01)
            self.assertAlmostEqual(self.web.value(f"explorer.energyAt([{x}, {y}])"), henon_heiles(x, y), 14)
        shot = self.shot()
        low, high = np.median(self.patch(0.1, 0.1, shot), 0), np.median(self.patch(1.1, 1.2, shot), 0)
        self.assertLess(low @ [0.2126, 0.7152, 0.0722], 0.2)
        self.assertGreater(high @ [0.2126, 0.7152, 0.0722], 0.7)
        # Stationary points: three saddles and a minimum, each drawn by a sign of its own.
        kinds, energies = column_of(result, "landscape/stationary/type"), column_of(result, "landscape/stationary/energy")
        self.assertEqual(sorted(self.web.value("explorer.map.points.map(p => p.kind)")), sorted(kinds.tolist()))
        self.assertLess(np.abs(self.patch(0, 1, shot) - [0xd5 / 255, 0x5e / 255, 0]).max(1).min(), 0.05)
        self.assertGreater(self.patch(0, 0, shot).min(1).max(), 0.95)  # the minimum is white
        self.web.move(*self.pixel(0, 1))
        said = self.web.value(TOLD)
        self.assertIn("saddle", said)
        self.assertIn(f"U = {energies.max():.10f}", said)
        self.web.move(*self.pixel(0.5, 0.5))
        self.assertNotIn("saddle", self.web.value(TOLD))
        self.assertIn("U = 0.3333", self.web.value(TOLD))
        self.web.value("explorer.box.focus()")
        self.web.press("Escape", 27)
        shot, told = self.shot(), []  # with the ring of what has the focus
        for _ in range(4):
            self.web.press("]", 221, "]")
            told.append(self.web.value(TOLD))
        self.assertEqual(len(set(told)), 4)
        self.assertGreater(self.changed(shot, self.shot()), 2e-4)
        # An orbit from rest keeps its energy, and so stays below it.
        self.web.press("Escape", 27)
        self.assertLess(self.changed(shot, self.shot()), 1e-5)
        self.web.click(*self.pixel(0.2, 0.5))
        self.web.until("explorer.orbits.length === 1 && !explorer.flight", 100)
        points = np.array(self.web.value("explorer.orbits[0].points"))
        first = self.web.value("explorer.orbits[0].first")
        self.assertGreater(len(points), 100)
        self.assertLess(henon_heiles(*points.T).max(), henon_heiles(*first) + 1e-12)
        self.assertGreater(np.ptp(points[:, 1]), 0.5)
        self.assertGreater(self.changed(shot, self.shot()), 2e-3)

    def test_out_of_the_domain_is_hatched(self):
        self.opened("magnetic_chain_contact")
        shot = self.shot()
        self.assertLess(self.web.value("explorer.shareAt(1.57, 1.57)"), 0)
        hatched, mapped = self.patch(1.57, 1.57, shot, 12), self.patch(0.3, 0.3, shot, 4)
        self.assertGreater(float((hatched.min(1) > 0.95).mean()), 0.6)
        self.assertGreater(np.ptp(hatched.mean(1)), 0.3)
        self.assertLess(float((mapped.min(1) > 0.95).mean()), 0.1)

    def test_lines_of_bands_thin_out_where_bands_are_narrow(self):
        """Where the lens of low energy ends all levels meet: lines of all bands would cover half of what is there."""
        self.opened("magnetic_chain_contact")
        table = np.array(self.web.value("Array.from({length: bands}, (_, k) => cividisAt((k + 0.5) / bands))")) / 255
        lines = {}
        for name, x, y, size in (("narrow", 0.47, 2.33, 12), ("wide", 0.3, 1.2, 30)):
            shot = self.patch(x, y, self.shot(), size)
            lines[name] = float((np.abs(shot[:, None] - table).max(2).min(1) > 0.02).mean())
            bands = self.web.value(f"""(() => {{ const [px, py] = explorer.plane.toPixels({x}, {y}), found = [];
              for (let j = -{size}; j < {size}; ++j) for (let i = -{size}; i < {size}; ++i)
                found.push(Math.floor(bands * explorer.shareAt(...explorer.plane.toPlace(px + i, py + j))));
              return found; }})()""")
            at = np.reshape(bands, (2 * size, 2 * size))
            lines[name + " bands"] = float(((at[:-1, :-1] != at[1:, :-1]) | (at[:-1, :-1] != at[:-1, 1:])).mean())
        self.assertGreater(lines["narrow bands"], 0.4)
        self.assertLess(lines["narrow"], 0.3, lines)
        self.assertGreater(lines["narrow"], 0.02)
        self.assertLess(abs(lines["wide"] - lines["wide bands"]), 0.01)  # the control: nothing is left out there
        self.assertGreater(lines["wide"], 0.005)


if __name__ == "__main__":
    unittest.main()
