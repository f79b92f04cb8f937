// SPDX-License-Identifier: BSD-3-Clause
// Trajectories in flight: where they start, what is watched along them, what they leave behind, and the one
// coarse virtual boundary: everything numeric below it is compiled for the model and the lanes; everything
// above (decks, ranks, files) knows none of them by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "expressions/expression.hpp"
#include "integrators/options.hpp"
#include "sections/growth.hpp"
#include "sections/ticks.hpp"

namespace cotangent::sections {

/// The times of a stroboscopic section, t = phase modulo every; both are functions of the parameters alone.
struct Strobe {
  expressions::Expression every, phase;

  Ticks ticks(std::span<const double> parameters) const {
    return {every.evaluate(parameters), phase.evaluate(parameters)};
  }
};

/// What a section is: s(q, v) = 0, passed in the direction of `direction` (+1 up, -1 down, 0 both); or the
/// times of a strobe, t > 0.
struct Section {
  std::optional<Strobe> strobe;  ///< where it is given, of the rest only the condition matters
  int coordinate = -1;           ///< s = q_coordinate - value; modulo 2 pi where it is an angle
  std::optional<expressions::Expression> expression;  ///< s = expression - value, where coordinate is -1
  double value = 0.0;
  int direction = 1;
  std::optional<expressions::Condition> condition;  ///< kept only where this holds
};

/// When a trajectory ends.
struct StopRule {
  std::int64_t crossings = 0;  ///< 0: no limit
  double time = std::numeric_limits<double>::infinity();
  std::int64_t patience = 2'000'000;  ///< steps without a crossing before a trajectory is given up
  bool decided = false;               ///< it ends too where its growth is decided
};

/// What shall be watched and recorded along trajectories.
struct Observation {
  std::optional<Section> section;
  StopRule stop;
  double sample_every = 0.0;  ///< 0: no samples; else at t = 0, dt, 2 dt ... up to the time limit
  /// Of small deviations, by a method that has a tangent map; the tallies then are the watch's results.
  std::shared_ptr<const GrowthRule> growth;
};

/// Where a trajectory starts, at t = 0.
struct Start {
  std::int64_t id = -1;
  std::vector<double> q, v, parameters;
};

/// Rows along a trajectory, one thing in all rows after the other, as a result file has them. Crossings of a
/// section have their times and states (q, then v); samples times, q, v, energies and multipliers; collisions
/// times, q, v afterwards, walls and, where asked for, Birkhoff's coordinates.
struct TrajectoryRows {
  std::vector<double> time, state, q, v, energy, multiplier, arc, tangential;
  std::vector<std::int32_t> wall;

  std::size_t count() const { return time.size(); }
  /// Forgets the rows and keeps their memory.
  void clear() {
    for (auto* numbers : {&time, &state, &q, &v, &energy, &multiplier, &arc, &tangential}) numbers->clear();
    wall.clear();
  }
  bool operator==(const TrajectoryRows&) const = default;
};

/// What a trajectory leaves behind. Whoever reads `crossings` and `samples` may clear them, the counts go on.
struct TrajectoryRecord {
  std::int64_t id = -1;
  Status status = Status::pending;
  TrajectoryRows crossings, samples;
  std::int64_t crossing_count = 0, sample_count = 0, grazing_count = 0, steps = 0;
  double energy = 0.0, energy_error = 0.0;  ///< at the start; the largest |E - E0 - work| over all steps
  double constraint_error = 0.0;            ///< the largest |g| / |grad g|, |r| / |dr/dv| over all steps
  double t = 0.0;
  std::vector<double> tallies;  ///< what else is counted over the whole trajectory
  std::vector<double> q, v;     ///< the last good state

  /// Makes the record that of a new trajectory, or of none; the rows keep their memory.
  void begin(const Start& start);
  /// Adds a row, and counts it.
  void add_crossing(double time, std::span<const double> q, std::span<const double> v);
  void add_sample(double time, std::span<const double> q, std::span<const double> v, double energy,
                  std::span<const double> multipliers);
};

/// Trajectories under way in the lanes of one rank.
class TrajectoryBatch {
 public:
  virtual ~TrajectoryBatch() = default;
  virtual int lanes() const { return 1; }
  /// Puts a new trajectory into a lane that is free.
  virtual void load(int lane, const Start& start) = 0;
  /// Lets all loaded lanes fly for at most this many steps each; returns sooner when one lands.
  virtual void advance(std::int64_t steps) = 0;
  virtual bool free(int lane) const = 0;
  /// The lane's record; status pending while it flies.
  virtual TrajectoryRecord& flown(int lane) = 0;
  /// Frees a lane that has landed.
  virtual void release(int lane) = 0;

  /// Everything that the rest of a lane's trajectory depends on, so that it goes on to the same bits.
  virtual std::size_t state_size() const = 0;
  virtual void save(int lane, std::span<double> state) const = 0;
  virtual void restore(int lane, const Start& start, std::span<const double> state) = 0;
};

/// Who lets trajectories fly.
class Flights {
 public:
  virtual ~Flights() = default;
  /// The names of the methods that suit the motion; none: it takes no method.
  virtual std::vector<std::string> methods() const { return {}; }
  /// How many trajectories fly side by side at best.
  virtual int lanes() const = 0;
  /// Throws an Error for a method of another name or options that it doesn't take.
  virtual std::unique_ptr<TrajectoryBatch> fly(const integrators::MethodOptions& method,
                                               const Observation& watch, int lanes) const = 0;
};

}  // namespace cotangent::sections
