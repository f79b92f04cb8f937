# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of V. P. Chan, The design, implementation, and applications of a novel numerical solver: the Lagrangian
solver (master's thesis, OIST, 2018), and of reference solutions, through deck and file as a user meets them."""
import json
import math
import unittest

import h5py
import numpy as np

from launch import ProgramTest, SOURCE
from results import statuses

REFERENCE = SOURCE / "tests" / "reference"


def poincare(model, method, where, start, crossings, extra=""):
    return f"""study = "poincare"
[model]
{model}
[method]
{method}
[section]
{where}
[ensemble]
list = [{start}]
[stop]
crossings = {crossings}
[output]
file = "out.h5"
{extra}"""


class References(ProgramTest):
    def crossings(self, text):
        end = self.launch(self.deck(text), ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            return file["section/time"][0], file["section/points"][0], file["orbits/energy_error"][0]

    def test_henon_heiles(self):
        orbits = json.loads((REFERENCE / "henon_heiles_crossings.json").read_text())
        for name, orbit in orbits.items():
            start = [float(x) for x in orbit["initial_q1_q2_q1dot_q2dot"]]
            n = len(orbit["crossings"])
            for method in ('name = "gauss"\nstages = 8\nstep = 0.5', 'name = "gauss"\nstages = 12\nstep = 1.0',
                           'name = "gauss"\nstages = 10\ntolerance = 1e-13'):
                with self.subTest(orbit=name, method=method):
                    t, x, _ = self.crossings(poincare('name = "henon-heiles"', method, 'where = "q1"', start, n))
                    for k, c in enumerate(orbit["crossings"]):
                        self.assertAlmostEqual(t[k], float(c["t"]), delta=1e-11)
                        for column, key in ((1, "q2"), (2, "q1dot"), (3, "q2dot")):
                            self.assertAlmostEqual(x[k, column], float(c[key]), delta=1e-11)

    def test_magnetic_chain(self):
        orbits = json.loads((REFERENCE / "balls_crossings.json").read_text())
        for name, orbit in orbits.items():
            hanging = "hanging" in name
            shift = math.pi if hanging else 0.0
            i = orbit["initial"]
            start = [shift, float(i["sigma_or_s"]) - shift, float(i["omega_t"]), float(i["omega_s"])]
            n = len(orbit["crossings"])
            where = f'where = "t"\nvalue = {shift}\ndirection = "both"\ncondition = "p_t > 0"'
            model = f'name = "magnetic-chain"\nalpha = {float(orbit["alpha"])}'
            with self.subTest(orbit=name):
                t, x, _ = self.crossings(poincare(model, 'name = "gauss"\nstages = 12\nstep = 0.25', where, start, n))
                for k, c in enumerate(orbit["crossings"]):
                    self.assertAlmostEqual(t[k], float(c["time"]), delta=1e-11 * max(1.0, float(c["time"]) / 100))
                    s = float(c["s"]) - shift
                    self.assertAlmostEqual(math.remainder(x[k, 1] - s, 2 * math.pi), 0.0, delta=1e-11)
                    self.assertAlmostEqual(x[k, 2], float(c["omega_t"]), delta=1e-11)
                    self.assertAlmostEqual(x[k, 3], float(c["omega_s"]), delta=1e-11)

    def test_long_chaotic_orbit_keeps_its_energy(self):
        """Chan (2018), figure 4.2: |E - E0| stayed below 1.8e-6 to t = 400 000. Here a tenth of that time; ours 5e-15."""
        text = (SOURCE / "input" / "sections/henon_heiles_long.toml").read_text()
        end = self.launch(self.deck(text), "stop.time=40000", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertLess(file["orbits/energy_error"][0], 1e-13)
            self.assertEqual(file["orbits/final"].shape, (1, 4))
        self.assertEqual(statuses(self.at / "out.h5"), {"time_limit": 1})

    def test_the_start_of_figure_6_15(self):
        """t_dot > 0 is impossible there; p_t > 0 has t_dot = -0.065869113458798503."""
        text = (SOURCE / "input" / "sections/magnetic_chain_series_6_15.toml").read_text()
        end = self.launch(self.deck(text), "stop.time=1", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            # One unit in the last place of E = -9.74, divided by dE/dt_dot = p_t = 0.1046, is 1.7e-14.
            self.assertAlmostEqual(file["orbits/initial"][0, 2], -0.065869113458798503, delta=2e-14)
        end = self.launch(self.deck(text), "section.condition=t_dot > 0", "output.file=out.h5", ranks=1)
        self.assertEqual(end.returncode, 2)
        self.assertIn("no start is feasible", end.stderr)

    def test_orders_by_two_steps(self):
        """Chan (2018), 3.4.1: N = log(E1/E2) / log(h1/h2) of q2's L2 error is "6.6 for K = 8, 10.2 for K = 13". Degrees 7
        and 12 give that, 8 gives 8."""
        def q2(method, step, until):
            text = f"""study = "trajectory"
[model]
name = "henon-heiles"
[method]
{method}
step = {step}
[ensemble]
list = [[0.0, -0.1, 0.3783906541, 0.0]]
[stop]
time = {until}
[output]
every = 0.05
file = "out.h5"
"""
            end = self.launch(self.deck(text), ranks=1)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            with h5py.File(self.at / "out.h5", "r") as file:
                return file["trajectory/q"][0, :, 1]

        for degree, treatment, steps, until, printed, ours in ((7, "A", (1.0, 0.5), 40.0, 6.6, 6.61),
                                                               (8, "A", (1.0, 0.5), 40.0, 6.6, 7.98),
                                                               (12, "E", (2.0, 1.0), 10.0, 10.2, 10.05)):
            with self.subTest(degree=degree):
                exact = q2('name = "gauss"\nstages = 16', 0.25, until)
                method = f'name = "chebyshev-lobatto"\nstages = {degree}\ntreatment = "{treatment}"'
                errors = [np.linalg.norm(q2(method, step, until) - exact) for step in steps]
                order = math.log(errors[0] / errors[1]) / math.log(steps[0] / steps[1])
                self.assertAlmostEqual(order, ours, delta=0.02)
                self.assertEqual(abs(order - printed) < 0.2, degree != 8)

    def test_main_job(self):
        """The feasible starts at E = 1/8, and their energy."""
        text = (SOURCE / "input" / "sections/henon_heiles_chaos.toml").read_text()
        end = self.launch(self.deck(text), "stop.crossings=50", "output.file=out.h5", ranks=2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        with h5py.File(self.at / "out.h5", "r") as file:
            good = file["orbits/status"][()] == 1
            points = file["section/points"][()][good]
            self.assertLess(file["orbits/energy_error"][()][good].max(), 1e-13)
        q1, q2, v1, v2 = np.moveaxis(points, 2, 0)
        energy = 0.5 * (v1**2 + v2**2 + q1**2 + q2**2) + q1**2 * q2 - q2**3 / 3
        self.assertLess(abs(energy - 0.125).max(), 1e-13)
        self.assertLess(abs(q1).max(), 1e-15)
        self.assertGreater(v1.min(), 0)


if __name__ == "__main__":
    unittest.main()
