// SPDX-License-Identifier: BSD-3-Clause
// Reverse mode against the forward mode: functions, a Lagrangian of all kinds of terms, lanes, and what the
// gradient of many inputs costs.
#include <array>
#include <cmath>
#include <random>

#include "ad/ad.hpp"
#include "ad/reverse.hpp"
#include "catch.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent;
using numerics::Lanes;

namespace {

/// Every operation and function once, of three inputs in (0.5, 2).
struct Everything {
  auto operator()(const auto& x, const auto& y, const auto& z) const {
    using ad::abs, ad::cos, ad::exp, ad::log, ad::pow, ad::sin, ad::sincos, ad::sqrt, ad::square;
    const auto [s, c] = sincos(x * y);
    const auto a = (2.0 + x) * (z - 1.5) / (y + 3.0) + (1.0 - z) / 7.0 - (-x) / y + 2.0 / z;
    const auto b = square(s) * c + exp(-0.3 * x) * log(y) + sqrt(z + x * y) + sin(z) * cos(x - y);
    return a * b + pow(abs(z - 4.0), 3) + pow(b, -2) * (a - 1.0) * 0.25;
  }
};

template <class Real>
std::array<Real, 4> forward(const std::array<Real, 3>& q) {
  const auto [x, y, z] = ad::seed<0, 3, 1, 0>(q);
  const auto f = Everything{}(x, y, z);
  const auto g = ad::gradient_of<3>(f);
  return {ad::value(f), g[0], g[1], g[2]};
}
template <class Real>
std::array<Real, 4> reverse(const std::array<Real, 3>& q) {
  ad::Tape<Real> tape;
  std::array<Real, 4> result;
  result[0] = ad::reverse_gradient<Real>(
      tape, [](auto x) { return Everything{}(x[0], x[1], x[2]); }, q, std::span(result).subspan(1));
  return result;
}

/// A closed chain of n sites: a sum of terms of two neighbours each.
template <class X>
auto chain(const X& x) {
  using ad::cos, ad::square;
  auto sum = 0.5 * square(x[0] - x[x.size() - 1]);
  for (std::size_t k = 1; k < x.size(); ++k) {
    const auto d = square(x[k] - x[k - 1]);
    sum += 0.5 * d + 0.25 * d * d - cos(x[k]);
  }
  return sum;
}

}  // namespace

TEST_CASE("reverse mode gives the gradients of the forward mode") {
  std::mt19937_64 random{5};
  std::uniform_real_distribution<double> uniform{0.5, 2.0};
  for (int sample = 0; sample < 100; ++sample) {
    const std::array<double, 3> q{uniform(random), uniform(random), uniform(random)};
    const auto a = forward(q), b = reverse(q);
    for (int k = 0; k < 4; ++k) CHECK(b[k] == Approx(a[k]).epsilon(1e-13).margin(1e-13));
  }
}

TEST_CASE("reverse mode in lanes: each as if it were alone, to the bit") {
  std::mt19937_64 random{6};
  std::uniform_real_distribution<double> uniform{0.5, 2.0};
  std::array<Lanes<4>, 3> q;
  for (auto& x : q) {
    for (int i = 0; i < 4; ++i) x.set(i, uniform(random));
  }
  const auto all = reverse(q);
  for (int i = 0; i < 4; ++i) {
    std::array<Lanes<4>, 3> alone;
    for (int n = 0; n < 3; ++n) alone[n] = Lanes<4>(q[n][i]);
    const auto one = reverse(alone);
    for (int k = 0; k < 4; ++k) CHECK(all[k][i] == one[k][0]);
    const auto expected = forward<double>({q[0][i], q[1][i], q[2][i]});
    for (int k = 0; k < 4; ++k) CHECK(all[k][i] == Approx(expected[k]).epsilon(1e-13).margin(1e-13));
  }
}

TEST_CASE("the gradient of 400 inputs takes one tape as long as the function") {
  constexpr std::size_t n = 400;
  std::vector<double> x(n), gradient(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = std::sin(1.7 * static_cast<double>(k));
  ad::Tape<double> tape;
  const auto f = [](auto inputs) { return chain(inputs); };
  const double value = ad::reverse_gradient<double>(tape, f, x, gradient);
  CHECK(value == Approx(chain(x)).epsilon(1e-14));
  CHECK(tape.size() < 13 * n);  // 12 notes a site, inputs among them: each operation once
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t before = (k + n - 1) % n, after = (k + 1) % n;
    const double left = x[k] - x[before], right = x[after] - x[k];
    const double cubic = (k > 0 ? left * left * left : 0) - (after > 0 ? right * right * right : 0);
    const double expected = left - right + cubic + (k > 0 ? std::sin(x[k]) : 0);
    CHECK(gradient[k] == Approx(expected).epsilon(1e-12).margin(1e-13));
  }
  // The tape serves again, and knows nothing of what was.
  x[7] += 0.5;
  std::vector<double> again(n), fresh(n);
  ad::reverse_gradient<double>(tape, f, x, again);
  ad::Tape<double> other;
  ad::reverse_gradient<double>(other, f, x, fresh);
  CHECK(again == fresh);
  CHECK(again != gradient);
}
