# SPDX-License-Identifier: BSD-3-Clause
"""A place in space on the page: axes in which a surface stands shaded, with curves and points that it can hide."""
import matplotlib
import numpy as np

from . import layout, scene, style

HIDDEN = 0.13  # the opacity of what is hidden


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
