# SPDX-License-Identifier: BSD-3-Clause
"""study = "mechanism": what it writes, that ranks agree to round-off, that a stopped run goes on to the same bits, and
what bad input gets."""
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

from launch import RANKS, ProgramTest
from results import same_bits

CHAIN = """study = "mechanism"
[model]
name = "rod-chain"
rods = 60
[method]
name = "rattle"
step = 0.0005
[stop]
time = 0.1
[output]
every = 0.01
file = "out.h5"
"""

HELD = """study = "mechanism"
[model]
name = "rod-chain"
rods = 40
dimension = 3
length = 0.05
[surface]
name = "torus"
R = 2.0
r = 0.8
from = [2.0, 0.0, 0.8]
[method]
name = "rattle"
step = 0.001
[stop]
time = 0.5
[output]
every = 0.05
file = "out.h5"
"""


class Mechanism(ProgramTest):
    def run_to(self, name, *words, ranks=RANKS, code=0):
        self.ended(self.deck(CHAIN), f"output.file={name}", *words, ranks=ranks, code=code)
        return h5py.File(self.at / name, "r")["particles"] if code != 75 else None

    def test_what_it_writes(self):
        for dimension in (2, 3):
            with self.subTest(dimension=dimension):
                found = self.run_to(f"result{dimension}.h5", f"model.dimension={dimension}")
                self.assertEqual(found["position"].shape, (11, 61, dimension))
                self.assertEqual(found["multiplier"].shape, (11, 60))
                np.testing.assert_allclose(found["time"][()], np.arange(11) * 0.01, atol=1e-14)
                for item in found.values():
                    self.assertIn("units", item.attrs)
                    self.assertIn("meaning", item.attrs)
                ends = found["ends"][()]
                length = np.linalg.norm(np.diff(found["position"][()][:, ends], axis=2)[:, :, 0], axis=2)
                np.testing.assert_allclose(length, 1 / 60, atol=2e-14)
                energy = found["energy"][()]
                np.testing.assert_allclose(energy[:, 0] + energy[:, 1], energy[:, 2], atol=1e-15)
                self.assertLess(np.ptp(energy[:, 2]), 1e-6)
                self.assertGreater(energy[-1, 0], 1e-3)
                self.assertLess(found["constraint_error"][()].max(), 1e-14)
                self.assertEqual(found["status"][0], 1)
        xml.etree.ElementTree.parse(self.at / "result2.xdmf")
        self.assertFalse(list(self.at.glob("*.checkpoint")))

    def test_held_on_a_surface(self):
        states = []
        for name, ranks in (("held1.h5", 1), ("held3.h5", 3)):
            end = self.launch(self.deck(HELD), f"output.file={name}", "output.surface_cells=20", ranks=ranks)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            with h5py.File(self.at / name, "r") as found:
                self.assertIn("surface/triangles", found)
                x, v = (found[f"particles/{part}"][()] for part in ("position", "velocity"))
                ends, energy = found["particles/ends"][()], found["particles/energy"][:, 2]
                hold, pull = found["particles/hold"][()], found["particles/multiplier"][()]
            self.assertEqual((ends.shape, pull.shape, hold.shape), ((40, 2), (11, 40), (11, 41)))
            around = np.hypot(x[..., 0], x[..., 1])
            np.testing.assert_allclose(np.hypot(around - 2, x[..., 2]), 0.8, atol=1e-13)
            length = np.linalg.norm(np.diff(x[:, ends], axis=2)[:, :, 0], axis=2)
            np.testing.assert_allclose(length, 0.05, atol=1e-13)
            self.assertLess(np.ptp(energy), 1e-6)
            self.assertGreater((v[-1] ** 2).sum(), 0.1)
            self.assertTrue(np.isfinite(hold).all() and np.abs(hold).min() > 0)
            states.append((x, hold))
        for one, three in zip(*states):
            np.testing.assert_allclose(three, one, rtol=1e-8, atol=1e-9)

    def test_surfaces_refused(self):
        for part, *words in (("'donut'", "surface.name=donut"), ("dimension = 3", "model.dimension=2"),
                             ("R > r > 0", "surface.r=3"), ("bends too much", "model.length=1.7", "surface.towards=[1,0,0]"),
                             ("bends too much", "surface.towards=[0,0,1]"),
                             ("positions or file", "model.closed=true"), ("angle", "model.angle=1.0"),
                             ("3 numbers", "surface.from=[1,2]"),
                             ("mass", "surface.mass=2"),
                             ("off the surface", "surface.from=", "model.rods=1", "model.positions=[[3,0,0],[3,0.05,0]]")):
            with self.subTest(part):
                self.refused(part, text=HELD, words=words)

    def test_ranks_and_formulations_agree_to_round_off(self):
        # At rest and horizontal at first: the positions stay where they are for all that round-off does.
        alone = self.run_to("alone.h5", ranks=1)
        for name, ranks, words in (("two.h5", 2, ()), ("three.h5", 3, ()),
                                   ("saddle.h5", 1, ["method.multipliers=saddle-point"]),
                                   ("petsc.h5", 2, ["--", "-position_ksp_type", "gmres", "-position_pc_type", "jacobi"])):
            with self.subTest(name=name):
                other = self.run_to(name, *words, ranks=ranks)
                self.assertLess(np.abs(other["position"][()] - alone["position"][()]).max(), 1e-13)  # measured: 1e-15
        wrong = self.run_to("wrong.h5", "method.step=0.001", ranks=1)  # the control: another trajectory
        self.assertGreater(np.abs(wrong["position"][()] - alone["position"][()]).max(), 1e-9)

    def test_what_solved_is_said(self):
        own, petsc = "the project's own Newton's method and tridiagonal elimination", "SNES newtonls, KSP"
        for ranks, words, here, elsewhere in ((1, (), own, "positions by PETSc"), (2, (), petsc, own),
                                              (1, ("--", "-position_snes_monitor", "-velocity_ksp_type", "gmres"),
                                               "KSP gmres", own),
                                              (1, ("method.multipliers=saddle-point",), "saddle-point", own)):
            with self.subTest(ranks=ranks, words=words):
                end = self.launch(self.deck(CHAIN), "stop.time=0.01", *words, ranks=ranks)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / "out.h5", "r") as file:
                    stored = file["provenance"].attrs["petsc"]
                for said in (end.stdout, stored):
                    self.assertIn(here, said)
                    self.assertNotIn(elsewhere, said)
                self.assertRegex(stored, r"^3\.\d+")

    def test_memory_foretold(self):
        end = self.launch(self.deck(CHAIN), "--dry-run", "model.rods=1000000", "method.step=1e-8", "stop.time=1e-7",
                          "output.every=1e-8", ranks=2)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        self.assertRegex(end.stdout, r"memory +about 4\d\d MB a rank")  # measured: 472; one rank: 888

    def test_stopped_and_resumed(self):
        self.run_to("whole.h5")
        self.run_to("parts.h5", "output.wall_minutes=1e-5", code=75)
        self.stopped_midway("parts.h5", "whole.h5")
        end = self.launch("deck.toml", "output.file=parts.h5", "--resume", "model.mass=2", ranks=RANKS)
        self.says(end, 2, "another deck")
        for _ in range(2):  # the second has nothing left to do
            end = self.launch("deck.toml", "output.file=parts.h5", "--resume", ranks=RANKS)
            self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
            self.assertEqual(same_bits(self.at / "whole.h5", self.at / "parts.h5"), [])

    def test_resumed_on_other_ranks(self):
        # At rest and horizontal at first, as above; from the checkpoint to the end on more ranks and on fewer.
        whole = self.run_to("whole.h5", ranks=2)
        for name, first, then in (("more.h5", 2, 3), ("fewer.h5", 3, 1)):
            with self.subTest(name=name):
                self.run_to(name, "output.wall_minutes=1e-5", ranks=first, code=75)
                self.stopped_midway(name, "whole.h5")
                end = self.launch("deck.toml", f"output.file={name}", "--resume", ranks=then)
                self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
                with h5py.File(self.at / name, "r") as file:
                    for set_name, bound in (("position", 1e-13), ("velocity", 1e-11), ("multiplier", 1e-9)):
                        error = np.abs(file["particles"][set_name][()] - whole[set_name][()]).max()
                        self.assertLess(error, bound, set_name)

    def test_a_step_too_large_is_a_status(self):
        text = CHAIN.replace("rods = 60", "rods = 3\npositions = [[0, 0], [1, 0], [2, 0], [3, 0]]\nlength = 1\n"
                             "velocities = [[0, 0], [0, 9], [0, 18], [0, 27]]")
        end = self.launch(self.deck(text), "method.step=1", "stop.time=10", "output.every=1")
        self.assertEqual(end.returncode, 1, end.stdout + end.stderr)
        self.assertIn("newton_diverged", end.stdout)
        with h5py.File(self.at / "out.h5", "r") as file:
            self.assertEqual(file["particles/status"][0], 4)
            time = file["particles/time"][()]
            kept = np.isfinite(time)
            self.assertTrue(kept[0] and not kept[-1])
            self.assertTrue(np.isfinite(file["particles/position"][()][kept]).all())
            self.assertTrue(np.isnan(file["particles/position"][()][~kept]).all())

    def test_a_start_from_a_file(self):
        angle = np.linspace(0.3, 2.0, 60)
        position = np.vstack([[0, 0], np.cumsum(np.stack([np.sin(angle), -np.cos(angle)], 1) / 60, 0)])
        with h5py.File(self.at / "shape.h5", "w") as file:
            file["position"] = position
        found = self.run_to("shaped.h5", "model.file=shape.h5")
        np.testing.assert_allclose(found["position"][0], position, atol=1e-16)
        with h5py.File(self.at / "shape.h5", "w") as file:
            file["position"] = 1.01 * position
        end = self.launch("deck.toml", "model.file=shape.h5")
        self.says(end, 2, "rod 0 is 0.01666666667 long", "0.01683333333 apart", "project = true")
        moved = self.run_to("moved.h5", "model.file=shape.h5", "model.project=true")
        self.assertLess(moved["constraint_error"][0], 1e-14)

    def test_files_of_shapes_refused(self):
        angle = np.linspace(0.3, 2.0, 60)
        position = np.vstack([[0, 0], np.cumsum(np.stack([np.sin(angle), -np.cos(angle)], 1) / 60, 0)])
        apart = position + np.arange(61)[:, None] // 31  # the second half a unit away: a rod too long
        words = np.full((61, 2), b"far", dtype="S3")
        for sets, part in (({"positions": position}, "no data set /position"),
                           ({"position": position[:, 0]}, "must have 2 columns"),
                           ({"position": np.hstack([position, position])}, "must have 2 columns"),
                           ({"position": position[None]}, "must have 2 columns"),
                           ({"position": position[:-1]}, "has 60 points, and these rods join 61"),
                           ({"position": position, "velocity": position[:5]}, "has 5 points"),
                           ({"position": words}, "/position"),
                           ({"position": np.where(position == position[7], np.nan, position)}, "point 7"),
                           ({"position": apart}, "rod 30 is 0.01666666667 long")):
            with self.subTest(part=part):
                with h5py.File(self.at / "shape.h5", "w") as file:
                    for name, values in sets.items():
                        file[name] = values
                end = self.launch(self.deck(CHAIN), "model.file=shape.h5")
                self.says(end, 2, part)
                self.assertFalse((self.at / "out.h5").exists())
        (self.at / "shape.h5").write_text("no HDF5")
        for name, code in (("shape.h5", 2), ("nowhere.h5", 3)):
            end = self.launch("deck.toml", f"model.file={name}")
            self.says(end, code, name)

    def test_refused(self):
        for words, part in ((["model.mass=-1"], "mass = -1"), (["model.length=0"], "length = 0"),
                            (["model.dimension=4"], "must be 2 or 3"), (["model.closed=true", "model.rods=2"], "loop"),
                            (["method.constraint_tolerance=1e-18"], "below round-off"),
                            (["output.every=0.0007"], "whole number of steps"), (["model.fixed=[61]"], "is no point"),
                            (["method.multipliers=shur"], "did you mean 'schur'"), (["model.rds=2"], "did you mean 'rods'"),
                            (["model.fixed=[0,1]"], "rod 0 joins two fixed points"), (["--", "nonsense"], "no PETSc option"),
                            (["--", "-position_ksp_typ", "gmres"], "did you mean '-position_ksp_type'?"),
                            (["--", "-position_ksp_type", "gmres", "-pc_type", "lu"], "'-pc_type'")):
            with self.subTest(words=words):
                self.refused(part, text=CHAIN, words=words)


if __name__ == "__main__":
    unittest.main()
