// SPDX-License-Identifier: BSD-3-Clause
// How a lattice begins: each rank makes its own sites, by formulas and random numbers that hang on a site's
// number alone.
#include <cmath>
#include <fmt/format.h>

#include "io/hdf5.hpp"
#include "numerics/random.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"
#include "studies/lattice/deck.hpp"

namespace cotangent::studies {

namespace {

/// Normal random numbers of the sites that move, which depend on seed and site alone, less their mean, so
/// that the lattice as a whole stays where it is.
void add_random(const LatticePlan& plan, const lattice::Lattice& lattice, lattice::SiteField& q,
                lattice::SiteField& v) {
  for (int c = 0; c < plan.dim(); ++c) {
    std::array<std::vector<double>, 2> drawn;
    std::vector<double> moving;
    for (std::int64_t i = 0; i < lattice.own(); ++i) {
      const auto normal = numerics::normals(
          plan.seed, static_cast<std::uint64_t>(lattice.here.range.first + i), static_cast<std::uint64_t>(c));
      const bool moves = lattice.held[static_cast<std::size_t>(i)] == 0;
      drawn[0].push_back(moves ? plan.random_q * normal[0] : 0.0);
      drawn[1].push_back(moves ? plan.random_v * normal[1] : 0.0);
      moving.push_back(moves ? 1.0 : 0.0);
    }
    const std::span<const double> columns[3] = {drawn[0], drawn[1], moving};
    const auto sums = parallel::reproducible_sums(columns);
    for (std::int64_t i = 0; i < lattice.own(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (moving[k] == 0) continue;
      q[c][i] += drawn[0][k] - sums[0] / sums[2];
      v[c][i] += drawn[1][k] - sums[1] / sums[2];
    }
  }
}

}  // namespace

void start_lattice(const LatticePlan& plan, const lattice::Lattice& lattice, lattice::SiteField& q,
                   lattice::SiteField& v) {
  const std::int64_t first = lattice.here.range.first, own = lattice.own();
  const int dim = plan.dim();
  q = lattice::SiteField(dim, 0, own, 0);
  v = lattice::SiteField(dim, 0, own, 0);
  const auto spread = [&](const std::vector<double>& rows, lattice::SiteField& into, std::int64_t from) {
    for (std::int64_t i = 0; i < own; ++i) {
      for (int c = 0; c < dim; ++c) into[c][i] = rows[static_cast<std::size_t>((from + i) * dim + c)];
    }
  };
  if (!plan.start_q.empty()) {
    spread(plan.start_q, q, first);
    spread(plan.start_v, v, first);
  }
  if (!plan.start_file.empty()) {
    parallel::agree([&] {
      const io::File file = io::File::open(plan.start_file);
      if (own == 0) return;
      spread(file.read_rows<double>("/q", first, own), q, 0);
      spread(file.read_rows<double>("/v", first, own), v, 0);
    });
  }
  if (plan.random_q > 0 || plan.random_v > 0) add_random(plan, lattice, q, v);
  for (std::int64_t i = 0; i < own; ++i) {
    const std::int64_t site = first + i;
    const auto place = plan.variables(site, 0.0);
    for (int c = 0; c < dim; ++c) {
      const auto k = static_cast<std::size_t>(c);
      if (!plan.q.empty()) {
        q[c][i] += plan.q[k].evaluate(place);
        v[c][i] += plan.q_dot[k].evaluate(place);
      }
    }
    for (std::size_t k = 0; k < plan.mode_amplitudes.size(); ++k)
      q[0][i] += plan.mode_amplitudes[k] * plan.modes->shape(static_cast<std::int64_t>(k) + 1, site);
    for (int c = 0; c < dim; ++c) {
      if (lattice.held[static_cast<std::size_t>(i)] != 0) v[c][i] = 0;
    }
  }
  parallel::agree([&] {
    for (std::int64_t i = 0; i < own; ++i) {
      for (int c = 0; c < dim; ++c) {
        if (!std::isfinite(q[c][i]) || !std::isfinite(v[c][i]))
          throw Error(
              fmt::format("[start]: site {} begins at {} with velocity {}", first + i, q[c][i], v[c][i]));
      }
    }
  });
}

}  // namespace cotangent::studies
