# SPDX-License-Identifier: BSD-3-Clause
"""Which program bin/cotangent starts, of those of an installation for several processors: here they say what they are."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "apps" / "launcher.cpp"
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def highest():
    """By the kernel's list of what the processor has."""
    flags = next(line for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                 if line.startswith("flags")).split()
    if all(flag in flags for flag in ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")):
        return 2
    return 1 if all(flag in flags for flag in ("avx2", "fma", "bmi1", "bmi2", "abm", "movbe", "f16c")) else 0


@unittest.skipUnless(os.uname().machine == "x86_64", "levels are of x86-64")
class Launcher(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_launcher_")
        cls.addClassCleanup(folder.cleanup)
        cls.built = pathlib.Path(folder.name) / "cotangent"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", SOURCE, "-o",
                        cls.built], check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_launcher_")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        (self.at / "bin").mkdir()
        (self.at / "libexec" / "cotangent").mkdir(parents=True)
        (self.at / "bin" / "cotangent").write_bytes(self.built.read_bytes())
        (self.at / "bin" / "cotangent").chmod(0o755)

    def install(self, *levels):
        for level in levels:
            program = self.at / "libexec" / "cotangent" / f"cotangent-{level}"
            program.write_text(f'#!/bin/sh\necho {level} "$@"\nexit 7\n', encoding="utf-8")
            program.chmod(0o755)

    def start(self, *words, cpu=None):
        env = {name: value for name, value in os.environ.items() if name != "COTANGENT_CPU"}
        end = subprocess.run([self.at / "bin" / "cotangent", *words], text=True, capture_output=True,
                             env=env if cpu is None else env | {"COTANGENT_CPU": cpu})
        return end.returncode, end.stdout.strip(), end.stderr.strip()

    def test_the_highest_that_the_processor_has(self):
        self.install(*LEVELS)
        self.assertEqual(self.start("a b", "c"), (7, f"{LEVELS[highest()]} a b c", ""))
        (self.at / "libexec" / "cotangent" / f"cotangent-{LEVELS[highest()]}").unlink()
        if highest() > 0:
            self.assertEqual(self.start(), (7, LEVELS[highest() - 1], ""))

    def test_one_that_is_named(self):
        self.install(*LEVELS)
        for level in LEVELS[:highest() + 1]:
            self.assertEqual(self.start(cpu=level), (7, level, ""))
        for level in LEVELS[highest() + 1:]:
            self.assertEqual(self.start(cpu=level), (2, "", f"cotangent: COTANGENT_CPU={level}: this processor is of a lower level"))

    def test_what_was_heeded_is_gone(self):
        """So that a program that is started without the launcher can say that COTANGENT_CPU has no effect."""
        self.install("x86-64-v2")
        program = self.at / "libexec" / "cotangent" / "cotangent-x86-64-v2"
        program.write_text('#!/bin/sh\necho "of ${COTANGENT_CPU-nobody}"\n', encoding="utf-8")
        self.assertEqual(self.start(cpu="x86-64-v2"), (0, "of nobody", ""))

    def test_what_is_refused(self):
        self.install("x86-64-v2")
        self.assertEqual(self.start(cpu="x86-64-v9"),
                         (2, "", "cotangent: COTANGENT_CPU=x86-64-v9 isn't installed; there are x86-64-v2"))
        (self.at / "libexec" / "cotangent" / "cotangent-x86-64-v2").unlink()
        code, out, error = self.start()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("the installation isn't whole", error)


if __name__ == "__main__":
    unittest.main()
