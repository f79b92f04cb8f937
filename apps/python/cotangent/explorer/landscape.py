# SPDX-License-Identifier: BSD-3-Clause
"""What the page of energy landscapes is told: each map by its quantiles, so that colours cover equal areas, its stationary
points, the levels of its passes, and the model, which tells U at any place and lets orbits roll.
"""
import base64

import numpy as np

from ..plot import captions, landscape
from . import section
from .numbers import number

ROOM, ROOMY = 120_000, 4_000_000    # bytes of all maps, in a page for the web and in others
KNOTS, UNKNOWN = 256, 65535
SHOWS = "a landscape with stationary points; a click starts an orbit from rest"


def suits(result):
    """Whether there is a landscape in it."""
    return "landscape/energy" in result


def described(result, options):
    """(data, model) for page.assembled."""
    x, y, energy = result.array("landscape/x"), result.array("landscape/y"), result.array("landscape/energy")
    energy = energy[None] if energy.ndim == 2 else energy
    inside = result.array("landscape/admissible").astype(bool).reshape(energy.shape) & np.isfinite(energy)
    room = ROOM if getattr(options, "small", False) else ROOMY
    step = max(1, int(np.ceil(np.sqrt(2 * energy.size / room))))
    names, units = landscape.axis_names(result), [result.units(f"landscape/{axis}") for axis in "xy"]
    table = result.array("landscape/parameters") if "landscape/parameters" in result else np.zeros((len(energy), 0))
    parameters = result.columns("landscape/parameters")[:table.shape[1]]
    maps = []
    for k, values in enumerate(energy):
        passes = landscape.lowest(landscape.entries(result, "passes", k))
        points = landscape.repeated(landscape.entries(result, "stationary", k), x, y, units)
        maps.append({"parameters": dict(zip(parameters, map(float, table[k]))),
                     "label": ", ".join(f"{section.sign(name)} = {value:.6g}" for name, value in zip(parameters, table[k])),
                     "passes": [float(level) for level in landscape.pass_levels(passes)],
                     "points": stationary(points), **by_quantiles(values[::step, ::step], inside[k, ::step, ::step])})
    model, why = section.javascript(result, ())
    notes = [f"potential energy U, {x.size} × {y.size} places", f"one in {step} along each axis in this page" if step > 1 else ""]
    data = {"kind": "landscape", "title": section.plain(options.title or captions.model(result)), "notes": [n for n in notes if n],
            "axes": [{"name": name, "label": section.sign(name, unit)} for name, unit in zip(names, units)],
            "x": [float(v) for v in x[::step]], "y": [float(v) for v in y[::step]],
            "kinds": ["minimum", "saddle", "maximum", "degenerate"], "maps": maps, "why": why}
    return data, model


def by_quantiles(values, inside):
    """Energies as whole numbers of two bytes, linear between the knots, which share the area evenly."""
    knots = np.quantile(values[inside], np.linspace(0, 1, KNOTS + 1)) if inside.any() else np.zeros(KNOTS + 1)
    # Equal knots leave a number no place between them; np.interp wants them to grow.
    growing = knots + np.arange(KNOTS + 1) * 1e-12 * max(np.ptp(knots), 1e-300)
    shares = np.interp(np.where(inside, values, knots[0]), growing, np.linspace(0, 1, KNOTS + 1))
    codes = np.where(inside, np.rint(shares * (UNKNOWN - 1)), UNKNOWN).astype("<u2")
    return {"knots": [float(k) for k in growing], "data": base64.b64encode(np.ascontiguousarray(codes.T).tobytes()).decode()}


def stationary(points):
    """The stationary points, each with its numbers."""
    found = []
    for i in range(len(points.get("x", ()))):
        escape = float(points["escape_energy"][i]) if "escape_energy" in points else float("nan")
        found.append({"x": float(points["x"][i]), "y": float(points["y"][i]), "energy": float(points["energy"][i]),
                      "kind": int(points["type"][i]), "eigenvalues": [number(v) for v in points["eigenvalues"][i]],
                      "escape": number(escape)})
    return found
