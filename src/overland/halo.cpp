// SPDX-License-Identifier: BSD-3-Clause
// What ranks tell one another of the vertices that they share: PETSc scatters.
#include "overland/mesh.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

Halo::Halo(PetscInt own, std::span<const PetscInt> number, int width) : ranks_(parallel::size()) {
  const auto n = static_cast<PetscInt>(number.size());
  la::check(VecCreateMPIWithArray(MPI_COMM_WORLD, 1, own * width, PETSC_DETERMINE, nullptr, owners_.out()),
            "VecCreateMPIWithArray");
  la::check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n * width, nullptr, here_.out()),
            "VecCreateSeqWithArray");
  la::IndexSet from, to;
  la::check(
      ISCreateBlock(PETSC_COMM_SELF, width, n - own, number.data() + own, PETSC_COPY_VALUES, from.out()),
      "ISCreateBlock");
  la::check(ISCreateStride(PETSC_COMM_SELF, (n - own) * width, own * width, 1, to.out()), "ISCreateStride");
  la::check(VecScatterCreate(owners_, from, here_, to, scatter_.out()), "VecScatterCreate");
}

void Halo::refresh(std::vector<double>& values) {
  scatter(values, owners_, here_, INSERT_VALUES, SCATTER_FORWARD);
}

void Halo::add(std::vector<double>& values) {
  scatter(values, here_, owners_, ADD_VALUES, SCATTER_REVERSE);
}

void Halo::scatter(std::vector<double>& values, Vec from, Vec to, InsertMode mode, ScatterMode way) {
  if (ranks_ == 1) return;
  la::check(VecPlaceArray(from, values.data()), "VecPlaceArray");
  la::check(VecPlaceArray(to, values.data()), "VecPlaceArray");
  la::check(VecScatterBegin(scatter_, from, to, mode, way), "VecScatterBegin");
  la::check(VecScatterEnd(scatter_, from, to, mode, way), "VecScatterEnd");
  la::check(VecResetArray(to), "VecResetArray");
  la::check(VecResetArray(from), "VecResetArray");
}

std::vector<double> dual_areas(const Mesh& mesh) {
  std::vector<double> area(mesh.size(), 0.0);
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    for (const int v : mesh.cells[c]) area[static_cast<std::size_t>(v)] += shape(mesh, c).area / 3;
  }
  Halo halo(mesh, 1);
  halo.add(area);
  halo.refresh(area);
  return area;
}

}  // namespace cotangent::overland
