# SPDX-License-Identifier: BSD-3-Clause
"""many_ranks.py [--ranks 64,128] [--all] PROGRAM [DECK ...]

Runs shortened decks of every study (--all: of every deck) on many ranks, far more than there are processors, and compares
the results with those of one rank: to the bit, or to what the study promises across ranks. Ends with 1 where one differs.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

from launch import MPIRUN
from results import compare
from test_decks import DECKS, shortened

STUDIES = ("henon_heiles_chaos", "genus2_section", "genus2_gravity", "henon_heiles_methods", "henon_heiles_landscape",
           "ricker_on_genus2", "lennard_jones_on_torus", "rod_chain", "rods_on_torus", "polymers_on_torus", "three_circles",
           "hard_discs", "fput_recurrence", "elastic_sheet", "double_pendulum_chain", "inextensible_chain", "rain_on_plane",
           "dam_break", "dam_break_source")
# Where ranks agree to round-off alone: by study, or by deck where the solver decides.
ROUND_OFF = {"mechanism": 1e-9, "overland": 1e-7, "double_pendulum_chain": 1e-11, "inextensible_chain": 1e-11}


def tolerance(deck):
    study = next(line for line in deck.read_text(encoding="utf-8").splitlines() if line.startswith("study")).split('"')[1]
    return ROUND_OFF.get(deck.stem, ROUND_OFF.get(study, 0.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[64, 128])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("decks", nargs="*", type=pathlib.Path)
    chosen = parser.parse_args()
    decks = [deck.resolve() for deck in chosen.decks] or [deck for deck in DECKS if chosen.all or deck.stem in STUDIES]
    assert {deck.stem for deck in DECKS} >= set(STUDIES)
    print(f"{'deck':28}{'ranks':>6}{'sets':>6}{'seconds':>9} {'':20}{'largest':>10}{'allowed':>9}", flush=True)
    failed = []
    for deck in decks:
        with tempfile.TemporaryDirectory(prefix="cotangent_many_") as folder:
            at = pathlib.Path(folder)
            for ranks in (1, *chosen.ranks):
                began = time.monotonic()
                # mpirun goes before its ranks: PMIx waits 2 seconds for its answer to a rank's farewell, and mpirun
                # takes a rank that waited in vain for lost (openpmix#3650).
                end = subprocess.run([*MPIRUN, str(ranks), "nice", chosen.program.resolve(), deck, *shortened(deck),
                                      f"output.file={ranks}.h5"], cwd=at, text=True, capture_output=True,
                                     stdin=subprocess.DEVNULL)
                seconds = time.monotonic() - began
                if end.returncode != 0:
                    failed.append(f"{deck.stem} on {ranks}")
                    print(f"{deck.stem:28}{ranks:6}      {seconds:9.1f} exit code {end.returncode}\n{end.stdout[-300:]}"
                          f"{end.stderr[:600]}", flush=True)
                    break
                found = compare(at / "1.h5", at / f"{ranks}.h5")
                good = found.same(tolerance(deck)) and not found.new and not found.retyped
                said = "the same bits" if found.same() else "equal to round-off" if good else "DIFFERS"
                print(f"{deck.stem:28}{ranks:6}{len(found.equal) + len(found.apart):6}{seconds:9.1f} {said:20}"
                      f"{found.worst():10.1e}{tolerance(deck):9.0e}", flush=True)
                if not good:
                    failed.append(f"{deck.stem} on {ranks}")
                    print("    " + str({**found.apart, "gone": found.gone, "new": found.new}), flush=True)
    print("all as promised" if not failed else "not as promised: " + ", ".join(failed))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
