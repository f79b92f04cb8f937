// SPDX-License-Identifier: BSD-3-Clause
#include "overland/mini.hpp"

#include <algorithm>
#include <cmath>

#include "la/indices.hpp"
#include "la/reused_solver.hpp"
#include "la/sparse.hpp"
#include "overland/similar.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"

namespace cotangent::overland {

namespace {

/// Whether the LU is our own, in blocks of a vertex's three unknowns: it serves vinewtonrsls alone.
bool factorises_blocks(const SolverOptions& options) {
  return options.direct && parallel::size() == 1 && !la::has_option("water_pc_") &&
         !la::has_option("water_snes_type");
}

}  // namespace

Mini::Mini(const Landscape& landscape, const MiniOptions& mini, const SolverOptions& options)
    : land_(landscape),
      mini_(mini),
      options_(options),
      cells_(landscape, mini),
      boundary_(landscape),
      held_(boundary_.held()),
      halo_(landscape.mesh, 1),
      halo3_(landscape.mesh, 3) {
  const Mesh& mesh = land_.mesh;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) area_.push_back(shape(mesh, c).area);
  wall_discharge.assign(2 * mesh.size(), 0.0);
  z_.assign(3 * mesh.size(), 0.0);
  f_.assign(3 * mesh.size(), 0.0);
  find_openings();
  make_matrix();
  make_solver();
  make_preconditioner();
  la::check(SNESSetFromOptions(solver_), "SNESSetFromOptions");
}

/// Sides where water leaves, and vertices of the others.
void Mini::find_openings() {
  const Mesh& mesh = land_.mesh;
  std::vector<double> wall(mesh.size(), 0.0);
  for (const auto& side : mesh.sides) {
    const auto kind = land_.rules[static_cast<std::size_t>(side.boundary)].kind;
    const Point& a = mesh.vertices[static_cast<std::size_t>(side.ends[0])];
    const Point& b = mesh.vertices[static_cast<std::size_t>(side.ends[1])];
    if (kind == BoundaryRule::Kind::free || kind == BoundaryRule::Kind::depth)
      openings_.push_back({side.ends, {(b[1] - a[1]) / 2, (a[0] - b[0]) / 2}});
    else
      for (const int end : side.ends) wall[static_cast<std::size_t>(end)] += 1;
  }
  halo_.add(wall);
  halo_.refresh(wall);
  for (const double count : wall) wall_.push_back(count > 0);
}

/// The Jacobian's places: ones on the diagonal of what is given, nine blocks of 3 x 3 of each cell.
void Mini::make_matrix() {
  const Mesh& mesh = land_.mesh;
  la::require_indices("depths and discharges", 3 * mesh.all_vertices,
                      std::int64_t{3} * mesh.own + 81 * std::ssize(mesh.cells));
  const auto fixed = [&](int v, PetscInt field) {
    return (field == 0 ? held_ : wall_)[static_cast<std::size_t>(v)] != 0;
  };
  const auto number = [&](int v) { return mesh.number[static_cast<std::size_t>(v)]; };
  std::vector<PetscInt> given;
  for (int v = 0; v < mesh.own; ++v) {
    for (PetscInt field = 0; field < 3; ++field) {
      if (fixed(v, field)) given.push_back(3 * number(v) + field);
    }
  }
  std::vector<std::array<int, 2>> blocks;  // the vertices of their rows and columns
  for (const auto& cell : mesh.cells) {
    for (const int i : cell) {
      for (const int j : cell) blocks.push_back({i, j});
    }
  }
  std::vector<PetscInt> rows, columns;
  if (factorises_blocks(options_)) {
    for (const auto& [i, j] : blocks) {
      rows.push_back(number(i));
      columns.push_back(number(j));
    }
    held_matrix_.emplace(mesh.own, rows, columns, given);
    return;
  }
  for (const auto& [i, j] : blocks) {
    for (PetscInt column = 0; column < 3; ++column) {
      for (PetscInt row = 0; row < 3; ++row) {
        rows.push_back(fixed(i, row) ? -1 : 3 * number(i) + row);
        columns.push_back(fixed(i, row) ? -1 : 3 * number(j) + column);
      }
    }
  }
  entries_.assign(rows.size(), 0.0);
  entries_.resize(rows.size() + given.size(), 1.0);
  for (auto* places : {&rows, &columns}) places->insert(places->end(), given.begin(), given.end());
  const PetscInt own = 3 * mesh.own;
  la::check(MatCreate(MPI_COMM_WORLD, matrix_.out()), "MatCreate");
  la::check(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  la::check(MatSetType(matrix_, MATAIJ), "MatSetType");
  la::check(
      MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()),
      "MatSetPreallocationCOO");
}

/// Newton's method under the bounds h >= 0, if any.
void Mini::make_solver() {
  const PetscInt own = 3 * land_.mesh.own;
  for (auto* v : {&x_, &residual_, &lower_, &upper_}) *v = la::vector(own);
  la::check(VecSet(upper_, PETSC_INFINITY), "VecSet");
  {
    const la::Values lower(lower_);
    for (PetscInt i = 0; i < own; ++i) lower.data()[i] = i % 3 == 0 && mini_.bound ? 0.0 : PETSC_NINFINITY;
  }

  const Mat matrix = held_matrix_ ? held_matrix_->shell() : matrix_.raw();
  la::check(SNESCreate(MPI_COMM_WORLD, solver_.out()), "SNESCreate");
  la::check(SNESSetOptionsPrefix(solver_, "water_"), "SNESSetOptionsPrefix");
  la::check(SNESSetType(solver_, SNESVINEWTONRSLS), "SNESSetType");
  la::check(SNESSetFunction(solver_, residual_, residual_callback, this), "SNESSetFunction");
  la::check(SNESSetJacobian(solver_, matrix, matrix, jacobian_callback, this), "SNESSetJacobian");
  la::check(SNESSetConvergenceTest(solver_, converged_callback, this, nullptr), "SNESSetConvergenceTest");
  la::check(SNESVISetVariableBounds(solver_, lower_, upper_), "SNESVISetVariableBounds");
  SNESLineSearch search = nullptr;
  la::check(SNESGetLineSearch(solver_, &search), "SNESGetLineSearch");
  la::check(SNESLineSearchSetType(search, SNESLINESEARCHBT), "SNESLineSearchSetType");
}

/// GMRES, over an LU or overlapping blocks.
void Mini::make_preconditioner() {
  KSP linear = nullptr;
  PC preconditioner = nullptr;
  la::check(SNESGetKSP(solver_, &linear), "SNESGetKSP");
  la::check(KSPSetType(linear, KSPGMRES), "KSPSetType");
  la::check(KSPSetPCSide(linear, PC_RIGHT), "KSPSetPCSide");  // its norms are those of Newton's method
  la::check(KSPGetPC(linear, &preconditioner), "KSPGetPC");
  if (held_matrix_) {
    la::check(PCSetType(preconditioner, PCSHELL), "PCSetType");
    la::check(PCShellSetContext(preconditioner, this), "PCShellSetContext");
    la::check(PCShellSetSetUp(preconditioner, factorise_callback), "PCShellSetSetUp");
    la::check(PCShellSetApply(preconditioner, apply_callback), "PCShellSetApply");
  } else if (options_.direct) {
    la::choose_factorisation(preconditioner, static_cast<PetscInt>(3 * land_.mesh.all_vertices));
  } else {
    // Overlapping blocks: within one the friction's saddle is eliminated by an incomplete LU with fill.
    la::check(PCSetType(preconditioner, PCASM), "PCSetType");
    la::check(KSPGMRESSetRestart(linear, 100), "KSPGMRESSetRestart");
  }
  la::check(SNESSetLagPreconditionerPersists(solver_, PETSC_TRUE), "SNESSetLagPreconditionerPersists");
}

void Mini::forget() {
  made_ = worth_keeping_ = false;
  cells_.forget();
  la::forget_systems(solver_);
}

void Mini::spread(Vec x) {
  const double* values = nullptr;
  const std::ptrdiff_t own = 3 * land_.mesh.own;
  la::check(VecGetArrayRead(x, &values), "VecGetArrayRead");
  const bool other = !known_ || !std::equal(values, values + own, z_.begin());
  if (other) std::copy_n(values, own, z_.begin());
  la::check(VecRestoreArrayRead(x, &values), "VecRestoreArrayRead");
  if (!parallel::any(other)) return;
  halo3_.refresh(z_);
  known_ = false;
}

void Mini::residual(Vec x, Vec f) {
  spread(x);
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  if (!known_) {
    std::ranges::fill(f_, 0.0);
    cells_.residual(z_, before_, rain_, dt_, f_);
    halo3_.add(f_);
    for (std::size_t v = 0; v < own; ++v) {
      f_[3 * v] = held_[v] ? z_[3 * v] - boundary_.depth()[v] : f_[3 * v] - boundary_.inflow()[v];
      for (std::size_t d = 0; d < 2; ++d) {
        if (wall_[v]) f_[3 * v + 1 + d] = z_[3 * v + 1 + d] - wall_discharge[2 * v + d];
      }
    }
    known_ = true;
  }
  std::copy_n(f_.begin(), 3 * own, la::Values(f).data());
}

void Mini::jacobian(Vec x, Mat matrix) {
  spread(x);
  if (held_matrix_) {
    held_matrix_->clear();
    cells_.jacobian(z_, dt_,
                    [&](std::size_t cell, const auto& blocks) { held_matrix_->add(9 * cell, blocks); });
    held_matrix_->assemble();
  } else {
    cells_.jacobian(z_, dt_, [&](std::size_t cell, const auto& blocks) {
      std::ranges::copy(blocks, entries_.begin() + std::ssize(blocks) * static_cast<std::ptrdiff_t>(cell));
    });
    la::check(MatSetValuesCOO(matrix, entries_.data(), INSERT_VALUES), "MatSetValuesCOO");
  }
  aim();
}

void Mini::aim() {
  PetscInt iteration = 0;
  double norm = 0;
  la::check(SNESGetIterationNumber(solver_, &iteration), "SNESGetIterationNumber");
  la::check(SNESGetFunctionNorm(solver_, &norm), "SNESGetFunctionNorm");
  if (iteration == 0 && target_ == 0) {
    target_ = options_.tolerance * norm;
    bearable_ = 3e-4 * options_.step_tolerance * norm;
  }
  // With an LU that is kept: Eisenstat, Walker 1996 (their second choice), but no more than what leads to the
  // end. Else so far that what rounding changes, which isn't the same twice across ranks, stays far below the
  // target.
  const double ratio = norm / last_norm_;
  const double useful = iteration == 0 ? 1e-6 : std::min(1e-3, 0.5 * ratio * ratio);
  const double enough = options_.direct ? std::clamp(0.05 * target_ / norm, useful, 0.1) : 1e-11;
  last_norm_ = norm;
  KSP linear = nullptr;
  la::check(SNESGetKSP(solver_, &linear), "SNESGetKSP");
  la::check(KSPSetTolerances(linear, enough, 1e-300, PETSC_DEFAULT, 400), "KSPSetTolerances");
}

PetscErrorCode Mini::residual_callback(SNES, Vec x, Vec f, void* self) {
  return la::called_back([&] { static_cast<Mini*>(self)->residual(x, f); });
}
PetscErrorCode Mini::jacobian_callback(SNES, Vec x, Mat, Mat matrix, void* self) {
  return la::called_back([&] { static_cast<Mini*>(self)->jacobian(x, matrix); });
}

/// By the residual alone, as PETSc judges where unknowns have bounds. Thin water leaves Newton's method
/// creeping, for its |q| is far below epsilon: what is left then is taken, if it is bearable.
PetscErrorCode Mini::converged_callback(SNES solver, PetscInt iteration, double, double, double norm,
                                        SNESConvergedReason* reason, void* context) {
  constexpr double slow = 0.1;  // an iterate that leaves more than so much of the last one's residual
  auto* const self = static_cast<Mini*>(context);
  return la::called_back([&] {
    double least = 0, relative = 0;
    la::check(SNESGetTolerances(solver, &least, &relative, nullptr, nullptr, nullptr), "SNESGetTolerances");
    if (iteration == 0) self->first_ = norm;
    const bool creeps = iteration > 0 && norm > slow * self->tested_;
    self->tested_ = norm;
    *reason = std::isnan(norm)                                  ? SNES_DIVERGED_FNORM_NAN
              : norm < least                                    ? SNES_CONVERGED_FNORM_ABS
              : iteration > 0 && norm < relative * self->first_ ? SNES_CONVERGED_FNORM_RELATIVE
              : creeps && norm <= self->bearable_               ? SNES_CONVERGED_FNORM_ABS
                                                                : SNES_CONVERGED_ITERATING;
  });
}

PetscErrorCode Mini::factorise_callback(PC preconditioner) {
  return la::called_back([&] {
    Mini* self = nullptr;
    la::check(PCShellGetContext(preconditioner, &self), "PCShellGetContext");
    IS free = nullptr;
    la::check(SNESVIGetInactiveSet(self->solver_, &free), "SNESVIGetInactiveSet");
    const bool made = self->held_matrix_->prepare(free, self->may_keep_);
    self->may_keep_ = self->patient_;
    la::check(PCSetFailedReason(preconditioner, made ? PC_NOERROR : PC_FACTOR_NUMERIC_ZEROPIVOT),
              "PCSetFailedReason");
  });
}
PetscErrorCode Mini::apply_callback(PC preconditioner, Vec b, Vec x) {
  return la::called_back([&] {
    Mini* self = nullptr;
    la::check(PCShellGetContext(preconditioner, &self), "PCShellGetContext");
    self->held_matrix_->solve(b, x);
  });
}

void Mini::predict(const Water& water) {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  // Lagrange's polynomial through the times known.
  double weight[3] = {1, 0, 0}, time[3] = {water.time, 0, 0};
  const std::size_t known = 1 + water.earlier.size();
  for (std::size_t k = 1; k < known; ++k) time[k] = water.earlier[k - 1].time;
  for (std::size_t k = 0; k < known; ++k) {
    weight[k] = 1;
    for (std::size_t j = 0; j < known; ++j) {
      if (j != k) weight[k] *= (water.time + dt_ - time[j]) / (time[k] - time[j]);
    }
  }
  const auto extended = [&](const auto& field, std::size_t i) {
    double sum = weight[0] * field(water)[i];
    for (std::size_t k = 1; k < known; ++k) sum += weight[k] * field(water.earlier[k - 1])[i];
    return sum;
  };
  const auto depth = [](const auto& state) -> const auto& {
    return state.depth;
  };
  const auto discharge = [](const auto& state) -> const auto& {
    return state.discharge;
  };
  start_.resize(3 * own);
  // Where a front passes, no polynomial holds: a start there is the water as it is.
  for (std::size_t v = 0; v < own; ++v) {
    const double h = water.depth[v], next = extended(depth, v);
    const bool smooth = h > 1e-2 && std::abs(next - h) < 0.5 * h;
    start_[3 * v] = held_[v] ? boundary_.depth()[v] : smooth ? next : h;
    for (std::size_t d = 0; d < 2; ++d)
      start_[3 * v + 1 + d] = wall_[v] ? wall_discharge[2 * v + d]
                              : smooth ? extended(discharge, 2 * v + d)
                                       : water.discharge[2 * v + d];
  }
}

bool Mini::solve(const Water& water, Outcome& outcome) {
  predict(water);
  // A start that is good already mustn't be asked for as much again: the tolerance is relative to the storage
  // term, which is what is left of F where the water's state goes on as it is, to a third of what a step that
  // adapts may get wrong; and to friction, a millionth of which is what slow water's discharge needs lest its
  // errors pass for changes.
  target_ = bearable_ = 0;
  const double least = std::clamp(1e-2 * options_.tolerance, 1e-13, 1e-10);
  if (!water.earlier.empty()) {
    double storage = 0, friction = 0;
    const double power = 1 / land_.law.slope_power;
    for (std::size_t v = 0; v < start_.size() / 3; ++v) {
      const double size = std::hypot(water.discharge[2 * v], water.discharge[2 * v + 1]);
      storage += std::pow(land_.area[v] * (water.rate[v] + rain_[v]) + boundary_.inflow()[v], 2);
      friction += std::pow(land_.area[v] * land_.gravity * std::pow(size / land_.conveyance[v], power), 2);
    }
    storage = std::sqrt(parallel::sum(storage));
    friction = std::sqrt(parallel::sum(friction));
    const double relative = std::max(options_.tolerance, 0.3 * options_.step_tolerance);
    target_ = std::max(least, std::min(relative * storage, 1e-6 * friction));
    if (options_.step_tolerance > 0) bearable_ = std::min(1e-3 * relative * storage, 1e-5 * friction);
  }
  la::check(SNESSetTolerances(solver_, std::max(target_, least), target_ > 0 ? 1e-50 : options_.tolerance,
                              options_.tolerance, options_.most_iterations, 100000),
            "SNESSetTolerances");
  // First with what may be left of a factorisation, then with one for each iteration.
  for (const bool patient : {true, false}) {
    std::ranges::copy(start_, la::Values(x_).data());
    const bool reuse = patient && made_ && worth_keeping_;
    patient_ = patient;
    may_keep_ = patient && made_ && dt_ == made_for_;
    // -1: the factorisation stays; 1: each iteration asks for its own.
    if (!held_matrix_)
      la::check(SNESSetLagPreconditioner(solver_, reuse ? -1 : 1), "SNESSetLagPreconditioner");
    const auto code = la::solve(solver_, x_);
    PetscInt iterations = 0, linear = 0;
    la::check(SNESGetIterationNumber(solver_, &iterations), "SNESGetIterationNumber");
    la::check(SNESGetLinearSolveIterations(solver_, &linear), "SNESGetLinearSolveIterations");
    outcome.iterations = static_cast<int>(iterations);
    double left = 0;
    la::check(SNESGetFunctionNorm(solver_, &left), "SNESGetFunctionNorm");
    made_ = code > 0 || (iterations > 0 && left <= bearable_);
    made_for_ = dt_;
    worth_keeping_ =
        made_ && options_.direct && iterations <= 4 && linear <= 4 * std::max<PetscInt>(iterations, 1);
    if (made_) return true;
    outcome.why = la::reason(code);
    if (!held_matrix_ && !reuse) return false;
  }
  return false;
}

void Mini::close_storage() {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  std::vector<double> change(land_.mesh.size()), stored(land_.mesh.size());
  // Richardson's iteration by Chebyshev's roots on [1/4, 1]: the eigenvalues of the consistent mass matrix
  // over the lumped one lie there (Wathen 1987).
  constexpr double root[] = {0.9714547, 0.2785453, 0.7685063, 0.4814937};
  for (int pass = 0; pass < (mini_.lumped ? 1 : 40); ++pass) {
    const double time = mini_.lumped ? dt_ : dt_ / root[pass % 4];
    double worst = 0;
    for (std::size_t v = 0; v < own; ++v) {
      const double h = z_[3 * v], wish = -time * f_[3 * v] / land_.area[v];
      const bool free = h > 0 || !mini_.bound;
      change[v] = !free || held_[v] ? 0 : mini_.bound ? std::max(-h, wish) : wish;
      if (free) worst = std::max(worst, std::abs(change[v]));
      z_[3 * v] += change[v];
    }
    halo_.refresh(change);
    std::ranges::fill(stored, 0.0);
    for (std::size_t c = 0; c < land_.mesh.cells.size(); ++c) {
      const auto& vertex = land_.mesh.cells[c];
      double sum = 0;
      for (const int v : vertex) sum += change[static_cast<std::size_t>(v)];
      for (const int v : vertex) {
        const double own_change = change[static_cast<std::size_t>(v)];
        stored[static_cast<std::size_t>(v)] +=
            area_[c] / dt_ * (mini_.lumped ? own_change / 3 : (own_change + sum) / 12);
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
  dt_ = dt;
  rain_ = rain;
  before_ = water.depth;
  boundary_.set(water.time, water.time + dt);
  known_ = false;
  const std::vector<double> bubbles = cells_.bubbles();
  if (!solve(water, outcome)) {
    cells_.set_bubbles(bubbles);
    return outcome;
  }
  residual(x_, residual_);
  close_storage();

  Water next = water;
  for (std::size_t v = 0; v < next.depth.size(); ++v) {
    next.depth[v] = mini_.bound ? std::max(0.0, z_[3 * v]) : z_[3 * v];
    for (std::size_t d = 0; d < 2; ++d) next.discharge[2 * v + d] = z_[3 * v + 1 + d];
  }
  next.rate.resize(next.depth.size());
  for (std::size_t v = 0; v < next.depth.size(); ++v)
    next.rate[v] = (next.depth[v] - water.depth[v]) / dt - (rain[v] + boundary_.inflow()[v] / land_.area[v]);
  account(water, next, outcome);
  if (next.earlier.size() == most_earlier) next.earlier.pop_back();
  next.earlier.insert(next.earlier.begin(), {water.time, water.depth, water.discharge});
  water = std::move(next);
  water.time += dt;
  outcome.converged = true;
  return outcome;
}

void Mini::account(const Water& water, const Water& next, Outcome& outcome) const {
  const auto own = static_cast<std::size_t>(land_.mesh.own);
  std::vector<double> rained(own), came(own), kept(own), now(own), wrong(own), clipped(own), held(own), in,
      out;
  for (std::size_t v = 0; v < own; ++v) {
    const double area = land_.area[v];
    rained[v] = area * dt_ * rain_[v];
    came[v] = dt_ * boundary_.inflow()[v];
    kept[v] = area * (next.depth[v] - water.depth[v]);
    now[v] = area * next.depth[v];
    wrong[v] =
        held_[v] ? 0 : area * 0.5 * dt_ * std::abs(next.rate[v] - (water.rate.empty() ? 0 : water.rate[v]));
    clipped[v] = mini_.bound && !held_[v] && next.depth[v] == 0 ? dt_ * f_[3 * v] : 0;
    held[v] = held_[v];
  }
  for (const auto& opening : openings_) {
    for (const int end : opening.ends) {
      const auto v = static_cast<std::size_t>(end);
      const double leaves =
          dt_ * (next.discharge[2 * v] * opening.normal[0] + next.discharge[2 * v + 1] * opening.normal[1]);
      // Nothing comes in over land that was dry: q there, if inward, is what Newton's method has left.
      const bool was_dry = water.depth[v] == 0 && !held_[v];
      (leaves > 0 || was_dry ? out : in).push_back(leaves);
    }
  }
  const std::vector<std::span<const double>> columns{rained, came, kept, now, wrong, clipped, held, in, out};
  const auto sums = parallel::reproducible_sums(columns);
  outcome.ledger.rain = sums[0];
  outcome.ledger.inflow = sums[1] - sums[7];
  outcome.ledger.outflow = sums[8];
  outcome.ledger.clipped = sums[5];
  // What is missing came or went where depths are given, if any are.
  const double missing = sums[6] > 0 ? sums[2] - outcome.ledger.balance() : 0.0;
  (missing > 0 ? outcome.ledger.inflow : outcome.ledger.outflow) += std::abs(missing);
  outcome.close(sums[2], sums[3], sums[4]);
}

std::unique_ptr<Scheme> mini_scheme(const Landscape& landscape, const MiniOptions& mini,
                                    const SolverOptions& options) {
  return scheme_at_unit_size(
      landscape, [&](const Landscape& land) { return std::make_unique<Mini>(land, mini, options); });
}

std::string mini_solver(std::int64_t vertices, const SolverOptions& options) {
  return "SNES vinewtonrsls, systems by GMRES over " +
         (factorises_blocks(options) ? "an LU in blocks of three of its own"
          : options.direct           ? "an LU by " + la::factorisation(static_cast<PetscInt>(3 * vertices))
                                     : std::string("additive Schwarz blocks (asm)"));
}

}  // namespace cotangent::overland
