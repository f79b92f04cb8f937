// SPDX-License-Identifier: BSD-3-Clause
// The mixed form of Shapero: depth h piecewise linear, discharge q piecewise linear with a cubic bubble in
// each cell (MINI: Arnold, Brezzi, Fortin 1984), backward Euler, depths held above 0 by a variational
// inequality:
//   F_h = int ((h - h_n) / dt + div q - r) phi,   F_q = int (k |q| q + g h^3 grad(b + h)) . v,
// or |q|^(1/p - 1) q and h^(a/p) of another law of friction. |q| is rounded off at epsilon in the Jacobian
// alone. SNES vinewtonrsls solves for h and q at the vertices; the bubble of a cell solves its own two
// equations, by Newton's method within the residual, and is eliminated from the Jacobian. F >= 0 where h = 0:
// there dt F_h is water that the bound has made, which the ledger names `clipped`.
//
// The storage term is lumped on the vertices, or consistent as in Shapero's, which hands part of a wet
// vertex's rise to dry neighbours: their clipping then makes water at each front. Boundaries: q = 0 where
// closed, also at its ends; a given discharge comes in beside the wall; where free or of given depth q is
// what it is. On one rank an LU serves whichever depths are held, as long as GMRES needs few iterations with
// it. Reference: D. Shapero, "Overland Flow" (shapero.xyz, 2022).
#pragma once

#include <optional>

#include "la/active_set_matrix.hpp"
#include "la/handles.hpp"
#include "overland/boundary_values.hpp"
#include "overland/mini_cells.hpp"

namespace cotangent::overland {

class Mini : public Scheme {
 public:
  Mini(const Landscape& landscape, const MiniOptions& mini, const SolverOptions& options);
  Outcome step(Water& water, double dt, const std::vector<double>& rain) override;
  void forget() override;
  double discharge_integral(const Water& water) const override {
    return cells_.discharge_integral(water.discharge);
  }

  /// q on closed boundaries, two numbers a vertex: 0 but in tests.
  std::vector<double> wall_discharge;

 private:
  void find_openings();
  void make_matrix();
  void make_solver();
  void make_preconditioner();
  void residual(Vec x, Vec f);
  void jacobian(Vec x, Mat matrix);
  /// Asks of GMRES as much as the next of Newton's iterates can use.
  void aim();
  void spread(Vec x);
  /// Where the motion so far would lead in so long a time: what Newton's method starts from.
  void predict(const Water& water);
  bool solve(const Water& water, Outcome& outcome);
  /// F_h = 0 to rounding where h > 0: what the tolerance of Newton's method leaves goes into the depths, q
  /// staying.
  void close_storage();
  /// What of the step's water came and went, and how far off its end is. Collective.
  void account(const Water& water, const Water& next, Outcome& outcome) const;
  static PetscErrorCode converged_callback(SNES, PetscInt iteration, double size, double change, double norm,
                                           SNESConvergedReason* reason, void* self);
  static PetscErrorCode factorise_callback(PC preconditioner);
  static PetscErrorCode apply_callback(PC preconditioner, Vec b, Vec x);
  static PetscErrorCode residual_callback(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode jacobian_callback(SNES, Vec x, Mat, Mat matrix, void* self);

  const Landscape& land_;
  MiniOptions mini_;
  SolverOptions options_;
  MiniCells cells_;
  BoundaryValues boundary_;
  std::vector<double> area_;       // of each cell
  std::vector<char> wall_;         // vertices where q = 0
  const std::vector<char>& held_;  // and where h is given
  struct Opening {
    std::array<int, 2> ends;
    Point normal;  // outward, as long as half the side
  };
  std::vector<Opening> openings_;
  Halo halo_, halo3_;
  std::vector<double> z_, f_, entries_, start_, before_, rain_;
  double dt_ = 0, made_for_ = 0;  // of this step; of the last one that was solved
  la::Vector x_, residual_, lower_, upper_;
  la::Matrix matrix_;
  la::NonlinearSolver solver_;
  std::optional<la::ActiveSetMatrix> held_matrix_;  // in its place, where solved directly on one rank
  double target_ = 0, last_norm_ = 0;               // of Newton's method; of its last iterate
  double bearable_ = 0;                             // what may be left where it creeps
  double first_ = 0, tested_ = 0;                   // what was, at first and when last tested
  bool known_ = false;                              // f_ is F at z_
  bool made_ = false, worth_keeping_ = false, patient_ = true, may_keep_ = false;
};

}  // namespace cotangent::overland
