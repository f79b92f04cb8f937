# SPDX-License-Identifier: BSD-3-Clause
"""Values over time: curves that lose nothing between two pixels, and the bands in which many lie."""
import matplotlib
import numpy as np

from . import style

SAMPLES = 6000  # beyond it, the envelope
FEW = 4  # trajectories that are told apart in a panel
BANDS = ("#cfd6e4", "#8c9fbf")


def envelope(t, values, bins=2000):
    """(t, values) with the least and the greatest value of each of `bins` stretches, in their order."""
    if len(t) <= SAMPLES:
        return t, values
    width = len(t) // bins
    used = width * bins
    blocks = np.where(np.isfinite(values), values, 0)[:used].reshape(bins, width)
    ends = np.sort(np.stack([blocks.argmin(1), blocks.argmax(1)], 1), 1)
    pick = np.unique(np.concatenate([(ends + width * np.arange(bins)[:, None]).ravel(), np.arange(used, len(t))]))
    return t[pick], values[pick]


def bands():
    """Handles and names for a legend of what `panel` draws of many trajectories."""
    patch, line = matplotlib.patches.Patch, matplotlib.lines.Line2D
    return ([line([], [], color=style.INK, lw=1), patch(color=BANDS[1]), patch(color=BANDS[0])],
            ["median", "middle 80 %", "all"])


def panel(axis, t, values, colours, label, unit="", percent=False):
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
