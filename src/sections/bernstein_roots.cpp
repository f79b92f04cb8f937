// SPDX-License-Identifier: BSD-3-Clause
#include "sections/bernstein_roots.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/polynomials.hpp"

namespace cotangent::sections {

namespace {

constexpr double narrow = 0x1p-26;  // below this, two roots can't be told apart from a contact

bool turns(const Bernstein& c, int d) {
  int count = 0;
  for (int k = 0; k + 2 <= d; ++k) count += (c[k + 1] - c[k] < 0) != (c[k + 2] - c[k + 1] < 0);
  return count > 0;
}

void search(const Bernstein& c, int d, double touch, double low, double width, Roots& roots) {
  const int variations = static_cast<int>(sign_variations(c.data(), d));
  if (variations == 1) {
    roots.crossings.push_back({low + width * only_root(c.data(), d, true), c[0] < 0});
    return;
  }
  if (variations == 0) {
    const double nearest = std::abs(*std::min_element(
        c.begin(), c.begin() + d + 1, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (nearest > touch || !turns(c, d)) return;
    if (width < 1e-3) {
      ++roots.grazing;
      return;
    }
  } else if (width < narrow) {
    if (variations % 2 == 0) {
      ++roots.grazing;
    } else {
      roots.crossings.push_back({low + 0.5 * width, c[0] < 0});
    }
    return;
  }
  Bernstein left = c, right = c;
  for (int level = d; level > 0; --level) {
    left[d - level] = right[0];
    for (int k = 0; k < level; ++k) right[k] = 0.5 * (right[k] + right[k + 1]);
  }
  left[d] = right[0];
  search(left, d, touch, low, 0.5 * width, roots);
  search(right, d, touch, low + 0.5 * width, 0.5 * width, roots);
}

}  // namespace

void find_roots(const Bernstein& coefficients, int d, double touch, Roots& roots) {
  roots.crossings.clear();
  roots.grazing = 0;
  search(coefficients, d, touch, 0.0, 1.0, roots);
}

double evaluate(const Bernstein& coefficients, int d, double theta) {
  Bernstein b = coefficients;
  for (int level = d; level > 0; --level) {
    for (int k = 0; k < level; ++k) b[k] = std::fma(theta, b[k + 1] - b[k], b[k]);
  }
  return b[0];
}

double slope(const Bernstein& coefficients, int d, double theta) {
  Bernstein differences{};
  for (int k = 0; k < d; ++k) differences[k] = d * (coefficients[k + 1] - coefficients[k]);
  return evaluate(differences, d - 1, theta);
}

double chebyshev_point(int k) {
  static const auto points = [] {
    std::vector<double> result;
    for (const numerics::Extended& node : numerics::chebyshev_lobatto_nodes(integrators::max_degree))
      result.push_back(static_cast<double>((1 + node) / 2));
    return result;
  }();
  return points[k];
}

std::array<Bernstein, integrators::max_degree + 1> bernstein_from_values() {
  constexpr int d = integrators::max_degree;
  std::vector<numerics::Extended> nodes;
  for (int k = 0; k <= d; ++k) nodes.push_back(chebyshev_point(k));
  const auto m = numerics::bernstein_of_integral(nodes, 0, d);
  std::array<Bernstein, d + 1> result{};
  for (int i = 0; i <= d; ++i) {
    for (int k = 0; k <= d; ++k) result[i][k] = static_cast<double>(m(i, k));
  }
  return result;
}

}  // namespace cotangent::sections
