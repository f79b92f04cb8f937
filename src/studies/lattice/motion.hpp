// SPDX-License-Identifier: BSD-3-Clause
// A deck's lattice in motion: the sites of this rank, their start, and the method that moves them, which
// changes where the deck leaves it to the program and the first one fails.
#pragma once

#include "lattice/method.hpp"
#include "run/evolution.hpp"
#include "studies/lattice/deck.hpp"

namespace cotangent::studies {

class LatticeMotion {
 public:
  /// The lattice at its start. The plan must outlive it; the copies of the plan's network are moved from it.
  /// Collective.
  explicit LatticeMotion(LatticePlan& plan);

  const lattice::Lattice& lattice() const { return lattice_; }
  lattice::Kernel& kernel() const { return *kernel_; }
  lattice::Method& method() const { return *method_; }

  /// One step, after so many; where the fixed point isn't found and the deck leaves the choice, by Newton's
  /// method from here on. Collective.
  Status step(std::int64_t done);
  /// The part of a failed step that was done, as a time.
  double part_of_step() const { return part_of_step_; }
  /// The method and its state, for a checkpoint. Collective.
  void visit(run::StateFields& state);
  /// Lines on the method and what it took, for so many steps in so many seconds. Collective.
  void describe(std::vector<run::Line>& lines, double steps, double seconds) const;

 private:
  enum class Way { explicit_steps, fixed_point, newton, pair };

  Way chosen() const;
  void make(lattice::SiteField q, lattice::SiteField v);

  const LatticePlan& plan_;
  lattice::Lattice lattice_;
  std::unique_ptr<lattice::Kernel> kernel_, multiplied_;  // the other where there are constraints
  std::unique_ptr<lattice::Method> method_;
  Way way_ = Way::fixed_point;
  std::int64_t switched_at_ = -1;
  double part_of_step_ = 0;
};

}  // namespace cotangent::studies
