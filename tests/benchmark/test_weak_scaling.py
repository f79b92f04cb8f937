#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""apps/benchmark/weak_scaling.py: its costs by hand, its simulation against its formula, and what breaks first."""
import argparse
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/benchmark"))
import count_messages as cm  # noqa: E402
import weak_scaling as ws  # noqa: E402

TABLE = """
near (10 of it)
 ranks  messages     most      bytes       most neighbours most   collective calls per step
     4      99.0     99.0      99999      99999        3.0    3   Barrier x 9
     8       6.0      7.0       6000       7000        4.0    6   Allreduce of 8 B x 2; Allgather of other sizes x 0.5

none
     8       0.0      0.0          0          0        0.0    0   
"""


def network(**changed):
    plain = {"latency": 1e-6, "overhead": 1e-7, "bandwidth": 1e9, "collective": 1.0, "work": 1e-3, "noise": 0.0, "pause": 0.0,
             "pause_rate": 0.0, "neighbours": 26}
    return argparse.Namespace(**{**plain, **changed})


class WeakScaling(unittest.TestCase):
    def setUp(self):
        self.studies = dict(ws.read_counts(TABLE))

    def test_reads_the_row_of_most_ranks(self):
        near = self.studies["near (10 of it)"]
        self.assertEqual((near["ranks"], near["messages"], near["bytes"], near["neighbours"]), (8, 6, 6000, 4))
        self.assertEqual(near["calls"], [("Allreduce", 8, 2), ("Allgather", 8, 0.5)])
        self.assertEqual(self.studies["none"]["calls"], [])
        few = dict(ws.read_counts(TABLE, 4))
        self.assertEqual((few["near (10 of it)"]["ranks"], set(few)), (4, {"near (10 of it)"}))
        for wrong in ("", "near\n     8  6.0  7.0  60  70  4.0  6   Allreduce twice\n"):
            with self.assertRaises(SystemExit):
                ws.read_counts(wrong)

    def test_reads_the_table_that_is_kept(self):
        studies = ws.read_counts((ws.HERE / "message_counts.txt").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(studies), 3)

    def test_costs_by_hand(self):
        terms = ws.on_paper(self.studies["near (10 of it)"], 1024, network())
        self.assertAlmostEqual(terms["neighbours"], 6 * 1.1e-6 + 6e-6, delta=1e-15)
        self.assertAlmostEqual(terms["trees"], 2 * 2 * 10 * 1.008e-6, delta=1e-15)
        self.assertAlmostEqual(terms["every rank to every rank"], 0.5 * (10e-6 + 1023 * 8e-9), delta=1e-15)
        self.assertAlmostEqual(ws.cost("Alltoall", 1024, 1024, network())[1], 1023 * (1e-7 + 1e-9) + 1e-6, delta=1e-15)

    def test_the_simulation_without_noise_is_the_formula_and_with_noise_isn_t(self):
        for counted in self.studies.values():
            paper = sum(ws.on_paper(counted, 100, network()).values())
            self.assertAlmostEqual(ws.simulated(counted, 100, network(), 20), paper, delta=1e-9 * paper)
            self.assertGreater(ws.simulated(counted, 100, network(noise=0.05), 20), 1.03 * paper)

    def test_waiting_for_all_costs_more_than_for_neighbours_and_that_more_than_for_none(self):
        near = self.studies["near (10 of it)"]
        noisy = network(noise=0.1)
        times = [ws.simulated(counted, 1000, noisy, 40) - sum(ws.on_paper(counted, 1000, noisy).values())
                 for counted in (self.studies["none"], {**near, "calls": []}, {**near, "calls": [("Barrier", 0, 1.0)]})]
        self.assertLess(1.1 * times[0], times[1])
        self.assertLess(1.1 * times[1], times[2])

    def test_sizes_are_no_more_than_all_calls(self):
        """Calls of the start whose sizes change from run to run are none of a step's."""
        rates = {"Alltoallv of 8 B": 0.25, "Alltoallv of 16 B": 0.25, "Alltoallv of 24 B": -0.5, "Alltoallv of 32 B": 0.125,
                 "Allreduce of 8 B": 3.0, "Allreduce of 48 B": 0.5}
        self.assertEqual(cm.by_size(rates, set(rates)), ["Allreduce of 8 B x 3", "Allreduce of 48 B x 0.5", "Alltoallv of 32 B x 0.125"])
        self.assertEqual(cm.by_size(rates, {"Allreduce of 8 B"}),
                         ["Allreduce of 8 B x 3", "Alltoallv of other sizes x 0.12", "Allreduce of other sizes x 0.5"])

    def test_tasks_drawn_from_one_counter(self):
        self.assertAlmostEqual(ws.drawn(100, network()), 1e-3 + 2.2e-6, delta=1e-15)
        self.assertAlmostEqual(ws.drawn(100_000, network()), 10e-3, delta=1e-15)

    def test_what_breaks_first(self):
        near = self.studies["near (10 of it)"]
        for calls, term in (([("Allreduce", 8, 20.0)], "trees"), ([("Allgather", 800, 1.0)], "every rank to every rank"),
                            ([], "neighbours")):
            self.assertEqual(ws.report({**near, "calls": calls}, network(), [100, 10_000], 3)[1], term)
        self.assertEqual(ws.report({**near, "calls": [("Barrier", 8, 1.0)]}, network(noise=0.2), [100, 10_000], 10)[1],
                         "waiting")


if __name__ == "__main__":
    unittest.main()
