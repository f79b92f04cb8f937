# SPDX-License-Identifier: BSD-3-Clause
"""Atlases: an answer over two sides as a map, hatched where no start is allowed, or several over one side as curves. Basins:
which exit each start of a grid takes, and how many are still inside over time.
"""
import matplotlib
import numpy as np

from . import billiards, layout, style
from .result import PlotError, nearest, texts

WORDS = {"chaotic": "share of chaotic orbits", "regular": "share of regular orbits", "escaped": "share that escapes",
         "undecided": "share undecided", "left": "share that leaves the domain", "lyapunov": "largest Lyapunov exponent",
         "mean_lyapunov": "mean Lyapunov exponent", "rotation": "mean rotation number", "escape_time": "mean time of escape",
         "islands": "largest number of islands of a chain", "forbidden": "share of forbidden starts"}
SHARES = ("chaotic", "regular", "undecided", "escaped", "left")


def column(result, name):
    return texts(result.file[name].attrs["columns"])[0]


def word(result, name):
    """What an answer is called."""
    if name == "left" and result.model.startswith("magnetic"):
        return "share that ends in contact"
    return WORDS.get(name, name.replace("_", " "))


def sides(result):
    """How many sides the map has: of a line the file has the second one's name alone."""
    return 2 if "atlas/up" in result and "columns" in result.file["atlas/up"].attrs else 1


def draw(results, options):
    """The figure."""
    result = results[0]
    if np.ptp(result.array("atlas/across")) == 0 or not (result.array("atlas/steps") > 0).any():
        raise PlotError(f"{result.path}: unfinished: a map is written at its end; `cotangent DECK --resume` takes it on", 1)
    return curves(result, options) if sides(result) == 1 else maps(result, options)


def heading(result, options):
    name = billiards.heading(result) or result.deck.get("model", {}).get("name", "")
    return options.title or f"{style.model_name(name) or 'A system of the deck'}: where is chaos?"


def asked(result, options, usual):
    """The answers to be drawn: what --color-by names, or the usual ones that say anything."""
    if options.color_by == "auto":
        return usual
    if f"atlas/{options.color_by}" not in result or options.color_by in ("across", "up", "level"):
        raise PlotError(f"--color-by {options.color_by}: the map has no such answer; {nearest(options.color_by, WORDS)}")
    return [options.color_by]


def note(result):
    level = result.array("atlas/level")
    seen = int((level >= 0).sum())
    if seen == level.size:
        return style.plural(seen, "point")
    return f"{style.plural(seen, 'point')} of ${level.size}$ looked at, refined where answers differ"


def by_factors(x):
    """Whether values grow by factors rather than by differences, over more than a decade."""
    if len(x) < 3 or not (x > 0).all() or np.ptp(np.log(x)) < np.log(10):
        return False
    return np.std(np.diff(np.log(x))) < np.std(np.diff(x)) / np.mean(np.diff(x)) * np.mean(np.diff(np.log(x)))


def curves(result, options):
    """One side: shares and exponents, or the answer asked for, along it."""
    x, level = result.array("atlas/across"), result.array("atlas/level")[0]
    shares = [n for n in SHARES if np.nanmax(result.array(f"atlas/{n}")) > 0]
    exponents = [n for n in ("lyapunov", "mean_lyapunov") if np.isfinite(result.array(f"atlas/{n}")).any()]
    panels = [names for names in (shares, exponents) if names] if options.color_by == "auto" else [asked(result, options, [])]
    options.width = options.width or (5.6 if len(panels) == 1 else 10.5)
    figure, axes = layout.grid(len(panels), options, heading(result, options), [note(result)], gap=(0.6, 0.5),
                               ticks_inside=True, columns=len(panels))
    for axis, names in zip(axes, panels):
        for name, dashes in zip(names, ("-", "--", ":", "-.", (0, (1, 3)))):
            y = result.array(f"atlas/{name}")[0]
            axis.plot(x, y, ls=dashes, lw=1.4, label=word(result, name))
            axis.plot(x[level >= 0], y[level >= 0], "o", ms=2.6, color=axis.lines[-1].get_color())
        if by_factors(x):
            axis.set_xscale("log")
            if names[0] in ("lyapunov", "mean_lyapunov") and all((axis_line.get_ydata() > 0).all() for axis_line in axis.lines):
                axis.set_yscale("log")
        axis.set_xlabel(style.label(column(result, "atlas/across")))
        together = "share of the allowed starts" if names[0] in SHARES else "Lyapunov exponent"
        axis.set_ylabel(together if len(names) > 1 else word(result, names[0]))
        if len(names) > 1:
            axis.legend(loc="best")
        axis.set_xlim(options.xlim)
        if names[0] in SHARES and options.ylim is None:
            axis.set_ylim(-0.03, 1.03)
        else:
            axis.set_ylim(options.ylim)
    return figure


def edges(values):
    """Cells about points: halfway to the neighbours."""
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


def maps(result, options):
    """Two sides: a panel for each answer."""
    x, y, forbidden = (result.array(f"atlas/{name}") for name in ("across", "up", "forbidden"))
    usual = ["chaotic", *(n for n in ("regular", "escaped", "left") if np.nanmax(result.array(f"atlas/{n}")) > 0.02), "lyapunov"]
    names = asked(result, options, usual)
    options.width = options.width or (5.6 if len(names) == 1 else 10.5)
    figure, axes = layout.grid(len(names), options, heading(result, options),
                               [note(result) + "; hatched: no start is allowed"], gap=(1.0, 0.5), right=0.95,
                               ticks_inside=True, panel_titles=True, columns=min(2, len(names)))
    for axis, name in zip(axes, names):
        values = np.ma.masked_invalid(result.array(f"atlas/{name}"))
        high = 1 if name in SHARES else None
        image = axis.pcolormesh(edges(x), edges(y), values, cmap=style.MAPS, vmin=0 if high else None, vmax=high,
                                rasterized=True)
        hatched(axis, x, y, forbidden)
        bar = figure.add_axes(matplotlib.transforms.Bbox.from_bounds(axis.get_position().x1 + 0.01, axis.get_position().y0, 0.013,
                                                          axis.get_position().height).bounds)
        figure.colorbar(image, cax=bar)
        axis.set_title(word(result, name), loc="left", pad=4)
        axis.set_xlabel(style.label(column(result, "atlas/across")))
        axis.set_ylabel(style.label(column(result, "atlas/up")))
        axis.set_xlim(options.xlim or (edges(x)[0], edges(x)[-1]))
        axis.set_ylim(options.ylim or (edges(y)[0], edges(y)[-1]))
    return figure


def hatched(axis, x, y, forbidden):
    """Hatches the points where no start is allowed."""
    nowhere = forbidden >= 1
    if not nowhere.any():
        return
    with matplotlib.rc_context({"hatch.linewidth": 0.5, "hatch.color": style.FAINT}):
        axis.contourf(x, y, nowhere.astype(float), levels=[0.5, 1.5], colors="none", hatches=["////"])


# --- basins ------------------------------------------------------------------------------------------------------

def draw_basins(results, options):
    """Each start in its exit's colour, in the plane of the two columns that spread; and below, who is still inside."""
    result = results[0]
    exit, time, start = (result.array(name) for name in ("exits/exit", "exits/time", "orbits/initial"))
    flown = np.isfinite(exit)
    columns, names = texts(result.file["orbits/initial"].attrs["columns"]), texts(result.file["exits/exit"].attrs["names"])
    given = result.deck.get("ensemble", {}).get("grid", {})
    axes = options.axes or tuple(n for n in given if given[n][2] > 1)[:2]
    if len(axes) != 2 or not set(axes) <= set(columns):
        raise PlotError(f"basins are drawn over two columns of the starts: --axes X,Y of {', '.join(columns)}")
    across, up = (start[:, columns.index(name)] for name in axes)
    x, y = np.unique(across[np.isfinite(across)]), np.unique(up[np.isfinite(up)])
    picture = np.full((len(y), len(x)), np.nan)
    good = flown & np.isfinite(across) & np.isfinite(up)
    picture[np.searchsorted(y, up[good]), np.searchsorted(x, across[good])] = exit[good]
    options.width = options.width or 10.5
    figure, (basin, survival) = layout.grid(2, options, options.title or "Which exit, and when?", [
        style.plural(int(flown.sum()), "start"), uncertainty(result)], gap=(0.6, 0.5), ticks_inside=True, aspect=0.95)
    shades = ["#1b1b1f", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#009e73"]  # inside first; far apart in grey too
    if len(names) >= len(shades):  # black stays that of the inside
        shades[1:] = [shade for shade in style.distinct(len(names) + 1) if shade.any()]
    colours = matplotlib.colors.ListedColormap(shades[:len(names) + 1])
    basin.set_facecolor("white")
    basin.pcolormesh(edges(x), edges(y), np.ma.masked_invalid(picture), cmap=colours, vmin=-1.5, vmax=len(names) - 0.5,
                     rasterized=True)
    for axis_label, name in ((basin.set_xlabel, axes[0]), (basin.set_ylabel, axes[1])):
        axis_label(style.label(name))
    longest = result.array("orbits/time")[flown].max()
    inside = np.sort(time[np.isfinite(time)])
    survival.semilogy(np.append(inside, longest), np.append(1 - np.arange(1, len(inside) + 1) / flown.sum(),
                                                            1 - len(inside) / flown.sum()), color=style.INK)
    survival.set_xlabel("time")
    survival.set_ylabel("share still inside")
    for k, name in enumerate(["inside", *names]):
        survival.plot([], [], "s", color=shades[k], markeredgecolor=style.FAINT, label=f"{name}: {np.mean(exit[flown] == k - 1):.3f}")
    survival.legend(loc="upper right")
    return figure


def uncertainty(result):
    """The run's uncertainty exponent in words, of some energies or parameters the least and the largest; nothing where it has none."""
    if "exits/uncertainty/exponent" not in result:
        return ""
    exponent, width = (result.array(f"exits/uncertainty/{name}") for name in ("exponent", "width"))
    exponent = exponent[np.isfinite(exponent)]
    if not exponent.size or not width.any():
        return ""
    span = f"${exponent.min():.2f}$" + (f" to ${exponent.max():.2f}$" if exponent.max() > exponent.min() else "")
    return f"boundaries: uncertainty exponent {span}, from boxes ${width[0]}$ to ${width[-1]}$ starts wide"
