#include "la/kept_factorisation.hpp"

#include <algorithm>

#include "la/sparse.hpp"

namespace cotangent::la {

namespace {
// A factorisation takes the time of about twenty of GMRES' iterations.
constexpr int most = 10;
}  // namespace

KeptFactorisation::KeptFactorisation(Mat matrix, PetscInt block) : block_(block) {
  const Rows rows(matrix);
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr), "MatGetSize");
  const PetscInt count = size / block;
  std::vector<std::vector<PetscInt>> columns(static_cast<std::size_t>(count));
  rows.for_each([&](PetscInt i, PetscInt j, PetscInt) {
    columns[static_cast<std::size_t>(i / block)].push_back(j / block);
  });
  std::vector<PetscInt> begin{0}, column;
  for (auto& row : columns) {
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
    column.insert(column.end(), row.begin(), row.end());
    begin.push_back(std::ssize(column));
  }
  const auto place = [&](PetscInt i, PetscInt j) {
    const auto from = column.begin() + begin[static_cast<std::size_t>(i / block)];
    const auto to = column.begin() + begin[static_cast<std::size_t>(i / block) + 1];
    const PetscInt at = std::lower_bound(from, to, j / block) - column.begin();
    return (at * block + j % block) * block + i % block;  // blocks are stored by column
  };
  rows.for_each([&](PetscInt i, PetscInt j, PetscInt) {
    row_.push_back(i);
    place_.push_back(place(i, j));
  });
  for (PetscInt i = 0; i < size; ++i) diagonal_.push_back(place(i, i));

  check(MatCreate(PETSC_COMM_SELF, blocks_.out()), "MatCreate");
  check(MatSetSizes(blocks_, size, size, size, size), "MatSetSizes");
  check(MatSetType(blocks_, MATSEQBAIJ), "MatSetType");
  check(MatSeqBAIJSetPreallocationCSR(blocks_, block, begin.data(), column.data(), nullptr),
        "MatSeqBAIJSetPreallocationCSR");
  check(MatGetFactor(blocks_, MATSOLVERPETSC, MAT_FACTOR_LU, factor_.out()), "MatGetFactor");
  check(MatFactorInfoInitialize(&info_), "MatFactorInfoInitialize");
  IndexSet by_row, by_column;
  check(MatGetOrdering(blocks_, MATORDERINGQMD, by_row.out(), by_column.out()), "MatGetOrdering");
  check(MatLUFactorSymbolic(factor_, blocks_, by_row, by_column, &info_), "MatLUFactorSymbolic");
  check(MatCreateVecs(blocks_, x_.out(), b_.out()), "MatCreateVecs");
}

bool KeptFactorisation::prepare(Mat matrix, IS free, bool may_keep) {
  const PetscInt* index = nullptr;
  PetscInt count = 0;
  check(ISGetLocalSize(free, &count), "ISGetLocalSize");
  check(ISGetIndices(free, &index), "ISGetIndices");
  free_.assign(index, index + count);
  check(ISRestoreIndices(free, &index), "ISRestoreIndices");
  const bool keep = may_keep && solves_ <= most;
  solves_ = 0;
  if (keep) return true;
  std::vector<char> held(diagonal_.size(), 1);
  for (const PetscInt i : free_) held[static_cast<std::size_t>(i)] = 0;

  const double* from = nullptr;
  double* to = nullptr;
  check(MatSeqAIJGetArrayRead(matrix, &from), "MatSeqAIJGetArrayRead");
  check(MatSeqBAIJGetArray(blocks_, &to), "MatSeqBAIJGetArray");
  for (std::size_t k = 0; k < place_.size(); ++k)
    to[place_[k]] = held[static_cast<std::size_t>(row_[k])] != 0 ? 0.0 : from[k];
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] != 0) to[diagonal_[i]] = 1;
  }
  check(MatSeqBAIJRestoreArray(blocks_, &to), "MatSeqBAIJRestoreArray");
  check(MatSeqAIJRestoreArrayRead(matrix, &from), "MatSeqAIJRestoreArrayRead");
  check(MatLUFactorNumeric(factor_, blocks_, &info_), "MatLUFactorNumeric");
  MatFactorError error = MAT_FACTOR_NOERROR;
  check(MatFactorGetError(factor_, &error), "MatFactorGetError");
  return error == MAT_FACTOR_NOERROR;
}

void KeptFactorisation::solve(Vec b, Vec x) {
  ++solves_;
  const double* from = nullptr;
  check(VecSet(b_, 0.0), "VecSet");
  check(VecGetArrayRead(b, &from), "VecGetArrayRead");
  {
    const Values all(b_);
    for (std::size_t k = 0; k < free_.size(); ++k) all.data()[free_[k]] = from[k];
  }
  check(VecRestoreArrayRead(b, &from), "VecRestoreArrayRead");
  check(MatSolve(factor_, b_, x_), "MatSolve");
  const Values to(x);
  check(VecGetArrayRead(x_, &from), "VecGetArrayRead");
  for (std::size_t k = 0; k < free_.size(); ++k) to.data()[k] = from[free_[k]];
  check(VecRestoreArrayRead(x_, &from), "VecRestoreArrayRead");
}

}  // namespace cotangent::la
