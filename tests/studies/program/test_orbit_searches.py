# SPDX-License-Identifier: BSD-3-Clause
"""Study periodic-orbits: where searches begin, on a symmetry line or at recurrences, with controls that find less; and the orbits
that branch off where one turns by k / n.
"""
import unittest

import numpy as np

from launch import KICKED_ROTOR, ProgramTest

SECTION = """study = "periodic-orbits"
[model]
name = "henon-heiles"
[method]
name = "gauss"
stages = 8
step = 0.5
[section]
where = "q1"
[ensemble]
energy = {energy}
{starts}
[orbits]
returns = {returns}
path = 0
{begin}
[output]
file = "out.h5"
"""


class WhereSearchesBegin(ProgramTest):
    def found(self, ranks=1, **parts):
        """Of each orbit its returns, its points (q2, q2_dot) and its trace."""
        with self.opened(self.deck(SECTION.format(**parts)), ranks=ranks) as file:
            orbits = {name: data[()] for name, data in file["orbits"].items()}
        self.assertLess(orbits["error"].max(), 1e-9)
        return [(n, orbits["points"][orbits["points_orbit"] == k][:, [1, 3]], orbits["trace"][k])
                for k, n in enumerate(orbits["returns"])]

    def missing(self, orbits, among):
        return [orbit for orbit in orbits
                if not any(other[0] == orbit[0] and np.abs(other[1] - orbit[1][0]).max(axis=1).min() < 1e-6 for other in among)]

    def test_on_a_symmetry_line(self):
        """The line finds all symmetric orbits that a search from everywhere finds, and no others; of long orbits the same starts,
        without what is known of the line, miss most."""
        line = "grid = {{ q2 = [-0.45, 0.65, {}], q2_dot = [0.0, 0.0, 1] }}"
        reversal = 'reversal = { q1 = "-q1", q2_dot = "-q2_dot" }'
        everywhere = self.found(energy=0.12, starts="grid = { q2 = [-0.4, 0.6, 11], q2_dot = [-0.4, 0.4, 9] }", returns=[1, 4], begin="")
        symmetric = [orbit for orbit in everywhere if np.abs(orbit[1][:, 1]).min() < 1e-8]
        self.assertGreater(len(symmetric), 3)
        self.assertGreater(len(everywhere), len(symmetric))
        on_line = self.found(energy=0.12, starts=line.format(111), returns=[1, 4], begin=reversal)
        self.assertEqual(self.missing(symmetric, on_line), [])
        for n, points, trace in on_line:
            self.assertLess(np.abs(points[:, 1]).min(), 1e-8)
            mirrored = [np.abs(points - (q2, -q2_dot)).max(axis=1).min() for q2, q2_dot in points]
            self.assertLess(max(mirrored), 1e-8)
        long, control = (self.found(energy=0.16, starts=line.format(111), returns=[9], begin=begin) for begin in (reversal, ""))
        self.assertGreater(len(long), 10)
        self.assertGreater(len(self.missing(long, control)), len(long) / 2)

    def test_where_one_orbit_comes_near_to_itself(self):
        """Just below the saddles nearly all is sea, and one orbit of it passes by all unstable ones that close after one
        return; a short one doesn't."""
        starts = "points = [{ q2 = -0.15, q2_dot = 0.02 }]"
        everywhere = self.found(energy=0.1666, starts="grid = { q2 = [-0.4, 0.9, 15], q2_dot = [-0.45, 0.45, 11] }", returns=1, begin="")
        everywhere = [orbit for orbit in everywhere if abs(orbit[2]) > 2]
        self.assertGreater(len(everywhere), 6)
        recurrences = [self.found(ranks, energy=0.1666, starts=starts, returns=1, begin="recurrences = 3000\nclosest = 60")
                       for ranks in (1, 2)]
        self.assertEqual(self.missing(everywhere, recurrences[0]), [])
        self.assertEqual([orbit[1].tobytes() for orbit in recurrences[0]], [orbit[1].tobytes() for orbit in recurrences[1]])
        few = self.found(energy=0.1666, starts=starts, returns=1, begin="recurrences = 20\nclosest = 60")
        self.assertNotEqual(self.missing(everywhere, few), [])

    def test_refused(self):
        point = "points = [{ q2 = 0.1, q2_dot = 0.0 }]"
        for starts, begin, words in (
                (point, 'reversal = { q2 = "-q2", q2_dot = "-q2_dot" }', ["start 0", "q2 is 0.1", "-0.1 by the reversal"]),
                (point, 'reversal = { q2_dot = "0.9*q2_dot" }', ["doesn't reverse the motion"]),
                (point, 'reversal = { q2_dott = "-q2_dot" }', ["q2_dott", "did you mean 'q2_dot'"]),
                (point, 'reversal = { q2_dot = "-q2_dt" }', ["q2_dt", "^"]),
                (point, "reversal = { }", ["names what it changes"]),
                (point, 'recurrences = 100\nreversal = { q2_dot = "-q2_dot" }', ["give one of both"]),
                (point, "closest = 3", ["is of recurrences"]),
                (point, "recurrences = 1", ["fewer than the returns"]),
                ("random = { count = 3, q2 = [-0.1, 0.1], q2_dot = [0.0, 0.1] }", 'reversal = { q2_dot = "-q2_dot" }', ["in order"])):
            end = self.launch(self.deck(SECTION.format(energy=0.1, starts=starts, returns=2, begin=begin)), ranks=1)
            self.assertEqual(end.returncode, 2, begin + end.stdout)
            for word in words:
                self.assertIn(word, end.stderr)


ROTOR = "study = \"periodic-orbits\"\n" + KICKED_ROTOR.replace("0.97", "1.9") + """[ensemble]
list = [[0.01, 0.0]]
[orbits]
path = 0
[continuation]
parameter = "K"
to = 3.2
step = 0.05
turns = [3, 4]
offspring = 3
branch = 0.1
[output]
file = "out.h5"
"""


CONTINUED = """[continuation]
parameter = "{parameter}"
to = {to}
step = {step}
turns = {turns}
offspring = {offspring}
branch = 0.02
points = 80
"""
BRANCHES_OF_HENON_HEILES = SECTION.format(
    energy=0.07, starts="points = [{ q2 = 0.24, q2_dot = 0.0 }]", returns=1,
    begin=CONTINUED.format(parameter="energy", to=0.155, step=0.002, turns=[3, 4], offspring=12))
BRANCHES_IN_AN_OVAL = """study = "periodic-orbits"
[domain]
sets = [{ name = "oval", omega = "1 - x^2 - (y/b)^2 - e*(y/b)^4", parameters = { b = 0.8, e = 0.3 } }]
[ensemble]
energy = 0.5
points = [{ x = 0.0005, y = 0.0, x_dot = 0.0 }]
[orbits]
path = 0
returns = 2
[output]
file = "out.h5"
""" + CONTINUED.format(parameter="oval.b", to=0.4, step=0.01, turns=[3, 4, 5], offspring=12)


class RationalTurns(ProgramTest):
    def test_branches_where_the_rotor_at_rest_turns_by_quarters_and_thirds(self):
        """At K = 2 and 3. The map, x_(k+1) - 2 x_k + x_(k-1) = -K sin x_k gives, to all sizes A,
        K = 2 A / sin A for (A, 0, -A, 0) and for (A, A, -A, -A); the same at every orbit of the families, which begin there."""
        with self.opened(self.deck(ROTOR), ranks=1) as file:
            self.assertEqual(list(file["families/parent"][()]), [-1, 0, 0, 0])
            self.assertEqual(list(file["families/returns"][()]), [1, 4, 4, 3])
            signs = []
            for family in (1, 2):
                count = file["families/points"][family]
                K, trace = (file["families/" + name][family, :count] for name in ("value", "trace"))
                x, v = file["families/state"][family, :count].T
                self.assertGreater(count, 5)
                self.assertLess(abs(K[0] - 2), 0.1)
                rows = [x]
                for k in range(3):
                    v = v - K * np.sin(rows[-1])
                    rows.append(rows[-1] + v)
                largest = np.abs(rows).max(axis=0)
                np.testing.assert_allclose(K, 2 * largest / np.sin(largest), rtol=1e-10)
                signs.append(set(np.sign(trace[K < 2.2] - 2)))
            self.assertEqual(sorted(signs, key=str), [{-1.0}, {1.0}])  # one is stable there, one isn't

    def test_on_a_section_and_between_walls(self):
        """At each turn by k / n that a stable orbit passes, stable and unstable orbits of n times the returns branch off, with each
        of which the family ends where it is asked to, closed to round-off. The loop of Henon-Heiles is its own image turned by 120
        degrees, a third of its period later; in that it turns by ninths and twelfths here: 3 n points, three orbits of each kind.
        The oval's axis is its own image in either axis of the oval: two of each."""
        for text, to, alike in ((BRANCHES_OF_HENON_HEILES, 0.155, 3), (BRANCHES_IN_AN_OVAL, 0.4, 2)):
            with self.opened(self.deck(text), ranks=1) as file:
                count = file["families/points"][()]
                self.assertTrue((count > 3).all(), count)
                passed = {int(n): at for n, at in zip(file["bifurcations/n"][0], file["bifurcations/value"][0]) if n > 0}
                branches, ends = {}, set()
                first = file["families/returns"][0]
                for family in range(1, len(count)):
                    name = lambda key: file["families/" + key][family, :count[family]]
                    n = file["families/returns"][family] // first
                    self.assertEqual((file["families/parent"][family], file["families/end"][family]), (0, 1))
                    self.assertLess(name("error").max(), 1e-11)
                    self.assertEqual(name("value")[-1], to)
                    self.assertLess(abs(name("value")[0] - passed[n]), 0.3 * abs(to - passed[n]))
                    branches.setdefault(n, []).append(np.sign(name("trace")[0] - 2))
                    ends.add(tuple(np.round(name("state")[-1], 6) + 0.0))
                self.assertEqual(sorted(branches), sorted(passed))
                self.assertEqual(len(ends), len(count) - 1)
                for signs in branches.values():
                    self.assertEqual(sorted(signs), [-1] * alike + [1] * alike)


if __name__ == "__main__":
    unittest.main()
