# SPDX-License-Identifier: BSD-3-Clause
"""Study periodic-orbits: numbers from the literature, with controls that miss them; the same bits on any ranks and after a
restart; and what it refuses.

Henon-Heiles' straight orbit on q1 = 0: M. Brack, Bifurcation cascades and self-similarity of periodic orbits with analytical
scaling constants in Henon-Heiles type potentials, Foundations of Physics 31 (2001) 209; ten digits from a Taylor series of
order 24. The standard map: J. M. Greene, A method for determining a stochastic transition, J. Math. Phys. 20 (1979) 1183;
residues from an arithmetic of 40 digits.
"""
import json
import shutil
import unittest

import h5py
import numpy as np

from launch import SOURCE, ProgramTest
from results import same_bits

CHAOS = SOURCE / "input" / "chaos"
MINUS_TWO = [0.1352859193, 0.1525357355]
PLUS_TWO = [0.1615515151, 0.1644515392, 0.1665313071, 0.1666083040]
RESIDUES = {(8, 13): 0.24660815234, (13, 21): 0.252298965302, (21, 34): 0.248720401787, (34, 55): 0.250937488824}

MANY = """study = "periodic-orbits"
[model]
name = "henon-heiles"
[method]
name = "gauss"
step = 0.25
[section]
where = "q1"
[ensemble]
energy = 0.08
grid = { q2 = [-0.3, 0.5, 3], q2_dot = [-0.2, 0.2, 2] }
[orbits]
returns = [1, 2]
[continuation]
parameter = "energy"
to = 0.1
step = 0.01
largest_step = 0.02
points = 40
turns = [1, 2, 3, 4]
offspring = 1
[output]
file = "out.h5"
checkpoint_minutes = 0.001
"""


def located(file, n):
    """The energies at which a result's first family has the multipliers exp(+- 2 pi i k / n)."""
    kinds = file["bifurcations/n"][0]
    return np.sort(file["bifurcations/value"][0][kinds == n])


class StraightOrbit(ProgramTest):
    def run_deck(self, *words):
        return self.opened(CHAOS / "henon_heiles_periodic.toml", "continuation.offspring=0", *words, ranks=1)

    def test_cascade_to_ten_digits(self):
        with self.run_deck() as file:
            doublings, branchings = located(file, 2), located(file, 1)
            for known in MINUS_TWO:
                self.assertLess(np.abs(doublings - known).min(), 1e-10)
            self.assertEqual(len(branchings), len(PLUS_TWO))
            self.assertLess(np.abs(branchings - PLUS_TWO).max(), 1e-10)
            self.assertLess(abs(file["bifurcations/period"][0, 0] - 7.8110064572), 1e-9)
            self.assertLess(abs(file["bifurcations/residue"][0, 0] - 1), 1e-10)
            self.assertFalse(file["bifurcations/fold"][0].any())
            ratio = (1 / 6 - branchings[0]) / (1 / 6 - branchings[2])
            self.assertLess(abs(ratio / np.exp(2 * np.pi / np.sqrt(3)) - 1), 0.01)
            self.assertEqual(file["families/end"][0], 1)
            # Stable below the first energy, then not, as the trace says.
            energy, stable = file["families/energy"][0], file["families/stability"][0]
            known = np.isfinite(energy)
            self.assertTrue((stable[known & (energy < MINUS_TWO[0])] == 1).all())
            self.assertTrue((stable[known & (energy > MINUS_TWO[0]) & (energy < MINUS_TWO[1])] == 2).all())

    def test_control_a_method_of_low_order_misses_them(self):
        with self.run_deck("method.stages=3", "continuation.to=0.14") as file:
            off = abs(located(file, 2)[0] - MINUS_TWO[0])
            self.assertGreater(off, 1e-9)  # found: 4e-9; with 8 stages 4e-13
            self.assertLess(off, 1e-6)

    def test_a_doubled_period_branches_off(self):
        deck = CHAOS / "henon_heiles_periodic.toml"
        with self.opened(deck, "continuation.offspring=1", "continuation.to=0.15", ranks=1) as file:
            self.assertEqual(list(file["families/parent"][()]), [-1, 0])
            self.assertEqual(list(file["families/returns"][()]), [1, 2])
            branch = np.isfinite(file["families/value"][1])
            self.assertGreater(branch.sum(), 3)
            self.assertLess(np.nanmax(file["families/error"][1]), 1e-10)
            # It begins where the other's period doubles, and leaves the straight line.
            self.assertLess(abs(file["families/period"][1, 0] - 2 * 7.8110064572), 0.01)
            self.assertLess(abs(file["families/energy"][1, 0] - MINUS_TWO[0]), 1e-3)
            off_line = np.abs(file["families/state"][..., [0, 2]])
            self.assertLess(np.nanmax(off_line[0]), 1e-15)
            self.assertGreater(np.nanmax(off_line[1]), 0.05)


class StandardMap(ProgramTest):
    def test_greenes_residues(self):
        with self.opened(CHAOS / "standard_map_residues.toml", ranks=1) as file:
            rows = zip(file["orbits/winding"][:, 0], file["orbits/returns"][()], file["orbits/residue"][()],
                       file["orbits/points"][()][np.unique(file["orbits/points_orbit"][()], return_index=True)[1]])
            found = {(m, n): residue for m, n, residue, state in rows}
            for which, residue in RESIDUES.items():
                self.assertIn(which, found)
                self.assertLess(abs(found[which] - residue), 1e-6)
            np.testing.assert_array_less(file["orbits/error"][()], 1e-10)

    def test_control_another_kick_has_other_residues(self):
        with self.opened(CHAOS / "standard_map_residues.toml", "model.parameters.K=0.95", ranks=1) as file:
            for m, n, residue in zip(file["orbits/winding"][:, 0], file["orbits/returns"][()], file["orbits/residue"][()]):
                if (m, n) in RESIDUES:
                    self.assertGreater(abs(residue - RESIDUES[m, n]), 1e-3)


class SameBits(ProgramTest):
    def test_any_ranks(self):
        for ranks in (1, 2, 3):
            self.ended(self.deck(MANY), f"output.file=ranks{ranks}.h5", ranks=ranks)
        with h5py.File(self.at / "ranks1.h5") as file:
            self.assertGreater(len(file["orbits/period"]), 3)
            self.assertLess(file["orbits/error"][()].max(), 1e-10)
        for ranks in (2, 3):
            self.assertEqual(same_bits(self.at / "ranks1.h5", self.at / f"ranks{ranks}.h5"), [])

    def test_killed_and_resumed(self):
        self.deck(MANY)
        fine = ["continuation.step=0.0001", "continuation.largest_step=0.0001", "continuation.points=2000"]
        self.ended("deck.toml", "output.file=whole.h5", *fine, ranks=1)
        self.killed("deck.toml", *fine, "output.checkpoint_minutes=1e-6", ranks=2)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [], "the run wasn't cut short")
        for ranks in (3,):
            self.ended("deck.toml", *fine, "--resume", ranks=ranks)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])


class Continuation(ProgramTest):
    def test_a_family_that_is_where_it_is_to_end(self):
        with self.opened(CHAOS / "henon_heiles_periodic.toml", "continuation.to=0.05", ranks=1) as file:
            self.assertEqual(set(file["families/points"][()]) - {0}, {1})
            ends = [name.decode() if isinstance(name, bytes) else name for name in file["families/end"].attrs["names"]]
            self.assertEqual(ends[file["families/end"][0]], "reached")

    def test_what_is_refused(self):
        deck = self.deck(MANY)
        self.says(self.launch(deck, "continuation.turns=[1, 2, 2]"), 2, "turns", "twice")
        self.says(self.launch(deck, "continuation.largest_step=0.001"), 2, "largest_step", "shorter than step")

    def test_a_method_of_low_order_finds_its_own_orbits(self):
        """Its steps are equal parts of the period, not those of the deck."""
        for step in ("0.05", "0.0499163"):
            with self.opened(CHAOS / "henon_heiles_periodic.toml", "continuation=", "method.stages=",
                             "method.name=stormer-verlet", f"method.step={step}", ranks=1) as file:
                self.assertGreater(len(file["orbits/period"]), 0)


MOVING_ROTOR = """study = "periodic-orbits"
[model]
coordinates = ["x"]
parameters = { a = 0.5 }
lagrangian = "x_dot^2/2"
kick = { potential = "a*(x-5*a)^2/2 + (x-5*a)^4/4", every = 1.0 }
[method]
name = "stormer-verlet"
step = 1.0
[section]
where = "t"
every = 1.0
[ensemble]
list = [[2.5, 0.0]]
[continuation]
parameter = "a"
to = -0.8
step = 0.01
largest_step = 0.1
offspring = 2
"""
DAMPED_PENDULUM = """study = "periodic-orbits"
[model]
coordinates = ["x"]
parameters = { A = 1.05 }
angles = ["x"]
lagrangian = "x_dot^2/2 + cos(x)"
dissipation = "0.5*x_dot^2/2"
force = { x = "A*cos(2*t/3)" }
[method]
name = "gauss"
stages = 8
step = 0.2
[section]
where = "t"
every = "3*pi"
[ensemble]
list = [[-0.3, 1.97]]
[continuation]
parameter = "A"
to = 1.0822
step = 0.01
largest_step = 0.05
offspring = 2
"""
QUARTIC = """study = "periodic-orbits"
[model]
coordinates = ["x", "y"]
parameters = { p = 0.5 }
lagrangian = "(x_dot^2 + y_dot^2)/2 - (x^4 + y^4)/4 - p*x^2*y^2/2"
[method]
name = "gauss"
stages = 8
step = 0.1
[section]
where = "y"
[ensemble]
energy = 0.25
points = [{ x = 0.0, x_dot = 0.0 }]
[continuation]
parameter = "p"
to = 1.5
step = 0.02
largest_step = 0.2
points = 40
offspring = 1
"""


class Branches(ProgramTest):
    def families(self, text):
        """Of each family: its row's parent, returns and end, the numbers along it, and what it passes."""
        with self.opened(self.deck(text + '[output]\nfile = "out.h5"\n'), ranks=1) as file:
            sets = {name: item[()] for name, item in file["families"].items()}
            kinds, at = file["bifurcations/n"][()], file["bifurcations/value"][()]
        return [{**{name: sets[name][k] for name in ("parent", "returns", "end")},
                 **{name: sets[name][k, :count] for name in ("value", "state", "trace", "error")},
                 "passed": [(n, value) for n, value in zip(kinds[k], at[k]) if np.isfinite(value)]}
                for k, count in enumerate(sets["points"]) if count > 0]

    def test_a_branch_of_an_orbit_that_moves_with_the_parameter(self):
        """Kicked in a well about x = 5 a that splits in two at a = 0: the orbits at rest are x = 5 a, of trace 2 - a, and
        beyond x = 5 a +- sqrt(-a), of trace 2 + 2 a."""
        parent, child = self.families(MOVING_ROTOR)
        np.testing.assert_allclose(parent["trace"], 2 - parent["value"], atol=1e-12)
        self.assertEqual([n for n, at in parent["passed"]], [1])
        a, x = child["value"], child["state"][:, 0]
        self.assertEqual((child["parent"], child["end"]), (0, 1))
        self.assertLess(a.max(), 0)
        np.testing.assert_allclose(np.abs(x - 5 * a), np.sqrt(-a), atol=1e-9)
        np.testing.assert_allclose(child["trace"], 2 + 2 * a, atol=1e-9)

    def test_a_cascade_of_a_damped_pendulum(self):
        """Each orbit of the cascade is followed to the end; its doublings close in by Feigenbaum's number, 4.67."""
        cascade = self.families(DAMPED_PENDULUM)
        self.assertEqual([(one["parent"], one["returns"], one["end"]) for one in cascade], [(-1, 1, 1), (0, 2, 1), (1, 4, 1)])
        at = [value for one in cascade for n, value in one["passed"] if n == 2]
        self.assertEqual(len(at), 3)
        self.assertLess(abs(at[0] - 1.0663728624552), 1e-10)
        self.assertLess(abs((at[1] - at[0]) / (at[2] - at[1]) - 4.669), 0.01)
        for one in cascade:
            self.assertLess(one["error"].max(), 1e-12)

    def test_a_trace_of_2_throughout_passes_nothing(self):
        """At p = 1 the quartic well is round: every orbit has the trace 2, and the family that branches off stays there."""
        parent, child = self.families(QUARTIC)
        self.assertEqual([n for n, at in parent["passed"]], [1])
        self.assertLess(np.abs(child["value"] - 1).max(), 1e-9)
        self.assertLess(np.abs(child["trace"] - 2).max(), 1e-9)
        self.assertEqual(child["passed"], [])


class Units(ProgramTest):
    def test_scaled_henon_heiles(self):
        """By a length s and a frequency w: energies by (s w)^2, the trace is a pure number."""
        found = {}
        for s, w in ((1.0, 1.0), (1e-3, 1e6), (1e6, 1e-6), (1e-6, 1.0)):
            text = f"""study = "periodic-orbits"
[model]
coordinates = ["x", "y"]
parameters = {{ s = {s!r}, w = {w!r} }}
lagrangian = "(x_dot^2+y_dot^2)/2 - w^2*((x^2+y^2)/2 + (x^2*y-y^3/3)/s)"
[method]
name = "gauss"
stages = 8
step = {0.25 / w!r}
[section]
where = "y"
[ensemble]
energy = {0.05 * s**2 * w**2!r}
points = [{{ x = {1e-3 * s!r}, x_dot = 0.0 }}]
[output]
file = "out.h5"
"""
            with self.opened(self.deck(text), ranks=1) as file:
                self.assertEqual(len(file["orbits/trace"]), 1)
                self.assertEqual(file["orbits/stability"][0], 1)
                found[s, w] = file["orbits/trace"][0], file["orbits/period"][0] * w
        for numbers in found.values():
            np.testing.assert_allclose(numbers, found[1.0, 1.0], rtol=1e-11)


class Ended(ProgramTest):
    def test_a_finished_run_is_not_begun_anew(self):
        deck = CHAOS / "standard_map_residues.toml"
        for words in ([], ["continuation.parameter='K'", "continuation.to=0.96"]):
            with self.subTest(words=words):
                self.assertEqual(self.launch(deck, "output.file=out.h5", *words, ranks=1).returncode, 0)
                (self.at / "out.h5.checkpoint").write_bytes(b"of a run that was killed right after its end")
                end = self.ended(deck, "output.file=out.h5", *words, "--resume", ranks=1)
                self.assertIn("was complete", end.stdout)
                self.assertFalse((self.at / "out.h5.checkpoint").exists())
                # Nor is its search: that would take longer than this.
                no_time = "output.wall_minutes=1e-9"
                end = self.ended(deck, "output.file=out.h5", *words, "--resume", no_time, ranks=1)
                self.assertIn("was complete", end.stdout)
                self.says(self.launch(deck, "output.file=late.h5", *words, no_time, ranks=1), 2, "wall_minutes",
                          "before the search was")
                # One of a program that didn't tell is left, for nobody knows.
                shutil.copy(self.at / "out.h5", self.at / "old.h5")
                with h5py.File(self.at / "old.h5", "r+") as file:
                    del file["run/exit_code"]
                self.says(self.launch(deck, "output.file=old.h5", *words, "--resume", ranks=1), 2, "old.h5",
                          "a program before this one", "begins anew")
                # A control: one whose end isn't on disk is begun anew.
                with h5py.File(self.at / "out.h5", "r+") as file:
                    file["run/exit_code"][()] = -1
                end = self.ended(deck, "output.file=out.h5", *words, "--resume", ranks=1)
                self.assertNotIn("was complete", end.stdout)

    def test_progress_ends_with_all(self):
        atlas = ["stop.time=5", "atlas.levels=1", "ensemble.energy.count=5"]
        for deck, words in ((self.deck(MANY), []), (CHAOS / "henon_heiles_order.toml", atlas)):
            with self.subTest(deck=deck):
                end = self.ended(deck, "--progress=json", "output.file=out.h5", *words, ranks=1)
                told = [json.loads(line)["progress"] for line in end.stdout.splitlines() if line.startswith("{")]
                self.assertEqual(told[-1]["done"], told[-1]["all"])
                self.assertGreater(told[-1]["all"], 1)


def kicked(x, y, k):
    """The standard map as the rotor has it, just before kicks."""
    y = y - k * np.sin(x)
    return x + y, y


def unkicked(x, y, k):
    x = x - y
    return x, y + k * np.sin(x)


def homoclinic_orbit(k, kind, start=1e-8):
    """Positions of the homoclinic orbit from pi to -pi that is symmetric about x = 0 (kind 0: a point of it lies there; 1: none),
    by bisection along the unstable eigenvector in 80 bits; and its momentum where it comes to the symmetry."""
    real = np.longdouble
    k, pi = real(k), 4 * np.arctan(real(1))
    growth = 1 + k / 2 + np.sqrt(k + k * k / 4)

    def flown(d, count):
        x, y, way = pi - d, -d * (growth - 1 - k), []
        for _ in range(count):
            way.append((x, y))
            x, y = kicked(x, y, k)
        return [*way, (x, y)]

    def beyond(d, count):
        way = flown(d, count)
        return way[-1][0] + (way[-2][0] if kind else 0)

    count = 1
    while beyond(real(start), count) > 0:
        count += 1
    near, far = real(start) / growth**2, real(start)
    for _ in range(90):
        middle = (near + far) / 2
        near, far = (middle, far) if beyond(middle, count) > 0 else (near, middle)
    way = flown(near, count)
    half = [x for x, _ in way[:-1]]
    return np.array([*half, *([] if kind else [real(0)]), *(-x for x in reversed(half))]), way[-1]


# A particle on a hill, in sight for |x| < 1.
LEAVING = """study = "periodic-orbits"
[model]
coordinates = ["x"]
lagrangian = "x_dot^2/2 + x^2/2"
domain = "1 - x^2"
[method]
name = "gauss"
step = 0.2
[section]
where = "t"
every = "1.0"
[ensemble]
list = [[0.0, 0.0]]
[orbits]
returns = 1
[manifolds]
length = 5.0
[output]
file = "out.h5"
"""


def lobe(k):
    """The turnstile's area: the difference of two homoclinic orbits' actions, sums of (x' - x)^2/2 + K cos x."""
    def action(x):
        return (np.diff(x)**2 / 2 + k * (np.cos(x[:-1]) + 1)).sum()
    return float(abs(action(homoclinic_orbit(k, 0)[0]) - action(homoclinic_orbit(k, 1)[0])))


class Manifolds(ProgramTest):
    """Of the standard map's fixed point (pi, 0). R. S. MacKay, J. D. Meiss, I. C. Percival, Physica D 13 (1984) 55."""
    K, OTHER = 1.2, 1.25

    def grown(self, *words, ranks=1):
        return self.opened(CHAOS / "standard_map_manifolds.toml", *words, ranks=ranks)

    def test_points_bends_and_what_the_map_makes_of_them(self):
        with self.grown("manifolds.length=12") as file:
            growth = 1 + self.K / 2 + np.sqrt(self.K + self.K**2 / 4)
            np.testing.assert_allclose(file["manifolds/multiplier"][()], [growth, growth, 1 / growth, 1 / growth], rtol=1e-12)
            self.assertEqual(list(file["manifolds/kind"][()]), [0, 0, 1, 1])
            self.assertEqual(list(file["manifolds/side"][()]), [1, -1, 1, -1])
            for row in range(4):
                count = file["manifolds/count"][row]
                t, state = file["manifolds/t"][row, :count], file["manifolds/state"][row, :count]
                self.assertTrue(np.isnan(file["manifolds/t"][row, count:]).all())
                self.assertTrue((np.diff(t) > 0).all())
                chords = np.diff(state, axis=0)
                lengths = np.hypot(*chords.T)
                self.assertLessEqual(lengths.max(), 0.1)
                self.assertGreaterEqual(lengths.sum(), 12)
                self.assertLess(lengths.sum(), 12.1)
                turn = np.diff(np.unwrap(np.arctan2(chords[:, 1], chords[:, 0])))
                self.assertLessEqual(np.abs(turn).max(), 0.1 + 1e-6)
                # As often the other way as it came, each point is again where its manifold begins, 4e-5 or so off the fixed point.
                back = kicked if row >= 2 else unkicked
                for k, near in ((self.K, True), (self.OTHER, False)):
                    x, y = state.T.astype(np.longdouble)
                    for n in range(int(t[-1])):
                        more = t >= n + 1
                        there = back(x[more], y[more], np.longdouble(k))
                        x[more], y[more] = there
                    off = np.hypot(x - np.pi, y).max()
                    (self.assertLess if near else self.assertGreater)(off, 1.5e-4)

    def test_areas_do_not_hang_on_how_many_points_are_told(self):
        with self.grown("manifolds.length=14") as file:
            state, area = file["homoclinic/state"][()], file["homoclinic/area"][()]
        for told in (4, 7):
            with self.grown("manifolds.length=14", f"manifolds.homoclinic={told}") as file:
                np.testing.assert_array_equal(file["homoclinic/state"][()], state[:, :told])
                np.testing.assert_array_equal(file["homoclinic/area"][()], area[:, :told])

    def test_homoclinic_points_on_the_symmetry_line(self):
        with self.grown("manifolds.length=12") as file:
            x, y = np.moveaxis(file["homoclinic/state"][()], -1, 0)
            self.assertLess(np.nanmax(file["homoclinic/error"][()]), 1e-10)

            def nearest(k, kind):
                x_there, y_there = map(float, homoclinic_orbit(k, kind)[1])
                return np.nanmin(np.hypot((x - x_there + np.pi) % (2 * np.pi) - np.pi, y - y_there))
            for kind in (0, 1):
                self.assertLess(nearest(self.K, kind), 1e-10)
                self.assertGreater(nearest(self.OTHER, kind), 1e-3)

    def test_lobes(self):
        known = lobe(self.K)
        self.assertGreater(abs(lobe(self.OTHER) / known - 1), 0.05)
        with self.grown("manifolds.length=12") as file:
            area = file["homoclinic/area"][()]
            lobes = 0
            for pair, turns in ((1, -1), (2, 1)):  # from the fixed point to that of the next turn
                some = np.flatnonzero(np.isfinite(area[pair]) & (file["homoclinic/turns"][pair] == turns))
                t, u, here = (file[f"homoclinic/{name}"][pair][some] for name in ("t_unstable", "t_stable", "area"))
                self.assertLess(abs(abs(here[0]) - known), 1e-10)
                # Along an orbit t grows by 1 on the unstable manifold, falls by 1 on the stable one.
                along = (np.abs((t - t[0] + 0.5) % 1 - 0.5) < 1e-6) & (np.abs(t + u - t[0] - u[0]) < 1e-6)
                lobes += along.sum()
                self.assertLess(np.abs(here[along] - here[0]).max(), 1e-8 * known)
            self.assertGreater(lobes, 8)
        with self.grown("manifolds.length=12", f"model.parameters.K={self.OTHER}") as file:  # a control
            self.assertGreater(np.nanmin(np.abs(np.abs(file["homoclinic/area"][()]) - known)), 1e-3)

    def test_any_ranks(self):
        words = ["manifolds.length=12"]
        self.grown(*words).close()
        (self.at / "out.h5").rename(self.at / "whole.h5")
        for ranks in (2, 3):
            self.grown(*words, ranks=ranks).close()
            self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])

    def test_killed_and_resumed(self):
        words = ["manifolds.length=80", "manifolds.homoclinic=3", "output.checkpoint_minutes=0.00001"]
        self.grown(*words).close()
        (self.at / "out.h5").rename(self.at / "whole.h5")
        self.killed(CHAOS / "standard_map_manifolds.toml", "output.file=out.h5", *words, ranks=1)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [], "the run wasn't cut short")
        with h5py.File(self.at / "out.h5", "r+") as file:  # what the checkpoint knows to be grown isn't grown again
            kept = file["manifolds/count"][0]
            self.assertGreater(kept, 0)
            file["manifolds/length"][0] = -1
        self.grown(*words, "--resume", ranks=2).close()
        with h5py.File(self.at / "out.h5", "r+") as file, h5py.File(self.at / "whole.h5") as whole:
            self.assertEqual(file["manifolds/length"][0], -1)
            file["manifolds/length"][0] = whole["manifolds/length"][0]
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])

    def test_what_ends_short_is_told(self):
        """Where the model's domain ends within reach, all four manifolds do; where it doesn't, nothing is said."""
        deck = self.deck(LEAVING)
        for words, lost in (([], True), (["manifolds.length=0.5"], False)):
            end = self.ended(deck, *words, ranks=2)
            self.assertEqual("4 of 4 manifolds end short" in end.stdout, lost, end.stdout)
            with h5py.File(self.at / "out.h5") as file:
                self.assertEqual(list(file["manifolds/end"][()]), [3 if lost else 1] * 4)

    def test_inverse_hyperbolic(self):
        """Of the fixed point (0, 0) at K = 5 the multiplier is negative: that of two returns is its square."""
        with self.grown("model.parameters.K=5", "ensemble.list=[[0.001,0.0]]", "manifolds.length=6") as file:
            small = 1 - 5 / 2 - np.sqrt(25 / 4 - 5)
            self.assertEqual(file["orbits/stability"][0], 2)
            self.assertEqual(list(file["manifolds/returns"][()]), [2, 2, 2, 2])
            np.testing.assert_allclose(file["manifolds/multiplier"][:2], small**2, rtol=1e-11)
            # Either side goes into the other by the map: by symmetry, into its mirror image.
            one, other = (file["manifolds/state"][row, :file["manifolds/count"][row]] for row in (0, 1))
            np.testing.assert_allclose(one[:100], -other[:100], atol=1e-9)

    def test_refused(self):
        deck = CHAOS / "standard_map_manifolds.toml"
        self.says(self.launch(deck, "manifolds.orbits=[3]", ranks=1), 2, "no orbit 3")
        self.says(self.launch(deck, "ensemble.list=[[0.001,0.0]]", "manifolds.orbits=[0]", ranks=1), 2, "isn't hyperbolic")
        self.says(self.launch(deck, "manifolds.bend=2", ranks=1), 2, "bend", "1 at most")
        driven = deck.read_text(encoding="utf-8").replace('coordinates = ["x"]', 'coordinates = ["x", "y"]').replace(
            '"x_dot^2/2"', '"(x_dot^2 + y_dot^2)/2"').replace('list = [[3.1, 0.02]]', 'list = [[3.1, 0.1, 0.02, 0.0]]')
        self.says(self.launch(self.deck(driven), ranks=1), 2, "[manifolds]", "every = ...")


class SectionManifolds(ProgramTest):
    """Of Henon-Heiles on q1 = 0, where the map is a return: time reversed it is its own inverse, by which the program's own
    sections tell whether a curve is a manifold."""
    ENERGY, OTHER = 0.12, 0.1201

    def grown(self, *words):
        return self.opened(CHAOS / "henon_heiles_manifolds.toml", "manifolds.length=2.6",
                           "manifolds.homoclinic=1", *words, ranks=1)

    def returns(self, states, energy, count):
        """Where the flights that begin in (q2, -q2_dot) return for the count-th time, reversed again."""
        points = ", ".join(f"{{ q2 = {q!r}, q2_dot = {-v!r} }}" for q, v in states)
        deck = MANY.split("[orbits]")[0].replace("periodic-orbits", "poincare").replace("energy = 0.08", f"energy = {energy}")
        deck = deck[:deck.index("grid")] + f"points = [{points}]\n[stop]\ncrossings = {count}\n[output]\nfile = \"back.h5\"\n"
        with self.opened(self.deck(deck), ranks=1, file="back.h5") as file:
            columns = list(file["section/points"].attrs["columns"].astype(str))
            last = file["section/points"][:, -1]
            return np.stack([last[:, columns.index("q2")], -last[:, columns.index("q2_dot")]], axis=1)

    def test_manifolds_lead_back_to_the_orbit(self):
        with self.grown() as file:
            fixed = file["orbits/state"][0][[1, 3]]
            for row, sign in ((0, 1), (1, 1), (2, -1), (3, -1)):  # the stable ones are flown forwards: reversed twice
                n, t = file["manifolds/count"][row], file["manifolds/t"][row]
                states = file["manifolds/state"][row, :n]
                some = np.flatnonzero(np.floor(t[:n]) == 6)
                self.assertGreater(len(some), 3)
                turned = states[some] * [1, sign]
                for energy, near in ((self.ENERGY, True), (self.OTHER, False)):
                    off = np.hypot(*(self.returns(turned.tolist(), energy, 6) * [1, sign] - fixed).T).max()
                    (self.assertLess if near else self.assertGreater)(off, 1e-4)

    def test_lobes_and_mirrors(self):
        with self.grown("manifolds.length=3", "manifolds.homoclinic=8") as file:
            area, state = file["homoclinic/area"][2], file["homoclinic/state"]
            self.assertGreater(area[0], 1e-5)
            self.assertLess(abs(area[0] + area[1]), 1e-12 + 1e-7 * area[0])  # as much goes in as comes out
            self.assertLess(abs(area[0] - area[6]), 1e-12 + 1e-7 * area[0])  # and again, one return later
            self.assertLess(abs(state[0, 0, 1]), 1e-10)
            one, other = (file["manifolds/state"][row, :100] for row in (0, 2))
            np.testing.assert_allclose(one, other * [1, -1], atol=1e-9)
            self.assertGreater(np.abs(one - other).max(), 1e-6)  # a control: not without the mirror


def curvature(gradient, hessian):
    """Gauss' curvature of a surface g = 0, from g's derivatives [3] and [3, 3] at a point of it."""
    bordered = np.block([[hessian, gradient[:, None]], [gradient[None], np.zeros((1, 1))]])
    return -np.linalg.det(bordered) / (gradient @ gradient)**2


def plane_geodesic(derivatives, start, axis, length, steps):
    """The length at which a geodesic in a plane of symmetry is closed, near a guess, and the trace of Jacobi's equation
    y'' + K y = 0 along it, by Runge and Kutta's method of order 4; `derivatives` gives g's gradient and Hessian at a point."""
    across = np.eye(3)[axis]

    def slope(u):
        gradient, hessian = derivatives(*u[:3])
        tangent = np.cross(across, gradient)
        k = curvature(gradient, hessian)
        return np.concatenate([tangent / np.linalg.norm(tangent), u[5:7], -k * u[3:5]])
    u = np.array([*start, 1, 0, 0, 1.0])
    h = length / steps
    for _ in range(steps):
        k1 = slope(u)
        k2 = slope(u + h / 2 * k1)
        k3 = slope(u + h / 2 * k2)
        u += h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(u + h * k3))
    late = (u[:3] - start) @ slope(u)[:3]
    u -= late * slope(u)
    return length - late, u[3] + u[6]


def lemniscate(x, y, z, a=1.0):
    f, fx, fy = (x * x + y * y)**2 - a * a * (x * x - y * y), 4 * x * (x * x + y * y) - 2 * a * a * x, 4 * y * (x * x + y * y) + 2 * a * a * y
    fxx, fxy, fyy = 12 * x * x + 4 * y * y - 2 * a * a, 8 * x * y, 4 * x * x + 12 * y * y + 2 * a * a
    return (np.array([2 * f * fx, 2 * f * fy, 2 * z]),
            2 * np.array([[fx * fx + f * fxx, fx * fy + f * fxy, 0], [fx * fy + f * fxy, fy * fy + f * fyy, 0], [0, 0, 1]]))


def ellipsoid(x, y, z, a=1.3, b=1.0, c=0.8):
    return np.array([2 * x / a**2, 2 * y / b**2, 2 * z / c**2]), np.diag([2 / a**2, 2 / b**2, 2 / c**2])


ELLIPSE = """study = "periodic-orbits"
[model]
name = "ellipsoid"
a = 1.3
b = 1.0
c = 0.8
[method]
name = "rattle-kahan-li-6"
step = 0.02
[section]
where = "z"
direction = "up"
[ensemble]
energy = 0.5
project = true
list = [[1.3, 0.001, 0.0, 0.0, 0.02, 1.0]]
[orbits]
returns = 1
[output]
file = "out.h5"
"""
IN_ANGLES = """study = "periodic-orbits"
[model]
name = "double-pendulum"
[method]
name = "gauss"
stages = 6
step = 0.1
[section]
where = "a"
[ensemble]
list = [[0.0, 0.0, 0.5, 0.7]]
[orbits]
returns = 1
[output]
file = "angles.h5"
"""
ON_RODS = """study = "periodic-orbits"
[model]
coordinates = ["x", "y", "u", "w"]
lagrangian = "(x_dot^2 + y_dot^2 + u_dot^2 + w_dot^2)/2 - y - w"
constraint = ["x^2 + y^2 - 1", "(u - x)^2 + (w - y)^2 - 1"]
[method]
name = "rattle-kahan-li-6"
step = 0.01
[section]
where = "x"
[ensemble]
project = true
list = [{state}]
[orbits]
returns = 1
[output]
file = "rods.h5"
"""

DRIVEN = """study = "periodic-orbits"
[model]
parameters = {{ b = 0.3, w = 2.0 }}
{model}
[section]
where = "t"
every = "2*pi/w"
[orbits]
returns = 1
path = 0
[manifolds]
spacing = 0.2
bend = 0.4
homoclinic = 8
points = 1000
"""
DRIVEN_ANGLE = DRIVEN.format(model="""coordinates = ["a"]
angles = ["a"]
lagrangian = "a_dot^2/2 + (1 + b*cos(w*t))*cos(a)"
[method]
name = "gauss"
stages = 6
step = 0.1
[ensemble]
list = [[3.1, 0.0]]""")
DRIVEN_ROD = DRIVEN.format(model="""coordinates = ["x", "y"]
lagrangian = "(x_dot^2 + y_dot^2)/2 - (1 + b*cos(w*t))*y"
constraint = ["x^2 + y^2 - 1"]
[method]
name = "rattle-kahan-li-6"
step = 0.15
[ensemble]
project = true
list = [[0.001, 1.0, 0.0, 0.0]]""")


class Constrained(ProgramTest):
    """On a surface: against Jacobi's equation. H. Poincare, Sur les lignes geodesiques des surfaces convexes, Trans. Amer. Math.
    Soc. 6 (1905) 237. On two rods: against the same pendulum in angles."""

    def test_the_middle_ellipse_of_an_ellipsoid(self):
        length, trace = plane_geodesic(ellipsoid, (1.3, 0, 0), 1, 6.69118, 4000)
        with self.opened(self.deck(ELLIPSE)) as file:
            self.assertLess(abs(file["orbits/period"][0] - length), 1e-9)
            self.assertLess(abs(file["orbits/trace"][0] - trace), 1e-8)
            self.assertEqual(file["orbits/multipliers"].shape, (1, 2, 2))
            self.assertLess(abs(np.prod(file["orbits/multipliers"][0, :, 0]) - 1), 1e-10)
            self.assertEqual(file["orbits/stability"][0], 0)
            path = file["orbits/path"][0]
            self.assertLess(np.abs((path[:, :3]**2) @ [1 / 1.3**2, 1, 1 / 0.8**2] - 1).max(), 1e-12)
            self.assertLess(np.abs(path[0] - path[-1]).max(), 1e-10)
            self.assertIn("triangles", file["surface"])
        with self.opened(self.deck(ELLIPSE), "model.b=1.01") as file:  # a control: of the same length
            self.assertLess(abs(file["orbits/period"][0] - length), 1e-9)
            self.assertGreater(abs(file["orbits/trace"][0] - trace), 1e-2)

    def test_a_constraints_parameter_is_followed(self):
        """With b beyond a the ellipse is that of the two shorter axes, and stable: it changes at the spheroid b = a."""
        follow = '[continuation]\nparameter = "b"\nto = 1.5\nstep = 0.05\nlargest_step = 0.1\n'
        with self.opened(self.deck(ELLIPSE + follow)) as file:
            at = file["bifurcations/value"][0]
            self.assertLess(abs(at[np.isfinite(at)] - 1.3).max(), 1e-9)
            self.assertEqual(np.isfinite(at).sum(), 1)
            self.assertLess(np.ptp(file["families/period"][0][:file["families/points"][0]]), 1e-10)
        fine = ["continuation.step=0.02", "continuation.largest_step=0.02", "continuation.to=1.2",
                "output.checkpoint_minutes=1e-5"]
        self.opened(self.deck(ELLIPSE + follow), *fine, file="whole.h5").close()
        self.killed("deck.toml", "output.file=out.h5", *fine, ranks=1)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [], "the run wasn't cut short")
        self.opened(self.at / "deck.toml", *fine, "--resume", ranks=2).close()
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])

    def test_closed_geodesics_of_genus_2(self):
        rim = np.sqrt((1 + np.sqrt(1 + 4 / 6)) / 2)
        known = [plane_geodesic(lemniscate, (0, 0, 1 / 6), 0, 1.881036, 4000), plane_geodesic(lemniscate, (rim, 0, 0), 2, 5.307555, 4000)]
        with self.opened(CHAOS / "genus2_closed_geodesics.toml", "orbits.returns=1", "method.step=0.02", ranks=2) as file:
            found = np.stack([file["orbits/period"][()], file["orbits/trace"][()]], axis=1)
            for one in known:
                self.assertLess(np.abs(found - one).sum(1).min(), 1e-6)
            self.assertGreater(np.abs(found - (known[0][0], known[1][1])).sum(1).min(), 1)  # a control

    def test_two_rods_are_the_angles_pendulum(self):
        def both(file):
            return np.array([file["orbits/energy"][0], file["orbits/period"][0], file["orbits/trace"][0]])
        with self.opened(self.deck(IN_ANGLES), file="angles.h5") as angles:
            _, b, a_dot, b_dot = angles["orbits/state"][0]
            known = both(angles)
        state = [0.0, -1.0, np.sin(b), -1 - np.cos(b), a_dot, 0.0, a_dot + b_dot * np.cos(b), b_dot * np.sin(b)]
        with self.opened(self.deck(ON_RODS.format(state=[float(x) for x in state])), file="rods.h5") as rods:
            self.assertEqual(rods["orbits/multipliers"].shape[1], 2)
            self.assertLess(rods["orbits/error"][0], 1e-10)
            np.testing.assert_allclose(both(rods), known, atol=1e-7)
        with self.opened(self.deck(IN_ANGLES), "model.m2=1.01", file="angles.h5") as angles:  # a control
            self.assertGreater(np.abs(both(angles) - known)[1:].min(), 1e-4)

    def test_refused(self):
        deck = ELLIPSE.replace('name = "ellipsoid"\na = 1.3\nb = 1.0\nc = 0.8', 'name = "chaplygin-sleigh"').replace('"z"', '"x"')
        self.says(self.launch(self.deck(deck), ranks=1), 2, "nothing rolls")

    def test_manifolds_of_a_driven_rod_are_those_of_its_angle(self):
        """Upright, its pivot's weight swinging: multipliers, where the manifolds cross on the way down, and lobes."""
        def told(file):
            area = file["homoclinic/area"][()]
            lobes = np.abs(area[np.isfinite(area)])
            state = file["homoclinic/state"][()].reshape(-1, file["homoclinic/state"].shape[-1])
            speed = np.hypot(state[:, 2], state[:, 3]) if state.shape[1] == 4 else np.abs(state[:, 1])
            return file["manifolds/multiplier"][()], lobes, speed[np.isfinite(speed)]
        with self.opened(self.deck(DRIVEN_ANGLE), "manifolds.length=10.5", file="angle.h5") as file:
            multipliers, lobes, speeds = told(file)
        with self.opened(self.deck(DRIVEN_ROD), "manifolds.length=10.5", file="rod.h5") as file:
            self.assertEqual(file["manifolds/state"].shape[2], 4)
            known, areas, there = told(file)
            np.testing.assert_allclose(known, multipliers, rtol=1e-7)
            self.assertGreater(len(areas), 3)
            for area in areas:
                self.assertLess(np.abs(lobes - area).min(), 1e-7)
            self.assertGreater(len(there), 4)
            for speed in there:
                self.assertLess(np.abs(speeds - speed).min(), 1e-6)
        short = ["model.parameters.b=0.31", "manifolds.length=0.01", "manifolds.homoclinic=0"]
        with self.opened(self.deck(DRIVEN_ANGLE), *short, file="angle.h5") as file:  # a control
            self.assertGreater(np.abs(file["manifolds/multiplier"][:2] - known[:2]).min(), 1e-3)

    def test_manifolds_on_an_ellipsoid(self):
        """Of the middle ellipse: they keep Joachimsthal's integral, and lie on section, surface and energy."""
        axes = np.array([1.5, 1.2, 1.0])
        words = ["manifolds.length=0.8", "manifolds.spacing=0.2", "manifolds.bend=0.4"]
        with self.opened(CHAOS / "ellipsoid_manifolds.toml", *words, ranks=2, file="whole.h5") as file:
            count, state = file["manifolds/count"][()], file["manifolds/state"][()]
            self.assertEqual(list(file["manifolds/state"].attrs["columns"].astype(str)), ["x", "y", "z", "x_dot", "y_dot", "z_dot"])
            self.assertEqual(list(file["manifolds/end"][()]), [1] * 4)
            for row in range(4):
                q, v = np.split(state[row, :count[row]], 2, axis=1)
                integral = (q**2 / axes**4).sum(1) * (v**2 / axes**2).sum(1)
                self.assertLess(np.abs(integral - 1 / (axes[0] * axes[2])**2).max(), 1e-7)
                self.assertLess(np.abs((q**2 / axes**2).sum(1) - 1).max(), 1e-12)
                self.assertLess(np.abs((v**2).sum(1) / 2 - 0.5).max(), 1e-12)
                self.assertLess(np.abs(q[:, 2]).max(), 1e-14)
                self.assertGreater(np.abs(q[:, 1]).max(), 0.5)
        self.opened(CHAOS / "ellipsoid_manifolds.toml", *words, ranks=3).close()
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])
        with self.opened(CHAOS / "ellipsoid_manifolds.toml", *words, "model.b=1.21", "manifolds.length=0.01") as file:  # a control
            self.assertGreater(np.abs(file["manifolds/multiplier"][:2] - 3.58212257353).min(), 1e-3)


BOUNCES = """study = "periodic-orbits"
[domain]
sets = [{ set = "ellipse", a = 1.5, b = 1.0 }]
[ensemble]
list = [[0.01, 0.2, 0.0, 1.0], [0.1, 0.0, 1.0, 0.0], [0.3, 0.2, 0.6, 0.8]]
[orbits]
returns = [2, 4]
[output]
file = "out.h5"
"""
IN_SPACE = BOUNCES.replace("[domain]", "[domain]\ndimension = 3").replace(
    '{ set = "ellipse", a = 1.5, b = 1.0 }', '{ set = "ellipsoid", a = 1.5, b = 1.0, c = 0.8 }').replace(
    "list = [[0.01, 0.2, 0.0, 1.0], [0.1, 0.0, 1.0, 0.0], [0.3, 0.2, 0.6, 0.8]]", "list = [[0.0, 0.0, 0.1, 0.0, 0.0, 1.0]]").replace(
    "[2, 4]", "2")
UP_AND_DOWN = """study = "periodic-orbits"
[domain]
sets = [{ set = "circle" }]
[forces]
gravity = [0.0, -1.0]
[ensemble]
list = [[0.0, -0.95, 0.0, -0.3162]]
[orbits]
returns = 1
[continuation]
parameter = "energy"
to = -0.3
step = 0.02
largest_step = 0.05
turns = [1, 2, 3]
[output]
file = "out.h5"
"""


class Billiards(ProgramTest):
    def test_axes_of_an_ellipse(self):
        """Of a chord L between mirrors of curvature 1/R, with g = 1 - L/R, the trace is 4 g^2 - 2."""
        with self.opened(self.deck(BOUNCES)) as file:
            action, trace, returns = (file[f"orbits/{name}"][()] for name in ("action", "trace", "returns"))
            self.assertEqual(list(returns[:2]), [2, 2])
            for row, (chord, radius, stable) in enumerate([(2.0, 2.25, 1), (3.0, 1 / 1.5, 0)]):
                self.assertLess(abs(action[row] / np.sqrt(2 * file["orbits/energy"][row]) - 2 * chord), 1e-12)
                self.assertLess(abs(trace[row] - (4 * (1 - chord / radius)**2 - 2)), 1e-12)
                self.assertGreater(abs(trace[row] - (4 * (1 - chord / (1.001 * radius))**2 - 2)), 1e-4)  # a control
                self.assertEqual(file["orbits/stability"][row], stable)
            self.assertTrue((returns == 4).any())  # a rhomb of the family of Poncelet's: marginal
            self.assertLess(abs(trace[returns == 4][0] - 2), 1e-9)
            self.assertLess(file["orbits/error"][()].max(), 1e-12)
            points = file["orbits/points"][()]
            self.assertLess(np.abs((points[:, 0] / 1.5)**2 + points[:, 1]**2 - 1).max(), 1e-12)
            self.assertEqual(len(points), returns.sum())

    def test_in_ellipses_of_any_size(self):
        """The axis of a mirror's ellipse: its trace hangs on neither the length nor the time."""
        for size, speed in ((1e6, 1.0), (0.03, 0.03), (1e-4, 1.0)):
            text = BOUNCES.replace("a = 1.5, b = 1.0", f"a = {1.5 * size!r}, b = {size!r}").replace("[2, 4]", "2").replace(
                "list = [[0.01, 0.2, 0.0, 1.0], [0.1, 0.0, 1.0, 0.0], [0.3, 0.2, 0.6, 0.8]]",
                f"list = [[{0.001 * size!r}, 0.0, 0.0, {speed!r}]]")
            with self.opened(self.deck(text)) as file:
                self.assertLess(abs(file["orbits/trace"][0] - (4 * (1 - 2 / 2.25)**2 - 2)), 1e-11)
                self.assertLess(abs(file["orbits/period"][0] * speed / size - 4), 1e-11)

    def test_families_in_ellipses_of_any_size(self):
        """Along the minor axis of an ellipse with half axes 1 and b the orbit turns by k/8 where b = sin(k pi/8)."""
        for size in (1.0, 1e-9):
            text = f'''study = "periodic-orbits"
[domain]
sets = [{{ set = "ellipse", a = {size!r}, b = {0.3 * size!r} }}]
[ensemble]
energy = 0.5
points = [{{ x = {0.01 * size!r}, y = 0.0, x_dot = 0.02 }}]
[orbits]
returns = 2
[continuation]
parameter = "ellipse.b"
to = {0.95 * size!r}
step = {0.01 * size!r}
largest_step = {0.02 * size!r}
turns = [4]
[output]
file = "out.h5"
'''
            with self.opened(self.deck(text)) as file:
                self.assertEqual(list(file["families/end"][()]), [1])
                passed = file["bifurcations/value"][0, :2] / size
            np.testing.assert_allclose(passed, np.sin(np.pi * np.array([1, 3]) / 8), atol=1e-13)

    def test_a_family_whose_flights_move(self):
        """In an oval that is pressed flat the flights shorten, and those of what branches off turn: each orbit begins on a plane
        of its own. What branches off is, where it is followed to, the orbit that is found there."""
        oval = """study = "periodic-orbits"
[domain]
sets = [{ name = "oval", omega = "1-x^2-(y/b)^2-0.3*x^4", parameters = { b = 1.05 } }]
[ensemble]
energy = 0.5
points = [{ x = 0.0, y = 0.01, x_dot = 0.0 }]
[orbits]
returns = 2
"""
        follow = """[continuation]
parameter = "oval.b"
to = 0.85
step = 0.01
largest_step = 0.05
offspring = 1
"""
        with self.opened(self.deck(oval + follow)) as file:
            count, end = file["families/points"][()], file["families/end"][()]
            self.assertEqual(list(end), [1, 1])
            b = file["families/value"][0, :count[0]]
            np.testing.assert_allclose(file["families/trace"][0, :count[0]], 4 * (1 - 2 * b**2)**2 - 2, atol=1e-11)
            child = [file[f"families/{name}"][1, count[1] - 1] for name in ("value", "period", "trace")]
        self.assertEqual(child[0], 0.85)
        start = oval.replace("b = 1.05", "b = 0.85").replace("y = 0.01, x_dot = 0.0", "y = 0.0, x_dot = 0.88")
        with self.opened(self.deck(start)) as file:
            np.testing.assert_allclose(child[1:], [file["orbits/period"][0], file["orbits/trace"][0]], rtol=1e-9)

    def test_thrown_up_in_a_circle(self):
        """Thrown up to a height h above the bottom of a circle of radius R: period 2 sqrt(2 h/g), trace 2 - 8 h/R, so that the
        period is doubled at h = R/2 and an orbit of three times the period is met at h = 3 R/8."""
        with self.opened(self.deck(UP_AND_DOWN)) as file:
            count = file["families/points"][0]
            height = file["families/value"][0, :count] + 1
            self.assertGreater(count, 10)
            np.testing.assert_allclose(file["families/trace"][0, :count], 2 - 8 * height, atol=1e-12)
            np.testing.assert_allclose(file["families/period"][0, :count], 2 * np.sqrt(2 * height), atol=1e-12)
            np.testing.assert_allclose(file["families/action"][0, :count], 2 / 3 * (2 * height)**1.5, atol=1e-12)
            kinds, at = file["bifurcations/n"][0], file["bifurcations/value"][0]
            np.testing.assert_allclose(at[kinds == 2], [-0.5], atol=1e-12)
            np.testing.assert_allclose(at[kinds == 3], [-0.625], atol=1e-12)

    def test_in_a_trap(self):
        """To and fro along x in a circle, x = A sin t: across it y'' = -k y for the time s = 2 arcsin(1/A) of a flight, and the
        wall turns y' by -2 v y, v^2 = A^2 - 1. What stays inside the wall is no orbit of bounces."""
        text = BOUNCES.replace('{ set = "ellipse", a = 1.5, b = 1.0 }', '{ set = "circle" }').replace(
            "[ensemble]", '[forces]\npotential = "harmonic"\nk_y = 0.3\n[ensemble]').replace(
            "list = [[0.01, 0.2, 0.0, 1.0], [0.1, 0.0, 1.0, 0.0], [0.3, 0.2, 0.6, 0.8]]",
            "list = [[0.2, 0.01, 1.5, 0.0], [0.2, 0.01, 2.5, 0.0], [0.1, 0.1, 0.1, 0.1]]").replace("[2, 4]", "2")
        with self.opened(self.deck(text)) as file:
            self.assertEqual(len(file["orbits/energy"]), 2)
            size = np.sqrt(2 * file["orbits/energy"][()])
            flight, speed, k = 2 * np.arcsin(1 / size), np.sqrt(size**2 - 1), np.sqrt(0.3)
            self.assertLess(np.abs(file["orbits/period"][()] - 2 * flight).max(), 1e-11)
            trace = (2 * np.cos(k * flight) - 2 * speed * np.sin(k * flight) / k)**2 - 2
            np.testing.assert_allclose(file["orbits/trace"][()], trace, atol=1e-9)
            self.assertGreater(np.abs(file["orbits/trace"][()] - 2).min(), 0.1)  # a control: k = 1
            action = size**2 * (flight + np.sin(flight))
            np.testing.assert_allclose(file["orbits/action"][()], action, atol=1e-10)

    def test_the_stadium(self):
        """The axis, and the rhomb through the ends of both axes: lengths 8 and 4 sqrt 5, traces 34 and 62."""
        with self.opened(SOURCE / "input" / "billiards" / "stadium_orbits.toml") as file:
            found = np.stack([file["orbits/returns"][()], file["orbits/period"][()], file["orbits/trace"][()]], axis=1)
            for known in ((2, 4, 2), (2, 8, 34), (4, 4 * np.sqrt(5), 62)):
                self.assertLess(np.abs(found - known).max(1).min(), 1e-9)
            self.assertGreater(np.abs(found - (4, 4 * np.sqrt(5), 34)).max(1).min(), 1)  # a control
            # Hyperbolic, but for the orbits between the straight sides.
            self.assertTrue(((np.abs(found[:, 2]) > 2.1) | (np.abs(found[:, 2] - 2) < 1e-6)).all())
            self.assertIn("outline", file["domain"])
        (self.at / "out.h5").rename(self.at / "whole.h5")
        self.opened(SOURCE / "input" / "billiards" / "stadium_orbits.toml", ranks=3).close()
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])

    def test_in_space(self):
        """Along the axes of an ellipsoid: the map's derivative has two such traces, one in each plane."""
        with self.opened(self.deck(IN_SPACE)) as file:
            self.assertEqual(file["orbits/multipliers"].shape, (1, 4, 2))
            traces = [4 * (1 - 1.6 * 0.8 / axis**2)**2 - 2 for axis in (1.5, 1.0)]
            self.assertLess(abs(file["orbits/trace"][0] - sum(traces)), 1e-12)

    def test_manifolds_in_a_perturbed_ellipse(self):
        """Points are states behind bounces, of both ends of the axis; lobes are as large going in as coming out. Unperturbed the
        manifolds lead through the foci."""
        deck, e, b = SOURCE / "input" / "billiards" / "perturbed_ellipse_manifolds.toml", 0.3, 0.8
        with self.opened(deck, ranks=1, file="whole.h5") as file:
            self.assertEqual(list(file["manifolds/point"][()]), [0] * 4 + [1] * 4)
            self.assertEqual(list(file["manifolds/kind"][()]), [0, 0, 1, 1] * 2)
            self.assertEqual(list(file["manifolds/state"].attrs["columns"].astype(str)), ["x", "y", "x_dot", "y_dot"])
            begin = file["manifolds/state"][:, 0]
            np.testing.assert_allclose(begin[:4] - begin[4:], [[-2, 0, 2, 0]] * 4, atol=1e-4)
            known = np.isfinite(file["manifolds/state"][..., 0])
            np.testing.assert_array_equal(known.sum(1), file["manifolds/count"][()])  # no gaps
            x, y, u, v = file["manifolds/state"][()][known].T
            arc, along = file["manifolds/birkhoff"][()][known].T
            self.assertLess(np.abs(1 - x**2 - (y / b)**2 - e * (y / b)**4).max(), 1e-14)
            self.assertLess(np.abs(np.hypot(u, v) - 1).max(), 1e-14)
            slope = np.stack([-2 * x, -2 * y / b**2 - 4 * e * y**3 / b**4])
            np.testing.assert_allclose(along, (u * slope[1] - v * slope[0]) / np.hypot(*slope), atol=1e-13)
            outline = file["domain/outline"]
            places = [np.interp(arc, outline[:, 2], outline[:, k]) for k in (0, 1)]
            self.assertLess(np.hypot(places[0] - x, places[1] - y).max(), 1e-4)
            area = file["homoclinic/area"][4]
            lobes = area[np.isfinite(area)]
            self.assertGreater(len(lobes), 6)
            self.assertLess(np.abs(np.abs(lobes) - np.abs(lobes[0])).max(), 1e-8)
            self.assertTrue((np.diff(np.sign(lobes)) != 0).all())
            size = abs(lobes[0])
        for ranks in (2, 3):
            self.opened(deck, ranks=ranks).close()
            self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])
        text = deck.read_text(encoding="utf-8")
        with self.opened(self.deck(text.replace("e = 0.3", "e = 0.15")), ranks=1) as file:  # less splits less
            self.assertLess(np.nanmax(np.abs(file["homoclinic/area"][4])), 0.7 * size)
        with self.opened(self.deck(text.replace("e = 0.3", "e = 0.0")), "manifolds.length=3.5", "manifolds.homoclinic=0", ranks=1) as file:
            states = file["manifolds/state"][()]
            x, y, u, v = states[np.isfinite(states[..., 0])].T
            self.assertLess(np.abs(((x - 0.6) * v - y * u) * ((x + 0.6) * v - y * u)).max(), 1e-11)
            self.assertGreater(np.abs(((x - 0.7) * v - y * u) * ((x + 0.7) * v - y * u)).max(), 1e-2)  # a control

    def test_refused(self):
        self.says(self.launch(self.deck(IN_SPACE + "[manifolds]\nlength = 2.0\n"), ranks=1), 2, "[manifolds]", "in the plane")
        rough = BOUNCES.replace("b = 1.0 }", "b = 1.0, restitution = 0.9 }")
        self.says(self.launch(self.deck(rough), ranks=1), 2, "[domain]", "elastic walls at rest")
        moving = BOUNCES.replace("b = 1.0 }", "b = 1.0, amplitude = [0.1, 0.0], frequency = 2.0 }")
        self.says(self.launch(self.deck(moving), ranks=1), 2, "[domain]", "at rest")


class Refused(ProgramTest):
    def test_wrong_decks(self):
        for change, parts in ((('step = 0.25', 'tolerance = 1e-12'), ["tolerance", "step"]),
                              (('name = "gauss"', 'name = "chebyshev-lobatto"'), ["tangent map"]),
                              (('where = "q1"', 'where = "q1 + q2"'), ["a coordinate"]),
                              (('parameter = "energy"', 'parameter = "enrgy"'), ["energy"]),
                              (('returns = [1, 2]', 'returns = 0.5'), ["whole number"])):
            with self.subTest(change=change):
                self.says(self.launch(self.deck(MANY.replace(*change)), ranks=1), 2, *parts)

    def test_nothing_found(self):
        text = MANY.replace("returns = [1, 2]", "returns = 1").replace("energy = 0.08", "energy = 0.3").replace(
            "grid = { q2 = [-0.3, 0.5, 3], q2_dot = [-0.2, 0.2, 2] }", "points = [{ q2 = 1.0, q2_dot = 0.5 }]")
        self.says(self.launch(self.deck(text), ranks=1), 2, "no periodic orbit found")


if __name__ == "__main__":
    unittest.main()
