// SPDX-License-Identifier: BSD-3-Clause
// A Lagrangian of all kinds of terms: orders, widths and differences agree.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "ad/ad.hpp"
#include "catch.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent;
using numerics::Lanes;

namespace {
bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

struct ThreePendulums {
  template <class Q, class V>
  auto operator()(const Q& q, const V& v) const {
    const auto [a, b, c] = q;
    const auto [u, w, z] = v;
    const auto [s, k] = sincos(a + c);
    const auto kinetic = 1.5 * square(u) + square(w) + u * w * cos(a - b) + w * z * k / (2 + s * s);
    return kinetic - exp(-square(b)) * sqrt(3 + k) + atan2(s, 2 + cos(b)) - z / hypot(u, 1.0);
  }
};
template <int Order, class Real>
auto pendulums(const std::array<Real, 3>& q, const std::array<Real, 3>& v) {
  return ThreePendulums{}(ad::seed<0, 6, Order, 0>(q), ad::seed<3, 6, Order, 1>(v));
}
}  // namespace

TEST_CASE("a Lagrangian over lanes: the orders agree, and the bits don't depend on the width") {
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::array<Lanes<8>, 3> q, v;
  std::array<Lanes<4>, 3> q4, v4;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 8; ++i) {
      q[k].set(i, uniform(random));
      v[k].set(i, uniform(random));
      if (i >= 4) q4[k].set(i - 4, q[k][i]);
      if (i >= 4) v4[k].set(i - 4, v[k][i]);
    }
  }
  const auto second = pendulums<2>(q, v);
  const auto g1 = ad::gradient_of<6>(pendulums<1>(q, v)), g2 = ad::gradient_of<6>(second);
  const auto g4 = ad::gradient_of<6>(pendulums<1>(q4, v4));
  const auto H = ad::hessian_of<6>(second);
  const auto H4 = ad::hessian_of<6>(pendulums<2>(q4, v4));
  for (int a = 0; a < 6; ++a) {
    for (int i = 0; i < 8; ++i) CHECK(same_bits(g1[a][i], g2[a][i]));
    for (int i = 0; i < 4; ++i) {
      CHECK(same_bits(g4[a][i], g1[a][i + 4]));
      for (int b = 0; b < 6; ++b) CHECK(same_bits(H4[a][b][i], H[a][b][i + 4]));
    }
  }
}

TEST_CASE("the Hessian is the gradient's derivative") {
  const std::array<double, 3> q{0.4, -0.7, 1.2}, v{0.9, 0.3, -0.8};
  const auto H = ad::hessian_of<6>(pendulums<2>(q, v));
  // Fourth-order central differences; their error is about 1e-12.
  const double h = 1e-3;
  for (int b = 0; b < 6; ++b) {
    const auto shifted = [&](double steps) {
      auto [p, u] = std::pair(q, v);
      (b < 3 ? p[b] : u[b - 3]) += steps * h;
      return ad::gradient_of<6>(pendulums<1>(p, u));
    };
    const auto m2 = shifted(-2), m1 = shifted(-1), p1 = shifted(1), p2 = shifted(2);
    for (int a = 0; a < 6; ++a) {
      CHECK(H[a][b] == within((8 * (p1[a] - m1[a]) - (p2[a] - m2[a])) / (12 * h), 2e-11));
    }
  }
}
