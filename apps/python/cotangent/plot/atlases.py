# SPDX-License-Identifier: BSD-3-Clause
"""Atlases: an answer over two sides as a map, hatched where no start is allowed and crossed where every orbit failed, or several
over one side as curves. Basins: which exit each start of a grid takes, and how many are still inside over time, a row for each energy
and parameter.
"""
import matplotlib
import numpy as np

from . import billiards, captions, layout, sections, style
from .result import PlotError, nearest, texts

WORDS = {"chaotic": "share of chaotic orbits", "regular": "share of regular orbits", "escaped": "share that escapes",
         "undecided": "share undecided", "left": "share that leaves the domain", "lyapunov": "largest Lyapunov exponent",
         "mean_lyapunov": "mean Lyapunov exponent", "rotation": "mean rotation number", "escape_time": "mean time of escape",
         "islands": "largest number of islands of a chain", "forbidden": "share of forbidden starts",
         "failed": "share of failed orbits"}
SHARES = ("chaotic", "regular", "undecided", "escaped", "left", "failed")


def column(result, name):
    return texts(result.file[name].attrs["columns"])[0]


def answer(result, name):
    """An answer with both sides increasing, as pictures have them. Where every orbit failed, the others' share is unknown."""
    values = result.array(f"atlas/{name}")
    if name in SHARES and name != "failed" and "atlas/failed" in result:
        values = np.where(result.array("atlas/failed") >= 1, np.nan, values)
    across, up = (np.argsort(result.array(f"atlas/{side}"), kind="stable") if side == "across" or sides(result) == 2 else [0]
                  for side in ("across", "up"))
    return values[np.ix_(up, across)]


def side(result, name):
    """The values along a side, increasing."""
    return np.sort(result.array(f"atlas/{name}"))


def told(result, names, least):
    """Those of the answers that reach more than this somewhere."""
    return [name for name in names if f"atlas/{name}" in result and np.nanmax(answer(result, name)) > least]


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
    x, level = side(result, "across"), answer(result, "level")[0]
    shares = told(result, SHARES, 0)
    exponents = [n for n in ("lyapunov", "mean_lyapunov") if np.isfinite(result.array(f"atlas/{n}")).any()]
    panels = [names for names in (shares, exponents) if names] if options.color_by == "auto" else [asked(result, options, [])]
    if not panels:
        raise PlotError(f"{result.path}: nothing to draw: no start is allowed anywhere")
    options.width = options.width or (5.6 if len(panels) == 1 else 10.5)
    figure, axes = layout.grid(len(panels), options, heading(result, options), [note(result)], gap=(0.6, 0.5),
                               ticks_inside=True, columns=len(panels))
    for axis, names in zip(axes, panels):
        for name, dashes in zip(names, ("-", "--", ":", "-.", (0, (1, 3)))):
            y = answer(result, name)[0]
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
    """Cells about increasing points: halfway to the neighbours."""
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


def maps(result, options):
    """Two sides: a panel for each answer."""
    x, y = side(result, "across"), side(result, "up")
    if np.ptp(y) == 0:
        raise PlotError(f"{result.path}: a map of one {column(result, 'atlas/up')} alone: that side takes several values, or none is given")
    hatches = [(answer(result, "forbidden") >= 1, "////", "hatched: no start is allowed")]
    if "atlas/failed" in result:
        hatches.append((answer(result, "failed") >= 1, "xxxx", "crossed: every orbit failed"))
    hatches = [hatch for hatch in hatches if hatch[0].any()]
    usual = ["chaotic", *told(result, ("regular", "escaped", "left", "failed"), 0.02), *told(result, ["lyapunov"], -np.inf)]
    names = asked(result, options, usual)
    options.width = options.width or (5.6 if len(names) == 1 else 10.5)
    figure, axes = layout.grid(len(names), options, heading(result, options),
                               [note(result), [meaning for *_, meaning in hatches]], gap=(1.0, 0.5), right=0.95,
                               ticks_inside=True, panel_titles=True, columns=min(2, len(names)))
    for axis, name in zip(axes, names):
        values = np.ma.masked_invalid(answer(result, name))
        high = 1 if name in SHARES else None
        image = axis.pcolormesh(edges(x), edges(y), values, cmap=style.MAPS, vmin=0 if high else None, vmax=high,
                                rasterized=True)
        for where, hatch, _ in hatches:
            hatched(axis, x, y, where, hatch)
        bar = figure.add_axes(matplotlib.transforms.Bbox.from_bounds(axis.get_position().x1 + 0.01, axis.get_position().y0, 0.013,
                                                          axis.get_position().height).bounds)
        figure.colorbar(image, cax=bar)
        axis.set_title(word(result, name), loc="left", pad=4)
        axis.set_xlabel(style.label(column(result, "atlas/across")))
        axis.set_ylabel(style.label(column(result, "atlas/up")))
        axis.set_xlim(options.xlim or (edges(x)[0], edges(x)[-1]))
        axis.set_ylim(options.ylim or (edges(y)[0], edges(y)[-1]))
    return figure


def hatched(axis, x, y, where, hatch):
    """Hatches the cells of some points, each wholly: both ends of a cell have its value, so that the contour runs along the edges."""
    corners = [np.repeat(edges(values), 2)[1:-1] for values in (x, y)]
    with matplotlib.rc_context({"hatch.linewidth": 0.5, "hatch.color": style.FAINT}):
        axis.contourf(*corners, np.repeat(np.repeat(where.astype(float), 2, 0), 2, 1), levels=[0.5, 1.5], colors="none", hatches=[hatch])


# --- basins ------------------------------------------------------------------------------------------------------

def draw_basins(results, options):
    """A row for each energy and parameter: each start in its exit's colour, in the plane of the two columns that spread; beside it,
    who is still inside."""
    result = results[0]
    exit, start = result.array("exits/exit"), result.array("orbits/initial")
    names = texts(result.file["exits/exit"].attrs["names"])
    axes = basin_axes(result, options)
    places = [start[:, result.columns("orbits/initial").index(name)] for name in axes]
    ids = result.run(options.chosen(len(exit)))
    ids = ids[np.isfinite(np.stack([exit, *places])[:, ids]).all(0)]
    if not len(ids):
        raise PlotError(f"{result.path}: none of these starts has flown" + (" yet" if result.pending() else ""), 1 if result.pending() else 2)
    sides_of = [np.unique(place[ids]) for place in places]
    for name, values in zip(axes, sides_of):
        if len(values) < 2:
            raise PlotError(f"basins are drawn over two columns of the starts that vary: '{name}' has one value; --axes X,Y chooses others")
    rows = [(label, of) for label, of in sections.groups(result, ids) if len(of)]
    options.width = options.width or 10.5
    notes = [*captions.constants(result, ids), style.plural(len(ids), "start"), uncertainty(result)]
    figure, panels = layout.grid(2 * len(rows), options, options.title or "Which exit, and when?", notes, gap=(0.6, 0.5), aspect=0.95,
                                 ticks_inside=True, columns=2, panel_titles=len(rows) > 1 or None)
    shades = ["#1b1b1f", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#009e73"]  # inside first; far apart in grey too
    if len(names) >= len(shades):  # black stays that of the inside
        shades[1:] = [shade for shade in style.distinct(len(names) + 1) if shade.any()]
    for (label, of), basin, survival in zip(rows, panels[::2], panels[1::2]):
        picture = np.full([len(values) for values in sides_of], np.nan)
        cell = tuple(np.searchsorted(values, place[of]) for values, place in zip(sides_of, places))
        picture[cell] = exit[of]
        if np.isfinite(picture).sum() < len(of):
            raise PlotError(f"basins over {' and '.join(axes)}: the starts differ in more than these two; --orbits chooses some, "
                            "--axes X,Y other columns")
        basin.set_facecolor("white")
        basin.pcolormesh(*map(edges, sides_of), np.ma.masked_invalid(picture.T), vmin=-1.5, vmax=len(names) - 0.5, rasterized=True,
                         cmap=matplotlib.colors.ListedColormap(shades[:len(names) + 1]))
        basin.set(xlabel=style.label(axes[0]), ylabel=style.label(axes[1]), xlim=options.xlim, ylim=options.ylim)
        basin.set_title(label, loc="left", pad=4)
        still_inside(survival, result, of, ["inside", *names], shades)
    return figure


def basin_axes(result, options):
    """The two columns of the starts that basins are drawn over: those asked for, or those that the grid varies."""
    columns = result.columns("orbits/initial")
    given = result.section_of_deck("ensemble").get("grid", {})
    axes = options.axes or tuple(n for n in given if given[n][2] > 1)[:2]
    if len(axes) != 2 or not set(axes) <= set(columns):
        raise PlotError(f"basins are drawn over two columns of the starts: --axes X,Y of {', '.join(columns)}")
    return axes


def still_inside(axis, result, ids, names, shades):
    """The share of these orbits that is still inside, over time, and the share of each exit."""
    exit, time = result.array("exits/exit")[ids], result.array("exits/time")[ids]
    left = np.sort(time[np.isfinite(time)])
    share = 1 - np.arange(1, len(left) + 1) / len(ids)
    axis.semilogy(np.append(left, result.array("orbits/time")[ids].max()), np.append(share, 1 - len(left) / len(ids)), color=style.INK)
    axis.set_xlabel("time")
    axis.set_ylabel("share still inside")
    for k, name in enumerate(names):
        axis.plot([], [], "s", color=shades[k], markeredgecolor=style.FAINT, label=f"{name}: {np.mean(exit == k - 1):.3f}")
    axis.legend(loc="upper right")


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
