# SPDX-License-Identifier: BSD-3-Clause
"""What a surface or a pair potential is, drawn from its own statement: the numbers are those of `cotangent --statement`.

A surface: its cut with the plane z = 0. Colours within, where g < 0, are even in the root of g above its least value: of a
curve f = 0 inflated, g = f^2 + z^2 - r^2, that is |f|, and the curve is the darkest. Beyond, level lines of g.

Potentials: U over the distance r, at most as high above zero as three times the well's depth where U has no end at r = 0.
"""
import numpy as np

from ..errors import Error
from ..program import ask
from . import contours, layout, style
from .result import PlotError


def read(name):
    """(what it is, {parameter: value}, names of the columns, values [rows, columns])"""
    try:
        lines = ask("--statement", name).splitlines()
    except Error as error:
        raise PlotError(str(error), error.code or 2) from error
    said = [line[2:] for line in lines if line.startswith("#")]
    columns, *rows = [line.split(",") for line in lines if not line.startswith("#")]
    values = dict(line.split(" = ") for line in said[1:])
    return said[0].partition(": ")[2], {key: float(value) for key, value in values.items()}, columns, np.array(rows, float)


def draw(names, options):
    """The figure of surfaces, or of potentials."""
    found = [read(name) for name in names]
    kinds = {tuple(columns) for _, _, columns, _ in found}
    if len(kinds) > 1:
        raise PlotError("--statement: surfaces and potentials don't go into one picture")
    return (potentials if kinds == {("r", "U")} else surfaces)(names, found, options)


def _parameters(values, skip=()):
    """Without units: of a potential all, of a surface those of its shape."""
    return ",  ".join(f"${style.symbol(key)} = {style.number(value)}$" for key, value in values.items() if key not in skip)


def surfaces(names, found, options):
    """A panel for each, all to one scale."""
    reach = options.xlim or (min(rows[:, 0].min() for *_, rows in found), max(rows[:, 0].max() for *_, rows in found))
    heading = options.title or (found[0][0] if len(found) == 1 else "Surfaces $g = 0$")
    figure, axes = layout.grid(len(found), options, heading, ["cut by the plane $z = 0$", "coloured within, $g < 0$, darkest where $g$ is least", "lines: $g = 0$ and levels beyond"],
                               aspect=1.0, panel_titles=True)
    for axis, name, (_, values, _, rows) in zip(axes, names, found):
        side = round(len(rows) ** 0.5)
        x, y, g = (column.reshape(side, side) for column in rows.T)
        depth = -g.min()
        bands = depth * (np.linspace(0, 1, 13) ** 2 - 1)
        axis.set_xlim(reach)
        axis.set_ylim(options.ylim or reach)
        contours.fill(axis, x, y, g, bands, style.height_map()(np.linspace(0, 1, len(bands) - 1)))
        surface, *beyond = contours.of_grid(x, y, g, [0.0, *depth * 4.0 ** np.arange(8)])
        contours.draw(axis, beyond, taken=surface, colors=[style.FAINT], linewidths=0.5)
        contours.draw(axis, [surface], colors=[style.INK], linewidths=1.3)
        axis.set_title(f"{name}:  {_parameters(values, ('mass', 'gravity'))}", loc="left", pad=4, size=10)
    left, bottom = layout.outer(axes, layout.columns_for(len(axes)))
    for axis in left:
        axis.set_ylabel("$y$")
    for axis in bottom:
        axis.set_xlabel("$x$")
    return figure


def potentials(names, found, options):
    """All in one panel."""
    figure, (axis,) = layout.stack([3.6], options, options.title or (found[0][0] if len(found) == 1 else "Pair potentials"),
                                   [], legend=True)
    low, high = 0.0, 0.0
    for name, (_, values, _, rows), colour in zip(names, found, style.distinct(len(found))):
        r, u = rows.T
        axis.plot(r, u, color=colour, lw=1.4, label=f"{name}:  {_parameters(values)}")
        low = min(low, u.min())
        high = max(high, u[0] if r[0] == 0 else 3 * abs(u.min()) if u.min() < 0 else np.median(u) * 10)
    axis.axhline(0, color=style.FAINT, lw=0.5, zorder=0)
    margin = 0.06 * (high - low)
    axis.set_xlim(options.xlim or (0, max(rows[-1, 0] for *_, rows in found)))
    axis.set_ylim(options.ylim or (low - margin, high + margin))
    axis.set_xlabel("distance  $r$")
    axis.set_ylabel("potential  $U$")
    axis.legend(loc="upper right")
    return figure
