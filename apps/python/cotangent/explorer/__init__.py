# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: a result as one HTML page that draws itself, turns, plays, and flies new orbits where one clicks.

    cotangent-plot RESULT.h5 --html PAGE.html       in a shell
    result.explore()                                in a notebook, where the page stands in its cell
"""
from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from .page import page

__all__ = ["Page", "explore", "page"]


class Page:
    """A page that has been written; a notebook shows it. ``path`` is where it lies."""

    def __init__(self, path: Path):
        self.path = path

    def _repr_html_(self) -> str:
        text = html.escape(self.path.read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{text}" sandbox="allow-scripts" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"Page({str(self.path)!r})"


def explore(result: Path, path: Path, **options: Any) -> Page:
    """Writes the page of a result file, with options of cotangent-plot as keywords: ``small=True``, ``orbits="0-9"``."""
    from ..pictures import told
    told([str(result), "--html", str(path)], options)
    return Page(path)
