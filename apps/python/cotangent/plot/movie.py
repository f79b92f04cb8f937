# SPDX-License-Identifier: BSD-3-Clause
"""Movies of sampled trajectories: on their surface, as a mechanism that is known, or else in the (q1, q2) plane; and of
particles on their surface.

Between samples the cubic through q and v is followed, so frames need not fall on samples. MP4 through ffmpeg,
GIF through Pillow.
"""
import shutil
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import animation

from . import billiards, captions, models, overland, particles, style, surfaces
from .choices import moves, of_particles
from .result import PlotError, nearest
from .trajectories import chosen, times

TAIL_SECONDS, FINE = 1.4, 4  # the tails are drawn through this many times more points than there are frames
MOST = {"magnetic-chain": 1, "elastic-pendulum": 12}


def followed(t, q, v, at):
    """q at the times `at` [moments, N] along the cubic Hermite interpolant; beyond the last good sample, that one."""
    good = np.isfinite(t) & np.isfinite(q).all(1)
    t, q = t[good], q[good]
    v = np.gradient(q, t, axis=0) if v is None else v[good]
    at = np.clip(at, t[0], t[-1])
    i = np.clip(np.searchsorted(t, at, "right") - 1, 0, len(t) - 2)
    h = (t[i + 1] - t[i])[:, None]
    return cubic((at - t[i])[:, None] / h, h, (q[i], q[i + 1]), (v[i], v[i + 1]))


def cubic(s, h, q, v):
    """The place at the part s of a stretch of length h with places q and velocities v at both ends."""
    return ((1 + 2 * s) * (1 - s) ** 2 * q[0] + s * (1 - s) ** 2 * h * v[0]
            + s * s * (3 - 2 * s) * q[1] + s * s * (s - 1) * h * v[1])


class Procession:
    """The particles of a result at the times `at`."""

    def __init__(self, axis, result, options, at):
        self.rows = particles.frames(result)
        self.t, self.at, self.result = result.array("particles/time")[self.rows], at, result
        some = self.rows[np.unique(np.linspace(0, self.rows.size - 1, 8).astype(int))]
        self.swarm = particles.Swarm(axis, result, options, max(particles.fast(self._of("velocity", k)) for k in some),
                                     oversampling=1)
        self.swarm.bar(result.units("particles/velocity"))

    def _of(self, name, row):
        return self.result.array(f"particles/{name}", int(row))

    def show(self, moment):
        """Sets the picture to a moment."""
        time = np.clip(self.at[moment], self.t[0], self.t[-1])
        i = min(int(np.searchsorted(self.t, time, "right")), self.t.size - 1)
        ends, h = self.rows[[i - 1, i]], self.t[i] - self.t[i - 1]
        q, v = ([self._of(name, row) for row in ends] for name in ("position", "velocity"))
        s = (time - self.t[i - 1]) / h
        self.swarm.show(cubic(s, h, q, v), (1 - s) * particles.speed(v[0]) + s * particles.speed(v[1]))


class Scene:
    """What moves: made once, then set to each moment. `path` [orbits, moments, 2] leaves the fading tails."""

    def __init__(self, axis, path, colours, tail):
        self.path, self.tail = path, tail if len(path) <= 3 else tail // 2
        self.tails = [axis.add_collection(matplotlib.collections.LineCollection([], linewidths=1.6, zorder=2,
                                                                                capstyle="round")) for _ in path]
        self.colours = colours

    def show(self, moment):
        """Sets the picture to a moment."""
        first = max(0, moment - self.tail)
        for lines, path, colour in zip(self.tails, self.path, self.colours):
            points = path[first:moment + 1]
            fade = np.linspace(0, 1, max(len(points) - 1, 0)) ** 1.5
            lines.set_segments(np.stack([points[:-1], points[1:]], 1))
            lines.set_color([(*colour, 0.85 * a) for a in fade])


class Linkage(Scene):
    """Rods from joint to joint, with bobs; joints [orbits, moments, number, 2]."""

    def __init__(self, axis, joints, colours, tail, spring=False):
        super().__init__(axis, joints[:, :, -1], colours, tail)
        self.joints, self.spring = joints, spring
        many = len(joints) > 3
        self.rods = [axis.plot([], [], color=style.INK if not many else colour, lw=2.0 if not many else 1.1, zorder=3,
                               alpha=1 if not many else 0.8, solid_joinstyle="round")[0] for colour in colours]
        self.bobs = [axis.plot([], [], "o", color=colour, markersize=13 if not many else 7, markeredgecolor="white",
                               markeredgewidth=0.8, zorder=4)[0] for colour in colours]
        axis.plot(0, 0, "o", color=style.INK, markersize=5, zorder=5)

    def show(self, moment):
        super().show(moment)
        for rod, bob, joints in zip(self.rods, self.bobs, self.joints[:, moment]):
            rod.set_data(*(coil(*joints[:2]) if self.spring else joints).T)
            bob.set_data(*joints[1:].T)


class Balls(Scene):
    """Balls of diameter 1 with the arrow of the magnetic moment."""

    def __init__(self, axis, centres, moments, colours, tail):
        super().__init__(axis, centres[:, :, -1], colours, tail)
        self.centres, self.moments = centres[0], moments[0]
        self.discs = [axis.add_patch(matplotlib.patches.Circle((0, 0), 0.5, facecolor="#dfe5ec", edgecolor=style.INK,
                                                               linewidth=1.2, zorder=3)) for _ in range(3)]
        self.arrows = axis.quiver(np.zeros(3), np.zeros(3), np.ones(3), np.ones(3), color=colours[0], pivot="middle",
                                  angles="xy", scale_units="xy", scale=1.4, width=0.012, zorder=4)
        axis.axhline(-0.5, color=style.FAINT, lw=0.8, zorder=1)

    def show(self, moment):
        super().show(moment)
        for disc, centre in zip(self.discs, self.centres[moment]):
            disc.center = centre
        self.arrows.set_offsets(self.centres[moment])
        self.arrows.set_UVC(*self.moments[moment].T)


class Trace(Scene):
    """Points in a plane, their whole paths faint behind them."""

    def __init__(self, axis, path, colours, tail, centre):
        super().__init__(axis, path, colours, tail)
        for line, colour in zip(path, colours):
            axis.plot(*line.T, color=colour, lw=0.5, alpha=0.25, zorder=1)
        self.points = [axis.plot([], [], "o", color=colour, markersize=8, markeredgecolor="white", zorder=4)[0]
                       for colour in colours]
        if centre:
            axis.plot(0, 0, "o", color=style.CATEGORICAL[4], markersize=14, markeredgecolor=style.INK, zorder=3)

    def show(self, moment):
        super().show(moment)
        for point, path in zip(self.points, self.path):
            point.set_data(*path[moment][:, None])


def coil(start, end, turns=9, radius=0.045):
    """The zigzag of a spring from start to end."""
    along = end - start
    length = max(float(np.hypot(*along)), 1e-12)
    across = np.array([-along[1], along[0]]) / length
    s = np.linspace(0, 1, 4 * turns + 1)
    swing = np.where((s > 0.12) & (s < 0.88), radius * np.sin(2 * np.pi * turns * s), 0.0)
    return start + s[:, None] * along + swing[:, None] * across


def write(result, path, options):
    """Writes the movie."""
    if path.suffix.lower() == ".mp4" and not shutil.which("ffmpeg"):
        raise PlotError(f"{path}: ffmpeg is missing: apt install ffmpeg, or give a name that ends in .gif")
    if "particles/position" in result and not moves(result):
        raise PlotError(f"{result.path}: there are no movies of points that rods join, or that lie in a plane; --html shows their motion")
    frames = max(2, round(options.duration * options.fps))
    swarm, water = of_particles(result), overland.present(result)
    solid = swarm or surfaces.present(result)
    gas = billiards.present(result)
    ids = [] if swarm or water else chosen(result, options, 5000 if gas else MOST.get(result.model, 40))
    if water:
        t = result.array("water/time")[None, overland.frames(result)]
    else:
        t = result.array("particles/time")[None, particles.frames(result)] if swarm else times(result, ids)
    if t.shape[1] < 2:
        raise PlotError(f"{result.path}: a movie needs at least two samples")
    span = options.xlim or (np.nanmin(t), np.nanmax(t))
    fine = 1 if swarm or water else int(np.clip(t.shape[1] // frames, FINE, 32)) if solid else FINE
    at = np.linspace(*span, (frames - 1) * fine + 1)

    width, height = (9.6, 5.4) if solid else (6.4, 7.1)
    figure = plt.figure(figsize=(width, height), dpi=options.dpi if options.dpi < 200 else 120)
    axis = figure.add_axes((0.02, 0.01, 0.96, 0.87) if solid else (0.11, 0.075, 0.86, 0.86 * 6.4 / 7.1))
    if swarm:
        scene = Procession(axis, result, options, at)
    elif water:
        scene = overland.Film(axis, result, options, at)
    elif gas:
        scene = billiards.Swarm(axis, result, ids, at, (span[1] - span[0]) / 40)
    else:
        q = result.array("trajectory/q", ids)
        v = result.array("trajectory/v", ids) if "trajectory/v" in result else [None] * len(ids)
        q = np.stack([followed(t[k], q[k], v[k], at) for k in range(len(ids))])
        scene = _scene(axis, result, q, options, max(2, round(TAIL_SECONDS * options.fps)) * fine)
    edge = 0.025 if solid else 0.11
    heading = "Overland flow" if water else captions.model(result, "Particles" if swarm or gas else "Particle")
    figure.text(edge, 0.975, options.title or heading, size=16, va="top")
    notes = overland.notes(result) if water else particles.said(result) if swarm else [billiards.notes(result)] if gas else captions.constants(result, ids)[:6]
    figure.text(edge, 0.905 if solid else 0.925, "  ·  ".join(filter(None, notes)), size=10.5, va="top",
                color=style.FAINT)
    unit = result.units("water/time" if water else "particles/time" if swarm else "trajectory/time")
    clock = figure.text(0.97, 0.975, "", size=13, va="top", ha="right")
    decimals = int(np.clip(1 - np.floor(np.log10((span[1] - span[0]) / 20)), 0, 4))

    writer = (animation.FFMpegWriter(options.fps, codec="h264", extra_args=["-crf", "20", "-pix_fmt", "yuv420p", "-vf",
                                                                            "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
              if path.suffix.lower() == ".mp4" else animation.PillowWriter(options.fps))
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    progress = sys.stderr.isatty()
    try:
        with writer.saving(figure, str(part), figure.dpi):
            for frame in range(frames):
                scene.show(frame * fine)
                clock.set_text(f"time {at[frame * fine]:.{decimals}f} {unit}".rstrip())
                writer.grab_frame()
                if progress and frame % 10 == 0:
                    print(f"\rmovie {100 * frame // frames} %", end="\r", file=sys.stderr)
        part.replace(path)
    except OSError as error:
        raise PlotError(f"{path}: cannot be written: {error.strerror or error}", 3) from error
    finally:
        part.unlink(missing_ok=True)
        plt.close(figure)


def _scene(axis, result, q, options, tail):
    """The scene that fits the model, in axes with equal scales where it is a place in space."""
    if surfaces.present(result):
        return surfaces.Walk(axis, result, q, options, tail)
    names = result.coordinates() or [f"q{i + 1}" for i in range(q.shape[-1])]
    colours = [tuple(c) for c in style.sweep(len(q))]
    parameters = result.parameters()
    if result.model == "double-pendulum" and q.shape[-1] == 2:
        joints = models.double_pendulum(q, parameters)
        _window(axis, joints, 0.12)
        return Linkage(axis, joints, colours, tail)
    if result.model == "elastic-pendulum" and q.shape[-1] == 2:
        bob = models.spring_bob(q, names)
        joints = np.stack([np.zeros_like(bob), bob], -2)
        _window(axis, joints, 0.12)
        return Linkage(axis, joints, colours, tail, spring=True)
    if result.model == "magnetic-chain" and q.shape[-1] == 2:
        centres = models.chain_of_balls(q, parameters)
        _window(axis, centres, 0.75)
        return Balls(axis, centres, models.ball_moments(q), colours, tail)
    if q.shape[-1] == 1:
        raise PlotError(f"{result.path}: one coordinate moves in no plane; draw its time series instead")
    pair = options.axes or names[:2]
    for name in pair:
        if name not in names:
            raise PlotError(f"--axes: no coordinate '{name}'; {nearest(name, names)}")
    path = q[..., [names.index(name) for name in pair]]
    for name, low, high, limit, label in zip(pair, path.min((0, 1)), path.max((0, 1)), (axis.set_xlim, axis.set_ylim),
                                             (axis.set_xlabel, axis.set_ylabel)):
        pad = 0.06 * (high - low) or 1.0
        limit(low - pad, high + pad)
        label(style.label(name, result.units("trajectory/q", name)))
    axis.set_aspect("equal")
    return Trace(axis, path, colours, tail, result.model == "kepler")


def _window(axis, places, margin):
    """A square window around all the places [.., 2], without ticks: lengths are those of the model."""
    low, high = places.reshape(-1, 2).min(0), places.reshape(-1, 2).max(0)
    half = 0.5 * (high - low).max() + margin
    for centre, limit in zip(0.5 * (low + high), (axis.set_xlim, axis.set_ylim)):
        limit(centre - half, centre + half)
    axis.set_aspect("equal")
    axis.set_axis_off()
