# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, in the program's own words, taken apart."""
from __future__ import annotations

import re


class Error(Exception):
    """What the program refused or failed at. The message is its own.

    Attributes:
        code: its exit code: 1 nothing to draw yet, 2 wrong input, 3 file system, 70 an error of its own; None where it wasn't started.
        file, line: where in which deck; None where it didn't say.
        key: the key of the deck, with its table: ``"method.step"``; None where it didn't say.
        value: the word that it doesn't know; None where the trouble is another.
        nearest: the nearest valid choice; None where nothing is near.
        valid: all valid choices, where they were listed.
    """

    def __init__(self, text: str, code: int | None = None, *, key: str | None = None, value: str | None = None,
                 nearest: str | None = None):
        super().__init__(text)
        self.code = code
        place = re.search(r"\(([^():]+):(\d+)\)|(?:^|[\s(])([^\s():,]+\.toml)(?::(\d+))?", text)
        self.file = place and (place[1] or place[3])
        line = place and (place[2] or place[4])
        self.line = int(line) if line else None
        unknown = re.search(r"unknown ([\w ]+?) '([^']*)'", text)
        self.value = value or (unknown and unknown[2]) or None
        inside = re.search(r"\[\[?([\w.\-]+)\]?\](?: ([A-Za-z_]\w*)(?=[\s:,(=]))?", text)
        names = [part for part in (inside[1], inside[2]) if part] if inside else []
        if unknown and unknown[1] == "key":
            names = names[:1] + [unknown[2]]
        self.key = key or ".".join(names) or None
        near = re.search(r"did you mean '([^']*)'", text)
        self.nearest = nearest or (near and near[1]) or None
        listed = re.search(r"[Vv]alid: (.+)", text)
        self.valid = listed[1].split(", ") if listed else []


class InputError(Error):
    """Wrong input: a deck that makes no sense, a key or a name that nobody knows."""


class FileSystemError(Error):
    """No room on the disk, no permission, no such folder."""


class ProgramError(Error):
    """The program failed, was killed, or isn't to be found."""


class TrajectoriesFailed(UserWarning):
    """Some trajectories failed: each has its status in the result, and the others went on."""


def error_of(code: int, text: str) -> Error:
    """The exception for an exit code and what the program said."""
    return {2: InputError, 3: FileSystemError}.get(code, ProgramError)(text, code)
