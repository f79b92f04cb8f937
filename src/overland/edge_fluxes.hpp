// SPDX-License-Identifier: BSD-3-Clause
// Fluxes of the finite volumes on the dual cells of the vertices: in each triangle, along each edge from i to
// j,
//   F = w c m(h_i, h_j)^a t,   t = s . (x_j - x_i),   w = cot/2 of the angle opposite,
// s the root slope (friction.hpp) of the water surface, which is linear there. So t has the sign of H_i - H_j
// and F = 0 between equal levels: a lake at rest stays, shoreline included. The depth m at the face is
// (1 - u) h_up + u h_down with u = min(1/2, h_up / (3 |H_i - H_j|)): the mean, of second order, where levels
// differ less than depths, and as much upwind as dF/dh_down <= 0 needs where not (a cell Peclet number, as of
// Scharfetter, Gummel 1969); it vanishes with h_up, so nothing leaves a dry cell. An edge with w < 0 takes
// the smaller depth. Derivatives by the depths have s eliminated, as Newton's method for (h, s) together has
// it.
#pragma once

#include "overland/water.hpp"

namespace cotangent::overland {

class EdgeFluxes {
 public:
  /// What leaves a vertex through a face, as it depends on the depths of its cell.
  struct Flux {
    double value = 0;
    std::array<double, 3> slope{};  ///< by the depths, s eliminated
  };
  /// A side where water leaves freely.
  struct Outlet {
    std::array<int, 2> ends;
    int cell;
    Point normal;  ///< outward, as long as half the side
  };

  /// Of the landscape, which outlives it.
  explicit EdgeFluxes(const Landscape& landscape);
  const std::vector<Outlet>& outlets() const { return outlets_; }
  double area(std::size_t cell) const { return cells_[cell].area; }
  /// -grad of the surface in a cell; of the water's own, banks above it left out.
  Point slope(std::size_t cell, const std::vector<double>& depth, bool of_water = false) const;

  /// Takes s of every cell from these depths.
  void begin(const std::vector<double>& depth);
  /// How s of a cell goes on from here with the depths: before edge() and outlet().
  void linearise(std::size_t cell, const std::vector<double>& depth) { roots_[cell] = root(cell, depth); }
  /// Takes s where Newton's correction leads, given what it has changed of the depths.
  void follow(const std::vector<double>& change);

  /// Along the edge opposite the cell's vertex k, from its vertex k + 1 to k + 2.
  Flux edge(std::size_t cell, std::size_t k, const std::vector<double>& depth) const;
  /// Out of the land, at an outlet's end 0 or 1.
  Flux outlet(std::size_t outlet, std::size_t end, const std::vector<double>& depth) const;
  /// Of all edges, three a cell, and of all outlets, two each.
  void values(const std::vector<double>& depth, std::vector<double>& through, std::vector<double>& out) const;

 private:
  struct Cell {
    std::array<Point, 3> gradient, edge;  // edge k goes from vertex k + 1 to vertex k + 2
    std::array<double, 3> weight, conveyance;
    double area;
  };
  /// A cell's root slope as it depends on its depths: s + correction + sum_k by_depth[k] dh_k.
  struct Root {
    Point correction{};
    std::array<Point, 3> by_depth{};
  };
  Root root(std::size_t cell, const std::vector<double>& depth) const;

  const Landscape& land_;
  std::vector<Cell> cells_;
  std::vector<Outlet> outlets_;
  std::vector<Point> root_;  // s of each cell
  std::vector<Root> roots_;
};

}  // namespace cotangent::overland
