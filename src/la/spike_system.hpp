// SPDX-License-Identifier: BSD-3-Clause
// The reduced system of the Spike algorithm: of p blocks of a tridiagonal matrix, or a cyclic one, the first
// and the last unknown of each,
//   x_first,r + W_first,r x_last,r-1 + V_first,r x_first,r+1 = y_first,r,  and the same for the last,
// W and V the spikes of a block towards the one before and the one behind. By Gauss with partial pivoting, of
// rows that hold what isn't zero alone: time and memory grow as p. Reference: Polizzi, Sameh, Parallel
// Comput. 32 (2006) 177.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cotangent::la {

class SpikeSystem {
 public:
  /// Of each block four numbers: W_first, W_last, V_first, V_last.
  void factorise(std::span<const double> spikes);
  /// From y to x: the first and the last of each block.
  void solve(std::span<double> ends) const;

 private:
  using Row = std::vector<std::pair<std::size_t, double>>;  // by rising column
  std::vector<Row> lower_, upper_;                          // multipliers; what is left, from the diagonal on
  std::vector<std::size_t> pivots_;
};

}  // namespace cotangent::la
