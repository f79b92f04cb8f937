# SPDX-License-Identifier: BSD-3-Clause
"""Energy errors of an ensemble: |E - E0| of every orbit in the order of their numbers, and how often each occurs."""
import matplotlib
import numpy as np

from . import captions, layout, style
from .result import PlotError


def above_zero(error):
    """For a logarithmic axis: zeros stand just below the least error that isn't zero, at 1e-17 where all are zero."""
    some = error[error > 0]
    return np.maximum(error, some.min() / 2 if some.size else 1e-17)


def with_powers(low, high):
    """Limits of a logarithmic axis; less than a decade grows to the powers of ten about it, whose labels are short."""
    if high / low > 10:
        return low, high
    return 10.0 ** np.floor(np.log10(low)) / 1.5, 10.0 ** np.ceil(np.log10(high)) * 1.5


def draw(results, options):
    """The figure: a scatter with a histogram at its right, one row for each file."""
    for result in results:
        if "orbits/energy_error" not in result:
            raise PlotError(f"{result.path}: no energy errors in it (no data set /orbits/energy_error)")
    first = results[0]
    notes = captions.shared([captions.constants(r) for r in results])
    notes += captions.shared([[captions.method(r)] for r in results])
    figure, axes = layout.stack([2.6 if len(results) == 1 else 1.9] * len(results), options,
                                options.title or captions.model(first), notes, right=1.7,
                                gap=0.34, legend=True)
    extremes = []
    for axis, result in zip(axes, results):
        extremes += _draw_row(figure, axis, result, options, axis is axes[-1], len(results) > 1)
    for axis in figure.axes:
        axis.set_ylim(options.ylim or with_powers(min(extremes) / 2, max(extremes) * 2))
    axes[-1].set_xlabel("orbit")
    return figure


def _draw_row(figure, axis, result, options, last, titled):
    """One file; the least and the greatest error drawn."""
    ids = result.run(options.chosen(result.file["orbits/energy_error"].shape[0]))
    error = np.abs(result.array("orbits/energy_error")[ids])
    status = result.array("orbits/status")[ids] if result.orbits else np.ones(len(ids), int)
    known = np.isfinite(error)
    if not known.any():
        raise PlotError(f"{result.path}: no orbit in it has an energy error")
    ids, exact, status = ids[known], error[known], status[known]
    error = above_zero(exact)
    names = result.status_names()
    kinds = np.unique(status)
    axis.set_yscale("log")
    for k, kind in enumerate(kinds):
        name = names[kind] if 0 <= kind < len(names) else f"status {kind}"
        axis.plot(ids[status == kind], error[status == kind], "o", markersize=2.6 if len(ids) < 2000 else 1.2,
                  markeredgewidth=0, alpha=0.75, color=style.CATEGORICAL[k], label=name.replace("_", " "),
                  rasterized=len(ids) > 5000)
    if len(kinds) > 1:
        axis.legend(loc="upper right", ncol=len(kinds), handletextpad=0.1)
    axis.set_xlim(options.xlim or (ids.min() - 0.5 - 0.01 * np.ptp(ids), ids.max() + 0.5 + 0.01 * np.ptp(ids)))
    axis.set_ylabel(r"$\max_t\ |E - E_0|$")
    if titled:
        axis.set_title(captions.method(result) or result.path.stem, loc="left", pad=4)

    place = axis.get_position()
    inch = 1 / figure.get_size_inches()[0]
    beside = figure.add_axes((place.x1 + 0.1 * inch, place.y0, 1.3 * inch, place.height))
    edges = np.logspace(np.log10(error.min()) - 0.05, np.log10(error.max()) + 0.05, 31)
    beside.hist(error, edges, orientation="horizontal", color=style.CATEGORICAL[0], alpha=0.75)
    beside.set_yscale("log")
    beside.tick_params(labelleft=False, which="both")
    beside.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(3, integer=True, prune="lower"))
    if last:
        beside.set_xlabel("orbits")
    beside.tick_params(labelbottom=last)
    median = np.median(exact)
    for a in (axis, beside):
        a.axhline(max(median, error.min()), color=style.CATEGORICAL[1], lw=0.9, zorder=0)
    typical, worst = (style.number(float(f"{value:.2g}")) for value in (median, exact.max()))
    axis.annotate(f"median ${typical}$,  worst ${worst}$", (1, 1), (0, 3), xycoords="axes fraction", textcoords="offset points",
                  ha="right", va="bottom", size=10.5, color=style.FAINT)
    return [error.min(), error.max()]
