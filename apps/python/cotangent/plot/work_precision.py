# SPDX-License-Identifier: BSD-3-Clause
"""Work against precision: what an energy error costs, one curve for each method, named where it ends.

Reads the result files of the study, or CSV with a header and the columns method, error, and one of work, evaluations,
seconds; optional are family (one colour each), step, and problem (one panel each). Lines that begin with # may say
'title: ...', 'work: ...' and 'error: ...', the texts of heading and axes.

As orders: a result's error over its fixed steps, and each method's order, the slope of the line that fits its points.
"""
import csv
from collections import defaultdict
from pathlib import Path

import matplotlib
import matplotlib.ticker
import numpy as np

from . import captions, layout, style
from .result import PlotError, Result, nearest, texts

WORK = {"work": "work", "evaluations": "evaluations of the force", "force_evaluations": "evaluations of the force",
        "seconds": "seconds", "cpu_seconds": "seconds of one core"}
ERROR = {"error": "error", "energy_error": r"energy error  $\max_t\ |E - E_0|$"}
MARKERS = "os^Dv<>Ph*"
NAME_HEIGHT = 0.165  # inches that a method's name takes beside its panel


POSITION = "largest distance from the reference at the end"


def read_result(path):
    """The same as read(), of a result file: a panel for the energy error and one for the position error."""
    result = Result(path)
    panels = {"largest energy error  $|E - E_0|$": "energy_error", POSITION: "position_error"}
    seconds = result.array("run/comparison_seconds")
    rows = [{"method": method, "problem": panel, "seconds": work, "error": error}
            for panel, name in panels.items()
            for method, work, error in zip(_methods(result), seconds, result.array(f"comparison/{name}"))
            if work > 0 and error > 0 and np.isfinite(error)]
    if not rows:
        raise PlotError(f"{path}: no method has an error yet: the run isn't finished, or none arrived", 1)
    said = _said(result, "work against precision") | {"work": "seconds of one core", "error": "error"}
    return rows, said, "seconds", "error"


def read_orders(path):
    """The same with the fixed steps in place of work, and each method's fitted order in its name."""
    result = Result(path)
    steps, errors = (result.array(f"comparison/{name}") for name in ("step", "position_error"))
    methods = np.array(_methods(result))
    good = np.isfinite(steps) & np.isfinite(errors) & (errors > 0)
    rows = []
    for method in dict.fromkeys(methods):
        here = good & (methods == method)
        if here.sum() < 3:  # a line through two is no fit
            continue
        order = np.polyfit(np.log(steps[here]), np.log(errors[here]), 1)[0]
        rows += [{"method": f"{method}:  {order:.1f}", "step": step, "error": error}
                 for step, error in zip(steps[here], errors[here])]
    if not rows:
        raise PlotError(f"{path}: no method has errors at three fixed steps or more")
    return rows, _said(result, "error over step, and orders fitted") | {"work": "step $h$", "error": POSITION}, "step", "error"


def _methods(result):
    """The name of each row's method."""
    names = texts(result.file["comparison/method"].attrs["names"])
    return [_written(names[k]) for k in result.array("comparison/method")]


def _said(result, what):
    """Heading and note."""
    time = result.section_of_deck("stop").get("time", 0.0)
    starts = len(result.array("comparison/initial"))
    return {"title": f"{captions.model(result)}: {what}",
            "note": "  ·  ".join([*captions.constants(result), f"{style.plural(starts, 'orbit')} to $t = {style.number(time)}$"])}


def read(path):
    """(rows as dictionaries, {'title' | 'work' | 'error': text}, name of the work column, of the error column)"""
    path = Path(path)
    if path.suffix.lower() != ".csv":
        return read_result(path)
    if not path.is_file():
        raise PlotError(f"{path}: no such file")
    said, lines = {}, []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                key, colon, value = line[1:].partition(":")
                if colon:
                    said[key.strip().lower()] = value.strip()
            elif line.strip():
                lines.append(line)
    except OSError as error:
        raise PlotError(f"{path}: cannot read: {error.strerror}", 3) from error
    except UnicodeDecodeError as error:
        raise PlotError(f"{path}: not a text file") from error
    table = csv.DictReader(lines, skipinitialspace=True)
    names = [name.strip() for name in table.fieldnames or []]
    table.fieldnames = names
    work, error = (next((n for n in names if n in known), None) for known in (WORK, ERROR))
    for column, found in (("method", "method" in names), ("work", work), ("error", error)):
        if not found:
            raise PlotError(f"{path}: no column '{column}'; {nearest(column, names)}")
    rows = []
    for number, row in enumerate(table, 2):
        try:
            row[work], row[error] = float(row[work]), abs(float(row[error]))
        except (TypeError, ValueError):
            raise PlotError(f"{path}: row {number} of the table: '{row[work]}', '{row[error]}' are not two "
                            "numbers") from None
        if row[work] > 0 and row[error] > 0 and np.isfinite([row[work], row[error]]).all():
            rows.append(row)
    if not rows:
        raise PlotError(f"{path}: no row with positive work and error")
    return rows, said, work, error


def draw(paths, options, source=read):
    """The figure, of what `source` reads."""
    rows, said, work, error = source(paths[0])
    for path in paths[1:]:
        more, _, *columns = source(path)
        if columns != [work, error]:
            raise PlotError(f"{path}: its columns for work and error are {columns[0]}, {columns[1]}, those of "
                            f"{paths[0]} are {work}, {error}")
        rows += more
    curves = defaultdict(lambda: defaultdict(list))
    for row in rows:
        curves[row.get("problem") or ""][(row.get("family") or "", row["method"])].append((row[work], row[error]))
    families = list(dict.fromkeys(family for panel in curves.values() for family, _ in panel))
    methods = list(dict.fromkeys(key for panel in curves.values() for key in panel))
    if families == [""]:
        families = methods
    colours = dict(zip(families, style.distinct(len(families))))
    notes = [said[key] for key in ("note", "problem", "machine") if key in said]
    heading = options.title or said.get("title", "Work against precision")
    if len(curves) > 1 and not options.width:
        options.width = 11.0
    names = max(1.45, 0.2 + 0.085 * max(len(method) for _, method in methods))  # inches that the longest name takes
    figure, axes = layout.grid(len(curves), options, heading, notes, aspect=0.78 if len(curves) == 1 else 1.1,
                               right=names, gap=(names + 0.45, 0.6), panel_titles=len(curves) > 1,
                               least_height=NAME_HEIGHT * (1 + max(map(len, curves.values()))))
    for axis, (problem, panel) in zip(axes, curves.items()):
        axis.set_xscale("log")
        axis.set_yscale("log")
        ends = []
        for key, points in panel.items():
            family = key[0] if key[0] in colours else key
            siblings = [m for m in methods if (m[0] if m[0] in colours else m) == family]
            x, y = np.array(sorted(points)).T
            axis.plot(x, y, marker=MARKERS[siblings.index(key) % len(MARKERS)], markersize=4.5, color=colours[family],
                      markerfacecolor="white" if siblings.index(key) % 2 else colours[family], lw=1.3)
            ends.append((x[-1], y[-1], key[1], colours[family]))
        axis.set_xlim(options.xlim)
        axis.set_ylim(options.ylim)
        if work == "step":  # within a decade or two: 1, 2 and 5 are written out
            axis.xaxis.set_major_locator(matplotlib.ticker.LogLocator(10, (1, 2, 5)))
            axis.xaxis.set_major_formatter(lambda step, _: f"${step:g}$")
            axis.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        axis.grid(True, which="major", color="#e4e4e8", lw=0.6)
        axis.set_axisbelow(True)
        axis.set_xlabel(said.get("work") or WORK[work])
        axis.tick_params(labelleft=True, labelbottom=True)
        if problem:
            axis.set_title(problem, loc="left", pad=4)
        _name(axis, ends)
    axes[0].set_ylabel(said.get("error", ERROR[error]))
    return figure


def _written(label):
    """'gauss 8 adaptive' as 'Gauss 8 adaptive', 'rk4' as 'Runge–Kutta 4'; a label of the user's own as it is."""
    name, blank, rest = label.partition(" ")
    return captions.METHOD_NAMES.get(name, name).replace(" collocation", "") + blank + rest


def _name(axis, ends):
    """The methods' names at the panel's right edge, each tied to the end of its curve; none covers another."""
    height = axis.get_window_extent().height / axis.figure.dpi  # inches
    need = NAME_HEIGHT / height
    low, high = np.log10(axis.get_ylim())
    ends = sorted(ends, key=lambda end: end[1])
    wanted = np.array([(np.log10(y) - low) / (high - low) for _, y, _, _ in ends])
    place = wanted.copy()
    for _ in range(200):  # neighbours push each other apart
        for i in range(len(place) - 1):
            overlap = need - (place[i + 1] - place[i])
            if overlap > 1e-6:
                place[i] -= overlap / 2
                place[i + 1] += overlap / 2
        place = np.clip(place, 0.01, 0.99) if len(place) * need < 0.98 else place
    for (x, y, name, colour), at in zip(ends, place):
        axis.annotate(name, xy=(x, y), xycoords="data", xytext=(1.03, at), textcoords="axes fraction", color=colour,
                      va="center", ha="left", size=10.5, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": matplotlib.colors.to_rgba(colour, 0.35), "lw": 0.6,
                                  "shrinkA": 0, "shrinkB": 3, "relpos": (0, 0.5)})
