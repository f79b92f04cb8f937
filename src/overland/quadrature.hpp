// SPDX-License-Identifier: BSD-3-Clause
// Quadrature on a triangle, in barycentric coordinates; weights sum to 1. Reference: Dunavant, Int. J. Numer.
// Meth. Engng 21 (1985) 1129: degrees 6 (12 points) and 8 (16 points).
#pragma once

#include <array>
#include <vector>

namespace cotangent::overland {

struct Quadrature {
  std::vector<std::array<double, 3>> points;
  std::vector<double> weights;
};

/// Exact for polynomials of this degree: 6 or 8.
inline Quadrature quadrature(int degree) {
  Quadrature q;
  const auto three = [&q](double weight, double a) {
    const double b = (1 - a) / 2;
    for (std::size_t k = 0; k < 3; ++k) {
      q.points.push_back({b, b, b});
      q.points.back()[k] = a;
      q.weights.push_back(weight);
    }
  };
  const auto six = [&q](double weight, double a, double b) {
    const double c = 1 - a - b;
    for (const auto& p : {std::array{a, b, c}, {b, c, a}, {c, a, b}, {b, a, c}, {a, c, b}, {c, b, a}}) {
      q.points.push_back(p);
      q.weights.push_back(weight);
    }
  };
  if (degree <= 6) {
    three(0.116786275726379, 0.501426509658179);
    three(0.050844906370207, 0.873821971016996);
    six(0.082851075618374, 0.053145049844817, 0.310352451033784);
  } else {
    q.points.push_back({1.0 / 3, 1.0 / 3, 1.0 / 3});
    q.weights.push_back(0.144315607677787);
    three(0.095091634267285, 0.081414823414554);
    three(0.103217370534718, 0.658861384496480);
    three(0.032458497623198, 0.898905543365938);
    six(0.027230314174435, 0.008394777409958, 0.263112829634638);
  }
  return q;
}

}  // namespace cotangent::overland
