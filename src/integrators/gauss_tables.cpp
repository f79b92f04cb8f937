// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/gauss_tables.hpp"

#include <map>
#include <mutex>

#include "core/error.hpp"
#include "integrators/method.hpp"
#include "numerics/decompositions.hpp"
#include "numerics/polynomials.hpp"

namespace cotangent::integrators {

namespace {

using numerics::Extended;
using numerics::ExtendedMatrix;

std::vector<double> rounded(const ExtendedMatrix& m, int rows) {
  std::vector<double> result;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < m.columns; ++j) result.push_back(static_cast<double>(m(i, j)));
  }
  return result;
}

/// Real and imaginary parts of A's eigenvectors as the columns of T.
void diagonalise(const ExtendedMatrix& a, GaussTables& tables) {
  const int s = tables.stages;
  const auto [values, vectors] = numerics::eigenpairs(numerics::dense(a));
  numerics::ExtendedDense t(s, s);
  int row = 0;
  for (int k = 0; k < s; ++k) {
    const auto lambda = values[k];
    if (lambda.imag() < 0) continue;
    const bool real = lambda.imag() == 0;
    tables.eigenvalues.push_back(
        {{static_cast<double>(lambda.real()), static_cast<double>(lambda.imag())}, row, real});
    t.col(row++) = vectors.col(k).real();
    if (!real) t.col(row++) = vectors.col(k).imag();
  }
  const numerics::ExtendedDense inverse = numerics::inverse(t);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) {
      tables.transform.push_back(static_cast<double>(t(i, j)));
      tables.inverse.push_back(static_cast<double>(inverse(i, j)));
    }
  }
}

/// A A split into even and odd parts, and the other matrices to match.
GaussTables::Parts by_parts(const ExtendedMatrix& a, const numerics::Quadrature& rule,
                            const ExtendedMatrix& extrapolation, const ExtendedMatrix& legendre,
                            const ExtendedMatrix& legendre_with_ends) {
  const int s = a.rows, odds = s / 2, evens = s - odds;
  GaussTables::Parts parts{};
  parts.evens = evens;
  parts.odds = odds;
  ExtendedMatrix k(s, s), from_stages(s, s), to_stages(s, s);
  for (int i = 0; i < s; ++i) {
    parts.offset.push_back(static_cast<double>(rule.nodes[i] - Extended(0.5)));
    for (int j = 0; j < s; ++j) k(i, j) = a(i, j) - rule.weights[j] / 2;
  }
  for (int j = 0; j < evens; ++j) {
    from_stages(j, j) = from_stages(j, s - 1 - j) = 1;
    to_stages(j, j) = to_stages(s - 1 - j, j) = j < odds ? Extended(0.5) : 1;
    if (j >= odds) continue;
    from_stages(evens + j, j) = 1;
    from_stages(evens + j, s - 1 - j) = -1;
    to_stages(j, evens + j) = Extended(0.5);
    to_stages(s - 1 - j, evens + j) = -Extended(0.5);
  }
  const ExtendedMatrix once = k * to_stages, square = k * once;
  for (int i = 0; i < evens; ++i) {
    for (int j = 0; j < evens; ++j) parts.even.push_back(static_cast<double>(square(i, j)));
    for (int j = 0; j < odds; ++j) parts.from_odd.push_back(static_cast<double>(once(i, evens + j)));
  }
  for (int i = 0; i < odds; ++i) {
    for (int j = 0; j < odds; ++j) parts.odd.push_back(static_cast<double>(square(i, evens + j)));
    for (int j = 0; j < evens; ++j) parts.from_even.push_back(static_cast<double>(once(i, j)));
  }
  for (int j = 0; j < evens; ++j) parts.even_weight.push_back(static_cast<double>(rule.weights[j]));
  for (int j = 0; j < odds; ++j) {
    Extended sum = 0;
    for (int i = 0; i < s; ++i) sum += rule.weights[i] * k(i, j);
    parts.odd_weight.push_back(static_cast<double>(sum));
    parts.moment.push_back(static_cast<double>(rule.weights[j] * (Extended(0.5) - rule.nodes[j])));
  }
  ExtendedMatrix with_ends(s + 2, s + 2);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) with_ends(i, j) = to_stages(i, j);
  }
  with_ends(s, s) = with_ends(s + 1, s + 1) = 1;
  parts.extrapolation = rounded(from_stages * extrapolation * with_ends, s);
  parts.legendre = rounded(legendre * to_stages, s);
  parts.legendre_with_ends = rounded(legendre_with_ends * with_ends, s + 2);
  parts.bernstein = rounded(numerics::bernstein_of_integral(rule.nodes, 2, s + 1) * to_stages, s + 2);
  // Coefficients of a high degree lie close to the polynomial.
  constexpr int high = 64;
  const ExtendedMatrix twice = numerics::bernstein_of_integral(rule.nodes, 2, high) * to_stages;
  for (int j = 0; j < s; ++j) {
    std::vector<double> c;
    for (int k = 0; k <= high; ++k) c.push_back(static_cast<double>(twice(k, j)));
    const double slope = high * static_cast<double>(twice(high, j) - twice(high - 1, j));
    const CubicDeviation<double> bounds =
        bend(c.data(), high, 0.0, slope, [](int k) { return cubic_weights(high, k); });
    parts.bend.push_back(bounds.position);
    parts.bend_slope.push_back(bounds.slope);
  }
  return parts;
}

std::shared_ptr<const GaussTables> make(int s) {
  auto tables = std::make_shared<GaussTables>();
  tables->stages = s;
  const auto rule = numerics::gauss(s);
  ExtendedMatrix a = numerics::integration_matrix(rule.nodes);
  a.rows = s;
  a.entries.resize(static_cast<std::size_t>(s) * s);
  for (int i = 0; i < s; ++i) {
    tables->c.push_back(static_cast<double>(rule.nodes[i]));
    tables->b.push_back(static_cast<double>(rule.weights[i]));
  }
  tables->a = rounded(a, s);
  tables->square = rounded(a * a, s);
  const ExtendedMatrix coefficients = numerics::legendre_coefficients(rule.nodes);
  auto points = rule.nodes;
  points.insert(points.end(), {0, 1});
  const ExtendedMatrix coefficients_with_ends = numerics::legendre_coefficients(points);
  ExtendedMatrix next(s, s + 2);
  for (int i = 0; i < s; ++i) {
    const auto p = numerics::legendre(s + 1, 2 * (rule.nodes[i] + 1) - 1);
    for (int k = 0; k < s + 2; ++k) next(i, k) = p[k];
  }
  const ExtendedMatrix extrapolation = next * coefficients_with_ends;
  tables->extrapolation = rounded(extrapolation, s);
  tables->legendre = rounded(coefficients, s);
  tables->legendre_with_ends = rounded(coefficients_with_ends, s + 2);
  tables->bernstein = rounded(numerics::bernstein_of_integral(rule.nodes, 1, s), s + 1);
  tables->parts = by_parts(a, rule, extrapolation, coefficients, coefficients_with_ends);
  diagonalise(a, *tables);
  return tables;
}

}  // namespace

std::shared_ptr<const GaussTables> GaussTables::of(int stages) {
  if (stages < 1 || stages > max_stages) {
    throw Error("Gauss collocation takes 1 to " + std::to_string(max_stages) + " stages, not " +
                std::to_string(stages));
  }
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const GaussTables>> made;
  const std::lock_guard lock(mutex);
  auto& entry = made[stages];
  if (!entry) entry = make(stages);
  return entry;
}

}  // namespace cotangent::integrators
