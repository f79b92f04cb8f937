// SPDX-License-Identifier: BSD-3-Clause
// Terms whose copies are given one by one, for lattices that are no grid; and whether a lattice is one piece.
#pragma once

#include "lattice/method.hpp"

namespace cotangent::lattice {

/// For each term the sites of its copies, copy after copy, of which each rank has a share: all copies are
/// those of rank 0, then of rank 1 ...
struct Network {
  std::int64_t sites = 0;
  std::vector<TermInfo> terms;
  std::vector<std::vector<std::int64_t>> copies;

  /// Throws Error, which names term, copy and site, where a copy refers to a site that isn't there or to one
  /// twice, and where sites have no connection. Collective.
  void check() const;
};

/// Throws Error where the copies of a model's terms leave a grid in pieces, or in which they wrap onto
/// themselves. Collective.
void check_grid(const Grid& grid, const std::vector<TermInfo>& terms);

/// A rank's part of a grid, or of a network, whose copies it is handed by the ranks that have them.
Lattice lattice_on(const Grid& grid, const Model& model);
/// Collective.
Lattice lattice_on(const Network& network, const Model& model);

}  // namespace cotangent::lattice
