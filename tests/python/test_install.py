# SPDX-License-Identifier: BSD-3-Clause
"""Installed by pip without a network, and by CMake; and at once from the build folder."""
import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

import cotangent as ct

USE = "import cotangent as ct; print(ct.__file__); print(ct.program()); print(len(ct.studies()))"


def python(interpreter, code, **variables):
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "COTANGENT_PROGRAM")}
    done = subprocess.run([interpreter, "-B", "-c", code], env={**kept, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def test_from_where_it_lies_it_finds_the_program(home, folder):
    where, program, studies, _ = python(sys.executable, f"import sys; sys.path.insert(0, {str(home)!r}); {USE}")
    assert where.startswith(str(home)) and program.endswith("bin/cotangent") and int(studies) >= 11


def test_pip_without_a_network(source, folder):
    for name in ("pip", "setuptools", "wheel"):  # looked for, not imported: setuptools refuses where distutils is there already
        if not importlib.util.find_spec(name):
            pytest.skip(f"no {name}")
    shutil.copytree(source / "apps/python", folder / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", "venv"], check=True)
    interpreter = folder / "venv/bin/python"
    subprocess.run([interpreter, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--no-deps",
                    "--disable-pip-version-check", folder / "python"], check=True)
    program = ct.program()
    where, found, _, _ = python(interpreter, USE, PATH=f"{program.parent}:{os.environ['PATH']}")
    assert where.startswith(str(folder / "venv")) and os.path.realpath(found) == str(program.resolve())
    help_text = subprocess.check_output([folder / "venv/bin/cotangent-plot", "--help"], text=True)
    assert "RESULT.h5" in help_text
    assert any((folder / "venv").rglob("cotangent/py.typed"))


def test_without_a_program_the_error_says_what_to_do(home, folder):
    shutil.copytree(home / "cotangent", folder / "alone/cotangent")
    code = (f"import sys; sys.path.insert(0, {str(folder / 'alone')!r})\nimport cotangent as ct\n"
            "try: ct.program()\nexcept ct.ProgramError as error: print(error)")
    assert "COTANGENT_PROGRAM" in python(sys.executable, code, PATH="/nowhere")[0]


@pytest.mark.skipif("COTANGENT_BUILD" not in os.environ, reason="no build tree")
def test_cmake_installs_package_and_command(folder):
    build = os.environ["COTANGENT_BUILD"]
    subprocess.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={folder}", "-P", f"{build}/apps/python/cmake_install.cmake"], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copy(ct.program(), folder / "bin")
    where, program, _, _ = python(sys.executable, f"import sys; sys.path.insert(0, {str(folder / 'share/cotangent/python')!r}); {USE}")
    assert where.startswith(str(folder)) and program == str(folder / "bin/cotangent")
    subprocess.run([folder / "bin/cotangent-plot", "--help"], check=True, stdout=subprocess.DEVNULL)
