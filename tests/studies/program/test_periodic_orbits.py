# SPDX-License-Identifier: BSD-3-Clause
"""Study periodic-orbits: numbers from the literature, with controls that miss them; the same bits on any ranks and after a
restart; and what it refuses.

Henon-Heiles' straight orbit on q1 = 0: M. Brack, Bifurcation cascades and self-similarity of periodic orbits with analytical
scaling constants in Henon-Heiles type potentials, Foundations of Physics 31 (2001) 209; ten digits from a Taylor series of
order 24. The standard map: J. M. Greene, A method for determining a stochastic transition, J. Math. Phys. 20 (1979) 1183;
residues from an arithmetic of 40 digits.
"""
import json
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
        end = self.launch(CHAOS / "henon_heiles_periodic.toml", "output.file=out.h5", "continuation.offspring=0", *words, ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        return h5py.File(self.at / "out.h5")

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
        end = self.launch(deck, "output.file=out.h5", "continuation.offspring=1", "continuation.to=0.15", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
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
        end = self.launch(CHAOS / "standard_map_residues.toml", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            rows = zip(file["orbits/winding"][:, 0], file["orbits/returns"][()], file["orbits/residue"][()],
                       file["orbits/points"][()][np.unique(file["orbits/points_orbit"][()], return_index=True)[1]])
            found = {(m, n): residue for m, n, residue, state in rows}
            for which, residue in RESIDUES.items():
                self.assertIn(which, found)
                self.assertLess(abs(found[which] - residue), 1e-6)
            np.testing.assert_array_less(file["orbits/error"][()], 1e-10)

    def test_control_another_kick_has_other_residues(self):
        end = self.launch(CHAOS / "standard_map_residues.toml", "output.file=out.h5", "model.parameters.K=0.95", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5") as file:
            for m, n, residue in zip(file["orbits/winding"][:, 0], file["orbits/returns"][()], file["orbits/residue"][()]):
                if (m, n) in RESIDUES:
                    self.assertGreater(abs(residue - RESIDUES[m, n]), 1e-3)


class SameBits(ProgramTest):
    def test_any_ranks(self):
        for ranks in (1, 2, 3):
            end = self.launch(self.deck(MANY), f"output.file=ranks{ranks}.h5", ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "ranks1.h5") as file:
            self.assertGreater(len(file["orbits/period"]), 3)
            self.assertLess(file["orbits/error"][()].max(), 1e-10)
        for ranks in (2, 3):
            self.assertEqual(same_bits(self.at / "ranks1.h5", self.at / f"ranks{ranks}.h5"), [])

    def test_killed_and_resumed(self):
        self.deck(MANY)
        fine = ["continuation.step=0.0005", "continuation.largest_step=0.0005", "continuation.points=400"]
        whole = self.launch("deck.toml", "output.file=whole.h5", *fine, ranks=1)
        self.assertEqual(whole.returncode, 0, whole.stdout + whole.stderr)
        self.killed("deck.toml", *fine, ranks=2)
        self.assertNotEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [], "the run wasn't cut short")
        for ranks in (3,):
            end = self.launch("deck.toml", *fine, "--resume", ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "out.h5"), [])


class Ended(ProgramTest):
    def test_a_finished_run_is_not_begun_anew(self):
        deck = CHAOS / "standard_map_residues.toml"
        for words in ([], ["continuation.parameter='K'", "continuation.to=0.96"]):
            with self.subTest(words=words):
                self.assertEqual(self.launch(deck, "output.file=out.h5", *words, ranks=1).returncode, 0)
                end = self.launch(deck, "output.file=out.h5", *words, "--resume", ranks=1)
                self.assertEqual(end.returncode, 0, end.stderr)
                self.assertIn("was complete", end.stdout)
                # A control: one whose end isn't on disk is begun anew.
                with h5py.File(self.at / "out.h5", "r+") as file:
                    file["orbits/complete"][0] = 0
                end = self.launch(deck, "output.file=out.h5", *words, "--resume", ranks=1)
                self.assertEqual(end.returncode, 0, end.stderr)
                self.assertNotIn("was complete", end.stdout)

    def test_progress_ends_with_all(self):
        atlas = ["stop.time=5", "atlas.levels=1", "ensemble.energy.count=5"]
        for deck, words in ((self.deck(MANY), []), (CHAOS / "henon_heiles_order.toml", atlas)):
            with self.subTest(deck=deck):
                end = self.launch(deck, "--progress=json", "output.file=out.h5", *words, ranks=1)
                self.assertEqual(end.returncode, 0, end.stderr)
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


def lobe(k):
    """The turnstile's area: the difference of two homoclinic orbits' actions, sums of (x' - x)^2/2 + K cos x."""
    def action(x):
        return (np.diff(x)**2 / 2 + k * (np.cos(x[:-1]) + 1)).sum()
    return float(abs(action(homoclinic_orbit(k, 0)[0]) - action(homoclinic_orbit(k, 1)[0])))


class Manifolds(ProgramTest):
    """Of the standard map's fixed point (pi, 0). R. S. MacKay, J. D. Meiss, I. C. Percival, Physica D 13 (1984) 55."""
    K, OTHER = 1.2, 1.25

    def grown(self, *words, ranks=1):
        end = self.launch(CHAOS / "standard_map_manifolds.toml", "output.file=out.h5", *words, ranks=ranks)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        return h5py.File(self.at / "out.h5")

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
        end = self.launch(CHAOS / "henon_heiles_manifolds.toml", "output.file=out.h5", "manifolds.length=2.6",
                          "manifolds.homoclinic=1", *words, ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        return h5py.File(self.at / "out.h5")

    def returns(self, states, energy, count):
        """Where the flights that begin in (q2, -q2_dot) return for the count-th time, reversed again."""
        points = ", ".join(f"{{ q2 = {q!r}, q2_dot = {-v!r} }}" for q, v in states)
        deck = MANY.split("[orbits]")[0].replace("periodic-orbits", "poincare").replace("energy = 0.08", f"energy = {energy}")
        deck = deck[:deck.index("grid")] + f"points = [{points}]\n[stop]\ncrossings = {count}\n[output]\nfile = \"back.h5\"\n"
        end = self.launch(self.deck(deck), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "back.h5") as file:
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
