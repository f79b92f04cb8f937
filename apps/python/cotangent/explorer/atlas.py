# SPDX-License-Identifier: BSD-3-Clause
"""What the page of an atlas is told: the answers at the points that were looked at, the starts of a cell, the model, decks.

What a level of refinement looked at is stored, two bytes a number; the page finds the rest between a cell's corners as the
program does. So a map of many points takes as much room as what was computed.
"""
import base64
import tomllib

import numpy as np

from ..plot import atlases, captions
from ..plot.result import PlotError, text
from . import section
from .numbers import number

ROOM = 200_000          # bytes of the answers in a page for the web, as text
FIRST = ("chaotic", "regular", "escaped", "left", "undecided", "lyapunov", "mean_lyapunov", "forbidden", "failed", "rotation",
         "islands", "escape_time", "energy_error", "steps")
SHARES = (*atlases.SHARES, "forbidden")
UNKNOWN = 65535         # in place of a number that isn't finite
SHOWS = "a map; a click flies the orbits of a cell"


def suits(result):
    """Whether it is a map."""
    return "atlas/across" in result


def described(result, options):
    """(data, model) for page.assembled."""
    if np.ptp(result.array("atlas/across")) == 0 or not (result.array("atlas/steps") > 0).any():
        raise PlotError(f"{result.path}: unfinished: a map is written at its end; `cotangent DECK --resume` takes it on", 1)
    deck = tomllib.loads(text(result.file["deck"][()])) if result.deck else {}
    model, why = section.javascript(result, ())
    starts, reason = ensemble(deck)
    if model and reason:
        model, why = None, reason
    level = np.atleast_2d(result.array("atlas/level"))
    sides = [side(result, name) for name in ("across", "up")[:atlases.sides(result)]]
    seen = level >= 0
    names, left_out = chosen(result, seen, bool(getattr(options, "small", False)))
    flown = "poincare" if "section" in deck else "trajectory"
    without = ("indicators", "atlas") + (("exits",) if flown == "poincare" else ())
    one, marks = section.deck_template(result, None, flown, without)
    whole, _ = section.deck_template(result, marked(deck, sides), flown, without)
    notes = [section.plain(atlases.note(result)), section.plain(captions.section(result)) if flown == "poincare" else "",
             section.plain(captions.method(result)), "left out for room: " + ", ".join(left_out) if left_out else ""]
    wanted = options.color_by if options.color_by in names else next((n for n in names if spread(result, n)), names[0])
    data = {"kind": "atlas", "title": section.plain(atlases.heading(result, options)), "notes": [note for note in notes if note],
            "sides": sides, "levels": int(deck.get("atlas", {}).get("levels", 0)), "first": names.index(wanted),
            "seen": base64.b64encode(np.packbits(seen.ravel(), bitorder="little").tobytes()).decode(),
            "level": base64.b64encode(level[seen].astype("u1").tobytes()).decode(),
            "quantities": [quantity(result, name, seen) for name in names],
            "ensemble": starts, "labels": labels(result), "energy": energy(deck), "until": number(deck.get("stop", {}).get("time", np.inf)),
            "deck": one, "cellDeck": whole, "parameterMarks": marks, "why": why}
    return data, model


def side(result, name):
    """One side of the map: what it is, and its values."""
    column = atlases.column(result, f"atlas/{name}")
    return {"name": column, "label": section.sign(column, result.units(f"atlas/{name}")),
            "values": [float(value) for value in result.array(f"atlas/{name}")]}


def labels(result):
    """How names of coordinates and velocities are written, those that the deck names."""
    names = [name for kind in ("grid", "random") for name in result.section_of_deck("ensemble").get(kind, {})]
    names += [result.section_of_deck("section").get("where", "")]
    return {name: section.sign(name) for name in names if name}


def spread(result, name):
    """Whether an answer differs from place to place."""
    values = result.array(f"atlas/{name}")
    values = values[np.isfinite(values)]
    return values.size > 0 and np.ptp(values) > 0


def chosen(result, seen, small):
    """(the answers that say anything, as many as there is room for; those left out)."""
    names = [name for name in FIRST if f"atlas/{name}" in result and np.isfinite(result.array(f"atlas/{name}")).any()]
    fit = max(1, ROOM // max(1, int(seen.sum()) * 8 // 3)) if small else len(names)
    return names[:fit], names[fit:]


def quantity(result, name, seen):
    """An answer at the points looked at, as whole numbers of two bytes."""
    values = np.atleast_2d(result.array(f"atlas/{name}"))[seen]
    good = np.isfinite(values)
    low, high = (float(values[good].min()), float(values[good].max())) if good.any() else (0.0, 1.0)
    scale = high - low or 1.0
    codes = np.where(good, np.rint(np.where(good, values - low, 0) / scale * (UNKNOWN - 1)), UNKNOWN).astype("<u2")
    return {"name": name, "label": atlases.word(result, name), "share": name in SHARES,
            "meaning": text(result.file[f"atlas/{name}"].attrs.get("meaning", "")), "low": low, "high": low + scale,
            "data": base64.b64encode(codes.tobytes()).decode()}


# --- starts ------------------------------------------------------------------------------------------------------

def ensemble(deck):
    """(how the starts of a cell are made, "") or (None, why the page doesn't know)."""
    given = deck.get("ensemble", {})
    if "grid" in given:
        return {"kind": "grid", "ranges": [[name, *map(float, row)] for name, row in given["grid"].items()]}, ""
    if "random" in given:
        ranges = [[name, *map(float, row)] for name, row in given["random"].items() if name not in ("count", "seed")]
        if not ranges:
            return None, "No orbits here: the program finds the box of these random starts itself."
        return {"kind": "random", "ranges": ranges, "count": int(given["random"]["count"]),
                "seed": str(given["random"].get("seed", 1))}, ""
    if "points" in given:
        return {"kind": "points", "points": [{name: float(x) for name, x in point.items()} for point in given["points"]]}, ""
    if "list" in given:
        return {"kind": "list", "states": [[float(x) for x in row] for row in given["list"]]}, ""
    return None, "No orbits here: the starts come from a file."


def energy(deck):
    """The one energy of the deck; None where it is a side of the map, or isn't given."""
    value = deck.get("ensemble", {}).get("energy")
    value = value[0] if isinstance(value, list) and value else value
    return float(value) if isinstance(value, (int, float)) else None


def marked(deck, sides):
    """The ensemble of one cell, with marks for what the sides say."""
    given = {name: dict(item) if isinstance(item, dict) else item for name, item in deck.get("ensemble", {}).items()}
    for one in sides:
        mark = f"@{one['name']}@"
        if one["name"] == "energy":
            given["energy"] = mark
        for kind, row in (("grid", [mark, mark, 1]), ("random", [mark, mark])):
            if one["name"] in given.get(kind, {}):
                given[kind][one["name"]] = row
    if isinstance(given.get("grid"), dict):
        given["grid"] = {name: row if isinstance(row[0], str) else [row[0], row[1], int(row[2])] for name, row in given["grid"].items()}
    return given
