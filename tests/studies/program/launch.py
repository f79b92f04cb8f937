# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of a build as a shell would, on RANKS ranks, in a folder of the test's own."""
import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy as np

from results import same_bits

RANKS = int(os.environ.get("RANKS", "1"))
MPIRUN = os.environ.get("MPIRUN", "mpirun --oversubscribe -n").split()
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", "."))
SOURCE = pathlib.Path(__file__).resolve().parents[3]

# The suite tests each claim, and of like cases some; tests/full, which sets COTANGENT_TESTS=full, tests all.
FULL = os.environ.get("COTANGENT_TESTS") == "full"
in_full = unittest.skipUnless(FULL, "by tests/full alone")


def some(cases, count=1):
    """The first of like cases, all of them in the full suite: a list of them, of a dictionary its items."""
    cases = list(cases.items() if isinstance(cases, dict) else cases)
    return cases if FULL else cases[:count]


POINCARE = """study = "poincare"
[model]
name = "henon-heiles"
[method]
name = "gauss"
step = 0.5
[section]
where = "q1"
[ensemble]
energy = 0.125
grid = { q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2] }
[stop]
crossings = 3
[output]
file = "out.h5"
"""

# A rotor that moves freely and is kicked once in a unit of time, looked at just before: the standard map.
KICKED_ROTOR = """[model]
name = "kicked rotor"
coordinates = ["x"]
angles = ["x"]
parameters = { K = 0.97 }
lagrangian = "x_dot^2/2"
kick = { potential = "-K*cos(x)", every = 1.0 }
[method]
name = "stormer-verlet"
step = 1.0
[section]
where = "t"
every = 1.0
"""


def living(session):
    """The living processes of a session: {id: name of the program}."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # one that has ended meanwhile
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
            if int(rest.split()[3]) == session and rest.split()[0] not in "ZX":
                found[int(stat.parent.name)] = name
    return found


def send(session, number):
    """A signal to all of a session's processes: mpirun puts each rank into a group of its own. Those whom it went to."""
    to = living(session)
    for process in to:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
    return to


def kill(session):
    """Kills all of a session's processes at once. Names the killed."""
    killed = send(session, signal.SIGKILL)
    while living(session):
        time.sleep(0.001)
    return list(killed.values())


class ProgramTest(unittest.TestCase):
    """Each test has an empty folder as `self.at`, where its programs run."""

    longest = 300  # seconds: what takes longer hangs, however busy the machine
    program = PROGRAMS / "cotangent"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cotangent_program_")
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        # What a rank that is alone makes for Open MPI, a folder of its own, is left where it is killed.
        alone = tempfile.TemporaryDirectory(prefix="cotangent_alone_")
        self.addCleanup(alone.cleanup)
        self.alone = {**os.environ, "TMPDIR": alone.name}

    def launch(self, *words, program="cotangent", ranks=RANKS, **options):
        """The program's end. One rank alone is started without mpirun, as on a laptop."""
        start = [] if ranks == 1 else [*MPIRUN, str(ranks)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "env": self.alone if ranks == 1 else None, **options}
        return subprocess.run([*start, PROGRAMS / program, *map(str, words)], cwd=self.at, text=True,
                              timeout=self.longest, **options)

    def ended(self, *words, code=0, **how):
        """The end of a run, which has this code."""
        end = self.launch(*words, **how)
        self.assertEqual(end.returncode, code, end.stdout + end.stderr)
        return end

    def opened(self, deck, *words, file="out.h5", **how):
        """The result of a deck's run that ends well."""
        self.ended(deck, f"output.file={file}", *words, **how)
        return h5py.File(self.at / file, "r")

    @contextlib.contextmanager
    def held(self, *words, ranks=RANKS, checkpoint=1, read=None):
        """A run that waits where its checkpoint of this number has its name, until it is killed or the block ends; with a pair
        `read`, of a place and a number, before so many reads at this place of a file.

        At the block's end it goes on, and this to its end: its code and `said`, what it wrote to both outputs.
        """
        hold, said = self.at / "hold", self.at / "hold.held"
        said.unlink(missing_ok=True)
        hold.touch()
        environment = {**(self.alone if ranks == 1 else os.environ), "LD_PRELOAD": str((PROGRAMS / "hold.so").resolve()),
                       "HOLD_WHILE": str(hold), "HOLD_AT": str(read[1] if read else checkpoint),
                       **({"HOLD_READ": str(read[0])} if read else {})}
        start = [] if ranks == 1 else [*MPIRUN, str(ranks)]
        process = subprocess.Popen([*start, PROGRAMS / self.program, *map(str, words)], cwd=self.at, text=True, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            limit = time.monotonic() + self.longest
            while not said.exists() and process.poll() is None and time.monotonic() < limit:
                time.sleep(0.002)
            if not said.exists():
                self.fail("\n".join(["it never came there", *process.communicate(timeout=self.longest)]))
            yield process
        finally:
            hold.unlink()
            try:
                process.said = process.communicate(timeout=self.longest)
            except subprocess.TimeoutExpired:
                kill(process.pid)
                process.communicate()
                raise

    def stopped(self, *words, by=signal.SIGUSR1, **how):
        """What a run says that a signal stops midway."""
        with self.held(*words, **how) as process:
            process.send_signal(by)
            time.sleep(0.5)  # on its way from mpirun to the ranks
        self.assertEqual(process.returncode, 75, process.said)
        return process.said[0]

    def killed(self, *words, **how):
        """A run that is killed midway, all its ranks at once."""
        with self.held(*words, **how) as process:
            self.assertIsNone(process.poll())
            kill(process.pid)

    def deck(self, text=POINCARE, name="deck.toml"):
        (self.at / name).write_text(text, encoding="utf-8")
        return name

    def says(self, end, code, *parts):
        """The program ended with this code and one message that holds all of these parts."""
        everything = f"exit code {end.returncode}\n{end.stdout}\n{end.stderr}"
        self.assertEqual(end.returncode, code, everything)
        message = [line for line in end.stderr.splitlines() if line.startswith("cotangent: ")]
        self.assertEqual(len(message), 1, everything)
        for part in parts:
            self.assertIn(part, end.stderr, everything)
        for noise in ("terminate called", "what():", "Segmentation", "MPI_ABORT was invoked"):
            self.assertNotIn(noise, end.stderr)

    def stopped_midway(self, file, whole):
        """A run that was stopped has something to do, and something to lose: a checkpoint of a state that has moved."""
        self.assertNotEqual(same_bits(self.at / whole, self.at / file), [], "the run was over before it was stopped")
        with h5py.File(self.at / f"{file}.checkpoint", "r") as held:
            state = held["state"]
            moved = [name for name in ("step", "steps", "time", "state") if name in state and np.any(state[name][()] != 0)]
        self.assertTrue(moved, "it was stopped before it had begun")

    def refused(self, *parts, text=POINCARE, words=(), code=2):
        """A deck (with these further words) is refused before a result is begun."""
        self.says(self.launch(self.deck(text), *words), code, *parts)
        self.assertFalse((self.at / "out.h5").exists())
