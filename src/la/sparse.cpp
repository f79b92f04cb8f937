// SPDX-License-Identifier: BSD-3-Clause
#include "la/sparse.hpp"

namespace cotangent::la {

void changed(Mat matrix) {
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
}

MatrixRows::MatrixRows(Mat matrix) : matrix_(matrix) {
  PetscBool distributed = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &distributed),
        "PetscObjectTypeCompare");
  if (distributed) {
    blocks_ = 2;
    check(MatMPIAIJGetSeqAIJ(matrix, &parts_[0].block, &parts_[1].block, &parts_[1].map),
          "MatMPIAIJGetSeqAIJ");
  } else {
    parts_[0].block = matrix;
  }
  check(MatGetOwnershipRangeColumn(matrix, &first_column_, nullptr), "MatGetOwnershipRangeColumn");
  for (int b = 0; b < blocks_; ++b) {
    Part& part = parts_[b];
    // The arrays are the matrix' own and stay where they are as long as its pattern does.
    PetscBool done = PETSC_FALSE;
    check(MatGetRowIJ(part.block, 0, PETSC_FALSE, PETSC_FALSE, &rows_, &part.begin, &part.column, &done),
          "MatGetRowIJ");
    if (!done) throw PetscFailure("MatGetRowIJ: not a matrix of type AIJ");
    const PetscInt *begin = part.begin, *column = part.column;
    check(MatRestoreRowIJ(part.block, 0, PETSC_FALSE, PETSC_FALSE, &rows_, &begin, &column, &done),
          "MatRestoreRowIJ");
    check(MatGetLocalSize(matrix, &rows_, nullptr), "MatGetLocalSize");
  }
}

PetscInt MatrixRows::count() const {
  PetscInt sum = 0;
  for (int b = 0; b < blocks_; ++b) sum += parts_[b].begin[rows_];
  return sum;
}

}  // namespace cotangent::la
