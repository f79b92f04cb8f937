// The rows of a result of study = "mechanism": each rank writes those of its points, rods and holds.
#pragma once

#include "io/result_file.hpp"
#include "studies/mechanism_plan.hpp"

namespace cotangent::studies {

template <int D>
class MechanismRows {
 public:
  /// All outlive it.
  MechanismRows(const MechanismPlan& plan, const particles::RodSystem<D>& rods,
                const particles::RodBlock<D>& block);

  std::vector<io::DataSetSpec> data_sets() const;
  /// Rods that join two points, on all ranks.
  std::int64_t rod_count() const { return rod_count_; }

  /// What belongs to all ranks and doesn't change. Not collective, as all that follows.
  void write_start(io::ResultFile& result) const;
  /// What is known at a time, of all points together: kinetic, potential and total energy; that of pairs.
  struct Scalars {
    double time, energy[3], pair_energy, error;
  };
  /// A row: this rank's points and multipliers, and on rank 0 the scalars.
  void write(io::ResultFile& result, std::int64_t row, const Scalars& scalars,
             const std::vector<double>& multipliers) const;
  /// NaN in a row that isn't reached.
  void write_nothing(io::ResultFile& result, std::int64_t row) const;

 private:
  void write_points(io::ResultFile& result, std::int64_t row) const;
  void write_multipliers(io::ResultFile& result, std::int64_t row, const std::vector<double>& values) const;

  const MechanismPlan& plan_;
  const particles::RodSystem<D>& rods_;
  const particles::RodBlock<D>& block_;
  std::int64_t rod_count_ = 0, first_rod_ = 0;  // without holds: of all ranks; before this one's
};

extern template class MechanismRows<2>;
extern template class MechanismRows<3>;

}  // namespace cotangent::studies
