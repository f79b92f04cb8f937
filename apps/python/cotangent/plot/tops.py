# SPDX-License-Identifier: BSD-3-Clause
"""Tops, whose coordinates are the nine entries of a rotation matrix: the body's third axis on the unit sphere, a
sphere for each top, and below Euler's angles (phi, theta, psi) of Landau and Lifshitz, Mechanics, 35: theta leans the axis away
from the vertical, phi turns it about the vertical, psi turns the body about it. phi and psi aren't defined where the
axis is vertical, and count whole turns elsewhere.
"""
import numpy as np

from . import captions, layout, scene, style
from .series import envelope

MATRIX = [f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
MOST = 12  # spheres
HIDDEN = 0.25
ANGLES = ("theta", "phi", "psi")


def present(result):
    """Whether the coordinates are such a matrix."""
    return result.coordinates() == MATRIX


def axis_of(q):
    """Where the body's third axis points in space, [.., 3]."""
    return q[..., [2, 5, 8]]


def euler_angles(q):
    """(theta, phi, psi), each [tops, samples], of matrices [tops, samples, 9]; NaN where one isn't defined."""
    lean = np.hypot(q[..., 2], q[..., 5])
    theta = np.arctan2(lean, q[..., 8])
    turned = []
    for sine, cosine in ((q[..., 2], -q[..., 5]), (q[..., 6], q[..., 7])):
        angle = np.full(sine.shape, np.nan)
        for row in range(len(angle)):
            good = np.flatnonzero(lean[row] > 1e-9)
            angle[row, good] = np.unwrap(np.arctan2(sine[row, good], cosine[row, good]))
        turned.append(angle)
    return theta, *turned


def sphere(axis, view):
    """The unit sphere with its meridians and parallels; it hides what `shown` says is behind."""
    turn = np.linspace(0, 2 * np.pi, 181)
    axis.fill(np.cos(turn), np.sin(turn), color="#f1f1ee", lw=0, zorder=0)
    axis.plot(np.cos(turn), np.sin(turn), color=style.FAINT, lw=0.6, zorder=1)
    circles = [(np.cos(b) * np.cos(turn), np.cos(b) * np.sin(turn), np.full_like(turn, np.sin(b)))
               for b in np.radians([-60, -30, 0, 30, 60])]
    circles += [(np.cos(turn) * np.cos(b), np.cos(turn) * np.sin(b), np.sin(turn))
                for b in np.radians(range(0, 180, 30))]
    for places in circles:
        curve(axis, view, np.stack(places, -1), "#b9b9bd", 0.35, 1, hidden=0)
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.set_xlim(-1.06, 1.06)
    axis.set_ylim(-1.06, 1.06)


def curve(axis, view, places, colour, width, zorder, hidden=HIDDEN):
    """A curve on the sphere, seen from far away: what lies behind is faint, or left out."""
    at = view.turned(places)
    front = at[:, 2] >= 0
    for chosen, fade in ((front, 1.0), (~front, hidden)):
        if fade:
            shown = np.where(chosen[:, None], at[:, :2], np.nan)
            axis.plot(*shown.T, color=colour, lw=width, alpha=fade, zorder=zorder)


def draw(result, ids, t, q, energy, options):
    """The figure."""
    ids, t, q = ids[:MOST], t[:MOST], q[:MOST]
    total = result.file["trajectory/q"].shape[0]
    notes = [*captions.constants(result, ids),
             f"{len(ids)} of {total} tops" if len(ids) < total else style.plural(total, "top"),
             "the axis of each on the sphere, from its start", captions.method(result)]
    strips = [1.15] * len(ANGLES) + ([1.0] if energy is not None else [])
    figure, axes = layout.grid(len(ids), options, options.title or captions.model(result), notes, aspect=0.97,
                               columns=min(3, len(ids)) if len(ids) < 7 else 4, gap=(0.16, 0.16), panel_titles=True,
                               strips=strips)
    view = scene.View(np.full(3, -1.0), np.full(3, 1.0), *(options.view or (-62.0, 30.0)))
    colours = style.distinct(len(ids))
    span = options.xlim or (np.nanmin(t), np.nanmax(t))
    for row, (panel, colour) in enumerate(zip(axes, colours)):
        sphere(panel, view)
        seen = np.isfinite(q[row]).all(-1) & (t[row] >= span[0]) & (t[row] <= span[1])
        places = axis_of(q[row][seen])
        curve(panel, view, places, colour, 0.8, 3)
        panel.plot(*view.turned(places[:1])[:, :2].T, "o", ms=4, color=colour, mec="white", mew=0.6, zorder=4)
        if total > 1:
            panel.set_title(f"{ids[row]}", loc="left", pad=-8, color=colour)
    strips = axes[len(ids):]
    for axis, name, values in zip(strips, ANGLES, euler_angles(q)):
        unit = np.pi if name == "theta" else 2 * np.pi  # whole turns are easier to read
        for row, colour in enumerate(colours):
            axis.plot(*envelope(t[row], values[row] / unit), lw=0.8, color=colour)
        axis.set_ylabel(rf"$\{name}\ /\ {'' if name == 'theta' else '2'}\pi$")
        axis.set_xlim(span)
    return figure, strips[len(ANGLES):], colours, span
