// SPDX-License-Identifier: BSD-3-Clause
// Integrals of a chain's motion that its model states: sums over sites, each rank's from its sites and some
// ghosts, added in the order of the sites. So their bits don't depend on the ranks.
#pragma once

#include "lattice/method.hpp"

namespace cotangent::lattice {

class Invariants {
 public:
  /// Of a chain of one coordinate; lattice and model outlive it. Collective.
  Invariants(const Lattice& lattice, const Model& model, std::vector<double> parameters);

  /// Collective.
  std::vector<double> operator()(const SiteField& q, const SiteField& v);

 private:
  const Lattice& lattice_;
  const Model& model_;
  std::vector<double> parameters_;
  SiteField state_;  // position, velocity
  Ghosts ghosts_;
};

}  // namespace cotangent::lattice
