# SPDX-License-Identifier: BSD-3-Clause
"""Particles that interact on a surface: where they are at the last instant sampled, coloured by speed; beside it
energies, temperature and what the surface's symmetry conserves, over time, and how often pairs stand how far apart.

Few particles are discs, as large as their number leaves room for, the nearest in front; beyond MANY they are painted as
dots that add up. What the surface hides is not drawn.
"""
import matplotlib
import numpy as np

from . import captions, layout, painting, scene, series, style
from .choices import of_particles
from .result import PlotError, texts
from .space import Stage
from .surfaces import area

MANY = 20_000
COVERED = 0.16  # the part of the surface that discs may cover
SIZES = (0.9, 8.0)  # of a disc's diameter, in points
LEGEND = 0.14  # inches
TEMPERATURE = 2  # among the panels
COLOURS = matplotlib.colors.ListedColormap(matplotlib.colormaps["plasma"](np.linspace(0, 0.87, 256)))


def frames(result):
    """The rows of positions that have been written."""
    rows = result.written("particles/time")
    if rows.size == 0:
        raise PlotError(f"{result.path}: no sample of the particles yet", 1)
    return rows


def speed(velocity):
    """|v| of velocities [.., 3]."""
    return np.linalg.norm(velocity, axis=-1)


def fast(velocity):
    """The speed at which a scale of colours ends: but one in a hundred exceeds it."""
    known = speed(velocity)
    known = known[np.isfinite(known)]
    return float(np.quantile(known, 0.99)) or 1.0 if known.size else 1.0


class Swarm:
    """The particles of a result on their surface. The scale of colours ends at the speed `top`; oversampling is that of
    the painting."""

    def __init__(self, axis, result, options, top, oversampling=2):
        places = result.array("particles/position", frames(result)[-1])
        self.stage = Stage(axis, result, options, places[np.isfinite(places).all(-1)])
        self.axis, self.scale, self.oversampling = axis, matplotlib.colors.Normalize(0, top), oversampling
        self.periods = np.array(result.section_of_deck("model").get("periods", np.zeros(3)), float)
        self.box = (*axis.get_xlim(), *axis.get_ylim())
        points = layout.pixels(axis)[0] / axis.figure.dpi * 72 / (self.box[1] - self.box[0])
        room = area(result) / self.stage.view.scale ** 2 if self.stage.picture else 4.0
        self.diameter = float(np.clip(points * np.sqrt(COVERED * room / len(places) * 4 / np.pi), *SIZES))
        if len(places) > MANY:
            self.painted = axis.imshow(np.zeros((1, 1, 4)), extent=self.box, zorder=5, aspect="equal")
            axis.axis(self.box)
        else:
            self.painted = None
            self.discs = axis.scatter([], [], zorder=5, linewidths=min(0.1 * self.diameter, 0.6), edgecolors="white")

    def show(self, places, speeds):
        """Sets the picture to an instant: places [n, 3] and speeds [n]."""
        for axis in np.flatnonzero(self.periods):  # the surface is that between 0 and the period
            places = np.where(np.arange(3) == axis, places % self.periods[axis], places)
        at, visible = self.stage.seen(places)
        colours = COLOURS(self.scale(speeds[visible]))[:, :3]
        if self.painted:
            dot = np.clip(0.3 * self.diameter / 72 * self.axis.figure.dpi, 0.42, 1.1)
            self.painted.set_data(painting.paint(*at[visible].T[..., None], style.srgb_to_oklab(colours),
                                                 np.full(len(colours), 0.9), self.box, layout.pixels(self.axis), dot,
                                                 self.oversampling))
            return
        depth = self.stage.view.project(places[visible])[:, 2]
        order = np.argsort(-depth)
        self.discs.set_offsets(at[visible][order])
        self.discs.set_facecolors(colours[order])
        self.discs.set_sizes((self.diameter * scene.FAR / depth[order]) ** 2)

    def bar(self, unit):
        """The scale of colours, at the lower left of the axes."""
        bar = self.axis.figure.colorbar(matplotlib.cm.ScalarMappable(self.scale, COLOURS), orientation="horizontal",
                                        cax=self.axis.inset_axes((0.02, 0.075, 0.22, 0.017)),
                                        ticks=matplotlib.ticker.MaxNLocator(4))
        bar.outline.set_linewidth(0.5)
        bar.ax.tick_params(which="both", top=False, direction="out", labelsize=9.5, pad=2)
        bar.ax.minorticks_off()
        bar.set_label("speed" + (f"  [{unit}]" if unit else ""), size=11, labelpad=1)


def said(result):
    """What captions say of the run."""
    counts = captions.status_counts(result, name="particles/status")
    return [*captions.constants(result), style.plural(result.file["particles/position"].shape[1], "particle"),
            *(f"{count} {name}" for name, count in counts.items() if name not in ("pending", "finished")),
            captions.potential(result), captions.method(result)]


def draw(results, options):
    """The figure."""
    result = results[0]
    if not of_particles(result):
        raise PlotError(f"{result.path}: no particles in space in it; the study 'particles' makes them")
    last = frames(result)[-1]
    velocity = result.array("particles/velocity", last)
    notes = said(result)
    samples = result.written("particles/sample_time")
    if samples.size:
        worst = np.nanmax(result.array("particles/constraint_error")[samples])
        notes.append(rf"$|g|\ /\ |\nabla g| \leq {style.power(worst)}$")
    time = style.number(float(f"{result.array('particles/time', last):.6g}"))
    notes.append(f"shown at $t = {time}$ {result.units('particles/time')}".rstrip())
    panels = _panels(result, samples)
    pairs = "particles/pair_correlation" in result and not result.underway()  # it is written at the end
    count = len(panels) + pairs
    height = max(0.40 * layout.stage_widths(options)[0], 1.12 * count + 0.5)
    figure, axis, place = layout.stage(height, options, options.title or captions.model(result, "Particles"), notes)
    swarm = Swarm(axis, result, options, fast(velocity))
    swarm.show(result.array("particles/position", last), speed(velocity))
    swarm.bar(result.units("particles/velocity"))

    left, width, whole, top = place
    axes = layout.column(figure, count, (left, width, whole, top + LEGEND), apart=pairs and count > 1)
    unit = result.units("particles/sample_time")
    for axis, (names, values, *label) in zip(axes, panels):
        colours = style.CATEGORICAL[:len(names) - 1] + [style.INK]
        t = result.array("particles/sample_time")[samples]
        series.panel(axis, t, values, colours, *label)
        axis.yaxis.label.set_size(12)
        if len(names) > 1:
            axis.legend(axis.lines, names, ncol=len(names), loc="lower right", bbox_to_anchor=(1.02, 0.95),
                        handlelength=1.0, columnspacing=0.9, handletextpad=0.35, borderaxespad=0.1, fontsize=9.5)
    bath = result.section_of_deck("method").get("temperature")
    if panels and bath is not None:
        axes[TEMPERATURE].axhline(bath, color=style.CATEGORICAL[1], lw=0.8, ls="--")
    if panels:
        axes[len(panels) - 1].set_xlabel("time" + (f"  [{unit}]" if unit else ""), labelpad=1)
    if pairs:
        _pairs(axes[-1], result)
    figure.align_ylabels(axes)
    return figure


def _panels(result, samples):
    """(names, values [names, samples], label, unit, whether in percent) of each series."""
    if samples.size < 2:
        return []
    count = result.file["particles/position"].shape[1]
    energy = result.array("particles/energy")[samples].T
    unit = result.units("particles/energy")
    error = (energy[2:] - energy[2:, :1]) / np.nanmean(energy[0])
    made = [(["kinetic", "potential", "total"], energy / count, "energy / $n$", unit),
            ([""], error, r"$\Delta E\ /\ \langle K\,\rangle$", "", True),
            ([""], result.array("particles/temperature")[samples][None], "temperature",
             result.units("particles/temperature"))]
    momentum = result.file.get("particles/momentum")
    conserved = texts(momentum.attrs.get("conserved", "")) if momentum is not None else []
    if conserved:
        values = np.stack([result.column("particles/momentum", name)[samples] for name in conserved])
        names = [rf"$\Delta {name[0]}_{name[1:]}$" for name in conserved]
        made.append((names, values - values[:, :1], ", ".join(names), result.units("particles/momentum")))
    return made


def _pairs(axis, result):
    """The pair correlation, which is 1 where the others stand at random."""
    distance, unit = result.array("particles/pair_distance"), result.units("particles/pair_distance")
    axis.axhline(1, color=style.FAINT, lw=0.6)
    axis.plot(distance, result.array("particles/pair_correlation"), lw=1.0, color=style.CATEGORICAL[0])
    axis.set_xlim(0, distance[-1])
    axis.set_ylim(bottom=0)
    axis.set_xlabel("distance $r$" + (f"  [{unit}]" if unit else ""), labelpad=1)
    axis.set_ylabel("$g(r)$")
