// SPDX-License-Identifier: BSD-3-Clause
// The modes of small oscillations of a chain, orthonormal over its sites: standing waves between ends that
// are free or held, pairs of them on a closed chain; each an oscillator of
//   omega_k^2 = 4 stiffness sin^2(pi k / s) + on_site,   s = 2 (n - 1), 2 n, n of n sites.
#pragma once

#include "lattice/kernel.hpp"

namespace cotangent::lattice {

/// The modes of small oscillations of a chain, k = 1, 2 ...
class Modes {
 public:
  Modes() = default;
  Modes(const Grid& grid, const LinearChain& linear);

  /// The value of mode k at a site; `second` is the other of a pair, where the chain is closed.
  double shape(std::int64_t k, std::int64_t site, bool second = false) const;
  double squared_frequency(std::int64_t k) const;
  bool pairs() const { return grid_.closed(); }
  /// How many modes, or pairs of them, there are.
  std::int64_t count() const;

 private:
  Grid grid_;
  LinearChain linear_;
};

}  // namespace cotangent::lattice
