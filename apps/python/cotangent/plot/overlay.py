# SPDX-License-Identifier: BSD-3-Clause
"""Periodic orbits, their manifolds and where these cross over a section of the same problem, in the axes that it has: columns of
its crossings, or Birkhoff's coordinates of a bounce map.

Marks tell stable, unstable and inverse hyperbolic orbits and homoclinic points apart by their shapes, lines unstable manifolds
from stable ones by dashes: a grey printer does, too.
"""
import numpy as np
from matplotlib.patheffects import withStroke

from . import style
from .result import PlotError, Result, nearest

STABILITIES = ("unstable", "stable", "inverse")  # as /orbits/stability numbers them
MARKS = {"stable": ("o", "stable orbit"), "unstable": ("X", "unstable orbit"), "inverse": ("D", "inverse hyperbolic orbit")}
LINES = (("-", style.INK, "unstable manifold"), ((0, (4, 1.4)), style.CATEGORICAL[10], "stable manifold"))  # by /manifolds/kind
STATEMENT = ("model", "section", "domain", "forces")  # tables of a deck that state a problem
CLOSE = {"rtol": 1e-6, "atol": 1e-9}  # parameters and energies that are the same


# --- the same problem ---------------------------------------------------------------------------------------------

def of(options, results):
    """The result that --overlay names, None without one.

    Raises:
        PlotError: it has no periodic orbits, or they are another problem's.
    """
    if not options.overlay:
        return None
    orbits = Result(options.overlay)
    if "orbits/points" not in orbits:
        raise PlotError(f"--overlay {orbits.path}: no periodic orbits in it (study '{orbits.study}'): a result of study "
                        "'periodic-orbits' is laid over a section")
    if not len(orbits.array("orbits/stability")):
        raise PlotError(f"--overlay {orbits.path}: no periodic orbit was found in that run")
    for result in results:
        _refuse_another(result, orbits)
    return orbits


def _stated(deck, names):
    """{key: value} of what states a problem, without the parameters of these names: orbits have their own values of them."""
    flat = {}

    def enter(key, value):
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            value = dict(enumerate(value))
        if isinstance(value, dict):
            for name, part in value.items():
                if not (key and key.startswith("model") and name in names) and name != "compiled":
                    enter(f"{key}.{name}" if key else str(name), part)
        else:
            flat[key] = value

    enter("", {table: deck[table] for table in STATEMENT if table in deck})
    return flat


def _refuse_another(result, orbits):
    names = orbits.columns("orbits/parameters")
    here, there = _stated(result.deck, names), _stated(orbits.deck, names)
    for key in sorted(here | there, key=lambda key: key != "model.name"):  # which of two systems it is says more than their formulas
        if here.get(key) != there.get(key):
            one, other = (f"{str(held[key])[:80]} in" if key in held else "none in" for held in (here, there))
            raise PlotError(f"--overlay {orbits.path}: another problem: {key} is {one} {result.path}, {other} {orbits.path}")


def _energies(result, ids):
    """The energies of these rows of a section."""
    if "orbits/energy" in result:
        values = result.array("orbits/energy")[ids]
        return values[np.isfinite(values)]
    given = result.axes()["energy"][ids] if "energy" in result.axes() else result.section_of_deck("ensemble").get("energy", [])
    return np.ravel(given).astype(float)


def chosen(orbits, result, ids, parameters, free=False):
    """(the orbits with the parameters and the energy that these rows of a section have, what keeps the others off as a text)
    free: the energy says nothing of the paths; nor is it kept where the section is stroboscopic."""
    held = {name: orbits.column("orbits/parameters", name) for name in orbits.columns("orbits/parameters") if "." not in name}
    wanted = {name: np.ravel(parameters.get(name, result.axes().get(name, np.array([]))[ids] if name in result.axes() else []))
              for name in held}
    if not free and "every" not in result.section_of_deck("section"):
        held["energy"], wanted["energy"] = orbits.array("orbits/energy"), _energies(result, ids)
    good, reasons = np.ones(len(orbits.array("orbits/stability")), bool), []
    for name, values in held.items():
        want = wanted[name]
        if want.size == 0:
            continue  # a deck of before that doesn't say
        alike = np.isclose(values, want[0], **CLOSE) & np.allclose(want, want[0], **CLOSE)
        if not alike.any():
            reasons.append(f"{name} is {_range(want)} in {result.path}, {_range(values)} in {orbits.path}")
        good &= alike
    return np.flatnonzero(good), "; ".join(reasons) or f"no orbit of {orbits.path} has all of the parameters and the energy"


def _range(values):
    low, high = values.min(), values.max()
    return f"{low:.8g}" if np.isclose(low, high, **CLOSE) else f"{low:.8g} to {high:.8g}"


# --- places on the section ----------------------------------------------------------------------------------------

def _at_hand(values, data):
    """Angles by whole turns to where the section's are drawn."""
    finite = data[np.isfinite(data)]
    middle = 0.0 if np.abs(finite).max(initial=0.0) <= np.pi else (finite.min() + finite.max()) / 2
    return values - 2 * np.pi * np.round((values - middle) / (2 * np.pi))


def broken(x, y, turns):
    """A curve with a gap where it leaves on one side and comes in on the other, in either of the two."""
    jumps = np.flatnonzero((np.abs(np.diff(x)) > turns[0] / 2) | (np.abs(np.diff(y)) > turns[1] / 2)) + 1
    return np.insert(x, jumps, np.nan), np.insert(y, jumps, np.nan)


class OnColumns:
    """States as the columns of a section's crossings show them, angles where its own are."""

    def __init__(self, orbits, names, x, y):
        columns = orbits.columns("orbits/points")
        for name in names:
            if name not in columns:
                raise PlotError(f"--overlay {orbits.path}: its states have no column '{name}'; {nearest(name, columns)}")
        self.names, self.data = names, (x, y)
        self.angles = [orbits.units("orbits/points", name) == "rad" for name in names]
        self.turns = tuple(2 * np.pi if angle else np.inf for angle in self.angles)

    def holds(self, columns):
        """Whether states of these columns have a place: manifolds may have those of the return map alone."""
        return set(self.names) <= set(columns)

    def __call__(self, states, columns):
        values = (states[:, columns.index(name)] for name in self.names)
        return tuple(_at_hand(column, data) if angle else column for column, data, angle in zip(values, self.data, self.angles))


class OnOutline:
    """States behind bounces in Birkhoff's coordinates, of the outline that the bounce map has: its nearest chord tells both."""

    def __init__(self, result):
        outline = result.array("domain/outline")
        chords = np.flatnonzero(outline[1:, 3] == outline[:-1, 3])  # within a loop
        self.corner, self.arc = outline[chords, :2], outline[chords, 2]
        self.chord, self.length = outline[chords + 1, :2] - self.corner, outline[chords + 1, 2] - self.arc
        self.turns = (outline[-1, 2], np.inf)

    @staticmethod
    def holds(columns):
        """Whether states of these columns have a place."""
        return len(columns) == 4

    def __call__(self, states, columns, most=256):
        parts = [self._birkhoff(part) for part in np.array_split(states, max(1, -(-len(states) // most)))]
        return tuple(np.concatenate(column) for column in zip(*parts))

    def _birkhoff(self, states):
        known = np.isfinite(states).all(1)
        off = np.where(known[:, None], states[:, :2], 0.0)[:, None] - self.corner
        share = np.clip((off * self.chord).sum(2) / np.maximum(self.length ** 2, 1e-300), 0, 1)
        best = np.hypot(*np.moveaxis(off - share[..., None] * self.chord, 2, 0)).argmin(1)
        share = share[np.arange(len(states)), best]
        with np.errstate(invalid="ignore", divide="ignore"):
            tangential = (self.chord[best] * states[:, 2:4]).sum(1) / (self.length[best] * np.hypot(*states[:, 2:4].T))
        return np.where(known, self.arc[best] + share * self.length[best], np.nan), np.where(known, tangential, np.nan)


# --- drawing -----------------------------------------------------------------------------------------------------

def left_out(orbits, place):
    """What an overlay can't show, in words; nothing where all of it has a place."""
    columns = orbits.columns("manifolds/state")
    return "" if place.holds(columns) or not columns else f"manifolds and where they cross, known in {' and '.join(columns)} alone, are left out"


def _homoclinic(orbits, rows):
    """States [n, columns] where manifolds of these orbits cross."""
    if "homoclinic/state" not in orbits:
        return np.empty((0, 0))
    whose = orbits.array("manifolds/orbit")[orbits.array("homoclinic/unstable")]
    state = orbits.array("homoclinic/state")[np.isin(whose, rows)]
    return state[np.isfinite(state).all(-1)]


def draw(axis, orbits, rows, place):
    """Lays these orbits, their manifolds and homoclinic points over a section; `place` brings states onto its axes."""
    halo = [withStroke(linewidth=1.7, foreground="white", alpha=0.75)]
    columns = orbits.columns("manifolds/state")
    if columns and place.holds(columns):
        kind, whose, count = (orbits.array(f"manifolds/{name}") for name in ("kind", "orbit", "count"))
        for row in np.flatnonzero(np.isin(whose, rows) & (count > 0)):
            dashes, colour, label = LINES[kind[row]]
            x, y = broken(*place(orbits.array("manifolds/state", row)[:count[row]], columns), place.turns)
            axis.plot(x, y, ls=dashes, lw=0.9, color=colour, label=label, zorder=3, path_effects=halo)
        crossings = _homoclinic(orbits, rows)
        if len(crossings):
            axis.plot(*place(crossings, columns), "s", ls="", ms=2.8, mew=0.6, color="white", mec=style.INK, zorder=3.5,
                      label="homoclinic point")
    points, of_orbit = orbits.array("orbits/points"), orbits.array("orbits/points_orbit")
    stability, columns = orbits.array("orbits/stability"), orbits.columns("orbits/points")
    size = 7 if np.isin(of_orbit, rows).sum() <= 60 else 4
    for number, name in enumerate(STABILITIES):
        states = points[np.isin(of_orbit, rows[stability[rows] == number])]
        mark, label = MARKS[name]
        if len(states):
            axis.plot(*place(states, columns), mark, ls="", ms=size if mark != "D" else 0.8 * size, label=label, zorder=4, mew=0.8,
                      color="white" if name == "inverse" else style.INK, mec=style.INK if name == "inverse" else "white")


def handles(axes):
    """Of a legend: each kind of mark and line that lies on any of these."""
    return list({label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())}.values())
