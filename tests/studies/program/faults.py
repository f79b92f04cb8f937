# SPDX-License-Identifier: BSD-3-Clause
"""faults.py [--full] [--only NAME,...] [--trials N] [--seed S] --damage CHECKPOINT_DAMAGE PROGRAM

What a run does when something beneath it fails: each fault is put before it, and a table says how the run ended, with which
message, what it left, and what --resume made of that. The words of a fault end with 'same bits' where the resumed result is
the undisturbed one's. Without --full the short form for the test suite: fewer moments, trials and trajectories.
Ends with 1 where a run hung, ended in a signal that nobody sent, said nothing, or lost something. Each fault has its control:
that it was really met (a count of writes, a date an hour back, a run that isn't refused without locks).
"""
import argparse
import errno
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py

from launch import MPIRUN, POINCARE, kill, living, send
from results import same_bits, statuses

HERE = pathlib.Path(__file__).resolve().parent
DECK = POINCARE.replace("q2 = [-0.1, 0.1, 2], q2_dot = [0.0, 0.1, 2]", "q2 = [-0.4, 0.7, 8], q2_dot = [-0.4, 0.4, 5]").replace(
    "crossings = 3", "crossings = 12000").replace('"out.h5"', '"disk/out.h5"') + "checkpoint_minutes = 0.0002\n"
LONG = "stop.crossings=30000"
NAN = """study = "trajectory"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2 - sqrt(x)"
[method]
name = "gauss"
step = 0.01
[ensemble]
list = [[1.0, 0.0], [1e6, 0.0]]
[stop]
time = 10.0
[output]
every = 1.0
file = "disk/out.h5"
"""
# At rest behind the pass at q2 = 1: it falls to infinity in finite time.
ESCAPES = """study = "trajectory"
[model]
name = "henon-heiles"
[method]
name = "gauss"
step = 0.25
[ensemble]
random = { count = 10000, seed = 1, q1 = [0.0, 1e-9], q2 = [0.2, 1.1], q1_dot = [0.0, 1e-9], q2_dot = [0.0, 1e-9] }
[stop]
time = 12.0
[output]
every = 12.0
file = "disk/out.h5"
"""
HANGS = 60  # seconds


class Failure(Exception):
    """What mustn't be."""


def expect(so, what):
    if not so:
        raise Failure(what)


class Runs:
    """Runs of the program in a folder of their own; the result's is `disk`."""

    def __init__(self, program, tool, chosen, at):
        self.program, self.tool, self.chosen, self.at = program, tool, chosen, at
        self.chance = random.Random(chosen.seed)
        self.disk = at / "disk"
        self.result = self.disk / "out.h5"
        self.library = at / "faults.so"
        subprocess.run([os.environ.get("CXX", "c++"), "-x", "c", "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "faults.c", "-ldl"],
                       check=True)
        self.wholes = {}

    def clear(self):
        shutil.rmtree(self.disk, ignore_errors=True)
        self.disk.mkdir()
        (self.at / "deck.toml").write_text(DECK, encoding="utf-8")

    def environment(self, ranks, faults):
        alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"} if ranks == 1 else {}
        faults = {f"FAULT_{name}": str(value) for name, value in faults.items()}
        return {**os.environ, **alone, **faults, **({"LD_PRELOAD": str(self.library)} if faults else {})}

    def start(self, *words, ranks=1, faults=None, before=()):
        start = [*MPIRUN, str(ranks)] if ranks > 1 else []
        return subprocess.Popen([*before, *start, self.program, "deck.toml", *words], cwd=self.at, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                env=self.environment(ranks, faults or {}))

    def end_of(self, process, seconds=HANGS):
        """Exit code, output, errors; what still runs then hangs, and is killed."""
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            kill(process.pid)
            process.communicate()
            raise Failure(f"still runs after {seconds} s") from None
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def run(self, *words, seconds=HANGS, **options):
        return self.end_of(self.start(*words, **options), seconds)

    def whole(self, *words):
        """The undisturbed result of these words, made once."""
        if words not in self.wholes:
            self.clear()
            end = self.run(*words)
            expect(end.returncode == 0, f"undisturbed: {end.stderr}")
            self.wholes[words] = self.at / f"whole_{len(self.wholes)}.h5"
            self.result.rename(self.wholes[words])
        return self.wholes[words]

    def begun(self, *words, checkpoints=1, **options):
        """A run that has written so many checkpoints."""
        process = self.start(*words, **options)
        newest, older = pathlib.Path(f"{self.result}.checkpoint"), pathlib.Path(f"{self.result}.checkpoint.older")
        deadline = time.monotonic() + HANGS
        while not (newest if checkpoints == 1 else older).exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"was over before it was disturbed: {self.end_of(process)}")
            time.sleep(0.001)
        return process

    def left(self):
        """The names that a run left beside its result, as the table says them."""
        names = sorted(path.name.replace("out.h5", "") or "result" for path in self.disk.glob("out.h5*"))
        return " ".join(names) or "nothing"

    def resumed(self, *words, ranks=1, whole=None):
        """What --resume does: it must end well, with the undisturbed run's bits, and leave the result alone."""
        whole = whole or self.whole_kept(*words)
        end = self.run(*words, "--resume", ranks=ranks)
        expect(end.returncode == 0, f"--resume ends with {end.returncode}: {message(end)}")
        differ = same_bits(whole, self.result)
        expect(not differ, f"--resume leads to another {differ}")
        expect(self.left() == "result", f"--resume left {self.left()}")
        older = "from the older, " if "goes on from the checkpoint before it" in end.stdout else ""
        start = "anew, " if "the run begins from its start" in end.stdout else ""
        return older + start + "same bits"

    def whole_kept(self, *words):
        expect(words in self.wholes, "no undisturbed run to compare with")
        return self.wholes[words]


def message(end):
    """The one line in which the program says what was wrong, without the folder."""
    lines = [line for line in end.stderr.splitlines() if line.startswith("cotangent: ")]
    return re.sub(r"^cotangent: |/\S*/disk/|disk/", "", lines[0]) if lines else ""


def code(number):
    return signal.Signals(-number).name if number < 0 else str(number)


def failing_writes(runs, error, goes_on, ranks, words=(), last=None):
    """A write, a setting apart of space or an fsync that fails, each one or some of them (of the `last` so many), once or
    from then on."""
    whole = runs.whole(*words)
    runs.clear()
    count = runs.at / "count"
    count.unlink(missing_ok=True)
    end = runs.run(*words, ranks=ranks, faults={"FOLDER": runs.disk, "COUNT": count, "RANK": 0})
    expect(end.returncode == 0, end.stderr)
    all_writes = int(count.read_text().split()[0])
    expect(all_writes > 10, f"only {all_writes} writes seen")
    few = runs.chosen.full and 60 or 2
    first = 1 if last is None else max(1, all_writes - last)
    moments = sorted({first, (first + all_writes) // 2, *(runs.chance.randrange(first, all_writes + 1) for _ in range(few))})
    ends, says, resumes, lefts = {}, {}, {}, {}
    for at in moments:
        runs.clear()
        where = f"write {at} of {all_writes}: "
        try:
            end = runs.run(*words, ranks=ranks,
                           faults={"FOLDER": runs.disk, "AT": at, "ERROR": error, "ON": int(goes_on), "RANK": 0})
        except Failure as failure:
            raise Failure(f"{where}{failure}; left {runs.left()}") from None
        expect(end.returncode in (0, 3), f"{where}exit code {end.returncode}: {end.stderr[-600:]}")
        if end.returncode == 0:
            expect(not same_bits(whole, runs.result), f"{where}ended well with another result")
        else:
            expect(os.strerror(error) in end.stderr or "Input/output" in end.stderr, f"{where}no reason: {end.stderr[-600:]}")
            expect("out.h5" in message(end), f"{where}no file: {end.stderr[-600:]}")
        ends[end.returncode] = ends.get(end.returncode, 0) + 1
        says[re.sub(r"[^:]*: ", "", message(end), count=1)] = 1
        left = runs.left()
        lefts[left] = 1
        try:
            how = runs.resumed(*words, whole=whole, ranks=ranks)
        except Failure as failure:
            raise Failure(f"{where}{message(end)}; left {left}; {failure}") from None
        resumes[how] = resumes.get(how, 0) + 1
    return (" ".join(f"{n} x {code(key)}" for key, n in sorted(ends.items())), " | ".join(filter(None, says)),
            " | ".join(lefts), ", ".join(f"{n} x {how}" for how, n in resumes.items()))


def full_disk(runs):
    return failing_writes(runs, errno.ENOSPC, True, 1)


def full_disk_ranks(runs):
    return failing_writes(runs, errno.ENOSPC, True, 2)


def compressing(runs):
    """A disk that fills up while the complete result is written once more, compressed."""
    return failing_writes(runs, errno.ENOSPC, True, 2, ("stop.crossings=1500", "output.compression=4"), 40)


def closing_ranks(runs):
    """The first block of a file, which HDF5 writes on rank 0 as all ranks close it: the others must not wait for ever."""
    whole = runs.whole()
    count = runs.at / "count"
    at_first = {"FOLDER": runs.disk, "PLACE": 0, "RANK": 0}
    runs.clear()
    end = runs.run(ranks=2, faults={**at_first, "COUNT": count})
    expect(end.returncode == 0, end.stderr)
    all_writes = int(count.read_text().split()[0])
    expect(all_writes >= 8, f"only {all_writes} first blocks written")
    closing, resumes, slowest = {}, {}, 0.0
    # A file is made by rank 0 with three such writes, the result first; then each checkpoint, closed by a fourth.
    for at in range(4, all_writes + 1) if runs.chosen.full else (7, all_writes):
        runs.clear()
        began = time.monotonic()
        try:
            end = runs.run(ranks=2, faults={**at_first, "AT": at, "ERROR": errno.ENOSPC, "ON": 1})
        except Failure as failure:
            raise Failure(f"first block {at} of {all_writes}: {failure}; left {runs.left()}") from None
        slowest = max(slowest, time.monotonic() - began)
        expect(end.returncode in (0, 3), f"first block {at}: exit code {end.returncode}: {end.stderr[-600:]}")
        if "alone" in end.stderr and "cannot close the file" in end.stderr:
            closing[re.search(r"\S*out.h5\S*(?=: cannot)", end.stderr)[0]] = 1
        how = runs.resumed(whole=whole, ranks=2)
        resumes[how] = resumes.get(how, 0) + 1
    expect(any("checkpoint" in name for name in closing), f"no checkpoint's closing failed: {closing}")
    return ("3", "rank 0 alone: cannot close the file: No space left on device, within "
            f"{slowest:.1f} s", " and ".join(sorted(closing)), ", ".join(f"{n} x {how}" for how, n in resumes.items()))


def write_error(runs):
    return failing_writes(runs, errno.EIO, False, 1)


def failing_calls(runs, call, ranks=1, first=1, few=8):
    """One read, or close, of a file below the result's folder that fails on each rank, in a run that replaces a result."""
    words = ("stop.crossings=20", "output.checkpoint_minutes=10")
    whole, count = runs.whole(*words), runs.at / "count"

    def replaced(faults):
        runs.clear()
        shutil.copy(whole, runs.result)
        return runs.run(*words, ranks=ranks, faults={"FOLDER": runs.disk, "CALL": call, **faults})
    count.unlink(missing_ok=True)
    end = replaced({"COUNT": count, "RANK": 0})
    expect(end.returncode == 0, end.stderr)
    calls = int(count.read_text().split()[0])
    expect(calls >= 6, f"only {calls} calls seen")
    moments = range(1, calls + 1)
    if not runs.chosen.full:
        moments = sorted({first, calls - 1, *runs.chance.sample(moments, min(few, calls))})
    ends, says, lefts = {}, {}, {}
    for at in moments:
        where = f"{call} {at} of {calls}: "
        end = replaced({"AT": at, "ERROR": errno.EIO})
        expect(end.returncode in (0, 3), f"{where}exit code {end.returncode}: {end.stderr[-600:]}")
        expect(end.returncode == 0 or message(end), f"{where}says nothing: {end.stderr[-600:]}")
        ends[end.returncode] = ends.get(end.returncode, 0) + 1
        says[re.sub(r"[^:]*: ", "", message(end), count=1)] = 1
        lefts[runs.left()] = 1
        try:
            runs.resumed(*words, whole=whole)
        except Failure as failure:
            raise Failure(f"{where}{message(end)}; {failure}") from None
    return (" ".join(f"{n} x {code(key)}" for key, n in sorted(ends.items())), " | ".join(filter(None, says)), " | ".join(lefts),
            "same bits")


def read_error(runs):
    return failing_calls(runs, "read")


def read_error_ranks(runs):
    """The tenth while all open the file together, where none may wait for those that have failed."""
    row = failing_calls(runs, "read", ranks=3, first=10, few=2)
    expect("cannot open the file" in row[1], f"none failed to open it: {row[1]}")
    return row


def close_error(runs):
    return failing_calls(runs, "close")


def full_scratch(runs):
    """No room where MPI keeps what ranks share: the program says so, in place of a SIGBUS, and so does --doctor."""
    whole = runs.whole()
    scratch = runs.at / "scratch"
    scratch.mkdir(exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", scratch], capture_output=True).returncode != 0:
        return ("-", "skipped: no right to mount", "-", "-")
    try:
        (scratch / "other").write_bytes(bytes(1 << 16))
        runs.clear()
        before = ("env", f"TMPDIR={scratch}")
        end = runs.run(before=before)
        expect(end.returncode == 3 and "No space left" in message(end) and "TMPDIR" in message(end), f"{end.returncode}: {end.stderr}")
        left = runs.left()
        ranks = runs.run(before=before, ranks=2)
        expect(ranks.returncode == 3 and str(scratch) in ranks.stderr and "0.0 MB are free" in message(ranks),
               f"2 ranks: {ranks.returncode}: {ranks.stderr}")
        doctor = subprocess.run([*before, runs.program, "--doctor"], cwd=runs.disk, env=runs.environment(1, {}), text=True,
                                capture_output=True, stdin=subprocess.DEVNULL)
        expect(doctor.returncode == 3 and "TMPDIR" in doctor.stdout, f"{doctor.returncode}: {doctor.stdout}{doctor.stderr}")
        expect(not list(runs.disk.glob(".cotangent-doctor*")), "--doctor left its file")
        expect([path.name for path in scratch.iterdir()] == ["other"], f"left {list(scratch.iterdir())}")
        return (code(end.returncode), message(end), left, runs.resumed(whole=whole))
    finally:
        subprocess.run(["umount", "-l", scratch], check=False)


def small_disk(runs):
    """A real one: another program takes what is left of it while the run goes."""
    whole = runs.whole(LONG)
    runs.clear()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", runs.disk], capture_output=True).returncode != 0:
        return ("-", "skipped: no right to mount", "-", "-")
    try:
        process = runs.begun(LONG, ranks=2)
        other = runs.disk / "other"
        with open(other, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass
        end = runs.end_of(process)
        expect(end.returncode in (0, 3), f"exit code {end.returncode}: {end.stderr[-600:]}")
        left = runs.left()
        other.unlink()
        resumes = runs.resumed(LONG, whole=whole)
        return (code(end.returncode), message(end) or "-", left, resumes)
    finally:
        subprocess.run(["umount", "-l", runs.disk], check=False)


def read_only(runs):
    """For a user and for root, whom permissions don't stop: no file can be made or renamed there."""
    whole = runs.whole()
    runs.clear()
    end = runs.run(faults={"DENIED": runs.disk})
    expect(end.returncode == 3 and "Permission denied" in message(end), f"{end.returncode}: {end.stderr}")
    left = runs.left()
    expect(left == "nothing", f"left {left}")
    return (code(end.returncode), message(end), left, runs.resumed(whole=whole))


def lost_rank(runs):
    """One of three ranks is killed; the others must not wait for it."""
    whole, longest, resumes = runs.whole(LONG), 0.0, ""
    for _ in range(runs.chosen.full and 20 or 2):
        runs.clear()
        process = runs.begun(LONG, ranks=3)
        time.sleep(runs.chance.uniform(0, 0.1))
        ranks = [number for number, name in living(process.pid).items() if name.startswith("cotangent")]
        expect(len(ranks) == 3, f"{len(ranks)} ranks are alive")
        os.kill(runs.chance.choice(ranks), signal.SIGKILL)
        began = time.monotonic()
        end = runs.end_of(process)
        longest = max(longest, time.monotonic() - began)
        expect(longest < 10, f"the job ended {longest:.1f} s after its rank")
        expect(end.returncode != 0, "the loss of a rank was no failure")
        left = runs.left()
        resumes = runs.resumed(LONG, ranks=2, whole=whole)
    return (code(end.returncode), f"mpirun's, within {longest:.1f} s", left, resumes)


def signals(runs):
    """Each signal, to a rank alone: those that ask for an end leave a checkpoint of that moment, others the last one."""
    whole, words = runs.whole(LONG), []
    asked = ("TERM", "INT", "HUP", "USR1", "USR2", "XCPU")
    resumes = ""
    for name in (*asked, "QUIT", "ABRT", "SEGV", "ALRM", "KILL", "XFSZ", "PIPE", "WINCH", "CHLD", "STOP"):
        if not runs.chosen.full and name in ("ABRT", "SEGV", "ALRM", "XFSZ", "CHLD", "PIPE", "KILL", "USR1", "INT", "WINCH"):
            continue
        number = signal.Signals[f"SIG{name}"]
        runs.clear()
        process = runs.begun(LONG, before=("sh", "-c", "ulimit -c 0; exec \"$@\"", "sh"))
        process.send_signal(number)
        if name == "STOP":
            time.sleep(0.2)
            process.send_signal(signal.SIGCONT)
        end = runs.end_of(process)
        if name in asked:
            expect(end.returncode == 75 and "--resume" in end.stdout, f"SIG{name}: exit code {end.returncode} {end.stderr}")
        if end.returncode == 0:
            expect(not same_bits(whole, runs.result), f"SIG{name}: another result")
        else:
            expect(".checkpoint" in runs.left(), f"SIG{name} left {runs.left()}")
        words.append(f"{name} {code(end.returncode)}")
        try:
            resumes = runs.resumed(LONG, whole=whole)
        except Failure as failure:
            raise Failure(f"SIG{name}: {failure}") from None
    runs.clear()  # nohup's: ignored
    process = runs.begun(LONG, before=("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"))
    process.send_signal(signal.SIGHUP)
    end = runs.end_of(process)
    expect(end.returncode == 0, f"SIGHUP under nohup: exit code {end.returncode}")
    return (", ".join(words), "those of 75: stopped; go on with --resume. HUP under nohup 0", "result, checkpoint", resumes)


def damaged_checkpoint(runs):
    """Any bit, any cut: by the program's own check; then some by runs, which take the older one."""
    whole = runs.whole(LONG)
    for _ in range(8):
        runs.clear()
        process = runs.begun(LONG, checkpoints=2)
        time.sleep(0.05)
        kill(process.pid)
        process.communicate()
        newest, older = (pathlib.Path(f"{runs.result}.checkpoint{end}") for end in ("", ".older"))
        if newest.exists() and older.exists() and not newest.samefile(older):
            break
    said = subprocess.run([runs.tool, newest, str(runs.chosen.trials), str(runs.chosen.seed)], capture_output=True, text=True,
                          env=runs.environment(1, {}), check=True).stdout.strip()
    counts = [int(number) for number in re.findall(r"\d+", said)]
    expect(counts[0] == counts[1] and counts[2] == counts[3] and sum(counts[1::2]) == runs.chosen.trials, said)
    expect(said.endswith("whole"), f"the control: {said}")
    kept = {path: path.read_bytes() for path in runs.disk.iterdir()}
    for k in range(runs.chosen.full and 20 or 2):
        for path, data in kept.items():
            path.unlink(missing_ok=True)
            path.write_bytes(data)
        data = bytearray(kept[newest])
        place = runs.chance.randrange(len(data))
        if k % 2:
            del data[place:]
        else:
            data[place] ^= 1 << runs.chance.randrange(8)
        newest.write_bytes(data)
        resumes = runs.resumed(LONG, whole=whole)
        expect(resumes.startswith("from the older"), f"byte {place}: {resumes}")
    return ("SIGKILL", said, "result .checkpoint .checkpoint.older", resumes)


def truncated_result(runs):
    """It is no result any more: refused, and left as it is; a run without --resume begins anew."""
    whole = runs.whole(LONG)
    runs.clear()
    process = runs.begun(LONG)
    kill(process.pid)
    process.communicate()
    half = runs.result.read_bytes()[: runs.result.stat().st_size * 2 // 3]
    runs.result.write_bytes(half)
    left = runs.left()
    end = runs.run(LONG, "--resume")
    expect(end.returncode == 3 and "truncated" in message(end), f"{end.returncode}: {end.stderr}")
    expect(runs.result.read_bytes() == half, "it was written to")
    anew = runs.run(LONG)
    expect(anew.returncode == 0 and not same_bits(whole, runs.result), f"anew: {anew.stderr}")
    return (code(end.returncode), message(end), left, "refused; without it anew, same bits")


def two_runs(runs):
    """The second is refused and names the first, with --resume too; a killed one keeps nobody away."""
    whole = runs.whole(LONG)
    runs.clear()
    first = runs.begun(LONG, ranks=2)
    send(first.pid, signal.SIGSTOP)  # so that it isn't over before the others have tried
    for words in ((), ("--resume",)):
        for ranks in (1, 3):
            end = runs.run(LONG, *words, ranks=ranks)
            expect(end.returncode == 2 and "another run writes it, process" in message(end), f"{end.returncode}: {end.stderr}")
    expect(os.uname().nodename in end.stderr, "without the host")
    named = int(re.search(r"process (\d+)", end.stderr)[1])
    expect(named in living(first.pid), f"process {named} isn't the first run's")
    send(first.pid, signal.SIGCONT)
    ended = runs.end_of(first)
    expect(ended.returncode == 0 and not same_bits(whole, runs.result), f"the first: {ended.returncode} {ended.stderr}")
    expect(runs.left() == "result", f"left {runs.left()}")
    runs.clear()
    killed = runs.begun(LONG)
    kill(killed.pid)
    killed.communicate()
    left = runs.left()
    resumes = runs.resumed(LONG, whole=whole)
    # The control, and what happens on a file system that can't lock: the second isn't refused.
    runs.clear()
    faults = {"NO_LOCKS": 1}
    first = runs.begun(LONG, faults=faults)
    other = runs.run(LONG, "--resume", faults=faults)
    expect("another run writes it" not in other.stderr, other.stderr)
    expect("nothing keeps a second run away" in other.stdout, other.stdout)
    kill(first.pid)
    first.communicate()
    return (code(end.returncode), re.sub(r"process \d+ on [^;]*", "process N on HOST", message(end)), left, resumes)


def clock_set_back(runs):
    """By an hour while it runs: times are taken of the steady clock, so limits and the wall time don't notice."""
    whole = runs.whole(LONG)
    runs.clear()
    end = runs.run(LONG, "output.wall_minutes=5", faults={"CLOCK": 0.5})
    expect(end.returncode == 0 and not same_bits(whole, runs.result), f"{end.returncode}: {end.stderr}")
    with h5py.File(runs.result, "r") as file:
        started, ended, wall = (file[f"run/{name}"][()] for name in ("started", "ended", "wall_seconds"))
    expect(ended < started, f"the control: the clock wasn't set back, {started} to {ended}")
    expect(0 < wall < HANGS, f"wall time {wall} s")
    left = runs.left()
    return (code(end.returncode), f"- (dates an hour back, wall time {wall:.1f} s)", left, runs.resumed(LONG, whole=whole))


def formula_nan(runs):
    """A root of a negative number on the way: that trajectory stops with its status, the other goes on."""
    runs.clear()
    (runs.at / "deck.toml").write_text(NAN, encoding="utf-8")
    end = runs.run(seconds=180)
    expect(end.returncode == 1, f"{end.returncode}: {end.stderr}{end.stdout}")
    found = statuses(runs.result)
    expect(found.get("finished") == 1 and len(found) == 2, found)
    with h5py.File(runs.result, "r") as file:
        finite = file["orbits/final"][()]
    expect((finite == finite).all(), "the last good state isn't finite")
    left, before = runs.left(), runs.result.read_bytes()
    again = runs.run("--resume", seconds=180)
    expect(again.returncode == 1, f"--resume: {again.returncode} {again.stderr}")
    runs.at.joinpath("before.h5").write_bytes(before)
    expect(not same_bits(runs.at / "before.h5", runs.result), "--resume changed it")
    return (code(end.returncode), ", ".join(f"{n} {name}" for name, n in found.items()), left, "same bits")


def long_deck(runs):
    """10^5 lines: a start each; then one of them wrong, found by its line."""
    runs.clear()
    lines = [f"  [0.0, {0.1 + k * 1e-6:.7f}, 0.3, 0.0]," for k in range(100000)]
    head, tail = POINCARE.replace('"out.h5"', '"disk/out.h5"').split("energy = 0.125\n")
    tail = tail.split("\n", 1)[1].replace("crossings = 3", "crossings = 1")
    deck = [*head.splitlines(), "list = [", *lines, "]", *tail.splitlines()]
    (runs.at / "deck.toml").write_text("\n".join(deck) + "\n", encoding="utf-8")
    began = time.monotonic()
    end = runs.run()
    seconds = time.monotonic() - began
    expect(end.returncode == 0, f"{end.returncode}: {end.stderr[-600:]}")
    expect(statuses(runs.result) == {"finished": 100000}, statuses(runs.result))
    left = runs.left()
    wrong = 70000
    deck[wrong - 1] = "  [0.0, 0.1, 0.3, oh],"
    (runs.at / "deck.toml").write_text("\n".join(deck) + "\n", encoding="utf-8")
    end = runs.run()
    expect(end.returncode == 2 and str(wrong) in message(end), f"{end.returncode}: {end.stderr[-600:]}")
    return (f"0 in {seconds:.1f} s, wrong: 2", message(end), left, "-")


def failing_tenth(runs):
    """Trajectories of which a tenth fails, counted by status; the others reach what they would without them."""
    count = 10**7 if runs.chosen.full else 10**4
    runs.clear()
    (runs.at / "deck.toml").write_text(ESCAPES, encoding="utf-8")
    words = [f"ensemble.random.count={count}"]
    end = runs.run(*words, seconds=7200)
    found = statuses(runs.result)
    failed = count - found.get("finished", 0)
    expect(end.returncode == 1, f"{end.returncode}: {end.stderr[-600:]}")
    expect(0.05 < failed / count < 0.2, found)
    expect(str(failed) in end.stdout, end.stdout)
    left = runs.left()
    again = runs.run(*words, "--resume", seconds=7200)
    expect(again.returncode == 1 and statuses(runs.result) == found, f"--resume: {again.returncode}")
    return (code(end.returncode), ", ".join(f"{n} {name}" for name, n in found.items()), left, "1, the same")


FAULTS = {"full-disk": full_disk, "full-disk-2-ranks": full_disk_ranks, "closing-2-ranks": closing_ranks,
          "compressing": compressing, "small-disk": small_disk, "write-error": write_error,
          "read-error": read_error, "read-error-3-ranks": read_error_ranks, "close-error": close_error, "full-scratch": full_scratch,
          "read-only": read_only, "lost-rank": lost_rank, "signals": signals, "damaged-checkpoint": damaged_checkpoint,
          "truncated-result": truncated_result, "two-runs": two_runs, "clock-set-back": clock_set_back,
          "formula-nan": formula_nan, "long-deck": long_deck, "failing-tenth": failing_tenth}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="", help="faults, with commas: " + ", ".join(FAULTS))
    parser.add_argument("--trials", type=int, default=0, help="damages of a checkpoint")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--damage", type=pathlib.Path, required=True, help="the program checkpoint_damage")
    parser.add_argument("program", type=pathlib.Path)
    chosen = parser.parse_args()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup runs would ignore it too
    chosen.trials = chosen.trials or (1000 if chosen.full else 10)
    names = [name for name in chosen.only.split(",") if name] or list(FAULTS)
    rows, failures = [("fault (--only)", "exit code", "message", "left", "--resume", "seconds")], 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="cotangent_faults_") as folder:
            runs = Runs(chosen.program.resolve(), chosen.damage.resolve(), chosen, pathlib.Path(folder))
            began = time.monotonic()
            try:
                row = FAULTS[name](runs)
            except Failure as failure:
                failures += 1
                row = ("FAILED", str(failure), "", "")
            rows.append((name, *row, f"{time.monotonic() - began:.1f}"))
            print(f"{name}: {row[0]}" + (f": {row[1]}" if row[0] == "FAILED" else ""), flush=True)
    print()
    for row in rows:
        print(" | ".join(row))
    print("nothing was lost, nothing hung" if not failures else f"{failures} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
