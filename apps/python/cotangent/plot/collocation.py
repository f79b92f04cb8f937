# SPDX-License-Identifier: BSD-3-Clause
"""Collocation's worked examples: errors over the degree K, of an initial and a boundary value problem in one panel, of the
levels of an eigenvalue problem in another, where circles stand at K = 3 n.
"""
import numpy as np

from . import layout, style

MOST_LEVELS = 12


def draw(results, options):
    """The figure."""
    result = results[0]
    degree = result.array("collocation/degree")
    options.width = options.width or 10.0
    figure, (values, levels) = layout.grid(2, options, options.title or "Collocation on Chebyshev's nodes, by its degree",
                                           ["errors against exact solutions", "levels by their number $n$, circles at $K = 3n$"], gap=(0.55, 0.6), ticks_inside=True,
                                           panel_titles=True)
    for name, text in (("initial_value", "$y' + y = x^2$, from $y(-1)$"), ("boundary_value", "$y'' = x^2$, between two ends")):
        values.plot(degree, result.array(f"collocation/{name}_error"), "o-", ms=3.5, lw=1.1, label=text)
    values.set_title("error of $y$", loc="left", pad=4)
    values.legend(loc="upper right")
    error = np.abs(result.array("collocation/level_error"))[:, :MOST_LEVELS]
    for n, colour in enumerate(style.sweep(error.shape[1]), 1):
        levels.plot(degree, error[:, n - 1], lw=1.1, color=colour, label=f"${n}$")
        good = degree == 3 * n
        levels.plot(degree[good], error[good, n - 1], "o", ms=6, color=colour, markeredgecolor=style.INK)
    levels.set_title(r"relative error of the level $E_n$ of $-\frac{1}{2}y'' = E y$", loc="left", pad=4)
    levels.legend(title="$n$", loc="lower left", ncol=2, columnspacing=1.0, handlelength=1.2)
    for axis in (values, levels):
        axis.set_yscale("log")
        axis.set_xlabel("degree $K$")
        axis.set_xlim(options.xlim or (degree.min(), degree.max()))
        axis.set_ylim(options.ylim)
    return figure
