# SPDX-License-Identifier: BSD-3-Clause
"""Runs: started, watched, refused, interrupted, gone on with."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest

import cotangent as ct
from cotangent import deck, running

# Long enough to be stopped: the crossings of a few orbits, thousands of them.
LONG = dict(model="henon-heiles", section="q1", energy=0.1, step=0.25, stages=4, crossings=20000,
            grid=dict(q2=(-.1, .2, 4), q2_dot=(-.1, .1, 4)))
SHORT = LONG | dict(crossings=10)


def until(condition, patience=60.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def test_ranks_make_no_difference():
    one = ct.poincare(file="one.h5", progress=False, **SHORT)
    two = ct.poincare(file="two.h5", progress=False, ranks=2, **SHORT)
    assert (one.state, two["/run/ranks"].values) == ("complete", 2)
    assert np.array_equal(one["/section/points"], two["/section/points"], equal_nan=True)
    assert "2 ranks" in two.summary and "complete" in repr(two)


def test_a_second_run_on_the_same_file_leaves_the_first_its_numbers():
    first = ct.poincare(progress=False, **SHORT)
    second = ct.poincare(progress=False, **SHORT | dict(energy=0.05))
    assert first.file == second.file
    assert np.allclose(first.orbits.energy, 0.1) and np.allclose(second.orbits.energy, 0.05)
    with pytest.raises(ct.FileSystemError, match="a later run has replaced"):
        first.plot()
    second.plot()


def test_no_deck_is_written_over_the_users(folder):
    own = folder / "mine.deck.toml"
    own.write_text(deck.written(deck.read(ct.check("poincare", **SHORT)) | {"output": {"file": str(folder / "mine.h5")}}))
    before = own.read_text()
    with pytest.raises(ct.InputError, match="mine.deck.toml"):
        ct.run(own, progress=False)
    assert own.read_text() == before


def test_ranks_of_numpy_count():
    assert running.Run({"study": "poincare"}, np.int64(2)).ranks == 2


@pytest.mark.parametrize("ranks", [0, -1, 2.5, True, "two"])
def test_ranks_are_counted(ranks):
    with pytest.raises(ct.InputError, match="ranks: expected a whole number from 1 on"):
        ct.poincare(ranks=ranks, **SHORT)


def test_a_deck_of_input_and_keys_that_replace_its_own(source):
    run = ct.run(source / "input/sections/henon_heiles_chaos.toml", stop=dict(crossings=7), file="chaos.h5", progress=False)
    assert run["/section/points"].shape[1] == 7 and run.deck_file.name == "chaos.deck.toml"
    with pytest.raises(ct.FileSystemError, match="nowhere.toml"):
        ct.run("nowhere.toml")


def test_files_are_found_beside_the_deck_and_nothing_else_is_taken_for_one(folder):
    """By their keys alone: not a model's name, or a formula, because a file is called so."""
    beside = folder / "decks"
    beside.mkdir()
    for name in ("henon-heiles", "q1", "a.asc", "ground.asc"):
        (beside / name).write_text("")
    formula = "(q1_dot^2 + q2_dot^2)/2 - (q1^2 + q2^2)/2" + "".join(f" - q1^{k}*q2^{k}/{k}" for k in range(4, 40, 2))
    assert len(formula) > 255
    (beside / "section.toml").write_text(deck.written({
        "study": "poincare", "model": {"name": "henon-heiles"}, "section": {"where": "q1"},
        "ensemble": {"list": [[0.0, 0.1, 0.4, 0.0]]}, "stop": {"crossings": 3}, "method": {"step": 0.1}}))
    given = deck.read(ct.check(beside / "section.toml"))
    assert given["model"]["name"] == "henon-heiles" and given["section"]["where"] == "q1"
    (beside / "own.toml").write_text(deck.written(given | {"model": {
        "name": "own", "coordinates": ["q1", "q2"], "lagrangian": formula}, "ensemble": {"list": [[0.0, 0.1, 0.4, 0.0]]}}))
    assert deck.read(ct.check(beside / "own.toml"))["model"]["lagrangian"] == formula
    (beside / "water.toml").write_text(deck.written({
        "study": "overland", "bed": {"raster": "ground.asc"}, "rain": {"rasters": [{"from": 0.0, "file": "a.asc"}]},
        "mesh": {"file": "elsewhere.msh"}, "output": {"file": "a.asc"}}))
    given = deck.read(running._prepared(beside / "water.toml", 1, None, {}).deck)
    assert given["bed"]["raster"] == str(beside / "ground.asc")
    assert given["rain"]["rasters"] == [{"from": 0.0, "file": str(beside / "a.asc")}]
    assert given["mesh"]["file"] == "elsewhere.msh" and given["output"]["file"] == "a.asc"  # not there, and not read


def test_the_programs_refusal_is_an_exception(folder):
    with pytest.raises(ct.InputError) as refusal:
        ct.poincare(progress=False, **SHORT | dict(model="henon-heils"))
    error = refusal.value
    assert (error.key, error.value, error.nearest, error.code) == ("model.name", "henon-heils", "henon-heiles", 2)
    assert error.file.endswith("poincare.deck.toml")
    line = (folder / "poincare.deck.toml").read_text().splitlines()[error.line - 1]
    assert line == 'name = "henon-heils"'
    with pytest.raises(ct.InputError, match=r"expected '\)' at the end of") as refusal:
        ct.trajectory(lagrangian="x_dot^2/2 - (x", list=[[0.0, 1.0]], step=0.1, time=1.0, progress=False)
    assert refusal.value.key == "model.lagrangian"
    with pytest.raises(ct.FileSystemError):
        ct.poincare(file="missing/a.h5", progress=False, **SHORT)
    with pytest.raises(AttributeError, match="poincare"):
        ct.poincarre  # pylint: disable=pointless-statement


def test_trajectories_that_fail_are_a_warning():
    with pytest.warns(ct.TrajectoriesFailed):
        run = ct.trajectory(model="kepler", list=[[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]], step=0.1, time=10.0, every=1.0,
                            stages=1, progress=False)
    status = run["/orbits/status"]
    ends = [status.attrs["names"][k] for k in np.asarray(status)]
    assert run.state == "complete" and ends[0] == "finished" and ends[1] not in ("finished", "pending"), ends
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ct.trajectory(model="kepler", list=[[1.0, 0.0, 0.0, 1.0]], step=0.1, time=1.0, every=1.0, progress=False)


def test_progress_rises_to_the_end(hold, monkeypatch):
    monkeypatch.setenv("HOLD_AT", "2")  # a checkpoint after which it has said how far it is
    run = ct.poincare(file="a.h5", wait=False, **LONG, checkpoint_minutes=1e-5)
    hold.wait()
    until(lambda: run.progress)
    midway = run.progress
    assert run.running and 0 <= midway["done"] < midway["all"] and midway["unit"]
    hold.release()
    run.wait(progress=False)
    assert midway["done"] < run.progress["done"] == run.progress["all"] == midway["all"]


def starter(folder, monkeypatch, script):
    """What starts the program in place of mpirun: the words after the number of ranks are "$@"."""
    (folder / "start.sh").write_text(f"shift\n{script}\n")
    monkeypatch.setenv("COTANGENT_MPIRUN", f"sh {folder / 'start.sh'}")


def test_an_older_result_of_its_name_is_not_the_runs(folder, monkeypatch):
    old = ct.poincare(file="a.h5", progress=False, **SHORT).result
    gate = folder / "gate"
    gate.touch()
    starter(folder, monkeypatch, f'while [ -e {gate} ]; do sleep 0.02; done; exec "$@"')
    run = ct.poincare(file="a.h5", wait=False, **SHORT | dict(energy=0.08))
    for look in (lambda: run["/orbits/energy"], lambda: run.orbits, lambda: run.plot("a.png")):
        with pytest.raises(ct.FileSystemError, match="a.h5: the run has made no file yet"):
            look()
    gate.unlink()
    run.wait(progress=False)
    assert np.allclose(run["/orbits/energy"], 0.08, atol=1e-9)
    assert np.allclose(old["/orbits/energy"], 0.1, atol=1e-9)
    assert np.allclose(run.resume(progress=False)["/orbits/energy"], 0.08, atol=1e-9)
    starter(folder, monkeypatch, "exit 9")
    failed = ct.poincare(file="a.h5", wait=False, **SHORT)
    with pytest.raises(ct.ProgramError):
        failed.wait(progress=False)
    with pytest.raises(ct.FileSystemError, match="no file yet"):
        failed.result  # pylint: disable=pointless-statement


def test_a_program_that_ends_amid_a_line_has_failed(folder, monkeypatch):
    starter(folder, monkeypatch, r"""printf '{"progress": {"done": 1, "al'; printf 'cotangent: it fell \377\n' >&2; exit 70""")
    run = ct.poincare(file="a.h5", wait=False, **SHORT)
    with pytest.raises(ct.ProgramError, match="it fell"):
        run.wait(progress=False)
    assert run.state == "failed" and run.summary.startswith('{"progress"')
    with pytest.raises(ct.ProgramError):
        list(run.snapshots(every=0.1))


def test_stopped_with_a_checkpoint_and_gone_on_with_the_result_is_the_same(hold):
    whole = ct.poincare(file="whole.h5", progress=False, **LONG)
    run = ct.poincare(file="parts.h5", wait=False, ranks=2, **LONG, checkpoint_minutes=1e-5)
    hold.wait()
    threading.Timer(0.5, hold.release).start()
    run.stop()
    assert run.state == "stopped" and (run.file.parent / "parts.h5.checkpoint").exists()
    assert (np.asarray(run["/orbits/crossing_count"]) < LONG["crossings"]).any()
    run.resume(progress=False)
    assert run.state == "complete" and run["/run/starts"].values == 2
    assert np.array_equal(run["/section/points"], whole["/section/points"], equal_nan=True)


def test_a_run_stays_where_it_was_made(folder, monkeypatch):
    run = ct.poincare(file="-a.h5", progress=False, **SHORT)
    (folder / "sub").mkdir()
    monkeypatch.chdir("sub")
    assert np.allclose(run.orbits.energy, 0.1)
    assert run.resume(progress=False).state == "complete" and run["/run/starts"].values == 2
    assert run.plot(small=True, title="-x").path.parent == folder and not list((folder / "sub").iterdir())
    with pytest.raises(ct.FileSystemError, match="no such file"):
        ct.open("-a.h5")  # a control


def test_an_interrupt_while_it_stops_is_no_end(hold):
    run = ct.poincare(file="a.h5", wait=False, **LONG, checkpoint_minutes=1e-5)
    hold.wait()
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr(run._process, "wait", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run.stop()
    assert run.state == "running"
    hold.release()
    run.resume(progress=False)
    assert run.state == "complete" and run["/run/starts"].values == 2


def test_an_interrupt_stops_in_order_and_is_passed_on(home, folder, hold):
    """As Ctrl-C does it: SIGINT to Python alone, whose run leaves a checkpoint that another Python goes on from."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(home)!r})
        import cotangent as ct
        try:
            ct.poincare(file="a.h5", ranks=2, checkpoint_minutes=1e-5, **{LONG!r})
        except KeyboardInterrupt:
            print(ct.last().state, flush=True)
            ct.last().resume(progress=False)
            print(ct.last().state)
        """))
    # The running Python may ignore SIGINT, as what a shell starts in the background does: the new one mustn't.
    with subprocess.Popen([sys.executable, "-c", f"import signal, runpy; signal.signal(signal.SIGINT, "
                           f"signal.default_int_handler); runpy.run_path({str(script)!r})"], stdout=subprocess.PIPE, text=True,
                          cwd=folder) as python:
        hold.wait()
        python.send_signal(signal.SIGINT)
        time.sleep(0.5)
        hold.release()
        said, _ = python.communicate(timeout=300)
    assert said.split() == ["stopped", "complete"]
    assert ct.open("a.h5")["/run/starts"].values == 2


def test_followed_while_it_goes(folder):
    pytest.importorskip("matplotlib")
    run = ct.poincare(file="a.h5", wait=False, checkpoint_minutes=0.005, **LONG | dict(crossings=60000))
    filled = [int(np.isfinite(np.asarray(result["/section/time"])).sum()) for result in run.snapshots(every=0.2)]
    assert len(filled) > 1 and filled == sorted(filled) and filled[-1] == 16 * 60000
    again = ct.poincare(file="b.h5", wait=False, checkpoint_minutes=0.005, **SHORT | dict(crossings=2000))
    picture = again.follow(every=0.3, small=True)
    assert picture.path.name == "b.png" and picture.path.stat().st_size > 1000 and again.state == "complete"


def test_a_killed_run_is_told(hold):
    run = ct.poincare(file="a.h5", wait=False, **LONG, checkpoint_minutes=1e-5)
    hold.wait()
    os.killpg(run._process.pid, signal.SIGKILL)
    with pytest.raises(ct.ProgramError):
        run.wait(progress=False)
    assert run.state == "failed"
    hold.release()
    run.resume(progress=False)
    assert run.state == "complete"


def test_lines_of_progress_in_a_script(home, folder):
    text = subprocess.run([sys.executable, "-c", textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(home)!r})
        from cotangent.progress import Bar
        bar = Bar()
        bar._next = 0
        bar.show(dict(done=1, all=4, text="t = 1 of 4", unit="steps", rate=2.0, seconds_left=1.5))
        bar.close("complete")
        """)], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=True).stderr
    assert text == "t = 1 of 4 (25 %), 2 steps a second, 2 s left\n"


def test_every_study_of_the_program_is_a_function():
    for study in ct.studies():
        function = getattr(ct, study.replace("-", "_"))
        assert function.args == (study,) and study in function.__doc__
    assert {"work_precision", "poincare", "run"} <= set(dir(ct))


def test_a_template_of_every_study_is_judged_good():
    for study in ct.studies():
        given = deck.read(deck.known("--template", study))
        given.pop("study")
        assert ct.check(study, **given)
