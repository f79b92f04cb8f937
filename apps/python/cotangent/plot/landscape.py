# SPDX-License-Identifier: BSD-3-Clause
"""Energy landscapes: filled contours, stationary points by their type, the levels of the passes, the edge of the domain.

The levels are chosen for the eye: each band covers the same area, and between a pass and the highest minimum below
it stand five more, however shallow the well is. One panel for each value of the parameters.
"""
from fractions import Fraction

import matplotlib
import numpy as np

from ..results import is_dimension
from . import captions, contours, layout, style
from .result import PlotError

BANDS, WELL_BANDS = 18, 5
KINDS = (("minimum", "o", {"markerfacecolor": style.INK, "markersize": 5}),
         ("saddle", "X", {"markerfacecolor": "white", "markersize": 6.5}),
         ("maximum", "^", {"markerfacecolor": "white", "markersize": 6.5}))
PASS_COLOURS = style.PASSES


def levels(energy, admissible, points, passes):
    """The edges of the bands of colour, increasing, from the least admissible energy to the greatest."""
    inside = energy[admissible & np.isfinite(energy)]
    if inside.size == 0:
        raise PlotError("the landscape has no admissible point with a finite energy")
    if inside.min() == inside.max():  # one band about it
        half = 0.5 * abs(inside.min()) or 0.5
        return inside.min() + np.array([-half, half])
    edges = [np.quantile(inside, np.linspace(0, 1, BANDS + 1))]
    heights = np.asarray(points.get("energy", ()), float)
    minima = heights[np.asarray(points.get("type", ())) == 0]
    for height in np.unique(np.asarray(passes.get("energy", ()), float)):
        below = minima[minima < height]
        if below.size and inside.min() < height < inside.max():
            edges.append(np.linspace(below.max(), height, WELL_BANDS + 1))
    edges = np.unique(np.concatenate(edges))
    edges = edges[(edges >= inside.min()) & (edges <= inside.max())]
    return edges[np.concatenate([[True], np.diff(edges) > 1e-9 * max(np.ptp(edges), 1e-300)])]


def entries(result, group, index):
    """{name: values} of the lists in a group of /landscape, those that belong to parameter row `index`.

    A list has a column parameter_index, or a row for each parameter; unused places are NaN.
    """
    path = f"landscape/{group}"
    if path not in result:
        return {}
    lists = {name: np.atleast_1d(result.array(f"{path}/{name}")) for name in result.file[path]
             if not is_dimension(result.file[f"{path}/{name}"])}
    if "parameter_index" not in lists:
        lists = {name: values[index] if values.ndim == 2 else values for name, values in lists.items()}
    used = np.isfinite(lists["energy"]) & np.isfinite(lists["x"])
    if "parameter_index" in lists:
        used &= lists["parameter_index"] == index
    return {name: values[used] for name, values in lists.items()}


def axis_names(result):
    """The names of the two coordinates: an attribute of x and y, or the model's first two."""
    coordinates = result.coordinates() or result.columns("landscape/energy", ["x", "y"])
    return [result.attribute(f"landscape/{axis}", "name") or name for axis, name in zip("xy", coordinates)]


def lowest(passes):
    """The passes that no lower way goes round; all, where the file doesn't say."""
    keep = np.asarray(passes.get("lowest", np.ones(np.size(passes.get("x", ())))), bool)
    return {name: values[keep] for name, values in passes.items()}


def repeated(points, x, y, units):
    """The points and, where an axis is one full turn of an angle, their images at its other end."""
    for name, axis, unit in zip("xy", (x, y), units):
        turn = 2 * np.pi
        if not points or unit != "rad" or abs(np.ptp(axis) - turn) > 1e-4:
            continue
        images = []
        for shift in (-turn, 0, turn):
            moved = points[name] + shift
            here = (moved >= axis[0] - 1e-4) & (moved <= axis[-1] + 1e-4)
            image = {key: values[here] for key, values in points.items()}
            image[name] = np.clip(moved[here], axis[0], axis[-1])
            images.append(image)
        points = {key: np.concatenate([image[key] for image in images]) for key in points}
    return points


def pass_levels(passes):
    """The energies of the passes, each once: symmetric ones agree to round-off."""
    return np.unique(np.round(np.asarray(passes.get("energy", ()), float), 9))


def level_text(level):
    """1/6, or six decimals."""
    fraction = Fraction(level).limit_denominator(99)
    return style.number(fraction if abs(level - fraction) < 2e-9 else round(level, 6))


def smooth(mask):
    """A 0/1 mask blurred by one cell, so that its edge is no staircase."""
    values = mask.astype(float)
    for _ in range(2):
        padded = np.pad(values, 1, mode="edge")
        values = sum(padded[i:i + values.shape[0], j:j + values.shape[1]] for i in range(3) for j in range(3)) / 9
    return values


def draw(results, options):
    """The figure."""
    result = results[0]
    x, y = result.array("landscape/x"), result.array("landscape/y")
    energy = result.array("landscape/energy")
    energy = energy[None] if energy.ndim == 2 else energy
    admissible = (result.array("landscape/admissible").astype(bool).reshape(energy.shape)
                  if "landscape/admissible" in result else np.isfinite(energy))
    count = len(energy)
    table = result.array("landscape/parameters") if "landscape/parameters" in result else np.zeros((count, 0))
    names = result.columns("landscape/parameters")[:table.shape[1]]
    varying = [k for k in range(table.shape[1]) if not captions.constant(table[:, k])]
    fixed = {n: v for n, v in result.parameters().items() if n not in names}
    fixed.update({names[k]: table[0, k] for k in range(table.shape[1]) if k not in varying and count})

    across, up = axis_names(result)
    notes = ["potential energy $U$", *(captions.assignment(n, v) for n, v in fixed.items())]
    if count == 1:
        notes.append(f"{x.size} × {y.size} grid")
        flat = energy[admissible & np.isfinite(energy)]
        if flat.size and flat.min() == flat.max():
            notes[0] += f" $= {style.number(flat[0] + 0)}$ everywhere"  # + 0: no minus zero
    one = count == 1
    aspect = float(np.clip(np.ptp(y) / np.ptp(x), 0.55, 1.1))
    columns = layout.columns_for(count)
    figure, axes = layout.grid(count, options, options.title or captions.model(result), notes, aspect=aspect,
                               right=1.15 if one else layout.RIGHT, panel_titles=not one, legend=True)
    kinds, passes = set(), []
    for k, axis in enumerate(axes):
        points, saddles = entries(result, "stationary", k), lowest(entries(result, "passes", k))
        axis.set_xlim(options.xlim or (x[0], x[-1]))
        axis.set_ylim(options.ylim or (y[0], y[-1]))
        bands, filled = _draw_surface(axis, x, y, energy[k], admissible[k], points, saddles)
        units = [result.units(f"landscape/{name}") for name in "xy"]
        kinds |= _mark(axis, repeated(points, x, y, units), one)
        passes.append(pass_levels(saddles))
        if one and len(bands) > 2:
            _scale(figure, axis, filled, bands, saddles, result.units("landscape/energy"))
        elif not one:
            values = ",  ".join(captions.assignment(names[j], table[k, j]) for j in varying)
            axis.set_title(values or str(k), loc="left", pad=4)
            axis.set_title(reach(bands), loc="right", pad=4, size=9, color=style.FAINT)
    left, bottom = layout.outer(axes, columns)
    for axis in left:
        axis.set_ylabel(style.label(up, result.units("landscape/y")), labelpad=2)
    for axis in bottom:
        axis.set_xlabel(style.label(across, result.units("landscape/x")), labelpad=2)
    edge = "contact" if result.model.startswith("magnetic") else "edge of the domain"
    _legend(figure, axes, kinds, passes, edge if any(smooth(a).min() < 0.5 for a in admissible) else "")
    return figure


def _draw_surface(axis, x, y, energy, admissible, points, saddles):
    """(levels, their colours) of one panel."""
    bands = levels(energy, admissible, points, saddles)
    # Beyond the boundary the surface goes on, clipped; it is then covered along a smooth edge.
    surface = np.clip(np.where(np.isfinite(energy), energy, bands[-1]), bands[0], bands[-1]).T
    norm = matplotlib.colors.BoundaryNorm(bands, len(bands) - 1)
    colours = matplotlib.colors.ListedColormap(style.height_map()(np.linspace(0, 1, len(bands) - 1)))
    filled = matplotlib.cm.ScalarMappable(norm, colours)
    contours.fill(axis, x, y, surface, bands, colours.colors)
    marked = [level for level in pass_levels(saddles) if bands[0] < level < bands[-1]]
    lines = contours.of_grid(x, y, surface, marked)
    for i, line in enumerate(lines):
        contours.draw(axis, [line], colors=[PASS_COLOURS[i % len(PASS_COLOURS)]], linewidths=1.2, zorder=2.5)
    edge = smooth(admissible).T
    if edge.min() < 0.5:
        lines += contours.of_grid(x, y, edge, [0.5])
        axis.contourf(x, y, edge, [-1, 0.5], colors=[style.UNKNOWN], zorder=3)
        contours.draw(axis, lines[-1:], colors=[style.INK], linewidths=1.4, zorder=4)
    contours.draw(axis, contours.of_grid(x, y, surface, bands[1:-1]), taken=sum(lines, []), colors="white", linewidths=0.35,
                  alpha=0.55)
    for spine in axis.spines.values():
        spine.set_zorder(5)
    axis.set_axisbelow(False)
    return bands, filled


def _mark(axis, points, one):
    """The stationary points; the kinds that were there."""
    kinds, x, y = (np.asarray(points.get(name, ()), float) for name in ("type", "x", "y"))
    (x0, x1), (y0, y1) = axis.get_xlim(), axis.get_ylim()
    seen = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    for k, (_, marker, look) in enumerate(KINDS):
        look = look | {"markersize": look["markersize"] * (1.25 if one else 0.85)}
        here = seen & (kinds == k)
        axis.plot(x[here], y[here], marker, linestyle="none", markeredgecolor="white" if k == 0 else style.INK,
                  markeredgewidth=0.8, zorder=6, clip_on=False, **look)
    return set(kinds[seen].astype(int))


def _legend(figure, axes, kinds, passes, edge):
    """One line for the whole figure, above the first panel at the right."""
    line = matplotlib.lines.Line2D
    handles = [line([], [], marker=marker, linestyle="none", label=name, markeredgecolor=style.INK, markeredgewidth=0.8,
                    **look) for k, (name, marker, look) in enumerate(KINDS) if k in kinds]
    if len(passes) == 1 and len(passes[0]) <= 3:
        handles += [line([], [], color=colour, lw=1.3, label=f"pass ${level_text(level)}$")
                    for colour, level in zip(PASS_COLOURS, passes[0])]
    elif any(len(p) for p in passes):
        handles.append(line([], [], color=PASS_COLOURS[0], lw=1.3, label="level of a pass"))
    if edge:
        handles.append(line([], [], color=style.INK, lw=1.6, label=edge))
    if handles:
        layout.legend_above(figure, axes, handles)


def reach(bands):
    """'-1 … 5': from the lowest edge of the bands to the highest; '-7 … + 2 × 10⁻⁹' where these agree to four digits, one number where
    there is but one band, about a constant."""
    low, high = (f"{value:.4g}" for value in (bands[0], bands[-1]))
    if len(bands) == 2:
        return f"${bands.mean():.4g}$"
    return f"${low}$ … ${high}$" if low != high else f"${low}$ … $+ {style.number(float(f'{np.ptp(bands):.2g}'))}$"


def tick_texts(values, name):
    """(a text for each of increasing values, a name for them all, their power of ten): numbers that agree in all but their last
    digits are written without what they share, which the name then says."""
    span, base, exponent = np.ptp(values), 0.0, 0
    if span < 1e-4 * np.abs(values).max():
        base = round(float(values[0]), -int(np.floor(np.log10(span))))
        values, name = values - base, f"{name} {'−' if base > 0 else '+'} ${style.number(abs(base))}$"
    largest = np.abs(values).max()
    if largest < 1e-3 or largest >= 1e4:
        exponent = int(np.floor(np.log10(largest)))
        values = values / 10.0 ** exponent
    digits = int(np.clip(np.ceil(-np.log10(np.min(np.diff(values)))), 1, 6))
    texts = [f"${value:.{digits}f}$" if abs(value) < 100 else f"${value:.4g}$" for value in values]
    if len(set(texts)) < len(texts):
        texts = [f"${value:.{digits}f}$" for value in values]
    return texts, name, rf"$10^{{{exponent}}}$" if exponent else ""


def _scale(figure, axis, filled, bands, saddles, unit):
    """The colour bar of a single landscape; bands of equal height, the passes' levels marked."""
    place = axis.get_position()
    inch = 1 / figure.get_size_inches()[0]
    bar = figure.add_axes((place.x1 + 0.14 * inch, place.y0, 0.16 * inch, place.height))
    scale = figure.colorbar(filled, cax=bar, spacing="uniform", ticks=bands[:: max(1, len(bands) // 13)])
    bar.tick_params(labelsize=9.5, direction="out", right=True, length=2.5)
    bar.minorticks_off()
    texts, name, power = tick_texts(np.asarray(scale.get_ticks()), "$U$")
    scale.ax.set_yticklabels(texts)
    unit = f"{power} {unit}".strip()
    bar.set_title(name + (f" [{unit}]" if unit else ""), size=12, pad=6, loc="left")
    for i, level in enumerate(pass_levels(saddles)):
        if bands[0] < level < bands[-1]:
            scale.add_lines([level], [PASS_COLOURS[i % len(PASS_COLOURS)]], [1.4], erase=False)
