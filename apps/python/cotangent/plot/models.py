# SPDX-License-Identifier: BSD-3-Clause
"""What pictures know of the built-in models: the edge of the section at an energy, and how the mechanism looks.

A model that is not listed is drawn all the same, without these. With the kinetic energy v^T M v / 2 the section
q_k = const at energy E ends where the velocity of q_k that E leaves has the least energy:
E - U(q) = (M_jj - M_kj^2 / M_kk) v_j^2 / 2 for the other coordinate j.
"""
import numpy as np


def henon_heiles(q, _):
    """Mass matrix (M11, M12, M22) and potential of Hénon-Heiles."""
    x, y = q
    return (1.0, 0.0, 1.0), 0.5 * (x * x + y * y) + x * x * y - y ** 3 / 3


def magnetic_chain(q, parameters):
    """The same of three magnetised balls, dimensionless, for the angles t and s."""
    t, s = q
    c, alpha = np.cos(t + s), parameters["alpha"]
    far = (np.cos(2 * (t + s)) + 3 * np.cos(t - s)) / (8 * np.abs(np.cos((t + s) / 2)) ** 3)
    bonds = np.cos(2 * t) + np.cos(2 * s) + 6 + far
    return (34 / 5 + 4 * c, 12 / 5 + c, 7 / 5), 2 * np.cos(t) + np.cos(2 * t + s) - alpha / 12 * bonds


MECHANICS = {"henon-heiles": (henon_heiles, set()), "magnetic-chain": (magnetic_chain, {"alpha"})}


def energy_left(result, parameters, names, x, y):
    """E - U - kinetic energy that the panel (x, y) itself fixes, so zero on the section's edge; None if unknown.

    names are the panel's axes; the section must be a coordinate at a value, and the panel the other one and its
    velocity.
    """
    function, needed = MECHANICS.get(result.model, (None, set()))
    coordinates = result.coordinates()
    where = result.section_of_deck("section").get("where")
    if (function is None or len(coordinates) != 2 or where not in coordinates or "energy" not in parameters
            or set(parameters) - {"energy"} != needed):
        return None
    k = coordinates.index(where)
    if list(names) != [coordinates[1 - k], coordinates[1 - k] + "_dot"]:
        return None
    value = float(result.section_of_deck("section").get("value", 0.0))
    q = (np.full_like(x, value), x) if k == 0 else (x, np.full_like(x, value))
    (m11, m12, m22), potential = function(q, parameters)
    own, other = (m11, m22) if k == 0 else (m22, m11)
    return parameters["energy"] - potential - 0.5 * (other - m12 * m12 / own) * y * y


# --- mechanisms: joints [.., number of points, 2] of one state q ---------------------------------------------------

def double_pendulum(q, parameters):
    """The pivot and the two bobs; the angles are measured from the downward vertical."""
    a, b = q[..., 0], q[..., 1]
    l1, l2 = parameters.get("l1", 1.0), parameters.get("l2", 1.0)
    first = np.stack([l1 * np.sin(a), -l1 * np.cos(a)], -1)
    return np.stack([np.zeros_like(first), first, first + np.stack([l2 * np.sin(b), -l2 * np.cos(b)], -1)], -2)


def chain_of_balls(q, _):
    """The centres of the three balls."""
    t, s = q[..., 0], q[..., 1]
    second = np.stack([np.sin(t), np.cos(t)], -1)
    return np.stack([np.zeros_like(second), second, second + np.stack([np.sin(2 * t + s), np.cos(2 * t + s)], -1)], -2)


def ball_moments(q):
    """The directions of the three magnetic moments."""
    t, s = q[..., 0], q[..., 1]
    angles = np.stack([np.zeros_like(t), 2 * t, 2 * t + 2 * s], -1)
    return np.stack([np.sin(angles), np.cos(angles)], -1)


def spring_bob(q, names):
    """The bob of the elastic pendulum: Cartesian, or length and angle from the downward vertical, by the names."""
    if names[0] in ("r", "l", "length", "rho"):
        return np.stack([q[..., 0] * np.sin(q[..., 1]), -q[..., 0] * np.cos(q[..., 1])], -1)
    return q
