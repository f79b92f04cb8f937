// SPDX-License-Identifier: BSD-3-Clause
// The cells of the mixed scheme (mini.hpp), several at a time in SIMD lanes: their part of the residual and
// of its Jacobian, and the discharge of their bubbles, which each cell solves for by itself. Derivatives are
// by our AD, of the weak form's two nonlinear factors, |q|^(1/p - 1) q and g h^(a/p), at the quadrature
// points.
#pragma once

#include <array>
#include <functional>

#include "numerics/aligned.hpp"
#include "numerics/lanes.hpp"
#include "overland/quadrature.hpp"
#include "overland/water.hpp"

namespace cotangent::overland {

class MiniCells {
 public:
  MiniCells(const Landscape& landscape, const MiniOptions& mini);

  /// Adds all cells' part of F to f, the integral over them: three numbers a vertex, (h, qx, qy), as in the
  /// iterate z; `before` is h_n. Solves for the bubbles first.
  void residual(const std::vector<double>& z, const std::vector<double>& before,
                const std::vector<double>& rain, double dt, std::vector<double>& f);
  /// What takes a cell's derivatives: by its vertices nine blocks of 3 x 3, row by row; a block by column.
  using Sink = std::function<void(std::size_t cell, const std::array<double, 81>& derivatives)>;
  /// The derivatives of that with the bubbles eliminated, cell by cell.
  void jacobian(const std::vector<double>& z, double dt, const Sink& sink);
  /// The integral of |q| over this rank's cells.
  double discharge_integral(const std::vector<double>& discharge) const;

  /// q of the bubbles, two numbers a cell in an order of their own: kept, given back, or begun from 0.
  std::vector<double> bubbles() const;
  void set_bubbles(const std::vector<double>& bubbles);
  void forget() { set_bubbles(std::vector<double>(2 * lanes * packs_.size(), 0.0)); }

 private:
  static constexpr int lanes = 8;
  static constexpr std::size_t most_points = 16;
  using Pack = numerics::Lanes<lanes>;
  using Plane = std::array<Pack, 2>;
  struct Cells {
    std::array<std::array<int, lanes>, 3> vertex;
    int count;  // the lanes after these repeat the last cell
    std::array<Plane, 3> gradient;
    Pack area;
    Plane bed_slope;
    std::array<Pack, most_points> friction;  // k, or what stands in its place, at the points
    Plane bubble;                            // q of the bubbles
  };
  struct Local {
    std::array<Pack, 3> h;
    std::array<Plane, 3> q;
    Plane surface_slope;
  };

  /// The derivatives of the momentum's equations by what the test functions a, three linear ones and the
  /// bubble, stand for.
  struct MomentumRows {
    std::array<std::array<std::array<Pack, 3>, 4>, 4> by_discharge;  // of function b: xx, xy, yy
    std::array<std::array<Plane, 3>, 4> by_depth;                    // of vertex k
  };

  MomentumRows momentum_rows(const Cells& cells, const Local& here) const;
  /// Of all nine equations by the nine unknowns at the vertices, the bubble eliminated.
  std::array<Pack, 81> derivatives(const Cells& cells, const MomentumRows& rows, double dt) const;
  Local local(const Cells& cells, const std::vector<double>& z) const;
  template <class Values>
  Pack at(const Values& values, std::size_t point) const;
  Plane discharge(const Cells& cells, const Local& here, std::size_t point) const;
  /// h^(a/p), also of the depths below 0 that iterates without a bound meet.
  Pack mobility(const Pack& depth) const;
  void solve_bubbles(const std::vector<double>& z);
  void solve_bubble(Cells& cells, const Local& here) const;

  const Landscape& land_;
  MiniOptions mini_;
  double power_;                                            // of the depth
  std::size_t count_;                                       // of points
  std::array<std::array<double, most_points>, 4> shape_{};  // three linear functions and the bubble
  std::array<double, most_points> weight_{};
  std::array<std::array<double, most_points>, 4> once_{};                  // weight times one of them
  std::array<std::array<std::array<double, most_points>, 4>, 4> twice_{};  // weight times two
  numerics::AlignedVector<Cells> packs_;
  std::vector<double> solved_at_;  // the iterate that the bubbles are solved for
};

}  // namespace cotangent::overland
