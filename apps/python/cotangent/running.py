# SPDX-License-Identifier: BSD-3-Clause
"""Runs: a deck is written, ``mpirun cotangent`` starts as a process of its own, tells how far it is, and leaves a result."""
from __future__ import annotations

import collections
import json
import numbers
import os
import signal
import subprocess
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import deck as decks
from .errors import Error, InputError, TrajectoriesFailed, error_of
from .pictures import Picture
from .program import environment, launcher, program, said
from .progress import Bar
from .results import Result

STOPPED = 75  # the program's exit code: to be gone on with


class Run:
    """A run and its result. What `Result` has, a run has too: ``run.section``, ``run["/orbits/status"]``, ``run.plot()``.

    Attributes:
        deck: the deck's text, as it was written to ``deck_file``.
        file: the result.
        ranks: on how many it runs.
        state: ``"new"``, ``"running"``, ``"complete"``, ``"stopped"`` (``resume()`` goes on) or ``"failed"``.
        progress: how far it is: ``done``, ``all``, ``text``, ``unit``, ``rate``, ``seconds_left``; empty before the program
            has told.
        summary: what the program said at the end.
    """

    def __init__(self, deck: dict[str, Any], ranks: int = 1, file: str | Path | None = None):
        if isinstance(ranks, bool) or not isinstance(ranks, numbers.Integral) or ranks < 1:
            raise InputError(f"ranks: expected a whole number from 1 on, found {ranks!r}", 2, key="ranks", value=str(ranks))
        output = dict(deck.get("output", {}))
        self._folder = Path.cwd()  # wherever one goes meanwhile
        self.file = Path(file or output.get("file") or f"{deck['study']}.h5")
        output["file"] = str(self.file)
        self.deck = decks.written({**deck, "output": output})
        self.deck_file = self.file.with_suffix(".deck.toml")
        self.study: str = deck["study"]
        self.ranks = int(ranks)
        self.state = "new"
        self.progress: dict[str, Any] = {}
        self.summary = ""
        self._process: subprocess.Popen[str] | None = None
        self._error: Error | None = None
        self._complaints: Any = None
        # Python 3.11 takes a thread whose join() was interrupted for ended, so an event says when all has been heard.
        self._ended = threading.Event()
        self._asked_to_stop = False
        self._resumes = False
        self._result: Result | None = None
        self._is_replaced = False

    def start(self, *, resume: bool = False) -> Run:
        """Starts the program and comes back at once.

        Raises:
            ProgramError: it isn't to be found.
            FileSystemError: the deck can't be written.
        """
        newest = _newest.get(self._from_here(self.file).resolve())
        if newest not in (None, self) and not newest.running:
            newest._make_room()  # pylint: disable=protected-access
        _newest[self._from_here(self.file).resolve()] = self
        try:
            self._from_here(self.deck_file).write_text(self.deck)
        except OSError as error:
            raise error_of(3, f"{self.deck_file}: cannot be written: {error.strerror}") from error
        deck_file = ("./" if str(self.deck_file).startswith("-") else "") + str(self.deck_file)
        words = [*launcher(self.ranks), str(program()), deck_file, "--progress=json"]
        if resume:
            words.append("--resume")
        self._result, self._error, self._asked_to_stop, self.summary = None, None, False, ""
        self._resumes, self._is_replaced = resume, False
        if not resume:
            self.progress = {}
        self._ended = threading.Event()
        self._complaints = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        # A session of its own: a Ctrl-C in the terminal reaches this process alone, which then stops the run in order.
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._complaints,
                                         encoding="utf-8", errors="replace", env=environment(self.ranks),
                                         start_new_session=True, cwd=self._folder)
        self.state = "running"
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def _from_here(self, path: Path) -> Path:
        """A path that was given where the run was made."""
        return path if Path.cwd() == self._folder else self._folder / path

    def _make_room(self) -> None:
        """Another run is about to replace the file: what has been opened goes on showing this run's."""
        try:
            _ = self.result
        except Error:
            pass
        self._is_replaced = True

    def _refuse_if_replaced(self) -> None:
        if self._is_replaced:
            raise error_of(3, f"{self.file}: a later run has replaced this run's result; give each run a file of its own "
                              "(file=\"first.h5\")")

    def _listen(self) -> None:
        """Reads what the program says, to its end."""
        try:
            self._hear_out()
        finally:
            self._ended.set()

    def _hear_out(self) -> None:
        assert self._process and self._process.stdout
        lines: collections.deque[str] = collections.deque(maxlen=200)
        for line in self._process.stdout:
            try:
                self.progress = json.loads(line)["progress"]
            except (ValueError, KeyError, TypeError):  # words, or a line that the program's end has cut short
                lines.append(line)
                self.summary = "".join(lines)
        code = self._process.wait()
        self._process.stdout.close()
        self._complaints.seek(0)
        complaints = said(self._complaints.read())
        self._complaints.close()
        if code in (0, 1) and not (code == 1 and not self.summary):
            self.state = "complete"
            if code == 1:
                self._error = Error(complaints, 1)
        elif code == STOPPED or (self._asked_to_stop and self._has_begun):
            self.state = "stopped"
        else:
            self._error = error_of(code, complaints or f"the program ended with {code} and said nothing")
            self.state = "failed"

    def wait(self, progress: bool = True) -> Run:
        """Waits for the end. An interrupt (Ctrl-C, the notebook's square) stops the run with a checkpoint, and is passed on.

        Args:
            progress: shows a bar in a notebook, a line on a terminal, lines now and then elsewhere.

        Raises:
            Error: the program's own, with file, key and nearest choice.
            KeyboardInterrupt: after the run was stopped; ``resume()`` goes on.
        """
        bar = Bar(progress)
        try:
            while self._process and not self._ended.wait(0.1):
                bar.show(self.progress)
        except KeyboardInterrupt:
            self.stop()
            bar.close(f"stopped at {self.progress.get('text', 'its start')}; resume() goes on")
            raise
        bar.close("" if self.state == "failed" else self.state)
        if self.state == "failed" and self._error:
            raise self._error
        if self._error:
            warnings.warn(next((line for line in self.summary.splitlines() if line.startswith("trajectories")), "some "
                               "trajectories failed"), TrajectoriesFailed, stacklevel=3)
        return self

    def stop(self, patience: float = 60.0) -> Run:
        """Stops it with a checkpoint, from which ``resume()`` goes on.

        Args:
            patience: seconds after which it is killed; the last checkpoint stays.
        """
        if self._process and self._process.poll() is None:
            self._asked_to_stop = True
            self._process.send_signal(signal.SIGUSR1)  # which mpirun hands on to all ranks; SIGTERM it would answer itself
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self._process.terminate()
        if self._process:
            self._ended.wait()
        return self

    def resume(self, *, wait: bool = True, progress: bool = True) -> Run:
        """Goes on where it was stopped, or where a kill left its last checkpoint; what is complete stays as it is.

        Raises:
            Error: as `wait`.
        """
        if self._asked_to_stop and self._process:  # an interrupt while it stopped
            self._ended.wait()
        if self.state == "running":
            return self.wait(progress) if wait else self
        self.start(resume=True)
        return self.wait(progress) if wait else self

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.state == "running"

    @property
    def _has_begun(self) -> bool:
        """Whether a file of its name is its own: until it has told how far it is, an older run's may lie there."""
        return bool(self.progress) or self._resumes

    @property
    def result(self) -> Result:
        """The result as it is now: of a run that goes on the rows that are there, places not reached yet NaN or 0.

        Raises:
            FileSystemError: the run has made no file yet; one of its name is an older run's.
        """
        if not self._has_begun and self.state not in ("complete", "stopped"):
            raise error_of(3, f"{self.file}: the run has made no file yet")
        if self.running:
            return Result(self._from_here(self.file))
        if self._result is None:
            self._refuse_if_replaced()
            self._result = Result(self._from_here(self.file))
        return self._result

    def snapshots(self, every: float = 1.0) -> Iterator[Result]:
        """The result again and again while the run goes on, and once at its end.

        Args:
            every: seconds from one to the next.
        """
        while self.running:
            if self._has_begun and self._from_here(self.file).exists():
                yield self.result
            until = time.monotonic() + every
            while self.running and time.monotonic() < until:
                time.sleep(0.05)
        self.wait(False)
        yield self.result

    def follow(self, every: float = 2.0, output: str | Path | None = None, **options: Any) -> Picture:
        """A picture that fills while the run goes on: a notebook shows it anew each time, a script finds it in its file.

        Args:
            every: seconds from one picture to the next. Rows reach the file with each checkpoint at the latest:
                ``checkpoint_minutes=0.02`` of a deck.
            output, options: as `Result.plot`.

        Returns:
            The last picture.
        """
        shown, picture, trouble = None, None, None
        try:
            for result in self.snapshots(every):
                try:
                    picture, trouble = result.plot(output, **options), None
                except Error as error:  # nothing to draw yet, unless this is the end
                    trouble = error
                    continue
                shown = _show(picture, shown)
        except KeyboardInterrupt:
            self.stop()
            raise
        if trouble:
            raise trouble
        assert picture
        return picture

    def plot(self, output: str | Path | None = None, **options: Any) -> Picture:
        """A picture; see `Result.plot`."""
        self._refuse_if_replaced()
        return self.result.plot(output, **options)

    def explore(self, page: str | Path | None = None, **options: Any) -> Any:
        """A page that answers to clicks; see `Result.explore`."""
        self._refuse_if_replaced()
        return self.result.explore(page, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.result, name)

    def __getitem__(self, path: str) -> Any:
        return self.result[path]

    def __repr__(self) -> str:
        text = f"Run of study \"{self.study}\", {self.state}: {self.file}"
        return text + ("\n" + self.summary.rstrip() if self.summary else "")


# The run that was started last on each file.
_newest: weakref.WeakValueDictionary[Path, Run] = weakref.WeakValueDictionary()


def _show(picture: Picture, shown: Any) -> Any:
    """Shows it in a notebook, in the place of the one before."""
    from .progress import in_notebook
    if not in_notebook():
        return None
    from IPython.display import Image, display
    image = Image(str(picture.path))
    if shown is None:
        return display(image, display_id=True)
    shown.update(image)
    return shown


def run(study: str | Path, /, *, ranks: int = 1, file: str | Path | None = None, wait: bool = True, progress: bool = True,
        **keys: Any) -> Run:
    """Runs a study, or a deck, and returns when it is done.

    >>> run("poincare", model="henon-heiles", energy=0.125, grid=dict(q2=(-.4, .7, 24), q2_dot=(-.4, .4, 24)), crossings=200)
    >>> run(Path("input/sections/henon_heiles_chaos.toml"), stop=dict(crossings=100))

    Args:
        study: its name (`studies`), or the path of a deck, .toml, whose keys the keyword arguments replace.
        ranks: on how many MPI ranks.
        file: the result, an HDF5 file; ``STUDY.h5`` in the current folder unless given. The deck is written beside it.
        wait: False: comes back at once with a run that goes on (`Run.wait`, `Run.follow`, `Run.stop`).
        progress: whether to show how far it is.
        keys: the deck's keys: tables as mappings, or keys of any of them by themselves; see `cotangent --template STUDY`.
            SymPy's expressions stand where a deck has formulas. Where a study's steps can adapt and nothing is said of the
            method, its tolerance is 1e-12.

    Raises:
        InputError: the program refused the deck: its own words, with ``file``, ``line``, ``key``, ``nearest``.
        FileSystemError, ProgramError: as they say.
        KeyboardInterrupt: it was interrupted, and stopped with a checkpoint; with ``wait=False``, or `resume`, it goes on.

    Warns:
        TrajectoriesFailed: some trajectories failed: ``run["/orbits/status"]``.
    """
    made = _prepared(study, ranks, file, keys)
    made.start()
    global _last  # pylint: disable=global-statement
    _last = made
    return made.wait(progress) if wait else made


_last: Run | None = None


def last() -> Run:
    """The run that was started last: after an interrupt, ``cotangent.last().resume()``.

    Raises:
        Error: there was none.
    """
    if _last is None:
        raise Error("no run was started yet")
    return _last


INPUT_FILES = ("file", "raster", "copies", "compiled")  # the keys, in whatever table, of what a study reads


def _with_files_of(given: Any, folder: Path) -> Any:
    """A part of a deck whose files are found from anywhere: they lie beside their deck, and the deck is written elsewhere."""
    if isinstance(given, list):
        return [_with_files_of(item, folder) for item in given]
    if not isinstance(given, dict):
        return given
    return {key: str((folder / value).resolve()) if key in INPUT_FILES and isinstance(value, str) and os.path.isfile(folder / value)
            else _with_files_of(value, folder) for key, value in given.items()}


def _prepared(study: str | Path, ranks: int, file: str | Path | None, keys: dict[str, Any]) -> Run:
    if str(study).endswith(".toml"):
        try:
            given = decks.read(Path(study).read_text())
        except OSError as error:
            raise error_of(3, f"{study}: cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise error_of(2, f"{study}: {error}") from error
        given = {name: table if name == "output" else _with_files_of(table, Path(study).parent) for name, table in given.items()}
        deck = decks.with_arguments(decks.study_of(given.get("study", "")), keys, given)
    else:
        deck = decks.with_arguments(decks.study_of(str(study)), keys)
    made = Run(deck, ranks, file)
    if made.deck_file.resolve() == Path(study).resolve():
        raise InputError(f"{study}: the run's own deck would be written in its place; rename it, or give the result another `file`",
                         2, key="file", value=str(made.file))
    return made


def check(study: str | Path, /, **keys: Any) -> str:
    """Has the program judge a deck, without running it; returns the deck's text.

    Raises:
        InputError: it refuses.
    """
    from .program import ask
    made = _prepared(study, 1, None, keys)
    with tempfile.TemporaryDirectory() as folder:
        deck_file = Path(folder) / made.deck_file.name
        deck_file.write_text(made.deck)
        ask("--check", str(deck_file))
    return made.deck
