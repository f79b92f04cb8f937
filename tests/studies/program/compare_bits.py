# SPDX-License-Identifier: BSD-3-Clause
"""compare_bits.py OLD_PROGRAM NEW_PROGRAM [DECK ...]

Runs every deck of input/ (or these alone), shortened, with both programs on one rank and on two, and compares every data
set but those of /run, to the bit. On two ranks bits are asked for where the old program itself has the same bits on one and
on two; elsewhere the numbers must agree to ROUND_OFF. Texts of /deck are compared line by line and told, not judged: new
keys come to stand there. Ends with 1 where anything else differs. A control, a deck with another step, must differ.
"""
import argparse
import pathlib
import subprocess
import tempfile

import h5py

from launch import MPIRUN
from results import compare
from test_decks import DECKS, shortened

ROUND_OFF = 1e-7
CONTROL = "henon_heiles_chaos.toml"


def run(program, deck, words, ranks, result):
    """Exit code and what was said."""
    end = subprocess.run([*MPIRUN, str(ranks), program, deck, *words, f"output.file={result}"], cwd=result.parent, text=True,
                         capture_output=True, stdin=subprocess.DEVNULL)
    return end.returncode, end.stdout + end.stderr


def deck_lines(path):
    with h5py.File(path, "r") as file:
        return set(file["deck"][()].decode().splitlines())


def attributes(path):
    """Every attribute of everything but /run and /provenance."""
    found = {}
    with h5py.File(path, "r") as file:
        def visit(name, item):
            if not name.startswith(("run", "provenance")):
                found.update({f"{name}@{key}": str(value) for key, value in item.attrs.items()})
        file.visititems(visit)
        found.update({f"@{key}": str(value) for key, value in file.attrs.items()})
    return found


def compared(old, new, deck, words, ranks, at, new_words=(), round_off=0.0):
    """A row of the table, what is to be told beneath it, and whether all is well."""
    files = [at / f"{which}_{ranks}.h5" for which in ("old", "new")]
    ends = [run(old, deck, words, ranks, files[0]), run(new, deck, [*words, *new_words], ranks, files[1])]
    if not files[0].exists() or not files[1].exists() or ends[0][0] != ends[1][0]:
        return "no result", [f"exit codes {ends[0][0]} and {ends[1][0]}", ends[1][1][-600:]], False
    found = compare(*files)
    promised = ranks == 1 or not compare(at / "old_1.h5", files[0]).apart
    good = found.same(round_off if promised else max(round_off, ROUND_OFF))
    said = "equal" if found.same() else "equal to round-off" if good else "DIFFERS"
    said = f"{len(found.equal) + len(found.apart):5} {said:19}{found.worst():10.2g}"
    told = [f"{name}: {value:.2g}" for name, value in found.apart.items()]
    told += [f"{name}: missing" for name in found.gone] + [f"{name}: new" for name in found.new]
    told += [f"{name}: another type" for name in found.retyped]
    if ranks == 1:
        told += [f"deck: {sign} {line}" for sign, less, more in (("-", *files[::-1]), ("+", *files))
                 for line in sorted(deck_lines(more) - deck_lines(less)) if "file =" not in line]
        a, b = map(attributes, files)
        told += [f"attribute {name}: {a.get(name)} / {b.get(name)}" for name in sorted(set(a) | set(b))
                 if a.get(name) != b.get(name) and name.partition("@")[0] not in [*found.gone, *found.new]]
    return said, told, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("decks", nargs="*", type=pathlib.Path)
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2])
    parser.add_argument("--round-off", type=float, default=0.0, help="differences that are told, but no failure (0)")
    parser.add_argument("--numbers-only", action="store_true", help="tell nothing of attributes and the deck's text")
    chosen = parser.parse_args()
    old, new = chosen.old.resolve(), chosen.new.resolve()
    decks = [deck.resolve() for deck in chosen.decks] or DECKS
    print(f"{'deck':34}{'ranks':>6}{'sets':>5} {'':19}{'largest':>10}", flush=True)
    failed = []
    for deck in decks:
        with tempfile.TemporaryDirectory(prefix="cotangent_bits_") as folder:
            for ranks in chosen.ranks:
                said, told, good = compared(old, new, deck, shortened(deck), ranks, pathlib.Path(folder),
                                             round_off=chosen.round_off)
                print(f"{deck.stem:34}{ranks:6}{said}", flush=True)
                for line in told:
                    if good and chosen.numbers_only and line.startswith(("deck: ", "attribute ")):
                        continue
                    print("    " + line, flush=True)
                if not good:
                    failed.append(f"{deck.stem} on {ranks}")
    with tempfile.TemporaryDirectory(prefix="cotangent_bits_") as folder:
        control = next(deck for deck in DECKS if deck.name == CONTROL)
        said, told, good = compared(old, new, control, shortened(control), 1, pathlib.Path(folder), ["method.step=0.4"])
        print(f"{'(control: another step)':34}{1:6}{said}")
        if good or not any(line.startswith("section/points") for line in told):
            failed.append("the control, which has to differ")
    equal = f"all equal, to {chosen.round_off:g}" if chosen.round_off else "all equal"
    print(f"{len(decks)} decks: " + (equal if not failed else "differ: " + ", ".join(failed)))
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
