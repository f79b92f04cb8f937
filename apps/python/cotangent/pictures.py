# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of results, for scripts and notebooks."""
from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .errors import Error, error_of
from .progress import in_notebook


class Picture:
    """A file that a notebook shows. ``path`` is where it lies."""

    def __init__(self, path: Path):
        self.path = path

    def _repr_png_(self) -> bytes | None:
        return self.path.read_bytes() if self.path.suffix.lower() == ".png" else None

    def _repr_svg_(self) -> str | None:
        return self.path.read_text() if self.path.suffix.lower() == ".svg" else None

    def __repr__(self) -> str:
        return f"Picture({str(self.path)!r})"


def draw(results: list[Path], output: str | Path | None, options: dict[str, Any]) -> Picture:
    """Draws by `cotangent.plot`; see `Result.plot`."""
    target = Path(output) if output else results[0].with_suffix(".png")
    told([str(path) for path in results] + ["-o", str(target)], options)
    return Picture(target)


def told(words: list[str], options: dict[str, Any]) -> None:
    """Has cotangent-plot do what these words say.

    Raises:
        Error: it drew nothing, with the code that cotangent-plot ends with: 1 where there is nothing to draw yet.
    """
    from .plot import cli
    from .plot.result import PlotError
    words = list(words)
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        value = getattr(value, "path", value)  # a result, too, is meant by its file
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            many = isinstance(value, Iterable) and not isinstance(value, str)
            words.append(f"{option}={','.join(map(str, value)) if many else value}")  # what begins with a dash, too
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(complaint), _own_style():
            cli.run(words)
    except SystemExit as refusal:  # argparse's
        said = complaint.getvalue().strip().split("cotangent-plot: ")[-1].removeprefix("error: ")
        raise error_of(int(refusal.code or 2), said) from None
    except PlotError as error:
        raise Error(str(error), 1) if error.code == 1 else error_of(error.code, str(error)) from error


@contextlib.contextmanager
def _own_style():
    """The pictures' style and canvas, which leave those of the caller as they were."""
    import matplotlib
    backend = matplotlib.rcParams._get_backend_or_none() if hasattr(matplotlib.rcParams, "_get_backend_or_none") else None
    try:
        with matplotlib.rc_context():
            yield
    finally:
        if in_notebook() and backend and backend.endswith("backend_inline"):
            from IPython import get_ipython
            get_ipython().enable_matplotlib("inline")  # with what shows a cell's figures at its end
        elif backend and matplotlib.get_backend() != backend:
            with contextlib.suppress(ImportError):
                matplotlib.use(backend)


def explore(result: Path, page: str | Path | None, options: dict[str, Any]) -> Any:
    """Writes the explorer's page; see `Result.explore`."""
    from . import explorer
    return explorer.explore(result, Path(page) if page else result.with_suffix(".html"), **options)
