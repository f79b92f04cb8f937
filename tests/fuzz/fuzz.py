# SPDX-License-Identifier: BSD-3-Clause
"""fuzz.py PROGRAM [--seconds S] [--keep FOLDER]

Fuzzes one reader for S seconds: PROGRAM is fuzz_formulas or fuzz_decks. It begins with what was found before (findings/),
and with the decks of this project and the formulas in them; FOLDER keeps what it learns, for a later run to go on. A
finding ends it with another code than 0, and stands in the folder where it runs: put it into findings/ once it is mended.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST, ROUNDS = 1000, 8  # texts to be tried, and how often the time is given for them
ROOT = HERE.parent.parent
FORMULA = re.compile(r'= *"([^"]*[-+*/^(<>][^"]*)"')


def begin(folder, reader):
    decks = sorted((ROOT / "input").rglob("*.toml")) + sorted((ROOT / "apps").rglob("*.toml"))
    assert len(decks) > 50
    for deck in decks:
        if reader == "decks":
            shutil.copy(deck, folder)
            continue
        for number, formula in enumerate(FORMULA.findall(deck.read_text(encoding="utf-8"))):
            for language in range(3):
                (folder / f"{deck.stem}.{number}.{language}").write_bytes(bytes([language]) + formula.encode())
    for finding in (HERE / "findings" / reader).iterdir():
        shutil.copy(finding, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=pathlib.Path)
    chosen = parser.parse_args()
    reader = chosen.program.name.removeprefix("fuzz_")
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        begin(folder, reader)
        tried = 0
        for _ in range(ROUNDS):  # a busy machine tries less in the same time
            end = subprocess.run([chosen.program.resolve(), f"-max_total_time={chosen.seconds}", "-max_len=6000",
                                  f"-dict={HERE / (reader + '.dict')}", "-timeout=60", "-rss_limit_mb=2048", "-verbosity=0",
                                  "-print_final_stats=1", folder], check=False, stderr=subprocess.PIPE, text=True)
            print("\n".join(line for line in end.stderr.splitlines() if "Recommended" not in line and "# Uses" not in line))
            found = re.search(r"number_of_executed_units: *(\d+)", end.stderr)
            tried += int(found[1]) if found else 0
            if end.returncode != 0 or tried >= LEAST:
                return end.returncode
    print(f"fewer than {LEAST} texts were tried: that proves nothing", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
