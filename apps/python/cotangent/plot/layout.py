# SPDX-License-Identifier: BSD-3-Clause
"""Figures laid out in whole pixels: a heading, a grid of equal panels, margins in inches.

Images painted by `painting` then meet the screen pixel by pixel.
"""
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from . import style
from .result import PlotError

LEFT, RIGHT, BOTTOM = 0.70, 0.20, 0.52
TITLE, LINE, NOTE, HEADING = 0.30, 0.205, 10.8, 16
NARROWEST = 0.4  # of panels


def columns_for(count):
    """How many columns a grid of `count` panels gets: few empty places, not too wide."""
    if count <= 3:
        return count
    return {4: 2, 5: 3, 6: 3, 7: 4, 8: 4, 9: 3, 10: 5}.get(count, 4 if count <= 12 else 5)


def width_for(columns, options):
    """The picture's width in inches: asked for, or enough for the columns."""
    return options.width or {4: 9.6, 5: 11.0}.get(columns, 7.5)


def wide_enough(panel, width):
    """The width of a panel in inches, of which a picture of this width leaves some."""
    if panel < NARROWEST:
        raise PlotError(f"--width {width:g}: too narrow for panels beside all that is written; a larger one is right, or none")
    return panel


def grid(count, options, heading, notes, aspect=0.74, columns=None, gap=(0.16, 0.34), ticks_inside=False,
         right=RIGHT, panel_titles=None, legend=False, strips=(), least_height=0.0):
    """(figure, axes) for `count` panels of height = aspect * width, or least_height in inches, under a heading and notes.

    ticks_inside: each panel has tick labels of its own, so the gaps grow. right is the right margin in inches.
    legend: leave room for one line above the panels. strips: heights in inches of axes of the whole width below them,
    which come last.
    """
    columns = columns or columns_for(count)
    rows = -(-count // columns)
    width, dpi = width_for(columns, options), options.dpi
    gap_x, gap_y = gap[0] + (0.44 if ticks_inside else 0), gap[1] + (0.22 if ticks_inside else 0)
    if panel_titles is False:
        gap_y -= 0.2
    panel = wide_enough((width - LEFT - right - (columns - 1) * gap_x) / columns, width)
    height = max(panel * aspect, least_height)

    figure = plt.figure(figsize=(width, 4), dpi=dpi)
    lines, heading = wrapped(figure, notes, width - LEFT - right), broken(figure, heading, width - LEFT - right)
    top = _title_height(heading) + LINE * len(lines) + 0.18 + (0.2 if panel_titles else 0) + (0.26 if legend else 0)
    below = sum(strips) + 0.5 + 0.12 * (len(strips) - 1) if strips else 0
    total = top + rows * height + (rows - 1) * gap_y + below + BOTTOM
    figure.set_size_inches(np.round(width * dpi) / dpi, np.round(total * dpi) / dpi)
    head(figure, heading, lines, LEFT, width, total)
    axes = []
    for k in range(count):
        row, column = divmod(k, columns)
        left, bottom = LEFT + column * (panel + gap_x), total - top - row * (height + gap_y) - height
        box = np.round(np.array([left, bottom, panel, height]) * dpi) / dpi
        axes.append(figure.add_axes((box[0] / width, box[1] / total, box[2] / width, box[3] / total)))
    if not ticks_inside:
        for k, axis in enumerate(axes):
            axis.tick_params(labelleft=k % columns == 0, labelbottom=k + columns >= count)
    bottom = total - top - rows * height - (rows - 1) * gap_y - 0.5 + 0.12
    for k, strip in enumerate(strips):
        bottom -= strip + 0.12
        axes.append(figure.add_axes((LEFT / width, bottom / total, (width - LEFT - right) / width, strip / total)))
        axes[-1].tick_params(labelbottom=k == len(strips) - 1)
    return figure, axes


def outer(axes, columns):
    """The panels at the left edge, and those at the bottom."""
    return axes[::columns], [axis for k, axis in enumerate(axes) if k + columns >= len(axes)]


def over(figure, *notes, size=13):
    """A heading of notes, each a text or a list as of wrapped(), over a figure whose room matplotlib shares out."""
    width = 0.98 * figure.get_figwidth()
    lines = [broken(figure, line, width, size) for line in wrapped(figure, notes, width, size)]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", size=size)


def wrapped(figure, notes, width, size=NOTE):
    """The notes joined by middle dots, broken into lines that fit the width in inches. A note that is a list of texts
    is one whose texts stand with commas between them, where it too may be broken."""
    lines, room = [], width * figure.dpi
    for note in notes:
        pieces = [piece for piece in ([note] if isinstance(note, str) else note) if piece]
        for k, piece in enumerate(pieces):
            joint, end = ("  ·  ", "") if k == 0 else (",  ", ",")
            if lines and _width(figure, lines[-1] + joint + piece, size) <= room:
                lines[-1] += joint + piece
            else:
                if lines:
                    lines[-1] += end
                lines.append(piece)
    return lines


def broken(figure, heading, width, size=HEADING):
    """The heading with line breaks between its words, so that it fits the width in inches."""
    if not heading or _width(figure, heading, size) <= width * figure.dpi:
        return heading or ""
    lines = []
    for word in re.findall(r"(?:\$[^$]*\$|[^\s$])+|\$", heading):
        if lines and _width(figure, f"{lines[-1]} {word}", size) <= width * figure.dpi:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _width(figure, text, size):
    """In pixels."""
    probe = figure.text(0, 0, text, size=size)
    width = probe.get_window_extent(figure.canvas.get_renderer()).width
    probe.remove()
    return width


def _title_height(heading):
    return TITLE * len(heading.splitlines())


def pixels(axis):
    """The panel's size in whole pixels."""
    box = axis.get_window_extent()
    return max(2, round(box.width)), max(2, round(box.height))


def extent(values, margin=0.03):
    """(low, high) of the finite values with a margin; a few far outliers are left outside.

    They are left out only where the inner 99 % fill less than a third of the whole range.
    """
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner = np.quantile(finite if finite.size < 10 ** 6 else finite[::finite.size // 10 ** 6], [0.005, 0.995])
    if finite.size > 200 and 0 < (inner[1] - inner[0]) < (high - low) / 3:
        low, high = inner
    if high == low:
        half = abs(low) * 0.05 or 1.0
        return low - half, high + half
    pad = margin * (high - low)
    return low - pad, high + pad


def stack(heights, options, heading, notes, gap=0.12, right=0.22, left=0.8, legend=False):
    """(figure, axes) for panels below each other, of the given heights in inches, with one horizontal axis.

    legend: leave room for one line above the first panel.
    """
    width, dpi = width_for(1, options), options.dpi
    panel = wide_enough(width - left - right, width)
    figure = plt.figure(figsize=(width, 4), dpi=dpi)
    lines, heading = wrapped(figure, notes, width - left - right), broken(figure, heading, width - left - right)
    top = _title_height(heading) + LINE * len(lines) + (0.38 if legend else 0.18)
    total = top + sum(heights) + gap * (len(heights) - 1) + BOTTOM
    figure.set_size_inches(width, total)
    head(figure, heading, lines, left, width, total)
    axes, bottom = [], total - top
    for k, height in enumerate(heights):
        bottom -= height
        axes.append(figure.add_axes((left / width, bottom / total, panel / width, height / total)))
        axes[-1].tick_params(labelbottom=k == len(heights) - 1)
        bottom -= gap
    figure.align_ylabels(axes)
    return figure, axes


def stage_widths(options):
    """Widths in inches of a picture with a place in space at its left, and of that place."""
    width = options.width or 11.0
    return width, 0.645 * width


def stage(height, options, heading, notes, left=0.25):
    """(figure, axes for a place in space, what `column` needs to fill the right); height is the axes' in inches."""
    (width, part), dpi = stage_widths(options), options.dpi
    figure = plt.figure(figsize=(width, 4), dpi=dpi)
    lines, heading = wrapped(figure, notes, width - 2 * left), broken(figure, heading, width - 2 * left)
    top = max(TITLE, _title_height(heading)) + LINE * len(lines) + 0.18
    figure.set_size_inches(width, np.round((height + top + 0.1) * dpi) / dpi)
    whole = figure.get_size_inches()[1]
    head(figure, heading, lines, left, width, whole)
    axis = figure.add_axes((left / width, 0.1 / whole, part / width, height / whole))
    return figure, axis, (left + part + 0.85, width, whole, top)


def column(figure, count, place, apart=False, right=0.15, gap=0.18):
    """`count` axes below each other beside a stage. They have one horizontal axis; apart: the last has its own."""
    left, width, whole, top = place
    panel = wide_enough(width - left - right, width)
    between = 0.42 if apart else 0
    height = (whole - top - BOTTOM - between - gap * (count - 1)) / max(count, 1)
    upper, axes = whole - top, []
    for k in range(count):
        upper -= height
        axes.append(figure.add_axes((left / width, upper / whole, panel / width, height / whole)))
        axes[-1].tick_params(labelbottom=k >= count - 1 - apart)
        upper -= gap + (between if k == count - 2 else 0)
    return axes


def legend_above(figure, axes, handles, **look):
    """One line for the whole figure, above the first panel, in smaller type where it is longer than the panels' row."""
    place = axes[0].get_position()
    titled = bool(axes[0].get_title(loc="left"))
    lift = (0.24 if titled else 0.03) / figure.get_size_inches()[1]
    look = {"loc": "lower left", "bbox_to_anchor": (place.x0, place.y1 + lift), "ncol": len(handles), "handletextpad": 0.3,
            "columnspacing": 1.4, "borderaxespad": 0, "borderpad": 0.1, "handlelength": 1.3} | look
    legend = figure.legend(handles=handles, **look)
    room = (axes[-1] if titled else axes[0]).get_position().x1 - place.x0
    taken = legend.get_window_extent(figure.canvas.get_renderer()).width / figure.bbox.width
    if taken > room:
        legend.remove()
        size = plt.rcParams["legend.fontsize"] * max(0.6, 0.98 * room / taken)
        figure.legend(handles=handles, fontsize=size, **look)


def head(figure, heading, lines, left, width, total):
    """The heading and the lines of notes at the figure's upper left."""
    if heading:
        figure.text(left / width, 1 - 0.10 / total, heading, size=HEADING, va="top", ha="left", linespacing=1.15)
    for i, line in enumerate(lines):
        figure.text(left / width, 1 - (0.12 + _title_height(heading) + i * LINE) / total, line, size=NOTE, va="top",
                    ha="left", color=style.FAINT)


def finish(figure):
    """What is done to the labels of a figure that is drawn, before it is written."""
    powers_in_labels(figure)
    fit_labels(figure)


def powers_in_labels(figure):
    """A power of ten that an axis' numbers have in common, and what was taken from them all, go to its label: above the axis they
    would stand on other text. 'x + 3  [$10^{-5}$ m]' for numbers about -3."""
    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis) if axis.get_label_text() and axis.get_visible()]
    if not any(_written_short(*axis.get_view_interval()) for axis in axes):
        return
    figure.draw_without_rendering()
    for axis in axes:
        numbers = axis.get_major_formatter()
        if not axis.get_offset_text().get_text() or not isinstance(numbers, matplotlib.ticker.ScalarFormatter):
            continue
        label, _, unit = axis.get_label_text().rstrip("]").partition("  [")
        if numbers.offset:
            label = f"({label})" if "," in label else label
            label += f" {'−' if numbers.offset > 0 else '+'} {abs(numbers.offset):.15g}"
        if numbers.orderOfMagnitude:
            unit = f"$10^{{{numbers.orderOfMagnitude}}}$ {unit}".rstrip()
        axis.set_label_text(label + (f"  [{unit}]" if unit else ""))
        axis.get_offset_text().set_visible(False)


def _written_short(low, high):
    """Whether numbers between these may be written without a power of ten or a number that they have in common."""
    largest = max(abs(low), abs(high))
    return 0 < largest < 1e-3 or largest >= 1e4 or abs(high - low) < 2e-3 * largest


def fit_labels(figure, beyond=1.15, least=0.5):
    """Labels longer than their side of a panel, by more than the gap to the next allows, are set in smaller type."""
    renderer = figure.canvas.get_renderer()
    for panel in figure.axes:
        box = panel.get_window_extent(renderer)
        for axis, side, room in ((panel.xaxis, "width", box.width), (panel.yaxis, "height", box.height)):
            if not (axis.get_label_text() and axis.get_visible() and panel.get_visible()):
                continue
            taken = getattr(axis.label.get_window_extent(renderer), side)
            if taken > beyond * room:
                axis.label.set_size(axis.label.get_size() * max(least, beyond * room / taken))
