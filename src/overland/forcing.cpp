// SPDX-License-Identifier: BSD-3-Clause
#include "overland/forcing.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent::overland {

std::vector<double> Rain::mean(double from, double to, std::size_t n) const {
  std::vector<double> all(n, rate.mean(from, to));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const double begin = std::max(from, fields[k].first);
    const double end = k + 1 < fields.size() ? std::min(to, fields[k + 1].first) : to;
    if (!(end > begin)) continue;
    for (std::size_t v = 0; v < n; ++v) all[v] += (end - begin) / (to - from) * fields[k].second[v];
  }
  return all;
}

double Infiltration::taken(double depth, double infiltrated, double time) const {
  switch (law) {
    case Law::none:
      return 0;
    case Law::constant:
      return std::min(std::max(depth, 0.0), rate * time);
    case Law::green_ampt:
      break;
  }
  // Newton on a function that is concave and rises: from above it goes down to the root without overshoot.
  const double start = infiltrated + suction;
  double more = rate * time + std::sqrt(2 * suction * rate * time) + 1e-300;
  for (int k = 0; k < 50; ++k) {
    const double value = more - suction * std::log1p(more / start) - rate * time;
    const double slope = 1 - suction / (start + more);
    const double change = slope > 0 ? value / slope : 0;
    more = std::max(more - change, rate * time);
    if (std::abs(change) <= 1e-14 * more) break;
  }
  return std::min(std::max(depth, 0.0), more);
}

}  // namespace cotangent::overland
