# SPDX-License-Identifier: BSD-3-Clause
"""Points joined by rods, free or held on a surface: their shapes over time, and how well energy and lengths were kept.

On a surface fewer shapes are drawn, and what it hides is not. Of many molecules only the last shapes are, each in a
colour of its own.
"""
import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from . import style
from .result import PlotError
from .space import Stage

SHAPES = 24  # as many as can be told apart
HELD = 7  # the same on a surface, where they cross


def molecules(ends, points):
    """For each point the number of the molecule, of those that hang together by rods, that it belongs to."""
    label = np.arange(points)
    while True:
        least = label[ends].min(axis=1)
        following = label.copy()
        for end in ends.T:
            np.minimum.at(following, end, least)
            np.minimum.at(following, label[end], least)
        following = following[following]
        if (following == label).all():
            return np.unique(label, return_inverse=True)[1]
        label = following


def draw(results, options):
    """Shapes on the left, coloured by time, or by molecule; energy and constraint errors on the right."""
    result = results[0]
    good = result.written("particles/time")
    if good.size < 2:
        raise PlotError(f"{result.path}: no sample of the motion yet", 1)
    time = result.array("particles/time")[good]
    ends = result.array("particles/ends")
    held = "surface/vertices" in result
    belongs = molecules(ends, result.file["particles/mass"].size)
    many = belongs.max() > 0
    chosen = good[-1:] if many else good[np.unique(np.linspace(0, good.size - 1, HELD if held else SHAPES).round().astype(int))]
    position = result.file["particles/position"]
    first, last = (0, 1) if position.shape[2] == 2 else (0, 2)

    figure, axes = plt.subplot_mosaic([["shape", "energy"], ["shape", "length"]], layout="constrained",
                                      figsize=(options.width or 10, 0.5 * (options.width or 10)),
                                      width_ratios=[1.15, 1])
    shape = axes["shape"]
    colours = matplotlib.colormaps[style.SEQUENTIAL]
    scale = matplotlib.colors.Normalize(*((0, belongs.max()) if many else (time[0], time[-1])))
    fixed = np.isinf(result.array("particles/mass"))
    stage = Stage(shape, result, options, position[good[0]]) if held else None
    for row in chosen:
        points, seen = stage.seen(position[row]) if held else (position[row][:, [first, last]], np.ones(len(fixed), bool))
        shown = ends[seen[ends].all(axis=1)]
        by = belongs[shown[:, 0]] if many else [time[row - good[0]]]
        shape.add_collection(LineCollection(points[shown], linewidths=1.6 if held or many else 0.9,
                                            colors=colours(scale(by)), zorder=5 if held else 2))
    if held:
        points, seen = stage.seen(position[good[0]])
        shape.plot(*points[fixed & seen].T, "o", color=style.INK, markersize=4, zorder=6)
    else:
        shape.plot(*position[good[0]][fixed][:, [first, last]].T, "o", color=style.INK, markersize=4, zorder=3)
        shape.set_aspect("equal")
        shape.autoscale()
        shape.set_xlabel("$x$")
        shape.set_ylabel("$y$" if last == 1 else "$z$")
        if options.xlim:
            shape.set_xlim(options.xlim)
        if options.ylim:
            shape.set_ylim(options.ylim)
    figure.colorbar(matplotlib.cm.ScalarMappable(scale, colours), ax=shape, label="molecule" if many else "$t$", shrink=0.8, pad=0.02)
    rods, at = style.plural(len(ends), "rod"), style.number(float(f"{time[-1]:.6g}"))
    what = f"{rods} in {belongs.max() + 1} molecules, $t = {at}$" if many else f"{rods}, shapes over time"
    shape.set_title(options.title or what)

    energy = result.array("particles/energy")[good]
    for column, name in enumerate(("kinetic", "potential")):
        axes["energy"].plot(time, energy[:, column], label=name)
    twin = axes["energy"].twinx()
    twin.plot(time, energy[:, 2] - energy[0, 2], color=style.INK, linewidth=0.8)
    twin.set_ylabel("$E - E_0$ (black)")
    twin.tick_params(right=True, which="both")
    axes["energy"].tick_params(right=False, which="both")
    axes["energy"].set_ylabel("energy")
    axes["energy"].legend(loc="best")
    axes["energy"].tick_params(labelbottom=False)
    error = result.array("particles/constraint_error")[good]
    axes["length"].semilogy(time, np.where(error > 0, error, np.nan), ".", markersize=3)
    axes["length"].set_ylabel(r"$|g| / |\nabla g|$")
    axes["length"].set_xlabel("$t$")
    return figure
