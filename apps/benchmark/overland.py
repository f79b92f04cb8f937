#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws processor seconds of a step of overland flow against the number of cells, from lines of benchmark_overland.

overland.py overland.csv [-o overland.png]       lines of several runs, on one rank and on several, may stand together
"""
import argparse
from collections import defaultdict

STYLES = {("conservative", "direct"): ("#c0392b", "o"), ("conservative", "krylov"): ("#2c6fbb", "s"),
          ("mini", "direct"): ("#3a8f5c", "^")}


def read(path):
    curves = defaultdict(list)
    with open(path) as file:
        for line in file:
            scheme, solver, ranks, cells, _, _, seconds = line.strip().split(",")
            curves[scheme, solver, int(ranks)].append((int(cells), float(seconds)))
    return curves


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv")
    parser.add_argument("-o", "--output", default="overland.png")
    words = parser.parse_args()
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for (scheme, solver, ranks), points in sorted(read(words.csv).items()):
        colour, marker = STYLES[scheme, solver]
        points.sort()
        axes.loglog(*zip(*points), marker=marker, color=colour, linestyle="-" if ranks == 1 else "--",
                    markerfacecolor=colour if ranks == 1 else "white",
                    label=f"{'MINI' if scheme == 'mini' else scheme}, {solver}, {ranks} rank{'s' * (ranks > 1)}")
    axes.set_xlabel("cells")
    axes.set_ylabel("processor time a step, of the busiest rank / s")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(words.output, dpi=150)


if __name__ == "__main__":
    main()
