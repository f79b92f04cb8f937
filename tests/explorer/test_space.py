# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's pages in space in a real browser: turned, zoomed, played; with and without WebGL."""
import base64
import pathlib
import sys
import tempfile
import unittest

import h5py
import numpy as np

import browser
from pages import SOURCE, PageTest, column_of, in_full

sys.path.insert(0, str(SOURCE / "tests" / "plot"))
import synthetic  # noqa: E402
from cotangent.explorer import page, space  # noqa: E402
from cotangent.plot import cli  # noqa: E402
from cotangent.plot.result import PlotError, Result  # noqa: E402


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


class Described(unittest.TestCase):
    """What pages are told of runs that have ended early, or not begun; without a browser."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_pages_")
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "a.h5"
        self.options = cli.Options(cli.parser().parse_args([str(self.file)]))

    def changed(self, **values):
        """Values of data sets, set in the file."""
        with h5py.File(self.file, "r+") as file:
            for name, value in values.items():
                file[name.replace("_of_", "/")][...] = value

    def places(self):
        """(data, places [instants, points, 3]) of the page."""
        data, _ = space.described(Result(self.file), self.options)
        points = data["points"]
        whole = np.frombuffer(base64.b64decode(points["data"]), "<u2").reshape(len(data["times"]), points["count"], 3)
        low, high = np.array(points["low"]), np.array(points["high"])
        return data, low + whole / 65535 * (high - low)

    def test_a_trajectory_that_ends_early_stays_where_it_did(self):
        synthetic.on_sphere(self.file, count=3)
        whole, at = self.places()
        synthetic.on_sphere(self.file, count=3, cut=150)
        cut, early = self.places()
        self.assertEqual(cut["times"], whole["times"])
        np.testing.assert_allclose(early[:, :2], at[:, :2], atol=1e-4)
        np.testing.assert_allclose(early[:50, 2], at[:50, 2], atol=1e-4)
        np.testing.assert_allclose(early[50:, 2], np.broadcast_to(at[49, 2], (150, 3)), atol=1e-4)
        self.assertIn("1 of 3 trajectories ended earlier, and stay where they did", cut["notes"])
        self.assertFalse([note for note in whole["notes"] if "ended" in note])

    def test_who_never_flew_is_left_out(self):
        synthetic.on_sphere(self.file, count=4)
        with h5py.File(self.file, "r+") as file:
            file["trajectory/q"][1] = np.nan
        data, at = self.places()
        self.assertEqual((at.shape, data["points"]["count"]), ((200, 3, 3), 3))
        self.assertIn("1 of 4 trajectories couldn't start", data["notes"])

    def test_what_has_not_begun_is_said(self):
        for make, change, said in (
                (lambda: synthetic.on_sphere(self.file), {"orbits_of_status": 0}, "no sample of the trajectories yet"),
                (lambda: synthetic.on_sphere(self.file), {"trajectory_of_q": np.nan, "orbits_of_status": 0}, "no sample of the trajectories yet"),
                (lambda: synthetic.particles(self.file), {"particles_of_time": np.nan}, "no sample of the particles yet"),
                (lambda: synthetic.mechanism(self.file), {"particles_of_time": np.nan}, "no sample of the particles yet"),
                (lambda: synthetic.billiard(self.file), {"orbits_of_status": 0}, "no particle has been flown yet")):
            make()
            self.changed(**change)
            with self.assertRaisesRegex(PlotError, said) as refusal:
                page(Result(self.file), self.options)
            self.assertEqual(refusal.exception.code, 1)
        synthetic.on_sphere(self.file)
        self.changed(trajectory_of_q=np.nan)
        with self.assertRaisesRegex(PlotError, "none could start") as refusal:
            page(Result(self.file), self.options)
        self.assertEqual(refusal.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
