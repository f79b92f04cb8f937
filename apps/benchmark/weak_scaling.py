#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weak_scaling.py [options] [COUNTS]  -  the time of a step on 10^2 to 10^5 ranks, from counted messages.

COUNTS is what count_messages.py prints (message_counts.txt beside this file unless given). Of each study the row of most
ranks up to --counted-on is taken as what a rank sends in a step when its share stays as it is there; what the rows of 8 ranks
and more come to on the most ranks is told besides. On P ranks, on paper:

    T(P) = W + m (o + L) + b / B + sum over collective calls of C(P),    D = ceil(log2 P)
    C(P) = D (L + n / B)                    barrier, broadcast, scan; twice that: allreduce
    C(P) = D L + (P - 1) n / B              allgather, gather, scatter, of n bytes a rank
    C(P) = (P - 1) (o + n / (P B)) + L      alltoall

A study whose ranks draw tasks from a counter of rank 0's (sections, time series, atlases, billiards, landscapes) sends nothing
else. A task that takes W takes then, as rank 0 answers one rank after the other:

    T(P) = max(W + 2 (o + L), P o)

W is the work of a step, m messages, b bytes; L the latency, o what the processor spends on a message, B the bandwidth. The
simulation lets every rank work W with noise (exponential, of mean W times --noise; rarely a pause, --pause), then wait for
its neighbours on a ring of --neighbours, and, where the study has them, for all ranks in each collective call. Costs of a
collective: Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH (2005), sections 3
and 4; the latency and overhead are those of LogP (Culler et al., LogP: Towards a Realistic Model of Parallel Computation,
1993). No network was measured: it is as the options state it. Volumes that depend on P otherwise, as an imbalance, aren't
in it, nor contention of the network.
"""
import argparse
import math
import pathlib
import re

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
RANKS = (100, 1000, 10_000, 100_000)
# What would lift the term that is largest among those that grow with P.
CURES = {"trees": "fewer collective calls in a step: several sums in one, or overlapped (MPI_Iallreduce)",
         "every rank to every rank": "messages to neighbours alone, found once: no call that takes a row from every rank",
         "waiting": "fewer points in a step at which all wait; ranks that don't share a core with the system",
         "neighbours": "larger shares: a surface grows more slowly than what it holds"}


def read_counts(text, most=8):
    """[(study, {ranks, messages, bytes, neighbours, calls})], the row of most ranks up to `most`; calls: [(name, bytes, rate)]."""
    studies = {}
    for name, counted in read_rows(text):
        if counted["ranks"] <= most and counted["ranks"] >= studies.get(name, counted)["ranks"]:
            studies[name] = counted
    if not studies:
        raise SystemExit("no row of counts in this table: give what count_messages.py prints")
    return list(studies.items())


def read_rows(text):
    """All rows."""
    rows, name = [], None
    for number, line in enumerate(text.splitlines(), 1):
        row = re.match(r"\s*(\d+)\s+([\d.]+)\s+[\d.]+\s+(\d+)\s+\d+\s+([\d.]+)\s+\d+(?:   (.*))?$", line)
        if row:
            if name is None:
                raise SystemExit(f"line {number}: a row of counts before any study's name: {line.strip()}")
            calls = []
            for call in filter(None, (row[5] or "").split("; ")):
                found = re.match(r"(?:MPI_)?(\w+)(?: of (?:(\d+) B|other sizes))? x ([\d.e+-]+)$", call.strip())
                if not found:
                    raise SystemExit(f"line {number}: \"{call}\" isn't a collective call as count_messages.py writes it")
                calls.append((found[1], int(found[2] or 8), float(found[3])))
            counted = {"ranks": int(row[1]), "messages": float(row[2]), "bytes": float(row[3]),
                       "neighbours": float(row[4]), "calls": calls}
            rows.append((name, counted))
        elif line and not line.startswith((" ", "#")):
            name = line.strip()
    return rows


def cost(call, size, ranks, network):
    """(term, seconds) of one collective call on so many ranks, of `size` bytes a rank."""
    depth = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    kind = call.lower()
    if "alltoall" in kind:
        return "every rank to every rank", ((ranks - 1) * (network.overhead + size / (ranks * network.bandwidth))
                                            + network.latency)
    if "gather" in kind or ("scatter" in kind and "reduce" not in kind):
        return "every rank to every rank", depth * network.latency + (ranks - 1) * size / network.bandwidth
    times = 2 if "allreduce" in kind else 1
    return "trees", network.collective * times * depth * (network.latency + size / network.bandwidth)


def on_paper(counted, ranks, network):
    """Seconds of a step by term: work, neighbours, trees, every rank to every rank."""
    terms = {"work": network.work,
             "neighbours": counted["messages"] * (network.overhead + network.latency)
             + counted["bytes"] / network.bandwidth, "trees": 0.0, "every rank to every rank": 0.0}
    for call, size, rate in counted["calls"]:
        term, seconds = cost(call, size, ranks, network)
        terms[term] += rate * seconds
    return terms


def drawn(ranks, network):
    """Seconds of a task that ranks draw from rank 0's counter."""
    return max(network.work + 2 * (network.overhead + network.latency), ranks * network.overhead)


def simulated(counted, ranks, network, steps, seed=1):
    """Seconds of a step of ranks on a ring that work with noise and wait for one another; the first steps are left out."""
    random = np.random.default_rng(seed)
    terms = on_paper(counted, ranks, network)
    sending = terms["neighbours"]
    calls = round(sum(rate for _, _, rate in counted["calls"]))
    collective = terms["trees"] + terms["every rank to every rank"]
    reach = min(math.ceil(min(counted["neighbours"], network.neighbours) / 2), (ranks - 1) // 2)
    clock = np.zeros(ranks)
    parts = max(calls, 1)  # the work between two calls
    before = 0.0
    first = max(1, steps // 5)
    for step in range(first + steps):
        if step == first:
            before = clock.max()
        for part in range(parts):
            noise = random.exponential(network.noise * network.work / parts, ranks) if network.noise > 0 else 0.0
            paused = random.random(ranks) < network.pause_rate * network.work / parts if network.pause > 0 else False
            clock = clock + network.work / parts + noise + network.pause * paused
            if part == 0 and reach > 0:
                latest = clock.copy()
                for by in range(1, reach + 1):
                    np.maximum(latest, np.roll(clock, by), out=latest)
                    np.maximum(latest, np.roll(clock, -by), out=latest)
                clock = latest
            clock = clock + sending / parts
            if calls > 0:
                clock = np.full(ranks, clock.max() + collective / calls)
    return (clock.max() - before) / steps


def report(counted, network, all_ranks, steps):
    """[(ranks, terms, simulated seconds)], and the term that breaks first: that grows most from fewest to most ranks."""
    rows = []
    for ranks in all_ranks:
        terms = on_paper(counted, ranks, network)
        seconds = simulated(counted, ranks, network, steps)
        rows.append((ranks, {**terms, "waiting": max(0.0, seconds - sum(terms.values()))}, seconds))
    growing = {name: rows[-1][1][name] - rows[0][1][name] for name in rows[0][1] if name != "work"}
    worst = max(growing, key=growing.get)
    if growing[worst] < 0.02 * rows[-1][2]:  # none grows: the largest that isn't work
        worst = max((name for name in rows[-1][1] if name != "work"), key=rows[-1][1].get)
    return rows, worst


def draw(results, file):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    for name, rows, _ in results:
        ranks = [row[0] for row in rows]
        line, = axes.loglog(ranks, [row[1]["work"] / sum(v for k, v in row[1].items() if k != "waiting") for row in rows],
                            lw=1, ls="--")
        axes.loglog(ranks, [row[1]["work"] / row[2] for row in rows], "o-", color=line.get_color(), ms=4, label=name)
    axes.set(xlabel="ranks, each with the same share", ylabel="efficiency: work / time of a step")
    axes.legend(fontsize=7)
    axes.set_title("Weak scaling: by formula (dashed), simulated with noise (dots)", fontsize=10)
    figure.savefig(file, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="?", type=pathlib.Path, default=HERE / "message_counts.txt")
    parser.add_argument("--counted-on", type=int, default=8, help="of the rows of up to so many ranks the last (%(default)s)")
    parser.add_argument("--latency", type=float, default=1.5e-6, help="seconds (default: %(default)s)")
    parser.add_argument("--overhead", type=float, default=0.3e-6, help="of the processor, a message, seconds (%(default)s)")
    parser.add_argument("--bandwidth", type=float, default=1e9, help="bytes a second of one rank (%(default)s)")
    parser.add_argument("--collective", type=float, default=1.0, help="factor on the costs of trees (%(default)s)")
    parser.add_argument("--work", type=float, default=5e-3, help="seconds of a step's work on a rank (%(default)s)")
    parser.add_argument("--noise", type=float, default=0.01, help="mean of the noise, of the work (%(default)s)")
    parser.add_argument("--pause", type=float, default=1e-3, help="seconds that the system takes a rank (%(default)s)")
    parser.add_argument("--pause-rate", type=float, default=0.01, help="pauses a second and rank (%(default)s)")
    parser.add_argument("--neighbours", type=int, default=26, help="at most so many are waited for (%(default)s)")
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=list(RANKS))
    parser.add_argument("--steps", type=int, default=50, help="that are simulated (%(default)s)")
    parser.add_argument("--picture", type=pathlib.Path)
    chosen = parser.parse_args()
    for name in ("latency", "overhead", "bandwidth", "work"):
        if not getattr(chosen, name) > 0:
            parser.error(f"--{name} is a positive number, not {getattr(chosen, name)}")
    results, text = [], chosen.counts.read_text(encoding="utf-8")
    for name, counted in read_counts(text, chosen.counted_on):
        rows, worst = report(counted, chosen, chosen.ranks, chosen.steps)
        results.append((name, rows, worst))
        print(f"\n{name}, counted on {counted['ranks']} ranks; milliseconds of a step"
              f"\n{'ranks':>7}{'work':>9}{'neighbours':>12}{'trees':>9}{'all to all':>12}{'paper':>10}{'simulated':>11}")
        for ranks, terms, seconds in rows:
            paper = sum(value for key, value in terms.items() if key != "waiting")
            values = (terms["work"], terms["neighbours"], terms["trees"], terms["every rank to every rank"], paper, seconds)
            print(f"{ranks:7}" + "".join(f"{1e3 * value:{width}.4g}" for value, width in zip(values, (9, 12, 9, 12, 10, 11))))
        print(f"breaks first: {worst}; lifted by {CURES[worst]}")
        others = [row for other, row in read_rows(text) if other == name and row["ranks"] >= 8]
        print(f"on {max(chosen.ranks)} ranks, on paper, by the counts on " + ", ".join(
            f"{row['ranks']}: {1e3 * sum(on_paper(row, max(chosen.ranks), chosen).values()):.4g}" for row in others))
    print("\ntasks drawn from rank 0's counter; milliseconds of a task of the same work")
    for ranks in chosen.ranks:
        print(f"{ranks:7}{1e3 * drawn(ranks, chosen):9.4g}")
    if chosen.picture:
        draw(results, chosen.picture)


if __name__ == "__main__":
    main()
