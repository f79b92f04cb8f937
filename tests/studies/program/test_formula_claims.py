# SPDX-License-Identifier: BSD-3-Clause
"""Many runs that want the same formula at once: one compiles, the others wait; nobody waits for what is dead or failed.

The compiler here notes that it was called, waits for a word, and copies an object that was made before.
"""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from formula_test import HENON_HEILES, FormulaTest, deck_of
from launch import PROGRAMS
from results import same_bits

COMPILER = """#!/bin/sh
echo $$ >> {at}/calls
for last; do :; done
while ! test -e {at}/go; do sleep 0.05; done
{end}
"""


class Claims(FormulaTest):
    def setUp(self):
        super().setUp()
        end = self.launch("--compile", self.deck(deck_of(HENON_HEILES)), "-o", "made", ranks=1)  # in the shared cache
        self.assertEqual(end.returncode, 0, end.stderr)
        _, _, after = (self.at / "made").read_bytes().partition(b"\n")  # a title, then of its one object the key
        (self.at / "object").write_bytes(after.partition(b"\n")[2])
        self.cache = self.at / "cache"
        self.set_variable("COTANGENT_CACHE", self.cache)
        self.set_compiler(f'cp {self.at}/object "$last"')

    def set_compiler(self, end):
        compiler = self.at / "compiler"
        compiler.write_text(COMPILER.format(at=self.at, end=end), encoding="utf-8")
        compiler.chmod(0o755)
        self.set_variable("COTANGENT_COMPILER", compiler)

    def start(self, *names, **variables):
        return [subprocess.Popen([PROGRAMS / "cotangent", "deck.toml", f"output.file={name}.h5"], cwd=self.at,
                                 env={**self.alone, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for name in names]

    def calls(self, least=0):
        """The processes of the compiler, once there are so many."""
        file = self.at / "calls"
        for _ in range(600):
            found = file.read_text(encoding="utf-8").split() if file.exists() else []
            if len(found) >= least:
                return [int(process) for process in found]
            time.sleep(0.05)
        raise AssertionError(f"the compiler wasn't called {least} times")

    def waiting(self, runs):
        """Comes back when all of them look whether they may go on, again and again, and have done nothing else for a while."""
        def looks(run):
            found = pathlib.Path(f"/proc/{run.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            status = pathlib.Path(f"/proc/{run.pid}/status").read_text(encoding="utf-8")
            slept = int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.M)[1])
            return slept, int(found[11]) + int(found[12])  # and hundredths of a second of processor time
        before, calm = [looks(run) for run in runs], 0
        for _ in range(600):
            time.sleep(0.5)
            now = [looks(run) for run in runs]
            calm += 1
            if not all(slept >= earlier + 2 and spent <= since + 2
                       for (slept, spent), (earlier, since) in zip(now, before)):
                calm = 0
            if calm == 3:
                return
            before = now
        self.fail("they don't wait")

    def go(self, runs):
        self.waiting(runs)
        (self.at / "go").touch()

    def ends(self, runs, code):
        said = []
        for run in runs:
            out, error = run.communicate(timeout=self.longest)
            self.assertEqual(run.returncode, code, out + error)
            said.append(out + error)
        return said

    def left(self):
        return sorted(file.suffix for file in self.cache.iterdir())

    def test_one_compiles(self):
        runs = self.start(*"0123")
        self.go(runs)
        said = self.ends(runs, 0)
        self.assertEqual(len(self.calls()), 1)
        self.assertEqual(sum("compiled in" in text for text in said), 1)
        self.assertEqual(sum("another run compiled it" in text for text in said), 3)
        self.assertEqual(self.left(), [".so"])  # nothing beside the object
        for k in "123":
            self.assertEqual(same_bits(self.at / "0.h5", self.at / f"{k}.h5"), [])

    def test_control_caches_apart(self):
        (self.at / "go").touch()
        self.ends(self.start("0", COTANGENT_CACHE=str(self.at / "one")) + self.start("1", COTANGENT_CACHE=str(self.at / "two")), 0)
        self.assertEqual(len(self.calls()), 2)

    def test_a_damaged_object_is_made_anew(self):
        """Cut, emptied, with zeros or another bit in it, by a disk that was full or failed: never loaded."""
        (self.at / "go").touch()
        self.ends(self.start("0"), 0)
        (made,) = self.cache.iterdir()
        whole = made.read_bytes()
        middle = len(whole) // 2
        for k, bytes_now in enumerate((whole[:middle], b"", whole[:middle] + bytes(4096) + whole[middle + 4096:],
                                       whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:], whole + b"more"), 1):
            with self.subTest(k):
                made.write_bytes(bytes_now)
                (said,) = self.ends(self.start(str(k)), 0)
                self.assertIn("compiled in", said)
                self.assertIn("damaged", said)
                self.assertEqual((len(self.calls()), made.read_bytes() == whole), (1 + k, True))
                self.assertEqual(same_bits(self.at / "0.h5", self.at / f"{k}.h5"), [])

    def test_many_damaged_at_once(self):
        (self.at / "go").touch()
        self.ends(self.start("0"), 0)
        (made,) = self.cache.iterdir()
        made.write_bytes(made.read_bytes()[:-1000])
        self.ends(self.start(*"123456"), 0)
        self.assertEqual(self.left(), [".so"])

    def test_a_failure_is_everyones(self):
        self.set_compiler("echo no >&2; exit 1")
        runs = self.start(*"0123")
        self.go(runs)
        for text in self.ends(runs, 2):
            self.assertIn("the compiler failed on the formula", text)
            self.assertIn("q1_dot", text)
        self.assertEqual(len(self.calls()), 1)
        self.assertNotIn(".compiling", self.left())
        # Whoever comes later tries anew.
        self.set_compiler(f'cp {self.at}/object "$last"')
        self.assertIn("compiled in", self.ends(self.start("4"), 0)[0])
        self.assertEqual(len(self.calls()), 2)

    def test_a_run_that_is_killed(self):
        first = self.start("0")
        self.calls(least=1)
        others = self.start(*"123")
        self.waiting(others)
        first[0].send_signal(signal.SIGKILL)
        first[0].communicate()
        self.calls(least=2)  # without a word from the first compiler
        self.go(others)
        self.ends(others, 0)
        self.assertEqual(len(self.calls()), 2)
        self.assertNotIn(".compiling", self.left())

    def test_a_compiler_that_is_stopped(self):
        first = self.start("0")
        (compiler,) = self.calls(least=1)
        others = self.start(*"123")
        self.waiting(others)
        os.kill(compiler, signal.SIGTERM)
        self.assertIn("stopped by a signal", self.ends(first, 2)[0])
        self.calls(least=2)
        self.go(others)
        self.ends(others, 0)
        self.assertEqual(len(self.calls()), 2)
        self.assertNotIn(".compiling", self.left())

    def test_a_child_of_the_compiler_that_is_stopped(self):
        for how, part in (("Terminated", "stopped by a signal"), ("Killed", "stopped by its limits of")):
            with self.subTest(how=how):
                (self.at / "go").touch()
                self.set_compiler(f"echo 'c++: fatal error: {how} signal terminated program cc1plus' >&2; exit 1")
                self.assertIn(part, self.ends(self.start("0"), 2)[0])
                self.assertNotIn(".compiling", self.left())

    def test_a_crash_of_the_compiler(self):
        (self.at / "go").touch()
        crash = "{ echo 'error: internal compiler error: Segmentation fault' >&2; exit 1; }"
        self.set_compiler(f"case \"$*\" in *-fno-tree-slp-vectorize*) cp {self.at}/object \"$last\";; *) {crash};; esac")
        self.assertIn("compiled in", self.ends(self.start("0"), 0)[0])
        self.assertEqual((len(self.calls()), self.left()), (2, [".so"]))
        self.set_variable("COTANGENT_CACHE", self.at / "another")
        self.set_compiler(crash)  # whatever the flags
        self.assertIn("the compiler failed on the formula", self.ends(self.start("1"), 2)[0])
        self.assertEqual(len(self.calls()), 4)


if __name__ == "__main__":
    unittest.main()
