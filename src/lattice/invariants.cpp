// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/invariants.hpp"

#include <algorithm>

#include "parallel/reproducible_sums.hpp"

namespace cotangent::lattice {

Invariants::Invariants(const Lattice& lattice, const Model& model, std::vector<double> parameters)
    : lattice_(lattice),
      model_(model),
      parameters_(std::move(parameters)),
      state_(2, model.invariant_reach(), lattice.own(), model.invariant_reach()),
      ghosts_(lattice.sites, lattice.here.range, lattice.halo(model.invariant_reach())) {}

std::vector<double> Invariants::operator()(const SiteField& q, const SiteField& v) {
  std::copy_n(q[0], lattice_.own(), state_[0]);
  std::copy_n(v[0], lattice_.own(), state_[1]);
  ghosts_.exchange(components(state_));
  const auto shares =
      model_.invariant_shares(state_[0], state_[1], lattice_.here.grid, lattice_.here.range, parameters_);
  return parallel::sums_in_turn(shares, model_.invariant_names().size());
}

}  // namespace cotangent::lattice
