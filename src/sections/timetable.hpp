// SPDX-License-Identifier: BSD-3-Clause
// What comes at times along the trajectories of a pack, whatever their motion: samples, strobes of a section,
// kicks, the end.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "integrators/any_system.hpp"
#include "sections/flight.hpp"

namespace cotangent::sections {

/// What falls into a step.
struct DueInStep {
  std::int64_t first_sample = 0, sample_end = 0;  ///< the samples k
  std::int64_t first_strobe = 0, strobe_end = 0;  ///< and the ticks of the trajectory's strobe
  Ticks strobe{};
};

template <class R>
class Timetable {
  static constexpr int W = numerics::width_of<R>;

 public:
  explicit Timetable(const Observation& watch) : watch_(watch) {}

  /// A lane's trajectory, with the parameters that the system has there, has come to a time and has so many
  /// samples.
  template <int N>
  void begin(const integrators::AnySystem<R, N>& system, int lane, double t, std::int64_t samples) {
    if (watch_.section && watch_.section->strobe) {
      std::vector<double> parameters;
      for (const R& parameter : system.parameters()) parameters.push_back(numerics::lane(parameter, lane));
      strobe_[lane] = watch_.section->strobe->ticks(parameters);
      next_strobe_[lane] = strobe_[lane].after(t);
    }
    if (system.kind().kicked) {
      kicks_[lane] = Ticks(numerics::lane(system.kick_every(), lane), 0.0);
      plan_kick(lane, t);
    }
    double closest = watch_.sample_every > 0 ? watch_.sample_every : never;
    if (strobe_[lane].every() > 0) closest = std::min(closest, strobe_[lane].every());
    numerics::set_lane(longest_step_, lane, most_in_step * closest);
    plan_sample(lane, samples);
    plan_next(lane);
  }

  /// Lanes in whose steps from a time to another no more samples and strobes are due than can be listed.
  /// After the end none are.
  numerics::mask_of<R> can_list(const R& from, const R& until) const {
    return numerics::lesser(until, R(watch_.stop.time)) - from <= longest_step_;
  }
  /// The time of the next sample or strobe, or of the end, in each lane.
  const R& next() const { return next_time_; }
  const R& next_kick() const { return next_kick_time_; }
  /// After a kick at a time.
  void plan_kick(int lane, double t) {
    numerics::set_lane(next_kick_time_, lane, kicks_[lane][kicks_[lane].after(t)]);
  }

  /// What falls into a lane's step, up to its end; next() then is what comes after.
  DueInStep take(int lane, double until) {
    until = std::min(until, watch_.stop.time);
    DueInStep due;
    due.first_sample = due.sample_end = next_sample_[lane];
    while (numerics::lane(next_sample_time_, lane) <= until) plan_sample(lane, ++due.sample_end);
    due.strobe = strobe_[lane];
    due.first_strobe = next_strobe_[lane];
    while (strobe_[lane][next_strobe_[lane]] <= until) ++next_strobe_[lane];
    due.strobe_end = next_strobe_[lane];
    plan_next(lane);
    return due;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double most_in_step = 1e6;

  void plan_sample(int lane, std::int64_t k) {
    const double time = static_cast<double>(k) * watch_.sample_every;
    const bool comes = watch_.sample_every > 0 && time <= watch_.stop.time;
    next_sample_[lane] = k;
    numerics::set_lane(next_sample_time_, lane, comes ? time : never);
  }
  void plan_next(int lane) {
    const double next = std::min(numerics::lane(next_sample_time_, lane), strobe_[lane][next_strobe_[lane]]);
    numerics::set_lane(next_time_, lane, std::min(next, watch_.stop.time));
  }

  Observation watch_;
  R next_sample_time_{never}, next_time_{never}, next_kick_time_{never}, longest_step_{never};
  std::array<std::int64_t, W> next_sample_{}, next_strobe_{};
  std::array<Ticks, W> strobe_{}, kicks_{};  ///< none where there is no such thing
};

}  // namespace cotangent::sections
