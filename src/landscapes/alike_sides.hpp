// SPDX-License-Identifier: BSD-3-Clause
// The plane with a unit of y in which the window's sides are alike, to a factor of two: lengths,
// directions and tolerances then say as much of one coordinate as of the other, be they micrometres and
// kilometres. The unit is a power of two, so that nothing is rounded on the way there and back.
#pragma once

#include "landscapes/landscape.hpp"

namespace cotangent::landscapes {

class AlikeSides {
 public:
  explicit AlikeSides(const Window& window);

  /// Of these coordinates.
  Window window() const;
  Potential there(const Potential& potential) const;
  PotentialFamily there(const PotentialFamily& family) const;
  Domain there(const Domain& domain) const;

  /// What was found there, in the coordinates that were given. Curvatures and slopes are taken anew.
  Landscape back(Landscape found, const Potential& given) const;
  std::vector<Bifurcation> back(std::vector<Bifurcation> found) const;

 private:
  Jet2 scaled(Jet2 jet) const;
  Point back(Point p) const { return {p[0], p[1] * unit_}; }

  Window given_;
  double unit_;
};

}  // namespace cotangent::landscapes
