// SPDX-License-Identifier: BSD-3-Clause
// The multipliers of constraints by PETSc, for all systems of a batch at once. The Jacobian G = dg/dq of all
// constraints at one place is a sparse matrix, and so are the directions D = M^-1 G^T (times h^2/2) at
// another; Newton's method (SNES) and the velocities (KSP) have the matrix G D, which PETSc multiplies out.
// Options begin with -multipliers_ (snes_monitor, ksp_type, pc_type ...); without any, Newton's steps are
// whole and G D, a block on its diagonal for each system, is inverted block by block: exactly. It goes as h^2
// over the mass, and PETSc compares pivots with numbers of order 1: KSP scales its diagonal to 1 before
// (-multipliers_ksp_diagonal_scale).
// A batch of particles is spread over all ranks (MPIAIJ), whose every step is collective anyway; trajectories
// advance on each rank by itself, as many steps as they need, so that each rank has matrices of its own
// (SeqAIJ). Limits: what it gives agrees with the lanes to round-off, and isn't the same to the bit on other
// numbers of ranks where an option couples systems (Krylov methods, norms in line searches).
#pragma once

#include <cstdint>
#include <memory>

#include "integrators/multipliers.hpp"

namespace cotangent::particles {

class SparseMultipliers final : public integrators::MultiplierSolver {
 public:
  enum class Batch { of_all_ranks, of_one_rank };

  /// PETSc must be active. Of all ranks: everything here is collective.
  explicit SparseMultipliers(Batch batch);
  ~SparseMultipliers() override;

  void solve(integrators::ManifoldEquations& equations) override;
  bool solve(const integrators::BatchShape& shape, const double* gradients, const double* directions,
             double* b) override;

  /// Solves an equation of no meaning: every solver has then asked for its options.
  void rehearse();

  /// What has been done, and how many of Newton's searches PETSc gave up.
  struct Effort {
    std::int64_t newton_solves = 0, newton_iterations = 0, linear_solves = 0, given_up = 0;
  };
  const Effort& effort() const;
  bool of_all_ranks() const;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> matrices_;
};

}  // namespace cotangent::particles
