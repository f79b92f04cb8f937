# SPDX-License-Identifier: BSD-3-Clause
"""Poincaré sections: one panel for each value of the parameters and the energy, or one for each file.

Few orbits get colours of their own. Among many, an orbit's colour is the place of its mean on a colour wheel around
the chaotic sea, turned and lightened with its spread: time averages are constant on invariant sets (the ergodic
partition of Mezić and Wiggins 1999), so nested tori shade into each other, islands of a chain share a colour, and
the sea is one calm grey. An orbit of n crossings is taken for chaotic if on a grid of n cells it meets
more cells than a curve can, O(sqrt(n)).

An axis may be a parameter that the run sweeps: a bifurcation diagram, one panel of all orbits in one ink.

Periodic orbits and manifolds of another result may lie over it (overlay.py), on the panels with their parameters and energy.
"""
from dataclasses import dataclass

import matplotlib
import numpy as np

from . import captions, contours, energy, layout, models, overlay, painting, space, style
from .choices import COLOURS, of_orbits
from .result import PlotError, nearest

FEW = 12
MOST_PANELS = 24
USED = matplotlib.colors.LinearSegmentedColormap.from_list(  # without the last, near white
    "used", matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0, 0.95, 256)))
GREY = np.array([0.67, 0.003, -0.012])


@dataclass
class Panel:
    """The crossings of the orbits in the rows `ids` of a file, x and y [orbits, crossings]."""
    result: object
    ids: np.ndarray
    x: np.ndarray
    y: np.ndarray
    label: str
    swept: bool = False

    def parameters(self):
        """{name: value} of the parameters and the energy that all its orbits share."""
        axes = {name: column[self.ids] for name, column in self.result.axes().items()}
        return self.result.parameters() | {name: float(column[0]) for name, column in axes.items()
                                           if column.size and captions.constant(column)}


def source(result, name):
    """The data set that has a column of crossings: /section/points, or /section/plot for what the deck added to it."""
    return "section/points" if name in result.columns("section/points") else "section/plot"


def axis_names(result, asked):
    """The two columns to draw: asked for, or named by the deck's [plot], or a coordinate that spreads over the section
    and its velocity."""
    columns = result.columns("section/points")
    held = columns + [name for name in result.columns("section/plot", []) if name not in columns] + list(result.axes())
    for origin, names in (("--axes", asked), ("[plot] axes", result.section_of_deck("plot").get("axes"))):
        for name in names or ():
            if name not in held:
                raise PlotError(f"{origin}: {result.path} has no column '{name}'; {nearest(name, held)}")
        if names and len(names) == 2:
            return tuple(names)
    half = len(columns) // 2
    where = result.section_of_deck("section").get("where", columns[0])
    pairs = [(q, v) for q, v in zip(columns[:half], columns[half:]) if q != where] or [(columns[0], columns[half])]
    if len(pairs) > 1:
        ids = result.run(np.arange(result.file["section/points"].shape[0]))
        met = [cells_met(*(coordinate(result, "section/points", name)[ids] for name in pair)) for pair in pairs]
        return next(pair for pair, count in zip(pairs, met) if 2 * count >= max(met))
    return pairs[0]


def cells_met(x, y, side=64, most=200_000):
    """How many cells of a grid over their extent points meet: few if all lie on a line along an axis, for one of the
    two is fixed on the section, or takes some values alone."""
    x, y = x.ravel(), y.ravel()
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    good = good[::max(1, good.size // most)]
    cells = np.zeros(good.size, int)
    for values in (x[good], y[good]):
        if good.size == 0 or np.ptp(values) <= 1e-9 * (1 + np.abs(values).max()):
            return 0
        scaled = (values - values.min()) / np.ptp(values)
        cells = cells * side + np.minimum((scaled * side).astype(int), side - 1)
    return np.unique(cells).size


def span(values):
    """From the least to the largest finite value; 0 where there is none."""
    finite = values[np.isfinite(values)]
    return np.ptp(finite) if finite.size else 0.0


def wrapped_angle(values, unit):
    """An angle that has turned more than once, folded to one turn about zero; anything else as it is."""
    if unit in ("rad", "radian", "radians") and span(values) > 2 * np.pi:
        return np.mod(values + np.pi, 2 * np.pi) - np.pi
    return values


def skipped(result):
    """How many crossings of each orbit the deck leaves out of pictures."""
    return int(result.section_of_deck("plot").get("skip", 0))


def swept(result, names):
    """Whether one of the axes is a parameter of the run."""
    return any(name in result.axes() for name in names)


def coordinate(result, held, name):
    """A column of crossings, folded to one turn if it is an angle; older files give velocities the unit of angles. A
    parameter is the same at all crossings."""
    if name in result.axes():
        return np.repeat(result.axes()[name][:, None], result.file["section/points"].shape[1], 1)
    values = result.column(held, name)
    return values if name.endswith("_dot") else wrapped_angle(values, result.units(held, name))


def groups(result, ids, drawn=()):
    """[(label, ids)]: the orbits by the values of the parameters that were an axis of the run, but for those drawn."""
    axes = {name: column[ids] for name, column in result.axes().items() if name not in drawn}
    given = result.section_of_deck("ensemble")
    if "list" in given or "file" in given:
        axes.pop("energy", None)  # whole states: each has the energy it happens to have
    varying = {name: column for name, column in axes.items() if not captions.constant(column)}
    if not varying:
        return [("", ids)]
    table = np.stack(list(varying.values()), 1)
    values = np.unique(table[np.isfinite(table).all(1)], axis=0)
    if len(values) > MOST_PANELS:
        return [("", ids)]
    return [(",  ".join(captions.assignment(name, v) for name, v in zip(varying, row)),
             ids[(table == row).all(1)]) for row in values]


def panels(results, options):
    """The panels of all files, and the names of their axes."""
    found, names = [], None
    for result in results:
        if "section/points" not in result:
            raise PlotError(f"{result.path}: no section in it (no data set /section/points)")
        names = names or axis_names(result, options.axes)
        ids = result.run(options.chosen(result.file["section/points"].shape[0]))
        sources = [source(result, name) for name in names]
        x, y = (coordinate(result, held, name)[:, skipped(result):] for held, name in zip(sources, names))
        for label, rows in groups(result, ids, names):
            drawn = rows[(np.isfinite(x[rows]) & np.isfinite(y[rows])).any(1)]
            if drawn.size or not label:
                found.append(Panel(result, drawn, x[drawn], y[drawn], label, swept(result, names)))
    if not any(panel.ids.size for panel in found):
        counts = ", ".join(f"{n} {name}" for name, n in captions.status_counts(results[0]).items())
        raise PlotError(f"{results[0].path}: no crossing to draw" + (f" (orbits: {counts})" if counts else ""),
                        1 if results[0].pending() else 2)
    if len(results) > 1:
        methods = [captions.method(panel.result) for panel in found]
        if len(set(methods)) > 1:
            for panel, method in zip(found, methods):
                panel.label = method + (f":  {panel.label}" if panel.label else "")
        else:
            constants = [captions.constants(panel.result, panel.ids) for panel in found]
            common = captions.shared(constants)
            for panel, own in zip(found, constants):
                panel.label = ",  ".join(item for item in own if item not in common) or panel.result.path.stem
    return found, names


# --- colour ------------------------------------------------------------------------------------------------------

def chaos(x, y, limits):
    """For each orbit, 0 if its crossings lie on curves, 1 if they fill area."""
    filled = np.isfinite(x) & np.isfinite(y)
    count = filled.sum(1)
    x0, x1, y0, y1 = limits
    measure = np.zeros(len(x))
    for n in np.unique(count[count >= 60]):
        rows = np.flatnonzero(count == n)
        side = int(np.sqrt(n))
        with np.errstate(invalid="ignore"):
            i = np.clip((x[rows] - x0) / (x1 - x0) * side, 0, side - 1)
            j = np.clip((y[rows] - y0) / (y1 - y0) * side, 0, side - 1)
        cells = np.where(filled[rows], np.nan_to_num(i).astype(np.int64) * side + np.nan_to_num(j).astype(np.int64), -1)
        cells.sort(axis=1)
        met = (np.diff(cells, axis=1) > 0).sum(1) + (cells[:, 0] >= 0)
        measure[rows] = met / np.sqrt(n)
    ramp = np.clip((measure - 4) / 2, 0, 1)
    return ramp * ramp * (3 - 2 * ramp)


def orbit_colours(panel, limits, by, norm=None):
    """(OKLab colour [n, 3], ink [n]) of the panel's orbits; norm: the scale of what they are coloured by."""
    count = len(panel.ids)
    if by == "none" or (by == "auto" and panel.swept):
        return np.tile(style.srgb_to_oklab(matplotlib.colors.to_rgb(style.INK)), (count, 1)), np.full(count, 0.8)
    if by == "orbit" or (by == "auto" and count <= FEW):
        # by the orbit's own number: panels that show the same orbits agree
        return style.srgb_to_oklab(style.distinct(count)), np.full(count, 0.9)
    if by != "auto":
        return style.srgb_to_oklab(USED(norm(orbit_values(panel, by, limits)))[:, :3]), np.full(count, 0.8)
    sea = chaos(panel.x, panel.y, limits)[:, None]
    sides = limits[1] - limits[0], limits[3] - limits[2]
    mean = np.stack([np.nanmean(panel.x, 1) / sides[0], np.nanmean(panel.y, 1) / sides[1]], 1)
    spread = np.sqrt(np.nanvar(panel.x, 1) / sides[0] ** 2 + np.nanvar(panel.y, 1) / sides[1] ** 2)
    chaotic = sea[:, 0] > 0.5
    middle = np.array([(limits[0] + limits[1]) / 2 / sides[0], (limits[2] + limits[3]) / 2 / sides[1]])
    centre = np.average(mean[chaotic], 0) if chaotic.any() else middle
    away = mean - centre
    hue = np.arctan2(away[:, 1], away[:, 0]) + 8 * spread
    lab = np.stack([0.46 + 0.5 * np.minimum(spread, 0.4), 0.135 * np.cos(hue), 0.135 * np.sin(hue)], 1)
    return lab * (1 - sea) + GREY * sea, (0.95 - 0.33 * sea)[:, 0]


def orbit_values(panel, by, limits):
    """One number per orbit to colour by: chaos, energy-error, status, or a column of the table of orbits."""
    result = panel.result
    if by == "chaos":
        return chaos(panel.x, panel.y, limits)
    if by in ("energy-error", "status", "crossings"):
        name = {"energy-error": "energy_error", "crossings": "crossing_count"}.get(by, by)
        value = result.array(f"orbits/{name}")[panel.ids].astype(float)
        return np.log10(energy.above_zero(np.abs(value))) if by == "energy-error" else value
    if by in of_orbits(result, "indicators"):
        return result.array(f"indicators/{by}")[panel.ids]
    for name in ("orbits/parameters", "orbits/initial"):
        if by in result.columns(name):
            return result.column(name, by)[panel.ids]
    choices = [*COLOURS, *of_orbits(result, "indicators"), *result.columns("orbits/parameters"), *result.columns("orbits/initial")]
    raise PlotError(f"--color-by {by}: unknown; {nearest(by, choices)}")


def whole(panel):
    """The limits of all its crossings, from which its orbits' colours come: a closer view keeps them."""
    return (*layout.extent(panel.x), *layout.extent(panel.y))


def shared_norm(found, by):
    """One scale for all panels of what orbits are coloured by; None where that is no number."""
    if by in ("auto", "orbit", "none"):
        return None
    values = np.concatenate([orbit_values(panel, by, whole(panel)) for panel in found if panel.ids.size])
    values = values[np.isfinite(values)]
    return matplotlib.colors.Normalize(values.min() if values.size else 0, values.max() if values.size else 1)


# --- drawing -----------------------------------------------------------------------------------------------------

def panel_limits(panel, names):
    """((x0, x1), (y0, y1)) of a panel: its crossings, and the section's edge where that is near."""
    box = layout.extent(panel.x), layout.extent(panel.y)
    wide = [(a - 0.15 * (b - a), b + 0.15 * (b - a)) for a, b in box]
    x, y = np.meshgrid(np.linspace(*wide[0], 200), np.linspace(*wide[1], 200))
    left = models.energy_left(panel.result, panel.parameters(), names, x, y)
    if left is None or not (left > 0).any() or (left[[0, -1]] > 0).any() or (left[:, [0, -1]] > 0).any():
        return box
    inside = left > 0
    edge = layout.extent(x[inside]), layout.extent(y[inside])
    return tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(box, edge))


def shared_limits(found, names, options):
    """Limits for all panels together, or None where a panel would shrink to less than a third of a side."""
    each = [panel_limits(p, names) for p in found if p.ids.size]
    sides = []
    for k, asked in ((0, options.xlim), (1, options.ylim)):
        low, high = min(e[k][0] for e in each), max(e[k][1] for e in each)
        if not asked and any(e[k][1] - e[k][0] < (high - low) / 3 for e in each):
            return None
        sides.extend(asked or (low, high))
    return tuple(sides)


def draw(results, options):
    """The figure."""
    found, names = panels(results, options)
    over = overlays(overlay.of(options, results), found, names)
    limits = shared_limits(found, names, options)
    first = results[0]
    known = all("indicators/lyapunov" in result for result in results)
    if options.color_by == "auto" and known and any(len(p.ids) > FEW for p in found):
        options.color_by = "lyapunov"
    norm = shared_norm(found, options.color_by)
    notes = captions.shared([captions.constants(p.result, p.ids) for p in found])
    notes.append(_extent_of_work(found))
    notes.append(captions.section(first))
    notes += captions.shared([[captions.method(r)] for r in results])
    if len(results) == 1:
        notes.append(captions.energy_error(first))
    titled = any(p.label for p in found)
    if over:
        orbits, _, place = next(iter(over.values()))
        notes.append(overlay.left_out(orbits, place))
    if skipped(first):
        notes.append(f"without the first {skipped(first)}")
    solid = len(found) == 1 and not found[0].swept and "surface/triangles" in first and len(first.coordinates()) == 3
    if solid:
        options.width = options.width or 10.5
    narrow = layout.columns_for(len(found)) > 2  # panels, in which there is no room for a scale
    figure, axes = layout.grid(len(found) + solid, options, options.title or captions.model(first), notes,
                               columns=2 if solid else None, ticks_inside=solid or limits is None, panel_titles=titled,
                               legend=bool(over or (norm and narrow)))
    if solid:
        _draw_on_surface(axes.pop(), found[0], options, norm)
    for k, (axis, panel) in enumerate(zip(axes, found)):
        own = limits
        if own is None:
            across, up = panel_limits(panel, names)
            own = (*(options.xlim or across), *(options.ylim or up))
        _draw_panel(axis, panel, names, own, options, norm)
        if norm and panel.ids.size and not narrow:
            _draw_scale(axis, panel, options.color_by, norm)
        if panel.label:
            axis.set_title(panel.label, loc="left", pad=4)
        if k in over:
            overlay.draw(axis, *over[k])
    if norm and narrow:
        _draw_scale_above(axes, found, options.color_by, norm)
    if over:
        layout.legend_above(figure, axes, overlay.handles(axes), handlelength=1.7)
    left, bottom = layout.outer(axes, layout.columns_for(len(found)))
    across, up = (style.label(name, first.units("orbits/parameters" if name in first.axes() else source(first, name), name))
                  for name in names)
    for axis in left:
        axis.set_ylabel(up, labelpad=2)
    for axis in bottom:
        axis.set_xlabel(across, labelpad=2)
    return figure


def overlays(orbits, found, names):
    """{number of a panel: the periodic orbits to lay over it, as overlay.draw takes them}; empty without any."""
    if orbits is None:
        return {}
    over, reasons = {}, []
    for k, panel in enumerate(found):
        rows, reason = overlay.chosen(orbits, panel.result, panel.ids, panel.parameters())
        if rows.size and panel.ids.size:
            over[k] = orbits, rows, overlay.OnColumns(orbits, names, panel.x, panel.y)
        else:
            reasons.append(reason)
    if not over:
        raise PlotError(f"--overlay {orbits.path}: another problem: {reasons[0]}")
    return over


def _draw_on_surface(axis, panel, options, norm, most=20_000):
    """The crossings where they lie in space, in the same colours, as far as the surface doesn't hide them."""
    stage = space.Stage(axis, panel.result, options)
    lab, _ = orbit_colours(panel, whole(panel), options.color_by, norm)
    places = panel.result.array("section/points")[panel.ids][..., :3]
    colours = np.broadcast_to(style.oklab_to_srgb(lab)[:, None], places.shape)
    places, colours = places.reshape(-1, 3), colours.reshape(-1, 3)
    at, seen = stage.seen(places)
    pick = np.flatnonzero(seen & np.isfinite(places).all(1))
    pick = pick[::max(1, len(pick) // most)]
    axis.scatter(*at[pick].T, s=2.2, c=colours[pick], linewidths=0, zorder=4, rasterized=True)


def _extent_of_work(found):
    """'470 orbits × 1000 crossings'; where they differ, the sums."""
    counts = [(np.isfinite(p.x) & np.isfinite(p.y)).sum(1) for p in found]
    orbits, every = {len(c) for c in counts}, np.unique(np.concatenate(counts))
    if len(orbits) == 1 and every.size == 1:
        text = f"{style.plural(orbits.pop(), 'orbit')} × {style.plural(int(every[0]), 'crossing')}"
        return text + (" per panel" if len(found) > 1 else "")
    total, crossings = sum(len(c) for c in counts), int(sum(c.sum() for c in counts))
    return f"{style.plural(total, 'orbit')}, {style.plural(crossings, 'crossing')}"


def _draw_panel(axis, panel, names, limits, options, norm):
    """One panel: the points, and the section's edge where the model is known."""
    axis.set_xlim(limits[:2])
    axis.set_ylim(limits[2:])
    if panel.ids.size:
        lab, ink = orbit_colours(panel, whole(panel), options.color_by, norm)
        with np.errstate(invalid="ignore"):
            points = int(((panel.x >= limits[0]) & (panel.x <= limits[1]) & (panel.y >= limits[2])
                          & (panel.y <= limits[3])).sum())
        if options.vector and points <= 20_000:
            for x, y, colour in zip(panel.x, panel.y, style.oklab_to_srgb(lab)):
                axis.plot(x, y, color=colour, marker="o", markersize=0.9, markeredgewidth=0, linestyle="none")
        else:
            width, height = layout.pixels(axis)
            sigma = painting.dot_radius(points, width * height)
            image = painting.paint(panel.x, panel.y, lab, ink, limits, (width, height), sigma)
            axis.imshow(image, extent=limits, aspect="auto", interpolation="nearest", zorder=2)
    _draw_edge(axis, panel, names, limits)


def _draw_edge(axis, panel, names, limits):
    """The curve beyond which the energy does not reach."""
    x, y = np.meshgrid(np.linspace(*limits[:2], 500), np.linspace(*limits[2:], 500))
    left = models.energy_left(panel.result, panel.parameters(), names, x, y)
    if left is not None and (left > 0).any() and (left < 0).any():
        contours.draw(axis, contours.of_grid(x, y, left, [0.0]), colors=[style.FAINT], linewidths=0.6, zorder=1)


def _draw_scale(axis, panel, by, norm):
    """A slim colour bar inside the panel's upper edge."""
    bar = axis.inset_axes((0.70, 0.93, 0.27, 0.022))
    _fill_scale(bar, [panel], by, norm)
    bar.set_title(_scale_name(by), fontsize=9, pad=2)


def _draw_scale_above(axes, found, by, norm):
    """One colour bar for all panels, above the last of the first row."""
    place, figure = axes[layout.columns_for(len(found)) - 1].get_position(), axes[0].figure
    across, up = figure.get_size_inches()
    bar = figure.add_axes((place.x1 - 1.7 / across, place.y1 + 0.27 / up, 1.7 / across, 0.08 / up))
    _fill_scale(bar, found, by, norm)
    bar.xaxis.set_ticks_position("top")
    bar.annotate(_scale_name(by), (0, 0.5), (-6, 0), xycoords="axes fraction", textcoords="offset points", ha="right", va="center",
                 fontsize=10)


def _fill_scale(bar, found, by, norm):
    """The colours and numbers of a colour bar, or the words of a status or verdict."""
    bar.figure.colorbar(matplotlib.cm.ScalarMappable(norm, USED), cax=bar, orientation="horizontal")
    bar.tick_params(labelsize=8, pad=1)
    bar.minorticks_off()
    name = f"{'orbits' if by == 'status' else 'indicators'}/{by}"
    if found[0].result.attribute(name, "names"):
        words = found[0].result.status_names(name)
        value = np.concatenate([orbit_values(panel, by, whole(panel)) for panel in found])
        there = np.unique(value[np.isfinite(value)].astype(int))
        bar.set_xticks(there, [words[k].replace("_", " ") for k in there], fontsize=7)


def _scale_name(by):
    """What orbits are coloured by, in words or symbols."""
    return {"energy-error": r"$\log_{10}|E - E_0|$", "chaos": "area filled", "crossings": "crossings",
            "status": "status", "lyapunov": "largest Lyapunov exponent"}.get(by, style.label(by))
