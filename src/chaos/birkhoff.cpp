// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/birkhoff.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/compensated.hpp"

namespace cotangent::chaos {

double weighted_average(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  numerics::Compensated<double> sum, weights;
  for (std::size_t n = 1; n < values.size(); ++n) {
    const double s = static_cast<double>(n) / count, weight = std::exp(-1 / (s * (1 - s)));
    sum.add(weight * values[n]);
    weights.add(weight);
  }
  return weights.value > 0 ? sum.value / weights.value : std::numeric_limits<double>::quiet_NaN();
}

double agreeing_digits(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  const double off = std::abs(weighted_average(values.first(half)) - weighted_average(values.subspan(half)));
  return off > 1e-17 ? -std::log10(off) : off == off ? 17.0 : off;
}

std::vector<double> turns(std::span<const std::array<double, 2>> points,
                          const std::array<double, 2>& centre) {
  std::vector<double> result;
  for (std::size_t n = 1; n < points.size(); ++n) {
    const double x = points[n - 1][0] - centre[0], y = points[n - 1][1] - centre[1];
    const double u = points[n][0] - centre[0], w = points[n][1] - centre[1];
    result.push_back(std::atan2(x * w - y * u, x * u + y * w) / (2 * std::numbers::pi));
  }
  return result;
}

}  // namespace cotangent::chaos
