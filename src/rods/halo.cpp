// SPDX-License-Identifier: BSD-3-Clause
#include "rods/halo.hpp"

#include <algorithm>

#include "parallel/mpi.hpp"

namespace cotangent::rods {

using la::check;

template <int D>
RodHalo<D>::RodHalo(const RodBlock<D>& block)
    : begin_(block.own_begin()), count_(block.own_count()), foreign_(block.foreign()) {
  needed_ = parallel::any(!foreign_.empty());
  if (!needed_) return;
  std::vector<PetscInt> wanted;
  for (const int k : foreign_) wanted.push_back(static_cast<PetscInt>(block.rod(k)));
  const auto length = static_cast<PetscInt>(wanted.size());
  check(VecCreateMPIWithArray(MPI_COMM_WORLD, 1, count_, PETSC_DETERMINE, nullptr, own_values_.out()),
        "VecCreateMPIWithArray");
  check(VecCreateSeq(PETSC_COMM_SELF, length, foreign_values_.out()), "VecCreateSeq");
  la::IndexSet from, to;
  check(ISCreateGeneral(PETSC_COMM_SELF, length, wanted.data(), PETSC_COPY_VALUES, from.out()),
        "ISCreateGeneral");
  check(ISCreateStride(PETSC_COMM_SELF, length, 0, 1, to.out()), "ISCreateStride");
  check(VecScatterCreate(own_values_, from, foreign_values_, to, scatter_.out()), "VecScatterCreate");
}

template <int D>
void RodHalo<D>::fill_foreign(Vec own, std::span<double> known) {
  check(VecScatterBegin(scatter_, own, foreign_values_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterBegin");
  check(VecScatterEnd(scatter_, own, foreign_values_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterEnd");
  const double* values = nullptr;
  check(VecGetArrayRead(foreign_values_, &values), "VecGetArrayRead");
  for (std::size_t i = 0; i < foreign_.size(); ++i) known[static_cast<std::size_t>(foreign_[i])] = values[i];
  check(VecRestoreArrayRead(foreign_values_, &values), "VecRestoreArrayRead");
}

template <int D>
void RodHalo<D>::fill(Vec own, std::span<double> known) {
  const double* values = nullptr;
  check(VecGetArrayRead(own, &values), "VecGetArrayRead");
  std::copy_n(values, count_, known.begin() + begin_);
  check(VecRestoreArrayRead(own, &values), "VecRestoreArrayRead");
  if (needed_) fill_foreign(own, known);
}

template <int D>
void RodHalo<D>::fill(typename RodBlock<D>::PointVectors& gradients) {
  if (!needed_) return;
  for (std::vector<double>& part : gradients) {
    check(VecPlaceArray(own_values_, part.data() + begin_), "VecPlaceArray");
    fill_foreign(own_values_, part);
    check(VecResetArray(own_values_), "VecResetArray");
  }
}

template class RodHalo<2>;
template class RodHalo<3>;

}  // namespace cotangent::rods
