// SPDX-License-Identifier: BSD-3-Clause
// What holds a motion back: constraints that keep its coordinates on a manifold, and conditions of rolling.
#pragma once

#include "sections/statement.hpp"

namespace cotangent::sections {

class Manifold {
 public:
  virtual ~Manifold() = default;
  /// How many constraints hold the coordinates on a manifold; 0: none.
  virtual int constraints() const { return 0; }
  /// How many conditions of rolling, linear in the velocities, hold the motion besides; 0: none.
  virtual int rolling() const { return 0; }
  int multipliers() const { return constraints() + rolling(); }

  /// What the problem's motion is, as it decides which methods suit it: "is constrained".
  virtual std::string motion() const { return "isn't constrained"; }
  /// Whether its momenta jump at times (mechanics/kick.hpp).
  virtual bool kicked() const { return false; }

  struct Distance {
    double position = 0.0;  ///< the largest |g| / |grad g|, a length; NaN where a gradient vanishes
    double velocity = 0.0;  ///< the largest |v . grad g + g_t| / |grad g| or |r| / |dr/dv|, a speed
  };
  /// How far off its manifold a state (q, v) with its parameters is.
  virtual Distance off_manifold(Values, Values, Values) const { return {}; }
  /// Moves a state (q, v) with its parameters onto the manifold, a coordinate aside (or -1), and its velocity
  /// to where no constraint forbids it. False where that doesn't succeed.
  virtual bool project(std::span<double>, std::span<double>, Values, int) const { return true; }
};

}  // namespace cotangent::sections
