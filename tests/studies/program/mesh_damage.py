# SPDX-License-Identifier: BSD-3-Clause
"""mesh_damage.py [--damages N] [--seed S] PROGRAM

Damages the dam's mesh at random and runs the dam break on it for a moment: the program must refuse the file, by its name,
or run; it never crashes. A tenth of the damages each are a byte, a digit or a number changed, a line lost, doubled, moved
or renumbered, a cut, a vertex that isn't there, a section's mark spoiled. Ends with 1 where a run ended in a signal, took
too long, or refused the mesh without naming it. The controls: the mesh itself runs, and a run that ends in a signal is
found to have crashed.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
OVERLAND = SOURCE / "input/overland"
SHORT = ("stop.time=0.02", "output.every=0.02", "output.file=out.h5")


def changed_number(lines, at, chosen):
    words = lines[at].split(" ")
    words[chosen.randrange(len(words))] = chosen.choice(["-1", "0", "99999", "1e300", "nan", "4294967297", "x", "2.5", ""])
    lines[at] = " ".join(words)


def other_vertex(lines, _at, chosen):
    """A triangle's vertex, of which half are there."""
    at = chosen.randrange(lines.index("$Elements") + 400, len(lines) - 1)
    words = lines[at].split(" ")
    words[-1 - chosen.randrange(3)] = str(chosen.choice([chosen.randrange(1, 1158), chosen.randrange(1158, 10**6)]))
    lines[at] = " ".join(words)


def other_node_number(lines, _at, chosen):
    """A node's line numbered wrongly."""
    at = lines.index("$Nodes") + 2 + chosen.randrange(1157)
    lines[at] = f"{chosen.randrange(3000)} " + lines[at].split(" ", 1)[1]


def damaged(text, chosen):
    kind = chosen.randrange(10)
    at = chosen.randrange(len(text))
    if kind == 0:
        return text[:at] + chr(chosen.randrange(1, 127)) + text[at + 1:]
    if kind == 1:
        return text[:at] + str(chosen.randrange(10)) + text[at + 1:]
    if kind == 2:
        return text[:at]
    lines = text.splitlines()
    at = chosen.randrange(len(lines))
    if kind == 3:
        del lines[at]
    elif kind == 4:
        lines.insert(at, lines[at])
    elif kind == 5:
        lines.insert(chosen.randrange(len(lines)), lines.pop(at))
    elif kind == 6:
        other_vertex(lines, at, chosen)
    elif kind == 7:
        other_node_number(lines, at, chosen)
    elif kind == 8:
        marks = [k for k, line in enumerate(lines) if line.startswith("$") or re.fullmatch(r"\d+", line)]
        lines[chosen.choice(marks)] = chosen.choice(["", "$", "$Nodes", "$EndElements", "7", "-3", "10000000000"])
    else:
        changed_number(lines, at, chosen)
    return "\n".join(lines) + "\n"


def crashed(code):
    """A signal: from the program itself, or as a shell or mpirun says it."""
    return code < 0 or code >= 128


def run(program, folder, mesh, alone):
    (folder / "dam.msh").write_text(mesh)
    return subprocess.run([program, "dam_break.toml", *SHORT], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=120, env=alone)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--damages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", type=pathlib.Path)
    given = parser.parse_args()
    program = given.program.resolve()
    whole = (OVERLAND / "dam.msh").read_text()
    alone = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"}  # no daemon for one rank
    chosen = random.Random(given.seed)
    wrong, refused, ran, by_line = [], 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="cotangent_mesh_") as folder:
        folder = pathlib.Path(folder)
        shutil.copy(OVERLAND / "dam_break.toml", folder)
        end = run(program, folder, whole, alone)
        if end.returncode != 0:
            wrong.append(f"the control: the mesh itself ends with {end.returncode}\n{end.stderr}")
        if not crashed(subprocess.run(["sh", "-c", "kill -SEGV $$"]).returncode):
            wrong.append("the control: a signal isn't seen")
        for k in range(given.damages):
            mesh = damaged(whole, chosen)
            if mesh == whole:
                continue
            try:
                end = run(program, folder, mesh, alone)
            except subprocess.TimeoutExpired:
                wrong.append(f"damage {k}: still running after two minutes")
                continue
            if crashed(end.returncode) or end.returncode not in (0, 1, 2):
                wrong.append(f"damage {k}: exit code {end.returncode}\n{end.stderr}")
            elif end.returncode == 2:
                refused += 1
                by_line += bool(re.search(r"dam\.msh:\d+: ", end.stderr))
                if "dam.msh" not in end.stderr:
                    wrong.append(f"damage {k}: refused without the file's name\n{end.stderr}")
            else:
                ran += 1
    print(f"{given.damages} damages (seed {given.seed}): {refused} refused, {by_line} of them by a line; {ran} ran; "
          f"{len(wrong)} wrong")
    if given.damages >= 10 and not refused:
        wrong.append("no damage was refused")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
