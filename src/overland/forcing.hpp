// SPDX-License-Identifier: BSD-3-Clause
// What falls on the land and what the soil takes.
//   Green, Ampt (1911): f = K (1 + psi dtheta / F), F the depth soaked in so far; with ponding, in closed
//   form F - F0 - psi dtheta ln((F + psi dtheta) / (F0 + psi dtheta)) = K dt.
// Steady rain of r > K soaks in whole until F = K psi dtheta / (r - K), and as under a pond from then on
// (Mein, Larson 1973). Soil takes no more than there is, so it makes no depth negative.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "overland/time_series.hpp"

namespace cotangent::overland {

/// Rain: a rate, constant or over time, and fields one after another, each from its time on; or a field that
/// changes with time.
class Rain {
 public:
  TimeSeries rate;
  std::vector<std::pair<double, std::vector<double>>> fields;  ///< time, rates at the vertices
  /// The rates at the vertices at a time, where a formula gives them: written over what is there. Its mean is
  /// that of the Gauss-Legendre rule of four points.
  std::function<void(double, std::span<double>)> at;

  /// The mean rate at each of n vertices from one time to a later one.
  std::vector<double> mean(double from, double to, std::size_t n) const;
  bool varies() const { return at || rate.varies() || fields.size() > 1; }
};

struct Infiltration {
  enum class Law { none, constant, green_ampt };
  Law law = Law::none;
  double rate = 0;     ///< the constant rate, or the conductivity K
  double suction = 0;  ///< psi dtheta, a depth

  /// How much of a depth the soil takes in a time, after it has taken `infiltrated`.
  double taken(double depth, double infiltrated, double time) const;
  /// How much of steady rain, a rate, where no water stands.
  double taken_of_rain(double rain, double infiltrated, double time) const;
  /// That, and how much more of what stands there.
  struct Share {
    double of_rain, room;
  };
  Share share(double rain, double infiltrated, double time) const;
};

}  // namespace cotangent::overland
