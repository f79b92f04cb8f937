// SPDX-License-Identifier: BSD-3-Clause
// The laws of A(N) on random elements: (2.8) to (2.14) and the chain rule (2.20).
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "ad/ad.hpp"
#include "catch.hpp"

using namespace cotangent;

namespace {

constexpr int N = 4;
using Element = ad::A<N>;
using Vector = std::array<double, N>;
using Matrix = std::array<Vector, N>;

/// A random element whose value has magnitude 0.5 to 2.
Element random_element(std::mt19937_64& random, bool positive = false) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0), magnitude(0.5, 2.0);
  const double s = magnitude(random) * (positive || uniform(random) > 0 ? 1.0 : -1.0);
  Vector g;
  Matrix H;
  for (int i = 0; i < N; ++i) {
    g[i] = uniform(random);
    for (int j = 0; j <= i; ++j) H[i][j] = H[j][i] = uniform(random);
  }
  return {s, g, H};
}

/// The largest difference of two elements, over their largest entry or 1.
double distance(const Element& a, const Element& b) {
  double difference = std::abs(a.value() - b.value());
  double scale = std::max(1.0, std::abs(a.value()));
  const auto compare = [&](double x, double y) {
    difference = std::max(difference, std::abs(x - y));
    scale = std::max(scale, std::abs(x));
  };
  const Vector ga = ad::gradient_of<N>(a), gb = ad::gradient_of<N>(b);
  const Matrix ha = ad::hessian_of<N>(a), hb = ad::hessian_of<N>(b);
  for (int i = 0; i < N; ++i) {
    compare(ga[i], gb[i]);
    for (int j = 0; j < N; ++j) compare(ha[i][j], hb[i][j]);
  }
  return difference / scale;
}

/// The inverse by (2.14), written out.
Element inverse(const Element& a) {
  const double s = a.value();
  Vector g = ad::gradient_of<N>(a);
  Matrix H = ad::hessian_of<N>(a);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      H[i][j] = 2.0 / (s * s * s) * ad::gradient_of<N>(a)[i] * ad::gradient_of<N>(a)[j] - H[i][j] / (s * s);
    }
  }
  for (double& gi : g) gi /= -s * s;
  return {1.0 / s, g, H};
}

/// A product with weights of its own on the outer products g k^T and k g^T; (2.9) has 1 and 1.
Element weighted_product(const Element& a, const Element& b, double left, double right) {
  const Vector g = ad::gradient_of<N>(a), k = ad::gradient_of<N>(b);
  const Matrix G = ad::hessian_of<N>(a), K = ad::hessian_of<N>(b);
  Vector first;
  Matrix second;
  for (int i = 0; i < N; ++i) {
    first[i] = a.value() * k[i] + b.value() * g[i];
    for (int j = 0; j < N; ++j) {
      second[i][j] = a.value() * K[i][j] + left * g[i] * k[j] + right * k[i] * g[j] + b.value() * G[i][j];
    }
  }
  return {a.value() * b.value(), first, second};
}

struct Violations {
  double commutative = 0, associative = 0, distributive = 0, neutral = 0, invertible = 0;
};

/// How far a product is from each law, at worst over random elements.
template <class Product>
Violations violations(Product product) {
  std::mt19937_64 random(20240601);
  Violations worst;
  const auto note = [](double& entry, const Element& a, const Element& b) {
    entry = std::max(entry, distance(a, b));
  };
  const Element one(1.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Element a = random_element(random), b = random_element(random), c = random_element(random);
    note(worst.commutative, product(a, b), product(b, a));
    note(worst.associative, product(product(a, b), c), product(a, product(b, c)));
    note(worst.distributive, product(a, b + c), product(a, b) + product(a, c));
    note(worst.neutral, product(one, a), a);
    note(worst.invertible, product(a, inverse(a)), one);
  }
  return worst;
}

}  // namespace

TEST_CASE("A(N) is a commutative, associative algebra with inverses") {
  const Violations right = violations([](const Element& a, const Element& b) { return Element(a * b); });
  CHECK(right.commutative < 1e-15);   // measured: 2.2e-16
  CHECK(right.associative < 2e-15);   // measured: 3.1e-16
  CHECK(right.distributive < 2e-15);  // measured: 3.1e-16
  CHECK(right.neutral == 0.0);
  CHECK(right.invertible < 1e-14);  // measured: 1.5e-15

  // Controls: products with a wrong outer product break a law.
  const auto lopsided = [](const Element& a, const Element& b) { return weighted_product(a, b, 1.0, 0.0); };
  CHECK(violations(lopsided).commutative > 0.1);
  const auto missing = [](const Element& a, const Element& b) { return weighted_product(a, b, 0.0, 0.0); };
  CHECK(violations(missing).invertible > 0.1);
  const auto exact = [](const Element& a, const Element& b) { return weighted_product(a, b, 1.0, 1.0); };
  CHECK(violations(exact).invertible < 2e-14);
}

TEST_CASE("addition, subtraction and scalar multiplication are a vector space's") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Element a = random_element(random), b = random_element(random), c = random_element(random);
    CHECK(distance(a + b, b + a) == 0.0);
    CHECK(distance((a + b) + c, a + (b + c)) < 1e-15);
    CHECK(distance(a - b, a + (-b)) == 0.0);
    CHECK(distance(a + Element(0.0), a) == 0.0);
    CHECK(distance(a - a, Element(0.0)) == 0.0);
    CHECK(distance(3.0 * (a + b), 3 * a + b * 3.0f) < 1e-15);
    CHECK(distance(2.5 * a, Element(2.5) * a) == 0.0);
    CHECK(distance(a + 2.5, Element(2.5) + a) == 0.0);
    CHECK(distance(2 - a, Element(2.0) - a) == 0.0);
    CHECK(distance(a / 3, a * (1.0 / 3.0)) < 1e-15);
  }
}

TEST_CASE("division is multiplication by the inverse") {
  std::mt19937_64 random(4);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Element a = random_element(random), b = random_element(random);
    worst = std::max({worst, distance(a / b, a * inverse(b)), distance(1.0 / b, inverse(b)),
                      distance((a / b) * b, a), distance(2 / b, 2.0 * inverse(b))});
  }
  CHECK(worst < 2e-14);  // measured: 1.5e-15
}

TEST_CASE("elements without a value are nilpotent, so A(N) is no field") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Element a = random_element(random);
    const Element nilpotent(0.0, ad::gradient_of<N>(a), ad::hessian_of<N>(a));
    CHECK(distance(nilpotent * nilpotent, Element(0.0)) > 1e-3);
    CHECK(distance(nilpotent * nilpotent * nilpotent, Element(0.0)) == 0.0);
    const Element flat(0.0, Vector{}, ad::hessian_of<N>(a));
    CHECK(distance(flat * flat, Element(0.0)) == 0.0);
    const auto quotient = ad::value(1.0 / nilpotent);
    CHECK(std::isinf(quotient));
  }
}

TEST_CASE("identities between functions hold for value, gradient and Hessian") {
  std::mt19937_64 random(6);
  double worst = 0;
  const auto same = [&](const Element& a, const Element& b) { worst = std::max(worst, distance(a, b)); };
  for (int trial = 0; trial < 200; ++trial) {
    const Element a = random_element(random, true), b = random_element(random, true);
    const Element small = 0.3 * a;
    same(exp(log(a)), a);
    same(log(a * b), log(a) + log(b));
    same(exp(a + b), exp(a) * exp(b));
    same(sqrt(a) * sqrt(a), a);
    same(cbrt(a) * cbrt(a) * cbrt(a), a);
    same(sin(a) * sin(a) + cos(a) * cos(a), Element(1.0));
    same(sin(a + b), sin(a) * cos(b) + cos(a) * sin(b));
    same(tan(small), sin(small) / cos(small));
    same(cosh(a) * cosh(a) - sinh(a) * sinh(a), Element(1.0));
    same(tanh(a), sinh(a) / cosh(a));
    same(sin(asin(small)), small);
    same(cos(acos(small)), small);
    same(tan(atan(a)), a);
    same(sinh(asinh(a)), a);
    same(cosh(acosh(1.0 + a)), 1.0 + a);
    same(tanh(atanh(small)), small);
    same(log1p(a), log(1.0 + a));
    same(expm1(a), exp(a) - 1.0);
    same(pow(a, 3), a * a * a);
    same(pow(a, -2), 1.0 / (a * a));
    same(pow(a, 1.5), a * sqrt(a));
    same(pow(a, b), exp(b * log(a)));
    same(pow(2.0, a), exp(a * std::log(2.0)));
    same(hypot(a, b), sqrt(a * a + b * b));
    same(atan2(a, b), atan(a / b));
    same(atan2(a, -b), ad::square(Element(0.0)) + M_PI - atan(a / b));
    same(abs(-a), a);
    same(min(a, b) + max(a, b), a + b);
    const auto [s, c] = sincos(a);
    same(s, sin(a));
    same(c, cos(a));
  }
  CHECK(worst < 1e-13);  // measured: 1.4e-14
}

TEST_CASE("the chain rule, by its formula, for a composite of a composite") {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 200; ++trial) {
    const Element a = random_element(random);
    // phi(s) = sin(s)^3: phi' = 3 sin^2 cos, phi'' = 6 sin cos^2 - 3 sin^3.
    const double s = std::sin(a.value()), c = std::cos(a.value());
    const double d = 3 * s * s * c, dd = 6 * s * c * c - 3 * s * s * s;
    Vector g = ad::gradient_of<N>(a);
    Matrix H = ad::hessian_of<N>(a);
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) H[i][j] = dd * g[i] * g[j] + d * H[i][j];
    }
    for (double& gi : g) gi *= d;
    CHECK(distance(pow(sin(a), 3), Element(s * s * s, g, H)) < 5e-15);
  }
}

TEST_CASE("assignment operators keep the type and say what plain operators say") {
  std::mt19937_64 random(9);
  const Element a = random_element(random), b = random_element(random);
  Element c = a;
  c += b;
  CHECK(distance(c, a + b) == 0.0);
  c -= 2 * b;
  CHECK(distance(c, a + b - 2 * b) == 0.0);
  c = a;
  c *= b;
  CHECK(distance(c, a * b) == 0.0);
  c /= 3.0;
  CHECK(distance(c, a * b / 3.0) == 0.0);
  c = a;
  c *= c;
  CHECK(distance(c, a * a) == 0.0);
}

TEST_CASE("comparisons compare values") {
  const Element a(1.0, Vector{1, 2, 3, 4}, Matrix{});
  const Element b(1.0, Vector{4, 3, 2, 1}, Matrix{});
  CHECK(a == b);
  CHECK(a <= b);
  CHECK(!(a != b));
  CHECK(a < 2);
  CHECK(0.5 < a);
  CHECK(a + 1 > b);
  CHECK(a >= 1.0);
}
