# SPDX-License-Identifier: BSD-3-Clause
"""What a picture says about itself: model, parameters, energy, method, section, number of orbits, energy error."""
import numpy as np

from . import style

METHOD_NAMES = {"exact": "exact flights", "leapfrog": "Morita's leapfrog", "euler": "explicit Euler in Morita's method",
                "gauss": "Gauss collocation", "lobatto": "Lobatto collocation",
                "chebyshev-lobatto": "Chebyshev–Lobatto collocation", "dormand-prince": "Dormand–Prince 8(5,3)",
                "dormand-prince-853": "Dormand–Prince 8(5,3)", "rk4": "Runge–Kutta 4", "stormer-verlet": "Störmer–Verlet",
                "explicit-euler": "Explicit Euler", "implicit-euler": "Implicit Euler",
                "symplectic-euler": "Symplectic Euler", "implicit-midpoint": "Implicit midpoint",
                "trapezoidal": "Trapezoidal rule", "rattle": "RATTLE", "g-baoab": "g-BAOAB",
                "rattle-suzuki-4": "RATTLE, Suzuki 4", "rattle-yoshida-4": "RATTLE, Yoshida 4",
                "rattle-yoshida-6": "RATTLE, Yoshida 6", "rattle-kahan-li-6": "RATTLE, Kahan–Li 6",
                "verlet-suzuki-4": "Verlet, Suzuki 4", "verlet-kahan-li-6": "Verlet, Kahan–Li 6",
                "verlet-suzuki-umeno-8": "Verlet, Suzuki–Umeno 8", "verlet-kahan-li-8": "Verlet, Kahan–Li 8",
                "lobatto-pair-4": "Lobatto pair 4", "lobatto-pair-6": "Lobatto pair 6", "lobatto-spark": "Lobatto SPARK",
                "shake": "SHAKE", "shake-two-step": "SHAKE in two steps", "variational": "Variational",
                "constrained-symplectic-euler": "Symplectic Euler, constrained", "reduced-gauss": "Reduced Gauss",
                "reduced-midpoint": "Reduced midpoint"}

POTENTIAL_NAMES = {"lennard-jones": "Lennard–Jones", "none": "no interaction"}


def model(result, who="Particle"):
    """The model's name as a title; `who` moves on it, if it is a surface."""
    return style.model_name(result.model or result.path.stem).replace("Particle", who, 1)


def method(result):
    """'Gauss collocation, 8 stages, h = 0.5'; empty if the deck does not say."""
    table = result.section_of_deck("method")
    if "name" not in table:
        return ""
    parts = [METHOD_NAMES.get(table["name"], str(table["name"]))]
    if "stages" in table:
        parts.append(f"{table['stages']} stages")
    if _plain(table.get("tolerance")):  # then the step is but the first
        parts.append(f"tolerance ${style.number(table['tolerance'])}$")
    elif _plain(table.get("step")):
        parts.append(f"$h = {style.number(table['step'])}$")
    if _plain(table.get("temperature")):  # of a heat bath
        parts.append(f"$T = {style.number(table['temperature'])}$")
    return ", ".join(parts)


def potential(result):
    """'Ricker: depth = 1/2': the pair potential of the deck and its parameters; empty if the deck does not say."""
    table = result.section_of_deck("potential")
    if "name" not in table:
        return ""
    values = [assignment(key, value) for key, value in table.items() if _plain(value)]
    name = POTENTIAL_NAMES.get(table["name"], str(table["name"]).capitalize())
    return name + (": " + ", ".join(values) if values and table["name"] != "none" else "")


def section(result):
    """The section as mathematics: 'q1 = 0, q1_dot > 0'; empty without one."""
    table = result.section_of_deck("section")
    if "where" not in table:
        return ""
    where, value = str(table["where"]), table.get("value", 0.0)
    if "every" in table:  # stroboscopic
        every, phase = (_quantity(table.get(key, 0)) for key in ("every", "value"))
        level = f"t = {'' if phase == '0' else phase + ' + '}k" + ("" if every == "1" else rf" \cdot {every}")
        return f"${level}" + (rf",\ {style.expression(str(table['condition']))}$" if table.get("condition") else "$")
    known = where in result.states()
    level = f"{style.symbol(where) if known else style.expression(where)} = {style.number(value)}"
    sign = {"up": ">", "down": "<"}.get(table.get("direction"))
    if sign and known and not where.endswith("_dot"):
        level += rf",\ {style.symbol(where + '_dot')} {sign} 0"
    elif sign:
        level += r"\ \mathrm{" + {"<": "falling", ">": "rising"}[sign] + "}"
    if table.get("condition"):
        level += rf",\ {style.expression(str(table['condition']))}"
    return f"${level}$"


def assignment(name, value):
    """'E = 1/8'"""
    return f"${style.symbol(name)} = {style.number(value)}$"


def constants(result, rows=slice(None), skip=()):
    """'alpha = 18', 'E = -9.74': whatever has one value for all the rows, the model's parameters first."""
    axes = result.axes()
    values = {name: value for name, value in result.parameters().items() if name not in axes}
    for name, column in axes.items():
        column = column[rows][np.isfinite(column[rows])]
        if column.size and constant(column):
            values[name] = column[0]
    energy = result.section_of_deck("ensemble").get("energy")
    if "energy" not in values and "energy" not in axes and _plain(energy):
        values["energy"] = energy
    if "energy" in values:
        values["energy"] = values.pop("energy")
    return [assignment(name, value) for name, value in values.items() if name not in skip]


def energy_error(result, rows=slice(None)):
    """'|ΔE| ≤ 3e-14' over the orbits drawn; empty where the file has none."""
    if "orbits/energy_error" not in result:
        return ""
    errors = np.abs(result.array("orbits/energy_error")[rows])
    errors = errors[np.isfinite(errors)]
    return rf"$|\Delta E| \leq {style.power(errors.max())}$" if errors.size and errors.max() > 0 else ""


def status_counts(result, rows=slice(None), name="orbits/status"):
    """{name: number of orbits}, in the order of the statuses."""
    if name not in result:
        return {}
    names = result.status_names(name)
    values, counts = np.unique(result.array(name)[rows], return_counts=True)
    return {names[v] if 0 <= v < len(names) else f"status {v}": int(c) for v, c in zip(values, counts)}


def constant(column):
    """Whether all the finite values agree to nine digits."""
    column = column[np.isfinite(column)]
    return column.size == 0 or np.allclose(column, column[0], rtol=1e-9, atol=1e-13)


def shared(per_result):
    """The items that all lists have, in the order of the first."""
    return [item for item in per_result[0] if item and all(item in other for other in per_result)]


def _quantity(value):
    """A number or a formula of the deck, in mathtext."""
    try:
        return style.number(value)
    except ValueError:
        return style.expression(str(value)).strip()


def _plain(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
