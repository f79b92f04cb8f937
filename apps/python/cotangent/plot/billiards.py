# SPDX-License-Identifier: BSD-3-Clause
"""Billiards: the domain from its outline, particles with their trails, energies, pressures, and bounce maps.

Bounce maps are drawn in Birkhoff's coordinates, arc length and tangential velocity, where the result holds them and no
samples; a colour for each particle. Leaks, where there are exits and neither of these: where particles left, and how many are
still inside over time. Where there is none of all this: how many are where at the end, and how fast.
"""
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from . import captions, layout, overlay, style
from .result import PlotError, texts
from .space import Stage

TRAILS = 6


def present(result):
    """Whether the result is a billiard in the plane, whose outline it holds."""
    return result.study == "billiard" and "domain/outline" in result


def in_space(result):
    return result.array("orbits/initial").shape[1] == 6


def heading(result):
    """What the walls are, of a deck that has some: "Billiard in a stadium"; else nothing."""
    names = [given.get("name", given.get("set", "set")) for given in result.deck.get("domain", {}).get("sets", [])]
    if not names:
        return ""
    return f"Billiard in {'an' if names[0][0] in 'aeiou' else 'a'} {names[0]}" if len(names) == 1 else "Billiard"


def loops(result):
    """The outline as a list of [points, 2]."""
    outline = result.array("domain/outline")
    return [outline[outline[:, 3] == k, :2] for k in np.unique(outline[:, 3])]


def fill(axis, result):
    """Draws the domain."""
    curves = loops(result)
    path = [np.concatenate([c, c[:1]]) for c in curves]
    codes = np.concatenate([[1] + [2] * (len(c) - 1) for c in path])
    patch = plt.matplotlib.patches.PathPatch(plt.matplotlib.path.Path(np.concatenate(path), codes), facecolor="#eceff3",
                                             edgecolor="none", zorder=0)
    axis.add_patch(patch)
    for curve in curves:
        axis.plot(*curve.T, color=style.INK, lw=1.0, zorder=1)
    axis.set_aspect("equal")
    axis.set_xlabel("$x$")
    axis.set_ylabel("$y$")


def area(result):
    """What the outline encloses."""
    return sum(map(signed_area, loops(result)))


def signed_area(curve):
    """Of a loop [points, 2]: negative where it runs clockwise, round what is left out."""
    after = np.roll(curve, -1, 0)
    return 0.5 * np.sum(curve[:, 0] * after[:, 1] - after[:, 0] * curve[:, 1])


def notes(result):
    """The line below the heading: how many particles have flown, and their collisions."""
    flown, hits = result.orbits - result.pending(), int(result.array("orbits/crossing_count").sum())
    some = f"${flown}$ of " if flown < result.orbits else ""
    return f"{some}{style.plural(result.orbits, 'particle')}, {style.plural(hits, 'collision')}"


def draw(results, options):
    """The figure."""
    result = results[0]
    samples = "trajectory/q" in result
    if swept_parameters(result):
        return swept(result, options)
    if maps_bounces(result, options):
        return bounce_map(result, options)
    if "exits/exit" in result and not samples:
        return leak(result, options)
    if samples:
        return gas(result, options)
    if "domain/outline" in result:
        return end(result, options)
    raise PlotError(f"{result.path}: neither samples (output.every) nor recorded collisions (output.collisions) in "
                    "it; --what energy draws how well each particle kept its energy")


def maps_bounces(result, options):
    """Whether its picture is a bounce map."""
    return ("collisions/arc" in result and "trajectory/q" not in result and options.what != "time-series"
            and not swept_parameters(result))


def swept_parameters(result):
    """{name: value of each particle} of the sets' parameters that the deck gives several values."""
    given = result.axes() if "orbits/parameters" in result else {}
    return {name: values for name, values in given.items() if "." in name and len(np.unique(values)) > 1}


def swept(result, options):
    """There is no one outline: what particles do over the first parameter that is swept, each a point, and their mean."""
    name, parameter = next(iter(swept_parameters(result).items()))
    panels = {"bounces in a unit of time": result.array("orbits/crossing_count") / result.array("orbits/time")}
    for path in ("indicators/lyapunov", "indicators/spectrum", "orbits/lyapunov"):
        if path in result:
            panels["largest Lyapunov exponent"] = result.array(path).reshape(result.orbits, -1)[:, 0]
            break
    options.width = options.width or (5.6 if len(panels) == 1 else 10.5)
    figure, axes = layout.grid(len(panels), options, options.title or heading(result), [notes(result)], gap=(0.6, 0.5),
                               ticks_inside=True, columns=len(panels))
    at = np.unique(parameter)
    for axis, (label, values) in zip(axes, panels.items()):
        axis.plot(parameter, values, "o", ms=3, mew=0, alpha=0.45, label="a particle")
        axis.plot(at, [np.nanmean(values[parameter == value]) for value in at], "-o", ms=4, lw=1.2, color=style.INK, label="mean")
        axis.set_xlabel(style.label(name))
        axis.set_ylabel(label)
        axis.set_xlim(options.xlim)
        axis.set_ylim(options.ylim)
    axes[0].legend(loc="best")
    return figure


def free(result):
    """Whether flights are straight lines."""
    forces = result.section_of_deck("forces")
    return not np.any(forces.get("gravity", [0])) and "potential" not in forces


def flights(result, k, count, points=20):
    """The way of a particle through its first collisions: straight, or parabolas under gravity; None under a potential."""
    places = np.concatenate([result.array("orbits/initial")[k, None, :2], result.array("collisions/point")[k, :count]])
    forces = result.section_of_deck("forces")
    if "potential" in forces:
        return None
    if free(result):
        return places
    lasts = np.diff(result.array("collisions/time")[k, :count], prepend=0.0)[:, None, None]
    s = np.linspace(0, 1, points)[:, None]
    bend = 0.5 * np.array(forces["gravity"], float) * lasts ** 2 * s * (s - 1)
    return (places[:-1, None] * (1 - s) + places[1:, None] * s + bend).reshape(-1, 2)


def bounce_map(result, options):
    """Arc length against tangential velocity, beside the domain with the first bounces of some particles."""
    ids = result.run(options.chosen(result.orbits))
    orbits = overlay.of(options, [result])
    arc, along = (result.array(f"collisions/{name}")[ids] for name in ("arc", "tangential"))
    corners = result.array("domain/outline")[:, :2]
    wide = np.ptp(corners[:, 0]) > 3 * np.ptp(corners[:, 1])  # then it stands above the map
    width = options.width or 11
    shape = {"nrows": 2, "height_ratios": [1, 2.2]} if wide else {"ncols": 2, "width_ratios": [1, 1.55]}
    figure, (left, right) = plt.subplots(layout="constrained", figsize=(width, (0.62 if wide else 0.45) * width), **shape)
    colours = style.sweep(len(ids))
    fill(left, result)
    parts = sum(signed_area(curve) > 0 for curve in loops(result))
    for k in np.unique(np.linspace(0, len(ids) - 1, max(3, parts)).astype(int)):
        path = flights(result, ids[k], 25)
        if path is not None:
            left.plot(*path.T, color=colours[k], lw=0.5, zorder=2)
    few = arc.size <= 60000
    for k in range(len(ids)):
        right.plot(arc[k], along[k], ".", ms=1.4 if few else 0.7, mew=0, color=colours[k], rasterized=True)
    right.set_xlim(options.xlim or (0, result.array("domain/outline")[-1, 2]))
    right.set_ylim(options.ylim or (-1, 1))
    right.set_xlabel("arc length $s$")
    right.set_ylabel(r"tangential velocity $v_t / |v|$")
    if orbits:
        rows, reason = overlay.chosen(orbits, result, ids, {}, free(result))
        if not rows.size:
            raise PlotError(f"--overlay {orbits.path}: another problem: {reason}")
        overlay.draw(right, orbits, rows, overlay.OnOutline(result))
        handles = overlay.handles([right])
        right.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncol=3, borderaxespad=0.2, handletextpad=0.4,
                     columnspacing=1.2, handlelength=1.7)
    heading = options.title or "Bounce map: " + sets(result)
    about = [notes(result)]
    if "orbits/lyapunov" in result:
        rate = result.array("orbits/lyapunov")[ids]
        about.append(f"Lyapunov exponents {rate.min():.2g} to {rate.max():.2g}")
    layout.over(figure, heading, about)
    return figure


def leak(result, options):
    """Where particles left, beside the share of them still inside over time and the exponential of the same rate."""
    exit, time = result.array("exits/exit"), result.array("exits/time")
    names = texts(result.file["exits/exit"].attrs["names"])
    flown, left = np.isfinite(exit), exit >= 0
    if not left.any():
        raise PlotError(f"{result.path}: no particle has left: a longer stop.time, or wider exits")
    rate = left.sum() / result.array("orbits/time")[flown].sum()  # the likeliest: who left over the time of all inside
    flat = "domain/outline" in result
    width = options.width or (11 if flat else 6)
    figure, axes = plt.subplots(1, 2 if flat else 1, layout="constrained", squeeze=False,
                                width_ratios=[1, 1.2] if flat else None, figsize=(width, 0.45 * width if flat else 0.7 * width))
    if flat:
        fill(axes[0, 0], result)
        final = result.array("orbits/final")[:, :2]
        for k, (name, colour) in enumerate(zip(names, style.distinct(len(names)))):
            through = exit == k
            axes[0, 0].plot(*final[through].T, ".", ms=5, mew=0, color=colour, zorder=3, rasterized=True,
                            label=f"{name}: ${through.sum()}$")
        axes[0, 0].legend(loc="upper right")
    survival = axes[0, -1]
    inside = np.sort(time[left])
    share = 1 - np.arange(1, len(inside) + 1) / flown.sum()
    shown = share > 0
    survival.semilogy(inside[shown], share[shown], color=style.INK, lw=1.2, label="particles")
    survival.semilogy(inside[[0, -1]], np.exp(-rate * inside[[0, -1]]), "--", lw=1.0, color=style.CATEGORICAL[1],
                      label=f"$\\exp(-\\kappa t)$, $\\kappa = {rate:.4g}$")
    survival.set_xlim(options.xlim)
    survival.set_ylim(options.ylim or (0.5 * min([1, *share[shown][-1:]]), 1.5))
    survival.set_xlabel("time")
    survival.set_ylabel("share still inside")
    survival.legend(loc="lower left")
    heading = options.title or "Leak: " + sets(result)
    layout.over(figure, heading, notes(result))
    return figure


def end(result, options):
    """How many particles are where at the end, their mean over the domain being 1, and how their speeds are distributed."""
    ids = result.run(options.chosen(result.orbits))
    state, time = result.array("orbits/final")[ids], result.array("orbits/time")[ids]
    state = state[np.isfinite(state).all(1)]
    if not len(state):
        raise PlotError(f"{result.path}: no particle has come to its end" + (" yet" if result.pending() else ""),
                        1 if result.pending() else 2)
    figure, (where, fast) = plt.subplots(1, 2, layout="constrained", width_ratios=[1.2, 1],
                                         figsize=(options.width or 11, 0.42 * (options.width or 11)))
    fill(where, result)
    corners = result.array("domain/outline")[:, :2]
    low, wide = corners.min(0), np.ptp(corners, 0)
    cell = max(np.sqrt(40 * area(result) / len(state)), wide.max() / 200)  # some 40 particles each, at most 200 cells in a row
    if len(state) < 2000:
        where.plot(*state[:, :2].T, ".", ms=3, mew=0, color=style.CATEGORICAL[0], zorder=3)
    else:
        edges = [low[d] + cell * np.arange(np.ceil(wide[d] / cell) + 1) for d in range(2)]
        count = np.histogram2d(*state[:, :2].T, bins=edges)[0].T * (area(result) / len(state) / cell ** 2)
        shown = where.pcolormesh(*edges, np.where(count > 0, count, np.nan), cmap=style.SEQUENTIAL, zorder=0.5, rasterized=True,
                                 vmin=0, vmax=np.quantile(count[count > 0], 0.99))
        figure.colorbar(shown, ax=where, label="density over its mean", extend="max", shrink=0.8, pad=0.02)
    first, last = np.nanmin(time), np.nanmax(time)
    where.set_title(f"at $t = {style.number(last)}$" if first == last else f"each at its end, $t = {first:.3g}$ to ${last:.3g}$", loc="left")
    speed = np.linalg.norm(state[:, 2:], axis=1)
    fast.hist(speed, bins=min(100, max(10, int(np.sqrt(len(speed))))), density=True, histtype="stepfilled",
              color=style.CATEGORICAL[0], alpha=0.8)
    fast.set_xlabel("speed")
    fast.set_ylabel("probability density")
    fast.set_xlim(options.xlim)
    fast.set_ylim(options.ylim)
    layout.over(figure, options.title or "Billiard: " + sets(result), notes(result), captions.method(result))
    return figure


def sets(result):
    """The domain in words, as the deck has it; sets of one kind counted."""
    domain = result.section_of_deck("domain")
    kinds = Counter(table.get("set") or table.get("name", "a wall") for table in domain.get("sets", []))
    words = domain.get("inside") or " or ".join(kind if n == 1 else f"{n} × {kind}" for kind, n in kinds.items())
    return words if len(words) <= 60 else style.plural(kinds.total(), "set")


def gas(result, options):
    """Domain and particles at the end, with trails; energy over time; pressures. Who left, or never flew, counts where it was."""
    q, v = result.array("trajectory/q"), result.array("trajectory/v")
    t = result.array("trajectory/time")
    ids = result.run(options.chosen(result.orbits))
    known = np.isfinite(q[ids]).all(2)
    if not known.any():
        raise PlotError(f"{result.path}: no sample of the particles" + (" yet" if result.pending() else ": none could start"),
                        1 if result.pending() else 2)
    energy = result.array("trajectory/energy")[ids]
    names = result.columns("orbits/impulse")
    several = len(names) > 1  # of one set two numbers are said, not drawn
    figure, axes = plt.subplot_mosaic([["gas", "energy"], ["gas", "error"], *([["gas", "walls"]] if several else [])],
                                      layout="constrained", width_ratios=[1.3, 1],
                                      figsize=(options.width or 11, (0.6 if several else 0.5) * (options.width or 11)))
    space = in_space(result)
    stage = Stage(axes["gas"], result, options, q[ids][known]) if space else fill(axes["gas"], result)
    last = np.flatnonzero(known.any(0))[-1]
    trail = slice(max(0, last - max(10, len(t) // 25)), last + 1)
    inside = ids[known[:, last]]
    trails = inside[:TRAILS]
    for k, colour in zip(trails, style.distinct(len(trails))):
        way = stage.view.project(q[k, trail])[:, :2] if space else q[k, trail]
        axes["gas"].plot(*way.T, color=colour, lw=0.9, zorder=4 if space else 2)
    size = np.clip(120 / np.sqrt(len(ids)), 0.6, 16)
    speed = np.linalg.norm(v[inside, last], axis=-1)
    at = q[inside, last]
    if space:  # the nearest in front; none behind a wall
        order = np.argsort(-stage.view.project(at)[:, 2])
        places, visible = stage.seen(at[order])
        at, speed = places[visible], speed[order][visible]
    dots = axes["gas"].scatter(*at.T, c=speed, s=size, cmap=style.SEQUENTIAL, zorder=5, linewidths=0,
                               rasterized=len(ids) > 5000)
    figure.colorbar(dots, ax=axes["gas"], label="speed", shrink=0.7, pad=0.02)
    axes["gas"].set_title(f"at $t = {style.number(t[last])}$, with the trails of {len(trails)}", loc="left")

    kinetic = 0.5 * np.nansum(v[ids] ** 2, (0, 2))
    total = np.nansum(energy, 0)
    at_start = np.nansum(np.where(known, energy[:, :1], np.nan), 0)  # of those who are there
    axes["energy"].plot(t, kinetic, label="kinetic", lw=0.9)
    axes["energy"].plot(t, total - kinetic, label="potential", lw=0.9)
    axes["energy"].plot(t, total, label="total", lw=1.4, color=style.INK)
    axes["energy"].set_ylabel("energy of all")
    axes["energy"].legend(ncol=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderaxespad=0.1)
    axes["error"].plot(t, (total - at_start) / abs(total[0]), lw=0.8, color=style.CATEGORICAL[1])
    axes["error"].set_ylabel("$(E - E_0) / |E_0|$")
    axes["error"].set_xlabel("time")
    axes["energy"].tick_params(labelbottom=False)
    force = np.nansum(result.array("orbits/impulse")[ids], 0) / np.nanmax(result.array("orbits/time")[ids])
    within = 100 * np.nansum(result.array("orbits/samples_within")[ids], 0) / known.sum()
    said = []
    if force.any() and free(result) and not space and len(loops(result)):
        length = result.array("domain/outline")[-1, 2]
        ideal = kinetic[known.any(0)].mean() / area(result)
        said.append(f"pressure ${force.sum() / length:.4g}$, of an ideal gas ${ideal:.4g}$")
    if several:
        walls(axes["walls"], names, force, within)
        axes["walls"].set_title("".join(said), loc="left")
        said = []
    elif force.any():
        said.insert(0, f"mean force on the wall ${style.number(float(f'{force[0]:.4g}'))}$")
    layout.over(figure, options.title or "Billiard: " + sets(result), notes(result), captions.method(result), *said)
    return figure


def walls(axis, names, force, within):
    """Bars of the mean force on each set, which a method by steps does not record, and of the samples within it."""
    bars = [("samples inside [%]", style.CATEGORICAL[4], within)]
    if force.any():
        bars.insert(0, ("mean force", style.CATEGORICAL[0], force))
    place = np.arange(len(names))
    scales = [axis, *(axis.twinx() for _ in bars[1:])]
    for k, (scale, (text, colour, height)) in enumerate(zip(scales, bars)):
        scale.bar(place + 0.4 * (k - 0.5 * (len(bars) - 1)), height, 0.4, color=colour)
        scale.set_ylabel(text, color=colour)
        scale.tick_params(which="both", left=k == 0, right=k > 0 or len(bars) == 1)
    axis.set_xticks(place, names)
    axis.tick_params(axis="x", which="minor", bottom=False, top=False)


class Swarm:
    """All particles of a sampled gas in their domain, with the trails of a few: a scene for a movie."""

    def __init__(self, axis, result, ids, at, tail):
        self.t, self.at, self.tail = result.array("trajectory/time"), at, tail
        self.q, self.v = result.array("trajectory/q")[ids], result.array("trajectory/v")[ids]
        self.gravity = np.array(result.section_of_deck("forces").get("gravity", [0.0, 0.0]), float)
        fill(axis, result)
        speed = np.hypot(*np.moveaxis(self.v, -1, 0))
        self.dots = axis.scatter(*self.q[:, 0].T, c=speed[:, 0], cmap=style.SEQUENTIAL, linewidths=0, zorder=3,
                                 s=np.clip(220 / np.sqrt(len(ids)), 1.5, 40), vmin=0, vmax=np.nanquantile(speed, 0.99))
        self.trails = [axis.plot([], [], lw=1.0, color=c, zorder=2)[0] for c in style.distinct(min(TRAILS, len(ids)))]

    def show(self, moment):
        """Sets the picture to a moment: the last sample, and the parabola from there on."""
        time = self.at[moment]
        i = int(np.clip(np.searchsorted(self.t, time, "right") - 1, 0, len(self.t) - 1))
        s = 0.0 if i + 1 == len(self.t) else min(time - self.t[i], self.t[i + 1] - self.t[i])
        flown = self.q[:, i] + s * self.v[:, i] + 0.5 * s * s * self.gravity
        if i + 1 < len(self.t):  # who bounces meanwhile takes the straight way to the next sample
            share = s / (self.t[i + 1] - self.t[i])
            h = self.t[i + 1] - self.t[i]
            arrives = self.q[:, i] + h * self.v[:, i] + 0.5 * h * h * self.gravity
            bounced = np.abs(arrives - self.q[:, i + 1]).max(-1) > 1e-9 * (1 + np.abs(arrives).max(-1))
            straight = (1 - share) * self.q[:, i] + share * self.q[:, i + 1]
            flown = np.where(bounced[:, None], straight, flown)
        self.dots.set_offsets(flown)
        self.dots.set_array(np.hypot(*self.v[:, i].T))
        first = max(0, int(np.searchsorted(self.t, self.t[i] - self.tail)))
        for line, k in zip(self.trails, range(len(self.trails))):
            line.set_data(*np.concatenate([self.q[k, first:i + 1], flown[k, None]]).T)
