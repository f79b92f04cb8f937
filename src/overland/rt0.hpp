// SPDX-License-Identifier: BSD-3-Clause
// The mixed form with the H(div)-conforming pair that Shapero calls more proper: depth h constant in each
// cell, and fluxes across edges in the lowest space of Raviart and Thomas (1977); backward Euler, depths held
// above 0 by a variational inequality. The field of that space is the root slope s, |s|^(1/p - 1) s =
// -grad(b + h) (friction.hpp), which is finite where there is no water:
//   F_s = int |s|^(1/p - 1) s . v - int (b + h) div v,   F_h = |K| ((h - h_n) / dt - r) + sum over edges |e|
//   q,
// with b the cell's mean and q = c h^a s.n, h of the cell that the water leaves. So q vanishes structurally
// out of a dry cell: F_h <= 0 where h = 0, and the bound that iterates need makes no water. What the
// tolerance of Newton's method leaves goes into the depths, q staying. |s| is rounded off at epsilon in the
// Jacobian alone. Order 1. SNES vinewtonrsls solves for h of the cells and s.n of the edges. Limits: closed
// boundaries, no infiltration; a lake with a shoreline isn't kept, as dry cells above it pull at s.
// References: Raviart, Thomas, in Lect. Notes Math. 606 (1977) 292; D. Shapero, "Overland Flow" (shapero.xyz,
// 2022).
#pragma once

#include "la/handles.hpp"
#include "overland/edges.hpp"
#include "overland/water.hpp"

namespace cotangent::overland {

class Rt0 : public Scheme {
 public:
  Rt0(const Landscape& landscape, double epsilon, const SolverOptions& options);
  Outcome step(Water& water, double dt, const std::vector<double>& rain) override;
  void forget() override { la::forget_systems(solver_); }
  double discharge_integral(const Water& water) const override;

  /// s.n of edges on the boundary, n outward, given the middle of one and n: 0 but in tests.
  std::function<double(const Point&, const Point&)> wall_slope;

 private:
  /// The basis function of the edge opposite to each vertex, at the middles of the three edges.
  using Basis = std::array<std::array<Point, 3>, 3>;

  void make_matrix();
  void make_solver();
  /// What the cells on the left and on the right of each edge have; on the boundary, what the only one has.
  std::vector<double> both_sides(const std::vector<double>& of_cells);
  Point root_slope(std::size_t cell, std::size_t middle) const;
  void spread(Vec x);
  void residual(Vec x, Vec f);
  void jacobian(Vec x, Mat matrix);
  /// c h^a of the cell that the water leaves, and its derivative.
  std::array<double, 2> conveyed(std::size_t edge) const;
  /// Of the residual's terms by the deepest water. Collective.
  double size() const;
  bool solve(const Water& water, Outcome& outcome);
  void start(const Water& water);
  /// The depths that the discharges make, which are lessened where a cell hasn't so much water.
  void move(std::vector<double>& discharge);
  void account(const Water& water, const Water& next, const std::vector<double>& discharge,
               Outcome& outcome) const;
  static PetscErrorCode residual_callback(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode jacobian_callback(SNES, Vec x, Mat, Mat matrix, void* self);

  const Landscape& land_;
  double epsilon_;
  SolverOptions options_;
  Edges edges_;
  Halo of_edges_, of_sides_, of_vertices_;  ///< one, two and three numbers each
  std::vector<Basis> basis_;
  std::vector<double> area_, bed_;                          // of cells
  std::vector<double> length_, conveyance_, areas_, beds_;  // of edges; the last two on both sides
  std::vector<double> base_, rain_, depth_;                 // of cells: h_n and what has come; r; h
  std::vector<double> depths_, slope_, force_, entries_;    // of edges: h on both sides; s.n; F_s
  double dt_ = 0;
  la::Vector x_, residual_, lower_, upper_;
  la::Matrix matrix_;
  la::NonlinearSolver solver_;
};

}  // namespace cotangent::overland
