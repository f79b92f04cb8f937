// SPDX-License-Identifier: BSD-3-Clause
#include "overland/forcing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cotangent::overland {

namespace {

struct GaussPoint {
  double node, weight;
};
/// On [0, 1]; Abramowitz, Stegun, Handbook of Mathematical Functions (1964), table 25.4.
constexpr std::array<GaussPoint, 4> gauss_points{{{0.06943184420297371, 0.17392742256872693},
                                                  {0.33000947820757187, 0.32607257743127307},
                                                  {0.6699905217924281, 0.32607257743127307},
                                                  {0.9305681557970263, 0.17392742256872693}}};

}  // namespace

std::vector<double> Rain::mean(double from, double to, std::size_t n) const {
  std::vector<double> all(n, rate.mean(from, to));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const double begin = std::max(from, fields[k].first);
    const double end = k + 1 < fields.size() ? std::min(to, fields[k + 1].first) : to;
    if (!(end > begin)) continue;
    for (std::size_t v = 0; v < n; ++v) all[v] += (end - begin) / (to - from) * fields[k].second[v];
  }
  if (!at) return all;
  std::vector<double> rates(n);
  for (std::size_t k = 0; k < gauss_points.size(); ++k) {
    at(from + gauss_points[k].node * (to - from), rates);
    for (std::size_t v = 0; v < n; ++v) all[v] += gauss_points[k].weight * rates[v];
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
  // Newton on a function that is convex and rises: from above it goes down to the root without overshoot.
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

double Infiltration::taken_of_rain(double rain, double infiltrated, double time) const {
  const double fallen = rain * time;
  if (law != Law::green_ampt) return taken(fallen, infiltrated, time);
  if (rain <= rate) return fallen;
  const double before_pond = std::max(0.0, rate * suction / (rain - rate) - infiltrated);
  if (fallen <= before_pond) return fallen;
  return std::min(fallen, before_pond + taken(fallen, infiltrated + before_pond, time - before_pond / rain));
}

Infiltration::Share Infiltration::share(double rain, double infiltrated, double time) const {
  const double most = taken(std::numeric_limits<double>::infinity(), infiltrated, time);
  const double of_rain = taken_of_rain(rain, infiltrated, time);
  return {of_rain, std::max(0.0, most - of_rain)};
}

}  // namespace cotangent::overland
