# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories on a surface: the surface shaded, with the curves on it where they can be seen, and beside it the
energy, the multiplier and how far off the surface the trajectories are.

Of many long curves the beginning is drawn, as long as they cover less than a part of the surface. Curves grow in
width with time. A thin trace is left of what the surface hides.
"""
import matplotlib
import numpy as np

from . import captions, layout, scene, style
from .trajectories import envelope

COVERED = 0.2  # the part of the surface that curves may cover
WIDTHS = (0.5, 1.7)  # of a curve, at its beginning and its end, in points
HIDDEN = 0.13  # the opacity of what is hidden
FEW = 4  # trajectories that are told apart in the panels
BANDS = ("#cfd6e4", "#8c9fbf")


def present(result):
    """Whether a file holds trajectories on a surface, and the surface."""
    return ("surface/triangles" in result and "trajectory/q" in result
            and result.file["trajectory/q"].shape[-1] == 3)


class Stage:
    """Axes in which a surface stands, and curves can be drawn on it. Without a surface in the file, the box of `places`
    [.., 3] is seen, where nothing is hidden."""

    def __init__(self, axis, result, options, places=None):
        solid = "surface/triangles" in result
        vertices = result.array("surface/vertices") if solid else places.reshape(-1, 3)
        self.axis, self.picture = axis, None
        low, high = vertices.min(0), vertices.max(0)
        self.view = scene.View(low, high, *(options.view or ()))
        axis.set_aspect("equal")
        axis.set_axis_off()
        frame = self._frame(low, high, result.units("surface/vertices") or result.units("particles/position"))
        seen = np.concatenate([self.view.project(vertices)[:, :2], frame])
        (u0, v0), (u1, v1) = seen.min(0), seen.max(0)
        axis.set_xlim(u0 - 0.13, u1 + 0.02)
        axis.set_ylim(v0 - 0.12, v1 + 0.02)
        axis.apply_aspect()
        if not solid:
            return
        pixel = np.ptp(axis.get_xlim()) / (2 * layout.pixels(axis)[0])
        triangles = result.array("surface/triangles")
        if result.study == "billiard":  # only walls seen from inside: one looks into what they enclose
            a, b, c = (self.view.project(vertices)[triangles[:, k], :2] for k in range(3))
            triangles = triangles[np.cross(b - a, c - a) > 0]
        self.picture = scene.Picture(self.view, vertices, result.array("surface/normals"), triangles, pixel)
        image = scene.halved(self.picture.image())
        extent = self.picture.extent
        axis.imshow(image, extent=(extent[0], extent[0] + 2 * pixel * image.shape[1],
                                   extent[2], extent[2] + 2 * pixel * image.shape[0]),
                    origin="lower", interpolation="antialiased", zorder=2, aspect="equal")
        axis.set_xlim(u0 - 0.13, u1 + 0.02)
        axis.set_ylim(v0 - 0.12, v1 + 0.02)

    def _frame(self, low, high, unit):
        """A floor below the surface with scales along its near edges, and one upright; its corners."""
        gap = 0.10 * self.view.scale
        floor = low[2] - gap
        x0, y0, x1, y1 = low[0] - gap, low[1] - gap, high[0] + gap, high[1] + gap
        corners = np.array([[x0, y0, floor], [x1, y0, floor], [x1, y1, floor], [x0, y1, floor]])
        seen = self.view.project(corners)
        near = int(seen[:, 2].argmin())
        ring = np.vstack([seen, seen[:1]])
        self.axis.fill(*ring[:, :2].T, facecolor="#f4f4f2", edgecolor="none", zorder=0)
        middle = self.view.project(corners.mean(0))[:2]

        def scale(start, end, which, outward):
            ends = self.view.project(np.stack([start, end]))[:, :2]
            self.axis.plot(*ends.T, color=style.FAINT, lw=0.7, zorder=1)
            room = int(np.clip(np.linalg.norm(ends[1] - ends[0]) / 0.05, 1, 4))
            ticks = matplotlib.ticker.MaxNLocator(room, steps=[1, 2, 2.5, 5, 10]).tick_values(start[which], end[which])
            lower, upper = sorted((start[which], end[which]))
            for tick in ticks[(ticks >= lower - 1e-9) & (ticks <= upper + 1e-9)]:
                place = start.copy()
                place[which] = tick
                at = self.view.project(place)[:2]
                self.axis.plot(*np.stack([at, at + 0.018 * outward]).T, color=style.FAINT, lw=0.7, zorder=1)
                self.axis.text(*(at + 0.055 * outward), f"${tick:g}$", size=9.5, ha="center", va="center",
                               color=style.FAINT)
            self.axis.text(*(ends.mean(0) + 0.125 * outward), style.label("xyz"[which], unit), size=13, ha="center",
                           va="center")

        for other in ((near + 1) % 4, (near - 1) % 4):
            start, end = corners[near], corners[other]
            ends = self.view.project(np.stack([start, end]))[:, :2]
            across = np.array([ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0]])
            across /= np.linalg.norm(across)
            outward = across if across @ (ends.mean(0) - middle) > 0 else -across
            scale(start, end, int(np.argmax(np.abs(end - start))), outward)
            far_side = corners[(near + 2) % 4]
            self.axis.plot(*self.view.project(np.stack([end, far_side]))[:, :2].T, color=style.FAINT, lw=0.35, zorder=1)
        left = int(seen[:, 0].argmin())
        foot = corners[left]
        top = np.array([foot[0], foot[1], high[2]])
        base = np.array([foot[0], foot[1], floor])
        scale(base, top, 2, np.array([-1.0, 0.0]))
        return np.concatenate([seen[:, :2], self.view.project(top)[None, :2]])

    def curve(self, places, colours, widths, zorder=3):
        """(visible, hidden) collections of the segments between places [n, 3]."""
        made = []
        for z, fade, ends in ((zorder + 1, 1.0, "round"), (zorder, HIDDEN, "butt")):  # round ends would add up
            lines = matplotlib.collections.LineCollection([], zorder=z, capstyle=ends, alpha=fade)
            made.append(self.axis.add_collection(lines, autolim=False))
        self.set_curve(made, *self.seen(places), colours, widths)
        return made

    def seen(self, places):
        """(u, v) of places, and whether they are visible."""
        at = self.view.project(places)[..., :2]
        return at, self.picture.visible(places) if self.picture else np.isfinite(at).all(-1)

    @staticmethod
    def set_curve(collections, at, visible, colours, widths):
        """Sets both collections to the curve through `at` [n, 2]; a colour and a width for each segment."""
        segments = np.stack([at[:-1], at[1:]], 1)
        both = visible[:-1] & visible[1:]
        colours = np.broadcast_to(colours, (len(segments), 3))
        for lines, chosen in zip(collections, (both, ~both)):
            lines.set_segments(segments[chosen])
            lines.set_color(colours[chosen])
            lines.set_linewidths(np.broadcast_to(widths, len(segments))[chosen])


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
    energy = result.array("trajectory/energy")[ids]
    error = energy - energy[:, :1]
    mass = result.parameters().get("mass")
    if mass is None or "trajectory/v" not in result:
        return error, "$E - E_0$"
    kinetic = 0.5 * mass * (result.array("trajectory/v")[ids] ** 2).sum(2)
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
    series = []
    if "trajectory/energy" in result:
        series.append((*relative_energy_error(result, ids), True))
    if "trajectory/multiplier" in result:
        series.append((result.array("trajectory/multiplier")[ids][..., 0], r"multiplier $\lambda$", False))
    errors = "orbits/constraint_error" in result and len(ids) > 1
    count = len(series) + errors
    if count == 0:
        return
    axes = layout.column(figure, count, place, apart=errors)
    unit = result.units("trajectory/time")
    if len(ids) > FEW:
        axes[0].legend(*_bands(), loc="lower right", bbox_to_anchor=(1.02, 0.99), ncol=3, handlelength=1.1,
                       columnspacing=1.1, handletextpad=0.4, borderaxespad=0.1)
    for axis, (values, label, relative) in zip(axes, series):
        series_panel(axis, t, values, colours, label, percent=relative)
    if series:
        axes[len(series) - 1].set_xlabel("time" + (f"  [{unit}]" if unit else ""), labelpad=1)
    if errors:
        axis, values = axes[-1], result.array("orbits/constraint_error")[ids]
        axis.scatter(ids, np.maximum(values, 1e-17), s=13, c=colours, linewidths=0)
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


def _bands():
    """Handles and names for a legend of what series_panel draws of many trajectories."""
    patch, line = matplotlib.patches.Patch, matplotlib.lines.Line2D
    return ([line([], [], color=style.INK, lw=1), patch(color=BANDS[1]), patch(color=BANDS[0])],
            ["median", "middle 80 %", "all"])


def series_panel(axis, t, values, colours, label, unit="", percent=False):
    """Few curves as they are; many as the bands that hold all of them and the middle four fifths, and their median.
    A power of ten that all have in common goes to the label; percent: a hundredth is written so."""
    size = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 1.0
    exponent = int(np.floor(np.log10(size))) if size > 0 else 0
    exponent = -2 if percent and exponent in (-3, -2) else exponent if exponent < -1 or exponent > 3 else 0
    values = values / 10.0 ** exponent
    if exponent:
        unit = "%" if percent and exponent == -2 else rf"$10^{{{exponent}}}$ {unit}".rstrip()
    if len(values) <= FEW:
        for row, colour in zip(values, colours):
            axis.plot(*envelope(t, row), lw=0.9, color=colour)
    else:
        low, tenth, median, ninth, high = np.nanquantile(values, [0, 0.1, 0.5, 0.9, 1], axis=0)
        axis.fill_between(t, low, high, color=BANDS[0], lw=0)
        axis.fill_between(t, tenth, ninth, color=BANDS[1], lw=0)
        axis.plot(t, median, color=style.INK, lw=0.8)
    axis.set_xlim(t[0], t[-1])
    axis.set_ylabel(label + (f"  [{unit}]" if unit else ""))


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
