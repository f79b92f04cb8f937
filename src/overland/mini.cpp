#include "overland/mini.hpp"

#include <algorithm>
#include <cmath>

#include "la/reused_solver.hpp"
#include "la/sparse.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

namespace {

// |q| in the bubble's own derivative: it is eliminated exactly, so this must be nearly exact too.
constexpr double bubble_epsilon = 1e-8;
constexpr double bubble_integral = 9.0 / 20;  // of 27 l0 l1 l2 over a triangle of area 1

template <int N>
using Scalar = ad::Jet<double, N, 1, ad::full<N>>;

/// Sums over the points, which are padded to two registers with weights of 0: in eight columns, so that the
/// compiler need not keep one order of additions.
constexpr std::size_t padded = 16;
using Points = double[padded];
double dot(const Points& a, const Points& b) {
  double s[8];
  for (std::size_t k = 0; k < 8; ++k) s[k] = a[k] * b[k] + a[k + 8] * b[k + 8];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// The weak form's friction, k |q|^(1/p - 1) q, at a point; |q| rounded off at epsilon.
template <class S>
std::array<S, 2> friction(const FrictionLaw& law, double k, const S& qx, const S& qy, double epsilon) {
  using std::pow, std::sqrt;
  const S size = sqrt(qx * qx + qy * qy + epsilon * epsilon);
  const S factor = k * (law.slope_power == 0.5 ? size : S(pow(size, 1 / law.slope_power - 1)));
  return {factor * qx, factor * qy};
}

/// The factor of grad(b + h): g h^(a/p).
template <class S>
S mobility(const FrictionLaw& law, double gravity, const S& h) {
  return gravity * FrictionLaw::power(h, law.depth_power / law.slope_power);
}

}  // namespace

Mini::Mini(const Landscape& landscape, const MiniOptions& mini, const SolverOptions& options)
    : land_(landscape),
      mini_(mini),
      options_(options),
      rule_(quadrature(mini.degree)),
      count_(rule_.points.size()),
      halo_(landscape.mesh, 1),
      halo3_(landscape.mesh, 3) {
  const Mesh& mesh = land_.mesh;
  for (std::size_t p = 0; p < count_; ++p) {
    const auto& l = rule_.points[p];
    for (std::size_t k = 0; k < 3; ++k) shape_[k][p] = l[k];
    shape_[3][p] = 27 * l[0] * l[1] * l[2];
    weight_[p] = rule_.weights[p];
  }
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const Shape s = shape(mesh, c);
    Cell cell{s.gradient, s.area, {}, {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t d = 0; d < 2; ++d)
        cell.bed_slope[d] += land_.bed[static_cast<std::size_t>(mesh.cells[c][k])] * s.gradient[k][d];
    }
    for (std::size_t p = 0; p < count_; ++p) {
      Point x{};
      for (std::size_t k = 0; k < 3; ++k) {
        const Point& at = mesh.vertices[static_cast<std::size_t>(mesh.cells[c][k])];
        for (std::size_t d = 0; d < 2; ++d) x[d] += shape_[k][p] * at[d];
      }
      cell.friction[p] = land_.gravity * std::pow(land_.conveyance_at(x), -1 / land_.law.slope_power);
    }
    cells_.push_back(cell);
  }

  const std::size_t n = mesh.size();
  std::vector<double> wall(n, 0.0), given(n, 0.0), sharers(n, 0.0);
  inflow_.assign(n, 0.0);
  for (const auto& side : mesh.sides) {
    const auto& rule = land_.rules[static_cast<std::size_t>(side.boundary)];
    const Point& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const Point& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    const Point half{(b[1] - a[1]) / 2, (a[0] - b[0]) / 2};
    const bool open = rule.kind == BoundaryRule::Kind::free || rule.kind == BoundaryRule::Kind::depth;
    if (open) openings_.push_back({side.ends, half});
    for (const int end : side.ends) {
      const auto v = static_cast<std::size_t>(end);
      if (!open) wall[v] += 1;
      if (rule.kind == BoundaryRule::Kind::discharge) inflow_[v] += rule.value * std::hypot(half[0], half[1]);
      if (rule.kind != BoundaryRule::Kind::depth) continue;
      given[v] += rule.value;
      sharers[v] += 1;
    }
  }
  for (auto* list : {&inflow_, &given, &sharers, &wall}) {
    halo_.add(*list);
    halo_.refresh(*list);
  }
  given_.assign(n, 0.0);
  for (std::size_t v = 0; v < n; ++v) {
    wall_.push_back(wall[v] > 0);
    held_.push_back(sharers[v] > 0);
    if (held_[v]) given_[v] = given[v] / sharers[v];
  }
  wall_discharge.assign(2 * n, 0.0);

  // The matrix: ones on the diagonal of what is given, 9 x 9 of each cell.
  std::vector<PetscInt> rows, columns;
  const auto fixed = [&](int v, PetscInt field) {
    return (field == 0 ? held_ : wall_)[static_cast<std::size_t>(v)] != 0;
  };
  const auto number = [&](int v, PetscInt field) {
    return 3 * mesh.number[static_cast<std::size_t>(v)] + field;
  };
  for (int v = 0; v < mesh.own; ++v) {
    for (PetscInt field = 0; field < 3; ++field) {
      rows.push_back(number(v, field));
      columns.push_back(number(v, field));
    }
  }
  for (const auto& cell : mesh.cells) {
    for (const int i : cell) {
      for (PetscInt row = 0; row < 3; ++row) {
        for (const int j : cell) {
          for (PetscInt column = 0; column < 3; ++column) {
            rows.push_back(fixed(i, row) ? -1 : number(i, row));
            columns.push_back(fixed(i, row) ? -1 : number(j, column));
          }
        }
      }
    }
  }
  entries_.assign(rows.size(), 0.0);
  for (int v = 0; v < mesh.own; ++v) {
    for (PetscInt field = 0; field < 3; ++field)
      entries_[static_cast<std::size_t>(3 * v + field)] = fixed(v, field);
  }
  const PetscInt own = 3 * mesh.own;
  la::check(MatCreate(PETSC_COMM_WORLD, matrix_.out()), "MatCreate");
  la::check(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(matrix_, MATAIJ), "MatSetType");
  la::check(
      MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
      "MatSetPreallocationCOO");
  z_.assign(3 * n, 0.0);
  f_.assign(3 * n, 0.0);
  for (auto* v : {&x_, &residual_, &lower_, &upper_}) *v = la::vector(own);
  la::check(VecSet(upper_, PETSC_INFINITY), "VecSet");
  {
    const la::Values lower(lower_);
    for (PetscInt i = 0; i < own; ++i) lower.data()[i] = i % 3 == 0 ? 0.0 : PETSC_NINFINITY;
  }

  la::check(SNESCreate(PETSC_COMM_WORLD, solver_.out()), "SNESCreate");
  la::check(SNESSetOptionsPrefix(solver_, "water_"), "SNESSetOptionsPrefix");
  la::check(SNESSetType(solver_, SNESVINEWTONRSLS), "SNESSetType");
  la::check(SNESSetFunction(solver_, residual_, residual_callback, this), "SNESSetFunction");
  la::check(SNESSetJacobian(solver_, matrix_, matrix_, jacobian_callback, this), "SNESSetJacobian");
  la::check(SNESVISetVariableBounds(solver_, lower_, upper_), "SNESVISetVariableBounds");
  la::check(SNESSetTolerances(solver_, std::max(1e-2 * options_.tolerance, 1e-13), options_.tolerance,
                              options_.tolerance, options_.most_iterations, 100000),
            "SNESSetTolerances");
  SNESLineSearch search = nullptr;
  la::check(SNESGetLineSearch(solver_, &search), "SNESGetLineSearch");
  la::check(SNESLineSearchSetType(search, SNESLINESEARCHBT), "SNESLineSearchSetType");
  KSP linear = nullptr;
  PC preconditioner = nullptr;
  la::check(SNESGetKSP(solver_, &linear), "SNESGetKSP");
  la::check(KSPSetType(linear, KSPGMRES), "KSPSetType");
  la::check(KSPSetTolerances(linear, options_.direct ? 1e-8 : 1e-6, 1e-300, PETSC_DEFAULT, 400),
            "KSPSetTolerances");
  la::check(KSPGetPC(linear, &preconditioner), "KSPGetPC");
  if (options_.direct) {
    la::choose_factorisation(preconditioner, static_cast<PetscInt>(3 * mesh.all_vertices));
  } else {
    // Overlapping blocks: within one the friction's saddle is eliminated by an incomplete LU with fill.
    la::check(PCSetType(preconditioner, PCASM), "PCSetType");
    la::check(KSPGMRESSetRestart(linear, 100), "KSPGMRESSetRestart");
  }
  la::check(SNESSetLagPreconditionerPersists(solver_, PETSC_TRUE), "SNESSetLagPreconditionerPersists");
  la::check(SNESSetFromOptions(solver_), "SNESSetFromOptions");
}

void Mini::forget() {
  made_ = worth_keeping_ = false;
  for (auto& cell : cells_) cell.bubble = {0, 0};
}

Mini::Local Mini::local(const Cell& cell, std::size_t c) const {
  Local at;
  at.surface_slope = cell.bed_slope;
  for (std::size_t k = 0; k < 3; ++k) {
    const double* z = &z_[3 * static_cast<std::size_t>(land_.mesh.cells[c][k])];
    at.h[k] = z[0];
    at.q[k] = {z[1], z[2]};
    for (std::size_t d = 0; d < 2; ++d) at.surface_slope[d] += z[0] * cell.gradient[k][d];
  }
  return at;
}

void Mini::solve_bubble(Cell& cell, const Local& at) {
  Points px, py, push, bubble_weight, square_weight;
  const double power = land_.law.depth_power / land_.law.slope_power;
  for (std::size_t p = 0; p < padded; ++p) {
    px[p] = shape_[0][p] * at.q[0][0] + shape_[1][p] * at.q[1][0] + shape_[2][p] * at.q[2][0];
    py[p] = shape_[0][p] * at.q[0][1] + shape_[1][p] * at.q[1][1] + shape_[2][p] * at.q[2][1];
    const double h = shape_[0][p] * at.h[0] + shape_[1][p] * at.h[1] + shape_[2][p] * at.h[2];
    push[p] = land_.gravity * FrictionLaw::power(std::max(h, 0.0), power);
    bubble_weight[p] = weight_[p] * shape_[3][p];
    square_weight[p] = bubble_weight[p] * shape_[3][p];
  }
  const double pushed = dot(push, bubble_weight);
  const double load[2] = {pushed * at.surface_slope[0], pushed * at.surface_slope[1]};
  const double size = std::abs(load[0]) + std::abs(load[1]);
  Point& q = cell.bubble;
  if (size == 0 && at.q == std::array<Point, 3>{}) {
    q = {0, 0};
    return;
  }
  // Newton's method for the gradient of a convex function; |q| rounded off where it has no second derivative.
  double before = std::numeric_limits<double>::infinity(), shorter = 1;
  Point last = q, change{};
  for (int iteration = 0; iteration < 60; ++iteration) {
    Points fx, fy, fxx, fxy, fyy, sizes;
    for (std::size_t p = 0; p < padded; ++p) {
      const Scalar<2> x = ad::dense(ad::variable<0, 2, 1, 1>(px[p] + shape_[3][p] * q[0]));
      const Scalar<2> y = ad::dense(ad::variable<1, 2, 1, 1>(py[p] + shape_[3][p] * q[1]));
      const auto f = friction(land_.law, cell.friction[p], x, y, 1e-12);
      fx[p] = f[0].value();
      fy[p] = f[1].value();
      sizes[p] = std::abs(f[0].value()) + std::abs(f[1].value());
      fxx[p] = ad::gradient<0>(f[0]);
      fxy[p] = ad::gradient<1>(f[0]);
      fyy[p] = ad::gradient<1>(f[1]);
    }
    const double rx = load[0] + dot(fx, bubble_weight), ry = load[1] + dot(fy, bubble_weight);
    const double norm = std::sqrt(rx * rx + ry * ry);
    if (norm <= 2e-14 * (dot(sizes, bubble_weight) + size) + 1e-18) return;
    if (norm > before && shorter > 1e-3) {
      shorter /= 2;
      for (std::size_t k = 0; k < 2; ++k) q[k] = last[k] + shorter * change[k];
      continue;
    }
    before = norm;
    shorter = 1;
    last = q;
    const double a = dot(fxx, square_weight), b = dot(fxy, square_weight), d = dot(fyy, square_weight);
    const double determinant = a * d - b * b;
    if (!(determinant > 0)) return;
    change = {-(d * rx - b * ry) / determinant, -(a * ry - b * rx) / determinant};
    for (std::size_t k = 0; k < 2; ++k) q[k] += change[k];
    if (std::abs(change[0]) + std::abs(change[1]) <= 1e-15 * (std::abs(q[0]) + std::abs(q[1]))) return;
  }
}

void Mini::spread(Vec x) {
  const double* values = nullptr;
  la::check(VecGetArrayRead(x, &values), "VecGetArrayRead");
  std::copy_n(values, 3 * land_.mesh.own, z_.begin());
  la::check(VecRestoreArrayRead(x, &values), "VecRestoreArrayRead");
  halo3_.refresh(z_);
}

void Mini::residual(Vec x, Vec f) {
  spread(x);
  std::ranges::fill(f_, 0.0);
  const double power = land_.law.depth_power / land_.law.slope_power;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    Cell& cell = cells_[c];
    const Local at = local(cell, c);
    solve_bubble(cell, at);
    double momentum[3][2] = {}, divergence = 0, change[3], mean_change = 0;
    Points fx, fy, weighted;
    for (std::size_t p = 0; p < padded; ++p) {
      const double qx = shape_[3][p] * cell.bubble[0] + shape_[0][p] * at.q[0][0] +
                        shape_[1][p] * at.q[1][0] + shape_[2][p] * at.q[2][0];
      const double qy = shape_[3][p] * cell.bubble[1] + shape_[0][p] * at.q[0][1] +
                        shape_[1][p] * at.q[1][1] + shape_[2][p] * at.q[2][1];
      const double h = shape_[0][p] * at.h[0] + shape_[1][p] * at.h[1] + shape_[2][p] * at.h[2];
      const auto drag = friction(land_.law, cell.friction[p], qx, qy, 0.0);
      const double m = land_.gravity * FrictionLaw::power(std::max(h, 0.0), power);
      const double w = weight_[p] * cell.area;
      fx[p] = w * (drag[0] + m * at.surface_slope[0]);
      fy[p] = w * (drag[1] + m * at.surface_slope[1]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t p = 0; p < padded; ++p) weighted[p] = shape_[k][p];
      momentum[k][0] = dot(fx, weighted);
      momentum[k][1] = dot(fy, weighted);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(land_.mesh.cells[c][k]);
      divergence += at.q[k][0] * cell.gradient[k][0] + at.q[k][1] * cell.gradient[k][1];
      change[k] = (at.h[k] - before_[v]) / dt_;
      mean_change += change[k] / 4;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = static_cast<std::size_t>(land_.mesh.cells[c][k]);
      const double stored = mini_.lumped ? change[k] : change[k] / 4 + mean_change;
      const Point& g = cell.gradient[k];
      f_[3 * v] += cell.area / 3 * (stored + divergence - rain_[v]) -
                   cell.area * bubble_integral * (g[0] * cell.bubble[0] + g[1] * cell.bubble[1]);
      f_[3 * v + 1] += momentum[k][0];
      f_[3 * v + 2] += momentum[k][1];
    }
  }
  halo3_.add(f_);
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  const la::Values to(f);
  for (std::size_t v = 0; v < own; ++v) {
    f_[3 * v] = held_[v] ? z_[3 * v] - given_[v] : f_[3 * v] - inflow_[v];
    for (std::size_t d = 0; d < 2; ++d) {
      if (wall_[v]) f_[3 * v + 1 + d] = z_[3 * v + 1 + d] - wall_discharge[2 * v + d];
    }
  }
  std::copy_n(f_.begin(), 3 * own, to.data());
}

void Mini::jacobian(Vec x, Mat matrix) {
  spread(x);
  double* entry = entries_.data() + 3 * land_.mesh.own;
  for (std::size_t c = 0; c < cells_.size(); ++c, entry += 81) {
    Cell& cell = cells_[c];
    const Local at = local(cell, c);
    solve_bubble(cell, at);
    // By the point: the form's derivatives by q (symmetric) and by h.
    Points qxx, qxy, qyy, by_h, by_slope, bxx, bxy, byy;  // bxx ...: of the bubble's own equations
    for (std::size_t p = 0; p < padded; ++p) {
      const double qx = shape_[3][p] * cell.bubble[0] + shape_[0][p] * at.q[0][0] +
                        shape_[1][p] * at.q[1][0] + shape_[2][p] * at.q[2][0];
      const double qy = shape_[3][p] * cell.bubble[1] + shape_[0][p] * at.q[0][1] +
                        shape_[1][p] * at.q[1][1] + shape_[2][p] * at.q[2][1];
      const double h = shape_[0][p] * at.h[0] + shape_[1][p] * at.h[1] + shape_[2][p] * at.h[2];
      const auto drag =
          friction(land_.law, cell.friction[p], Scalar<2>(ad::dense(ad::variable<0, 2, 1, 1>(qx))),
                   Scalar<2>(ad::dense(ad::variable<1, 2, 1, 1>(qy))), mini_.epsilon);
      const auto m = mobility(land_.law, land_.gravity,
                              Scalar<1>(ad::dense(ad::variable<0, 1, 1, 1>(std::max(h, 1e-30)))));
      const auto sharp =
          friction(land_.law, cell.friction[p], Scalar<2>(ad::dense(ad::variable<0, 2, 1, 1>(qx))),
                   Scalar<2>(ad::dense(ad::variable<1, 2, 1, 1>(qy))), bubble_epsilon);
      const double w = weight_[p] * cell.area;
      bxx[p] = w * ad::gradient<0>(sharp[0]);
      bxy[p] = w * ad::gradient<1>(sharp[0]);
      byy[p] = w * ad::gradient<1>(sharp[1]);
      qxx[p] = w * ad::gradient<0>(drag[0]);
      qxy[p] = w * ad::gradient<1>(drag[0]);
      qyy[p] = w * ad::gradient<1>(drag[1]);
      by_slope[p] = w * m.value();
      by_h[p] = w * ad::gradient<0>(m);
    }
    // Momentum rows: test functions a (three linear, bubble) by q's b, and by the depths.
    double drag[4][4][3] = {}, push[4][3] = {}, tilt[4] = {};
    for (std::size_t a = 0; a < 4; ++a) {
      Points one, both;
      for (std::size_t p = 0; p < padded; ++p) one[p] = shape_[a][p];
      tilt[a] = dot(one, by_slope);
      for (std::size_t b = 0; b <= a; ++b) {
        for (std::size_t p = 0; p < padded; ++p) both[p] = shape_[a][p] * shape_[b][p];
        if (b < 3) push[a][b] = dot(both, by_h);
        if (a < 3) push[b][a] = push[a][b];
        drag[a][b][0] = drag[b][a][0] = dot(both, a == 3 ? bxx : qxx);
        drag[a][b][1] = drag[b][a][1] = dot(both, a == 3 ? bxy : qxy);
        drag[a][b][2] = drag[b][a][2] = dot(both, a == 3 ? byy : qyy);
      }
    }
    const auto by_depth = [&](std::size_t a, std::size_t d, std::size_t k) {
      return push[a][k] * at.surface_slope[d] + tilt[a] * cell.gradient[k][d];
    };
    // The bubble's answer to each of the nine: -J_bb^-1 J_bx.
    const double* bb = drag[3][3];
    const double determinant = bb[0] * bb[2] - bb[1] * bb[1];
    double answer[2][9];
    for (std::size_t j = 0; j < 3; ++j) {
      const double columns[3][2] = {{by_depth(3, 0, j), by_depth(3, 1, j)},
                                    {drag[3][j][0], drag[3][j][1]},
                                    {drag[3][j][1], drag[3][j][2]}};
      for (std::size_t m = 0; m < 3; ++m) {
        answer[0][3 * j + m] = -(bb[2] * columns[m][0] - bb[1] * columns[m][1]) / determinant;
        answer[1][3 * j + m] = -(bb[0] * columns[m][1] - bb[1] * columns[m][0]) / determinant;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Point& g = cell.gradient[i];
      for (std::size_t j = 0; j < 3; ++j) {
        double* row = entry + 27 * i + 3 * j;
        row[0] = mini_.lumped ? (i == j ? cell.area / 3 / dt_ : 0) : cell.area / (i == j ? 6 : 12) / dt_;
        row[1] = cell.area / 3 * cell.gradient[j][0];
        row[2] = cell.area / 3 * cell.gradient[j][1];
        row[9] = by_depth(i, 0, j);
        row[10] = drag[i][j][0];
        row[11] = drag[i][j][1];
        row[18] = by_depth(i, 1, j);
        row[19] = drag[i][j][1];
        row[20] = drag[i][j][2];
      }
      double* row = entry + 27 * i;
      for (std::size_t m = 0; m < 9; ++m) {
        row[m] -= cell.area * bubble_integral * (g[0] * answer[0][m] + g[1] * answer[1][m]);
        row[9 + m] += drag[i][3][0] * answer[0][m] + drag[i][3][1] * answer[1][m];
        row[18 + m] += drag[i][3][1] * answer[0][m] + drag[i][3][2] * answer[1][m];
      }
    }
  }
  la::check(MatSetValuesCOO(matrix, entries_.data(), INSERT_VALUES), "MatSetValuesCOO");
}

PetscErrorCode Mini::residual_callback(SNES, Vec x, Vec f, void* self) {
  return la::called_back([&] { static_cast<Mini*>(self)->residual(x, f); });
}
PetscErrorCode Mini::jacobian_callback(SNES, Vec x, Mat, Mat matrix, void* self) {
  return la::called_back([&] { static_cast<Mini*>(self)->jacobian(x, matrix); });
}

bool Mini::solve(Outcome& outcome) {
  for (;;) {
    const bool reuse = made_ && worth_keeping_;
    // -1: the factorisation stays; 1: each iteration has its own.
    la::check(SNESSetLagPreconditioner(solver_, reuse ? -1 : 1), "SNESSetLagPreconditioner");
    const auto code = la::solve(solver_, x_);
    PetscInt iterations = 0, linear = 0;
    la::check(SNESGetIterationNumber(solver_, &iterations), "SNESGetIterationNumber");
    la::check(SNESGetLinearSolveIterations(solver_, &linear), "SNESGetLinearSolveIterations");
    outcome.iterations = static_cast<int>(iterations);
    made_ = code > 0;
    if (code > 0) {
      worth_keeping_ = options_.direct && iterations <= 4 && linear <= 4 * std::max<PetscInt>(iterations, 1);
      return true;
    }
    worth_keeping_ = false;
    if (reuse) continue;
    outcome.why = la::reason(code);
    return false;
  }
}

void Mini::close_storage() {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  std::vector<double> change(land_.mesh.size()), stored(land_.mesh.size());
  for (int pass = 0; pass < (mini_.lumped ? 1 : 40); ++pass) {
    double worst = 0;
    for (std::size_t v = 0; v < own; ++v) {
      const double h = z_[3 * v];
      change[v] = h > 0 && !held_[v] ? std::max(-h, -dt_ * f_[3 * v] / land_.area[v]) : 0;
      if (h > 0) worst = std::max(worst, std::abs(change[v]));
      z_[3 * v] += change[v];
    }
    halo_.refresh(change);
    std::ranges::fill(stored, 0.0);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const auto& vertex = land_.mesh.cells[c];
      double sum = 0;
      for (const int v : vertex) sum += change[static_cast<std::size_t>(v)];
      for (const int v : vertex) {
        const double own_change = change[static_cast<std::size_t>(v)];
        stored[static_cast<std::size_t>(v)] +=
            cells_[c].area / dt_ * (mini_.lumped ? own_change / 3 : (own_change + sum) / 12);
      }
    }
    halo_.add(stored);
    for (std::size_t v = 0; v < own; ++v) {
      if (!held_[v]) f_[3 * v] += stored[v];
    }
    if (parallel::maximum(worst) < 1e-17) break;
  }
  halo3_.refresh(z_);
}

Outcome Mini::step(Water& water, double dt, const std::vector<double>& rain) {
  Outcome outcome;
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  dt_ = dt;
  rain_ = rain;
  before_ = water.depth;
  {
    const la::Values x(x_);
    for (std::size_t v = 0; v < own; ++v) {
      x.data()[3 * v] = held_[v] ? given_[v] : water.depth[v];
      for (std::size_t d = 0; d < 2; ++d)
        x.data()[3 * v + 1 + d] = wall_[v] ? wall_discharge[2 * v + d] : water.discharge[2 * v + d];
    }
  }
  std::vector<Point> bubbles;
  for (const auto& cell : cells_) bubbles.push_back(cell.bubble);
  if (!solve(outcome)) {
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c].bubble = bubbles[c];
    return outcome;
  }
  residual(x_, residual_);
  close_storage();

  std::vector<double> rained(own), came(own), kept(own), now(own), wrong(own), clipped(own), held(own), out;
  Water next = water;
  for (std::size_t v = 0; v < next.depth.size(); ++v) {
    next.depth[v] = std::max(0.0, z_[3 * v]);
    for (std::size_t d = 0; d < 2; ++d) next.discharge[2 * v + d] = z_[3 * v + 1 + d];
  }
  next.rate.resize(next.depth.size());
  for (std::size_t v = 0; v < next.depth.size(); ++v) next.rate[v] = (next.depth[v] - water.depth[v]) / dt;
  for (std::size_t v = 0; v < own; ++v) {
    const double area = land_.area[v];
    rained[v] = area * dt * rain[v];
    came[v] = dt * inflow_[v];
    kept[v] = area * (next.depth[v] - water.depth[v]);
    now[v] = area * next.depth[v];
    wrong[v] =
        held_[v] ? 0 : area * 0.5 * dt * std::abs(next.rate[v] - (water.rate.empty() ? 0 : water.rate[v]));
    clipped[v] = !held_[v] && next.depth[v] == 0 ? dt * f_[3 * v] : 0;
    held[v] = held_[v];
  }
  for (const auto& opening : openings_) {
    for (const int end : opening.ends) {
      const auto v = static_cast<std::size_t>(end);
      out.push_back(
          dt * (next.discharge[2 * v] * opening.normal[0] + next.discharge[2 * v + 1] * opening.normal[1]));
    }
  }
  const std::vector<std::span<const double>> columns{rained, came, kept, now, wrong, clipped, held, out};
  const auto sums = parallel::reproducible_sums(columns);
  outcome.ledger.rain = sums[0];
  outcome.ledger.inflow = sums[1];
  (sums[7] > 0 ? outcome.ledger.outflow : outcome.ledger.inflow) += std::abs(sums[7]);
  outcome.ledger.clipped = sums[5];
  const double volume = std::max(sums[3], 1e-300), missing = sums[2] - outcome.ledger.balance();
  if (sums[6] > 0)
    (missing > 0 ? outcome.ledger.inflow : outcome.ledger.outflow) += std::abs(missing);
  else
    outcome.identity = std::abs(missing) / volume;
  outcome.error = sums[4] / volume;
  water = std::move(next);
  water.time += dt;
  outcome.converged = true;
  return outcome;
}

double Mini::discharge_integral(const Water& water) const {
  double sum = 0;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto& vertex = land_.mesh.cells[c];
    for (std::size_t p = 0; p < count_; ++p) {
      double q[2];
      for (std::size_t d = 0; d < 2; ++d) {
        q[d] = shape_[3][p] * cells_[c].bubble[d];
        for (std::size_t k = 0; k < 3; ++k)
          q[d] += shape_[k][p] * water.discharge[2 * static_cast<std::size_t>(vertex[k]) + d];
      }
      sum += cells_[c].area * weight_[p] * std::hypot(q[0], q[1]);
    }
  }
  return sum;
}

std::unique_ptr<Scheme> mini_scheme(const Landscape& landscape, const MiniOptions& mini,
                                    const SolverOptions& options) {
  return std::make_unique<Mini>(landscape, mini, options);
}

}  // namespace cotangent::overland
