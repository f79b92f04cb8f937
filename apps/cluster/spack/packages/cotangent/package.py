# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe: spack repo add apps/cluster/spack; spack dev-build cotangent@main

NOT RUN by its authors, who have no Spack: only its syntax is checked. The dependencies are cmake/dependencies.cmake's; the
versions are lower bounds of what is known to work, Debian 12's.
"""
from spack.package import *


class Cotangent(CMakePackage):
    """Long, faithful motion from the statement of a problem alone: Poincare sections, time series, energy landscapes, gases
    between walls, molecules, lattices and flowing water, on all ranks of a cluster."""

    license("BSD-3-Clause")

    # There is no release yet: a checkout is built, by "spack dev-build cotangent@main" or "spack develop" at its root.
    version("main")

    variant("native", default=True, description="Optimise for the processor of the build host")
    variant("interpreted", default=True, description="Formulas of decks run without a compiler too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10: +mpi")
    depends_on("petsc@3.18: +mpi +double ~complex")
    depends_on("eigen@3.4:")
    depends_on("fmt@9:")
    depends_on("tomlplusplus@3:")
    depends_on("cli11@2.1:")

    # Concepts, lambdas in unevaluated contexts and vector extensions.
    conflicts("%gcc@:11", msg="C++20 as GCC 12 or Clang 16 has it")
    conflicts("%clang@:15", msg="C++20 as GCC 12 or Clang 16 has it")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("COTANGENT_NATIVE", "native"),
            self.define("COTANGENT_INTERPRETED", "4" if self.spec.satisfies("+interpreted") else "0"),
            self.define("CMAKE_CXX_COMPILER", self.spec["mpi"].mpicxx),
        ]
