# SPDX-License-Identifier: BSD-3-Clause
"""random_problems.py [--problems N] [--seed S] [--only FAMILY,...] [--orders SHARE] [--jobs N] [--keep FOLDER] [--verbose]
                   [--plant sign|coefficient] PROGRAM

Makes problems at random, states each in a deck by formulas, and compares what the program finds with what
independent_motion.py does, which shares nothing with it. Of each problem one method flies the orbits closely and finds the
crossings of a section, another one, of all that take such a problem, shows its order as its steps are halved. An error is
counted in what an error of 1 on the way grows to: neighbouring orbits of the reference say how much that is. Of what differs
it is said how far the reference is off another one, of 30 digits and steps half as long. Prints a table: by family the
problems, the worst error over its bound, and what failed; decks of failures are kept. The control: of each
family's first problem the reference is spoiled, by a wrong sign of the forces and by a millionth of one, and must not agree.
With --plant all of them are, and the campaign has to fail. Ends with 1 where anything differed or a control agreed, and with
77, skipped, where python3-sympy and python3-mpmath aren't there.
"""
import argparse
import ast
import concurrent.futures
import functools
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

import h5py
import numpy as np

from random_statements import Maker, deck_of, toml

try:
    from independent_motion import Arithmetic, Motion, growth
except ModuleNotFoundError as missing:
    print(f"random_problems: skipped, {missing.name} is missing: apt install python3-sympy python3-mpmath", file=sys.stderr)
    sys.exit(77)

BOUND = 1e-11  # of an orbit's error over its growth, where a method has converged
CROSSINGS = 1e-10  # the same of crossings, their times and places
ROUND_OFF = 1e-12  # below which no order shows
LESS = 0.3  # of its order, that the last halving may show


@functools.lru_cache(4)
def motion_of(statement, plant, digits):
    return Motion(ast.literal_eval(statement), Arithmetic(digits), plant)


class Reference:
    """Orbits of a problem by independent_motion, from given starts, with their growth and what belongs to the samples."""

    def __init__(self, problem, times, starts, plant="", digits=None, parts=1, neighbours=True):
        self.problem, self.times = problem, times
        self.motion = motion_of(str(problem.statement), plant, digits)
        self.arithmetic = self.motion.arithmetic
        n, size = self.motion.n, 2.0**-20
        width = 1 + 2 * n if neighbours else 1
        states = [[*start, 0.0] for start, _ in starts for _ in range(width)]
        for k in range(len(states)):
            if k % width:
                states[k][k % width - 1] += size
        number = self.arithmetic.array
        values = np.array([values for _, values in starts for _ in range(width)], dtype=float).reshape(len(states), -1)
        parameters = list(number(values.T))
        self.exact_times = list(number(times))
        count = parts * max(1, math.ceil(float(times[1] - times[0]) / 0.12))
        with np.errstate(all="ignore"):
            flown, between = self.motion.flown(number(np.array(states).T), parameters, self.exact_times, count)
        self.states, self.columns = flown[:, :, ::width], [one[::width] for one in parameters]
        self.between = [(t, state[:, ::width], length) for t, state, length in between]
        self.growth = np.ones((len(times), len(starts)))
        if neighbours and np.isfinite(flown.astype(float)).all():
            for k in range(len(starts)):
                self.growth[:, k] = growth(flown[:, :2 * n, k * width:(k + 1) * width], size)
        self.size = max(1.0, float(np.abs(self.states[:, :2 * n].astype(float)).max()))

    def tame(self):
        whole = self.states.astype(float)
        return bool(np.isfinite(whole).all() and np.abs(whole).max() < 30 and self.growth.max() < 2000)

    def sampled(self):
        """Energies and multipliers of the samples: (time, orbit) and (time, multiplier, orbit)."""
        energies, multipliers = [], []
        for time, state in zip(self.exact_times, self.states):
            energies.append(self.motion.energy(time, state, self.columns))
            multipliers.append(self.motion.motion(time, state, self.columns)[1])
        return np.array(energies).astype(float), np.array(multipliers).astype(float)

    def roots(self, formula, level=0.0, period=None):
        """By orbit the roots of formula - level, in time: (time, state, slope), and how near a miss came to be one."""
        value, rate = self.motion.watched(formula)
        found, nearest = [[] for _ in self.columns[0]] if self.columns else [[] for _ in range(self.states.shape[2])], math.inf
        for (t, state, length) in self.between:
            end = self.motion.step(t, state, length, self.columns)
            ends = [(time, at, np.array(value(time, at, self.columns)) - level, np.array(rate(time, at, self.columns)))
                    for time, at in ((t, state), (t + length, end))]
            for k in range(state.shape[1]):
                start, parameters = state[:, k:k + 1], [one[k:k + 1] for one in self.columns]
                (first, slope), (last, final) = ((values[k], slopes[k]) for _, _, values, slopes in ends)
                turn = 0
                if period:
                    turn = period * np.round((first + last) / 2 / period)
                first, last = first - turn, last - turn

                def at(part, start=start, parameters=parameters):
                    state = self.motion.step(t, start, part, parameters) if part > 0 else start
                    return state, (value(t + part, state, parameters)[0] - level - turn), rate(t + part, state, parameters)[0]

                def root(low, high, what):  # of a function whose sign changes, by halving and then Newton or the secant
                    a, b = at(low)[what], at(high)[what]
                    for _ in range(60):
                        if high - low < 1e-4 * length:
                            break
                        middle = (low + high) / 2
                        c = at(middle)[what]
                        low, high, a, b = (middle, high, c, b) if (a > 0) == (c > 0) else (low, middle, a, c)
                    part, before = low - a * (high - low) / (b - a), (low, a)
                    for _ in range(8):
                        here = at(part)[what]
                        if here == before[1] or abs(part - before[0]) < 1e-18:
                            break
                        part, before = part - here * (part - before[0]) / (here - before[1]), (part, here)
                    return part
                if (first > 0) != (last > 0):
                    places = [root(0 * length, length, 1)]
                elif (slope > 0) != (final > 0) and (slope > 0) != (first > 0):
                    extreme = root(0 * length, length, 2)
                    height = at(extreme)[1]
                    nearest = min(nearest, abs(float(height)))
                    places = [root(0 * length, extreme, 1), root(extreme, length, 1)] if (height > 0) != (first > 0) else []
                else:
                    places = []
                for part in places:
                    here, _, fall = at(part)
                    found[k].append((float(t + part), here[:, 0], float(fall)))
                    nearest = min(nearest, abs(float(fall)))
        return found, nearest


def bounced(motion, wall, start, times, parameters, length=0.05):
    """An orbit between walls: (states at all times, [(time, state that comes in)] of the bounces), or None where one is grazed."""
    value, rate = motion.watched(wall)
    slope = motion.gradient(wall)
    t, state, states, bounces = 0 * times[0], start, [start], []
    for after in times[1:]:
        while t < after:
            part = min(length, after - t)
            end = motion.step(t, state, part, parameters)
            if value(t + part, end, parameters)[0] > 0:
                t, state = t + part, end
                continue
            low, high = 0 * part, part
            for _ in range(100):  # to the bit, nearly: the slope at a root isn't 0
                middle = (low + high) / 2
                here = motion.step(t, state, middle, parameters) if middle > 0 else state
                low, high = (middle, high) if value(t, here, parameters)[0] > 0 else (low, middle)
                if high - low < 1e-5 * part:
                    break
            for _ in range(6):
                here = motion.step(t, state, low, parameters)
                fall = rate(t, here, parameters)[0]
                if abs(fall) < 1e-2:
                    return None
                low = low - value(t, here, parameters)[0] / fall
            here = motion.step(t, state, low, parameters)
            t = t + low
            bounces.append((t, here))
            normal = np.array([one + 0 * here[0] for one in slope(here, parameters)])
            n = motion.n
            turned = here[n:2 * n] - 2 * normal * (here[n:2 * n] * normal).sum(0) / (normal * normal).sum(0)
            state = np.concatenate([here[:n], turned, here[2 * n:]])
        states.append(state)
    return np.array(states), bounces


class Wrong(Exception):
    """What the program found isn't what the problem's motion is."""


class Judge:
    """One problem: its runs, what they differ by, and whether that is right."""

    def __init__(self, program, folder, seed, family, plant=""):
        self.program, self.at, self.seed, self.family, self.plant = program, folder, seed, family, plant
        self.ratio, self.notes, self.text = 0.0, [], ""

    def run(self, study, *words):
        (self.at / f"{study}.toml").write_text(self.text or deck_of(self.problem, study), encoding="utf-8")
        alone = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"}
        end = subprocess.run([self.program, f"{study}.toml", *words], cwd=self.at, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=300, env=alone)
        self.command = " ".join([f"{study}.toml", *words])
        if "warning" in end.stdout + end.stderr:
            self.notes.append(end.stdout + end.stderr)
        if end.returncode != 0:
            raise Wrong(f"exit code {end.returncode}: {(end.stderr or end.stdout).strip()[:600]}")
        with h5py.File(self.at / "out.h5") as file:
            names = [name.decode() if isinstance(name, bytes) else name for name in file["orbits/status"].attrs["names"]]
            found = {"status": [names[one] for one in file["orbits/status"][()]]}
            for group in ("orbits", "trajectory", "section", "collisions"):
                for name in file.get(group, {}):
                    found[f"{group}/{name}"] = file[f"{group}/{name}"][()]
            columns = file["orbits/parameters"].attrs["columns"]
            found["columns"] = [one.decode() if isinstance(one, bytes) else one for one in columns]
        return found

    def make(self):
        """A problem whose orbits stay within bounds."""
        for attempt in range(40):
            problem = Maker(f"{self.seed} {attempt}").problem(self.family)
            times = self.times_of(problem)
            try:
                first = motion_of(str(problem.statement), "", None)
                values = [first.arithmetic.array(value) for value in problem.statement["parameters"].values()]
                if problem.statement.get("constraint") or problem.statement.get("rolling"):
                    states = [np.array([*start, 0.0]).astype(np.longdouble) for start in problem.starts]
                    moved = [first.onto(state, values)[:-1].astype(float) for state in states]
                    if not problem.project:
                        problem.starts = [[float(one) for one in state] for state in moved]
                    starts = [(state, list(problem.statement["parameters"].values())) for state in moved]
                else:
                    starts = [(state, list(problem.statement["parameters"].values())) for state in problem.starts]
                reference = Reference(problem, times, starts)
            except (ZeroDivisionError, FloatingPointError, np.linalg.LinAlgError, ValueError) as error:
                self.notes.append(f"drawn again: {error!r}")
                continue
            if reference.tame():
                self.problem, self.reference = problem, reference
                return
        raise RuntimeError(f"no tame problem of {self.family} for seed {self.seed}")

    @staticmethod
    def times_of(problem):
        count = math.floor(problem.time / problem.every)
        return [problem.every * k for k in range(count + 1)] + [problem.time]

    def starts_of(self, found):
        """From where the program began, and with which parameters, in the statement's order."""
        names = list(self.problem.statement["parameters"])
        rows = []
        for start, values in zip(found["orbits/initial"], found["orbits/parameters"]):
            parameters = dict(self.problem.statement["parameters"])
            parameters.update({name: value for name, value in zip(found["columns"], values) if name in parameters})
            rows.append((start, [parameters[name] for name in names]))
        return rows

    def begin(self, found):
        """The reference from where the program began, which must be where the deck says."""
        starts = self.starts_of(found)
        given = np.array(self.problem.starts)
        began = found["orbits/initial"]
        if not self.problem.project:
            times = len(began) // len(given)
            if not any(np.array_equal(began, one) for one in (np.tile(given, (times, 1)), np.repeat(given, times, 0))):
                raise Wrong(f"orbits don't begin at the deck's starts but at {began.tolist()}")
        if self.plant or self.problem.project or self.problem.swept:
            self.reference = Reference(self.problem, self.times_of(self.problem), starts, self.plant)
        off = self.reference.motion.off(self.reference.exact_times[0], self.reference.states[0], self.reference.columns)
        if max(off) > 1e-13:
            raise Wrong(f"starts are off their constraints by {off[0]:.2g}, {off[1]:.2g} in velocities")

    def errors(self, found, reference=None):
        """Differences over growth, each of what a result holds: {name: worst of all orbits}."""
        reference = reference or self.reference
        n, size = reference.motion.n, reference.size
        whole = reference.states.astype(float)
        turns = self.around(found["orbits/final"] - whole[-1, :2 * n].T)
        errors = {"q": turns[:, :n], "v": turns[:, n:]}
        errors = {name: np.abs(one / reference.growth[-1][:, None]).max() / size for name, one in errors.items()}
        count = len(reference.times) - 1
        energies, multipliers = reference.sampled()
        for name, found_there, known in (("samples of q", found["trajectory/q"], whole[:-1, :n]),
                                         ("samples of v", found["trajectory/v"], whole[:-1, n:2 * n])):
            gone = self.around(np.moveaxis(found_there[:, :count], 0, 2) - known, 1) if name == "samples of q" else \
                np.moveaxis(found_there[:, :count], 0, 2) - known
            errors[name] = np.abs(gone / reference.growth[:-1, None, :]).max() / size
        scale = max(1.0, np.abs(energies).max())
        errors["energy"] = np.abs((found["trajectory/energy"][:, :count].T - energies[:-1]) / reference.growth[:-1]).max() / scale
        errors["balance"] = found["orbits/energy_error"].max() / scale
        if "trajectory/multiplier" in found and reference.motion.k:
            scale = max(1.0, np.abs(multipliers).max())
            gone = np.moveaxis(found["trajectory/multiplier"][:, :count], 0, 2) - multipliers[:-1]
            errors["multiplier"] = np.abs(gone / reference.growth[:-1, None, :]).max() / scale
        return errors

    def around(self, difference, axis=1):
        """Angles modulo their period."""
        for k, name in enumerate(self.problem.statement["coordinates"]):
            if name in self.problem.angles:
                place = np.take(difference, k, axis)
                index = [slice(None)] * difference.ndim
                index[axis] = k
                difference[tuple(index)] = place - 2 * np.pi * np.round(place / (2 * np.pi))
        return difference

    def close(self):
        """The close method: everything to round-off, at some step."""
        step, tolerance, best = self.problem.step, self.problem.tolerance, None
        for halving in range(6 if not tolerance else 3):
            self.problem.step, self.problem.tolerance = step / 2**halving, tolerance / 10**halving
            found = self.run("trajectory")
            if set(found["status"]) != {"finished"}:
                raise Wrong(f"statuses {found['status']}")
            if halving == 0:
                self.begin(found)
            errors = self.errors(found)
            if best is None or max(errors.values()) < max(best[0].values()):
                best = errors, found, self.problem.step, self.problem.tolerance
            if max(errors.values()) < BOUND:
                break
        errors, self.found, self.problem.step, self.problem.tolerance = best
        worst = max(errors, key=errors.get)
        self.closest = errors
        self.ratio = max(self.ratio, errors[worst] / BOUND)
        if errors[worst] > BOUND:
            raise Wrong(f"{worst} is off by {errors[worst]:.3g} x growth by {self.problem.close}, step {self.problem.step} (tolerance "
                        f"{self.problem.tolerance}): "
                        + ", ".join(f"{key} {one:.2g}" for key, one in errors.items()))

    def order(self):
        """Another method shows its order: (name, what was found)."""
        problem, rows = self.problem, []
        name, order = problem.other, problem.order
        for halving in range(7):
            words = [f'method.name="{name}"', f"method.step={problem.time / 16 / 2**halving!r}", *problem.other_words]
            if problem.tolerance:
                words.append("method.tolerance=")
            if problem.stages and not any("stages" in word for word in problem.other_words):
                words.append("method.stages=")
            found = self.run("trajectory", *words)
            if set(found["status"]) != {"finished"}:
                if halving < 3:
                    continue  # too long a step for the implicit equations
                raise Wrong(f"statuses {found['status']} by {name}")
            rows.append(self.errors(found))
            shown = self.shown(rows, order)
            if len(rows) > 2 and min(shown.values()) > -LESS:
                break
        self.orders = {"method": name, "words": problem.other_words, "order": order, "rows": rows}
        bad = {key: one for key, one in shown.items() if one < -LESS}
        if bad:
            raise Wrong(f"{name} {problem.other_words} of order {order} shows "
                        + ", ".join(f"{order + one:.2f} of {key}" for key, one in bad.items())
                        + "; errors " + "; ".join(", ".join(f"{row[key]:.2g}" for row in rows) + f" of {key}" for key in bad))

    def shown(self, rows, order):
        """By quantity how much more than its order the last halving shows; infinity at round-off."""
        shown = {}
        for key in rows[0]:
            if key in rows[-1]:
                last, before = rows[-1][key], rows[-2][key] if len(rows) > 1 else 0
                shown[key] = math.inf if last < 10 * ROUND_OFF else math.log2(before / last) - order if before else -order
        return shown

    def crossings(self):
        section, reference = self.problem.section, self.reference
        found = self.run("poincare")
        if "every" in section:
            self.strobes(found, section)
            return
        if not np.array_equal(found["orbits/initial"], self.found["orbits/initial"]):  # projection holds a section's coordinate
            reference = Reference(self.problem, self.times_of(self.problem), self.starts_of(found), self.plant)
            if not reference.tame():
                return
        period = 2 * np.longdouble(np.pi) if section["where"] in self.problem.angles else None
        if period:
            period = 2 * reference.arithmetic.pi()
        known, nearest = reference.roots(section["where"], section["value"], period)
        if nearest < 1e-5:
            self.notes.append(f"a section touched within {nearest:.2g}")
            return
        wanted = {"up": (1,), "down": (-1,), "both": (1, -1)}[section["direction"]]
        condition = section.get("condition")
        for k, roots in enumerate(known):
            kept = [one for one in roots if np.sign(one[2]) in wanted and 1e-9 < one[0] < self.problem.time - 1e-9]
            if condition:
                left, right = condition.split(" > ")
                value, _ = reference.motion.watched(left)
                parameters = [one[k:k + 1] for one in reference.columns]
                heights = [value(np.longdouble(time), state[:, None], parameters)[0] - np.longdouble(right)
                           for time, state, _ in kept]
                if any(abs(one) < 1e-6 for one in heights):
                    return
                kept = [one for one, height in zip(kept, heights) if height > 0]
            self.compare(found, reference, k, [one[0] for one in kept], [one[1] for one in kept], [abs(one[2]) for one in kept])

    def strobes(self, found, section):
        times = [section["value"] + k * section["every"] for k in range(20)]
        times = [time for time in times if 0 < time < self.problem.time]
        if not times or any(self.problem.time - time < 1e-9 for time in times):
            return
        if self.problem.statement.get("kick"):
            return
        number = self.reference.arithmetic.array
        flown = Reference(self.problem, [0.0, *times], self.starts_of(found), self.plant, parts=6, neighbours=False)
        flown.growth = self.reference.growth
        for k in range(len(found["status"])):
            self.compare(found, flown, k, times, [state[:, k] for state in flown.states[1:]], [1.0] * len(times))

    def compare(self, found, reference, k, times, states, slopes):
        there = found["section/time"][k]
        there = there[np.isfinite(there)]
        if len(there) != len(times) or found["orbits/crossing_count"][k] != len(times):
            raise Wrong(f"orbit {k} crosses at {[float(f'{one:.6g}') for one in times]}, the program finds {there.tolist()}")
        n = reference.motion.n
        for j, (time, state, slope) in enumerate(zip(times, states, slopes)):
            size = reference.size * reference.growth[-1][k] * max(1, 1 / slope) * 10
            gone = self.around(found["section/points"][k, j][None] - state[:2 * n].astype(float)[None])
            error = max(abs(there[j] - time), np.abs(gone).max()) / size
            self.ratio = max(self.ratio, error / CROSSINGS)
            if error > CROSSINGS:
                raise Wrong(f"crossing {j} of orbit {k} is off by {there[j] - time:.3g} in time, "
                            f"{np.abs(gone).max():.3g} in place")

    def ends(self):
        """Orbits that leave a domain or take an exit, at the time and in the state where they do."""
        problem, reference = self.problem, self.reference
        found = self.run("trajectory")
        self.begin(found)
        text = problem.domain or "{0} - ({1})".format(*problem.exits["out"].replace("<", ">").split(" > "))
        known, nearest = reference.roots(text)
        if nearest < 1e-3:
            return
        value, _ = reference.motion.watched(text)
        n = reference.motion.n
        sign = -1 if problem.domain or "<" in problem.exits["out"] else 1
        heights = value(reference.exact_times[0], reference.states[0], reference.columns)
        for k, roots in enumerate(known):
            if sign * heights[k] > 0:
                continue  # it is out from the start
            roots = [one for one in roots if np.sign(one[2]) == sign]
            status = "left_domain" if roots else "finished"
            if found["status"][k] != status:
                raise Wrong(f"orbit {k} is {found['status'][k]}, should be {status}: {roots[:1]}")
            time = roots[0][0] if roots else problem.time
            state = roots[0][1] if roots else reference.states[-1][:, k]
            gone = found["orbits/final"][k] - state[:2 * n].astype(float)
            off = found["orbits/time"][k] - time
            self.closest[f"end {k}"] = max(abs(off), np.abs(gone).max())
            slow = max(1, 1 / abs(roots[0][2])) if roots else 1
            error = max(abs(off), np.abs(gone).max()) / (10 * slow * reference.size * reference.growth[-1][k])
            self.ratio = max(self.ratio, error / CROSSINGS)
            if error > CROSSINGS:
                raise Wrong(f"orbit {k} ends {off:.3g} too late, {np.abs(gone).max():.3g} off")

    def control(self):
        """Spoiled references, with which what the program found must not agree."""
        for plant in ("sign", "coefficient"):
            spoiled = Reference(self.problem, self.times_of(self.problem), self.starts_of(self.found), plant, neighbours=False)
            spoiled.growth = self.reference.growth
            with np.errstate(all="ignore"):
                errors = self.errors(self.found, spoiled)
            if max(errors.values()) < 10 * BOUND:
                raise Wrong(f"the control: a reference spoiled by a {plant} agrees")

    def confirmed(self):
        """How far the reference is off another of 30 digits and of steps half as long, over growth."""
        reference = self.reference
        better = Reference(self.problem, reference.times, list(zip(reference.states[0, :-1].T.astype(float),
                           np.array([one.astype(float) for one in reference.columns]).T.reshape(reference.states.shape[2], -1))),
                           self.plant, 30, 2, False)
        there = np.vectorize(lambda x: np.longdouble(str(x)), otypes=[np.longdouble])(better.states[:, :-1])
        apart = np.abs(reference.states[:, :-1] - there).astype(float).max(axis=1) / reference.growth
        return f"the reference is off one of 30 digits by {apart.max():.2g} x growth, which is up to {reference.growth.max():.3g}"

    def judge(self, control):
        self.make()
        self.closest = {}
        if self.problem.domain or self.problem.exits:
            self.ends()
            self.problem.domain, self.problem.exits = "", {}
        ended = self.closest
        self.close()
        self.closest |= ended
        if control and not self.plant:
            self.control()
        self.crossings()
        if self.with_order:
            self.order()


class Billiard(Judge):
    """Particles between walls that a formula states, in a field of another."""

    def deck(self, plan):
        lines = ['study = "billiard"', "[domain]", f"dimension = {plan['n']}",
                 f'sets = [{{ name = "wall", omega = "{plan["wall"]}", parameters = {toml(plan["wall parameters"])} }}]'
                 .replace(", parameters = {  }", ""), "[forces]"]
        lines += [f'potential = "{plan["field"]}"'] if plan["field"] else [f"gravity = {toml(plan['gravity'])}"]
        lines += [f"parameters = {toml(plan['parameters'])}"] if plan["field"] and plan["parameters"] else []
        lines += ["[ensemble]", f"list = {toml(plan['starts'])}", "[stop]", f"time = {plan['time']}", "[output]",
                  f"every = {plan['every']}", "collisions = 40", 'file = "out.h5"']
        return "\n".join(lines) + "\n"

    def plan(self, attempt):
        maker = Maker(f"{self.seed} {attempt}")
        chance, n = maker.chance, maker.chance.choice((2, 2, 3))
        names = ["x", "y", "z"][:n]
        kind = chance.choice(("power", "bent", "exp", "root"))
        if kind == "power":
            wall = "1 - " + " - ".join(f"{maker.number(0.6, 1.3)}*{name}^{chance.choice((2, 4))}" for name in names)
        elif kind == "bent":
            wall = "1.2 - " + " - ".join(f"{name}^2" for name in names) + f" + {maker.number(0.1, 0.4)}*sin({names[0]})*cos({names[-1]})"
        elif kind == "exp":
            wall = " + ".join(f"exp(-{maker.number(0.8, 1.3)}*{name}^2)" for name in names) + f" - {n - 1}.2"
        else:
            wall = "1.1 - sqrt(0.05 + " + " + ".join(f"{maker.number(0.8, 1.2)}*{name}^2" for name in names) + f") - 0.1*{names[0]}"
        held, maker.parameters = maker.parameters, {}
        field = "" if chance.random() < 0.4 else maker.potential(names, 1)
        if field:
            for name, text in maker.where.items():
                field = field.replace(name, f"({text})")
        used = {name: value for name, value in maker.parameters.items() if re.search(rf"\b{name}\b", field)}
        time = round(chance.uniform(2, 4), 3)
        return {"n": n, "wall": wall, "wall parameters": held, "field": field, "parameters": used,
                "gravity": [round(chance.uniform(-1, 1), 3) for _ in range(n)], "time": time, "every": round(time / 7.3, 4),
                "starts": [[round(chance.uniform(-size, size), 3) for size in (0.4,) * n + (1.0,) * n] for _ in range(3)]}

    def motion(self, plan, plant=""):
        names = ["x", "y", "z"][:plan["n"]]
        field = plan["field"] or " + ".join(f"({-pull})*{name}" for pull, name in zip(plan["gravity"], names))
        for name, value in plan["parameters"].items():
            field = re.sub(rf"\b{name}\b", repr(value), field)
        wall = plan["wall"]
        for name, value in plan["wall parameters"].items():
            wall = re.sub(rf"\b{name}\b", repr(value), wall)
        kinetic = " + ".join(f"{name}_dot^2" for name in names)
        return Motion({"coordinates": names, "lagrangian": f"({kinetic})/2 - ({field})"}, plant=plant), wall

    def flown(self, plan, plant=""):
        """By start: states, bounces, growth at the samples and the end; None where a wall is grazed."""
        motion, wall = self.motion(plan, plant)
        n, rows = plan["n"], []
        times = [np.longdouble(plan["every"]) * k for k in range(int(plan["time"] / plan["every"]) + 1)]
        times.append(np.longdouble(plan["time"]))
        value, _ = motion.watched(wall)
        for start in plan["starts"]:
            base = np.array([*start, 0.0]).astype(np.longdouble)[:, None]
            if value(times[0], base, [])[0] < 0.05:
                return None
            orbits = []
            for i in range(2 * n + 1):
                state = base.copy()
                if i:
                    state[i - 1] += np.longdouble(2)**-23
                orbit = bounced(motion, wall, state, times, [])
                if orbit is None or (orbits and len(orbit[1]) != len(orbits[0][1])) or len(orbit[1]) > 35:
                    return None
                orbits.append(orbit)
            grown = growth(np.concatenate([orbit[0][:, :2 * n] for orbit in orbits], axis=2), 2.0**-23)
            if not np.isfinite(grown).all() or grown[-1] > 1e5:
                return None
            states, bounces = orbits[0]
            rows.append((states[:, :, 0], [(time, state[:, 0]) for time, state in bounces], grown,
                         motion.energy(times[0], base, [])))
        return rows

    def judge(self, control):
        for attempt in range(40):
            plan = self.plan(attempt)
            rows = self.flown(plan)
            if rows and sum(len(row[1]) for row in rows) > 2:
                break
        else:
            raise RuntimeError(f"no tame billiard for seed {self.seed}")
        self.closest = {}
        self.text = self.deck(plan)
        found = self.run("billiard")
        off = self.differences(found, plan, rows)
        self.closest = off
        worst = max(off, key=off.get)
        self.ratio = off[worst] / CROSSINGS
        if self.plant:
            off = self.differences(found, plan, self.flown(plan, self.plant) or rows)
            worst = max(off, key=off.get)
        if off[worst] > CROSSINGS:
            raise Wrong(f"{worst} is off by {off[worst]:.3g} x growth: " + ", ".join(f"{key} {one:.2g}" for key, one in off.items()))
        for plant in ("sign", "coefficient") if control and not self.plant else ():
            spoiled = self.flown(plan, plant)
            if spoiled and max(self.differences(found, plan, spoiled).values()) < 10 * CROSSINGS:
                raise Wrong(f"the control: a reference spoiled by a {plant} agrees")

    def differences(self, found, plan, rows):
        n, off = plan["n"], dict.fromkeys(("end", "samples", "times of bounces", "places of bounces", "energy"), 0.0)
        for k, (states, bounces, grown, energy) in enumerate(rows):
            states = states.astype(float)[:, :2 * n]
            if found["status"][k] != "finished" or found["orbits/crossing_count"][k] != len(bounces):
                count = found["orbits/crossing_count"][k]
                return off | {f"the count of bounces of particle {k}, {count}, not {len(bounces)},": math.inf}
            off["end"] = max(off["end"], np.abs(found["orbits/final"][k] - states[-1]).max() / grown[-1])
            there = np.concatenate([found["trajectory/q"][k], found["trajectory/v"][k]], axis=1)[:len(states) - 1]
            off["samples"] = max(off["samples"], np.abs((there - states[:-1]) / grown[:-1, None]).max())
            drift = np.abs(found["trajectory/energy"][k][:len(states) - 1] - float(energy[0])).max()
            off["energy"] = max(off["energy"], drift / grown[-1])
            for j, (time, state) in enumerate(bounces):
                slow = grown[-1] * max(1.0, 1.0 / float(np.abs(state[n:2 * n]).max()))
                off["times of bounces"] = max(off["times of bounces"], abs(found["collisions/time"][k][j] - float(time)) / slow)
                off["places of bounces"] = max(off["places of bounces"],
                                               np.abs(found["collisions/point"][k][j] - state[:n].astype(float)).max() / slow)
        return off


def judged(program, keep, seed, family, control, plant, with_order):
    with tempfile.TemporaryDirectory(prefix="cotangent_random_") as folder:
        judge = (Billiard if family == "walls" else Judge)(program, pathlib.Path(folder), seed, family, plant)
        judge.with_order, wrong = with_order, ""
        try:
            judge.judge(control)
        except Wrong as error:
            wrong = f"{getattr(judge, 'command', '')}: {error}"
            if hasattr(judge, "reference"):
                wrong += "; " + judge.confirmed()
        except Exception:  # the script's own
            wrong = traceback.format_exc()
        if wrong:
            place = keep / f"{family.replace(' ', '_')}_{seed}"
            place.mkdir(parents=True, exist_ok=True)
            for deck in pathlib.Path(folder).glob("*.toml"):
                (place / deck.name).write_text(deck.read_text(encoding="utf-8"), encoding="utf-8")
            (place / "wrong").write_text(wrong + "\n", encoding="utf-8")
        return family, seed, judge.ratio, wrong, getattr(judge, "closest", {}), getattr(judge, "orders", {}), judge.notes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--orders", type=float, default=1.0, help="of how many problems another method shows its order")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("random_problems"))
    parser.add_argument("--plant", choices=("sign", "coefficient"), default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    given = parser.parse_args()
    families = [one for one in given.only.split(",") if one] or Maker.FAMILIES
    rows = {family: [] for family in families}
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        tasks = [pool.submit(judged, given.program.resolve(), given.keep, 1000 * given.seed + k, families[k % len(families)],
                             k < len(families), given.plant, (k + k // len(families)) * given.orders % 1 < given.orders)
                 for k in range(given.problems)]
        for task in concurrent.futures.as_completed(tasks):
            family, seed, ratio, wrong, closest, orders, notes = task.result()
            rows[family].append((seed, ratio, wrong))
            if given.verbose:
                shown = {key: " ".join(f"{row[key]:.1e}" for row in orders["rows"]) for key in orders["rows"][0]} if orders else ""
                print(family, seed, f"{ratio:.2g}", "WRONG " + wrong if wrong else "",
                      {key: f"{one:.1e}" for key, one in closest.items()},
                      {key: one for key, one in orders.items() if key != "rows"}, shown, *notes, flush=True)
    print(f"{'family':28} problems  worst error over its bound  wrong")
    wrongs = []
    for family, found in rows.items():
        bad = [(seed, wrong) for seed, _, wrong in sorted(found) if wrong]
        wrongs += [f"{family}, seed {seed}: {wrong}" for seed, wrong in bad]
        print(f"{family:28} {len(found):8}  {max((ratio for _, ratio, _ in found), default=0):26.3g}  {len(bad):5}")
    print("\n".join(wrongs), end="\n" if wrongs else "")
    if wrongs:
        print(f"the decks are in {given.keep}")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
