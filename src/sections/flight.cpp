// SPDX-License-Identifier: BSD-3-Clause
#include "sections/flight.hpp"

namespace cotangent::sections {

void TrajectoryRecord::begin(const Start& start) {
  TrajectoryRecord next;
  next.id = start.id;
  next.q = start.q;
  next.v = start.v;
  crossings.clear();
  samples.clear();
  next.crossings = std::move(crossings);
  next.samples = std::move(samples);
  *this = std::move(next);
}

void TrajectoryRecord::add_crossing(double time, std::span<const double> q, std::span<const double> v) {
  crossings.time.push_back(time);
  crossings.state.insert(crossings.state.end(), q.begin(), q.end());
  crossings.state.insert(crossings.state.end(), v.begin(), v.end());
  ++crossing_count;
}

void TrajectoryRecord::add_sample(double time, std::span<const double> q, std::span<const double> v,
                                  double energy, std::span<const double> multipliers) {
  samples.time.push_back(time);
  samples.q.insert(samples.q.end(), q.begin(), q.end());
  samples.v.insert(samples.v.end(), v.begin(), v.end());
  samples.energy.push_back(energy);
  samples.multiplier.insert(samples.multiplier.end(), multipliers.begin(), multipliers.end());
  ++sample_count;
}

}  // namespace cotangent::sections
