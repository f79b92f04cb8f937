// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix in which some unknowns are held, now these, now those, as in reduced-space methods of
// variational inequalities. SNES sees a shell whose sub-matrix of the free unknowns is a shell too: nothing
// is extracted. In the LU the rows of what is held become rows of the identity: one ordering and one symbolic
// factorisation serve all sets (block_lu.hpp). Limits: on one rank, blocks of three.
#pragma once

#include <span>
#include <vector>

#include "la/block_lu.hpp"
#include "la/handles.hpp"

namespace cotangent::la {

class ActiveSetMatrix {
 public:
  /// Of so many rows and columns of blocks. Block k of what is added belongs at rows[k], columns[k]; every
  /// block on the diagonal is among them. The rows `given`, of scalars, are rows of the identity whatever is
  /// added there.
  ActiveSetMatrix(PetscInt size, std::span<const PetscInt> rows, std::span<const PetscInt> columns,
                  std::span<const PetscInt> given);
  ActiveSetMatrix(const ActiveSetMatrix&) = delete;
  ActiveSetMatrix& operator=(const ActiveSetMatrix&) = delete;

  /// The whole matrix, and one that gives sub-matrices: what SNES takes. Lives as long as this.
  Mat shell() const { return shell_; }
  /// New values: all are zero,
  void clear();
  /// then blocks are added, from the k-th on, nine numbers each, by column;
  void add(std::size_t k, std::span<const double> blocks);
  /// then the matrix is what they make.
  void assemble();
  /// Makes ready to solve with all unknowns held but those of this set, which is sorted: by its LU, or, where
  /// it may keep it, by the last one as long as that serves an iterative solver well. False where a block is
  /// singular.
  bool prepare(IS free, bool may_keep);
  /// Solves for the free unknowns; b and x have one entry for each.
  void solve(Vec b, Vec x);

 private:
  void hold(IS free);
  /// From what is free, spread among zeros, by an operation on from_ and to_ to what is free.
  template <class Operation>
  void among_all(Vec from, Vec to, const Operation& operation);
  static PetscErrorCode multiply_all_callback(Mat shell, Vec x, Vec y);
  static PetscErrorCode multiply_free_callback(Mat shell, Vec x, Vec y);
  static PetscErrorCode submatrix_callback(Mat shell, IS rows, IS columns, MatReuse reuse, Mat* part);

  std::span<double> values_;        // of the whole matrix, where PETSc has them: nine a block, by column
  std::vector<std::size_t> place_;  // among them, of each block that is added
  std::vector<std::size_t> given_, ones_;  // of given rows' entries; of those on the diagonal
  std::vector<PetscInt> free_;
  std::vector<char> is_free_;
  BlockLU lu_;
  Matrix whole_, shell_;
  Vector from_, to_;
  int solves_ = 0;  // since the last prepare()
  bool made_ = false;
};

}  // namespace cotangent::la
