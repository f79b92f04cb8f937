// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/mass_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dense.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

/// A site's own block, row after row.
std::span<const double> own_block(const Pattern& pattern, const std::vector<double>& entries, int dim,
                                  std::int64_t site) {
  auto block = static_cast<std::size_t>(pattern.begin[static_cast<std::size_t>(site)]);
  while (pattern.place[block] != site) ++block;
  const auto size = static_cast<std::size_t>(dim * dim);
  return {entries.data() + block * size, size};
}

/// Whatever the units of the coordinates: rows and columns are scaled to entries of 1.
bool singular(std::span<const double> block, int n) {
  std::vector<double> m(block.begin(), block.end()), scale;
  const auto row = [&](int i) { return m.begin() + i * n; };
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(row(i)[j]));
    scale.push_back(1 / std::sqrt(largest));
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      row(i)[j] *= scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)];
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(row(i)[k]) > std::abs(row(best)[k])) best = i;
    }
    std::swap_ranges(row(k), row(k) + n, row(best));
    const double pivot = row(k)[k];
    if (!(std::abs(pivot) > 1e-13)) return true;
    for (int i = k + 1; i < n; ++i) {
      for (int j = k + 1; j < n; ++j) row(i)[j] -= row(i)[k] * row(k)[j] / pivot;
    }
  }
  return false;
}

}  // namespace

std::string Massless::text() const {
  return "singular mass matrix: the velocities of site " + std::to_string(site) +
         " don't follow from its momenta";
}

std::optional<Massless> massless(const Lattice& lattice, const Pattern& pattern,
                                 const SecondDerivatives& derivatives) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t found = none;
  for (std::int64_t site = 0; site < lattice.own() && found == none; ++site) {
    if (lattice.held[static_cast<std::size_t>(site)] == 0 &&
        singular(own_block(pattern, derivatives.mass, lattice.dim, site), lattice.dim))
      found = lattice.here.range.first + site;
  }
  found = parallel::minimum(found);
  if (found == none) return std::nullopt;
  return Massless{found};
}

void MassMatrix::fill(const SecondDerivatives& derivatives) {
  const int dim = lattice_.dim;
  bool coupled = false;
  blocks_.clear();
  for (std::int64_t site = 0; site < lattice_.own(); ++site) {
    const auto s = static_cast<std::size_t>(site);
    for (std::int64_t block = pattern_.begin[s]; block < pattern_.begin[s + 1]; ++block) {
      if (pattern_.place[static_cast<std::size_t>(block)] == site) continue;
      const auto from = derivatives.mass.begin() + block * dim * dim;
      coupled = coupled || std::any_of(from, from + dim * dim, [](double entry) { return entry != 0; });
    }
    const auto own = own_block(pattern_, derivatives.mass, dim, site);
    blocks_.insert(blocks_.end(), own.begin(), own.end());
  }
  if (!parallel::any(coupled)) {
    coupled_.reset();
    return;
  }
  blocks_ = {};
  if (!coupled_) coupled_.emplace(lattice_, pattern_, false, "mass_", solver_);
  coupled_->fill(derivatives, 0.0, 0.0);
}

std::string MassMatrix::solve(std::span<double> values) {
  if (coupled_) return coupled_->solve(values);
  const auto n = static_cast<std::size_t>(lattice_.dim);
  std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
  for (std::size_t site = 0; site < static_cast<std::size_t>(lattice_.own()); ++site) {
    if (lattice_.held[site] != 0) continue;
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(blocks_.begin() + static_cast<std::ptrdiff_t>((site * n + i) * n), n, matrix[i].begin());
    auto right = values.subspan(site * n, n);
    numerics::solve_in_place<double>(lattice_.dim, matrix, right);
  }
  return "";
}

}  // namespace cotangent::lattice
