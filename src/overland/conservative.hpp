// SPDX-License-Identifier: BSD-3-Clause
// Finite volumes on the dual cells of the vertices, which keep every drop and no depth below 0.
//
// The fluxes (edge_fluxes.hpp) vanish between equal levels and out of dry cells. In time, backward Euler, or
// SDIRK2 (Alexander 1977: L-stable, order 2).
//
// Newton's method is for (h, s) together, s eliminated cell by cell. In the end depths are what the fluxes
// make of them: volumes agree to rounding whatever the tolerance, and outflow is shared out where a cell has
// not enough. Limits: fronts spread one cell a step or more, at first order.
#pragma once

#include "la/reused_solver.hpp"
#include "overland/boundary_values.hpp"
#include "overland/edge_fluxes.hpp"

namespace cotangent::overland {

class Conservative : public Scheme {
 public:
  Conservative(const Landscape& landscape, int stages, const SolverOptions& options);
  Outcome step(Water& water, double dt, const std::vector<double>& rain) override;
  void forget() override { solver_.forget(); }
  double discharge_integral(const Water& water) const override;

 private:
  bool solve(const std::vector<double>& base, double tau, std::vector<double>& depth, Outcome& outcome);
  void assemble(const std::vector<double>& base, double tau, const std::vector<double>& depth);
  /// The volume that the defect leaves out of the balance. Collective.
  double missing() const;
  std::vector<double> moved(const std::vector<double>& base, double tau, std::vector<double>& through,
                            std::vector<double>& out);
  /// What of a step to `depth` came and went, and how far off it is, by the first stage where there are two.
  /// Collective.
  void account(const Water& water, double dt, const std::vector<double>& rain,
               const std::vector<double>& rate, const std::vector<double>& first,
               const std::vector<double>& depth, const std::vector<double>& from_within,
               Outcome& outcome) const;
  void show_discharge(Water& water);

  const Landscape& land_;
  int stages_;
  SolverOptions options_;
  EdgeFluxes fluxes_;
  const std::vector<EdgeFluxes::Outlet>& outlets_;
  BoundaryValues boundary_;
  const std::vector<char>& held_;  // vertices whose depth is given
  mutable Halo halo_, halo2_;
  la::Matrix jacobian_;
  la::Vector residual_, change_;
  std::vector<double> defect_, entries_;
  la::ReusedSolver solver_;
};

}  // namespace cotangent::overland
