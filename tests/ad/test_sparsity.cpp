// SPDX-License-Identifier: BSD-3-Clause
// What the types know: which derivatives can be nonzero, and the degree in the velocities.
#include <array>
#include <cmath>

#include "ad/ad.hpp"
#include "catch.hpp"

using namespace cotangent;

namespace {

struct HenonHeiles {
  template <class Q, class V>
  auto operator()(const Q& q, const V& v) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (u * u + w * w) - 0.5 * (x * x + y * y) - x * x * y + y * y * y / 3.0;
  }
};

struct DoublePendulum {
  template <class Q, class V>
  auto operator()(const Q& q, const V& v) const {
    const auto [a, b] = q;
    const auto [u, w] = v;
    return square(u) + 0.5 * square(w) + u * w * cos(a - b) + 2 * cos(a) + cos(b);
  }
};

struct ChargeInMagneticField {
  template <class Q, class V>
  auto operator()(const Q& q, const V& v) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (u * u + w * w) + 0.5 * (x * w - y * u);
  }
};

struct Relativistic {
  template <class Q, class V>
  auto operator()(const Q& q, const V& v) const {
    const auto [x] = q;
    const auto [u] = v;
    return -sqrt(1.0 - u * u) - 0.5 * x * x;
  }
};

struct Nothing {
  template <class Q, class V>
  double operator()(const Q&, const V&) const {
    return 3.0;
  }
};

template <class L, int D, int Order = 2>
auto evaluate(const std::array<double, D>& q, const std::array<double, D>& v) {
  return L{}(ad::seed<0, 2 * D, Order, 0>(q), ad::seed<D, 2 * D, Order, 1>(v));
}
template <class L, int D>
using Result = decltype(evaluate<L, D>({}, {}));

using HH = Result<HenonHeiles, 2>;
static_assert(ad::degree<HH> == 2);
static_assert(ad::depends<HH, 0> && ad::depends<HH, 1> && ad::depends<HH, 2> && ad::depends<HH, 3>);
static_assert(ad::has_second<HH, 0, 0> && ad::has_second<HH, 0, 1> && ad::has_second<HH, 1, 0>);
static_assert(ad::has_second<HH, 1, 1> && ad::has_second<HH, 2, 2> && ad::has_second<HH, 3, 3>);
static_assert(!ad::has_second<HH, 0, 2> && !ad::has_second<HH, 0, 3> && !ad::has_second<HH, 1, 2> &&
              !ad::has_second<HH, 1, 3> && !ad::has_second<HH, 2, 3>);
static_assert(sizeof(HH) == (1 + 4 + 5) * sizeof(double));

using Pendulum = Result<DoublePendulum, 2>;
static_assert(ad::degree<Pendulum> == 2);
static_assert(ad::sparsity_of<Pendulum, 4>.gradient == 0b1111);
static_assert(ad::sparsity_of<const Pendulum&, 4>.hessian[0] == 0b1111);
static_assert(ad::has_second<Pendulum, 2, 3> && ad::has_second<Pendulum, 0, 2>);

using Charge = Result<ChargeInMagneticField, 2>;
static_assert(ad::degree<Charge> == 2);
static_assert(ad::has_second<Charge, 0, 3> && ad::has_second<Charge, 1, 2>);
static_assert(!ad::has_second<Charge, 0, 2> && !ad::has_second<Charge, 1, 3> &&
              !ad::has_second<Charge, 0, 0> && !ad::has_second<Charge, 2, 3>);

static_assert(ad::degree<Result<Relativistic, 1>> == 3);
static_assert(!ad::has_second<Result<Relativistic, 1>, 0, 1>);
static_assert(ad::degree<double> == 0 && !ad::depends<double, 0> && !ad::has_second<double, 0, 0>);
static_assert(ad::sparsity_of<double, 3> == ad::Sparsity<3>{});

// Variables and constants carry no derivatives in memory.
using X = decltype(ad::variable<0, 2, 2, 0>(1.0));
using V = decltype(ad::variable<1, 2, 2, 1>(1.0));
static_assert(sizeof(X) == sizeof(double) && sizeof(X{} + V{} + 2.0) == sizeof(double));
static_assert(ad::degree<X> == 0 && ad::degree<V> == 1);

// Degrees: sum = maximum, product = sum, functions and quotients end the polynomial.
static_assert(ad::degree<decltype(X{} * V{})> == 1);
static_assert(ad::degree<decltype(X{} - V{})> == 1);
static_assert(ad::degree<decltype(V{} * V{} / X{})> == 2);
static_assert(ad::degree<decltype(-V{} * V{} * V{})> == 3);
static_assert(ad::degree<decltype(square(square(V{})))> == 3);
static_assert(ad::degree<decltype(X{} / V{})> == 3);
static_assert(ad::degree<decltype(exp(X{}) * V{})> == 1);
static_assert(ad::degree<decltype(sin(V{}))> == 3);
static_assert(ad::degree<decltype(abs(V{}))> == 3 && ad::degree<decltype(abs(X{}))> == 0);
static_assert(ad::degree<decltype(min(X{}, V{}))> == 3 && ad::degree<decltype(max(X{}, 0.0))> == 0);
static_assert(ad::degree<decltype(select(true, X{}, 1.0))> == 3);
static_assert(ad::degree<decltype(hypot(V{}, X{}))> == 3 && ad::degree<decltype(atan2(X{}, 1.0))> == 0);

// Linear operations make no second derivatives; piecewise linear ones neither.
static_assert(!ad::has_second<decltype(3 * X{} - V{} / 2.0 + 1), 0, 0>);
static_assert(!ad::has_second<decltype(max(abs(X{}), V{})), 0, 1>);
static_assert(!ad::has_second<decltype(X{} / exp(2.0)), 0, 0>);
static_assert(ad::has_second<decltype(X{} / V{}), 0, 1> && ad::has_second<decltype(X{} / V{}), 1, 1> &&
              !ad::has_second<decltype(X{} / V{}), 0, 0>);

// A type has room for all that a sparser one holds, never for less.
static_assert(std::is_convertible_v<HH, ad::Jet<double, 4, 2, ad::full<4>>>);
static_assert(!std::is_convertible_v<ad::Jet<double, 4, 2, ad::full<4>>, HH>);
static_assert(!std::is_convertible_v<double, X>);

// Sixty-four variables fill the words to the brim.
using Last = decltype(ad::variable<63, 64, 2, 1>(1.0));
using First = decltype(ad::variable<0, 64, 2, 0>(1.0));
static_assert(ad::has_second<decltype(First{} * Last{}), 63, 0> && ad::has_second<ad::A<64>, 63, 63>);
static_assert(sizeof(ad::A<64>) == (1 + 64 + 64 * 65 / 2) * sizeof(double));

}  // namespace

TEST_CASE("a Lagrangian's derivatives are where its type says, and zero elsewhere") {
  const std::array<double, 2> q{0.3, -0.2}, v{0.7, 1.1};
  const auto f = evaluate<HenonHeiles, 2>(q, v);
  const auto [x, y] = q;
  CHECK(ad::value(f) == HenonHeiles{}(q, v));
  CHECK(ad::gradient<0>(f) == Approx(-x - 2 * x * y).epsilon(1e-15));
  CHECK(ad::gradient<1>(f) == Approx(-y - x * x + y * y).epsilon(1e-15));
  CHECK(ad::gradient<2>(f) == v[0]);
  CHECK(ad::gradient<3>(f) == v[1]);
  const std::array<std::array<double, 4>, 4> expected{
      {{-1 - 2 * y, -2 * x, 0, 0}, {-2 * x, -1 + 2 * y, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  const auto H = ad::hessian_of<4>(f);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) CHECK(H[i][j] == within(expected[i][j], 1e-15));
  }
}

TEST_CASE("a plain real has a value and no derivatives") {
  const auto f = evaluate<Nothing, 1>({1.0}, {2.0});
  CHECK(ad::value(f) == 3.0);
  CHECK(ad::gradient_of<2>(f) == std::array{0.0, 0.0});
  CHECK(ad::hessian_of<2>(f)[1] == std::array{0.0, 0.0});
}

TEST_CASE("velocities without derivatives enter as constants and leave the rest to the bit") {
  const std::array<double, 2> q{0.3, -0.2}, v{0.7, 1.1};
  const auto all = evaluate<DoublePendulum, 2>(q, v);
  const auto some = DoublePendulum{}(ad::seed<0, 2, 1, 0>(q), ad::constants<2, 1>(v));
  CHECK(ad::value(some) == ad::value(all));
  CHECK(ad::gradient<0>(some) == ad::gradient<0>(all));
  CHECK(ad::gradient<1>(some) == ad::gradient<1>(all));
  const auto none = DoublePendulum{}(ad::constants<1, 1>(q), ad::constants<1, 1>(v));
  static_assert(sizeof(none) == sizeof(double));
  CHECK(ad::value(none) == ad::value(all));
}

TEST_CASE("the gradient of first order is that of second order to the bit") {
  const std::array<double, 2> q{0.9, -0.4}, v{0.7, 1.1};
  CHECK(ad::gradient_of<4>(evaluate<HenonHeiles, 2, 1>(q, v)) ==
        ad::gradient_of<4>(evaluate<HenonHeiles, 2, 2>(q, v)));
  CHECK(ad::gradient_of<4>(evaluate<DoublePendulum, 2, 1>(q, v)) ==
        ad::gradient_of<4>(evaluate<DoublePendulum, 2, 2>(q, v)));
}

TEST_CASE("an accumulator has room for what a loop adds") {
  const auto [x, y] = ad::seed<0, 2, 2, 0>(std::array{0.5, 2.0});
  auto sum = ad::dense(0 * x);
  for (int k = 1; k <= 3; ++k) sum += pow(x, k) * y;
  CHECK(ad::value(sum) == 2.0 * (0.5 + 0.25 + 0.125));
  CHECK(ad::gradient<0>(sum) == 2.0 * (1.0 + 2 * 0.5 + 3 * 0.25));
  CHECK(ad::hessian<0, 0>(sum) == 2.0 * (2 + 6 * 0.5));
  CHECK(ad::hessian<0, 1>(sum) == 1.0 + 2 * 0.5 + 3 * 0.25);
}
