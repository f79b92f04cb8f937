// The exact solution of A x = b where A is tridiagonal, or cyclically so, its rows in blocks on the ranks.
//
// Within a block the elimination runs from both ends to the middle, two chains of operations at once. Blocks
// are joined by their spikes W = A_r^-1 e_first and V = A_r^-1 e_last: the 2 p ends of p blocks solve a small
// system, which each rank solves for itself; two short messages in all. Reference: Polizzi, Sameh, Parallel
// Comput. 32 (2006) 177. Limits: no pivoting inside a block (as Cholesky needs none for G M^-1 G^T).
#pragma once

#include <vector>

#include "la/handles.hpp"

namespace cotangent::la {

class Tridiagonal {
 public:
  /// Row i of a block: lower[i] x_(i-1) + diagonal[i] x_i + upper[i] x_(i+1); indices run on into the
  /// neighbours' blocks and, where the ends are not 0, around from the last rank to the first.
  std::vector<double> lower, diagonal, upper;

  /// A matrix with this many rows on this rank, at least 2.
  explicit Tridiagonal(std::size_t rows);

  /// Collective. A pivot that vanishes shows as infinities or NaN in the solution.
  void factorise();
  /// b and x may be the same. Collective.
  void solve(const double* b, double* x) const;
  /// Both for one right-hand side, in half the passes over memory: on one rank, of a matrix without corners.
  void solve_once(const double* b, double* x);

 private:
  void solve_block(const double* b, double* x) const;
  void factorise_ends();

  std::vector<double> inverse_, eliminate_, substitute_;  // 1/pivot; multipliers of either sweep
  double join_[4] = {};                                   // the two middle rows' inverse
  std::vector<double> before_, after_;                    // the spikes, where there is a neighbour
  std::vector<double> ends_;                              // LU of the ends' system, row-major
  std::vector<std::size_t> pivots_;
  mutable std::vector<double> end_values_;
};

/// Whether the matrix is tridiagonal or cyclic, with enough rows on each rank. Collective.
bool is_tridiagonal(Mat matrix);

/// Makes a preconditioner the exact solver above; its matrix has to pass is_tridiagonal(). Other types may
/// still be chosen by option.
void use_tridiagonal(PC preconditioner);

}  // namespace cotangent::la
