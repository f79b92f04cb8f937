// Finite volumes on the dual cells of the vertices, which keep every drop and no depth below 0.
//
// In each triangle, along each edge from i to j: F = w c m(h_i, h_j)^a t,  t = s . (x_j - x_i),  w = cot/2 of
// the angle opposite, s the root slope (friction.hpp) of the water surface, which is linear there. So t has
// the sign of H_i - H_j and F = 0 between equal levels: a lake at rest stays, shoreline included. The depth m
// at the face is (1 - u) h_up + u h_down with u = min(1/2, h_up / (3 |H_i - H_j|)): the mean, of second
// order, where levels differ less than depths, and as much upwind as dF/dh_down <= 0 needs where not (a cell
// Peclet number, as of Scharfetter, Gummel 1969); it vanishes with h_up, so nothing leaves a dry cell. An
// edge with w < 0 takes the smaller depth. Backward Euler, or SDIRK2 (Alexander 1977: L-stable, order 2).
//
// Newton's method is for (h, s) together, s eliminated cell by cell. In the end depths are what the fluxes
// make of them: volumes agree to rounding whatever the tolerance, and outflow is shared out where a cell has
// not enough. Limits: fronts spread one cell a step or more, at first order.
#pragma once

#include "la/reused_solver.hpp"
#include "overland/boundary_values.hpp"

namespace cotangent::overland {

class Conservative : public Scheme {
 public:
  Conservative(const Landscape& landscape, int stages, const SolverOptions& options);
  Outcome step(Water& water, double dt, const std::vector<double>& rain) override;
  void forget() override { solver_.forget(); }
  double discharge_integral(const Water& water) const override;

 private:
  struct Cell {
    std::array<Point, 3> gradient, edge;  // edge k goes from vertex k + 1 to vertex k + 2
    std::array<double, 3> weight, conveyance;
    double area;
  };
  /// What leaves a vertex through a face, as it depends on the depths of its cell.
  struct Flux {
    double value = 0;
    std::array<double, 3> slope{};  // by the depths, s eliminated
  };
  /// A cell's root slope as it depends on its depths: s + correction + sum_k by_depth[k] dh_k.
  struct Root {
    Point correction{};
    std::array<Point, 3> by_depth{};
  };
  struct Outlet {
    std::array<int, 2> ends;
    int cell;
    Point normal;  // outward, as long as half the side
  };

  bool solve(const std::vector<double>& base, double tau, std::vector<double>& depth, Outcome& outcome);
  void assemble(const std::vector<double>& base, double tau, const std::vector<double>& depth);
  /// -grad of the surface in a cell; of the water's own, banks above it left out.
  Point slope(std::size_t cell, const std::vector<double>& depth, bool of_water = false) const;
  Root root(std::size_t cell, const std::vector<double>& depth) const;
  Flux edge_flux(std::size_t cell, std::size_t k, const std::vector<double>& depth, const Root& root) const;
  Flux outlet_flux(const Outlet& outlet, std::size_t end, const std::vector<double>& depth,
                   const Root& root) const;
  void fluxes(const std::vector<double>& depth, std::vector<double>& through, std::vector<double>& out) const;
  std::vector<double> moved(const std::vector<double>& base, double tau, std::vector<double>& through,
                            std::vector<double>& out);
  void show_discharge(Water& water);

  const Landscape& land_;
  int stages_;
  SolverOptions options_;
  std::vector<Cell> cells_;
  std::vector<Outlet> outlets_;
  BoundaryValues boundary_;
  const std::vector<char>& held_;  // vertices whose depth is given
  std::vector<Point> root_;        // s of each cell
  std::vector<Root> roots_;
  mutable Halo halo_, halo2_;
  la::Matrix jacobian_;
  la::Vector residual_, change_;
  std::vector<double> defect_, entries_;
  la::ReusedSolver solver_;
};

}  // namespace cotangent::overland
