# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks run from top to bottom as they are, each within a minute, and are committed with their pictures."""
import json
import os
import shutil
import subprocess

import pytest

import cotangent as ct
from conftest import HOME, SOURCE

FULL = os.environ.get("COTANGENT_TESTS") == "full"  # else one of them
NOTEBOOKS = sorted((SOURCE / "apps/python/notebooks").glob("*.ipynb"))
pytestmark = pytest.mark.skipif(not shutil.which("jupyter-nbconvert"), reason="no jupyter-nbconvert")


def outputs(path):
    return [output for cell in json.loads(path.read_text())["cells"] for output in cell.get("outputs", [])]


def executed(path, folder):
    """Copies a notebook there and runs it; (exit code, what was said)."""
    shutil.copy(path, folder)
    environment = {**os.environ, "PYTHONPATH": str(HOME), "COTANGENT_PROGRAM": str(ct.program()), "HOME": str(folder),
                   "JUPYTER_PLATFORM_DIRS": "1"}
    done = subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--inplace",
                           "--ExecutePreprocessor.kernel_name=python3", folder / path.name],
                          capture_output=True, text=True, env=environment, timeout=600, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS if FULL else NOTEBOOKS[:1], ids=lambda path: path.stem)
def test_it_runs(path, folder):
    pytest.importorskip("sympy")
    began = os.times().children_user
    code, said = executed(path, folder)
    assert code == 0, said[-3000:]
    assert os.times().children_user - began < 120  # two cores for a minute
    # Each cell that draws shows its picture, also after one by cotangent-plot, which draws on a canvas of its own.
    for cell in json.loads((folder / path.name).read_text())["cells"]:
        draws = any(word in "".join(cell["source"]) for word in (".subplots(", ".plot("))
        assert draws == any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])), cell["source"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_with_its_pictures_and_small(path):
    assert any("image/png" in output.get("data", {}) for output in outputs(path))
    assert not any(output["output_type"] == "error" for output in outputs(path))
    assert path.stat().st_size < 500_000


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


def test_a_notebook_that_fails_is_told(folder):
    """The control: one whose cell is wrong."""
    notebook = json.loads(NOTEBOOKS[0].read_text())
    notebook["cells"] = [{"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [],
                          "source": "import cotangent\ncotangent.nothing()"}]
    (folder / "from").mkdir()
    path = folder / "from" / "wrong.ipynb"
    path.write_text(json.dumps(notebook))
    code, said = executed(path, folder)
    assert code != 0 and "nothing" in said
