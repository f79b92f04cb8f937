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
  if (ranks_ == 1) return;
  la::check(VecPlaceArray(owners_, values.data()), "VecPlaceArray");
  la::check(VecPlaceArray(here_, values.data()), "VecPlaceArray");
  la::check(VecScatterBegin(scatter_, owners_, here_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterBegin");
  la::check(VecScatterEnd(scatter_, owners_, here_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterEnd");
  la::check(VecResetArray(here_), "VecResetArray");
  la::check(VecResetArray(owners_), "VecResetArray");
}

void Halo::add(std::vector<double>& values) {
  if (ranks_ == 1) return;
  la::check(VecPlaceArray(owners_, values.data()), "VecPlaceArray");
  la::check(VecPlaceArray(here_, values.data()), "VecPlaceArray");
  la::check(VecScatterBegin(scatter_, here_, owners_, ADD_VALUES, SCATTER_REVERSE), "VecScatterBegin");
  la::check(VecScatterEnd(scatter_, here_, owners_, ADD_VALUES, SCATTER_REVERSE), "VecScatterEnd");
  la::check(VecResetArray(here_), "VecResetArray");
  la::check(VecResetArray(owners_), "VecResetArray");
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
