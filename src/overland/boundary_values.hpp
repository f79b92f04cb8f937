// SPDX-License-Identifier: BSD-3-Clause
// What the boundaries hold or let in at the vertices, at the times that a scheme's stages ask for. A vertex
// between two boundaries of given depth has the mean of theirs; what comes in is shared by the ends of a
// side.
#pragma once

#include <vector>

#include "overland/water.hpp"

namespace cotangent::overland {

class BoundaryValues {
 public:
  /// Collective.
  explicit BoundaryValues(const Landscape& landscape);
  /// Depths as they are at `to`, inflow as it is on average from one time to the other. Collective.
  void set(double from, double to);

  /// Vertices whose depth is given, ghosts included, as below.
  const std::vector<char>& held() const { return held_; }
  /// That depth; 0 elsewhere.
  const std::vector<double>& depth() const { return depth_; }
  /// The volume a time that comes in over the boundary.
  const std::vector<double>& inflow() const { return inflow_; }

 private:
  const Landscape& land_;
  Halo halo_;
  std::vector<char> held_;
  std::vector<double> depth_, inflow_, sharers_;
  bool varies_ = false, known_ = false;
};

}  // namespace cotangent::overland
