// SPDX-License-Identifier: BSD-3-Clause
// The return map of a problem as a map of the plane of one coordinate and its velocity, about a periodic
// orbit that is its fixed point: of one coordinate that is driven or kicked, from strobe to strobe; of two
// that keep their energy, from crossing to crossing of a section on the other coordinate, whose velocity
// follows from the energy. Its derivative is that of the method's own tangent map: with D that of the flight
// over the time of return T, x(z) the state on section and energy surface,
//   dz' = D dx - f' (D dx)_c / f'_c,   dx_c = 0,   dE dx = 0,
// f' the flow at the end and c the section's coordinate.
#pragma once

#include "chaos/closure.hpp"
#include "chaos/invariant_manifolds.hpp"

namespace cotangent::chaos {

class ReturnMap {
 public:
  /// Of an orbit that closes, over `times` its returns. The closure must outlive the map. Throws an Error
  /// where serves(closure) is false, or the orbit doesn't cross its section.
  ReturnMap(const Closure& closure, const ClosedOrbit& orbit, int times);
  /// Whether a problem's returns make a map of such a plane.
  static bool serves(const sections::Problem& problem, const sections::Section& section);

  /// The plane's coordinate.
  int coordinate() const { return coordinate_; }
  PlanePoint fixed_point() const { return fixed_; }
  /// The next point and the derivative; nothing where no motion has this energy, or it doesn't return. An
  /// angle goes back by the orbit's own turns.
  std::optional<PlaneImage> operator()(const PlanePoint& z) const;
  /// The coordinate's momentum; NaN where no motion has this energy.
  double momentum(const PlanePoint& z) const;

 private:
  struct Lifted {
    std::vector<double> q, v;
  };
  std::optional<Lifted> lift(const PlanePoint& z) const;
  std::optional<PlaneImage> by_strobe(const Lifted& from) const;
  std::optional<PlaneImage> by_section(const Lifted& from) const;

  Closure closure_;
  int coordinate_ = 0;  ///< of the plane
  int across_ = -1;     ///< the section's; -1: a strobe
  double side_ = 1;     ///< the sign of its velocity
  double energy_ = 0, period_ = 0, turns_ = 0;
  PlanePoint fixed_;
};

}  // namespace cotangent::chaos
