#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the explorer's pages of the gallery: runs each deck, unless its result lies in the folder, and writes its page
beside its picture, small enough for the web.

    PATH=build/release/bin:$PATH input/pictures/pages.py [--results FOLDER] [NAME ...]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DECKS = ("sections/double_pendulum_swept", "sections/magnetic_chain_a18_6_12", "chaos/henon_heiles_exponents",
         "chaos/magnetic_chain_atlas", "chaos/henon_heiles_periodic",
         "landscapes/henon_heiles_landscape", "billiards/bounce_map_stadium",
         "surfaces/torus_geodesic", "surfaces/genus2_gravity", "particles/lennard_jones_on_torus", "billiards/three_circles",
         "lattices/elastic_sheet", "overland/dam_break")
LARGEST = 300_000  # bytes


def made(deck, results):
    """Writes one page; its size."""
    name = pathlib.Path(deck).name
    result, page = results / f"{name}.h5", HERE / f"{name}.html"
    if not result.exists():
        subprocess.run(["cotangent", HERE.parent / f"{deck}.toml", f"output.file={result.name}"], cwd=results, check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["cotangent-plot", result, "--html", page, "--small"], check=True, stdout=subprocess.DEVNULL)
    return page.stat().st_size


def main():
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, metavar="FOLDER", help="where results lie, and stay")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of decks; default: all that have a page")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for deck in DECKS:
            if not given.names or pathlib.Path(deck).name in given.names:
                size = made(deck, given.results or pathlib.Path(folder))
                print(f"{deck}: {size} bytes")
                if size >= LARGEST:
                    sys.exit(f"{deck}: its page is larger than {LARGEST} bytes")


if __name__ == "__main__":
    main()
