// SPDX-License-Identifier: BSD-3-Clause
// How deviations of trajectories grow, told step by step to who judges it (chaos) and knows neither model nor
// method. D_n, an orthonormal frame of k deviations, becomes M D_n = D_(n+1) F over a step, F upper
// triangular: with M the step's tangent map, the product of all F is what the first frame has become.
// Reference: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980) 9 and 21.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace cotangent::sections {

/// Follows the growth in all lanes of a batch. A lane's results are those of its own trajectory.
class GrowthWatch {
 public:
  virtual ~GrowthWatch() = default;
  /// A new trajectory in this lane, at t = 0.
  virtual void begin(int lane) = 0;
  /// A step, of the lanes where `taken` is 1 (0 elsewhere), from `time` on; F as rows of its upper triangle,
  /// one after the other. Each number is that of all lanes: as many doubles, as aligned as a pack of lanes.
  virtual void grow(const double* taken, const double* time, const double* step, const double* factor) = 0;
  /// Whether a lane's trajectory needn't go on: its growth up to now says what it is.
  virtual bool decided(int lane) const = 0;
  /// Appends what became of a lane's trajectory.
  virtual void finish(int lane, std::vector<double>& tallies) const = 0;

  virtual std::size_t state_size() const = 0;
  virtual void save(int lane, double* state) const = 0;
  virtual void restore(int lane, const double* state) = 0;
};

/// What is watched: so many deviations of each trajectory, by a watch for so many lanes.
struct GrowthRule {
  int deviations = 0;
  std::function<std::unique_ptr<GrowthWatch>(int lanes)> watch;
};

}  // namespace cotangent::sections
