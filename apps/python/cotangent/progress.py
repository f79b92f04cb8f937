# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: a bar in a notebook, one line renewed on a terminal, lines now and then elsewhere."""
from __future__ import annotations

import html
import sys
import time
from typing import Any


def in_notebook() -> bool:
    """Whether this is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    return bool(shell and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class Bar:
    """Shows the program's progress; `shows` False: nothing."""

    def __init__(self, shows: bool = True):
        self.shows = shows
        self.notebook = shows and in_notebook()
        self.terminal = shows and not self.notebook and sys.stderr.isatty()
        self._handle: Any = None
        self._began = time.monotonic()
        self._next = self._began + (0.0 if self.notebook else 0.3 if self.terminal else 5.0)
        self._drawn = False

    def show(self, progress: dict[str, Any]) -> None:
        """Shows it, if it is time to."""
        if not self.shows or not progress or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + (0.25 if self.notebook or self.terminal else 10.0)
        part = min(1.0, progress["done"] / progress["all"]) if progress["all"] else 1.0
        text = f"{progress['text']} ({100 * part:.0f} %)"
        if progress.get("rate"):
            text += f", {progress['rate']:.3g} {progress['unit']} a second, {_duration(progress['seconds_left'])} left"
        self._drawn = True
        if self.notebook:
            self._display(f'<progress value="{part:.4f}" max="1" style="width: 20em"></progress> {html.escape(text)}', text)
        elif self.terminal:
            print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def _display(self, markup: str, text: str) -> None:
        from IPython.display import display
        data = {"text/html": markup, "text/plain": text}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def close(self, text: str) -> None:
        """The end."""
        if not self._drawn:
            return
        if self.notebook:
            took = f"{text}, {_duration(time.monotonic() - self._began)}"
            self._display(html.escape(took), took)
        elif self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
