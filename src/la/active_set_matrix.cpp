// SPDX-License-Identifier: BSD-3-Clause
#include "la/active_set_matrix.hpp"

#include <algorithm>

#include "la/sparse.hpp"

namespace cotangent::la {

namespace {
// A factorisation takes the time of about seven of GMRES' iterations.
constexpr int most = 6;

constexpr PetscInt block = BlockLU::block;
constexpr std::size_t entries = block * block;

// Approximate minimum degree leaves a fifth fewer operations, where PETSc has it.
#ifdef PETSC_HAVE_SUITESPARSE
constexpr const char* ordering = MATORDERINGAMD;
#else
constexpr const char* ordering = MATORDERINGQMD;
#endif

ActiveSetMatrix* owner(Mat shell) {
  void* self = nullptr;
  check(MatShellGetContext(shell, &self), "MatShellGetContext");
  return static_cast<ActiveSetMatrix*>(self);
}

using Operation = void (*)();
}  // namespace

ActiveSetMatrix::ActiveSetMatrix(PetscInt size, std::span<const PetscInt> rows,
                                 std::span<const PetscInt> columns, std::span<const PetscInt> given) {
  std::vector<std::vector<PetscInt>> of_row(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < rows.size(); ++k)
    of_row[static_cast<std::size_t>(rows[k])].push_back(columns[k]);
  std::vector<PetscInt> begin{0}, column;
  for (auto& row : of_row) {
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
    column.insert(column.end(), row.begin(), row.end());
    begin.push_back(std::ssize(column));
  }
  const auto place = [&](PetscInt i, PetscInt j) {
    const auto from = column.begin() + begin[static_cast<std::size_t>(i)];
    const auto to = column.begin() + begin[static_cast<std::size_t>(i) + 1];
    return entries * static_cast<std::size_t>(std::lower_bound(from, to, j) - column.begin());
  };
  for (std::size_t k = 0; k < rows.size(); ++k) place_.push_back(place(rows[k], columns[k]));
  for (const PetscInt i : given) {
    const PetscInt row = i / block;
    const auto within = static_cast<std::size_t>(i % block);
    for (PetscInt at = begin[static_cast<std::size_t>(row)]; at < begin[static_cast<std::size_t>(row) + 1];
         ++at) {
      for (std::size_t c = 0; c < block; ++c)
        given_.push_back(entries * static_cast<std::size_t>(at) + block * c + within);
    }
    ones_.push_back(place(row, row) + (block + 1) * within);
  }

  const PetscInt all = block * size;
  check(MatCreate(PETSC_COMM_SELF, whole_.out()), "MatCreate");
  check(MatSetSizes(whole_, all, all, all, all), "MatSetSizes");
  check(MatSetType(whole_, MATSEQBAIJ), "MatSetType");
  check(MatSeqBAIJSetPreallocationCSR(whole_, block, begin.data(), column.data(), nullptr),
        "MatSeqBAIJSetPreallocationCSR");
  double* values = nullptr;  // not given back while this lives
  check(MatSeqBAIJGetArray(whole_, &values), "MatSeqBAIJGetArray");
  values_ = {values, entries * column.size()};
  IndexSet by_row, by_column;
  check(MatGetOrdering(whole_, ordering, by_row.out(), by_column.out()), "MatGetOrdering");
  const PetscInt* order = nullptr;
  check(ISGetIndices(by_row, &order), "ISGetIndices");
  std::vector<int> rows_in_turn;  // of blocks, from those of scalars
  for (PetscInt i = 0; i < size; ++i) rows_in_turn.push_back(static_cast<int>(order[i]));
  check(ISRestoreIndices(by_row, &order), "ISRestoreIndices");
  const std::vector<int> begins(begin.begin(), begin.end()), columns_of_rows(column.begin(), column.end());
  lu_ = BlockLU(begins, columns_of_rows, rows_in_turn);
  is_free_.assign(static_cast<std::size_t>(all), 0);
  check(MatCreateVecs(whole_, from_.out(), to_.out()), "MatCreateVecs");

  check(MatCreateShell(PETSC_COMM_SELF, all, all, all, all, this, shell_.out()), "MatCreateShell");
  check(MatShellSetOperation(shell_, MATOP_MULT, reinterpret_cast<Operation>(multiply_all_callback)),
        "MatShellSetOperation");
  check(MatShellSetOperation(shell_, MATOP_CREATE_SUBMATRIX, reinterpret_cast<Operation>(submatrix_callback)),
        "MatShellSetOperation");
}

void ActiveSetMatrix::clear() {
  std::ranges::fill(values_, 0.0);
}

void ActiveSetMatrix::add(std::size_t k, std::span<const double> blocks) {
  const double* from = blocks.data();
  for (const double* const end = from + blocks.size(); from != end; from += entries, ++k) {
    double* const to = &values_[place_[k]];
    for (std::size_t e = 0; e < entries; ++e) to[e] += from[e];
  }
}

void ActiveSetMatrix::assemble() {
  for (const std::size_t at : given_) values_[at] = 0.0;
  for (const std::size_t at : ones_) values_[at] = 1.0;
  changed(shell_);
}

void ActiveSetMatrix::hold(IS free) {
  const PetscInt* index = nullptr;
  PetscInt count = 0;
  check(ISGetLocalSize(free, &count), "ISGetLocalSize");
  check(ISGetIndices(free, &index), "ISGetIndices");
  free_.assign(index, index + count);
  check(ISRestoreIndices(free, &index), "ISRestoreIndices");
  check(VecSet(from_, 0.0), "VecSet");
}

bool ActiveSetMatrix::prepare(IS free, bool may_keep) {
  hold(free);
  const bool keep = may_keep && made_ && solves_ <= most;
  solves_ = 0;
  if (keep) return true;
  made_ = true;
  std::ranges::fill(is_free_, 0);
  for (const PetscInt i : free_) is_free_[static_cast<std::size_t>(i)] = 1;
  return lu_.factorise(values_.data(), is_free_);
}

template <class Operation>
void ActiveSetMatrix::among_all(Vec from, Vec to, const Operation& operation) {
  const double* read = nullptr;
  check(VecGetArrayRead(from, &read), "VecGetArrayRead");
  {
    const Values all(from_);
    for (std::size_t k = 0; k < free_.size(); ++k) all.data()[free_[k]] = read[k];
  }
  check(VecRestoreArrayRead(from, &read), "VecRestoreArrayRead");
  operation();
  const Values write(to);
  check(VecGetArrayRead(to_, &read), "VecGetArrayRead");
  for (std::size_t k = 0; k < free_.size(); ++k) write.data()[k] = read[free_[k]];
  check(VecRestoreArrayRead(to_, &read), "VecRestoreArrayRead");
}

void ActiveSetMatrix::solve(Vec b, Vec x) {
  ++solves_;
  among_all(b, x, [&] { lu_.solve(Values(from_).data(), Values(to_).data()); });
}

PetscErrorCode ActiveSetMatrix::multiply_all_callback(Mat shell, Vec x, Vec y) {
  return called_back([&] { check(MatMult(owner(shell)->whole_, x, y), "MatMult"); });
}
PetscErrorCode ActiveSetMatrix::multiply_free_callback(Mat shell, Vec x, Vec y) {
  return called_back([&] {
    ActiveSetMatrix* self = owner(shell);
    self->among_all(x, y, [&] { check(MatMult(self->whole_, self->from_, self->to_), "MatMult"); });
  });
}

PetscErrorCode ActiveSetMatrix::submatrix_callback(Mat shell, IS rows, IS, MatReuse, Mat* part) {
  return called_back([&] {
    ActiveSetMatrix* self = owner(shell);
    self->hold(rows);
    const PetscInt count = std::ssize(self->free_);
    check(MatCreateShell(PETSC_COMM_SELF, count, count, count, count, self, part), "MatCreateShell");
    check(MatShellSetOperation(*part, MATOP_MULT, reinterpret_cast<Operation>(multiply_free_callback)),
          "MatShellSetOperation");
  });
}

}  // namespace cotangent::la
