// SPDX-License-Identifier: BSD-3-Clause
// Who tells whom: sites that this rank must know of and doesn't own, by a plan that is made once.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "lattice/grid.hpp"
#include "parallel/exchange.hpp"

namespace cotangent::lattice {

/// A site elsewhere, and its place here (relative to this rank's first).
struct Ghost {
  std::int64_t site = 0, place = 0;
};

/// The ghosts of a range of a grid, `depth` to either side: sites beyond an end are left out.
std::vector<Ghost> ghosts_of(const Grid& grid, const Range& range, std::int64_t depth);

class Ghosts {
 public:
  /// Collective.
  Ghosts(std::int64_t sites, const Range& range, const std::vector<Ghost>& wanted);

  /// Fills the ghosts' places in all of these components with what the owners have in theirs; each points
  /// at site 0 of the rank (Field). Collective.
  void exchange(std::span<double* const> components);
  /// Whether any rank needs anything from another.
  bool needed() const { return needed_; }

 private:
  struct Plan {
    parallel::HaloPlan halo;
    std::vector<double> out, in;
  };
  std::vector<Ghost> own_;                       // of this rank itself: `site` is a place, too
  std::vector<std::int64_t> places_;             // of those that come, in the order in which they come
  std::vector<std::int32_t> sent_;               // places of those that go, without repetition
  std::vector<std::vector<std::int32_t>> rows_;  // of sent_, for each rank
  std::map<std::size_t, Plan> plans_;            // by the number of components
  bool needed_ = false;
};

}  // namespace cotangent::lattice
