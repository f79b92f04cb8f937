// SPDX-License-Identifier: BSD-3-Clause
#include "overland/rt0.hpp"

#include <algorithm>
#include <cmath>

#include "la/indices.hpp"
#include "la/reused_solver.hpp"
#include "parallel/mpi.hpp"
#include "parallel/records.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::overland {

namespace {

constexpr std::size_t cell_width = 4;  // numbers of a cell in the water: depth, three discharges

/// Depths and discharges at the vertices: means of the cells around them. The halo is of three numbers a
/// vertex.
void show(const Landscape& land, Halo& halo, Water& water) {
  const Mesh& mesh = land.mesh;
  std::vector<double> sum(3 * mesh.size(), 0.0);
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const Shape s = shape(mesh, c);
    const double* own = &water.cells[cell_width * c];
    const Point middle = mesh.middle(c);
    Point q{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point& opposite = mesh.vertices[static_cast<std::size_t>(mesh.cells[c][k])];
      // The edge is as long as the gradient of the opposite vertex's function times twice the area.
      const double length = 2 * s.area * std::hypot(s.gradient[k][0], s.gradient[k][1]);
      for (std::size_t d = 0; d < 2; ++d)
        q[d] += own[1 + k] * length / (2 * s.area) * (middle[d] - opposite[d]);
    }
    for (const int v : mesh.cells[c]) {
      const double weight = s.area / 3 / land.area[static_cast<std::size_t>(v)];
      double* at = &sum[3 * static_cast<std::size_t>(v)];
      at[0] += weight * own[0];
      at[1] += weight * q[0];
      at[2] += weight * q[1];
    }
  }
  halo.add(sum);
  halo.refresh(sum);
  water.depth.resize(mesh.size());
  water.discharge.resize(2 * mesh.size());
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    water.depth[v] = sum[3 * v];
    for (std::size_t d = 0; d < 2; ++d) water.discharge[2 * v + d] = sum[3 * v + 1 + d];
  }
}

}  // namespace

Water rt0_start(const Landscape& land, const std::vector<double>& depths) {
  Water water;
  water.cells.assign(cell_width * depths.size(), 0.0);
  for (std::size_t c = 0; c < depths.size(); ++c) water.cells[cell_width * c] = depths[c];
  Halo halo(land.mesh, 3);
  show(land, halo, water);
  water.infiltrated.assign(land.mesh.size(), 0.0);
  return water;
}

Rt0::Rt0(const Landscape& landscape, double epsilon, const SolverOptions& options)
    : land_(landscape),
      epsilon_(epsilon),
      options_(options),
      edges_(edges(landscape.mesh)),
      of_edges_(edges_.own, edges_.number, 1),
      of_sides_(edges_.own, edges_.number, 2),
      of_vertices_(landscape.mesh, 3) {
  const Mesh& mesh = land_.mesh;
  const auto vertex = [&](int v) -> const Point& { return mesh.vertices[static_cast<std::size_t>(v)]; };
  const auto middle = [](const Point& a, const Point& b) {
    return Point{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
  };
  parallel::agree([&] {
    for (const auto& [a, b] : edges_.ends) {
      length_.push_back(std::hypot(vertex(b)[0] - vertex(a)[0], vertex(b)[1] - vertex(a)[1]));
      conveyance_.push_back(land_.conveyance_at(middle(vertex(a), vertex(b))));
    }
  });
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const auto& around = mesh.cells[c];
    const auto& [edge, sign] = edges_.of_cell[c];
    area_.push_back(shape(mesh, c).area);
    double bed = 0;
    for (const int v : around) bed += land_.bed[static_cast<std::size_t>(v)] / 3;
    bed_.push_back(bed);
    auto& basis = basis_.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const double scale = sign[k] * length_[static_cast<std::size_t>(edge[k])] / (2 * area_[c]);
      for (std::size_t m = 0; m < 3; ++m) {
        const Point at = middle(vertex(around[(m + 1) % 3]), vertex(around[(m + 2) % 3]));
        for (std::size_t d = 0; d < 2; ++d) basis[k][m][d] = scale * (at[d] - vertex(around[k])[d]);
      }
    }
  }
  areas_ = both_sides(area_);
  beds_ = both_sides(bed_);
  depth_.resize(area_.size());
  slope_.resize(length_.size());
  make_matrix();
  make_solver();
}

std::vector<double> Rt0::both_sides(const std::vector<double>& of_cells) {
  std::vector<double> sides(2 * edges_.ends.size(), 0.0);
  for (std::size_t c = 0; c < of_cells.size(); ++c) {
    const auto& [edge, sign] = edges_.of_cell[c];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto e = static_cast<std::size_t>(edge[k]);
      if (edges_.side[e] >= 0) sides[2 * e] = sides[2 * e + 1] = of_cells[c];
      sides[2 * e + (sign[k] > 0 ? 0 : 1)] = of_cells[c];
    }
  }
  of_sides_.add(sides);
  of_sides_.refresh(sides);
  return sides;
}

void Rt0::make_matrix() {
  const std::size_t cells = area_.size();
  const auto own_edges = static_cast<std::size_t>(edges_.own);
  const std::int64_t own = std::ssize(area_) + edges_.own;
  la::require_indices("depths of cells and slopes of edges", parallel::sum(own),
                      19 * std::ssize(area_) + std::int64_t{3} * edges_.own);
  const std::int64_t first = parallel::offsets(own)[static_cast<std::size_t>(parallel::rank())];
  std::vector<double> cell_number(cells), number(edges_.ends.size(), 0.0);
  for (std::size_t c = 0; c < cells; ++c)
    cell_number[c] = static_cast<double>(first) + static_cast<double>(c);
  for (std::size_t e = 0; e < own_edges; ++e)
    number[e] = static_cast<double>(first) + static_cast<double>(cells + e);
  of_edges_.refresh(number);
  const std::vector<double> beside = both_sides(cell_number);
  std::vector<PetscInt> rows, columns;
  const auto place = [&](double row, double column) {
    rows.push_back(static_cast<PetscInt>(row));
    columns.push_back(row < 0 ? -1 : static_cast<PetscInt>(column));
  };
  const auto row_of = [&](std::size_t e) { return edges_.side[e] >= 0 ? -1.0 : number[e]; };
  for (std::size_t c = 0; c < cells; ++c) {
    place(cell_number[c], cell_number[c]);
    for (const int i : edges_.of_cell[c].edge) {
      const auto e = static_cast<std::size_t>(i);
      for (const double column : {number[e], beside[2 * e], beside[2 * e + 1]}) place(cell_number[c], column);
      for (const int j : edges_.of_cell[c].edge) place(row_of(e), number[static_cast<std::size_t>(j)]);
    }
  }
  for (std::size_t e = 0; e < own_edges; ++e) {
    if (edges_.side[e] >= 0) place(number[e], number[e]);
    for (const std::size_t side : {0, 1}) place(row_of(e), beside[2 * e + side]);
  }
  entries_.resize(rows.size());
  const auto size = static_cast<PetscInt>(own);
  la::check(MatCreate(MPI_COMM_WORLD, matrix_.out()), "MatCreate");
  la::check(MatSetSizes(matrix_, size, size, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(matrix_, MATAIJ), "MatSetType");
  la::check(
      MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
      "MatSetPreallocationCOO");
}

void Rt0::make_solver() {
  const auto cells = static_cast<std::ptrdiff_t>(area_.size());
  const auto own = static_cast<PetscInt>(cells + edges_.own);
  for (auto* v : {&x_, &residual_, &lower_, &upper_}) *v = la::vector(own);
  la::check(VecSet(upper_, PETSC_INFINITY), "VecSet");
  la::check(VecSet(lower_, PETSC_NINFINITY), "VecSet");
  std::fill_n(la::Values(lower_).data(), cells, 0.0);

  la::check(SNESCreate(MPI_COMM_WORLD, solver_.out()), "SNESCreate");
  la::check(SNESSetOptionsPrefix(solver_, "water_"), "SNESSetOptionsPrefix");
  la::check(SNESSetType(solver_, SNESVINEWTONRSLS), "SNESSetType");
  la::check(SNESSetFunction(solver_, residual_, residual_callback, this), "SNESSetFunction");
  la::check(SNESSetJacobian(solver_, matrix_, matrix_, jacobian_callback, this), "SNESSetJacobian");
  la::check(SNESVISetVariableBounds(solver_, lower_, upper_), "SNESVISetVariableBounds");
  SNESLineSearch search = nullptr;
  la::check(SNESGetLineSearch(solver_, &search), "SNESGetLineSearch");
  la::check(SNESLineSearchSetType(search, SNESLINESEARCHBT), "SNESLineSearchSetType");
  KSP linear = nullptr;
  PC preconditioner = nullptr;
  la::check(SNESGetKSP(solver_, &linear), "SNESGetKSP");
  la::check(KSPSetType(linear, KSPGMRES), "KSPSetType");
  la::check(KSPSetTolerances(linear, 1e-6, 1e-300, PETSC_DEFAULT, 400), "KSPSetTolerances");
  la::check(KSPGetPC(linear, &preconditioner), "KSPGetPC");
  if (options_.direct)
    la::choose_factorisation(preconditioner, static_cast<PetscInt>(parallel::sum(std::int64_t{own})));
  else
    la::check(PCSetType(preconditioner, PCASM), "PCSetType");
  la::check(SNESSetFromOptions(solver_), "SNESSetFromOptions");
}

void Rt0::spread(Vec x) {
  const double* values = nullptr;
  la::check(VecGetArrayRead(x, &values), "VecGetArrayRead");
  std::copy_n(values, std::ssize(depth_), depth_.begin());
  std::copy_n(values + std::ssize(depth_), edges_.own, slope_.begin());
  la::check(VecRestoreArrayRead(x, &values), "VecRestoreArrayRead");
  of_edges_.refresh(slope_);
  depths_ = both_sides(depth_);
}

std::array<double, 2> Rt0::conveyed(std::size_t e) const {
  const double h = std::max(0.0, depths_[2 * e + (slope_[e] >= 0 ? 0 : 1)]);
  const double a = land_.law.depth_power;
  return {conveyance_[e] * FrictionLaw::power(h, a),
          h > 0 ? conveyance_[e] * a * FrictionLaw::power(h, a - 1) : 0.0};
}

Point Rt0::root_slope(std::size_t cell, std::size_t middle) const {
  Point s{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t d = 0; d < 2; ++d)
      s[d] += slope_[static_cast<std::size_t>(edges_.of_cell[cell].edge[k])] * basis_[cell][k][middle][d];
  }
  return s;
}

void Rt0::residual(Vec x, Vec f) {
  spread(x);
  const la::Values out(f);
  force_.assign(length_.size(), 0.0);
  for (std::size_t c = 0; c < area_.size(); ++c) {
    const auto& [edge, sign] = edges_.of_cell[c];
    double kept = area_[c] * (depth_[c] - base_[c]) / dt_;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto e = static_cast<std::size_t>(edge[k]);
      const Point s = root_slope(c, k);
      const auto drag = land_.law.drag(s[0], s[1], 0.0);
      for (std::size_t j = 0; j < 3; ++j) {
        const Point& w = basis_[c][j][k];
        force_[static_cast<std::size_t>(edge[j])] += area_[c] / 3 * (drag[0] * w[0] + drag[1] * w[1]);
      }
      kept += sign[k] * length_[e] * conveyed(e)[0] * slope_[e];
    }
    out.data()[c] = kept;
  }
  of_edges_.add(force_);
  for (std::size_t e = 0; e < static_cast<std::size_t>(edges_.own); ++e) {
    const double fall = depths_[2 * e] + beds_[2 * e] - depths_[2 * e + 1] - beds_[2 * e + 1];
    out.data()[area_.size() + e] = edges_.side[e] >= 0 ? 0.0 : force_[e] - length_[e] * fall;
  }
}

void Rt0::jacobian(Vec x, Mat matrix) {
  spread(x);
  double* entry = entries_.data();
  for (std::size_t c = 0; c < area_.size(); ++c) {
    const auto& [edge, sign] = edges_.of_cell[c];
    std::array<std::array<double, 3>, 3> block{};
    for (std::size_t m = 0; m < 3; ++m) {
      const auto xx_xy_yy = friction(land_.law, area_[c] / 3, root_slope(c, m), epsilon_).by_discharge;
      for (std::size_t i = 0; i < 3; ++i) {
        const Point& w = basis_[c][i][m];
        const Point pushed{xx_xy_yy[0] * w[0] + xx_xy_yy[1] * w[1], xx_xy_yy[1] * w[0] + xx_xy_yy[2] * w[1]};
        for (std::size_t j = 0; j < 3; ++j)
          block[i][j] += pushed[0] * basis_[c][j][m][0] + pushed[1] * basis_[c][j][m][1];
      }
    }
    *entry++ = area_[c] / dt_;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto e = static_cast<std::size_t>(edge[k]);
      const auto [conveyance, by_depth] = conveyed(e);
      const double out = sign[k] * length_[e];
      *entry++ = out * conveyance;
      for (const bool left : {true, false})
        *entry++ = left == (slope_[e] >= 0) ? out * by_depth * slope_[e] : 0.0;
      entry = std::ranges::copy(block[k], entry).out;
    }
  }
  for (std::size_t e = 0; e < static_cast<std::size_t>(edges_.own); ++e) {
    if (edges_.side[e] >= 0) *entry++ = 1.0;
    *entry++ = -length_[e];
    *entry++ = length_[e];
  }
  la::check(MatSetValuesCOO(matrix, entries_.data(), INSERT_VALUES), "MatSetValuesCOO");
}

PetscErrorCode Rt0::residual_callback(SNES, Vec x, Vec f, void* self) {
  return la::called_back([&] { static_cast<Rt0*>(self)->residual(x, f); });
}
PetscErrorCode Rt0::jacobian_callback(SNES, Vec x, Mat, Mat matrix, void* self) {
  return la::called_back([&] { static_cast<Rt0*>(self)->jacobian(x, matrix); });
}

/// The state before the step, with s.n that the discharges had, or else that of the fall between the cells.
void Rt0::start(const Water& water) {
  for (std::size_t c = 0; c < area_.size(); ++c) depth_[c] = water.cells[cell_width * c];
  std::vector<double> discharge(length_.size(), 0.0);
  for (std::size_t c = 0; c < area_.size(); ++c) {
    const auto& [edge, sign] = edges_.of_cell[c];
    for (std::size_t k = 0; k < 3; ++k)
      discharge[static_cast<std::size_t>(edge[k])] = sign[k] * water.cells[cell_width * c + 1 + k];
  }
  depths_ = both_sides(depth_);
  const Mesh& mesh = land_.mesh;
  for (std::size_t e = 0; e < slope_.size(); ++e) {
    slope_[e] = discharge[e];  // the side of the water
    const double conveyance = conveyed(e)[0];
    const double fall = depths_[2 * e] + beds_[2 * e] - depths_[2 * e + 1] - beds_[2 * e + 1];
    const double steepness = 1.5 * fall * length_[e] / (areas_[2 * e] + areas_[2 * e + 1]);
    const double own = std::copysign(std::pow(std::abs(steepness), land_.law.slope_power), steepness);
    // What a thin film has let through since tells little of its slope.
    const double last = std::abs(discharge[e]), scale = conveyance * std::abs(own);
    slope_[e] = last > 0.1 * scale && last < 10 * scale ? discharge[e] / conveyance : own;
    if (edges_.side[e] < 0) continue;
    slope_[e] = 0;
    if (!wall_slope) continue;
    const auto& side = mesh.sides[static_cast<std::size_t>(edges_.side[e])];
    const Point& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const Point& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    const double outward = wall_slope({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2},
                                      {(b[1] - a[1]) / length_[e], (a[0] - b[0]) / length_[e]});
    slope_[e] = edges_.ends[e][0] == side.ends[0] ? outward : -outward;
  }
}

double Rt0::size() const {
  double deepest = 0, squares = 0;
  for (const double h : base_) deepest = std::max(deepest, h);
  for (const double area : area_) squares += area * area / (dt_ * dt_);
  for (std::size_t e = 0; e < static_cast<std::size_t>(edges_.own); ++e) squares += length_[e] * length_[e];
  return std::max(parallel::maximum(deepest) * std::sqrt(parallel::sum(squares)), 1e-280);
}

bool Rt0::solve(const Water& water, Outcome& outcome) {
  start(water);
  {
    const la::Values x(x_);
    std::ranges::copy(depth_, x.data());
    std::copy_n(slope_.begin(), edges_.own, x.data() + std::ssize(depth_));
  }
  la::check(SNESSetTolerances(solver_, 1e-12 * size(), options_.tolerance, options_.tolerance,
                              options_.most_iterations, 100000),
            "SNESSetTolerances");
  const auto code = la::solve(solver_, x_);
  PetscInt iterations = 0;
  la::check(SNESGetIterationNumber(solver_, &iterations), "SNESGetIterationNumber");
  outcome.iterations = static_cast<int>(iterations);
  if (code > 0) return true;
  outcome.why = la::reason(code);
  return false;
}

void Rt0::move(std::vector<double>& discharge) {
  std::vector<double> share(discharge.size());
  for (int pass = 0; pass < 500; ++pass) {
    bool short_of = false;
    std::ranges::fill(share, 0.0);
    for (std::size_t c = 0; c < area_.size(); ++c) {
      const auto& [edge, sign] = edges_.of_cell[c];
      double gain = 0, loss = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto e = static_cast<std::size_t>(edge[k]);
        const double out = dt_ / area_[c] * sign[k] * length_[e] * discharge[e];
        (out > 0 ? loss : gain) += std::abs(out);
      }
      depth_[c] = base_[c] + (gain - loss);
      // What is missing is kept back from all that leaves.
      const bool lacks = depth_[c] < 0 && loss > 0;
      const double kept = lacks ? std::max(0.0, 1 + depth_[c] / loss * (1 + 1e-9) - 1e-15) : 1.0;
      short_of = short_of || lacks;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto e = static_cast<std::size_t>(edge[k]);
        if (sign[k] * discharge[e] > 0) share[e] = kept;
        if (edges_.side[e] >= 0 && sign[k] * discharge[e] < 0) share[e] = 1.0;
      }
    }
    if (!parallel::any(short_of)) return;
    of_edges_.add(share);
    of_edges_.refresh(share);
    for (std::size_t e = 0; e < discharge.size(); ++e) discharge[e] *= share[e];
  }
}

Outcome Rt0::step(Water& water, double dt, const std::vector<double>& rain) {
  Outcome outcome;
  dt_ = dt;
  base_.resize(area_.size());
  rain_.resize(area_.size());
  for (std::size_t c = 0; c < area_.size(); ++c) {
    rain_[c] = 0;
    for (const int v : land_.mesh.cells[c]) rain_[c] += rain[static_cast<std::size_t>(v)] / 3;
    base_[c] = water.cells[cell_width * c] + dt * rain_[c];
  }
  if (!solve(water, outcome)) return outcome;
  spread(x_);
  std::vector<double> discharge(length_.size());
  for (std::size_t e = 0; e < discharge.size(); ++e) discharge[e] = conveyed(e)[0] * slope_[e];
  move(discharge);

  Water next = water;
  for (std::size_t c = 0; c < area_.size(); ++c) {
    const auto& [edge, sign] = edges_.of_cell[c];
    next.cells[cell_width * c] = depth_[c];
    for (std::size_t k = 0; k < 3; ++k)
      next.cells[cell_width * c + 1 + k] = sign[k] * discharge[static_cast<std::size_t>(edge[k])];
  }
  show(land_, of_vertices_, next);
  Water rained;
  for (const double rate : rain_) rained.cells.insert(rained.cells.end(), {rate, 0, 0, 0});
  show(land_, of_vertices_, rained);
  next.rate.resize(next.depth.size());
  for (std::size_t v = 0; v < next.depth.size(); ++v)
    next.rate[v] = (next.depth[v] - water.depth[v]) / dt - rained.depth[v];
  account(water, next, discharge, outcome);
  water = std::move(next);
  water.time += dt;
  outcome.converged = true;
  return outcome;
}

void Rt0::account(const Water& water, const Water& next, const std::vector<double>& discharge,
                  Outcome& outcome) const {
  std::vector<double> rained, kept, now, wrong, out;
  for (std::size_t c = 0; c < area_.size(); ++c) {
    rained.push_back(area_[c] * dt_ * rain_[c]);
    kept.push_back(area_[c] * (next.cells[cell_width * c] - water.cells[cell_width * c]));
    now.push_back(area_[c] * next.cells[cell_width * c]);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto e = static_cast<std::size_t>(edges_.of_cell[c].edge[k]);
      if (edges_.side[e] >= 0) out.push_back(dt_ * length_[e] * edges_.of_cell[c].sign[k] * discharge[e]);
    }
  }
  for (std::size_t v = 0; v < static_cast<std::size_t>(land_.mesh.own); ++v)
    wrong.push_back(land_.area[v] * 0.5 * dt_ *
                    std::abs(next.rate[v] - (water.rate.empty() ? 0.0 : water.rate[v])));
  const std::vector<std::span<const double>> columns{rained, kept, now, wrong, out};
  const auto sums = parallel::reproducible_sums(columns);
  outcome.ledger.rain = sums[0];
  (sums[4] > 0 ? outcome.ledger.outflow : outcome.ledger.inflow) += std::abs(sums[4]);
  outcome.close(sums[1], sums[2], sums[3]);
}

double Rt0::discharge_integral(const Water& water) const {
  double sum = 0;
  for (std::size_t c = 0; c < area_.size(); ++c) {
    for (std::size_t m = 0; m < 3; ++m) {
      Point q{};
      for (std::size_t k = 0; k < 3; ++k) {
        const double out = edges_.of_cell[c].sign[k] * water.cells[cell_width * c + 1 + k];
        for (std::size_t d = 0; d < 2; ++d) q[d] += out * basis_[c][k][m][d];
      }
      sum += area_[c] / 3 * std::hypot(q[0], q[1]);
    }
  }
  return sum;
}

std::unique_ptr<Scheme> rt0_scheme(const Landscape& landscape, double epsilon, const SolverOptions& options) {
  return std::make_unique<Rt0>(landscape, epsilon, options);
}

std::string rt0_solver(std::int64_t vertices, const SolverOptions& options) {
  return "SNES vinewtonrsls, systems by GMRES over " +
         (options.direct ? "an LU by " + la::factorisation(static_cast<PetscInt>(5 * vertices))
                         : std::string("additive Schwarz blocks (asm)"));
}

}  // namespace cotangent::overland
