# SPDX-License-Identifier: BSD-3-Clause
"""Hard discs and spheres: the equation of state beside a picture of the densest system."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection

from . import layout, style
from .result import PlotError


def draw(results, options):
    """The figure."""
    result = results[0]
    done = np.flatnonzero(result.array("orbits/status"))
    if done.size == 0:
        raise PlotError(f"{result.path}: no system has been finished", 1)
    packing, z = (result.array(f"systems/{name}")[done] for name in ("packing", "compressibility"))
    x = result.array("systems/position", int(done[np.argmax(packing)]))
    count, dimension = x.shape
    figure, (left, right) = plt.subplots(1, 2, layout="constrained",
                                         figsize=(options.width or 10, 0.5 * (options.width or 10)))
    lattice = result.section_of_deck("model")["lattice"]
    if dimension == 2:
        box = np.array([lattice, lattice * 0.75 ** 0.5])
        radius = np.sqrt(packing.max() * box.prod() / count / np.pi)
    else:
        box = np.full(3, lattice * 2 ** 0.5)
        radius = np.cbrt(0.75 * packing.max() * box.prod() / count / np.pi)
    if dimension == 3:
        x = x[np.argsort(x[:, 2])]
    left.add_collection(EllipseCollection(*[np.full(count, 2 * radius)] * 2, np.zeros(count), units="x", offsets=x[:, :2],
                                          transOffset=left.transData, facecolors=style.CATEGORICAL[5],
                                          edgecolors=style.INK, linewidths=0.3))
    left.set_xlim(0, box[0])
    left.set_ylim(0, box[1])
    left.set_aspect("equal")
    left.set_xlabel("$x$")
    left.set_ylabel("$y$")
    left.set_title(rf"packing ${packing.max():.3g}$, at the end", loc="left")

    eta = np.linspace(0, max(packing.max(), 0.05), 300)
    curve = (1 + eta ** 2 / 8) / (1 - eta) ** 2 if dimension == 2 else (1 + eta + eta ** 2 - eta ** 3) / (1 - eta) ** 3
    right.plot(eta, curve, color=style.INK, lw=1, label="Henderson" if dimension == 2 else "Carnahan and Starling")
    right.axhline(1, color=style.FAINT, lw=0.8, ls="--", label="ideal gas")
    right.plot(packing, z, "o", ms=4, label="measured")
    right.set_xlabel(r"packing fraction $\eta$")
    right.set_ylabel(r"$P A / (N T)$" if dimension == 2 else r"$P V / (N T)$")
    right.set_xlim(options.xlim or (0, eta[-1] * 1.03))
    if options.ylim:
        right.set_ylim(options.ylim)
    right.legend()
    hits = int(result.array("systems/collisions").sum())
    if options.title:
        layout.over(figure, options.title)
    else:
        layout.over(figure, f"Hard {'discs' if dimension == 2 else 'spheres'}",
                    [f"{style.plural(done.size, 'system')} of {count}", style.plural(hits, "collision")])
    return figure
