# SPDX-License-Identifier: BSD-3-Clause
"""Lattices: energies of the modes over time where they are stored; of chains the field in space and time, of grids its
shape at some instants; and how well the energy was kept."""
import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from . import layout, style
from .result import PlotError

SHEETS = 4  # instants of a grid
SHAPES = 14  # and of a chain in the plane
NAMES = {"fput-alpha": "Fermi–Pasta–Ulam–Tsingou α chain", "fput-beta": "Fermi–Pasta–Ulam–Tsingou β chain",
         "toda": "Toda chain", "phi-four": r"$\varphi^4$ field", "sine-gordon": "Sine-Gordon field",
         "elastic-sheet": "Elastic sheet", "double-pendulum-chain": "Chain of double pendulums",
         "inextensible-chain": "Chain of rods"}


def draw(results, options):
    """The figure."""
    result = results[0]
    good = result.written("lattice/time")
    frames = result.written("lattice/frame_time")
    if good.size < 2 or frames.size < 2:
        raise PlotError(f"{result.path}: no sample of the motion yet", 1)
    time = result.array("lattice/time")[good]
    shape = result.array("lattice/shape")
    width = options.width or 10
    if shape[1] > 1:
        figure, error = _grid(result, frames, shape, width)
    elif "lattice/mode_energy" in result:
        figure, error = _modes(result, good, time, width, options)
    elif _columns(result) == ["x", "y"]:
        figure, error = _shapes(result, frames, width, options)
    else:
        figure, error = _chain(result, frames, width, options)
    energy = result.array("lattice/energy")[good]
    start = energy[0].sum() / 2 or 1.0
    relative = "/ E_0" if energy[0, 2] else ""
    error.plot(time, (energy[:, 2] - energy[0, 2]) / (abs(energy[0, 2]) or abs(start)), linewidth=0.9, color=style.INK)
    error.set_ylabel(rf"$(E - E_0) {relative}$")
    error.set_xlim(time[0], time[-1])
    error.set_xlabel("$t$")
    name = result.section_of_deck("model")["name"]
    sites = style.plural(int(shape[0]), "site") if shape[1] == 1 else rf"${shape[0]} \times {shape[1]}$ sites"
    layout.over(figure, *([options.title] if options.title else [NAMES.get(name, name), sites]), size=14)
    return figure


def _modes(result, good, time, width, options):
    """Energies of the modes."""
    figure, (modes, error) = plt.subplots(2, 1, layout="constrained", sharex=True, figsize=(width, 0.62 * width),
                                          height_ratios=[3, 1])
    energy = result.array("lattice/mode_energy")[good]
    colours = style.sweep(energy.shape[1])
    for k in range(energy.shape[1]):
        modes.plot(time, energy[:, k], color=colours[k], label=f"${k + 1}$")
    modes.set_ylabel("energy of the mode")
    modes.set_ylim(options.ylim or (0, 1.04 * energy.max()))
    modes.legend(title="mode", loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure, error


def _columns(result):
    return result.columns("lattice/q")


def _shapes(result, frames, width, options):
    """A chain in the plane at some instants, coloured by time."""
    figure, (axis, error) = plt.subplots(2, 1, layout="constrained", figsize=(width, 0.8 * width), height_ratios=[3, 1])
    chosen = frames[np.unique(np.linspace(0, frames.size - 1, SHAPES).round().astype(int))]
    time = result.array("lattice/frame_time")
    colours = matplotlib.colors.Normalize(0, time[chosen[-1]])
    for row in chosen:
        x, y = result.file["lattice/q"][int(row)].T
        axis.plot(x, y, color=matplotlib.colormaps[style.SEQUENTIAL](colours(time[row])), linewidth=1.1, marker=".",
                  markersize=2.5)
    figure.colorbar(matplotlib.cm.ScalarMappable(colours, style.SEQUENTIAL), ax=axis, label="$t$", pad=0.01)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("$x$")
    axis.set_ylabel("$y$")
    if options.ylim:
        axis.set_ylim(options.ylim)
    return figure, error


def _chain(result, frames, width, options):
    """The first coordinate in space and time; and the largest miss of an exact motion, if that is known."""
    exact = "lattice/exact_error" in result
    figure, axes = plt.subplots(2 + exact, 1, layout="constrained", sharex=True,
                                figsize=(width, (0.62 + 0.14 * exact) * width), height_ratios=[3] + [1] * (1 + exact))
    x = result.array("lattice/place")[:, 0]
    time = result.array("lattice/frame_time")[frames]
    rows = np.unique(np.linspace(0, frames.size - 1, min(frames.size, 1200)).round().astype(int))
    field = result.file["lattice/q"][:, :, 0][frames[rows]]
    low, high = np.nanmin(field), np.nanmax(field)
    signed = low < -0.2 * high
    bound = max(-low, high)
    image = axes[0].pcolormesh(time[rows], x, field.T, cmap="RdBu_r" if signed else style.SEQUENTIAL, shading="nearest",
                               vmin=-bound if signed else low, vmax=bound if signed else high, rasterized=True)
    column = _columns(result)[0]
    figure.colorbar(image, ax=axes[0], label=style.label(column, result.units("lattice/q", column)), pad=0.01)
    axes[0].set_ylabel("$x$")
    if options.ylim:
        axes[0].set_ylim(options.ylim)
    if exact:
        good = result.written("lattice/time")
        axes[1].plot(result.array("lattice/time")[good], result.array("lattice/exact_error")[good], linewidth=0.9)
        axes[1].set_ylabel(r"$\max\ |q - q_{\mathrm{exact}}|$")
    return figure, axes[-1]


def _grid(result, frames, shape, width):
    """Heights of the grid at some instants."""
    chosen = frames[np.unique(np.linspace(0, frames.size - 1, SHEETS).round().astype(int))]
    figure, axes = plt.subplot_mosaic([["0", "1"], ["2", "3"], ["energy", "energy"]], layout="constrained",
                                      figsize=(width, 0.86 * width), height_ratios=[3, 3, 1.3])
    height = [result.file["lattice/position"][int(row), :, 2].reshape(shape[1], shape[0]) for row in chosen]
    place = result.array("lattice/place").reshape(shape[1], shape[0], 2)
    time = result.array("lattice/frame_time")
    for k, row in enumerate(chosen):
        axis = axes[str(k)]
        bound = np.abs(height[k]).max() or 1.0
        image = axis.pcolormesh(place[0, :, 0], place[:, 0, 1], height[k], cmap="RdBu_r", vmin=-bound, vmax=bound,
                                shading="nearest", rasterized=True)
        figure.colorbar(image, ax=axis, label="$z$", pad=0.01, shrink=0.85, aspect=30)
        axis.set_aspect("equal")
        axis.set_title(f"$t = {style.number(time[row])}$", loc="left")
        axis.set_ylabel("$y$" if k % 2 == 0 else "")
        axis.set_xlabel("$x$" if k > 1 else "")
    for k in range(len(chosen), SHEETS):
        axes[str(k)].set_visible(False)
    return figure, axes["energy"]
