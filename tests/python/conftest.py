# SPDX-License-Identifier: BSD-3-Clause
"""The package under test: that of the build tree which COTANGENT_BUILD names, else that of this checkout."""
import os
import sys
import time
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
BUILD = os.environ.get("COTANGENT_BUILD")
HOME = Path(BUILD) / "share" / "cotangent" / "python" if BUILD else SOURCE / "apps" / "python"
sys.path.insert(0, str(HOME))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def source():
    """The repository's root."""
    return SOURCE


@pytest.fixture(scope="session")
def home():
    """The folder that holds the package."""
    return HOME


class Hold:
    """Runs started now wait where their first checkpoint has its name, until they are let go."""

    def __init__(self, at):
        self.at, self.said = at / "hold", at / "hold.held"
        self.at.touch()

    def wait(self):
        end = time.monotonic() + 120
        while not self.said.exists():
            assert time.monotonic() < end, "no checkpoint was written"
            time.sleep(0.01)

    def release(self):
        self.at.unlink(missing_ok=True)


@pytest.fixture
def hold(tmp_path, monkeypatch):
    """What is done to a run that is held comes midway, however fast or busy the machine is."""
    library = Path(BUILD or "") / "bin" / "hold.so"
    if not library.exists():
        pytest.skip("hold.so was not built")
    held = Hold(tmp_path)
    monkeypatch.setenv("LD_PRELOAD", str(library.resolve()))
    monkeypatch.setenv("HOLD_WHILE", str(held.at))
    yield held
    held.release()
