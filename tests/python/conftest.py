# SPDX-License-Identifier: BSD-3-Clause
"""The package under test: that of the build tree which COTANGENT_BUILD names, else that of the source tree."""
import os
import sys
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
    """The source tree."""
    return SOURCE


@pytest.fixture(scope="session")
def home():
    """The folder that holds the package."""
    return HOME
