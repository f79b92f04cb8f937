# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's pages in space in a real browser: turned, zoomed, played; with and without WebGL."""
import unittest

import numpy as np

import browser
from pages import SOURCE, PageTest, column_of, in_full


@unittest.skipUnless(browser.found(), "there is no chromium")
class Space(PageTest):
    """Of each kind of motion a page, turned and moved in time: what is on the screen changes, and comes back."""

    def looked_at(self, deck, *overrides):
        result = self.result_of(SOURCE / "input" / f"{deck}.toml", deck.partition("/")[2], *overrides)
        page = self.page_of(result, "--small")
        self.assertLess(page.stat().st_size, 300_000)
        for way in ("#webgl", "#canvas"):
            self.web.open(page, way)
            self.web.until("explorer.frames > 1")
            self.assertEqual(self.web.requests, [f"file://{page}"])
            self.hands(way)
        return result

    def hands(self, way):
        first = self.shot()
        inked = float((first[80:, :800] < 0.95).any(-1).mean())
        self.assertGreater(inked, 0.001, way)
        part = 0.15 * inked
        self.web.drag(400, 400, 520, 460)
        self.assertGreater(self.changed(first, self.shot()), part, way)
        self.web.value("explorer.box.focus()")
        self.web.press("Home", 36)
        self.assertLess(self.changed(first, self.shot()), part / 10, way)
        self.web.wheel(400, 400, 300)
        self.assertGreater(self.changed(first, self.shot()), part, way)
        self.web.press("0", 48, "0")
        clock = self.web.value("document.getElementById('clock').textContent")
        self.web.value("(s => { s.value = s.max / 5; s.oninput(); })(document.getElementById('time'))")
        self.assertNotEqual(self.web.value("document.getElementById('clock').textContent"), clock)
        self.assertGreater(self.changed(first, self.shot()), 5e-4, way)
        frame = self.web.value("explorer.frame")
        self.web.value("document.getElementById('play').click()")
        self.web.until(f"explorer.frame > {frame}")
        self.web.value("explorer.play(false)")

    def test_trajectories_on_a_surface(self):
        result = self.looked_at("surfaces/torus_geodesic")
        vertices, at = column_of(result, "surface/vertices"), column_of(result, "trajectory/q")
        low = np.minimum(vertices.min(0), at.min((0, 1)))
        self.assertLess(np.abs(np.array(self.web.value("explorer.data.low")) - low).max(), 0.05)
        # The places are those of the result, to the page's 16 bits: the last of them.
        here = np.array(self.web.value("Array.from(explorer.placesAt(explorer.times.length - 1))")).reshape(-1, 3)
        self.assertLess(np.abs(here - at[:, -1]).max(), np.ptp(at) / 65000)

    @in_full
    def test_particles_on_a_torus(self):
        self.looked_at("particles/lennard_jones_on_torus", "particles.count=4000", "stop.time=0.4", "output.frames_every=0.1")

    @in_full
    def test_billiard(self):
        self.looked_at("billiards/three_circles")

    @in_full
    def test_sheet(self):
        self.looked_at("lattices/elastic_sheet")

    def test_water(self):
        self.looked_at("overland/v_catchment")

    @in_full
    def test_chain_of_rods(self):
        result = self.looked_at("mechanisms/rod_chain")
        self.assertEqual(self.web.value("explorer.links.length"), 2 * len(column_of(result, "particles/ends")))


if __name__ == "__main__":
    unittest.main()
