# SPDX-License-Identifier: BSD-3-Clause
"""study = "lattice": what it writes, equal bits on any number of ranks and after a stop, exact motions, Toda's
eigenvalues, and what bad input gets."""
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

from launch import PROGRAMS, RANKS, SOURCE, ProgramTest
from results import same_bits

CHAIN = """study = "lattice"
[model]
name = "fput-alpha"
sites = 34
boundary = "fixed"
[start]
modes = [2.0]
[method]
step = 0.2
stages = 4
[stop]
time = 20.0
[output]
every = 1.0
frames_every = 10.0
modes = 4
file = "out.h5"
"""
TODA = """study = "lattice"
[model]
name = "toda"
sites = 64
[start]
random = { q = 0.3, v = 0.5, seed = 3 }
[method]
step = 0.1
stages = 6
[stop]
time = 100.0
[output]
every = 10.0
file = "out.h5"
"""
SHEET = """study = "lattice"
[model]
name = "elastic-sheet"
sites = [13, 9]
boundary = ["free", "fixed"]
[start]
w = "0.5*exp(-x^2/4 - y^2/4)"
[method]
step = 0.1
stages = 3
[stop]
time = 2.0
[output]
every = 0.5
file = "out.h5"
"""
PENDULUMS = """study = "lattice"
[model]
name = "double-pendulum-chain"
sites = 24
[start]
a = "0.6*cos(2*pi*site/sites)"
[method]
step = 0.05
[stop]
time = 1.0
[output]
every = 0.25
file = "out.h5"
"""
BEAM = """study = "lattice"
[model]
coordinates = ["q"]
neighbours = { left = -1, right = 1 }
terms = { bend = "-(left.q - 2*q + right.q)^2/2", site = "q_dot^2/2" }
sites = 64
[start]
q = "0.3*sin(2*pi*site/sites) + 0.1*cos(10*pi*site/sites)"
[method]
step = 0.1
[stop]
time = 2.0
[output]
every = 0.5
file = "out.h5"
"""
FILM = BEAM.replace("left = -1, right = 1", "right = [1, 0], up = [0, 1]").replace(
    '"-(left.q - 2*q + right.q)^2/2"', '"-sqrt(1 + (right.q - q)^2 + (up.q - q)^2)"').replace("sites = 64", "sites = [10, 8]")
SHAFT = """study = "lattice"
[model]
coordinates = ["q"]
neighbours = { right = 1 }
terms = { site = "q_dot^2/2 + cos(q)", twist = "(right.q_dot - q_dot)^2/2" }
sites = 16
[start]
q_dot = "sin(2*pi*site/sites)^3"
[method]
step = 0.1
[stop]
time = 2.0
[output]
every = 0.5
file = "out.h5"
"""


def eigenvalues(q, v):
    """Those of Flaschka's matrix of a closed chain."""
    n, bond = len(q), 0.5 * np.exp(0.5 * (q - np.roll(q, -1)))
    matrix = np.diag(0.5 * v)
    for i in range(n):
        matrix[i, (i + 1) % n] += bond[i]
        matrix[(i + 1) % n, i] += bond[i]
    return np.linalg.eigvalsh(matrix)


class Lattice(ProgramTest):
    def run_to(self, name, text=CHAIN, *words, ranks=RANKS, code=0):
        end = self.ended(self.deck(text), f"output.file={name}", *words, ranks=ranks, code=code)
        self.text = end.stdout
        return h5py.File(self.at / name, "r")["lattice"] if code != 75 else None

    def test_what_it_writes(self):
        found = self.run_to("result.h5")
        np.testing.assert_allclose(found["time"][()], np.arange(21.0), atol=1e-13)
        self.assertEqual(found["q"].shape, (3, 34, 1))
        self.assertEqual(found["mode_energy"].shape, (21, 4))
        for item in found.values():
            self.assertIn("units", item.attrs)
            self.assertIn("meaning", item.attrs)
        energy = found["energy"][()]
        np.testing.assert_allclose(energy[:, 0] + energy[:, 1], energy[:, 2], atol=1e-15)
        self.assertLess(np.ptp(energy[:, 2]), 1e-13)
        # The first mode alone at first, of energy 2 (omega a)^2 / 4; then others, which the bonds' cubes excite.
        first = 2.0 * (2 * np.sin(np.pi / 66)) ** 2
        np.testing.assert_allclose(found["mode_energy"][0], [first, 0, 0, 0], atol=1e-14)
        self.assertGreater(found["mode_energy"][-1, 1], 1e-7)
        # By hand from the last whole state.
        shape = np.sqrt(2 / 33) * np.sin(np.pi * 2 * np.arange(34) / 33)
        second = 0.5 * ((shape @ found["v"][-1, :, 0]) ** 2
                        + (2 * np.sin(np.pi / 33)) ** 2 * (shape @ found["q"][-1, :, 0]) ** 2)
        np.testing.assert_allclose(found["mode_energy"][-1, 1], second, rtol=1e-12)
        self.assertEqual(found["q"][-1, 0, 0], 0)  # an end that is held
        self.assertEqual(found["status"][0], 1)
        self.assertEqual(found["last_time"][0], 20.0)
        self.assertTrue((found["last_q"][()] == found["q"][-1]).all() and (found["last_v"][()] == found["v"][-1]).all())
        self.assertFalse(list(self.at.glob("*.checkpoint")))

    def test_formulas_know_the_parameters(self):
        starts = [self.run_to(name, CHAIN, "model.alpha=-0.3", "start.modes=", f"start.q={q}")["q"][0]
                  for name, q in (("named.h5", "alpha*sin(x) - alpha^2*x"), ("number.h5", "-0.3*sin(x) - (-0.3)^2*x"))]
        self.assertTrue((starts[0] == starts[1]).all())
        x = np.arange(34) - 16.5
        np.testing.assert_allclose(starts[0][:, 0], -0.3 * np.sin(x) - 0.09 * x, atol=1e-15)

    def test_ranks_agree_to_the_bit(self):
        for text in (CHAIN, SHEET, BEAM, FILM, TODA.replace("100.0", "20.0"),
                     CHAIN.replace("step = 0.2\nstages = 4", 'step = 0.2\nname = "verlet-kahan-li-8"')):
            self.run_to("1.h5", text, ranks=1)
            for ranks in (2, 3, 4) if text is SHEET else (2, 3) if text in (BEAM, FILM) else (3,):
                found = self.run_to(f"{ranks}.h5", text, ranks=ranks)
                self.assertLess(np.ptp(found["energy"][:, 2]), 1e-9 if text in (BEAM, FILM) else np.inf)
                self.assertEqual(same_bits(self.at / "1.h5", self.at / f"{ranks}.h5"), [])
            self.run_to("other.h5", text, "method.step=0.05", ranks=1)
            self.assertNotEqual(same_bits(self.at / "1.h5", self.at / "other.h5"), [])

    def test_newton_on_ranks_agrees_to_round_off(self):
        alone = self.run_to("1.h5", PENDULUMS, ranks=1)
        many = self.run_to("many.h5", PENDULUMS, ranks=max(2, RANKS))
        self.assertLess(np.abs(alone["q"][()] - many["q"][()]).max(), 1e-12)
        self.assertLess(np.ptp(alone["energy"][:, 2]), 1e-9)
        direct = self.run_to("direct.h5", PENDULUMS, "--", "-stage_pc_type", "redundant", ranks=2)
        self.assertLess(np.abs(alone["q"][()] - direct["q"][()]).max(), 1e-12)
        other = self.run_to("other.h5", PENDULUMS, "model.coupling=1.001", ranks=1)
        self.assertGreater(np.abs(alone["q"][()] - other["q"][()]).max(), 1e-6)

    def test_whole_systems_by_petsc(self):
        """[solver] collocation = "petsc": the same motion, and summary and result say what solved."""
        solved = {}
        for collocation in ("substructures", "petsc"):
            found = self.run_to(f"{collocation}.h5", PENDULUMS, f"solver.collocation={collocation}")
            said = found.file["provenance"].attrs["petsc"]
            said = said.decode() if isinstance(said, bytes) else said
            solved[collocation] = found["q"][()]
            words = "KSP of all ranks' matrix" if collocation == "petsc" else "LU of each rank's part"
            self.assertIn(words, said)
            self.assertIn("Newton's method, PETSc's " + words, self.text)
        self.assertLess(np.abs(solved["petsc"] - solved["substructures"]).max(), 1e-12)
        self.assertGreater(np.abs(solved["petsc"] - solved["substructures"]).max(), 0)  # another solver has other bits
        self.run_to("by_name.h5", CHAIN, "solver.collocation=petsc")  # Newton's method from the first step on
        self.assertIn("KSP of all ranks' matrix", self.text)
        self.run_to("options.h5", PENDULUMS, "solver.collocation=petsc", "--", "-stage_ksp_type", "bcgs")
        self.assertIn("bcgs", self.text)
        for place in ("--describe", "--template"):
            self.assertIn('collocation = "petsc"', self.launch(place, "lattice", ranks=1).stdout)

    def test_stopped_and_resumed(self):
        for text, others in ((CHAIN, (1, 3)), (SHEET, (2,)), (PENDULUMS, (RANKS,))):
            self.run_to("whole.h5", text)
            for ranks in others:
                self.run_to("parts.h5", text, "output.wall_minutes=1e-5", code=75)
                self.stopped_midway("parts.h5", "whole.h5")
                end = self.launch("deck.toml", "output.file=parts.h5", "--resume", "method.stages=5", ranks=ranks)
                self.says(end, 2, "another deck")
                for _ in range(2):  # the second has nothing left to do
                    end = self.launch("deck.toml", "output.file=parts.h5", "--resume", ranks=ranks)
                    self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                    self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])

    def test_toda_keeps_its_eigenvalues(self):
        found = self.run_to("toda.h5", TODA)
        before = eigenvalues(found["q"][0, :, 0], found["v"][0, :, 0])
        worst = max(np.abs(eigenvalues(q[:, 0], v[:, 0]) - before).max()
                    for q, v in zip(found["q"][()], found["v"][()]))
        self.assertLess(worst, 1e-12)  # measured: 1e-14
        traces = found["invariant"][()]
        np.testing.assert_allclose(traces[0], [(before ** k).sum() for k in range(1, 9)], rtol=1e-12, atol=1e-12)
        self.assertLess(np.abs(traces - traces[0]).max(), 1e-11)
        other = self.run_to("verlet.h5", TODA, "method.name=stormer-verlet", "method.stages=", ranks=1)
        self.assertGreater(np.abs(other["invariant"][()] - traces[0]).max(), 1e-5)  # the control

    def test_exact_motions(self):
        soliton = TODA.replace("random = { q = 0.3, v = 0.5, seed = 3 }", 'wave = "soliton"').replace("100.0", "8.0")
        found = self.run_to("soliton.h5", soliton, "model.boundary=free", "output.every=1.0")
        self.assertLess(found["exact_error"][()].max(), 1e-11)
        for wave in ("kink", "breather", "kink-pair"):
            error = []
            for spacing in (0.1, 0.05):
                text = CHAIN.replace("fput-alpha", "sine-gordon").replace("modes = [2.0]", f'wave = "{wave}"').replace("modes = 4\n", "").replace("fixed", "free")
                speed = ["start.speed=0.3"] if "kink" in wave else []
                found = self.run_to("wave.h5", text, f"model.spacing={spacing}", f"model.sites={int(40 / spacing)}",
                                    "method.step=0.05", "stop.time=8.0", "output.frames_every=1", *speed)
                error.append(found["exact_error"][()].max())
            with self.subTest(wave=wave):
                self.assertLess(error[1], 0.03)
                self.assertAlmostEqual(np.log2(error[0] / error[1]), 2, delta=0.1)  # second order in the spacing

    def test_a_sheet_for_paraview(self):
        found = self.run_to("sheet.h5", SHEET)
        self.assertEqual(found["position"].shape, (5, 13 * 9, 3))
        np.testing.assert_allclose(found["position"][0, 0], [-6, -4, found["q"][0, 0, 2]])
        tree = xml.etree.ElementTree.parse(self.at / "sheet.xdmf")
        self.assertEqual(len(tree.findall(".//Geometry")), 5)
        self.assertIn("1 9 13", {t.get("Dimensions") for t in tree.findall(".//Topology")})

    def test_frames_are_as_precise_as_asked(self):
        whole = self.run_to("whole.h5", SHEET)
        found = self.run_to("half.h5", SHEET, "output.precision=single")
        for name in ("q", "v", "position"):
            self.assertEqual((whole[name].dtype, found[name].dtype), (np.float64, np.float32))
            self.assertTrue(np.array_equal(found[name][()], whole[name][()].astype(np.float32)))
        for name in ("last_q", "last_v", "energy"):
            self.assertEqual(found[name].dtype, np.float64)
            self.assertTrue(np.array_equal(found[name][()], whole[name][()]))

    def test_held_sites_stay_where_they_are(self):
        for words in (["start.modes=[1]"], ["start.modes=", "start.random.q=0.1"]):
            self.refused("modes", "sites that are held have no part in them", text=CHAIN, words=["model.held=[5]", *words])
        found = self.run_to("random.h5", CHAIN, "start.modes=", "start.random={q=0.1,v=0.1}")
        for name in ("q", "v"):
            start = found[name][0, :, 0]
            self.assertEqual(np.abs(start[[0, -1]]).max(), 0)
            self.assertGreater(np.abs(start[1:-1]).min(), 0)
            self.assertLess(abs(start.sum()), 1e-14)
        # So the modes' energies are the chain's, but for the cubic term.
        energy = self.run_to("small.h5", CHAIN, "start.modes=", "start.random={q=1e-4,v=1e-4}", "output.modes=32")
        np.testing.assert_allclose(energy["mode_energy"][()].sum(1), energy["energy"][:, 2], rtol=1e-3)

    def network(self, bonds):
        with h5py.File(self.at / "network.h5", "w") as file:
            file["bond"] = np.asarray(bonds, dtype=np.int64)
        return CHAIN.replace('boundary = "fixed"', 'copies = "network.h5"\nheld = [0]').replace("modes = 4\n", "").replace("modes = [2.0]", "random = { v = 0.1 }")

    def test_a_network(self):
        ring = [[i, (i + 1) % 34] for i in range(34)]
        text = self.network([*ring, [3, 20], [7, 30]])
        self.run_to("1.h5", text, ranks=1)
        found = self.run_to("3.h5", text, ranks=3)
        self.assertEqual(same_bits(self.at / "1.h5", self.at / "3.h5"), [])
        self.assertLess(np.ptp(found["energy"][:, 2]), 1e-12)
        self.assertEqual(found["q"][-1, 0, 0], 0)
        for bonds, part in (([*ring, [3, 34]], "term 'bond', copy 34 refers to site 34, which isn't there"),
                            ([*ring, [3, 3]], "copy 34 joins site 3 to itself"),
                            (ring[:20], "disconnected sites: no chain of terms joins site 21 to site 0"),
                            ([[0, 1, 2]], "/bond must have 2 columns")):
            with self.subTest(part=part):
                self.refused(part, text=self.network(bonds))

    def test_copies_of_no_term_are_refused(self):
        text = self.network([[i, i + 1] for i in range(33)])
        with h5py.File(self.at / "network.h5", "a") as file:
            file["q"] = np.zeros((34, 1))  # what [start] file reads may lie beside it
            file["v"] = np.zeros((34, 1))
        self.run_to("1.h5", text, "stop.time=1.0")
        with h5py.File(self.at / "network.h5", "a") as file:
            file["bnd"] = np.zeros((3, 2), dtype=np.int64)
        self.refused("unknown term 'bnd' by which network.h5 has copies", "did you mean 'bond'?", text=text)

    def test_what_a_step_took_is_of_all_steps_of_this_start(self):
        said = []
        for minutes in ("10", "1e-9"):
            end = self.launch(self.deck(CHAIN), f"output.checkpoint_minutes={minutes}", "stop.time=400.0", ranks=1)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            said.append(float(re.search(r"([0-9.]+) iterations a step", end.stdout)[1]))
        self.assertEqual(said[0], said[1])
        self.assertTrue(4 < said[0] < 30, said)

    def test_dry_run_heeds_precision(self):
        deck = self.deck(SHEET)
        for precision in ("double", "single"):
            end = self.launch(deck, f"output.precision={precision}", "model.sites=[99,99]", "stop.time=0.5")
            self.assertEqual(end.returncode, 0, end.stderr)
            said = self.launch(deck, f"output.precision={precision}", "model.sites=[99,99]", "stop.time=0.5", "--dry-run").stdout
            told = float(re.search(r"result file +([0-9.]+) MB", said).group(1))
            self.assertLess(abs(told / ((self.at / "out.h5").stat().st_size / 1e6) - 1), 0.25)

    @unittest.skipUnless(RANKS == 1, "one rank's")
    def test_modes_take_no_memory_each(self):
        def peak(modes):
            words = ["model.sites=100002", "start.modes=[1e-3]", f"output.modes={modes}", "stop.time=0.2", "output.every=0.2",
                     "output.frames_every=0.2"]
            process = subprocess.Popen([PROGRAMS / "cotangent", self.deck(CHAIN), *words], cwd=self.at, env=self.alone,
                                       stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss / 1024

        self.assertLess(peak(50), peak(1) + 20)  # of each mode two columns of 0.8 MB

    def test_modes_of_open_chains(self):
        """Where copies that are missing at free ends would change the ends' own motion, the chain has no modes."""
        own = """study = "lattice"
[model]
coordinates = ["q"]
neighbours = { right = 1 }
parameters = { k = 1.0, s = 1.0, m = 0.0, f = 0.0 }
terms = { site = "q_dot^2/2 - k*q^2/2", bond = "m*q*right.q - s*(right.q - q)^2/2 - f*(right.q - q)" }
sites = 12
[start]
modes = [0.0, 0.1]
[method]
step = 0.1
[stop]
time = 1.0
[output]
modes = 3
file = "out.h5"
"""
        for terms, known in (({}, ("periodic", "free", "fixed")), ({"k": 2.0, "s": 0.0, "m": 1.0}, ("periodic", "fixed")),
                             ({"f": 0.3}, ("periodic", "fixed"))):
            values = [f"model.parameters.{name}={value}" for name, value in terms.items()]
            for boundary in ("periodic", "free", "fixed"):
                with self.subTest(terms=terms, boundary=boundary):
                    if boundary in known:
                        found = self.run_to("modes.h5", own, f"model.boundary={boundary}", *values)
                        energy = found["mode_energy"][()]  # stays where it is
                        np.testing.assert_allclose(energy, np.tile(energy[0], (len(energy), 1)), atol=1e-12)
                        self.assertGreater(energy[0, 1], 1e-3)
                    else:
                        for words in ((), ("start.modes=", "start.q=0.1*x")):
                            self.refused("modes", "lack copies of terms that change them", 'boundary = "periodic" or "fixed"',
                                         text=own, words=[f"model.boundary={boundary}", *values, *words])

    def test_waves_on_closed_chains(self):
        kink = CHAIN.replace("fput-alpha", "sine-gordon").replace("modes = 4\n", "").replace("modes = [2.0]", 'wave = "kink"').replace(
            "sites = 34", "sites = 400")
        self.refused("[start] wave", "doesn't close on itself", 'boundary = "free"', text=kink, words=["model.boundary="])
        self.refused("doesn't close on itself", text=kink, words=["model.boundary=", "model.sites=[400, 6]"])
        for wave, boundary in (("kink", "free"), ("kink-pair", "periodic"), ("breather", "periodic")):
            self.run_to("wave.h5", kink, f"start.wave={wave}", f"model.boundary={boundary}", "stop.time=1.0", "output.frames_every=1")

    def test_velocities_that_are_not_found_are_a_status(self):
        self.run_to("control.h5", SHAFT)
        words = ["--", "-mass_ksp_type", "gmres", "-mass_pc_type", "none", "-mass_ksp_max_it", "1", "-mass_ksp_rtol", "1e-12"]
        end = self.launch(self.deck(SHAFT), *words)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("velocities from momenta: the linear solver used up its iterations", end.stdout)
        with h5py.File(self.at / "out.h5", "r") as file:
            found = file["lattice"]
            self.assertEqual(found["status"][0], 4)
            for name in ("time", "energy", "q", "v"):  # no sample has a velocity that wasn't found
                rows = found[name][()].reshape(len(found[name]), -1)
                self.assertTrue(np.isnan(rows[-1]).all(), name)
            self.assertEqual(found["last_time"][0], np.count_nonzero(~np.isnan(found["time"][()])) * 0.5)
            self.assertTrue(np.isfinite(found["last_q"][()]).all())

    def test_refused(self):
        for text, words, part in (
                (CHAIN, ["stop.time=1e20", "method.step=1.0"], "1e+20 steps of 1 can't be counted"),
                (BEAM, ["model.sites=4"], "meet itself: it needs 5 sites along x"),
                (CHAIN, ["model.name=fput-gamma"], "fput-alpha"), (CHAIN, ["model.sites=1"], "sites"),
                (CHAIN, ["model.sites=[8, 8]", "start.modes=", "start.q=x", "output.modes="], "disconnected sites: no chain of terms joins site 8 to site 0"),
                (CHAIN, ["model.sites=2", "model.boundary=periodic"], "go around a lattice so small"),
                (CHAIN, ["model.boundary=closed"], "periodic"), (CHAIN, ["start.mode=[1]"], "did you mean 'modes'"),
                (CHAIN, ["start.modes="], "give the start"), (CHAIN, ["start.wave=kink"], "modes and wave"),
                (CHAIN, ["method.stages=17"], "at most 16"), (CHAIN, ["method.name=verlet"], "stormer-verlet"),
                (CHAIN, ["output.modes=33"], "there are 32"), (CHAIN, ["output.every=0.3"], "whole number of steps"),
                (CHAIN, ["model.held=[34]"], "34 is no site"), (CHAIN, ["--", "-stag_pc_type", "lu"], "-stage_"),
                (CHAIN, ["start.modes=", "start.q=sin(z)"], "unknown name 'z' at column 5 of 'sin(z)'"),
                (CHAIN, ["start.modes=", "start.q=x*alhpa"], "at column 3 of 'x*alhpa'; did you mean 'alpha'?"),
                (CHAIN, ["start.modes=", "start.q=(alpha*x"], "expected ')' at the end of '(alpha*x'"),
                (CHAIN, ["start.modes=", "start.q=alpha*x y"], "expected an operator at column 9 of 'alpha*x y'"),
                (SHEET, ["start.w=1/0"], "site 0 begins at"),
                (CHAIN, ["start.modes=", "start.file=no.h5"], "no.h5"),
                (PENDULUMS, ["method.name=stormer-verlet"], "constant, diagonal mass matrix"),
                (SHAFT, ["method.name=stormer-verlet"], "mass matrix, which the deck's model doesn't have"),
                (PENDULUMS, ["method.solver=fixed-point"], "constant, diagonal mass matrix"),
                (CHAIN, ["method.solver=fixed-point", "--", "-stage_pc_type", "lu"], "no effect"),
                (CHAIN, ["method.solver=fixed-point", "solver.collocation=petsc"], "solves no systems"),
                (CHAIN, ["solver.collocation=pets"], "petsc"),
                (CHAIN.replace("stages = 4\n", ""), ["method.name=stormer-verlet", "solver.collocation=petsc"], "collocation"),
                (CHAIN.replace("fput-alpha", "sine-gordon").replace("modes = 4\n", "").replace("modes = [2.0]", 'wave = "breather"'),
                 ["start.frequency=1.2"], "below 1")):
            with self.subTest(words=words):
                self.refused(part, text=text, words=words, code=3 if part == "no.h5" else 2)

    def test_singular_masses_name_the_site(self):
        for text, words in ((SHEET, "model.mass=0"), (PENDULUMS, "model.m2=0")):
            end = self.launch(self.deck(text), words)
            self.says(end, 2, "singular mass matrix", "site 0" if text is PENDULUMS else "site 13")

    def test_a_solver_that_does_not_converge_is_a_status(self):
        words = ["start.modes=", "start.q_dot=1e200*(site-16)"]
        for solver in ("fixed-point", "newton", "auto"):
            with self.subTest(solver=solver):
                end = self.launch(self.deck(CHAIN), *words, f"method.solver={solver}")
                self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
                self.assertIn("newton_diverged", end.stdout)
                with h5py.File(self.at / "out.h5", "r") as file:
                    self.assertEqual(file["lattice/status"][0], 4)
                    time = file["lattice/time"][()]
                    self.assertTrue(np.isfinite(time[0]) and np.isnan(time[-1]))
                    self.assertTrue(np.isfinite(file["lattice/q"][0]).all() and np.isnan(file["lattice/q"][-1]).all())

    def test_a_mass_matrix_that_becomes_singular_names_the_site(self):
        # Without upper masses, where both rods of a pendulum are in line: in the middle of the first step, at site 5.
        text = PENDULUMS.replace('a = "0.6*cos(2*pi*site/sites)"', 'a = "0.3-0.325*exp(-1000*(site-5)^2)"\na_dot = "1"')
        end = self.launch(self.deck(text), "model.m1=0", "model.coupling=0")
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("singular_mass_matrix", end.stdout)
        self.assertIn("the velocities of site 5 don't follow from its momenta", end.stdout)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual((file["lattice/status"][0], file["lattice/last_time"][0]), (6, 0.0))
            self.assertAlmostEqual(file["lattice/last_q"][5, 0], -0.025, delta=1e-14)

    def test_a_step_that_fails_loses_nothing(self):
        """Bonds of an attractive cube fly apart in finite time; what was reached before is kept, also between samples."""
        for method in ("stormer-verlet", "verlet-kahan-li-8", "gauss"):
            words = [f"method.name={method}", "method.step=0.05", "model.alpha=-3.0", "start.modes=", "start.q=9*exp(-100*(site-16)^2)",
                     "output.every=5.0", "output.frames_every=5.0", "output.modes="]
            end = self.launch(self.deck(CHAIN.replace("stages = 4\n", "")), *words)
            with self.subTest(method=method), h5py.File(self.at / "out.h5", "r") as file:
                self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
                self.assertIn("newton_diverged" if method == "gauss" else "non_finite", end.stdout)
                self.assertRegex(end.stdout, r"[1-9]\d* taken again in halves")
                found = file["lattice"]
                self.assertTrue(0 < found["last_time"][0] < 5, found["last_time"][0])
                self.assertTrue(np.isfinite(found["last_q"][()]).all() and np.isfinite(found["last_v"][()]).all())
                self.assertGreater(np.abs(found["last_q"][()] - found["q"][0]).max(), 1)

    def test_petsc_says_why_and_steps_are_halved(self):
        # One iteration of GMRES and no preconditioner: PETSc gives up, whatever the step.
        words = ["--", "-stage_ksp_type", "gmres", "-stage_pc_type", "none", "-stage_ksp_max_it", "1",
                 "-stage_ksp_rtol", "1e-12"]
        end = self.launch(self.deck(PENDULUMS), *words)
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("the linear solver used up its iterations", end.stdout)
        self.assertRegex(end.stdout, r"[1-9]\d* taken again in halves")

    def test_newton_takes_over(self):
        end = self.launch(self.deck(CHAIN), "method.step=4.0", "output.every=4.0", "output.frames_every=20.0")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertIn("Newton's method from step 0 on", end.stdout)


class Constraints(ProgramTest):
    """Rods as constraints between sites: lengths, ranks, restart, and what bad input gets."""

    rods = SOURCE / "input/lattices/inextensible_chain.toml"
    short = ["stop.time=2.0", "output.every=0.5"]

    def run_it(self, name, *words, ranks=RANKS, code=0):
        self.ended(self.rods, *self.short, f"output.file={name}", *words, ranks=ranks, code=code)
        if code == 75:
            return None
        with h5py.File(self.at / name) as file:
            return {key: item[()] for key, item in file["lattice"].items()}

    def test_rods_keep_their_lengths_on_any_ranks(self):
        alone, many = self.run_it("1.h5", ranks=1), self.run_it("many.h5", ranks=max(2, RANKS))
        lengths = np.linalg.norm(np.diff(alone["q"], axis=1), axis=2)
        self.assertLess(np.abs(lengths - 1).max(), 1e-14)
        self.assertLess(alone["constraint_error"].max(), 1e-14)
        self.assertLess(np.abs((np.diff(alone["q"], axis=1) * np.diff(alone["v"], axis=1)).sum(axis=2)).max(), 1e-13)
        self.assertLess(np.abs(alone["q"] - many["q"]).max(), 1e-12)
        self.assertLess(np.ptp(alone["energy"][:, 2]), 1e-6)
        other = self.run_it("other.h5", "method.stages=2", ranks=1)  # the control: another method
        self.assertGreater(np.abs(alone["q"] - other["q"]).max(), 1e-6)

    def test_stopped_and_resumed(self):
        whole = self.run_it("whole.h5")
        self.run_it("parts.h5", "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        parts = self.run_it("parts.h5", "--resume")
        if RANKS == 1:
            self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])
        self.assertLess(np.abs(whole["last_q"] - parts["last_q"]).max(), 1e-12)

    def test_refused(self):
        text = self.rods.read_text(encoding="utf-8")
        for words, part in ((["start.y=0*site"], "constraint 'rod' of site 0 is missed at the start, by -0.42"),
                            (["start.x=0*site", "start.y=0*site"], "constraint 'rod' of site 0: its gradient vanishes"),
                            (["method.name=gauss"], "keeps no constraints, and 'inextensible-chain' has some"),
                            (["method.name=stormer-verlet"], "keeps no constraints"),
                            (["method.stages=1"], "stages"), (["method.stages=9"], "at most 8"),
                            (["--", "-stage_pc_type", "lu"], "begin with -pair_")):
            with self.subTest(words=words):
                self.refused(part, text=text, words=["output.file=out.h5", *words])

    def test_a_step_that_fails_is_a_status(self):
        last = self.run_it("out.h5", "method.step=500", "stop.time=500", "output.every=500", code=1)
        self.assertEqual((last["status"][0], last["last_time"][0] < 500), (4, True))
        self.assertTrue(np.isfinite(last["last_q"]).all() and np.isfinite(last["last_v"]).all())
        end = self.launch(self.rods, *self.short, "--", "-pair_ksp_type", "gmres", "-pair_pc_type", "none",
                          "-pair_ksp_max_it", "1", "-pair_ksp_rtol", "1e-12")
        self.assertIn("the linear solver used up its iterations", end.stdout + end.stderr)

    def test_described(self):
        self.assertIn("kept 0, a constraint", self.launch("--describe", "inextensible-chain", ranks=1).stdout)


class OwnLattice(ProgramTest):
    """The example of a sum of local terms of one's own: listed, described, run by its deck on any ranks."""

    own = SOURCE / "apps/own_problem/peyrard_bishop.toml"

    def run_it(self, name, *words, ranks=RANKS, code=0):
        return self.ended(self.own, f"output.file={name}", *words, program="peyrard_bishop", ranks=ranks, code=code).stdout

    def test_listed_described_and_offered(self):
        listed = self.launch("--list", program="peyrard_bishop", ranks=1).stdout
        lattices = [line.split()[0] for line in listed.split("\nlattices\n")[1].split("\n\n")[0].splitlines()]
        self.assertEqual(lattices[0], "peyrard-bishop")
        self.assertIn("fput-beta", lattices)
        described = self.launch("--describe", "peyrard-bishop", program="peyrard_bishop", ranks=1).stdout
        for part in ("y, y_dot", "(0, 0) (1, 0)", "coupling = 0.1"):
            self.assertIn(part, described)
        template = self.launch("--template", "lattice", program="peyrard_bishop", ranks=1).stdout
        end = self.launch(self.deck(template), "--check", program="peyrard_bishop")
        self.assertEqual((end.returncode, end.stdout), (0, "deck ok\n"))
        self.says(self.launch(self.own, "model.name=peyrard-bishob", program="peyrard_bishop"), 2, "peyrard-bishop")
        self.says(self.launch(self.own), 2, "peyrard-bishop")  # no model of the program without it

    def test_a_breather_stays(self):
        share = {}
        for coupling in (0.05, 1.0):  # the control: strong springs carry it away
            self.run_it("own.h5", f"model.coupling={coupling}", "stop.time=200.0")
            with h5py.File(self.at / "own.h5") as file:
                y, v = (file[f"lattice/{name}"][-1, :, 0] for name in "qv")
                total = file["lattice/energy"][:, 2]
            bond = 0.5 * coupling * (np.roll(y, -1) - y) ** 2
            energy = 0.5 * v ** 2 + (np.exp(-y) - 1) ** 2 + 0.5 * (bond + np.roll(bond, 1))
            self.assertAlmostEqual(energy.sum(), total[-1], delta=1e-12)
            self.assertLess(np.ptp(total), 1e-9)
            share[coupling] = energy[61:68].sum() / energy.sum()
        self.assertGreater(share[0.05], 0.99)  # 0.997
        self.assertLess(share[1.0], 0.1)  # 0.03

    def test_equal_bits_on_other_ranks_and_after_a_stop(self):
        self.run_it("whole.h5", ranks=1)
        self.run_it("parts.h5", "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        self.run_it("parts.h5", "--resume", ranks=2)
        self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])
        self.run_it("newton.h5", "method.solver=newton", "stop.time=20.0", "--", "-stage_pc_type", "redundant")
        with h5py.File(self.at / "whole.h5") as a, h5py.File(self.at / "newton.h5") as b:
            self.assertLess(np.abs(a["lattice/q"][:21] - b["lattice/q"][()]).max(), 1e-12)


if __name__ == "__main__":
    unittest.main()
