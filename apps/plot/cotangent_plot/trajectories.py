# SPDX-License-Identifier: BSD-3-Clause
"""Time series: the coordinates of sampled trajectories, and how well each kept its energy.

One trajectory: all its coordinates in one panel. Several: a panel for each coordinate, a colour for each trajectory.
With --axes the paths in the plane of two coordinates instead, to one scale, starts marked.
Below, E - E0. Long series are drawn as the envelope of each pixel column, so nothing between two pixels is lost.
"""
import numpy as np

from . import captions, layout, style
from .result import PlotError, nearest

MOST_CURVES = 40
SAMPLES = 6000  # beyond it, the envelope


def envelope(t, values, bins=2000):
    """(t, values) with the least and the greatest value of each of `bins` stretches, in their order."""
    if len(t) <= SAMPLES:
        return t, values
    width = len(t) // bins
    used = width * bins
    blocks = np.where(np.isfinite(values), values, 0)[:used].reshape(bins, width)
    ends = np.sort(np.stack([blocks.argmin(1), blocks.argmax(1)], 1), 1)
    pick = np.unique(np.concatenate([(ends + width * np.arange(bins)[:, None]).ravel(), np.arange(used, len(t))]))
    return t[pick], values[pick]


def chosen(result, options, most=MOST_CURVES):
    """The rows to draw: those asked for that have been run, the first `most` of them at most."""
    for name in ("trajectory/q", "trajectory/time"):
        if name not in result:
            raise PlotError(f"{result.path}: no trajectory in it (no data set /{name}); the study 'trajectory' makes "
                            "them")
    asked = options.chosen(result.file["trajectory/q"].shape[0])
    ids = result.run(asked)
    ids = ids[np.isfinite(result.array("trajectory/q", (slice(None), slice(0, 2)))[ids]).all((1, 2))]
    if ids.size == 0:
        counts = ", ".join(f"{n} {name}" for name, n in captions.status_counts(result, asked).items())
        raise PlotError(f"{result.path}: no trajectory to draw" + (f" ({counts})" if counts else ""))
    return ids[:most]


def times(result, ids):
    """The sampling times as [trajectories, samples], whether they are common or each has its own."""
    time = result.array("trajectory/time")
    return np.broadcast_to(time, (len(ids), time.size)) if time.ndim == 1 else time[ids]


def draw(results, options):
    """The figure."""
    from . import surfaces  # which in turn draws with this module
    result = results[0]
    ids = chosen(result, options)
    t, q = times(result, ids), result.array("trajectory/q")[ids]
    if surfaces.present(result) and options.what != "time-series":
        return surfaces.draw(result, ids, t, q, options)
    names = result.coordinates() or [f"q{i + 1}" for i in range(q.shape[-1])]
    energy = result.array("trajectory/energy")[ids] if "trajectory/energy" in result else None

    if options.axes:
        return _paths(result, ids, t, q, names, energy, options)
    one = len(ids) == 1
    panels = [names] if one and len(names) <= 4 else [[name] for name in names]
    heights = [2.6 if one else 1.7] * len(panels) + ([1.5] if energy is not None else [])
    notes = captions.constants(result, ids)
    total = result.file["trajectory/q"].shape[0]
    if total > 1:
        notes.append(f"trajectory {ids[0]} of {total}" if one else f"{len(ids)} of {total} trajectories"
                     if len(ids) < total else f"{total} trajectories")
    if one:
        start = ",\\ ".join(f"{style.symbol(n)} = {style.number(float(f'{v:.6g}'))}" for n, v in zip(
            result.states(), result.array("orbits/initial")[ids[0]])) if "orbits/initial" in result else ""
        notes.append(f"from ${start}$" if start else "")
    notes.append(captions.method(result))
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
        units = result.units("trajectory/q")
        axis.set_ylabel(",  ".join(f"${style.symbol(name)}$" for name in panel) + (f"  [{units}]" if units else ""))
        axis.set_xlim(span)
        if options.ylim:
            axis.set_ylim(options.ylim)
        if len(panel) > 1:
            axis.legend(loc="lower right", bbox_to_anchor=(1, 1.0), ncol=len(panel), handlelength=1.4,
                        columnspacing=1.4, borderaxespad=0.1, fontsize=12)
    if energy is not None:
        _draw_energy(axes[-1], t, energy, span, colours if not one else [style.CATEGORICAL[1]])
    units = result.units("trajectory/time")
    axes[-1].set_xlabel("time" + (f"  [{units}]" if units else ""))
    return figure


def _paths(result, ids, t, q, names, energy, options):
    """Two coordinates against each other, and the energy over time."""
    for name in options.axes:
        if name not in names:
            raise PlotError(f"--axes: {result.path} has no coordinate '{name}'; {nearest(name, names)}")
    first, second = (q[..., names.index(name)] for name in options.axes)
    notes = captions.constants(result, ids) + [f"{len(ids)} trajectories", captions.method(result)]
    figure, axes = layout.stack([5.2] + ([1.5] if energy is not None else []), options,
                                options.title or captions.model(result), notes, gap=0.75)
    axes[0].tick_params(labelbottom=True)
    colours = style.distinct(len(ids))
    for row, colour in enumerate(colours):
        axes[0].plot(first[row], second[row], lw=0.9, color=colour)
        axes[0].plot(first[row, 0], second[row, 0], "o", ms=4, color=colour)
    units = result.units("trajectory/q")
    for put, name in zip((axes[0].set_xlabel, axes[0].set_ylabel), options.axes):
        put(f"${style.symbol(name)}$" + (f"  [{units}]" if units else ""))
    axes[0].set_aspect("equal", adjustable="datalim")
    if options.xlim:
        axes[0].set_xlim(options.xlim)
    if options.ylim:
        axes[0].set_ylim(options.ylim)
    if energy is not None:
        _draw_energy(axes[-1], t, energy, (np.nanmin(t), np.nanmax(t)), colours)
        axes[-1].set_xlabel("time")
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
        axis.set_yscale("symlog", linthresh=10.0 ** np.ceil(np.log10(np.median(size))))
    elif exponent:
        axis.set_ylabel(rf"$E - E_0$  $[10^{{{exponent}}}]$")
    axis.axhline(0, color=style.FAINT, lw=0.5, zorder=0)
    axis.set_xlim(span)
