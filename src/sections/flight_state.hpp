// SPDX-License-Identifier: BSD-3-Clause
// How far the trajectories in the lanes of a batch have come: what a checkpoint holds of each beside its
// method's state and its deviations.
#pragma once

#include "integrators/stepper.hpp"
#include "numerics/compensated.hpp"
#include "sections/flight.hpp"

namespace cotangent::sections {

template <class R>
struct FlightState {
  integrators::Track<R> track;
  numerics::Compensated<R> work{};    ///< that driving and kicks did since the start
  R last_crossing{0.0};               ///< in steps
  numerics::mask_of<R> fresh{false};  ///< no step of it is watched yet

  /// Of a trajectory that begins.
  void begin(int lane, const TrajectoryRecord& r) {
    for (R* x : {&track.steps, &track.energy_error, &track.constraint_error_squared, &last_crossing,
                 &work.value, &work.low})
      numerics::set_lane(*x, lane, 0.0);
    numerics::set_lane(track.energy, lane, r.energy);
    numerics::set_lane(fresh, lane, true);
  }

  /// Numbers of a lane, with the work or without.
  static constexpr std::size_t size(bool works) { return works ? 11 : 9; }
  void save(int lane, const TrajectoryRecord& r, bool works, double* numbers) const {
    numbers[0] = static_cast<double>(r.crossing_count);
    numbers[1] = static_cast<double>(r.sample_count);
    numbers[2] = static_cast<double>(r.grazing_count);
    numbers[3] = numerics::lane(track.steps, lane);
    numbers[4] = numerics::lane(track.energy, lane);
    numbers[5] = numerics::lane(track.energy_error, lane);
    numbers[6] = numerics::lane(last_crossing, lane);
    numbers[7] = numerics::lane(fresh, lane) ? 1.0 : 0.0;
    numbers[8] = numerics::lane(track.constraint_error_squared, lane);
    if (!works) return;
    numbers[9] = numerics::lane(work.value, lane);
    numbers[10] = numerics::lane(work.low, lane);
  }
  void restore(int lane, const double* numbers, bool works, TrajectoryRecord& r) {
    r.crossing_count = static_cast<std::int64_t>(numbers[0]);
    r.sample_count = static_cast<std::int64_t>(numbers[1]);
    r.grazing_count = static_cast<std::int64_t>(numbers[2]);
    r.steps = static_cast<std::int64_t>(numbers[3]);
    r.energy = numbers[4];
    numerics::set_lane(track.steps, lane, numbers[3]);
    numerics::set_lane(track.energy, lane, numbers[4]);
    numerics::set_lane(track.energy_error, lane, numbers[5]);
    numerics::set_lane(last_crossing, lane, numbers[6]);
    numerics::set_lane(fresh, lane, numbers[7] != 0);
    numerics::set_lane(track.constraint_error_squared, lane, numbers[8]);
    if (!works) return;
    numerics::set_lane(work.value, lane, numbers[9]);
    numerics::set_lane(work.low, lane, numbers[10]);
  }
};

}  // namespace cotangent::sections
