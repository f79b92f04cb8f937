// SPDX-License-Identifier: BSD-3-Clause
// What RodRattle solves in a step: Newton's method for the position multipliers, the linear system of the
// velocities', and the vectors that both keep from step to step. Part of rattle.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "rods/multipliers.hpp"
#include "rods/pairs.hpp"
#include "rods/rattle.hpp"

namespace cotangent::rods {

template <int D>
struct RodRattle<D>::Solvers {
  RodOptions options;
  RodBlock<D> block;
  RodHalo<D> halo;
  std::optional<RodPairs<D>> pairs;
  std::optional<AlikeMolecules<D>> molecules;
  RodMultipliers<D> position_matrix, velocity_matrix;
  la::NonlinearSolver newton;
  la::LinearSolver linear;
  la::Vector multiplier, last, before, residual, rate,
      push;  // Lambda = h^2 lambda / 2, now and in two steps past
  std::vector<double> known;
  double noise = 0, error = 0, last_error = 0, velocity_error = 0;
  bool stagnated = false;
  double constraint_error = 0;
  std::string failure;
  RodEffort effort;

  Solvers(RodBlock<D>&& part, const RodOptions& chosen)
      : options(chosen),
        block(std::move(part)),
        halo(block),
        molecules(AlikeMolecules<D>::of(block)),
        position_matrix(block, halo, options.formulation, molecules, "position_"),
        velocity_matrix(block, halo, options.formulation, molecules, "velocity_"),
        known(static_cast<std::size_t>(block.known_count())) {
    for (la::Vector* v : {&multiplier, &last, &before, &residual, &rate, &push}) {
      *v = la::vector(static_cast<PetscInt>(block.own_count()));
      la::check(VecSet(*v, 0.0), "VecSet");
    }
    const PairKernel* kernel = options.pairs.kernel;
    if (kernel != nullptr && kernel->cut().radius > 0) pairs.emplace(block, options.pairs);
    la::check(SNESCreate(MPI_COMM_WORLD, newton.out()), "SNESCreate");
    la::check(SNESSetOptionsPrefix(newton, "position_"), "SNESSetOptionsPrefix");
    la::check(SNESSetType(newton, SNESNEWTONLS), "SNESSetType");
    la::check(SNESSetFunction(newton, residual, function, this), "SNESSetFunction");
    la::check(SNESSetJacobian(newton, position_matrix.matrix(), position_matrix.matrix(), jacobian, this),
              "SNESSetJacobian");
    la::check(SNESSetConvergenceTest(newton, converged, this, nullptr), "SNESSetConvergenceTest");
    la::check(SNESSetTolerances(newton, 0, 0, 0, options.iterations, 1000), "SNESSetTolerances");
    KSP inner = nullptr;
    la::check(SNESGetKSP(newton, &inner), "SNESGetKSP");
    position_matrix.configure(inner);
    use_line_search(SNESLINESEARCHBASIC);
    la::check(SNESSetFromOptions(newton), "SNESSetFromOptions");
    la::check(KSPCreate(MPI_COMM_WORLD, linear.out()), "KSPCreate");
    la::check(KSPSetOptionsPrefix(linear, "velocity_"), "KSPSetOptionsPrefix");
    velocity_matrix.configure(linear);
    la::check(KSPSetFromOptions(linear), "KSPSetFromOptions");
  }

  /// The plain one computes no norms: errors are measured as lengths, in the function itself.
  void use_line_search(SNESLineSearchType type) {
    SNESLineSearch search = nullptr;
    la::check(SNESGetLineSearch(newton, &search), "SNESGetLineSearch");
    la::check(SNESLineSearchSetType(search, type), "SNESLineSearchSetType");
    const bool plain = std::string(type) == SNESLINESEARCHBASIC;
    la::check(SNESLineSearchSetComputeNorms(search, plain ? PETSC_FALSE : PETSC_TRUE),
              "SNESLineSearchSetComputeNorms");
  }

  static PetscErrorCode function(SNES, Vec x, Vec g, void* context) {
    return la::called_back([&] {
      Solvers& self = *static_cast<Solvers*>(context);
      self.halo.fill(x, self.known);
      double* values = nullptr;
      la::check(VecGetArrayWrite(g, &values), "VecGetArrayWrite");
      const double here =
          self.block.constrain(self.known, {values, static_cast<std::size_t>(self.block.own_count())});
      la::check(VecRestoreArrayWrite(g, &values), "VecRestoreArrayWrite");
      self.error = parallel::maximum(here);
    });
  }

  static PetscErrorCode jacobian(SNES, Vec, Mat, Mat, void* context) {
    return la::called_back([&] {
      Solvers& self = *static_cast<Solvers*>(context);
      if (self.options.formulation == Formulation::saddle_point) self.halo.fill(self.block.gradient);
      self.position_matrix.assemble(self.block.gradient, self.block.old_gradient);
    });
  }

  SNESConvergedReason judge(PetscInt iteration) {
    const double past = std::exchange(last_error, error);
    if (!std::isfinite(error)) return SNES_DIVERGED_FNORM_NAN;
    if (error <= options.tolerance) return SNES_CONVERGED_FNORM_ABS;
    // As close as round-off lets it come:
    if (iteration > 0 && error <= noise && error >= 0.25 * past) return SNES_CONVERGED_SNORM_RELATIVE;
    return SNES_CONVERGED_ITERATING;
  }
  static PetscErrorCode converged(SNES, PetscInt iteration, double, double, double,
                                  SNESConvergedReason* reason, void* context) {
    *reason = static_cast<Solvers*>(context)->judge(iteration);
    return PetscErrorCode{};
  }

  /// What SNES does for molecules that are all alike, each of which iterates for itself.
  bool constrain_molecules() {
    const la::Values x(multiplier);
    const auto [worst, most] =
        molecules->constrain(block, x.data(), {options.tolerance, noise, options.iterations});
    const auto of_all = parallel::maximum(std::vector<double>{worst, static_cast<double>(most)});
    error = of_all[0];
    const auto iterations = static_cast<std::int64_t>(of_all[1]);
    effort.newton_iterations += iterations;
    effort.linear_solves += iterations;
    effort.linear_iterations += iterations;
    return std::isfinite(error);
  }

  /// What SNES does for an open chain on one rank, without its calls: they take longer than short chains do.
  bool constrain_directly() {
    const la::Values x(multiplier), g(residual);
    const auto count = static_cast<std::size_t>(block.own_count());
    for (int iteration = 0;; ++iteration) {
      error = block.constrain({x.data(), count}, {g.data(), count});
      const SNESConvergedReason code = judge(iteration);
      if (code != SNES_CONVERGED_ITERATING || iteration == options.iterations) return code > 0;
      position_matrix.solve(block.gradient, block.old_gradient, g.data(), known.data());
      for (std::size_t k = 0; k < count; ++k) x.data()[k] -= known[k];
      ++effort.newton_iterations;
      ++effort.linear_solves;
      ++effort.linear_iterations;
    }
  }

  /// Newton's method from the multipliers given; where it fails, once more from none, with a line search.
  bool constrain() {
    const auto attempt = [&] {
      const SNESConvergedReason code = la::solve(newton, multiplier);
      PetscInt linear_iterations = 0, iterations = 0;
      la::check(SNESGetIterationNumber(newton, &iterations), "SNESGetIterationNumber");
      la::check(SNESGetLinearSolveIterations(newton, &linear_iterations), "SNESGetLinearSolveIterations");
      effort.newton_iterations += iterations;
      effort.linear_solves += iterations;
      effort.linear_iterations += linear_iterations;
      if (code < 0) failure = la::reason(code);
      return code > 0;
    };
    const Elimination how = position_matrix.elimination();
    if (how == Elimination::in_molecules ? constrain_molecules()
        : how == Elimination::of_chain   ? constrain_directly()
                                         : attempt())
      return true;
    use_line_search(SNESLINESEARCHBT);
    la::check(VecSet(multiplier, 0.0), "VecSet");
    const bool found = attempt();
    use_line_search(SNESLINESEARCHBASIC);
    return found;
  }

  /// G v = 0 in each molecule; false where multipliers weren't found.
  bool make_molecules_tangent() {
    const auto own = molecules->make_tangent(block);
    const auto of_all = parallel::maximum(std::vector<double>{
        own.along_square, own.speed_square, static_cast<double>(own.solves), own.found ? 0.0 : 1.0});
    if (of_all[3] != 0) return false;
    velocity_error = std::sqrt(of_all[0] / of_all[1]);
    effort.linear_solves += static_cast<std::int64_t>(of_all[2]);
    effort.linear_iterations += static_cast<std::int64_t>(of_all[2]);
    return true;
  }

  /// G v = 0 by multipliers at the present gradients; up to three solves more where round-off asks for them.
  /// The error that stays is told over the largest speed, that before the solves with it: rods at rest have
  /// no other.
  bool make_tangent() {
    const Elimination how = velocity_matrix.elimination();
    if (how == Elimination::in_molecules && make_molecules_tangent()) return true;  // else it is PETSc's turn
    if (how != Elimination::of_chain) velocity_matrix.assemble(block.gradient, block.gradient);
    const auto count = static_cast<std::size_t>(block.own_count());
    double last_worst = std::numeric_limits<double>::infinity(), largest_speed_square = 0;
    for (int round = 0;; ++round) {
      double* values = nullptr;
      la::check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
      const auto [own_along, own_speed] = block.rates({values, count});
      const auto squares = parallel::maximum(std::vector<double>{own_along, own_speed});
      const double worst = std::sqrt(squares[0] / squares[1]);
      la::check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
      if (!std::isfinite(worst)) {
        failure = "the velocities became infinite or NaN";
        return false;
      }
      largest_speed_square = std::max(largest_speed_square, squares[1]);
      velocity_error = std::sqrt(squares[0] / largest_speed_square);
      if (round > 0 && (worst <= 4e-15 || worst > 0.5 * last_worst || round == 4)) return true;
      last_worst = worst;
      PetscInt iterations = 1;
      if (how == Elimination::of_chain) {
        velocity_matrix.solve(block.gradient, block.gradient, la::Values(rate).data(), known.data());
      } else {
        la::solve(linear, rate, push);
        la::check(KSPGetIterationNumber(linear, &iterations), "KSPGetIterationNumber");
        halo.fill(push, known);
      }
      effort.linear_solves += 1;
      effort.linear_iterations += iterations;
      block.push(known, -1.0);
    }
  }

  /// The forces of pairs where the points are now; for a step h, corrects the velocities by them.
  void feel(double h) {
    if (pairs) block.feel(pairs->forces(), h);
  }

  /// How closely lengths are known: points may have flown far from where they began.
  void look_around() {
    noise = 16 * std::numeric_limits<double>::epsilon() *
            std::max(block.extent(), parallel::maximum(block.reach()));
  }

  void measure() {
    look_around();
    double* values = nullptr;
    la::check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
    constraint_error =
        parallel::maximum(block.measure({values, static_cast<std::size_t>(block.own_count())}));
    la::check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
    halo.fill(block.gradient);
  }

  /// The multipliers at this instant into `push`: G M^-1 G^T lambda = -(v.Hv + G.f).
  void solve_accelerations() {
    velocity_matrix.assemble(block.gradient, block.gradient);
    double* values = nullptr;
    la::check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
    block.accelerations({values, static_cast<std::size_t>(block.own_count())});
    la::check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
    la::check(VecScale(rate, -1.0), "VecScale");
    la::solve(linear, rate, push);
    // Refined once, with the residual from the factors G M^-1 G^T, not from their product.
    const auto count = static_cast<std::size_t>(block.own_count());
    halo.fill(push, known);
    std::vector<double> product(count);
    block.apply(known, block.gradient, block.gradient, product);
    la::check(VecGetArray(rate, &values), "VecGetArray");
    for (std::size_t k = 0; k < count; ++k) values[k] -= product[k];
    la::check(VecRestoreArray(rate, &values), "VecRestoreArray");
    la::solve(linear, rate, residual);
    la::check(VecAXPY(push, 1.0, residual), "VecAXPY");
  }

  void project() {
    measure();
    block.old_gradient = block.gradient;
    block.predict_here();
    la::check(VecSet(multiplier, 0.0), "VecSet");
    if (!constrain())
      throw Error("the start can't be moved onto the constraints: " + failure +
                  "; give positions closer to where all rods have their lengths");
    block.accept(0.0);
    measure();
    if (!make_tangent()) throw Error("the start's velocities can't be made tangent: " + failure);
  }

  void start() {
    feel(0.0);
    if (pairs) pairs->judge();
    measure();
    block.old_gradient = block.gradient;
    const auto dependent = [] {
      throw Error("the rods depend on each other where they begin: their multipliers aren't determined");
    };
    try {
      solve_accelerations();
    } catch (const la::PetscFailure&) {
      dependent();
    }
    {
      const la::Values found(push);
      bool finite = true;
      for (int k = 0; k < block.own_count(); ++k) finite = finite && std::isfinite(found.data()[k]);
      if (parallel::any(!finite)) dependent();
    }
    const double h = options.step;
    la::check(VecCopy(push, last), "VecCopy");
    la::check(VecScale(last, 0.5 * h * h), "VecScale");
    la::check(VecCopy(last, before), "VecCopy");
  }

  /// From the last two steps' multipliers to 2 Lambda_n - Lambda_(n-1).
  void extrapolate() {
    const la::Values now(multiplier), past(last), older(before);
    for (int k = 0; k < block.own_count(); ++k) now.data()[k] = 2.0 * past.data()[k] - older.data()[k];
  }

  Status advance() {
    const double h = options.step;
    block.predict(h);
    extrapolate();
    if (!constrain()) {
      block.gradient = block.old_gradient;
      return std::isfinite(error) ? Status::newton_diverged : Status::non_finite;
    }
    constraint_error = error;
    block.accept(h);
    look_around();
    feel(h);
    halo.fill(block.gradient);
    const auto take_back = [&] {
      block.revert();
      feel(0.0);
      block.gradient = block.old_gradient;
    };
    try {
      if (!make_tangent()) {
        take_back();
        return Status::non_finite;
      }
    } catch (const la::PetscFailure& error) {
      failure = error.what();
      take_back();
      return Status::newton_diverged;
    }
    block.old_gradient.swap(block.gradient);
    // Vectors rotate: the one before the last is free for the next.
    std::swap(before, last);
    std::swap(last, multiplier);
    ++effort.steps;
    return Status::pending;
  }
};

}  // namespace cotangent::rods
