# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: a result as one HTML page that draws itself, turns, plays, and flies new orbits where one clicks.

    page(result, options) -> text     `cotangent-plot RESULT.h5 --html PAGE.html`
"""
from .page import page

__all__ = ["page"]
