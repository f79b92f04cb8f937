// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/modes.hpp"

#include <cmath>
#include <numbers>

namespace cotangent::lattice {

Modes::Modes(const Grid& grid, const LinearChain& linear) : grid_(grid), linear_(linear) {}

std::int64_t Modes::count() const {
  const std::int64_t n = grid_.length;
  return grid_.along == Boundary::fixed ? n - 2 : grid_.along == Boundary::free ? n - 1 : n / 2;
}

double Modes::shape(std::int64_t k, std::int64_t site, bool second) const {
  constexpr double pi = std::numbers::pi;
  const std::int64_t n = grid_.length;
  if (grid_.along == Boundary::fixed) {
    const std::int64_t turn = k * site % (2 * (n - 1));
    return std::sqrt(2.0 / static_cast<double>(n - 1)) *
           std::sin(pi * static_cast<double>(turn) / static_cast<double>(n - 1));
  }
  if (grid_.along == Boundary::free) {
    const std::int64_t turn = k * (2 * site + 1) % (4 * n);
    return std::sqrt(2.0 / static_cast<double>(n)) *
           std::cos(pi * static_cast<double>(turn) / static_cast<double>(2 * n));
  }
  const double angle = 2 * pi * static_cast<double>(k * site % n) / static_cast<double>(n);
  // Of the shortest wave there is one shape, a cosine: its sine vanishes at every site.
  const bool alone = 2 * k == n;
  const double norm = std::sqrt((alone ? 1.0 : 2.0) / static_cast<double>(n));
  return norm * (second != alone ? std::cos(angle) : std::sin(angle));
}

double Modes::squared_frequency(std::int64_t k) const {
  const double n = static_cast<double>(grid_.length), half = grid_.along == Boundary::fixed  ? 2 * (n - 1)
                                                             : grid_.along == Boundary::free ? 2 * n
                                                                                             : n;
  const double sine = std::sin(std::numbers::pi * static_cast<double>(k) / half);
  return 4 * linear_.stiffness * sine * sine + linear_.on_site;
}

}  // namespace cotangent::lattice
