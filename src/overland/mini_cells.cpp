// SPDX-License-Identifier: BSD-3-Clause
#include "overland/mini_cells.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent::overland {

namespace {

// |q| in the bubble's own derivative: it is eliminated exactly, so this must be nearly exact too.
constexpr double bubble_epsilon = 1e-8;
constexpr double bubble_integral = 9.0 / 20;  // of 27 l0 l1 l2 over a triangle of area 1

}  // namespace

MiniCells::MiniCells(const Landscape& landscape, const MiniOptions& mini)
    : land_(landscape), mini_(mini), power_(landscape.law.depth_power / landscape.law.slope_power) {
  const Quadrature rule = quadrature(mini.degree);
  count_ = rule.points.size();
  for (std::size_t p = 0; p < count_; ++p) {
    const auto& l = rule.points[p];
    for (std::size_t k = 0; k < 3; ++k) shape_[k][p] = l[k];
    shape_[3][p] = 27 * l[0] * l[1] * l[2];
    weight_[p] = rule.weights[p];
    for (std::size_t a = 0; a < 4; ++a) {
      once_[a][p] = weight_[p] * shape_[a][p];
      for (std::size_t b = 0; b < 4; ++b) twice_[a][b][p] = once_[a][p] * shape_[b][p];
    }
  }
  const Mesh& mesh = land_.mesh;
  packs_.resize((mesh.cells.size() + lanes - 1) / lanes);
  for (std::size_t n = 0; n < packs_.size(); ++n) {
    Cells& cells = packs_[n];
    cells.count = std::min(lanes, static_cast<int>(mesh.cells.size() - lanes * n));
    cells.bubble = {0.0, 0.0};
    for (int i = 0; i < lanes; ++i) {
      const std::size_t c = lanes * n + static_cast<std::size_t>(std::min(i, cells.count - 1));
      const Shape s = shape(mesh, c);
      Point slope{};
      cells.area.set(i, s.area);
      for (std::size_t k = 0; k < 3; ++k) {
        cells.vertex[k][static_cast<std::size_t>(i)] = mesh.cells[c][k];
        for (std::size_t d = 0; d < 2; ++d) {
          slope[d] += land_.bed[static_cast<std::size_t>(mesh.cells[c][k])] * s.gradient[k][d];
          cells.gradient[k][d].set(i, s.gradient[k][d]);
        }
      }
      for (std::size_t d = 0; d < 2; ++d) cells.bed_slope[d].set(i, slope[d]);
      for (std::size_t p = 0; p < count_; ++p) {
        Point x{};
        for (std::size_t k = 0; k < 3; ++k) {
          const Point& at = mesh.vertices[static_cast<std::size_t>(mesh.cells[c][k])];
          for (std::size_t d = 0; d < 2; ++d) x[d] += shape_[k][p] * at[d];
        }
        cells.friction[p].set(i,
                              land_.gravity * std::pow(land_.conveyance_at(x), -1 / land_.law.slope_power));
      }
    }
  }
}

std::vector<double> MiniCells::bubbles() const {
  std::vector<double> all;
  for (const Cells& cells : packs_) {
    for (const Pack& q : cells.bubble) {
      for (int i = 0; i < lanes; ++i) all.push_back(q[i]);
    }
  }
  return all;
}

void MiniCells::set_bubbles(const std::vector<double>& bubbles) {
  const double* next = bubbles.data();
  for (Cells& cells : packs_) {
    for (Pack& q : cells.bubble) {
      for (int i = 0; i < lanes; ++i) q.set(i, *next++);
    }
  }
  solved_at_.clear();
}

MiniCells::Local MiniCells::local(const Cells& cells, const std::vector<double>& z) const {
  Local here;
  here.surface_slope = cells.bed_slope;
  for (std::size_t k = 0; k < 3; ++k) {
    for (int i = 0; i < lanes; ++i) {
      const double* at = &z[3 * static_cast<std::size_t>(cells.vertex[k][static_cast<std::size_t>(i)])];
      here.h[k].set(i, at[0]);
      here.q[k][0].set(i, at[1]);
      here.q[k][1].set(i, at[2]);
    }
    for (std::size_t d = 0; d < 2; ++d) here.surface_slope[d] += here.h[k] * cells.gradient[k][d];
  }
  return here;
}

template <class Values>
MiniCells::Pack MiniCells::at(const Values& values, std::size_t p) const {
  return shape_[0][p] * values(0) + shape_[1][p] * values(1) + shape_[2][p] * values(2);
}

MiniCells::Plane MiniCells::discharge(const Cells& cells, const Local& here, std::size_t p) const {
  Plane q;
  for (std::size_t d = 0; d < 2; ++d)
    q[d] = at([&](std::size_t k) { return here.q[k][d]; }, p) + shape_[3][p] * cells.bubble[d];
  return q;
}

MiniCells::Pack MiniCells::mobility(const Pack& depth) const {
  if (!mini_.odd) return FrictionLaw::power(max(depth, Pack(0.0)), power_);
  const Pack size = FrictionLaw::power(abs(depth), power_);
  return select(depth < Pack(0.0), -size, size);
}

void MiniCells::solve_bubbles(const std::vector<double>& z) {
  if (z == solved_at_) return;
  for (Cells& cells : packs_) solve_bubble(cells, local(cells, z));
  solved_at_ = z;
}

void MiniCells::solve_bubble(Cells& cells, const Local& here) const {
  using Mask = numerics::Mask<lanes>;
  std::array<Plane, most_points> linear;
  Pack pushed(0.0);
  for (std::size_t p = 0; p < count_; ++p) {
    for (std::size_t d = 0; d < 2; ++d) linear[p][d] = at([&](std::size_t k) { return here.q[k][d]; }, p);
    const Pack h = at([&](std::size_t k) { return here.h[k]; }, p);
    pushed = fma(Pack(once_[3][p]), mobility(h), pushed);
  }
  const Plane load{land_.gravity * pushed * here.surface_slope[0],
                   land_.gravity * pushed * here.surface_slope[1]};
  const Pack size = abs(load[0]) + abs(load[1]);
  Mask done = size == Pack(0.0);
  for (const Plane& q : here.q) done = done & (q[0] == Pack(0.0)) & (q[1] == Pack(0.0));
  Plane& q = cells.bubble;
  for (Pack& part : q) part = select(done, Pack(0.0), part);

  // Newton's method for the gradient of a convex function; |q| rounded off where it has no second derivative.
  Pack before(std::numeric_limits<double>::infinity()), shorter(1.0);
  Plane last = q, change{Pack(0.0), Pack(0.0)};
  for (int iteration = 0; iteration < 60 && !all(done); ++iteration) {
    Plane r = load;
    std::array<Pack, 3> slope{Pack(0.0), Pack(0.0), Pack(0.0)};
    Pack sizes(0.0);
    for (std::size_t p = 0; p < count_; ++p) {
      const Plane here_q{linear[p][0] + shape_[3][p] * q[0], linear[p][1] + shape_[3][p] * q[1]};
      const auto f = friction(land_.law, cells.friction[p], here_q, 1e-12);
      const Pack one(once_[3][p]), two(twice_[3][3][p]);
      for (std::size_t d = 0; d < 2; ++d) r[d] = fma(one, f.force[d], r[d]);
      for (std::size_t k = 0; k < 3; ++k) slope[k] = fma(two, f.by_discharge[k], slope[k]);
      sizes = fma(one, abs(f.force[0]) + abs(f.force[1]), sizes);
    }
    const Pack norm = sqrt(r[0] * r[0] + r[1] * r[1]);
    // The least is of discharges of 1e-14: what thin water's bubbles leave is rough in all residuals.
    done = done | (norm <= 2e-14 * (sizes + size) + 1e-28);
    // A lane whose step made things worse takes half of it; the others go on.
    const Mask back = (norm > before) & (shorter > Pack(1e-3)) & (!done);
    const Pack determinant = slope[0] * slope[2] - slope[1] * slope[1];
    const Mask on = (!(back | done)) & (determinant > Pack(0.0));
    done = done | !(back | on);
    before = select(on, norm, before);
    shorter = select(back, 0.5 * shorter, select(on, Pack(1.0), shorter));
    const Plane newton{-(slope[2] * r[0] - slope[1] * r[1]) / determinant,
                       -(slope[0] * r[1] - slope[1] * r[0]) / determinant};
    for (std::size_t d = 0; d < 2; ++d) {
      last[d] = select(on, q[d], last[d]);
      change[d] = select(on, newton[d], change[d]);
      q[d] = select(back | on, last[d] + shorter * change[d], q[d]);
    }
    done = done | (on & (abs(change[0]) + abs(change[1]) <= 1e-15 * (abs(q[0]) + abs(q[1]))));
  }
}

void MiniCells::residual(const std::vector<double>& z, const std::vector<double>& before,
                         const std::vector<double>& rain, double dt, std::vector<double>& f) {
  solve_bubbles(z);
  for (const Cells& cells : packs_) {
    const Local here = local(cells, z);
    std::array<Plane, 3> momentum;
    momentum.fill({Pack(0.0), Pack(0.0)});
    for (std::size_t p = 0; p < count_; ++p) {
      const Plane q = discharge(cells, here, p);
      const Pack h = at([&](std::size_t k) { return here.h[k]; }, p);
      const auto drag = land_.law.drag(q[0], q[1], 0.0);
      const Pack m = land_.gravity * mobility(h);
      for (std::size_t d = 0; d < 2; ++d) {
        const Pack force = cells.friction[p] * drag[d] + m * here.surface_slope[d];
        for (std::size_t k = 0; k < 3; ++k) momentum[k][d] = fma(Pack(once_[k][p]), force, momentum[k][d]);
      }
    }
    Pack divergence(0.0);
    for (std::size_t k = 0; k < 3; ++k)
      divergence += here.q[k][0] * cells.gradient[k][0] + here.q[k][1] * cells.gradient[k][1];
    for (int i = 0; i < cells.count; ++i) {
      const double area = cells.area[i];
      double change[3], mean_change = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        change[k] =
            (here.h[k][i] - before[static_cast<std::size_t>(cells.vertex[k][static_cast<std::size_t>(i)])]) /
            dt;
        mean_change += change[k] / 4;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const auto v = static_cast<std::size_t>(cells.vertex[k][static_cast<std::size_t>(i)]);
        const double stored = mini_.lumped ? change[k] : change[k] / 4 + mean_change;
        const Plane& g = cells.gradient[k];
        f[3 * v] += area / 3 * (stored + divergence[i] - rain[v]) -
                    area * bubble_integral * (g[0][i] * cells.bubble[0][i] + g[1][i] * cells.bubble[1][i]);
        f[3 * v + 1] += area * momentum[k][0][i];
        f[3 * v + 2] += area * momentum[k][1][i];
      }
    }
  }
}

void MiniCells::jacobian(const std::vector<double>& z, double dt, const Sink& sink) {
  solve_bubbles(z);
  std::size_t cell = 0;
  for (const Cells& cells : packs_) {
    const Local here = local(cells, z);
    const std::array<Pack, 81> blocks = derivatives(cells, momentum_rows(cells, here), dt);
    for (int i = 0; i < cells.count; ++i) {
      std::array<double, 81> of_cell;
      for (std::size_t k = 0; k < of_cell.size(); ++k) of_cell[k] = blocks[k][i];
      sink(cell++, of_cell);
    }
  }
}

MiniCells::MomentumRows MiniCells::momentum_rows(const Cells& cells, const Local& here) const {
  // By the point: the form's derivatives by q and by h; `sharp` of the bubble's own equations.
  std::array<std::array<Pack, most_points>, 3> smooth, sharp;
  std::array<Pack, most_points> by_h, by_slope;
  for (std::size_t p = 0; p < count_; ++p) {
    const Plane q = discharge(cells, here, p);
    const Pack h = at([&](std::size_t k) { return here.h[k]; }, p);
    const auto drag = friction(land_.law, cells.friction[p], q, mini_.epsilon);
    const auto own = friction(land_.law, cells.friction[p], q, bubble_epsilon);
    // An odd function has an even derivative.
    const Jet<Pack, 1> depth = ad::dense(ad::variable<0, 1, 1, 1>(max(mini_.odd ? abs(h) : h, Pack(1e-30))));
    const auto power = FrictionLaw::power(depth, power_);
    for (std::size_t k = 0; k < 3; ++k) {
      smooth[k][p] = drag.by_discharge[k];
      sharp[k][p] = own.by_discharge[k];
    }
    const Pack value = power.value();
    by_slope[p] = land_.gravity * (mini_.odd ? select(h < Pack(0.0), -value, value) : value);
    by_h[p] = land_.gravity * ad::gradient<0>(power);
  }
  const auto integral = [&](const std::array<double, most_points>& weight,
                            const std::array<Pack, most_points>& values) {
    Pack sum(0.0);
    for (std::size_t p = 0; p < count_; ++p) sum = fma(Pack(weight[p]), values[p], sum);
    return cells.area * sum;
  };
  MomentumRows rows;
  std::array<std::array<Pack, 3>, 4> push;
  std::array<Pack, 4> tilt;
  for (std::size_t a = 0; a < 4; ++a) {
    tilt[a] = integral(once_[a], by_slope);
    for (std::size_t b = 0; b <= a; ++b) {
      if (b < 3) push[a][b] = integral(twice_[a][b], by_h);
      if (a < 3) push[b][a] = push[a][b];
      for (std::size_t k = 0; k < 3; ++k)
        rows.by_discharge[a][b][k] = rows.by_discharge[b][a][k] =
            integral(twice_[a][b], a == 3 ? sharp[k] : smooth[k]);
    }
  }
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t d = 0; d < 2; ++d)
        rows.by_depth[a][k][d] = push[a][k] * here.surface_slope[d] + tilt[a] * cells.gradient[k][d];
    }
  }
  return rows;
}

std::array<MiniCells::Pack, 81> MiniCells::derivatives(const Cells& cells, const MomentumRows& rows,
                                                       double dt) const {
  // The bubble's answer to each of the nine: -J_bb^-1 J_bx.
  const auto& drag = rows.by_discharge;
  const auto& bb = drag[3][3];
  const Pack inverse = 1.0 / (bb[0] * bb[2] - bb[1] * bb[1]);
  Pack answer[2][9];
  for (std::size_t j = 0; j < 3; ++j) {
    const Plane columns[3] = {
        rows.by_depth[3][j], {drag[3][j][0], drag[3][j][1]}, {drag[3][j][1], drag[3][j][2]}};
    for (std::size_t m = 0; m < 3; ++m) {
      answer[0][3 * j + m] = (bb[1] * columns[m][1] - bb[2] * columns[m][0]) * inverse;
      answer[1][3 * j + m] = (bb[1] * columns[m][0] - bb[0] * columns[m][1]) * inverse;
    }
  }
  std::array<Pack, 81> blocks;
  const Pack third = cells.area / 3.0, bubble_weight = bubble_integral * cells.area;
  for (std::size_t i = 0; i < 3; ++i) {
    const Plane& g = cells.gradient[i];
    for (std::size_t j = 0; j < 3; ++j) {
      const double share = mini_.lumped ? (i == j ? 1.0 / 3 : 0.0) : (i == j ? 1.0 / 6 : 1.0 / 12);
      const Plane& slope = rows.by_depth[i][j];
      const Pack direct[3][3] = {{share / dt * cells.area, slope[0], slope[1]},
                                 {third * cells.gradient[j][0], drag[i][j][0], drag[i][j][1]},
                                 {third * cells.gradient[j][1], drag[i][j][1], drag[i][j][2]}};
      for (std::size_t c = 0; c < 3; ++c) {
        Pack* column = blocks.data() + 9 * (3 * i + j) + 3 * c;
        const Pack &x = answer[0][3 * j + c], &y = answer[1][3 * j + c];
        column[0] = direct[c][0] - bubble_weight * (g[0] * x + g[1] * y);
        column[1] = direct[c][1] + (drag[i][3][0] * x + drag[i][3][1] * y);
        column[2] = direct[c][2] + (drag[i][3][1] * x + drag[i][3][2] * y);
      }
    }
  }
  return blocks;
}

double MiniCells::discharge_integral(const std::vector<double>& discharge) const {
  double sum = 0;
  for (const Cells& cells : packs_) {
    Plane q[3];
    for (std::size_t k = 0; k < 3; ++k) {
      for (int i = 0; i < lanes; ++i) {
        const auto v = static_cast<std::size_t>(cells.vertex[k][static_cast<std::size_t>(i)]);
        for (std::size_t d = 0; d < 2; ++d) q[k][d].set(i, discharge[2 * v + d]);
      }
    }
    Pack all(0.0);
    for (std::size_t p = 0; p < count_; ++p) {
      Plane here;
      for (std::size_t d = 0; d < 2; ++d)
        here[d] = at([&](std::size_t k) { return q[k][d]; }, p) + shape_[3][p] * cells.bubble[d];
      all += weight_[p] * sqrt(here[0] * here[0] + here[1] * here[1]);
    }
    for (int i = 0; i < cells.count; ++i) sum += cells.area[i] * all[i];
  }
  return sum;
}

}  // namespace cotangent::overland
