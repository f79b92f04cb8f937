# SPDX-License-Identifier: BSD-3-Clause
"""Where the program is, how it is started, and what it says of itself."""
from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import ProgramError, error_of


def program() -> Path:
    """The program `cotangent`: what COTANGENT_PROGRAM names; else the one that was built or installed with this package;
    else the newest in the build folders of this source tree; else the one on the path.

    Raises:
        ProgramError: there is none.
    """
    named = os.environ.get("COTANGENT_PROGRAM")
    if named:
        if not shutil.which(named):
            raise ProgramError(f"COTANGENT_PROGRAM names {named}, which is no program")
        return Path(shutil.which(named)).resolve()
    here = Path(__file__).resolve()
    beside = here.parents[4] / "bin" / "cotangent"  # PREFIX/share/cotangent/python/cotangent/program.py
    if here.parents[2].name == "cotangent" and beside.is_file():
        return beside
    tree = here.parents[3]  # TREE/apps/python/cotangent/program.py
    if (tree / "cmake" / "quickstart").is_file():
        built = sorted(tree.glob("build/*/bin/cotangent"), key=lambda path: path.stat().st_mtime)
        if built:
            return built[-1]
    found = shutil.which("cotangent")
    if not found:
        raise ProgramError("the program cotangent is neither beside this package nor on the path: build it "
                           "(cmake/quickstart), or let COTANGENT_PROGRAM name it")
    return Path(found)


def launcher(ranks: int) -> list[str]:
    """What starts the program on that many ranks: ``mpirun -n RANKS``, or the words of COTANGENT_MPIRUN before RANKS."""
    words = os.environ.get("COTANGENT_MPIRUN", "mpirun -n").split()
    if not shutil.which(words[0]):
        raise ProgramError(f"{words[0]} is not on the path (Debian: openmpi-bin); COTANGENT_MPIRUN names another launcher")
    return [*words, str(ranks)]


def environment(ranks: int) -> dict[str, str]:
    """The environment of a run. Open MPI refuses root, and more ranks than cores, unless it is told otherwise."""
    variables = dict(os.environ)
    if os.geteuid() == 0:
        variables.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        variables.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    if ranks > len(os.sched_getaffinity(0)):
        variables.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
        variables.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    return variables


def said(text: str) -> str:
    """The program's own words among all that came out at its standard error."""
    own = re.search(r"^cotangent: (.*?)(?=^-{20,}|\Z)", text, re.DOTALL | re.MULTILINE)
    return (own[1] if own else text).strip()


def ask(*words: str) -> str:
    """What the program prints for these words, on one rank.

    Raises:
        Error: it refused.
    """
    done = subprocess.run([str(program()), *words], capture_output=True, text=True, check=False, env=environment(1))
    if done.returncode:
        raise error_of(done.returncode, said(done.stderr))
    return done.stdout


@functools.lru_cache(maxsize=None)
def _lines_of(path: str, changed: float, words: tuple[str, ...]) -> str:
    return ask(*words)


def known(*words: str) -> str:
    """The same, asked once as long as the program stays what it is."""
    path = program()
    return _lines_of(str(path), path.stat().st_mtime, words)


def studies() -> dict[str, str]:
    """The studies of the program, each with a line about it."""
    listed = known("--list").split("\n\n")[0].splitlines()[1:]
    return dict(line.strip().split(maxsplit=1) for line in listed)
