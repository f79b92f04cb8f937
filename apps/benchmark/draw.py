#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws work against precision from the CSV file of benchmark_peers, and prints a short table in Markdown.

draw.py [benchmark.csv] [-o benchmark.png] [--table-only]

Equal energy error: a tool's best method at a target is the fastest of its settings whose largest |E - E0| is at most
the target (Hénon-Heiles: relative to E; the chain: absolute, as its energy is a small difference of large terms).
"""
import argparse
import csv
from collections import defaultdict

PROBLEMS = {
    "henon-heiles": dict(title="Hénon–Heiles, E = 1/8", error="relative_energy_error", label="max |E − E₀| / |E₀|",
                         targets=(1e-10, 1e-13), scale="relative"),
    "magnetic-chain": dict(title="Chain of magnetic balls, α = 18, E = −9.74", error="energy_error",
                           label="max |E − E₀|", targets=(1e-10, 1e-12), scale="absolute"),
}
OURS = "cotangent"
COLOURS = {OURS: "#c0392b", "odeint": "#2c6fbb", "odeint x8": "#12355b", "gsl": "#3a8f5c", "arkode": "#b7791f",
           "cvode": "#8a5aa8"}
NAMES = {OURS: "Cotangent", "odeint": "Boost.odeint", "gsl": "GSL", "arkode": "ARKODE", "cvode": "CVODE"}


def tool_name(tool):
    base, _, lanes = tool.partition(" x")
    return NAMES.get(base, base) + (f", {lanes} lanes" if lanes else "")


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in ("time_per_second", "crossings_per_second", "energy_error", "relative_energy_error", "section_error"):
            row[key] = float(row[key])
    return [row for row in rows if row["events"] == "1"]


def best(rows, problem, tool, target):
    error = PROBLEMS[problem]["error"]
    good = [r for r in rows if r["problem"] == problem and r["tool"] == tool and r[error] <= target]
    return max(good, key=lambda r: r["time_per_second"], default=None)


def speed(value):
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value / 1e3:.3g} k"


def table(rows):
    tools = sorted({r["tool"] for r in rows}, key=lambda t: (t != OURS, t))
    columns = [(p, t) for p in PROBLEMS for t in PROBLEMS[p]["targets"] if any(r["problem"] == p for r in rows)]
    print("| one thread, with section events | " + " | ".join(
        f"{PROBLEMS[p]['title'].split(',')[0]}, {PROBLEMS[p]['scale']} energy error ≤ {t:.0e}".replace("e-", "e−")
        for p, t in columns) + " |")
    print("|---" + "|---:" * len(columns) + "|")
    for tool in tools:
        cells = []
        for problem, target in columns:
            row = best(rows, problem, tool, target)
            cells.append(f"{speed(row['time_per_second'])} ({row['method']})" if row else "not reached")
        print(f"| {tool_name(tool)} | " + " | ".join(cells) + " |")
    peers = [t for t in tools if t != OURS]
    if OURS in tools:
        for what, rivals in (("the fastest peer on lanes", [t for t in peers if " x" in t]),
                             ("the fastest peer, one orbit at a time", [t for t in peers if " x" not in t])):
            if rivals:
                print(f"| {NAMES[OURS]} against {what} | "
                      + " | ".join(ratio(rows, problem, target, rivals) for problem, target in columns) + " |")
    print("\nUnits of orbit time a second of processor time; in brackets the tool's fastest method at that error.")


def ratio(rows, problem, target, rivals):
    """How many times faster we are than the fastest of the rivals, at this error."""
    ours = best(rows, problem, OURS, target)
    theirs = [row for row in (best(rows, problem, tool, target) for tool in rivals) if row]
    if not ours or not theirs:
        return "–"
    rival = max(theirs, key=lambda row: row["time_per_second"])
    return f"{ours['time_per_second'] / rival['time_per_second']:.2g} × ({tool_name(rival['tool'])})"


def spread(places, gap):
    """Moves label heights apart until they are `gap` apart, keeping their order and centre."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = [places[i] for i in order]
    for _ in range(500):
        for i in range(len(moved) - 1):
            overlap = gap - (moved[i + 1] - moved[i])
            if overlap > 1e-9:
                moved[i] -= overlap / 2
                moved[i + 1] += overlap / 2
    result = [0.0] * len(places)
    for i, place in zip(order, moved):
        result[i] = place
    return result


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    problems = [p for p in PROBLEMS if any(r["problem"] == p for r in rows)]
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False,
                         "axes.spines.right": False})
    figure, axes = plt.subplots(1, len(problems), figsize=(6.6 * len(problems), 5.6), squeeze=False)
    for axis, problem in zip(axes[0], problems):
        facts = PROBLEMS[problem]
        lines = defaultdict(list)
        for r in rows:
            if r["problem"] == problem and r[facts["error"]] < 1e-7:
                lines[r["tool"], r["method"]].append((r[facts["error"]], 1e6 / r["time_per_second"]))
        labels = []
        for (tool, method), points in sorted(lines.items()):
            points.sort(key=lambda point: point[1])
            # Beyond the round-off floor more work buys nothing: a line ends at its smallest error.
            smallest = min(range(len(points)), key=lambda i: points[i][0])
            x, y = np.array(points[:smallest + 1]).T
            ours = tool == OURS
            axis.plot(x, y, "-o", color=COLOURS.get(tool, "#555555"), lw=2.8 if ours else 1.3,
                      ms=4.5 if ours else 2.6, zorder=3 if ours else 2)
            labels.append((x[-1], y[-1], f"{tool_name(tool)}  {method.replace('_', ' ')}", COLOURS.get(tool, "#555555"),
                           ours))
        axis.set(xscale="log", yscale="log", xlabel=facts["label"])
        axis.set_title(facts["title"], loc="left", fontsize=10)
        axis.minorticks_off()
        axis.set_ylabel("processor time per unit of orbit time, µs")
        axis.invert_xaxis()
        axis.grid(True, which="major", lw=0.4, color="#dddddd")
        for target in facts["targets"]:
            axis.axvline(target, lw=0.8, ls=(0, (4, 3)), color="#999999", zorder=1)
        # Labels stand in a column on the right, each tied to the end of its line.
        axis.figure.canvas.draw()
        low, high = np.log10(axis.get_ylim())
        heights = spread([float(np.log10(label[1])) for label in labels], (high - low) * 0.038)
        for (x, y, text, colour, ours), height in zip(labels, heights):
            axis.annotate(text, (x, y), xytext=(1.035, (height - low) / (high - low)), textcoords="axes fraction",
                          color=colour, va="center", fontsize=8.5, fontweight="bold" if ours else "normal",
                          annotation_clip=False,
                          arrowprops=dict(arrowstyle="-", lw=0.5, color=colour, alpha=0.45, shrinkA=1, shrinkB=2))
    orbits, time = max(int(r["orbits"]) for r in rows), max(float(r["time"]) for r in rows)
    figure.suptitle(f"Work against precision: Poincaré sections, {orbits} orbits to t = {time:g}, one thread "
                    "(lower right is better)", fontsize=12, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.98), w_pad=2)
    figure.savefig(path, dpi=150, bbox_inches="tight")
    print(f"\n{path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?", default="benchmark.csv")
    parser.add_argument("-o", "--output", default="benchmark.png")
    parser.add_argument("--table-only", action="store_true")
    options = parser.parse_args()
    rows = read(options.csv)
    table(rows)
    if not options.table_only:
        draw(rows, options.output)


if __name__ == "__main__":
    main()
