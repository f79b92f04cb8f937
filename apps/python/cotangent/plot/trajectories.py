# SPDX-License-Identifier: BSD-3-Clause
"""Time series: the coordinates of sampled trajectories, and how well each kept its energy.

One trajectory: all its coordinates in one panel. Several: a panel for each coordinate, a colour for each trajectory.
More than four coordinates stand in columns, those of one unit to one scale where that leaves each visible; of x and y
with the same number the path in their plane. With --axes, or the deck's [plot] axes, the paths in the plane of two
coordinates instead, to one scale, or of a coordinate and a velocity; starts marked. Below, E - E0. Long series are drawn
as the envelope of each pixel column, so nothing between two pixels is lost.
"""
import re

import numpy as np

from . import captions, layout, style, surfaces, tops
from .result import PlotError, nearest
from .series import envelope

MOST_CURVES = 40


def chosen(result, options, most=MOST_CURVES):
    """The rows to draw: those asked for that have been run, the first `most` of them at most."""
    for name in ("trajectory/q", "trajectory/time"):
        if name not in result:
            raise PlotError(f"{result.path}: no trajectory in it (no data set /{name}); the study 'trajectory' makes "
                            "them")
    asked = options.chosen(result.file["trajectory/q"].shape[0])
    ids = _begun(result, result.run(asked), most)
    if ids.size == 0:
        counts = ", ".join(f"{n} {name}" for name, n in captions.status_counts(result, asked).items())
        raise PlotError(f"{result.path}: no trajectory to draw" + (f" ({counts})" if counts else ""),
                        1 if result.pending() else 2)
    return ids


def _begun(result, ids, most):
    """The first `most` of the rows whose first two samples are known; no more rows are read than it takes to find them."""
    found = ids[:0]
    for first in range(0, len(ids), most):
        some = ids[first:first + most]
        known = np.isfinite(result.array("trajectory/q", (some, slice(0, 2)))).all((1, 2))
        found = np.concatenate([found, some[known]])[:most]
        if len(found) == most:
            break
    return found


def times(result, ids):
    """The sampling times as [trajectories, samples], whether they are common or each has its own."""
    if result.file["trajectory/time"].ndim > 1:
        return result.array("trajectory/time", ids)
    time = result.array("trajectory/time")
    return np.broadcast_to(time, (len(ids), time.size))


def draw(results, options):
    """The figure."""
    result = results[0]
    ids = chosen(result, options)
    t, q = times(result, ids), result.array("trajectory/q", ids)
    plane = options.axes or tuple(result.section_of_deck("plot").get("axes", ()))
    if surfaces.present(result) and options.what != "time-series" and not plane:
        return surfaces.draw(result, ids, t, q, options)
    names = result.coordinates() or [f"q{i + 1}" for i in range(q.shape[-1])]
    energy = result.array("trajectory/energy", ids) if "trajectory/energy" in result else None

    if plane:
        return _paths(result, ids, t, q, names, plane, energy, options)
    if tops.present(result):
        figure, below, colours, span = tops.draw(result, ids, t, q, energy, options)
        if below:
            _draw_energy(below[0], t[:len(colours)], energy[:len(colours)], span, colours)
        _label_time(figure.axes[-1], result)
        return figure
    if len(names) > 4:
        return _columns(result, ids, t, q, names, energy, options)
    one = len(ids) == 1
    panels = [names] if one and len(names) <= 4 else [[name] for name in names]
    heights = [2.6 if one else 1.7] * len(panels) + ([1.5] if energy is not None else [])
    notes = _notes(result, ids)
    figure, axes = layout.stack(heights, options, options.title or captions.model(result), notes,
                                legend=len(panels[0]) > 1)
    span = options.xlim or (np.nanmin(t), np.nanmax(t))
    colours = style.distinct(len(names)) if one else style.sweep(len(ids))
    if one and len(panels) == 1 and len(names) <= 2:
        colours = [style.INK, style.CATEGORICAL[0]]

    for axis, panel in zip(axes, panels):
        for row in range(len(ids)):
            for c, name in enumerate(panel):
                seen = (t[row] >= span[0]) & (t[row] <= span[1])
                axis.plot(*envelope(t[row][seen], q[row, seen, names.index(name)]), lw=0.9 if one else 0.8,
                          color=colours[c if one and len(panels) == 1 else row], label=f"${style.symbol(name)}$")
        units = {result.units("trajectory/q", name) for name in panel}
        unit = units.pop() if len(units) == 1 else ""
        axis.set_ylabel(",  ".join(f"${style.symbol(name)}$" for name in panel) + (f"  [{unit}]" if unit else ""))
        axis.set_xlim(span)
        if options.ylim:
            axis.set_ylim(options.ylim)
        if len(panel) > 1:
            axis.legend(loc="lower right", bbox_to_anchor=(1, 1.0), ncol=len(panel), handlelength=1.4,
                        columnspacing=1.4, borderaxespad=0.1, fontsize=12)
    if energy is not None:
        _draw_energy(axes[-1], t, energy, span, colours if not one else [style.CATEGORICAL[1]])
    _label_time(axes[-1], result)
    return figure


def _label_time(axis, result):
    unit = result.units("trajectory/time")
    axis.set_xlabel("time" + (f"  [{unit}]" if unit else ""))


def _notes(result, ids):
    """What stands below the heading: parameters, how many trajectories, where one starts, the method."""
    notes, one = captions.constants(result, ids), len(ids) == 1
    total = result.file["trajectory/q"].shape[0]
    if total > 1:
        notes.append(f"trajectory {ids[0]} of {total}" if one else f"{len(ids)} of {total} trajectories"
                     if len(ids) < total else f"{total} trajectories")
    if one and "orbits/initial" in result:
        values = [f"${style.symbol(n)} = {style.number(float(f'{v:.6g}'))}$"
                  for n, v in zip(result.states(), result.array("orbits/initial")[ids[0]])]
        notes.append([f"from {values[0]}", *values[1:]])
    return [*notes, captions.method(result)]


def planes(names):
    """The coordinates that come in pairs, as the x and y of points in a plane."""
    numbered = [match[1] for match in (re.fullmatch(r"x_?(\d*)", name) for name in names) if match]
    def of(letter, number):
        return next((n for n in names if re.fullmatch(rf"{letter}_?{number}", n)), None)
    return [(of("x", k), of("y", k)) for k in numbered if of("y", k) and not of("z", k)]


def _columns(result, ids, t, q, names, energy, options):
    """Paths of what comes in pairs, the other coordinates over time, in columns; the energy below them all."""
    pairs = planes(names)
    single = [name for name in names if not any(name in pair for pair in pairs)]
    count = len(pairs) + len(single)
    columns = 2 if count <= 4 else 3 if count <= 9 else 4
    options.width = options.width or {2: 8.5, 3: 10.5, 4: 12.5}[columns]
    figure, axes = layout.grid(count, options, options.title or captions.model(result), _notes(result, ids),
                               aspect=0.62, columns=columns, gap=(0.42, 0.62), ticks_inside=True, panel_titles=False,
                               strips=[1.1] if energy is not None else ())
    colours = style.distinct(1) if len(ids) == 1 else style.sweep(len(ids))
    span = options.xlim or (np.nanmin(t), np.nanmax(t))
    unit_of = {name: result.units("trajectory/q", name) for name in names}
    limits = _common_limits({name: q[..., names.index(name)] for name in single}, unit_of)
    for axis, (across, up) in zip(axes, pairs):
        for row, colour in enumerate(colours):
            seen = (t[row] >= span[0]) & (t[row] <= span[1])
            x, y = (q[row, seen, names.index(name)] for name in (across, up))
            axis.plot(x, y, lw=0.9, color=colour)
            axis.plot(x[:1], y[:1], "o", ms=3.5, color=colour)
        axis.set_aspect("equal", adjustable="datalim")
        axis.set_xlabel(style.label(across, unit_of[across]), labelpad=1)
        axis.set_ylabel(style.label(up, unit_of[up]), labelpad=1)
    for axis, name in zip(axes[len(pairs):], single):
        for row, colour in enumerate(colours):
            seen = (t[row] >= span[0]) & (t[row] <= span[1])
            axis.plot(*envelope(t[row][seen], q[row, seen, names.index(name)]), lw=0.8, color=colour)
        axis.set_ylabel(style.label(name, unit_of[name]), labelpad=1)
        axis.set_xlim(span)
        axis.set_ylim(options.ylim or limits[name])
    for axis in axes[max(len(pairs), count - columns):count]:
        _label_time(axis, result)
    if energy is not None:
        _draw_energy(axes[-1], t, energy, span, colours if len(ids) > 1 else [style.CATEGORICAL[1]])
        _label_time(axes[-1], result)
    return figure


def _common_limits(values, unit_of):
    """{name: limits}: one for all of a unit, unless one of them would shrink to less than a fifth of it."""
    own = {name: layout.extent(value) for name, value in values.items()}
    limits = {}
    for name in own:
        alike = [own[other] for other in own if unit_of[other] == unit_of[name]]
        low, high = min(a for a, _ in alike), max(b for _, b in alike)
        limits[name] = (low, high) if all(b - a >= (high - low) / 5 for a, b in alike) else own[name]
    return limits


def _paths(result, ids, t, q, names, plane, energy, options):
    """Two coordinates or velocities against each other, and the energy over time."""
    columns = {name: ("trajectory/q", k) for k, name in enumerate(names)}
    if "trajectory/v" in result:
        columns |= {name: ("trajectory/v", k) for k, name in enumerate(result.states()[len(names):])}
    for name in plane:
        if name not in columns:
            origin = "--axes" if options.axes else "[plot] axes"
            raise PlotError(f"{origin}: {result.path} has no coordinate or velocity '{name}'; {nearest(name, columns)}")
    held = {"trajectory/q": q}
    for table, _ in (columns[name] for name in plane):
        if table not in held:
            held[table] = result.array(table, ids)
    first, second = (held[table][..., k] for table, k in (columns[name] for name in plane))
    places = all(name in names for name in plane)
    figure, axes = layout.stack([5.2] + ([1.5] if energy is not None else []), options,
                                options.title or captions.model(result), _notes(result, ids), gap=0.75)
    axes[0].tick_params(labelbottom=True)
    colours = style.distinct(len(ids))
    for row, colour in enumerate(colours):
        axes[0].plot(first[row], second[row], lw=0.9, color=colour)
        axes[0].plot(first[row, 0], second[row, 0], "o", ms=4, color=colour)
    for put, name in zip((axes[0].set_xlabel, axes[0].set_ylabel), plane):
        put(style.label(name, result.units(columns[name][0], name)))
    if places:
        axes[0].set_aspect("equal", adjustable="datalim")
    if options.xlim:
        axes[0].set_xlim(options.xlim)
    if options.ylim:
        axes[0].set_ylim(options.ylim)
    if energy is not None:
        _draw_energy(axes[-1], t, energy, (np.nanmin(t), np.nanmax(t)), colours)
        _label_time(axes[-1], result)
    return figure


def _draw_energy(axis, t, energy, span, colours):
    """E - E0 over time; a scale that is logarithmic away from zero where the errors span more than three decades."""
    error = energy - energy[:, :1]
    size = np.abs(error[np.isfinite(error) & (error != 0)])
    size = size if size.size else np.ones(1)
    exponent = int(np.floor(np.log10(size.max())))  # in the label, where it collides with no panel
    exponent = exponent if exponent < -2 or exponent > 3 else 0
    logarithmic = size.max() > 1e3 * np.median(size)
    shown = 1.0 if logarithmic else 10.0 ** exponent
    for row, colour in zip(range(len(error)), colours):
        seen = (t[row] >= span[0]) & (t[row] <= span[1])
        axis.plot(*envelope(t[row][seen], error[row, seen] / shown), lw=0.7, color=colour)
    axis.set_ylabel("$E - E_0$")
    if logarithmic:
        least, most = int(np.ceil(np.log10(np.median(size)))), int(np.floor(np.log10(size.max())))
        axis.set_yscale("symlog", linthresh=10.0 ** least)
        powers = 10.0 ** np.arange(least, most + 1, -(-(most + 1 - least) // 3))  # three either way, at most
        low, high = axis.get_ylim()
        axis.set_yticks([tick for tick in (*-powers, 0.0, *powers) if low <= tick <= high])
    elif exponent:
        axis.set_ylabel(rf"$E - E_0$  $[10^{{{exponent}}}]$")
    axis.axhline(0, color=style.FAINT, lw=0.5, zorder=0)
    axis.set_xlim(span)
