// SPDX-License-Identifier: BSD-3-Clause
// The flights of a work-precision study: every method with every step or tolerance, on every start, in groups
// that fill the lanes. Seconds are CPU time of the thread, the least of several flights without samples;
// energies come from a flight with samples before them. What a flight shows depends on method and start
// alone, not on rank or lane. A rank keeps what its own flights have shown; all know the ids of the starts,
// eight bytes each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/mpi.hpp"
#include "parallel/task_sharing.hpp"
#include "run/state.hpp"
#include "studies/ensemble/work_precision/deck.hpp"
#include "studies/program/carried_tasks.hpp"

namespace cotangent::studies {

/// The columns of a row of ShownRows, which is what one trajectory has shown; from `state` on its final
/// state, q then v.
struct Row {
  enum : std::size_t { arrived, failed, steps, energy_error, constraint_error, drift, state };
};

/// [settings, count, width], row-major: for each setting the rows of this rank's equal share of the starts.
struct ShownRows {
  std::int64_t first = 0, count = 0;  ///< starts
  std::size_t width = 0;
  std::vector<double> rows;

  /// `width` numbers, with the columns of Row.
  const double* row(std::size_t setting, std::int64_t start) const {
    return rows.data() +
           (setting * static_cast<std::size_t>(count) + static_cast<std::size_t>(start)) * width;
  }
};

class Flights {
 public:
  explicit Flights(const Comparison& comparison);

  /// Collective.
  void begin() { sharing_.emplace(tasks()); }
  /// What a checkpoint holds: the groups that have flown. Collective.
  void state(run::StateFields& state);
  /// So many steps of all lanes, of what this rank flies now.
  void advance(std::int64_t steps);
  bool ended() const { return sharing_->exhausted() && !flight_; }
  /// How many groups, of all settings, have been taken; and how many there are.
  std::int64_t taken() const { return sharing_->taken(); }
  std::int64_t tasks() const { return static_cast<std::int64_t>(c_.settings.size() * groups_); }
  /// How long all takes, by the pace of a few hundredths of a second of each setting.
  double estimate() const;
  /// What a rank keeps: its flights' rows, and at the end those of its starts.
  std::int64_t rank_bytes() const {
    const auto rows = static_cast<std::int64_t>(c_.settings.size() * c_.starts.size() * width_);
    return 3 * 8 * rows / parallel::size() + 8 * static_cast<std::int64_t>(c_.starts.size());
  }

  /// What all flights have shown of this rank's share of the starts. Collective.
  ShownRows shown() const;
  /// For one flight of all starts, by setting. Collective.
  std::vector<double> seconds() const;

 private:
  bool take();
  std::unique_ptr<sections::TrajectoryBatch> flight(std::size_t setting, bool sampled) const;
  std::vector<sections::Start> starts_of(std::size_t group) const;
  void load();
  void land();

  const Comparison& c_;
  const std::size_t dim_, width_, lanes_, groups_;
  std::optional<parallel::TaskSharing> sharing_;
  CarriedTasks earlier_;            // what earlier starts have flown
  std::vector<CarriedTask> flown_;  // on this rank: seconds, then a row for each lane

  // What flies: first with samples, then without until enough time is spent.
  std::unique_ptr<sections::TrajectoryBatch> flight_;
  std::vector<sections::Start> starts_;
  CarriedTask under_way_;
  std::size_t setting_ = 0;
  bool sampled_ = true;
  double once_ = 0, spent_ = 0, least_ = 0;  // CPU seconds
};

}  // namespace cotangent::studies
