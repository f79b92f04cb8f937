# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories on a surface: the surface shaded, with the curves on it where they can be seen, and beside it the
energy, the multiplier and how far off the surface the trajectories are.

Of many long curves the beginning is drawn, as long as they cover less than a part of the surface. Curves grow in
width with time. A thin trace is left of what the surface hides.
"""
import matplotlib
import numpy as np

from . import captions, energy, layout, series, style
from .series import FEW
from .space import HIDDEN, Stage

COVERED = 0.2  # the part of the surface that curves may cover
WIDTHS = (0.5, 1.7)  # of a curve, at its beginning and its end, in points


def present(result):
    """Whether a file holds trajectories on a surface, and the surface."""
    return ("surface/triangles" in result and "trajectory/q" in result
            and result.file["trajectory/q"].shape[-1] == 3)


def colours_of(count):
    """Colours of trajectories that stand out from a pale surface."""
    if count <= FEW:
        return style.distinct(count)
    return matplotlib.colormaps["turbo"](np.linspace(0.06, 0.95, count))[:, :3] * 0.86


def shown_until(t, q, area, width):
    """The time up to which curves [n, m, 3] of this width cover less than a part COVERED of the area."""
    steps = np.nan_to_num(np.linalg.norm(np.diff(q, axis=1), axis=2)).sum(0)
    covered = np.cumsum(steps) * width / area
    if covered[-1] <= COVERED:
        return t[-1]
    end = t[max(1, int(np.searchsorted(covered, COVERED)))] - t[0]
    digit = 10.0 ** np.floor(np.log10(end))
    return t[0] + np.floor(2 * end / digit) / 2 * digit


def area(result):
    """The area of the triangles."""
    a, b, c = (result.array("surface/vertices")[corner] for corner in result.array("surface/triangles").T)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def _across(result):
    """The diagonal of the box around the surface, which is about as wide as the axes in which it stands."""
    vertices = result.array("surface/vertices")
    return float(np.linalg.norm(np.ptp(vertices, axis=0)))


def relative_energy_error(result, ids):
    """E - E0 over the mean kinetic energy [n, m], or alone where no `mass` is known; the axis' label."""
    energy = result.array("trajectory/energy", ids)
    error = energy - energy[:, :1]
    mass = result.parameters().get("mass")
    if mass is None or "trajectory/v" not in result:
        return error, "$E - E_0$"
    kinetic = 0.5 * mass * (result.array("trajectory/v", ids) ** 2).sum(2)
    return error / np.nanmean(kinetic), r"$\Delta E\ /\ \langle T\,\rangle$"


def draw(result, ids, t, q, options):
    """The figure."""
    t = t[0]
    total = result.file["trajectory/q"].shape[0]
    notes = captions.constants(result, ids)
    notes.append(f"{len(ids)} of {total} trajectories" if len(ids) < total
                 else "1 trajectory" if total == 1 else f"{total} trajectories")
    notes.append(captions.method(result))
    if total == 1 and "orbits/constraint_error" in result:
        notes.append(rf"$|g|\ /\ |\nabla g| \leq {style.power(result.array('orbits/constraint_error')[0])}$")
    width, stage_width = layout.stage_widths(options)
    line = WIDTHS[1] / 72 / stage_width * _across(result)
    begin, end = options.xlim or (t[0], shown_until(t, q, area(result), line))
    if (begin, end) != (t[0], t[-1]):
        unit = result.units("trajectory/time")
        notes.append(rf"curves from $t = {style.number(float(begin))}$ to ${style.number(float(end))}$ {unit}".rstrip())
    figure, axis, place = layout.stage(0.40 * width, options, options.title or captions.model(result), notes)
    stage = Stage(axis, result, options)

    colours = colours_of(len(ids))
    window = (t >= begin) & (t <= end)
    for row in range(len(ids)):
        places = q[row, window]
        places = places[np.isfinite(places).all(1)]
        if len(places) < 2:
            continue
        grown = np.linspace(0, 1, len(places) - 1)
        colour = matplotlib.colormaps["plasma"](0.85 * grown)[:, :3] if len(ids) == 1 else colours[row]
        stage.curve(places, colour, WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * grown)
        at, seen = stage.seen(places[-1])
        colour = colours[row] if len(ids) > 1 else np.zeros(3)
        stage.axis.plot(*at, "o", ms=4.2, mew=0.7, color=colour, mec="white", zorder=6, alpha=1 if seen else HIDDEN)
    _panels(figure, result, ids, t, colours, place)
    return figure


def _panels(figure, result, ids, t, colours, place):
    """Energy, multiplier and distance from the surface, below each other."""
    shown = []
    if "trajectory/energy" in result:
        shown.append((*relative_energy_error(result, ids), True))
    if "trajectory/multiplier" in result:
        shown.append((result.array("trajectory/multiplier", ids)[..., 0], r"multiplier $\lambda$", False))
    errors = "orbits/constraint_error" in result and len(ids) > 1
    count = len(shown) + errors
    if count == 0:
        return
    axes = layout.column(figure, count, place, apart=errors)
    unit = result.units("trajectory/time")
    if len(ids) > FEW:
        axes[0].legend(*series.bands(), loc="lower right", bbox_to_anchor=(1.02, 0.99), ncol=3, handlelength=1.1,
                       columnspacing=1.1, handletextpad=0.4, borderaxespad=0.1)
    for axis, (values, label, relative) in zip(axes, shown):
        series.panel(axis, t, values, colours, label, percent=relative)
    if shown:
        axes[len(shown) - 1].set_xlabel("time" + (f"  [{unit}]" if unit else ""), labelpad=1)
    if errors:
        axis, values = axes[-1], result.array("orbits/constraint_error")[ids]
        axis.scatter(ids, energy.above_zero(values), s=13, c=colours, linewidths=0)
        axis.set_yscale("log")
        finite = values[np.isfinite(values) & (values > 0)]
        low, high = (finite.min(), finite.max()) if finite.size else (1e-17, 1e-15)
        axis.set_ylim(10.0 ** np.floor(np.log10(low) - 0.3), 10.0 ** np.ceil(np.log10(high) + 0.3))
        axis.set_xlabel("trajectory", labelpad=1)
        length = result.units("surface/vertices")
        axis.yaxis.set_major_locator(matplotlib.ticker.LogLocator(numticks=6))
        axis.set_ylabel(r"max $|g|\ /\ |\nabla g|$" + (f"  [{length}]" if length else ""))
        axis.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    figure.align_ylabels(axes)


class Walk:
    """For movies: trails that grow in width towards the places of the trajectories, paths [orbits, moments, 3]."""

    def __init__(self, axis, result, paths, options, tail):
        self.stage = Stage(axis, result, options)
        self.at, self.visible = self.stage.seen(paths)
        self.tail = tail if len(paths) <= 3 else max(2, 2 * tail // 3)
        self.colours = colours_of(len(paths))
        self.trails = self.stage.curve(paths[0, :2], self.colours[0], 1.0)
        self.dots = [axis.scatter(*self.at[:, 0].T, s=26, c=self.colours, linewidths=0.8, zorder=6, edgecolors="white",
                                  alpha=fade) for fade in (1.0, HIDDEN)]

    def show(self, moment):
        """Sets the picture to a moment."""
        first = max(0, moment - self.tail)
        ends = self.at[:, first:moment + 1]
        count = ends.shape[1] - 1
        segments = np.stack([ends[:, :-1], ends[:, 1:]], 2).reshape(-1, 2, 2)
        seen = (self.visible[:, first:moment] & self.visible[:, first + 1:moment + 1]).reshape(-1)
        widths = np.tile(0.3 + 2.9 * np.linspace(1 - count / self.tail, 1, max(count, 1))[:count], len(ends))
        colours = np.repeat(self.colours, count, 0)
        here = self.visible[:, moment]
        for lines, dots, chosen, shown in zip(self.trails, self.dots, (seen, ~seen), (here, ~here)):
            lines.set_segments(segments[chosen])
            lines.set_color(colours[chosen])
            lines.set_linewidths(widths[chosen])
            dots.set_offsets(np.where(shown[:, None], self.at[:, moment], np.nan))
