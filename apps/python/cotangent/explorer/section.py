# SPDX-License-Identifier: BSD-3-Clause
"""What the page of a Poincaré section or a bounce map is told: points, orbits, groups, the model and the deck."""
import base64
import dataclasses
import json
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

import matplotlib
import numpy as np

from .. import deck as decks
from ..errors import ProgramError
from ..plot import billiards, captions, sections, style
from ..plot.choices import of_orbits
from ..plot.result import PlotError, text
from ..program import environment, program
from .numbers import number

SMALL = 285_000         # bytes of a page for the web
CODE = 60_000           # of them its scripts and styles
FEW = 10                # points of an orbit, at least, where not all orbits have a place
MOST_COLUMNS = 24
SHOWS = "points to zoom into, orbits to light up; a click starts a new one"


def suits(result):
    """Whether there is a plane full of points in it."""
    return "section/points" in result or ("collisions/arc" in result and "trajectory/q" not in result)


def described(result, options):
    """(data, model) for page.assembled."""
    bounces = "section/points" not in result
    panels, names, labels = bounce_panels(result, options) if bounces else section_panels(result, options)
    small = bool(getattr(options, "small", False))
    folded = [False, False] if bounces else [is_folded(result, name) for name in names]
    limits = sections.shared_limits(panels, names, options) if not bounces else None
    states = result.columns("orbits/initial")
    title = "Bounce map: " + billiards.sets(result) if bounces else captions.model(result)
    notes = []
    if not bounces:
        notes += [plain(captions.section(result)), plain(captions.method(result))]
    model, why = (None, "Orbits of billiards aren't flown in the page.") if bounces else javascript(result, names)
    deck, marks = deck_template(result) if not bounces else (None, {})
    data = {"kind": "section", "title": plain(options.title or title), "notes": [note for note in notes if note],
            "axes": [{"name": name, "label": label, "folded": bool(fold)} for name, label, fold in zip(names, labels, folded)],
            "states": states, "dim": len(states) // 2, "deck": deck, "parameterMarks": marks,
            "driven": result.section_of_deck("section").get("where") == "t" and "every" in result.section_of_deck("section"),
            "why": why}
    told = orbits(result, panels, limits, options)
    there, total = sum(len(panel.ids) for panel in panels), sum(int(known(panel).sum()) for panel in panels)
    room = None
    if small:
        left = SMALL - len(json.dumps(data)) - len(model or "") - CODE
        room = (left - len(json.dumps(told))) * 3 // 4 // 4
        if room < there:  # then some orbits have no place at all
            each = len(json.dumps(told)) / there + 8 + 16 / 3 * min(FEW, total / there)
            panels = fewer(panels, left / each / there)
            told = orbits(result, panels, limits, options)
            room = (left - len(json.dumps(told))) * 3 // 4 // 4
    data |= told
    x, y = (np.concatenate([getattr(panel, axis) for panel in panels]) for axis in "xy")
    data["packed"], data["counts"] = pack(x, y, room, 2 if small else 3)
    shown, points = len(data["counts"]), sum(data["counts"])
    of_them = ([f"{shown} orbits"] if shown < there else []) + ([f"{points} points" if shown < there else str(points)] if points < total else [])
    data["notes"][:0] = [f"{there} orbits, {total} points" + (f", of which {' with '.join(of_them)} are in this page" if of_them else "")]
    return data, model


def orbits(result, panels, limits, options):
    """What is told of the orbits, group by group."""
    bounces, groups, colours, first = "section/points" not in result, [], [], 0
    norm = sections.shared_norm(panels, options.color_by)
    for panel in panels:
        window = limits or whole(panel)
        lab, _ = sections.orbit_colours(panel, window, options.color_by, norm)
        colours += [matplotlib.colors.to_hex(c)[1:] for c in style.oklab_to_srgb(lab)]
        groups.append({"label": plain(panel.label), "first": first, "count": len(panel.ids),
                       "window": padded(window, 0 if bounces else 0.03), "parameters": panel.parameters(),
                       "energy": energy_of(result, panel)})
        first += len(panel.ids)
    ids = np.concatenate([panel.ids for panel in panels])
    starts = result.array("orbits/initial")[ids]
    return {"groups": groups, "colours": "".join(colours), "columns": columns(result, ids),
            "starts": [[number(value) for value in row] for row in starts]}


def fewer(panels, share):
    """The panels with this share of their orbits, evenly chosen, and one at least."""
    def rows(panel):
        return np.unique(np.linspace(0, len(panel.ids) - 1, max(1, int(share * len(panel.ids)))).astype(int))
    return [dataclasses.replace(panel, **{name: getattr(panel, name)[rows(panel)] for name in ("ids", "x", "y")}) for panel in panels]


def known(panel):
    """Which of its points there are."""
    return np.isfinite(panel.x) & np.isfinite(panel.y)


# --- points ------------------------------------------------------------------------------------------------------

def section_panels(result, options):
    """The plot tool's panels, those without orbits left out, the names of the axes, and what stands at them."""
    found, names = sections.panels([result], options)
    labels = [sign(name, result.units("orbits/parameters" if name in result.axes() else sections.source(result, name), name))
              for name in names]
    return [panel for panel in found if panel.ids.size], names, labels


def bounce_panels(result, options):
    """Birkhoff's coordinates, all in one panel."""
    ids = result.run(options.chosen(result.orbits))
    if not ids.size:
        raise PlotError(f"{result.path}: no particle has been flown yet", 1)
    arc, along = (result.array(f"collisions/{name}")[ids] for name in ("arc", "tangential"))
    return [sections.Panel(result, ids, arc, along, "")], ("s", "v_t/|v|"), ["arc length s", "tangential velocity v_t/|v|"]


def pack(x, y, most, width):
    """The points of all orbits as whole numbers of `width` bytes; thinned evenly where there are more than `most`."""
    good = np.isfinite(x) & np.isfinite(y)
    total = int(good.sum())
    if most is not None and total > most:
        for row in good:
            places = np.flatnonzero(row)
            keep = max(1, int(len(places) * most / total))
            row[places[keep:]] = False  # the first ones: an orbit's points stay consecutive
    points = np.stack([x[good], y[good]], 1)
    if not len(points):
        raise PlotError("no point to draw")
    low, high = points.min(0), points.max(0)
    high = np.where(high > low, high, low + 1)
    steps = np.rint((points - low) / (high - low) * (256 ** width - 1)).astype("<u4")
    data = steps.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, :width].tobytes()
    return ({"data": base64.b64encode(data).decode(), "bytes": width, "low": low.tolist(), "high": high.tolist()},
            good.sum(1).tolist())


def is_folded(result, name):
    """Whether the column is an angle that the pictures fold to one turn."""
    if name.endswith("_dot") or name in result.axes():
        return False
    held = sections.source(result, name)
    values = result.column(held, name)
    return sections.wrapped_angle(values, result.units(held, name)) is not values


def whole(panel):
    x, y = panel.x[np.isfinite(panel.x)], panel.y[np.isfinite(panel.y)]
    return x.min(), x.max(), y.min(), y.max()


def padded(window, share):
    x0, x1, y0, y1 = (float(w) for w in window)
    dx, dy = share * (x1 - x0) or 1e-6 * (x1 == x0), share * (y1 - y0) or 1e-6 * (y1 == y0)
    return [x0 - dx, x1 + dx, y0 - dy, y1 + dy]


# --- numbers of orbits -------------------------------------------------------------------------------------------

def columns(result, ids):
    """What is known of each orbit: parameters, energies, counts, indicators."""
    found = []

    def add(name, values, meaning="", form=".10g", **more):
        values = np.asarray(values)
        if len(found) < MOST_COLUMNS and values.ndim == 1 and np.isfinite(values.astype(float)).any():
            found.append({"name": name, "meaning": meaning, "values": [number(f"{v:{form}}") for v in values[ids].astype(float)], **more})

    for name, values in result.axes().items():
        add(name, values, form=".17g", parameter=True)  # in full: decks of orbits are made of them
    for group in ("indicators", "orbits"):
        for name in of_orbits(result, group):
            if name not in result.axes():
                add(name.replace("_", " "), result.array(f"{group}/{name}"), result.attribute(f"{group}/{name}", "meaning"))
    return found


def energy_of(result, panel):
    """The energy that all orbits of a panel share, or that of the middle one."""
    if "energy" in panel.parameters():
        return float(panel.parameters()["energy"])
    if "orbits/energy" not in result:
        return None
    energies = result.array("orbits/energy")[panel.ids]
    energies = energies[np.isfinite(energies)]
    return float(np.median(energies)) if energies.size else None


# --- the model and the deck --------------------------------------------------------------------------------------

def javascript(result, names):
    """(the model as the program prints it, "") or (None, why not)."""
    if any(name in result.axes() for name in names):
        return None, "An axis is a parameter of the run: no orbit starts there."
    source = text(result.file["deck"][()])
    with tempfile.TemporaryDirectory() as folder:
        deck = Path(folder) / "deck.toml"
        deck.write_text(source, encoding="utf-8")
        try:
            run = subprocess.run([program(), "--describe", str(deck), "--javascript"], capture_output=True, text=True, timeout=300,
                                 env=environment(1), check=False)
        except (OSError, subprocess.TimeoutExpired, ProgramError) as error:
            return None, f"No new orbits: the program cotangent, which prints the equations of motion, didn't run ({error})."
    if run.returncode != 0:
        return None, "No new orbits: " + run.stderr.strip().removeprefix("cotangent: ").replace(str(deck), "the deck")
    return run.stdout, ""


def deck_template(result, ensemble=None, study=None, without=("indicators",)):
    """The deck with marks in place of the start, or of what `ensemble` marks, and of the parameters, for a study; (None and
    {} where it can't be read)."""
    try:
        deck = tomllib.loads(text(result.file["deck"][()]))
    except tomllib.TOMLDecodeError:
        return None, {}
    table, marks = deck.get("model", {}), {}
    stated = table.get("parameters") if isinstance(table.get("parameters"), dict) else table
    for name in [key for key, value in stated.items() if isinstance(value, (int, float, list, dict)) and not isinstance(value, bool)]:
        if stated is table and name in ("coordinates", "angles", "parameters", "constraint", "rolling", "where", "kick", "force"):
            continue
        marks[name] = f"@{name}@"
        stated[name] = marks[name]
    if isinstance(table.get("compiled"), str):
        del table["compiled"]
    deck["ensemble"] = ensemble or {"list": ["@start@"]}
    deck["study"] = study or deck.get("study", "poincare")
    if deck["study"] == "poincare":
        deck.setdefault("stop", {}).setdefault("crossings", 200)  # which an atlas may leave out
    for name in without:
        deck.pop(name, None)
    deck.get("output", {})["file"] = "orbit.h5"
    return decks.written(deck), marks


# --- texts -------------------------------------------------------------------------------------------------------

def sign(name, unit=""):
    """A name as plain text has it: q2 with its dot, p with its index, Greek letters."""
    greek = dict(zip(("alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega").split(),
                     "αβγδεζηθκλμνξρστφχψω"))
    base, dot, momentum = name, "", ""
    if base.endswith("_dot"):
        base, dot = base[:-4], "\u0307"
    if base.startswith("p_"):
        base, momentum = base[2:], "p"
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d*)", base)
    stem, index = (match[1], match[2]) if match else (base, "")
    letter = greek.get(stem, stem)
    below = index.translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    written = f"p({letter}{below})" if momentum else f"{letter}{dot}{below}"
    return written + (f" ({unit})" if unit else "")


def plain(caption):
    """A caption without matplotlib's mathematics."""
    caption = re.sub(r"\\dot\{([^}]*)\}", "\\1\u0307", caption)
    for before, after in ((r"\mathrm{", ""), (r"\ ", " "), ("{-}", "-"), (r"\times", "×"), (r"\cdot", "·"),
                          (r"\leq", "≤"), (r"\geq", "≥"), (r"\infty", "∞"), (r"\pi", "π"), (r"\_", "_"), (r"\,", " ")):
        caption = caption.replace(before, after)
    caption = re.sub(r"10\^\{(-?\d+)\}", lambda m: "10" + m[1].translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")), caption)
    caption = re.sub(r"\\([a-z]+)", lambda m: sign(m[1]), caption)
    caption = re.sub(r"_\{?(\d+)\}?", lambda m: m[1].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")), caption)
    return re.sub(r"[${}]", "", caption)
