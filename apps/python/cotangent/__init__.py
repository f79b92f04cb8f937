# SPDX-License-Identifier: BSD-3-Clause
"""Cotangent from Python: long, faithful motion from the statement of a problem alone.

>>> import cotangent as ct
>>> run = ct.poincare(model="henon-heiles", energy=0.125, grid=dict(q2=(-.4, .7, 24), q2_dot=(-.4, .4, 24)), crossings=200,
...                   ranks=2)
>>> run.section.points          # labelled, with units, read from the file as they are needed
>>> run.plot()

Each study of the program is a function of its name (`studies`): ``ct.poincare``, ``ct.trajectory``, ``ct.billiard``,
``ct.work_precision`` ... with the deck's keys as keyword arguments; see `run`, which they call.
"""
from __future__ import annotations

import difflib
import functools
from typing import Any

from .describing import Description, describe
from .errors import Error, FileSystemError, InputError, ProgramError, TrajectoriesFailed
from .program import program, studies
from .results import Result, open  # pylint: disable=redefined-builtin
from .running import Run, check, last, run

__all__ = ["Description", "Error", "FileSystemError", "InputError", "ProgramError", "Result", "Run", "TrajectoriesFailed",
           "check", "describe", "last", "open", "program", "run", "studies"]


def __getattr__(name: str) -> Any:
    """A study of the program as a function: `run` with its name."""
    if name.startswith("_"):
        raise AttributeError(f"module 'cotangent' has no attribute '{name}'")
    try:
        about = {study.replace("-", "_"): (study, text) for study, text in studies().items()}
    except Error as error:
        raise AttributeError(f"cotangent.{name}: {error}") from error
    if name not in about:
        near = difflib.get_close_matches(name, [*about, *__all__], 1, 0.6)
        meant = f"; did you mean '{near[0]}'?" if near else "."
        raise AttributeError(f"cotangent has neither a function nor a study '{name}'{meant} Its studies: {', '.join(about)}")
    study, text = about[name]
    function = functools.partial(run, study)
    function.__doc__ = f"{text[0].upper()}{text[1:]}: `cotangent.run(\"{study}\", ...)`.\n\n{run.__doc__}"
    return function


def __dir__() -> list[str]:
    try:
        return sorted([*__all__, *(name.replace("-", "_") for name in studies())])
    except Error:
        return sorted(__all__)
