// SPDX-License-Identifier: BSD-3-Clause
// The rows of this rank of a sparse matrix, as PETSc stores them: a block of the columns of this rank, and
// one of all others. Their values may be read, or overwritten in place, entry by entry in the order of
// storage, without the cost of MatSetValues.
#pragma once

#include "la/handles.hpp"

namespace cotangent::la {

/// Tells PETSc that a matrix has other values than before, where they were written behind its back.
void changed(Mat matrix);

class MatrixRows {
 public:
  /// Of a matrix of type AIJ that is assembled, and outlives this.
  explicit MatrixRows(Mat matrix);

  /// Calls function(row of this rank, column of all, place in storage) for each entry: first the one block,
  /// then the other.
  template <class Function>
  void for_each(const Function& function) const {
    PetscInt place = 0;
    for (int b = 0; b < blocks_; ++b) {
      const Part& part = parts_[b];
      for (PetscInt i = 0; i < rows_; ++i) {
        for (PetscInt k = part.begin[i]; k < part.begin[i + 1]; ++k, ++place)
          function(i, part.map == nullptr ? first_column_ + part.column[k] : part.map[part.column[k]], place);
      }
    }
  }
  PetscInt count() const;

  /// Calls function(values of the first block, values of the second), each in the order of storage; null
  /// where there is no second.
  template <class Function>
  void read(const Function& function) const {
    const double* values[2] = {nullptr, nullptr};
    for (int b = 0; b < blocks_; ++b)
      check(MatSeqAIJGetArrayRead(parts_[b].block, &values[b]), "MatSeqAIJGetArrayRead");
    function(values[0], values[1]);
    for (int b = 0; b < blocks_; ++b)
      check(MatSeqAIJRestoreArrayRead(parts_[b].block, &values[b]), "MatSeqAIJRestoreArrayRead");
  }
  /// The same, to write.
  template <class Function>
  void write(const Function& function) {
    double* values[2] = {nullptr, nullptr};
    for (int b = 0; b < blocks_; ++b)
      check(MatSeqAIJGetArrayWrite(parts_[b].block, &values[b]), "MatSeqAIJGetArrayWrite");
    function(values[0], values[1]);
    for (int b = 0; b < blocks_; ++b)
      check(MatSeqAIJRestoreArrayWrite(parts_[b].block, &values[b]), "MatSeqAIJRestoreArrayWrite");
    changed(matrix_);
  }
  /// How many entries the first block has.
  PetscInt first_count() const { return parts_[0].begin[rows_]; }

 private:
  struct Part {
    Mat block = nullptr;
    const PetscInt *begin = nullptr, *column = nullptr, *map = nullptr;
  };
  Mat matrix_ = nullptr;
  Part parts_[2];
  int blocks_ = 1;
  PetscInt rows_ = 0, first_column_ = 0;
};

}  // namespace cotangent::la
