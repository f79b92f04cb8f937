// SPDX-License-Identifier: BSD-3-Clause
// The rows of a result of study = "mechanism": each rank writes those of its points, rods and holds.
#pragma once

#include <limits>

#include "core/status.hpp"
#include "rods/rattle.hpp"
#include "run/evolution.hpp"
#include "studies/mechanism/deck.hpp"

namespace cotangent::studies {

template <int D>
class MechanismRecords {
 public:
  /// All outlive it.
  MechanismRecords(const MechanismPlan& plan, rods::RodRattle<D>& rattle);

  std::vector<io::DataSetSpec> data_sets() const;
  /// Rods that join two points, on all ranks.
  std::int64_t rod_count() const { return rod_count_; }

  /// What doesn't change: each rank its own, the surface rank 0. Collective, as all that follows.
  void write_start(run::Records& records) const;
  /// Keeps the largest errors of the constraints and velocities: after each step.
  void observe();
  /// The state as a row, where the result has room for it: this rank's points and multipliers, and what all
  /// have together.
  void sample(run::Records& records, std::int64_t row);
  /// How the motion ended; after a failure the last row is the `reached`-th, and NaN stands beyond it.
  void finish(run::Records& records, Status status, std::int64_t reached) const;

  /// A checkpoint's fields: what the method remembers, and these errors.
  void visit(run::StateFields& state, rods::RodMemory& memory);
  /// Lines on what rods and samples have shown, after so many seconds of motion from step `resumed_at`.
  std::vector<run::Line> describe(Status status, std::int64_t resumed_at, double seconds) const;

 private:
  /// Points begin to end - 1 of the block, which are consecutive in the result, too.
  struct Run {
    int begin, end;
  };
  void write_points(run::Records& records, const char* path, std::int64_t row,
                    const typename rods::RodBlock<D>::PointVectors& field) const;
  void write_multipliers(run::Records& records, std::int64_t row, const std::vector<double>& values) const;
  /// Whether this rank's k-th rod joins two points, or holds one.
  bool joins(int k) const { return block_.second_end(block_.own_begin() + k) >= 0; }

  const MechanismPlan& plan_;
  rods::RodRattle<D>& rattle_;
  const rods::RodBlock<D>& block_;
  double start_energy_ = std::numeric_limits<double>::quiet_NaN();  // NaN before the first sample
  std::vector<double> worst_{0, 0, 0};          // errors of energy, constraints, velocities
  std::int64_t rod_count_ = 0, first_rod_ = 0;  // without holds: of all ranks; before this one's
  std::vector<Run> runs_;                       // of the points that this rank reports
};

extern template class MechanismRecords<2>;
extern template class MechanismRecords<3>;

}  // namespace cotangent::studies
