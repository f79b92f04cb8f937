// The rows of a result of study = "mechanism": each rank writes those of its points, rods and holds.
#pragma once

#include "run/evolution.hpp"
#include "studies/mechanism/deck.hpp"

namespace cotangent::studies {

template <int D>
class MechanismRecords {
 public:
  /// All outlive it.
  MechanismRecords(const MechanismPlan& plan, const rods::RodBlock<D>& block);

  std::vector<io::DataSetSpec> data_sets() const;
  /// Rods that join two points, on all ranks.
  std::int64_t rod_count() const { return rod_count_; }

  /// What doesn't change: each rank its own, the surface rank 0. Collective, as all that follows.
  void write_start(run::Records& records) const;
  /// What is known at a time, of all points together: kinetic, potential and total energy; that of pairs.
  struct Scalars {
    double time, energy[3], pair_energy, error;
  };
  /// A row: this rank's points and multipliers, and the scalars.
  void write(run::Records& records, std::int64_t row, const Scalars& scalars,
             const std::vector<double>& multipliers) const;
  /// NaN in all rows from this one on.
  void blank_from(run::Records& records, std::int64_t row) const;

 private:
  /// Points that follow one another, from a known place on.
  struct Run {
    int begin, end;
  };
  void write_points(run::Records& records, const char* path, std::int64_t row,
                    const typename rods::RodBlock<D>::Field& field) const;
  void write_multipliers(run::Records& records, std::int64_t row, const std::vector<double>& values) const;
  /// Whether this rank's k-th rod joins two points, or holds one.
  bool joins(int k) const { return block_.second_end(block_.own_begin() + k) >= 0; }

  const MechanismPlan& plan_;
  const rods::RodBlock<D>& block_;
  std::int64_t rod_count_ = 0, first_rod_ = 0;  // without holds: of all ranks; before this one's
  std::vector<Run> runs_;                       // of the points that this rank reports
};

extern template class MechanismRecords<2>;
extern template class MechanismRecords<3>;

}  // namespace cotangent::studies
