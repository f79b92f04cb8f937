#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cmake/fresh_machine's options, with stand-ins for the commands that make and enter a machine.
usage: test_fresh_machine.py FRESH_MACHINE"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FRESH_MACHINE = pathlib.Path(sys.argv.pop(1)).resolve()

STAND_IN = '#!/bin/bash\necho "${0##*/} $*" >> "$RECORD/calls"\n'
MMDEBSTRAP = STAND_IN + 'for machine; do true; done\nmkdir -p "$machine/etc" "$machine/root"\n'
UNSHARE = STAND_IN + """while (($#)); do
  case $1 in
    mmdebstrap) exec "$@" ;;
    cmake/quickstart) sleep "$QUICKSTART_LASTS"; exit "$QUICKSTART_ENDS" ;;
  esac
  shift
done
"""


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class FreshMachine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.tree, self.machines, self.commands = (self.root / name for name in ("tree", "machines", "commands"))
        for place in (self.tree / "cmake", self.machines, self.commands):
            place.mkdir(parents=True)
        shutil.copy(FRESH_MACHINE, self.tree / "cmake/fresh_machine")
        for name, text in (("mmdebstrap", MMDEBSTRAP), ("unshare", UNSHARE), ("git", STAND_IN), ("apt-get", STAND_IN)):
            (self.commands / name).write_text(text)
            (self.commands / name).chmod(0o755)

    def start(self, *options, lasts=0, ends=0):
        environment = {**os.environ, "RECORD": str(self.root), "QUICKSTART_LASTS": str(lasts),
                       "QUICKSTART_ENDS": str(ends), "TMPDIR": str(self.machines),
                       "PATH": f"{self.commands}:/usr/bin:/bin"}
        return subprocess.Popen([self.tree / "cmake/fresh_machine", *options], env=environment, cwd=self.root, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_with(self, *options, ends=0):
        with self.start(*options, ends=ends) as process:
            output, errors = process.communicate(timeout=60)
        self.result = subprocess.CompletedProcess(process.args, process.returncode, output, errors)
        calls = self.root / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def test_the_readmes_command_runs_in_a_machine_that_goes_afterwards(self):
        for options, command in ((["trixie"], "cmake/quickstart"), (["--test", "trixie"], "cmake/quickstart --test")):
            with self.subTest(options):
                calls = self.run_with(*options)
                self.assertEqual(self.result.returncode, 0, self.result.stderr)
                made = next(call for call in calls if call.startswith("mmdebstrap"))
                self.assertRegex(made, rf" trixie {self.machines}/trixie\.\w+/machine$")
                self.assertTrue(calls[-1].endswith(f"/machine {command}"), calls)
                self.assertIn(f"{command} passes on a fresh trixie: ", self.result.stdout)
                self.assertEqual(list(self.machines.iterdir()), [])

    def test_a_failure_is_told_and_the_machine_goes_too(self):
        self.run_with("bookworm", ends=7)
        self.assertEqual(self.result.returncode, 7)
        self.assertIn("cmake/quickstart fails (exit code 7) on a fresh bookworm", self.result.stdout)
        self.assertEqual(list(self.machines.iterdir()), [])

    def test_the_machine_goes_when_it_is_interrupted(self):
        with self.start("trixie", lasts=1000) as process:
            for line in process.stdout:
                if line.startswith("== made"):
                    break
            process.terminate()
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(list(self.machines.iterdir()), [])

    def test_the_machine_is_kept_where_it_was_asked_for(self):
        calls = self.run_with("bookworm", "--keep", "--folder", "machines/mine")
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertTrue(any(call.endswith(f" bookworm {self.machines}/mine/machine") for call in calls), calls)
        self.assertTrue((self.machines / "mine/machine").is_dir())
        self.assertIn(f"kept in {self.machines}/mine", self.result.stdout)

    def test_wrong_options_are_refused_before_anything_is_made(self):
        (self.machines / "used").mkdir()
        (self.machines / "used/file").touch()
        for options in ([], ["sid"], ["trixie", "bookworm"], ["trixie", "--tset"], ["trixie", "--folder"],
                        ["trixie", "--folder", "--keep"], ["trixie", "--folder", "machines/used"],
                        ["trixie", "--folder", self.tree / "inside"], ["trixie", "--folder", "tree"]):
            with self.subTest(options):
                self.assertEqual(self.run_with(*options), [])
                self.assertEqual(self.result.returncode, 2)
                self.assertIn("usage: cmake/fresh_machine", self.result.stderr)
        self.assertTrue((self.machines / "used/file").exists())


if __name__ == "__main__":
    unittest.main()
