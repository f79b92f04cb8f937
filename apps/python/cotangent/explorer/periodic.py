# SPDX-License-Identifier: BSD-3-Clause
"""What the page of periodic orbits is told: families over what is continued, their bifurcations; without families, the orbits
on their section, or where they bounce, and their paths.
"""
import numpy as np

from ..plot import billiards, captions, periodic_orbits, style
from . import section
from .numbers import number

SETTINGS = ("indicators", "section", "orbits", "continuation", "manifolds", "stop", "plot")  # which a time series doesn't have
NUMBERS = ("trace", "residue", "period", "energy", "action", "error")
SHOWS = "families of orbits; a click flies the orbit"


def suits(result):
    """Whether it holds periodic orbits."""
    return "orbits/residue" in result and "orbits/points_orbit" in result


def described(result, options):
    """(data, model) for page.assembled; the model lets the orbit chosen fly."""
    found = families(result) if "families/value" in result else orbits(result)
    walls = bool(result.section_of_deck("domain"))
    name = "Periodic orbits of a billiard" if walls else f"Periodic orbits: {captions.model(result)}"
    data = {"kind": "periodic", "title": section.plain(options.title or name), "returns": "bounce" if walls else "return",
            "notes": [note for note in (section.plain(captions.section(result)), section.plain(captions.method(result))) if note], **found}
    model, data["why"] = (None, "Orbits of billiards aren't flown in the page.") if walls else section.javascript(result, ())
    if model:
        data["deck"] = trajectory_deck(result)
    elif not data["lines"] and "orbits/path" in result and data["dim"] > 2:
        data["paths"] = [[rounded(place, 4) for place in path[np.isfinite(path[:, 0]), :2]] for path in result.array("orbits/path")]
    if "domain/outline" in result:
        data["walls"] = [[rounded(place, 5) for place in loop] for loop in billiards.loops(result)]
        if not data["lines"]:
            data.update(x=0, y=1)
    return data, model


def trajectory_deck(result):
    """The deck of one orbit for one period, with marks for its start, its times and the parameters; None where there is none."""
    deck, _ = section.deck_template(result, study="trajectory", without=SETTINGS)
    return deck and deck.replace("[output]\n", '[stop]\ntime = "@period@"\n\n[output]\nevery = "@every@"\n')


def rounded(values, digits=12):
    """Numbers of so many digits, as JSON has them."""
    return [number(f"{value:.{digits}g}") for value in np.asarray(values, float)]


def digits(name):
    """As many as the orbit needs to close, where it flies."""
    return 17 if name == "period" else 12


def families(result):
    """Each family by its columns: what is continued, numbers, the state."""
    value, state = result.array("families/value"), result.array("families/state")
    stability, columns = result.array("families/stability"), result.columns("families/state")
    ends = result.status_names("families/end")
    name = result.attribute("families/value", "name")
    numbers = [n for n in NUMBERS if f"families/{n}" in result and n != name]
    tables = {name: result.array(f"families/{name}") for name in numbers}
    marks = {name: result.array(f"bifurcations/{name}") for name in ("n", "k", "value", *numbers) if f"bifurcations/{name}" in result}
    marks_state = result.array("bifurcations/state")
    lines = []
    for f in range(len(value)):
        known = np.isfinite(value[f])
        if not known.any():
            continue
        at = np.flatnonzero(marks["n"][f] > 0)
        lines.append({"family": f, "returns": int(result.array("families/returns")[f]), "parent": int(result.array("families/parent")[f]),
                      "end": ends[int(result.array("families/end")[f])], "stability": stability[f][known].tolist(),
                      "columns": [rounded(value[f][known]), *(rounded(tables[n][f][known], digits(n)) for n in numbers),
                                  *(rounded(state[f][known][:, k], 17) for k in range(len(columns)))],
                      "marks": [{"n": int(marks["n"][f][k]), "k": int(marks["k"][f][k]), "columns": rounded(
                          [marks["value"][f][k], *(marks[n][f][k] for n in numbers), *marks_state[f][k]])} for k in at]})
    names = [name, *numbers, *columns]
    return {"lines": True, "state": 1 + len(numbers), "dim": len(columns), "names": names,
            "labels": [section.sign(n) if n not in numbers else n for n in names], "x": 0, "y": 1 + len(numbers) + periodic_orbits.spread(state),
            "families": lines}


def orbits(result):
    """Each orbit by its points on the section, with its numbers."""
    points, whose, columns = result.array("orbits/points"), result.array("orbits/points_orbit"), result.columns("orbits/points")
    numbers = [name for name in NUMBERS if f"orbits/{name}" in result]
    stability, returns = result.array("orbits/stability"), result.array("orbits/returns")
    found = []
    for orbit in range(len(stability)):
        mine = points[whose == orbit].copy()
        for k, name in enumerate(columns):
            if result.units("orbits/points", name) == "rad":
                mine[:, k] = (mine[:, k] + np.pi) % (2 * np.pi) - np.pi
        found.append({"family": orbit, "returns": int(returns[orbit]), "parent": -1, "end": "", "marks": [],
                      "stability": [int(stability[orbit])] * len(mine),
                      "columns": [*(rounded(mine[:, k], 17) for k in range(len(columns))),
                                  *(rounded(np.full(len(mine), result.array(f"orbits/{n}")[orbit]), digits(n)) for n in numbers)]})
    names = [*columns, *numbers]
    x, y = (columns.index(name) for name in periodic_orbits.plane_of_section(result))
    return {"lines": False, "state": 0, "dim": len(columns), "names": names,
            "labels": [section.sign(n) if n not in numbers else n for n in names], "x": x, "y": y, "families": found}
