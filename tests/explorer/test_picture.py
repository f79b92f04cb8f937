# SPDX-License-Identifier: BSD-3-Clause
"""The page of what has nothing to turn or to fly: its picture, in a real browser."""
import base64
import io
import unittest

import browser
from pages import SOURCE, PageTest

BOX = "document.getElementById('picture')"


@unittest.skipUnless(browser.found(), "there is no chromium")
class Picture(PageTest):
    def test_work_and_precision(self):
        result = self.result_of(SOURCE / "input" / "methods" / "henon_heiles_methods.toml", "methods", "stop.time=20")
        page = self.page_of(result)
        self.assertLess(page.stat().st_size, 300_000)
        self.web.open(page)
        self.web.until(f"{BOX}.firstChild.complete && {BOX}.firstChild.naturalWidth > 1500")
        self.assertLessEqual(self.web.value(f"{BOX}.firstChild.width"), self.web.value("innerWidth"))
        shot = self.shot()
        self.assertGreater((shot[100:600] < 0.5).mean(), 0.005)  # drawn, and not by a policy kept away
        self.assertGreater((shot[100:600] > 0.9).mean(), 0.5)
        self.web.value(f"{BOX}.focus()")
        self.web.press("Enter", 13)
        self.assertEqual(self.web.value(f"{BOX}.firstChild.width"), self.web.value(f"{BOX}.firstChild.naturalWidth"))
        self.assertGreater(self.changed(shot, self.shot()), 0.01)
        # It is the picture that cotangent-plot draws.
        from PIL import Image
        inside = Image.open(io.BytesIO(base64.b64decode(self.web.value(f"{BOX}.firstChild.src").split(",")[1])))
        self.run_program("methods.h5", "-o", "alone.png", "--dpi", "200", program="cotangent-plot")
        with Image.open(self.at / "alone.png") as alone:
            self.assertEqual(inside.size, alone.size)


if __name__ == "__main__":
    unittest.main()
