// SPDX-License-Identifier: BSD-3-Clause
// What a lattice's result holds: whole states now and then, and numbers that belong to all sites.
#pragma once

#include <array>
#include <optional>

#include "lattice/invariants.hpp"
#include "run/evolution.hpp"
#include "studies/lattice/motion.hpp"

namespace cotangent::studies {

/// /lattice/...
std::vector<io::DataSetSpec> lattice_data_sets(const LatticePlan& plan);
/// The memory of a rank that the energies of modes take while they are worked out.
std::int64_t mode_bytes(const LatticePlan& plan);

class LatticeRecords {
 public:
  /// Of plan and motion, which outlive it. Collective.
  LatticeRecords(const LatticePlan& plan, const LatticeMotion& motion);

  /// Where the sites are.
  void enter_places(run::Records& records) const;
  /// Row `row` of the samples, with its frame where one is due: each rank its sites. Sums are the same to the
  /// bit on any number of ranks. Collective.
  void enter(run::Records& records, double time, std::int64_t row);
  /// The state in which the run ended, good also where the step after it failed, and NaN in all rows from
  /// `reached` on. Collective.
  void finish(run::Records& records, double time, std::int64_t reached);

  /// For a checkpoint.
  void visit(run::StateFields& state);
  /// Lines on what the samples have shown.
  void describe(std::vector<run::Line>& lines) const;

 private:
  void enter_frame(run::Records& records, double time, std::int64_t frame, const lattice::SiteField& q,
                   const lattice::SiteField& v) const;

  const LatticePlan& plan_;
  const LatticeMotion& motion_;
  std::optional<lattice::Invariants> invariants_;
  double start_energy_ = 0, energy_error_ = 0, exact_error_ = 0, constraint_error_ = 0;
};

}  // namespace cotangent::studies
