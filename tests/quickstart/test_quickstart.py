#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cmake/quickstart with stand-ins for the commands it calls: what it calls, in which order, and what it says when
one of them fails.  usage: test_quickstart.py QUICKSTART"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

QUICKSTART = pathlib.Path(sys.argv.pop(1)).resolve()

# Every stand-in writes down its call, then fails as often as the file <name>.fails says.
STAND_IN = """#!/bin/bash
name=${0##*/}
echo "$name $*" >> "$RECORD/calls"
left=$(cat "$RECORD/$name.fails" 2>/dev/null || echo 0)
((left == 0)) || { echo $((left - 1)) > "$RECORD/$name.fails"; exit 9; }
"""
DPKG_QUERY = '#!/bin/bash\n[[ " $MISSING " == *" ${@: -1} "* ]] && exit 1\necho -n installed\n'


class Quickstart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.commands = self.root / "commands"
        for place in (self.root / "cmake", self.commands, self.root / "build/release/bin"):
            place.mkdir(parents=True)
        shutil.copy(QUICKSTART, self.root / "cmake/quickstart")
        for name in ("cmake", "ctest", "mpirun", "apt-get", "sleep"):
            self.stand_in(self.commands / name)
        for name in ("cotangent", "cotangent-plot"):
            self.stand_in(self.root / "build/release/bin" / name)
        self.stand_in(self.commands / "dpkg-query", DPKG_QUERY)
        self.stand_in(self.commands / "dpkg", "#!/bin/bash\n")
        self.stand_in(self.commands / "sudo", '#!/bin/bash\nexec "$@"\n')

    def stand_in(self, path, text=STAND_IN):
        path.write_text(text)
        path.chmod(0o755)

    def run_with(self, *options, missing="", failing=()):
        for name, times in failing:
            (self.root / f"{name}.fails").write_text(str(times))
        environment = {**os.environ, "RECORD": str(self.root), "MISSING": missing,
                       "PATH": f"{self.commands}:/usr/bin:/bin"}
        # From another folder, and with nothing to read.
        self.result = subprocess.run([self.root / "cmake/quickstart", *options], env=environment, cwd="/",
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        calls = self.root / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def test_the_plain_run_builds_computes_and_draws(self):
        calls = self.run_with("--no-install", "--jobs", "3")
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertEqual([call.split()[0] for call in calls], ["cmake", "cmake", "mpirun", "cotangent-plot"])
        self.assertTrue(calls[0].endswith("--preset release --fresh -DCOTANGENT_MODELS="), calls[0])
        self.assertIn("--build --preset release --parallel 3 --target cotangent_program", calls[1])
        result = "build/release/results/henon_heiles_chaos.h5"
        self.assertRegex(calls[2], r"--oversubscribe -n ([2-9]|\d\d+) build/release/bin/cotangent ")
        self.assertTrue(calls[2].endswith(f"input/sections/henon_heiles_chaos.toml output.file={result}"), calls[2])
        self.assertIn(result, calls[3])
        self.assertIn(f"{self.root.resolve()}/{result}\n", self.result.stdout)

    def test_where_nothing_is_built_the_other_models_follow_the_picture(self):
        (self.root / "build/release/bin/cotangent").unlink()
        calls = self.run_with("--no-install", "--test")
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertEqual([call.split()[0] for call in calls[:7]],
                         ["cmake", "cmake", "mpirun", "cotangent-plot", "cmake", "cmake", "cmake"])
        self.assertTrue(calls[0].endswith("-DCOTANGENT_MODELS=henon_heiles"), calls[0])
        self.assertTrue(calls[4].endswith("-DCOTANGENT_MODELS="), calls[4])
        for build in (calls[1], calls[5]):
            self.assertTrue(build.startswith("cmake --build --preset release") and build.endswith("--target cotangent_program"))
        self.assertTrue(calls[7].startswith("ctest --preset release"), calls[7])

    def test_the_suite_runs_after_the_main_job_and_then_under_the_sanitizers(self):
        calls = self.run_with("--no-install", "--test")
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertEqual([call.split()[0] for call in calls],
                         ["cmake", "cmake", "mpirun", "cotangent-plot", "cmake", "ctest", "cmake", "cmake", "ctest"])
        for call, words in ((calls[4], "--build --preset release"), (calls[5], "--preset release")):
            self.assertIn(words, call)
        self.assertTrue(all("--preset sanitize" in call for call in calls[6:]), calls)

    def test_another_preset_has_a_folder_of_its_own(self):
        (self.root / "build/release").rename(self.root / "build/ci")
        calls = self.run_with("--no-install", "--preset", "ci")
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertIn("--preset ci", calls[0])
        self.assertIn("build/ci/results/henon_heiles_chaos.h5", calls[2])

    def test_the_first_failure_ends_it_and_is_named(self):
        for name, step in (("cmake", "configure and build"), ("mpirun", "run input/sections/henon_heiles_chaos.toml"),
                           ("cotangent-plot", "draw the picture"), ("ctest", "test")):
            with self.subTest(name):
                (self.root / "calls").unlink(missing_ok=True)
                calls = self.run_with("--no-install", "--test", failing=[(name, 1)])
                self.assertEqual(self.result.returncode, 9)
                self.assertIn(f'failed in step "{step}', self.result.stderr)
                self.assertTrue(calls[-1].startswith(name), calls)

    def test_nothing_is_fetched_when_all_is_there(self):
        calls = self.run_with()
        self.assertFalse([call for call in calls if call.startswith("apt-get")])

    def test_only_what_is_missing_is_installed_and_a_hiccup_is_survived(self):
        calls = self.run_with("--test", missing="catch2 ffmpeg", failing=[("apt-get", 2)])
        apt = [call for call in calls if call.startswith("apt-get")]
        # A mirror that isn't reached shows at the installation: the lists are fetched anew then, too.
        self.assertEqual([call.split()[-1] if " update" in call else "install" for call in apt], ["update", "update", "update", "install"])
        self.assertTrue(apt[3].endswith("install -y --no-install-recommends catch2 ffmpeg"), apt)

    def test_what_the_tests_alone_need_is_installed_for_them_alone(self):
        calls = self.run_with(missing="catch2 ffmpeg hdf5-tools")
        self.assertRegex(self.result.stdout, r"all \d+ packages are there")
        self.assertFalse(any(call.startswith("apt-get") for call in calls), calls)

    def test_a_mirror_that_stays_away_is_given_up(self):
        calls = self.run_with(missing="libeigen3-dev", failing=[("apt-get", 99)])
        self.assertEqual(sum(call.startswith("apt-get") for call in calls), 3)
        self.assertNotEqual(self.result.returncode, 0)
        self.assertIn('failed in step "install packages"', self.result.stderr)

    def test_wrong_options_are_refused(self):
        for options in (["--tset"], ["--jobs"], ["--jobs", "0"], ["--jobs", "many"], ["--preset"]):
            with self.subTest(options):
                self.assertEqual(self.run_with(*options), [])
                self.assertEqual(self.result.returncode, 2)
                self.assertIn(options[0], self.result.stderr)


if __name__ == "__main__":
    unittest.main()
