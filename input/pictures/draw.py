#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the gallery: runs each deck, unless its result lies in the folder, and draws its picture, small enough for the web,
and of some also the explorer's page.

    PATH=$PWD/build/release/bin:$PATH input/pictures/draw.py [--results FOLDER] [--ranks N] [NAME ...]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DECKS = {path.stem: path for path in sorted(HERE.parent.rglob("*.toml"))}
PAGES = ("double_pendulum_swept", "magnetic_chain_a18_6_12", "henon_heiles_exponents", "magnetic_chain_atlas",
         "henon_heiles_periodic", "henon_heiles_landscape", "bounce_map_stadium", "torus_geodesic", "genus2_gravity",
         "lennard_jones_on_torus", "three_circles", "elastic_sheet", "dam_break")
LARGEST = 300_000  # bytes of a page

# What a deck's head says of its picture, where it isn't the usual one.
VIEWS = {"ellipsoid_section": ["--axes", "x,x_dot"], "torus_section": ["--axes", "z,z_dot"],
         "genus2_section": ["--axes", "x,z_dot"], "genus2_island": ["--axes", "z,z_dot", "--orbits", "0-3"],
         "magnetic_chain_unequal": ["--axes", "s,s_dot"], "henon_heiles_orders": ["--what", "orders"],
         "henon_heiles_chaos": ["--width", "5.8"], "henon_heiles_long": ["--width", "5.8"],
         "rods_on_torus": ["--view", "40,30"], "polymers_on_torus": ["--view", "40,30"]}
# Of these several runs stand beside each other, or another than the deck's own, as what their heads say is changed.
RUNS = {"magnetic_chain_regime": [["model.alpha=17.9", "ensemble.energy=[-9.67894, -9.67801, -9.67709]"],
                                  ["model.alpha=18", "ensemble.energy=[-9.74824, -9.74122, -9.73419]"],
                                  ["model.alpha=18.4", "ensemble.energy=[-10.02527, -9.99301, -9.96075]"]],
        "dam_break_epsilon": [[f"method.epsilon={epsilon}"] for epsilon in ("3e-3", "1e-3", "1e-4", "1e-5", "1e-6")],
        "landscape_million": [["mesh.cells=[70,70]"]]}
# A section with periodic orbits and manifolds on top: two decks, and what is changed in each.
OVERLAYS = {"henon_heiles_tangle": [
    ("henon_heiles_exponents", ["ensemble.energy=0.12"]),
    ("henon_heiles_manifolds", ["manifolds.homoclinic=0", "ensemble.points=[{ q2 = -0.18, q2_dot = 0.0 }, { q2 = 0.3, q2_dot = 0.0 }, "
                                "{ q2 = 0.0, q2_dot = 0.25 }, { q2 = 0.0, q2_dot = -0.25 }, { q2 = -0.33, q2_dot = 0.0 }]"])]}
STATEMENTS = {"lemniscates": ["lemniscate", "lemniscate-3", "lemniscate-4", "--title",
                              "Lemniscates of two, three and four foci, inflated"],
              "ricker": ["ricker"]}


def results_of(name, folder, ranks):
    """The files of a picture's runs, made where they are missing."""
    files = []
    runs = OVERLAYS.get(name) or [(name, changes) for changes in RUNS.get(name, [[]])]
    for number, (deck, changes) in enumerate(runs):
        files.append(folder / (f"{name}.h5" if len(runs) == 1 else f"{name}_{number}.h5"))
        if not files[-1].exists():
            ran = subprocess.run([*(["mpirun", "-n", str(ranks)] if ranks > 1 else []), "cotangent", DECKS[deck], *changes,
                                  f"output.file={files[-1].name}"], cwd=folder, check=False, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL)
            if ran.returncode not in (0, 1):  # 1: some orbits didn't arrive, as some heads say
                sys.exit(f"{DECKS[deck]}: the run ended with code {ran.returncode}")
    return files


def plot(*arguments):
    """One picture or page."""
    subprocess.run(["cotangent-plot", *arguments, "--small"], check=True, stdout=subprocess.DEVNULL)


def main():
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, metavar="FOLDER", help="where results lie, and stay")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="of each run")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of decks; default: all")
    given = parser.parse_args()
    every = [*DECKS, *OVERLAYS, *STATEMENTS]
    names = given.names or every
    for name in names:
        if name not in every:
            sys.exit(f"no deck '{name}'; there are {', '.join(every)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.results or pathlib.Path(temporary)).resolve()
        for name in names:
            if name in STATEMENTS:
                plot("--statement", *STATEMENTS[name], "-o", HERE / f"{name}.png")
            else:
                files = results_of(name, folder, given.ranks)
                shown = [files[0], "--overlay", files[1]] if name in OVERLAYS else files
                plot(*shown, *VIEWS.get(name, []), "-o", HERE / f"{name}.png")
                if name in PAGES:
                    page = HERE / f"{name}.html"
                    plot(files[0], "--html", page)
                    if page.stat().st_size >= LARGEST:
                        sys.exit(f"{name}: its page is larger than {LARGEST} bytes")
            print(name, flush=True)


if __name__ == "__main__":
    main()
