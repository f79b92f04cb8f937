// SPDX-License-Identifier: BSD-3-Clause
#include "overland/projection.hpp"

#include <algorithm>
#include <limits>

#include "la/indices.hpp"
#include "la/reused_solver.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

std::vector<double> projected(const Mesh& mesh, const std::vector<double>& values) {
  la::require_indices("the mass matrix", mesh.all_vertices, 9 * std::ssize(mesh.cells));
  std::vector<PetscInt> rows, columns;
  std::vector<double> entries, load(mesh.size(), 0.0);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const double area = shape(mesh, c).area;
    for (const int i : mesh.cells[c]) {
      load[static_cast<std::size_t>(i)] += area / 3 * values[c];
      for (const int j : mesh.cells[c]) {
        rows.push_back(mesh.number[static_cast<std::size_t>(i)]);
        columns.push_back(mesh.number[static_cast<std::size_t>(j)]);
        entries.push_back(area / (i == j ? 6 : 12));
      }
    }
    least = std::min(least, values[c]);
    most = std::max(most, values[c]);
  }
  least = parallel::minimum(least);
  most = parallel::maximum(most);
  Halo halo(mesh, 1);
  halo.add(load);
  la::Matrix mass;
  la::check(MatCreate(MPI_COMM_WORLD, mass.out()), "MatCreate");
  la::check(MatSetSizes(mass, mesh.own, mesh.own, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(mass, MATAIJ), "MatSetType");
  la::check(MatSetPreallocationCOO(mass, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
            "MatSetPreallocationCOO");
  la::check(MatSetValuesCOO(mass, entries.data(), INSERT_VALUES), "MatSetValuesCOO");
  const la::Vector b = la::vector(mesh.own), x = la::vector(mesh.own);
  {
    const la::Values to(b);
    std::copy(load.begin(), load.begin() + mesh.own, to.data());
  }
  la::LinearSolver solver;
  la::check(KSPCreate(MPI_COMM_WORLD, solver.out()), "KSPCreate");
  la::check(KSPSetType(solver, KSPCG), "KSPSetType");
  la::check(KSPSetTolerances(solver, 1e-13, 1e-300, PETSC_DEFAULT, 1000), "KSPSetTolerances");
  la::check(KSPSetOperators(solver, mass, mass), "KSPSetOperators");
  PC preconditioner = nullptr;
  la::check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
  la::check(PCSetType(preconditioner, PCJACOBI), "PCSetType");
  la::solve(solver, b, x);
  std::vector<double> result(mesh.size(), 0.0);
  {
    const la::Values from(x);
    for (std::size_t v = 0; v < static_cast<std::size_t>(mesh.own); ++v)
      result[v] = std::clamp(from.data()[v], least, most);
  }
  halo.refresh(result);
  return result;
}

}  // namespace cotangent::overland
