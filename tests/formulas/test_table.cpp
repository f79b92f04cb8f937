// SPDX-License-Identifier: BSD-3-Clause
// A table of operations has the bits and the type of the expression that it stands for.
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>

#include "catch.hpp"
#include "formulas/table.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent;
using expressions::Operation;
using formulas::looked_up_at;
using formulas::Row;

namespace {

constexpr Row row(Operation operation, int a, int b = 0, double number = 0) {
  return {static_cast<int>(operation), a, b, number};
}

/// Every operation, of x, y, u, w (0 to 3) and p (4).
struct Every {
  static constexpr std::array rows{row(Operation::number, 0, 0, 0.3),        // 5
                                   row(Operation::multiply, 0, 1),           // 6: x y
                                   row(Operation::sin, 6),                   // 7
                                   row(Operation::cos, 0),                   // 8
                                   row(Operation::multiply, 2, 2),           // 9: u^2
                                   row(Operation::multiply, 9, 7),           // 10: u^2 sin(x y)
                                   row(Operation::divide, 8, 4),             // 11: cos(x) / p
                                   row(Operation::exp, 11),                  // 12
                                   row(Operation::add, 10, 12),              // 13
                                   row(Operation::sqrt, 12),                 // 14
                                   row(Operation::log, 14),                  // 15
                                   row(Operation::tan, 15),                  // 16
                                   row(Operation::negate, 16),               // 17
                                   row(Operation::add, 13, 17),              // 18: in its place
                                   row(Operation::multiply, 5, 7),           // 19: below 1
                                   row(Operation::asin, 19),                 // 20
                                   row(Operation::acos, 19),                 // 21
                                   row(Operation::atan, 20),                 // 22
                                   row(Operation::divide, 21, 22),           // 23
                                   row(Operation::subtract, 18, 23),         // 24
                                   row(Operation::sinh, 1),                  // 25
                                   row(Operation::cosh, 25),                 // 26
                                   row(Operation::tanh, 26),                 // 27
                                   row(Operation::atan2, 27, 0),             // 28
                                   row(Operation::hypot, 28, 1),             // 29
                                   row(Operation::power, 29, 27),            // 30
                                   row(Operation::power, 29, 4),             // 31: ^ p
                                   row(Operation::power, 4, 27),             // 32: p ^
                                   row(Operation::fixed_power, 29, 0, 1.5),  // 33
                                   row(Operation::fixed_power, 0, 1, 70.0),  // 34
                                   row(Operation::abs, 17),                  // 35
                                   row(Operation::min, 35, 33),              // 36
                                   row(Operation::max, 36, 34),              // 37
                                   row(Operation::add, 30, 31),              // 38
                                   row(Operation::add, 38, 32),              // 39
                                   row(Operation::multiply, 3, 2),           // 40: w u
                                   row(Operation::subtract, 40, 39),         // 41
                                   row(Operation::add, 24, 41),              // 42
                                   row(Operation::sin, 4),                   // 43: of the parameter alone
                                   row(Operation::min, 43, 4),               // 44
                                   row(Operation::multiply, 44, 37),         // 45
                                   row(Operation::divide, 5, 4),             // 46
                                   row(Operation::subtract, 46, 2),          // 47
                                   row(Operation::multiply, 47, 45),         // 48
                                   row(Operation::add, 42, 48)};             // 49
};
template <class X, class Y, class U, class W, class P>
auto every(const X& x, const Y& y, const U& u, const W& w, const P& p) {
  using namespace cotangent::formulas;
  const auto s = sin(x * y);
  const auto e = exp(cos(x) / p);
  const auto n16 = tan(log(sqrt(e)));
  const auto n18 = u * u * s + e + -n16;
  const auto small = 0.3 * s;
  const auto n24 = n18 - acos(small) / atan(asin(small));
  const auto n27 = tanh(cosh(sinh(y)));
  const auto n29 = hypot(atan2(n27, x), y);
  const auto n37 = max(min(abs(-n16), pow(n29, 1.5)), pow(x, 70));
  const auto n41 = w * u - (pow(n29, n27) + pow(n29, p) + pow(p, n27));
  return n24 + n41 + (0.3 / p - u) * (min(sin(p), p) * n37);
}

/// A Lagrangian's form: of degree 2, with a structure to be kept.
struct Quadratic {
  static constexpr std::array rows{row(Operation::multiply, 2, 2), row(Operation::multiply, 3, 3),
                                   row(Operation::add, 5, 6),      row(Operation::multiply, 4, 7),
                                   row(Operation::cos, 0),         row(Operation::subtract, 8, 9)};
};

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);  // whatever the sign of a zero
}

template <int Order>
void compare(const std::array<double, 2>& q, const std::array<double, 2>& v, double p) {
  const auto x = ad::seed<0, 4, Order, 0>(q);
  const auto u = ad::seed<2, 4, Order, 1>(v);
  const auto expected =
      std::apply([&](const auto&... one) { return every(one..., p); }, std::tuple_cat(x, u));
  const std::array<double, 1> parameters{p};
  const auto found = looked_up_at<Every>(parameters, x, u, parameters);
  static_assert(std::same_as<decltype(found), decltype(expected)>);
  CHECK(bits(ad::value(found)) == bits(ad::value(expected)));
  const auto g = ad::gradient_of<4>(found), h = ad::gradient_of<4>(expected);
  for (std::size_t i = 0; i < 4; ++i) CHECK(bits(g[i]) == bits(h[i]));
  if constexpr (Order == 2) {
    const auto a = ad::hessian_of<4>(found), b = ad::hessian_of<4>(expected);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) CHECK(bits(a[i][j]) == bits(b[i][j]));
  }
}

}  // namespace

TEST_CASE("a table has the value, the derivatives and the type of its expression") {
  for (const auto& [q, v, known] : {std::tuple{std::array{0.7, 0.4}, std::array{0.3, -0.2}, 1.3},
                                    std::tuple{std::array{1.1, 0.9}, std::array{-1.3, 0.6}, 0.4},
                                    std::tuple{std::array{0.2, 1.4}, std::array{0.0, 2.0}, 2.2}}) {
    const volatile double p_hidden = known;  // as below
    const double p = p_hidden;
    compare<2>(q, v, p);
    compare<1>(q, v, p);
    const std::array<double, 1> parameters{p};
    CHECK(looked_up_at<Every>(parameters, q, v, parameters) == every(q[0], q[1], v[0], v[1], p));
  }
}

TEST_CASE("a table's result tells what its expression would of a mass matrix") {
  const std::array<double, 2> q{0.7, 0.4}, v{0.3, -0.2};
  const std::array<double, 1> p{2.0};
  const auto l = looked_up_at<Quadratic>(p, ad::seed<0, 4, 2, 0>(q), ad::seed<2, 4, 2, 1>(v), p);
  constexpr auto s = decltype(l)::sparsity;
  static_assert(s.degree == 2 && s.has_second(2, 2) && !s.has_second(2, 3) && !s.has_second(0, 2));
  static_assert(s.depends(0) && !s.depends(1));
  CHECK(ad::hessian<2, 2>(l) == 4.0);
  CHECK(ad::hessian<2, 3>(l) == 0.0);
}

TEST_CASE("a table's lanes are alone") {
  using R = numerics::Lanes<numerics::native_width>;
  std::array<R, 2> q{R(0.0), R(0.0)}, v{R(0.0), R(0.0)};
  for (int lane = 0; lane < numerics::native_width; ++lane) {
    // Not known to the compiler, which would round a tangent better than the library.
    const volatile double k = lane;
    q[0].v[lane] = 0.5 + 0.1 * k;
    q[1].v[lane] = 1.2 - 0.1 * k;
    v[0].v[lane] = 0.3 * k - 1;
    v[1].v[lane] = 0.2;
  }
  const std::array<R, 1> p{R(1.3)};
  const auto x = ad::seed<0, 4, 2, 0>(q);
  const auto u = ad::seed<2, 4, 2, 1>(v);
  const auto expected =
      std::apply([&](const auto&... one) { return every(one..., p[0]); }, std::tuple_cat(x, u));
  const auto found = looked_up_at<Every>(p, x, u, p);
  const auto a = ad::hessian_of<4>(found), b = ad::hessian_of<4>(expected);
  for (int lane = 0; lane < numerics::native_width; ++lane)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) CHECK(bits(a[i][j].v[lane]) == bits(b[i][j].v[lane]));
}
