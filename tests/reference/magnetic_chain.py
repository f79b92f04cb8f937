# SPDX-License-Identifier: BSD-3-Clause
"""Derives what the tests hold about the chain of three magnetised balls, and sets it beside what they hold.

Balls of mass and diameter 1 roll on one another, the first one fixed: the second one's centre lies in the direction t from
the vertical and it is turned by 2 t, the third one's in the direction 2 t + s from there and it is turned by 2 (t + s). U is
their weights and their dipoles' energies, T what moves and what turns; none of it is written as the program writes it. Found
are the stationary points (balls_stationary_points.hpp), the lowest energies where balls 1 and 3 touch, the passes out of the
wells, the alphas at which all that changes (landscapes/test_landscape.cpp) and the normal modes (mechanics/test_models.cpp).

In double: stationary points from a grid, counted against Poincare's index, the turns of the gradient around the region where
the balls are apart; passes as the highest places of floods that rise from a well till the balls touch. From there Newton's
method with 40 and with 50 digits, which must agree to 36; derivatives are mpmath's, of the energies.

Exits with 1 where the tests hold something else: a number that is off by a unit of its last digit, rounded or cut off; in the
table, whose last digits are the round-off of doubles, by TABLE. Takes ten seconds: /usr/bin/python3 magnetic_chain.py
"""
import heapq
import math
import pathlib
import re
import sys

from mpmath import fp, mp, mpf

TESTS = pathlib.Path(__file__).parents[1]
TABLE = {"place": 4e-15, "energy": 4e-15, "eigenvalue": 1e-13}  # of numbers of up to 4.5, 17 and 39


def potential(t, s, alpha, m=mp):
    """Weights and dipoles, with the functions of m."""
    balls = [(0, 0, 0), (m.sin(t), m.cos(t), 2 * t),
             (m.sin(t) + m.sin(2 * t + s), m.cos(t) + m.cos(2 * t + s), 2 * (t + s))]
    dipoles = 0
    for i, (x, y, turn) in enumerate(balls):
        for x1, y1, turn1 in balls[:i]:
            dx, dy = x - x1, y - y1
            along = (dx * m.sin(turn) + dy * m.cos(turn)) * (dx * m.sin(turn1) + dy * m.cos(turn1))
            square = dx * dx + dy * dy
            dipoles += (m.cos(turn - turn1) - 3 * along / square) / (square * m.sqrt(square))
    return alpha * dipoles / 6 + balls[1][1] + balls[2][1]


def kinetic(t, s, v, w):
    """Of centres and turns, 1/2 1/10 turn'^2; v = t', w = s'."""
    x, y = v * mp.cos(t) + (2 * v + w) * mp.cos(2 * t + s), v * mp.sin(t) + (2 * v + w) * mp.sin(2 * t + s)
    return (v * v + x * x + y * y) / 2 + ((2 * v) ** 2 + (2 * (v + w)) ** 2) / 20


def gap(t, s, m=mp):
    """From the surface of ball 1 to that of ball 3."""
    return m.sqrt((m.sin(t) + m.sin(2 * t + s)) ** 2 + (m.cos(t) + m.cos(2 * t + s)) ** 2) - 1


def gradient(t, s, alpha):
    return [mp.diff(lambda t, s: potential(t, s, alpha), (t, s), n) for n in ((1, 0), (0, 1))]


def hessian(t, s, alpha):
    """U_tt, U_ts, U_ss."""
    return [mp.diff(lambda t, s: potential(t, s, alpha), (t, s), n) for n in ((2, 0), (1, 1), (0, 2))]


def roots(a, b, c):
    """Of a x^2 - b x + c, both real."""
    root = mp.sqrt(b * b - 4 * a * c)
    return (b - root) / (2 * a), (b + root) / (2 * a)


def eigenvalues(t, s, alpha):
    a, b, c = hessian(t, s, alpha)
    return roots(mpf(1), a + c, a * c - b * b)


def frequencies(t, s, alpha):
    """Of the normal modes: det(U'' - omega^2 M) = 0."""
    a, b, c = hessian(t, s, alpha)
    A, C = 2 * kinetic(t, s, mpf(1), mpf(0)), 2 * kinetic(t, s, mpf(0), mpf(1))
    B = kinetic(t, s, mpf(1), mpf(1)) - (A + C) / 2
    return [mp.sqrt(x) for x in roots(A * C - B * B, a * C + c * A - 2 * b * B, a * c - b * b)]


# In double, by differences of the energy: where to look.

def slopes(t, s, alpha, h=2e-4):
    """The gradient and the Hessian."""
    (a, b, c), (d, e, f), (g, i, j) = (
        [potential(t + k * h, s + n * h, alpha, fp) for n in (-1, 0, 1)] for k in (-1, 0, 1))
    return ((i - b) / (2 * h), (f - d) / (2 * h),
            (i + b - 2 * e) / h ** 2, (j + a - c - g) / (4 * h ** 2), (f + d - 2 * e) / h ** 2)


def newton(t, s, alpha):
    """The stationary point that Newton's method leads to, or none."""
    for _ in range(40):
        if gap(t, s, fp) < -0.2:
            return None
        x, y, a, b, c = slopes(t, s, alpha)
        det = a * c - b * b
        if det == 0:
            return None
        dt, ds = (b * y - c * x) / det, (b * x - a * y) / det
        size = math.hypot(dt, ds)
        if size < 1e-6:
            return t + dt, s + ds
        short = min(1, 0.3 / size)
        t, s = t + short * dt, s + short * ds
    return None


def near(p, q):
    """Whether these are the same angles, modulo 2 pi."""
    return all(abs(math.remainder(a - b, 2 * math.pi)) < 1e-4 for a, b in zip(p, q))


def candidates(alpha, cells=48):
    """Stationary points where the balls are apart: one of each pair of mirror images, (t, s) and -(t, s)."""
    found = []
    for i in range(cells + 1):
        for j in range(-cells // 3, cells // 3 + 1):  # t + s is up to 2 pi / 3 in size
            t = math.pi * i / cells
            p = newton(t, 2 * math.pi / cells * j - t, alpha)
            if p and gap(*p, fp) > 0 and not any(near(p, q) or near(p, (-q[0], -q[1])) for q in found):
                found.append(p)
    return found


def index(alpha, pieces=4000):
    """The sum of the indices of all stationary points: the turns of the gradient around the strip |t + s| < 2 pi / 3."""
    total = 0
    for side in (-1, 1):
        angles = []
        for n in range(pieces + 1):
            t = 2 * math.pi * n / pieces
            x, y, *_ = slopes(t, side * 2 * math.pi / 3 - t, alpha)
            angles.append(math.atan2(y, x))
        parts = [math.remainder(b - a, 2 * math.pi) for a, b in zip(angles, angles[1:])]
        assert max(map(abs, parts)) < 1
        total -= side * sum(parts) / (2 * math.pi)
    assert abs(total - round(total)) < 1e-6
    return round(total)


def flood(t, s, alpha, step=0.02):
    """The stationary point at the highest place of a flood that rises from (t, s) till balls 1 and 3 touch."""
    level, highest = -math.inf, None
    front, seen = [(potential(t, s, alpha, fp), 0, 0)], {(0, 0)}
    while True:
        energy, i, j = heapq.heappop(front)
        if energy > level:
            level, highest = energy, (t + i * step, s + j * step)
        if gap(t + i * step, s + j * step, fp) <= 0:
            return newton(*highest, alpha)
        for cell in (i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1):
            if cell not in seen:
                seen.add(cell)
                heapq.heappush(front, (potential(t + cell[0] * step, s + cell[1] * step, alpha, fp), *cell))


# In so many digits.

def stationary(place, alpha):
    return tuple(mp.findroot(lambda t, s: gradient(t, s, alpha), place))


def fold(t, s, alpha):
    """Where a well and a saddle are born: (t, s, alpha)."""
    def excess(t, s, alpha):
        a, b, c = hessian(t, s, alpha)
        return gradient(t, s, alpha) + [a * c - b * b]
    return tuple(mp.findroot(excess, (t, s, alpha)))


def level(t, s, alpha):
    """Where a saddle is as high as the upright chain."""
    return tuple(mp.findroot(lambda t, s, alpha: gradient(t, s, alpha) + [potential(t, s, alpha) - potential(0, 0, alpha)],
                             (t, s, alpha)))


def pitchfork(alpha):
    """Where the Hessian of the upright chain is singular."""
    def determinant(alpha):
        a, b, c = hessian(mpf(0), mpf(0), alpha)
        return a * c - b * b
    return mp.findroot(determinant, alpha)


def lowest_touching(alpha, pieces=720):
    """The lowest energy on t + s = 2 pi / 3, and all places of it there; the other line is the mirror image."""
    def energy(t):
        return potential(t, 2 * mp.pi / 3 - t, alpha)
    turn = 2 * math.pi
    values = [potential(turn * n / pieces, turn / 3 - turn * n / pieces, float(alpha), fp) for n in range(pieces)]
    minima = []
    for n, value in enumerate(values):
        if value <= min(values[n - 1], values[(n + 1) % pieces]) and value < min(values) + 1e-3:
            t = mp.findroot(lambda t: mp.diff(energy, t), turn * n / pieces)
            minima.append((energy(t), t, 2 * mp.pi / 3 - t))
    least = min(minima)[0]
    return least, [place for value, *place in minima if value < least + mpf(10) ** -30]


# What the tests hold, as it stands there.

# landscapes/test_landscape.cpp: alpha, extrema, saddles.
COUNTS = (("0", 2, 0), ("10", 3, 7), ("17", 3, 7), ("17.8", 5, 9), ("17.9", 5, 9), ("18", 5, 9), ("18.4", 5, 9),
          ("18.5", 5, 9), ("20", 4, 8), ("50", 4, 8))
# alpha, energies of the well and of the pass, their places.
WELLS = (("17.8", "-9.632090737159633", "-9.620938397663226", ".619222145", ".212872958", "1.011855327", ".306494505"),
         ("17.9", "-9.696626749764863", "-9.676859509410758", ".555902161", ".196495628", "1.033341988", ".315934175"),
         ("18", "-9.762270016847027", "-9.732432443376046", ".496491182", ".179809196", "1.048701955", ".324202777"),
         ("18.4", "-10.03419453697553", "-9.952688270954423", ".238141402", ".093175387", "1.081988646", ".351149772"),
         ("18.5", "-10.1042608095395", "-10.00743315161407", ".135088300", ".053712317", "1.086601479", ".356920567"))
# alpha, the well and the energy of its pass.
ESCAPES = (("10", "hanging", "-6.236603749870985"), ("20", "upright", "-10.82328678185743"), ("20", "hanging", "-11.6447627"),
           ("50", "upright", "-27.2416299038874"), ("50", "hanging", "-28.1040101"))
TOUCHING = (("0", "-1.7320508"), ("10", "-6.475"), ("17", "-10.7573529"), ("17.8", "-11.2514045"), ("17.9", "-11.3131983"),
            ("18", "-11.375"), ("18.4", "-11.6222826"), ("18.5", "-11.6841216"), ("20", "-12.6125"), ("50", "-31.295"))
FOLD = "17.586776625116972", ".857216", ".265073", "-9.499392"
LEVEL, WEAK, STRONG = "17.884699697003781", "0.7690782843961718", "(3120 + 48 * std::sqrt(3579.0)) / 323"
# mechanics/test_models.cpp: alpha, the place, both frequencies.
MODES = (("10", "hanging", "0.93147108851", "3.73556675613"), ("20", "upright", "0.21009438152", "4.98808119258"),
         ("50", "upright", "0.97823605569", "7.98218885166"), ("18", "well", "0.15636066021", "4.16418112568"))
# The table: its alphas, rows of stationary points and of places where the balls touch.
TABULATED = "10", "18", "20"
NUMBER = r"\s*(-?[\d.]+(?:e-?\d+)?)\s*"
ROW, TOUCHING_ROW = (re.compile(r"\{" + ",".join(parts) + r"\}")
                     for parts in ([NUMBER] * 4 + [r'\s*"(\w+)"\s*'] + [NUMBER] * 2, [NUMBER] * 4))
STARTS = {}


def start(name, look, *where):
    """What is found in double: once, for both precisions."""
    if name not in STARTS:
        STARTS[name] = look(*map(float, where))
    return STARTS[name]


def derive():
    """All numbers, by the names that main() gives them, in the precision that is set."""
    found, upright, hanging = {}, (mpf(0), mpf(0)), (+mp.pi, -mp.pi)

    for text, *_ in COUNTS:
        alpha = mpf(text)
        places = [stationary(p, alpha) for p in start(text, candidates, alpha)]
        places += [(-t, -s) for t, s in places if not near((t, s), (-t, -s))]
        assert all(gap(*p) > 0 for p in places)
        found[text, "points"] = [(potential(*p, alpha), *p, *eigenvalues(*p, alpha)) for p in places]
    for text, *_ in WELLS:
        alpha = mpf(text)
        well, = [(t, s) for _, t, s, lower, _ in found[text, "points"] if lower > 0 and 1e-9 < t < 1]
        way_out = stationary(start((text, "well"), flood, *well, alpha), alpha)
        found[text, "well"] = potential(*well, alpha), potential(*way_out, alpha), *well, *way_out
    for text, kind, _ in ESCAPES:
        alpha, place = mpf(text), hanging if kind == "hanging" else upright
        assert eigenvalues(*place, alpha)[0] > 0
        found[text, kind] = [potential(*stationary(start((text, kind), flood, *place, alpha), alpha), alpha)]
    for text, _ in TOUCHING:
        found[text, "touching"] = lowest_touching(mpf(text))
    at = fold(0.857, 0.265, 17.587)
    found["fold"] = at[2], *at[:2], potential(*at)
    found["level"] = [level(1.03, 0.315, 17.88)[2]]
    found["pitchforks"] = [pitchfork(0.8), pitchfork(18.5)]
    for text, kind, *_ in MODES:
        place = hanging if kind == "hanging" else upright if kind == "upright" else found[text, "well"][2:4]
        found[text, "modes"] = frequencies(*place, mpf(text))
    return found


def flat(value):
    return [y for x in value for y in flat(x)] if isinstance(value, (list, tuple)) else [value]


class Comparison:
    """Prints each number beside the tests' and counts those that differ."""

    def __init__(self):
        self.failed = 0

    def check(self, name, right, text):
        self.failed += not right
        print(f"{name:33}{text}{'' if right else '   DIFFERS'}")

    def numbers(self, title, names, values, held, file):
        """Numbers against their texts, which must stand in the file."""
        for name, value, text in zip(names.split(), values, held, strict=True):
            stands = re.search(r"(?<![\d.])" + re.escape(text) + r"(?![\d.])", file)
            off = abs(value - mpf(text))
            self.check(f"{title} {name}", stands and off < mpf(10) ** -len(text.partition(".")[2]),
                       f"{mp.nstr(value, 22):27}{text:22}{mp.nstr(off, 2):10}{'' if stands else 'not in the test'}")


def angle(a, b):
    return 2 * mp.asin(abs(mp.sin((a - b) / 2)))


def main():
    each = []
    for mp.dps in 50, 40:
        each.append(derive())
    found = each[1]
    apart = max(abs(a - b) / max(1, abs(a)) for a, b in zip(*(flat(list(x.values())) for x in each), strict=True))
    compare = Comparison()
    compare.check("40 digits and 50", apart < mpf(10) ** -36, mp.nstr(apart, 2))

    landscape, models = (" ".join((TESTS / name).read_text(encoding="utf-8").split())
                         for name in ("landscapes/test_landscape.cpp", "mechanics/test_models.cpp"))
    for text, extrema, saddles in COUNTS:
        points = found[text, "points"]
        at_saddles = sum(lower < 0 < upper for *_, lower, upper in points)
        turns = index(float(text))
        right = (len(points) - at_saddles, at_saddles) == (extrema, saddles) and extrema - saddles == turns
        compare.check(f"{text} extrema, saddles, turns", right and f"Row{{{text}, {{{extrema}, {saddles}}}}}" in landscape,
                      f"{len(points) - at_saddles} {at_saddles} {turns}, {extrema} {saddles}")
    for text, *held in WELLS:
        compare.numbers(f"{text}", "well pass t s t(pass) s(pass)", found[text, "well"], held, landscape)
    for text, kind, held in ESCAPES:
        compare.numbers(f"{text} {kind},", "pass", found[text, kind], [held], landscape)
    for text, held in TOUCHING:
        compare.numbers(f"{text}", "contact", found[text, "touching"][:1], [held], landscape)
    compare.numbers("fold", "alpha t s energy", found["fold"], FOLD, landscape)
    compare.numbers("saddle as high as upright,", "alpha", found["level"], [LEVEL], landscape)
    compare.numbers("first pitchfork,", "alpha", found["pitchforks"][:1], [WEAK], landscape)
    closed = (3120 + 48 * mp.sqrt(3579)) / 323
    compare.check("second pitchfork", abs(closed - found["pitchforks"][1]) < 1e-36 and STRONG in landscape,
                  f"{mp.nstr(found['pitchforks'][1], 22):27}{STRONG}")
    for text, kind, *held in MODES:
        compare.numbers(f"{text} {kind},", "slow fast", found[text, "modes"], held, models)

    table = (TESTS / "reference/balls_stationary_points.hpp").read_text(encoding="utf-8")
    rows = ROW.findall(table)
    for text in TABULATED:
        compare.check(f"table at {text}, rows", sum(row[0] == text for row in rows) == len(found[text, "points"]),
                      f"{len(found[text, 'points'])}")
    taken = set()
    for text, energy, t, s, kind, *held in rows:
        near_to = [max(angle(p[1], mpf(t)), angle(p[2], mpf(s))) for p in found[text, "points"]]
        place = min(near_to)
        taken.add((text, near_to.index(place)))
        value, *at, lower, upper = found[text, "points"][near_to.index(place)]
        off = {"place": place, "energy": abs(value - mpf(energy)),
               "eigenvalue": max(abs(x - mpf(y)) for x, y in zip((lower, upper), held))}
        is_kind = "min" if lower > 0 else "max" if upper < 0 else "saddle"
        compare.check(f"table at {text}: {is_kind}", is_kind == kind and all(off[x] <= TABLE[x] for x in off),
                      " ".join(mp.nstr(x, 18) for x in (value, *at, lower, upper)) + "; off "
                      + ", ".join(mp.nstr(x, 2) for x in off.values()))
    compare.check("table, each point once", len(taken) == len(rows), f"{len(taken)} of {len(rows)}")
    contacts = TOUCHING_ROW.findall(table)
    compare.check("table, contacts", tuple(row[0] for row in contacts) == TABULATED, f"{len(contacts)}")
    for text, energy, t, s in contacts:
        value, places = found[text, "touching"]
        off = {"place": min(max(angle(sign * p[0], mpf(t)), angle(sign * p[1], mpf(s))) for p in places for sign in (-1, 1)),
               "energy": abs(value - mpf(energy))}
        compare.check(f"table at {text}, contact", all(off[x] <= TABLE[x] for x in off),
                      f"{mp.nstr(value, 18)} {energy}; off {', '.join(mp.nstr(x, 2) for x in off.values())}")
    print(compare.failed, "differ")
    return compare.failed > 0


if __name__ == "__main__":
    sys.exit(main())
