# SPDX-License-Identifier: BSD-3-Clause
"""Makes driven_pendulum.json: where the orbits of driven pendulums lose their stability.

The damped pendulum x'' + x' / 2 + sin x = g cos(2 t / 3): the drives g at which its symmetric orbit of one period loses the
symmetry, and at which the period then doubles, again and again. An orbit of n periods is a fixed point of the period map's
n-th power, found by Newton's method; there the period doubles where the monodromy matrix M has the eigenvalue -1,
det(M + 1) = 0. Symmetry breaks where the map over half a period and (x, x') -> (-x, -x') has the eigenvalue -1 too.
Kapitza's pendulum, upright and linear: u'' = (1 - a w^2 cos w t) u at a = 0.1; the least w at which it is stable, where the
trace of its monodromy is 2.

Taylor series of x, sin x, cos x and the variations, step by step; in double and in extended precision (64 bits), with other
numbers of terms and steps. Digits are kept on which both agree. Takes a minute: /usr/bin/python3 driven_pendulum.py
"""
import json
import math
import pathlib
import sys

import numpy as np

PI = np.longdouble("3.14159265358979323846264338327950288")


class Series:
    """Taylor series in one precision: so many terms, steps of so many to a period."""

    def __init__(self, real, terms, steps):
        self.real, self.terms, self.steps = real, terms, steps
        self.k = np.arange(terms + 1).astype(real)
        self.close = real(1e-13 if real is np.float64 else 1e-15)

    def wave(self, phase, rate):
        """The coefficients of cos(phase + rate t)."""
        c, s = np.cos(phase), np.sin(phase)
        out, factor = np.empty(self.terms + 1, self.real), self.real(1)
        for k in range(self.terms + 1):
            out[k] = factor * (c, -s, -c, s)[k % 4]
            factor = factor * rate / (k + 1)
        return out

    def at(self, series, h):
        value = series[..., -1]
        for k in range(series.shape[-1] - 2, -1, -1):
            value = value * h + series[..., k]
        return value

    def pendulum(self, g, x, y, periods):
        """(x, y, M) after so many periods, halves too."""
        real, n, k = self.real, self.terms, self.k
        w, c = real(2) / 3, real(1) / 2
        steps = int(self.steps * periods)
        h = 2 * real(PI) / w * real(periods) / steps
        M = np.eye(2, dtype=real)
        for step in range(steps):
            drive = g * self.wave(w * h * step, w)
            X, Y, S, C = (np.zeros(n + 1, real) for _ in range(4))
            U, V = np.zeros((2, n + 1), real), np.zeros((2, n + 1), real)
            X[0], Y[0], S[0], C[0], U[:, 0], V[:, 0] = x, y, np.sin(x), np.cos(x), M[0], M[1]
            for m in range(n):
                X[m + 1] = Y[m] / (m + 1)
                Y[m + 1] = (drive[m] - c * Y[m] - S[m]) / (m + 1)
                slope = k[1:m + 2] * X[1:m + 2]
                S[m + 1] = (slope * C[m::-1]).sum() / (m + 1)
                C[m + 1] = -(slope * S[m::-1]).sum() / (m + 1)
                U[:, m + 1] = V[:, m] / (m + 1)
                V[:, m + 1] = (-c * V[:, m] - (C[:m + 1] * U[:, m::-1]).sum(1)) / (m + 1)
            x, y, M = self.at(X, h), self.at(Y, h), np.stack([self.at(U, h), self.at(V, h)])
        return x, y, M

    def orbit(self, g, x, y, periods, sign):
        """The fixed point of sign times the map, and its monodromy, from a guess."""
        for _ in range(30):
            x1, y1, M = self.pendulum(g, x, y, periods)
            (a, b), (c, d) = sign * M
            rx, ry = sign * x1 - x, sign * y1 - y
            det = (1 - a) * (1 - d) - b * c
            dx, dy = ((1 - d) * rx + b * ry) / det, (c * rx + (1 - a) * ry) / det
            x, y = x + dx, y + dy
            if abs(dx) + abs(dy) < self.close:
                return x, y, sign * M
        raise ArithmeticError(f"no orbit of {periods} periods at {g}")

    def threshold(self, g0, g1, x, y, periods, eigenvalue, sign):
        """The drive, from two guesses, at which the orbit has this eigenvalue, and the orbit there."""
        def excess(g, x, y):
            x, y, M = self.orbit(g, x, y, periods, sign)
            return (M[0, 0] - eigenvalue) * (M[1, 1] - eigenvalue) - M[0, 1] * M[1, 0], x, y
        g0, g1 = self.real(g0), self.real(g1)
        f0, x, y = excess(g0, x, y)
        for _ in range(30):
            f1, x, y = excess(g1, x, y)
            if abs(g1 - g0) < self.close or f1 == f0:
                break
            g0, g1, f0 = g1, g1 - f1 * (g1 - g0) / (f1 - f0), f1
        return g1, x, y

    def kapitza(self):
        """The threshold w, in the time w t."""
        real, n = self.real, self.terms
        a, h = real(1) / 10, 2 * real(PI) / self.steps

        def excess(w):
            M = np.eye(2, dtype=real)
            for step in range(self.steps):
                rate = -a * self.wave(h * step, real(1))
                rate[0] += 1 / w ** 2
                U, V = np.zeros((2, n + 1), real), np.zeros((2, n + 1), real)
                U[:, 0], V[:, 0] = M[0], M[1]
                for m in range(n):
                    U[:, m + 1] = V[:, m] / (m + 1)
                    V[:, m + 1] = (rate[:m + 1] * U[:, m::-1]).sum(1) / (m + 1)
                M = np.stack([self.at(U, h), self.at(V, h)])
            return M[0, 0] + M[1, 1] - 2
        w0, w1 = real(14.1), real(14.2)
        f0 = excess(w0)
        for _ in range(30):
            f1 = excess(w1)
            if abs(w1 - w0) < self.close or f1 == f0:
                break
            w0, w1, f0 = w1, w1 - f1 * (w1 - w0) / (f1 - f0), f1
        return w1


def settled(g, periods, steps=100):
    """The state after so many periods from rest at x = -pi/2, by the classical method of order four: where to look."""
    w, h = 2 / 3, 3 * math.pi / steps
    x, y = -math.pi / 2, 0.0

    def rate(t, x, y):
        return y, -0.5 * y - math.sin(x) + g * math.cos(w * t)
    for k in range(periods * steps):
        t = (k % steps) * h
        a = rate(t, x, y)
        b = rate(t + h / 2, x + h / 2 * a[0], y + h / 2 * a[1])
        c = rate(t + h / 2, x + h / 2 * b[0], y + h / 2 * b[1])
        d = rate(t + h, x + h * c[0], y + h * c[1])
        x += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        y += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return x - 2 * math.pi * round(x / (2 * math.pi)), y


# Name: two guesses of g; periods, eigenvalue and sign.
PLACES = {"symmetry": (1.0, 1.005, 0.5, -1, -1), "period 1": (1.062, 1.066, 1, -1, 1),
          "period 2": (1.078, 1.079, 2, -1, 1), "period 4": (1.0819, 1.08205, 4, -1, 1)}


def agreed(first, second, digits):
    """As a text of so many digits, on which both must agree to three units of the last."""
    if abs(first - second) > 3 * 10.0 ** (1 - digits) * max(1, abs(first)):
        raise ArithmeticError(f"{first!r} and {second!r} differ")
    return np.format_float_positional(second, digits, fractional=False)


def main():
    double, extended = Series(np.float64, 18, 60), Series(np.longdouble, 22, 70)
    found = {}
    for name, (g0, g1, periods, eigenvalue, sign) in PLACES.items():
        x, y = settled(g0, 600)
        each = [series.threshold(g0, g1, series.real(x), series.real(y), periods, eigenvalue, sign)
                for series in (double, extended)]
        print(name, *each, file=sys.stderr, flush=True)
        found[name] = [agreed(a, b, digits) for a, b, digits in zip(*each, (12, 8, 8))]
    text = {"equation": "x'' + x'/2 + sin x = g cos(2 t/3)",
            "meaning": "g, and x, x' at t = 0 modulo the period 3 pi, where the orbit loses its symmetry, or its period doubles",
            "thresholds": found,
            "kapitza": {"equation": "u'' = (1 - a w^2 cos w t) u, a = 0.1", "meaning": "the least w at which it is stable",
                        "w": agreed(double.kapitza(), extended.kapitza(), 12)}}
    pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
