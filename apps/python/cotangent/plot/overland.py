# SPDX-License-Identifier: BSD-3-Clause
"""Overland flow: depth and speed of the water over the bed's relief at the last instant stored, the mesh on request
(--mesh); beside them the volume with its ledger, and what leaves and falls, over time. Of several results, what they cost.

The relief is the bed's slope in the light of a sun in the north-west; where the water is shallower than a thousandth of
the scale the ground shows.
"""
import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from . import captions, contours, layout, style
from .result import PlotError

WATER = matplotlib.colors.LinearSegmentedColormap.from_list("water", style.WATER)
SPEED = matplotlib.colormaps["YlOrRd"]
LEDGER = (("rain", 0), ("infiltration", 1), ("inflow", 2), ("outflow", 3), ("clipped", 4))
SLIM = 5  # a domain more oblong than this is drawn to fill its panel, not to scale


def present(result):
    """Whether a file holds water on a mesh."""
    return "water/depth" in result and "mesh/cells" in result


def frames(result):
    """The rows of depths that have been written."""
    rows = result.written("water/time")
    if rows.size == 0:
        raise PlotError(f"{result.path}: no instant of the water yet", 1)
    return rows


class Ground:
    """The mesh of a result, its relief, and water painted over it."""

    def __init__(self, axis, result, options):
        points = result.array("mesh/vertices")
        self.cells = result.array("mesh/cells")
        self.bed = result.array("mesh/bed")
        self.axis = axis
        self.mesh = matplotlib.tri.Triangulation(*points.T, self.cells)
        low, high = points.min(0), points.max(0)
        size = high - low
        slim = max(size) > SLIM * min(size)
        axis.set_aspect("auto" if slim else "equal")
        axis.set_xlim(options.xlim or (low[0], high[0]))
        axis.set_ylim(options.ylim or (low[1], high[1]))
        self._relief(points, size)
        if getattr(options, "mesh", False):
            axis.triplot(self.mesh, color=style.INK, lw=0.15, alpha=0.6, zorder=4)
        unit = result.units("mesh/vertices")
        axis.set_xlabel(style.label("x", unit))
        axis.set_ylabel(style.label("y", unit))
        self.painted = None

    def _relief(self, points, size):
        """Light on the bed, cell by cell."""
        p, b = points[self.cells], self.bed[self.cells]
        e, f = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
        twice = e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]
        rise = np.stack([(f[:, 1] * (b[:, 1] - b[:, 0]) - e[:, 1] * (b[:, 2] - b[:, 0])) / twice,
                         (e[:, 0] * (b[:, 2] - b[:, 0]) - f[:, 0] * (b[:, 1] - b[:, 0])) / twice], 1)
        steep = np.quantile(np.hypot(*rise.T), 0.98) or 1.0
        light = 0.86 + 0.12 * np.clip((rise @ [1, -1]) / (np.sqrt(2) * steep), -1, 1)
        self.axis.tripcolor(self.mesh, facecolors=light, cmap="gray", vmin=0, vmax=1, zorder=1, rasterized=True)
        if np.ptp(self.bed) > 0 and len(self.bed) > 3:
            contours.draw(self.axis, contours.of_mesh(self.axis, self.mesh, self.bed, 8), colors=[style.FAINT], linewidths=0.4,
                          zorder=3)

    def show(self, values, depth, top, colours, wet):
        """Paints the values at the vertices where the water is deeper than `wet`."""
        if self.painted:
            self.painted.remove()
        shown = (depth[self.cells] > wet).any(1)
        mesh = matplotlib.tri.Triangulation(self.mesh.x, self.mesh.y, self.cells, mask=~shown if not shown.all() else None)
        if not shown.any():
            self.painted = None
            return None
        self.painted = self.axis.tripcolor(mesh, values, shading="gouraud", cmap=colours, vmin=0, vmax=top, alpha=0.92,
                                           zorder=2, rasterized=True)
        return self.painted


def speed(depth, discharge, wet):
    """|q| / h where the water is deeper than `wet`, else 0."""
    return np.where(depth > wet, np.hypot(discharge[:, 0], discharge[:, 1]) / np.maximum(depth, wet), 0)


def scale(result, rows):
    """The depth at which the scale of colours ends: but one vertex in 500 is deeper, in a few instants."""
    some = rows[np.unique(np.linspace(0, rows.size - 1, 6).astype(int))]
    return max(float(np.nanquantile(result.array("water/depth", int(row)), 0.998)) for row in some) or 1.0


def draw(results, options):
    """The figure."""
    if len(results) > 1:
        return compared(results, options)
    result = results[0]
    rows = frames(result)
    last = int(rows[-1])
    depth, discharge = result.array("water/depth", last), result.array("water/discharge", last)
    time = float(result.array("water/time", last))
    points = result.array("mesh/vertices")
    size = np.ptp(points, axis=0)
    tall = size[1] > 1.3 * size[0]
    width = options.width or 11.0
    figure = plt.figure(figsize=(width, width * (0.52 if tall else 0.62)), layout="constrained")
    if tall:
        grid = figure.add_gridspec(2, 3, width_ratios=(1, 1, 1.45))
        places = [grid[:, 0], grid[:, 1], grid[0, 2], grid[1, 2]]
    else:
        grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
        places = [grid[0, 0], grid[1, 0], grid[0, 1], grid[1, 1]]
    axes = [figure.add_subplot(place) for place in places]
    top = max(float(np.nanquantile(depth, 0.998)), 1e-300)
    wet = 1e-3 * top
    moving = speed(depth, discharge, 10 * wet)
    fast = float(np.quantile(moving[moving > 0], 0.99)) if (moving > 0).any() else 1.0
    for axis, values, limit, colours, name, quantity in ((axes[0], depth, top, WATER, "depth $h$", "water/depth"),
                                                         (axes[1], moving, fast, SPEED, r"speed $|q|/h$",
                                                          "water/discharge")):
        painted = Ground(axis, result, options).show(values, depth, limit, colours, wet)
        unit = result.units(quantity)
        axis.set_title(f"{name} at $t = {style.number(time)}$", loc="left")
        if painted:
            figure.colorbar(painted, ax=axis, label=name + (f" [{unit}]" if unit else ""), shrink=0.85,
                            location="bottom" if tall else "right")
    series(axes[2], axes[3], result)
    heading = options.title or f"Overland flow  ·  {result.path.stem.replace('_', ' ')}"
    layout.over(figure, heading, *notes(result))
    return figure


def series(upper, lower, result):
    """Volume and ledger; rates of outflow, inflow and rain, and the mean discharge."""
    rows = result.written("water/sample_time")
    t, volume = result.array("water/sample_time")[rows], result.array("water/volume")[rows]
    ledger = result.array("water/ledger")[rows]
    upper.plot(t, volume, color=style.INK, lw=1.8, label="on the land")
    for k, (name, column) in enumerate(LEDGER):
        if np.abs(ledger[:, column]).max() > 0:
            label = "clipped (made by the bound)" if name == "clipped" else name
            upper.plot(t, ledger[:, column], color=style.CATEGORICAL[k], label=label)
    upper.set_ylabel("volume")
    upper.legend(loc="best")
    if np.ptp(volume) <= 1e-9 * volume.max() and np.abs(ledger).max() == 0:
        upper.set_ylim(0, 1.3 * volume.max() or 1)
    upper.set_title(f"balance error {np.nanmax(result.array('water/balance_error')[rows]):.2g}", loc="left")
    lower.set_xlabel(style.label("t", result.units("water/sample_time")))
    middle, rates = (t[1:] + t[:-1]) / 2, np.diff(ledger, axis=0) / np.diff(t)[:, None]
    drawn = False
    for k, (name, column) in enumerate(LEDGER[:4]):
        if rates.size and np.abs(rates[:, column]).max() > 0:
            lower.plot(middle, rates[:, column], color=style.CATEGORICAL[k], label=name)
            drawn = True
    if drawn:
        lower.set_ylabel("volume / time")
        lower.set_title("hydrograph", loc="left")
        lower.set_ylim(min(0.0, 1.06 * rates[:, :4].min()), 1.06 * rates[:, :4].max())  # a constant rate is a level line
        lower.legend(loc="best")
    else:
        lower.plot(t, result.array("water/mean_discharge")[rows], color=style.CATEGORICAL[0])
        lower.set_ylabel(r"mean of $|q|$")
        lower.set_title("discharge, mean over the domain", loc="left")
    for axis in (upper, lower):
        axis.set_xlim(t.min(), t.max() if t.size > 1 else t.min() + 1)


def epsilon_of(result):
    """By which MINI rounds |q| off; None where the deck doesn't say, or has another scheme, whose epsilon is another."""
    method = result.section_of_deck("method")
    return method.get("epsilon") if method.get("name") == "mini" else None


def names(figure, results):
    """What tells results apart: their files, unless but the epsilons differ, and these; in lines that fit beside the panels."""
    alike = len({(result.path.stem, result.section_of_deck("method").get("name")) for result in results}) == 1
    told = []
    for result in results:
        epsilon = epsilon_of(result)
        own = [] if epsilon is None else [rf"$\epsilon = {style.number(epsilon)}$"]
        stem = layout.broken(figure, result.path.stem.replace("_", " "), 1.0, matplotlib.rcParams["legend.fontsize"])
        told.append("\n".join(own if own and alike else [stem, *own]))
    return told


def compared(results, options):
    """Of several results the Newton iterations of a step, and the mean discharge beside the epsilons that round |q| off."""
    figure, axes = layout.stack([2.6, 2.2], options, options.title or "Overland flow  ·  what a step costs",
                                captions.shared([notes(result) for result in results]), right=1.5)
    ends = []
    for result, label, colour in zip(results, names(figure, results), style.distinct(len(results))):
        rows = result.written("water/sample_time")
        t, effort = result.array("water/sample_time")[rows], result.array("water/effort")[rows]
        stepped = np.diff(effort[:, 0], prepend=-1) > 0  # samples may be closer than steps
        steps, iterations, again = effort[stepped, 0], effort[stepped, 1], int(effort[-1, 2])
        ends += [t.min(), t.max()]
        epsilon = epsilon_of(result)
        label += f"\n{int(iterations[-1])} iterations" + (f",\n{style.plural(again, 'step')} again" if again else "")
        axes[0].stairs(np.diff(iterations) / np.diff(steps), t[stepped], baseline=None, color=colour, label=label)
        axes[1].plot(t, result.array("water/mean_discharge")[rows], color=colour)
        if epsilon is not None:
            axes[1].axhline(epsilon, color=colour, lw=0.9, ls="--")
    axes[0].set_yscale("log")
    axes[0].set_ylabel("iterations of a step")
    axes[0].legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), labelspacing=0.9, handlelength=1.2)
    axes[1].set_yscale("log")
    dashed = any(epsilon_of(result) is not None for result in results)
    axes[1].set_ylabel("mean of $|q|$" + (r"; dashed: $\epsilon$" if dashed else ""))
    axes[1].set_xlabel(style.label("t", results[0].units("water/sample_time")))
    for axis in axes:
        axis.set_xlim(options.xlim or (min(ends), max(ends)))
    return figure


def notes(result):
    """Scheme, friction, cells."""
    method, friction = result.section_of_deck("method"), result.section_of_deck("friction")
    parts = [{"mini": "MINI element", "rt0": "Raviart-Thomas elements", "conservative": "conservative finite volumes"}.get(method.get("name"), "")]
    parts.append(str(friction.get("law", "")).replace("darcy-weisbach", "Darcy–Weisbach").replace("manning", "Manning"))
    parts.append(style.plural(result.array("mesh/cells").shape[0], "cell"))
    return parts


class Film:
    """The water of a result at the times `at`, linear between the instants stored."""

    def __init__(self, axis, result, options, at):
        self.rows = frames(result)
        self.t, self.at, self.result = result.array("water/time")[self.rows], at, result
        self.top = scale(result, self.rows)
        self.ground = Ground(axis, result, options)
        bar = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, self.top), WATER)
        axis.figure.colorbar(bar, ax=axis, label=style.label("h", result.units("water/depth")), shrink=0.8)

    def show(self, moment):
        """Sets the picture to a moment."""
        time = np.clip(self.at[moment], self.t[0], self.t[-1])
        i = min(int(np.searchsorted(self.t, time, "right")), self.t.size - 1)
        s = (time - self.t[i - 1]) / (self.t[i] - self.t[i - 1])
        before, after = (self.result.array("water/depth", int(row)) for row in self.rows[[i - 1, i]])
        depth = (1 - s) * before + s * after
        self.ground.show(depth, depth, self.top, WATER, 1e-3 * self.top)
