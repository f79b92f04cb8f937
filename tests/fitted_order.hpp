// SPDX-License-Identifier: BSD-3-Clause
// The order that errors show: the slope of log(error) over log(step), by least squares through three points
// or more, as a rule four, and how far the farthest of them is from that line. Two points lie on a line
// whatever the method does.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "catch.hpp"

namespace cotangent::test {

/// What a method claims: its order within a margin, each error within a factor 1 +- scatter of step^order.
struct ClaimedOrder {
  double order, margin, scatter = 0.1;
};

struct FittedOrder {
  double order;
  double scatter;  ///< the largest |log(error) - line|, natural logarithms

  bool operator==(const ClaimedOrder& claim) const {
    return std::abs(order - claim.order) <= claim.margin && scatter <= claim.scatter;
  }
};

inline std::ostream& operator<<(std::ostream& out, const FittedOrder& fit) {
  return out << "order " << fit.order << ", points off the line by up to " << fit.scatter;
}
inline std::ostream& operator<<(std::ostream& out, const ClaimedOrder& claim) {
  return out << "order " << claim.order << " +- " << claim.margin << ", points off by up to "
             << claim.scatter;
}

/// The line of least squares through three points or more.
inline FittedOrder logarithmic_fit(const std::vector<double>& steps, const std::vector<double>& errors) {
  REQUIRE(errors.size() == steps.size());
  REQUIRE(steps.size() >= 3);
  const auto n = static_cast<double>(steps.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double a = std::log(steps[i]), b = std::log(errors[i]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  FittedOrder fit{(n * xy - x * y) / (n * xx - x * x), 0};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double off = std::log(errors[i]) - y / n - fit.order * (std::log(steps[i]) - x / n);
    fit.scatter = std::max(fit.scatter, std::abs(off));
  }
  return fit;
}

/// The same through four points or more.
inline FittedOrder fitted_order(const std::vector<double>& steps, const std::vector<double>& errors) {
  REQUIRE(steps.size() >= 4);
  return logarithmic_fit(steps, errors);
}

}  // namespace cotangent::test
