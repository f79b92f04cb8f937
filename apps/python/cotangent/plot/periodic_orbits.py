# SPDX-License-Identifier: BSD-3-Clause
"""Periodic orbits: the trace of the return map and the orbits themselves over what is continued, stable where the line is
solid; without families, the orbits' paths between walls or on a surface, else the orbits on their section, and their manifolds
where these were grown.
"""
import numpy as np

from . import billiards, captions, layout, overlay, style
from .result import PlotError, nearest
from .space import Stage

MARKS = {1: ("o", "$n = 1$: branches or folds"), 2: ("s", "$n = 2$: period doubles"), 3: ("^", "$n = 3$"), 4: ("D", "$n = 4$")}
STABLE = 1


def stretches(stable):
    """Slices in which an orbit's stability stays the same, each with one more point so that they join."""
    ends = np.flatnonzero(np.diff(stable)) + 1
    for first, last in zip([0, *ends], [*ends, len(stable)]):
        yield slice(first, min(last + 1, len(stable))), stable[first]


def line(axis, x, y, stable, colour, label=None):
    """One family: solid where stable, dashed where not."""
    for part, good in stretches(stable):
        axis.plot(x[part], y[part], ls="-" if good else (0, (3, 2)), lw=1.4 if good else 1.0, color=colour, label=label)
        label = None


def spread(state):
    """The column of the state that moves most along all families."""
    size = np.nanmax(state, axis=(0, 1)) - np.nanmin(state, axis=(0, 1))
    return int(np.argmax(np.where(np.isfinite(size), size, -1)))


def must_be(name, held, what="column"):
    """Refuses a name of --axes that isn't held."""
    if name not in held:
        raise PlotError(f"--axes: there is no {what} '{name}'; {nearest(name, held)}")


def families(result, options):
    value, trace, state, period = (result.array(f"families/{name}") for name in ("value", "trace", "state", "period"))
    walls = billiards.heading(result)
    stability, returns = result.array("families/stability"), result.array("families/returns")
    name, columns = result.attribute("families/value", "name"), result.columns("families/state")
    if options.axes:
        must_be(options.axes[0], [name], "family over")
        must_be(options.axes[1], ["period", *columns])
    up = options.axes[1] if options.axes else "period" if walls else columns[spread(state)]
    options.width = options.width or 10.5
    figure, (traces, places) = layout.grid(2, options, options.title or f"Periodic orbits: {walls or captions.model(result)}",
                                           ["the return map's trace: stable between the lines",
                                            "the time after which they close" if up == "period" else "the orbits on the section"],
                                           gap=(0.75, 0.6), ticks_inside=True, panel_titles=True)
    n, at = result.array("bifurcations/n"), result.array("bifurcations/value")
    place = period if up == "period" else state[..., columns.index(up)]
    trace_at = result.array("bifurcations/trace")
    place_at = result.array("bifurcations/period") if up == "period" else result.array("bifurcations/state")[..., columns.index(up)]
    colours, named = style.CATEGORICAL, set()
    for family in range(len(value)):
        known = np.isfinite(value[family])
        if not known.any():
            continue
        colour = colours[0] if family == 0 else colours[1 + (family - 1) % (len(colours) - 1)]
        stable = stability[family][known] == STABLE
        label = f"{returns[family]} return" + ("s" if returns[family] > 1 else "")
        line(traces, value[family][known], trace[family][known], stable, colour)
        line(places, value[family][known], place[family][known], stable, colour, label if label not in named else None)
        named.add(label)
        for k in np.flatnonzero(n[family] > 0):
            mark, meaning = MARKS.get(n[family][k], ("x", "a rational turn"))
            for axis, y in ((traces, trace_at), (places, place_at)):
                axis.plot(at[family][k], y[family][k], mark, ms=5, color=colour, mec=style.INK, mew=0.6, zorder=3,
                          label=meaning if axis is traces and meaning not in named else None)
            named.add(meaning)
    for level in (-2, 2):
        traces.axhline(level, lw=0.7, color=style.FAINT, zorder=0)
    traces.set_ylim(options.ylim or (-6, 6))
    traces.set_ylabel(r"trace")
    places.set_ylabel("period" if up == "period" else style.label(up))
    traces.legend(loc="lower left")
    places.plot([], [], "-", color=style.INK, label="stable")
    places.plot([], [], ls=(0, (3, 2)), lw=1.0, color=style.INK, label="unstable")
    places.legend(loc="best")
    for axis in (traces, places):
        axis.set_xlabel(style.label(name))
        axis.set_xlim(options.xlim)
    return figure


def plane_of_manifolds(result, options):
    """Where manifolds are drawn: the data set's name in its group, and the two columns: Birkhoff's coordinates between walls, the
    coordinate that spreads most and its velocity where points are states."""
    columns = result.columns("manifolds/state")
    if options.axes:
        return ("state", *options.axes) if set(options.axes) <= set(columns) else None
    if "manifolds/birkhoff" in result:
        return "birkhoff", "arc", "tangential"
    coordinates = result.array("manifolds/state")[..., :len(columns) // 2]
    widest = int(np.argmax(np.nanmax(coordinates, axis=(0, 1)) - np.nanmin(coordinates, axis=(0, 1))))
    return "state", columns[widest], columns[widest + len(columns) // 2]


def manifolds(axis, result, name, x, y):
    """Unstable manifolds solid, stable ones dashed, and where they cross; told apart by dashes as well as by colour."""
    columns = result.columns(f"manifolds/{name}")
    angle = result.units(f"manifolds/{name}", x) == "rad"
    turn = 2 * np.pi if angle else result.array("domain/outline")[:, 2].max() if name == "birkhoff" else np.inf
    kind, count = result.array("manifolds/kind"), result.array("manifolds/count")
    looks = ({"ls": "-", "color": style.CATEGORICAL[1]}, {"ls": (0, (5, 1.5)), "color": style.CATEGORICAL[0]})
    for row, states in enumerate(result.array(f"manifolds/{name}")):
        px, py = states[:count[row], columns.index(x)], states[:count[row], columns.index(y)]
        px, py = overlay.broken(px - turn * np.round(px / turn) if angle else px, py, (turn, np.inf))
        what = ("unstable manifold", "stable manifold")[kind[row]]
        first = row == np.flatnonzero(kind == kind[row])[0]
        axis.plot(px, py, lw=0.8, zorder=1, label=what if first else None, **looks[kind[row]])
    at = result.array(f"homoclinic/{name}").reshape(-1, len(columns))
    at = at[np.isfinite(at[:, 0])]
    if not len(at):
        return
    px = at[:, columns.index(x)]
    axis.plot(px - turn * np.round(px / turn) if angle else px, at[:, columns.index(y)], "o", ms=2.6, zorder=3,
              color=style.INK, mew=0, label="homoclinic points")


def plane_of_section(result):
    """The first coordinate that the deck's section doesn't hold, and its velocity."""
    columns, held = result.columns("orbits/points"), result.section_of_deck("section").get("where")
    half = len(columns) // 2
    return next((pair for pair in zip(columns, columns[half:]) if pair[0] != held), (columns[0], columns[half]))


def section(result, options):
    points, whose = result.array("orbits/points"), result.array("orbits/points_orbit")
    columns, stability = result.columns("orbits/points"), result.array("orbits/stability")
    returns, residue = result.array("orbits/returns"), result.array("orbits/residue")
    for name in options.axes or ():
        must_be(name, columns)
    grown = plane_of_manifolds(result, options) if "manifolds/state" in result else None
    if grown:
        _, x, y = grown
    else:
        x, y = options.axes or plane_of_section(result)
    walls = billiards.heading(result)
    name = "Stable and unstable manifolds" if "manifolds/state" in result else "Periodic orbits"
    figure, (axis,) = layout.grid(1, options, options.title or f"{name}: {walls or captions.model(result)}", [""],
                                  ticks_inside=True)
    if grown:
        manifolds(axis, result, *grown)
    bounces = bool(grown) and grown[0] == "birkhoff"
    if bounces:  # an orbit's points are where its manifolds begin
        axis.plot(*result.array("manifolds/birkhoff")[:, 0].T, "o", ms=4.5, color=style.INK, mfc="white", mew=1.1, zorder=4,
                  label="periodic orbit, unstable")
    named = set()
    for orbit in range(0 if bounces else len(stability)):
        chosen = whose == orbit
        stable = stability[orbit] == STABLE
        colour = style.INK if grown else style.CATEGORICAL[orbit % len(style.CATEGORICAL)]
        px, py = points[chosen, columns.index(x)], points[chosen, columns.index(y)]
        if result.units("orbits/points", x) == "rad":
            px = (px + np.pi) % (2 * np.pi) - np.pi
        name = (f"periodic orbit, {'' if stable else 'un'}stable" if grown else
                f"{style.plural(returns[orbit], 'return')}, residue {residue[orbit]:.4g}" if len(stability) <= 8 else None)
        axis.plot(px, py, "o", ms=4.5, color=colour, mfc=colour if stable else "white", mew=1.1, zorder=4,
                  label=None if grown and name in named else name)
        named.add(name)
    axis.set_xlabel("arc length $s$" if bounces else style.label(x))
    axis.set_ylabel(r"tangential velocity $v_t / |v|$" if bounces else style.label(y))
    axis.set_xlim(options.xlim)
    axis.set_ylim(options.ylim)
    if grown or len(stability) <= 8:
        axis.legend(loc="best", title=None if grown else "filled: stable")
    return figure


def representatives(result, most):
    """Rows of /orbits by their period, of those that are alike by a symmetry or belong to one family the first; and how many
    there are of these."""
    period, residue, returns = (result.array(f"orbits/{name}") for name in ("period", "residue", "returns"))
    alike = np.stack([returns, np.round(period / period.min(), 6), np.round(residue, 3)], axis=1)
    rows = np.sort(np.unique(alike, axis=0, return_index=True)[1])
    return rows[np.argsort(period[rows], kind="stable")][:most], len(rows)


def described(result, row, noun):
    """'3 bounces, T = 8.602, residue 12.01'."""
    period, residue = result.array("orbits/period")[row], result.array("orbits/residue")[row]
    residue = 0 if abs(residue) < 1e-9 else residue  # marginal, but for round-off
    return f"{style.plural(int(result.array('orbits/returns')[row]), noun)}, $T = {period:.4g}$, residue ${residue:.4g}$"


def notes(result, drawn, unlike):
    """The line below the heading."""
    count = len(result.array("orbits/period"))
    line = style.plural(count, "orbit")
    if unlike < count:
        line += f", {unlike} but for symmetries and families"
    if drawn < unlike:
        line += f": the {drawn} shortest"
    return [line]


def between_walls(result, options):
    """A panel for each path between a billiard's walls, with its bounces."""
    rows, unlike = representatives(result, 12)
    outline = np.concatenate(billiards.loops(result))
    low, high = outline.min(0), outline.max(0)
    columns = min(len(rows), 3 if (high - low)[0] > 1.3 * (high - low)[1] else 4)
    options.width = options.width or (10.5 if columns > 2 else 7.5)
    figure, axes = layout.grid(len(rows), options, options.title or "Periodic orbits of a billiard", notes(result, len(rows), unlike),
                               aspect=1.08 * (high - low)[1] / (high - low)[0], columns=columns, panel_titles=True)
    points, whose, stability = (result.array(f"orbits/{name}") for name in ("points", "points_orbit", "stability"))
    for k, (axis, row) in enumerate(zip(axes, rows)):
        billiards.fill(axis, result)
        stable = stability[row] == STABLE
        colour = style.CATEGORICAL[0] if stable else style.CATEGORICAL[1]
        axis.plot(*result.array("orbits/path")[row, :, :2].T, ls="-" if stable else (0, (5, 1)), color=colour, lw=1.4, zorder=3)
        axis.plot(*points[whose == row][:, :2].T, "o", ms=4, color=colour, mfc=colour if stable else "white", zorder=4)
        axis.set_title(described(result, row, "bounce"), fontsize=9.5)
        axis.set_xlabel("$x$" if k + columns >= len(rows) else "")
        axis.set_ylabel("$y$" if k % columns == 0 else "")
    return figure


def on_a_surface(result, options):
    """The paths on their surface, each with its period and residue."""
    rows, unlike = representatives(result, len(style.CATEGORICAL))
    width, _ = layout.stage_widths(options)
    figure, axis, place = layout.stage(0.40 * width, options, options.title or f"Closed orbits: {captions.model(result)}",
                                       notes(result, len(rows), unlike))
    stage = Stage(axis, result, options)
    lines, names = [], []
    for row, colour in zip(rows, style.distinct(len(rows))):
        stable = result.array("orbits/stability")[row] == STABLE
        stage.curve(result.array("orbits/path")[row, :, :3], colour, 2.4 if stable else 1.3)
        lines.append(axis.plot([], [], "-", color=colour, lw=2.4 if stable else 1.3)[0])
        names.append(described(result, row, "return"))
    left, whole_width, *_ = place
    figure.legend(lines, names, loc="center left", bbox_to_anchor=((left - 0.55) / whole_width, 0.5), fontsize=9.5,
                  title="thick: stable")
    return figure


def draw(results, options):
    """The figure."""
    result = results[0]
    if "families/value" in result:
        return families(result, options)
    if "orbits/path" in result and "manifolds/state" not in result and not options.axes:
        if "domain/outline" in result:
            return between_walls(result, options)
        if "surface/triangles" in result:
            return on_a_surface(result, options)
    return section(result, options)
