# SPDX-License-Identifier: BSD-3-Clause
"""How indicators of chaos grew over time: a panel for each, a curve for each orbit, by its verdict in colour and dashes."""
import matplotlib
import numpy as np

from . import captions, layout, style
from .result import PlotError

MOST = 60  # curves that one can still tell apart
LOOKS = {"regular": (style.CATEGORICAL[0], "--"), "chaotic": (style.CATEGORICAL[1], "-"), "undecided": (style.FAINT, ":")}
NAMES = {"lyapunov": r"$\lambda_1$", "sali": "SALI", "megno": "MEGNO", "mean_megno": "mean MEGNO"}


def draw(results, options):
    """The figure: one panel below the other, over the same time."""
    result, = results
    if "histories/time" not in result:
        raise PlotError(f"{result.path}: no histories in it ([indicators] history)")
    names = [name for name, data in result.file["histories"].items() if data.ndim == 2 and name != "time"]
    ids = options.chosen(result.orbits)
    ids = ids[np.isfinite(result.array("indicators/verdict")[ids]) & np.isfinite(result.array("histories/time", (slice(None), 0))[ids])]
    if len(ids) == 0:
        raise PlotError(f"{result.path}: none of these orbits came to the first row of its histories")
    if options.orbits is None:
        ids = ids[np.linspace(0, len(ids) - 1, min(MOST, len(ids))).astype(int)]
    figure, axes = layout.stack([1.7] * len(names), options, options.title or captions.model(result),
                                captions.shared([captions.constants(result)]) + captions.shared([[captions.method(result)]]),
                                gap=0.12, legend=True)
    time = result.array("histories/time", ids)
    verdict = result.array("indicators/verdict")[ids].astype(int)
    words = [str(word) for word in result.file["indicators/verdict"].attrs["names"].astype(str)]
    for axis, name in zip(axes, names):
        _panel(axis, name, time, result.array(f"histories/{name}", ids), [words[k] for k in verdict])
        axis.set_xscale("log")
        axis.set_xlim(options.xlim or (np.nanmin(time), np.nanmax(time)))
        axis.tick_params(labelbottom=axis is axes[-1])
    if options.ylim:
        axes[0].set_ylim(options.ylim)
    axes[-1].set_xlabel("$t$")
    shown = [word for word in LOOKS if word in {words[k] for k in verdict}]
    axes[0].legend(handles=[matplotlib.lines.Line2D([], [], color=LOOKS[w][0], ls=LOOKS[w][1], label=w) for w in shown],
                   loc="lower left", bbox_to_anchor=(0, 1), ncol=len(shown), borderaxespad=0.2)
    return figure


def _panel(axis, name, time, values, verdicts):
    for t, y, word in zip(time, values, verdicts):
        colour, dashes = LOOKS[word]
        axis.plot(t, y, color=colour, ls=dashes, lw=0.9, alpha=0.8, marker="." if len(t) < 12 else None)
    known = values[np.isfinite(values)]
    if not name.startswith("spectrum") and (known > 0).all():
        axis.set_yscale("log")
    elif not name.startswith("spectrum"):  # may pass zero on its way
        axis.set_yscale("symlog", linthresh=1.0 if "megno" in name else max(np.abs(known).max() * 1e-2, 1e-12))
    kind, _, number = name.rpartition("_")
    label = NAMES.get(name) or (f"$\\lambda_{{{number}}}$" if kind == "spectrum" else f"GALI$_{{{number}}}$" if kind == "gali" else name)
    axis.set_ylabel(label)
