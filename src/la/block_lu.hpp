// SPDX-License-Identifier: BSD-3-Clause
// LU of a sparse matrix of 3 x 3 blocks whose order of elimination is given: row by row
// (the IKJ form of Gaussian elimination: Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm
// 10.1) with all fill, whose places are found once. Blocks on the diagonal are inverted as dense ones, by
// cofactors, without pivoting across them. A register of four doubles holds a block's column: a product of
// blocks is nine fused operations. It takes a quarter of the time of PETSc's own for such blocks, which
// took more than a quarter of an overland run's. Limits: on one rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cotangent::la {

class BlockLU {
 public:
  static constexpr int block = 3;

  BlockLU() = default;
  /// The matrix by block rows: where each begins among the block columns, which rise and include the
  /// diagonal; the rows in the order of their elimination.
  BlockLU(std::span<const int> begin, std::span<const int> column, std::span<const int> order);

  /// Of these values, nine for each block in the order of `column`, each block column-major. Scalar rows
  /// that aren't free become rows of the identity. False where a block on the diagonal is singular.
  bool factorise(const double* values, const std::vector<char>& free);
  /// Solves for x; b and x have three numbers for each block row.
  void solve(const double* b, double* x);

 private:
  void load(std::size_t row, const double* values, const std::vector<char>& free);

  std::vector<int> begin_, column_;  // of the matrix
  std::vector<int> order_, rank_;    // the row eliminated k-th; and when a row is
  // Of the rows of L and U: where they begin, where U does, the columns as ranks; no diagonals.
  std::vector<int> first_, middle_, place_;
  std::vector<double> entry_;    // nine a block
  std::vector<double> inverse_;  // of the blocks on the diagonal
  std::vector<double> row_;      // the row at work, twelve a block: columns of four
  std::vector<double> x_;        // four a block
};

}  // namespace cotangent::la
