# SPDX-License-Identifier: BSD-3-Clause
"""memory_errors.py PROGRAM [DECK ...]

Runs every deck of input/ (or these alone), shortened, under valgrind's memcheck: what is read before it is written, or beyond
its end. Needs valgrind, and a program for a processor that valgrind knows, without AVX-512: one of -DCOTANGENT_NATIVE=OFF
-DCOTANGENT_PROCESSOR=x86-64-v3. Only errors with a function of ours among their callers count: MPI's and PETSc's own aren't
ours to mend. A control, a program of six lines that reads what it never wrote, must be found. Ends with 1 where an error is
found or a deck fails; one that takes longer than --longest is told, and no failure.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from test_decks import DECKS, shortened

SUPPRESSED = pathlib.Path("/usr/share/openmpi/openmpi-valgrind.supp")
CONTROL = """#include <cstdio>
#include <cstdlib>
namespace cotangent {
int read(const int* x) { return x[1] > 3 ? std::puts("more") : 0; }
}
int main() { return cotangent::read(static_cast<int*>(std::malloc(8))) > 99; }
"""


def errors(log):
    """Of a log, what names a function of ours: the first line and the first of our functions, each once."""
    found = []
    for block in re.split(r"==\d+== \n", log):
        ours = re.search(r"(?:at|by) 0x[0-9A-F]+: (.*cotangent::.*)", block)
        first = re.search(r"==\d+== (.+)", block)
        if ours and first:
            found.append(f"{first.group(1)}: {ours.group(1)}"[:200])
    return list(dict.fromkeys(found))


def watched(program, words, at, longest):
    """How a program ended under valgrind, and what that said."""
    suppressed = [f"--suppressions={SUPPRESSED}"] if SUPPRESSED.exists() else []
    command = ["valgrind", "-q", "--trace-children=yes", "--num-callers=30", f"--log-file={at}/log.%p", *suppressed, program, *words]
    environment = {**os.environ, "TMPDIR": str(at), "OMPI_MCA_btl": "self"}
    try:
        end = subprocess.run(command, cwd=at, env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                             timeout=longest)
        code = end.returncode
    except subprocess.TimeoutExpired:
        code = None
    return code, [error for log in at.glob("log.*") for error in errors(log.read_text(errors="replace"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("decks", nargs="*", type=pathlib.Path)
    parser.add_argument("--longest", type=float, default=300, help="seconds for one deck (300)")
    chosen = parser.parse_args()
    program = chosen.program.resolve()
    if not shutil.which("valgrind"):
        raise SystemExit("memory_errors: there is no valgrind; apt-get install valgrind")
    wrong = []
    with tempfile.TemporaryDirectory(prefix="cotangent_valgrind_") as folder:
        at = pathlib.Path(folder)
        (at / "control.cpp").write_text(CONTROL, encoding="utf-8")
        subprocess.run(["c++", "-g", "-O0", "control.cpp", "-o", "control"], cwd=at, check=True)
        code, found = watched(at / "control", [], at, chosen.longest)
        print(f"{'(control: an unwritten number)':34}{'found' if found else 'NOT FOUND':>10}", flush=True)
        if not found:
            raise SystemExit(f"memory_errors: valgrind doesn't find the control's error (exit code {code})")
    for deck in [deck.resolve() for deck in chosen.decks] or DECKS:
        with tempfile.TemporaryDirectory(prefix="cotangent_valgrind_") as folder:
            begun = time.monotonic()
            code, found = watched(program, [deck, *shortened(deck), "output.file=out.h5"], pathlib.Path(folder), chosen.longest)
            said = "too long" if code is None else f"code {code}" if code else f"{len(found)} errors" if found else "clean"
            print(f"{deck.stem:34}{said:>10}{time.monotonic() - begun:8.0f} s", flush=True)
            for error in found:
                print("    " + error, flush=True)
            if found or code:
                wrong.append(deck.stem)
    print("no error" if not wrong else "errors: " + ", ".join(wrong))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
