// SPDX-License-Identifier: BSD-3-Clause
// A problem and the trajectories that it lets fly, behind one coarse virtual boundary: everything numeric
// below is compiled for the model and the lanes; everything above (decks, ranks, files) knows none of them by
// name.
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
#include "geometry/level.hpp"
#include "integrators/method.hpp"

namespace cotangent::sections {

/// What a section is: s(q, v) = 0, passed in the direction of `direction` (+1 up, -1 down, 0 both).
struct Section {
  int coordinate = -1;  ///< s = q_coordinate - value; modulo 2 pi where it is an angle
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
};

/// What shall be watched and recorded along trajectories.
struct Observation {
  std::optional<Section> section;
  StopRule stop;
  double sample_every = 0.0;  ///< 0: no samples; else at t = 0, dt, 2 dt ... up to the time limit
};

/// Where a trajectory starts, at t = 0.
struct Start {
  std::int64_t id = -1;
  std::vector<double> q, v, parameters;
};

/// Rows along a trajectory, one thing in all rows after the other, as a result file has them. Crossings of a
/// section have their times and states (q, then v); samples times, q, v, energies and multipliers; collisions
/// times, q, v afterwards, walls and, where asked for, Birkhoff's coordinates.
struct Rows {
  std::vector<double> time, state, q, v, energy, multiplier, arc, tangential;
  std::vector<std::int32_t> wall;

  std::size_t count() const { return time.size(); }
  /// Forgets the rows and keeps their memory.
  void clear() {
    for (auto* numbers : {&time, &state, &q, &v, &energy, &multiplier, &arc, &tangential}) numbers->clear();
    wall.clear();
  }
  bool operator==(const Rows&) const = default;
};

/// What a trajectory leaves behind. Whoever reads `crossings` and `samples` may clear them, the counts go on.
struct TrajectoryRecord {
  std::int64_t id = -1;
  Status status = Status::pending;
  Rows crossings, samples;
  std::int64_t crossing_count = 0, sample_count = 0, grazing_count = 0, steps = 0;
  double energy = 0.0, energy_error = 0.0;  ///< at the start; the largest |E - E0| over all steps
  double constraint_error = 0.0;            ///< the largest |g| / |grad g|, |r| / |dr/dv| over all steps
  double t = 0.0;
  std::vector<double> tallies;  ///< what else is counted over the whole trajectory
  std::vector<double> q, v;     ///< the last good state

  /// Makes the record that of a new trajectory, or of none; the rows keep their memory.
  void begin(const Start& start) {
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

struct CoordinateInfo {
  std::string name, unit;
  bool angle = false;
};
struct ParameterInfo {
  std::string name;
  double value = 0.0;
  std::string meaning, unit;
};

/// A model, ready to use.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual std::string name() const = 0;
  virtual std::string about() const = 0;
  virtual std::vector<CoordinateInfo> coordinates() const = 0;
  virtual std::vector<ParameterInfo> parameters() const = 0;
  int dim() const { return static_cast<int>(coordinates().size()); }

  using Values = std::span<const double>;
  virtual double energy(Values q, Values v, Values parameters) const = 0;
  virtual std::vector<double> momentum(Values q, Values v, Values parameters) const = 0;
  /// d2L / dv dv, row-major.
  virtual std::vector<double> mass_matrix(Values q, Values v, Values parameters) const = 0;
  /// U = -L(q, 0) with gradient and Hessian (row-major).
  struct Potential {
    double value;
    std::vector<double> gradient, hessian;
  };
  virtual Potential potential(Values q, Values parameters) const = 0;
  /// How many constraints hold the coordinates on a manifold; 0: none.
  virtual int constraints() const { return 0; }
  /// How many conditions of rolling, linear in the velocities, hold the motion besides; 0: none.
  virtual int rolling() const { return 0; }
  int multipliers() const { return constraints() + rolling(); }
  /// The names of the methods that suit the problem.
  virtual std::vector<std::string> methods() const { return {}; }
  /// What is wrong with parameters for which the problem makes no sense.
  virtual std::optional<std::string> objection(Values) const { return std::nullopt; }
  /// How far off its manifold a state (q, v) with its parameters is.
  struct Distance {
    double position = 0.0;  ///< the largest |g| / |grad g|, a length; NaN where a gradient vanishes
    double velocity = 0.0;  ///< the largest |v . grad g| / |grad g| or |r| / |dr/dv|, a speed
  };
  virtual Distance off_manifold(Values, Values, Values) const { return {}; }
  /// Moves a state (q, v) with its parameters onto the manifold, a coordinate aside (or -1), and its velocity
  /// to where no constraint forbids it. False where that doesn't succeed.
  virtual bool project(std::span<double>, std::span<double>, Values, int) const { return true; }
  /// g and its gradient at q, given parameters, where the problem is that of a particle on a surface: three
  /// coordinates, one constraint.
  virtual geometry::LevelPoint level(const geometry::SpacePoint&, Values) const { return {}; }
  /// There the second derivative of g(q + s v) by s.
  virtual double curvature(const geometry::SpacePoint&, const geometry::SpacePoint&, Values) const {
    return 0;
  }
  bool on_surface() const;
  virtual bool has_domain() const = 0;
  virtual double domain(Values q, Values parameters) const = 0;
  virtual bool time_dependent() const = 0;
  /// Whether starts lie inside the domain, and what of their velocities nobody names is zero.
  virtual bool starts_inside() const { return false; }

  /// How many trajectories fly side by side at best.
  virtual int lanes() const = 0;
  /// Throws an Error for a method of another name or options that it doesn't take.
  virtual std::unique_ptr<TrajectoryBatch> fly(const integrators::MethodOptions& method,
                                               const Observation& watch, int lanes) const = 0;

  /// The names that expressions may use, in the order of `variables`: coordinates, velocities q_dot, momenta
  /// p_q, parameters.
  std::vector<std::string> variable_names() const;
  std::vector<double> variables(Values q, Values v, Values parameters) const;
};

/// The built-in models, in the order of their list.
std::vector<std::unique_ptr<Problem>> built_in_problems();

}  // namespace cotangent::sections
