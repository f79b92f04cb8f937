#include "particles/rod_rattle.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "parallel/mpi.hpp"
#include "particles/rod_multipliers.hpp"

namespace cotangent::particles {

using la::check;

template <int D>
struct RodRattle<D>::Solvers {
  RodOptions options;
  RodBlock<D> block;
  RodHalo<D> halo;
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

  Solvers(const RodSystem<D>& system, const RodOptions& chosen)
      : options(chosen),
        block(system, parallel::rank(), parallel::size()),
        halo(block),
        position_matrix(block, halo, system, options.formulation, "position_"),
        velocity_matrix(block, halo, system, options.formulation, "velocity_"),
        known(static_cast<std::size_t>(block.known_count())),
        noise(16 * round_off(system)) {
    for (la::Vector* v : {&multiplier, &last, &before, &residual, &rate, &push}) {
      *v = la::vector(static_cast<PetscInt>(block.own_count()));
      check(VecSet(*v, 0.0), "VecSet");
    }
    check(SNESCreate(PETSC_COMM_WORLD, newton.out()), "SNESCreate");
    check(SNESSetOptionsPrefix(newton, "position_"), "SNESSetOptionsPrefix");
    check(SNESSetType(newton, SNESNEWTONLS), "SNESSetType");
    check(SNESSetFunction(newton, residual, function, this), "SNESSetFunction");
    check(SNESSetJacobian(newton, position_matrix.matrix(), position_matrix.matrix(), jacobian, this),
          "SNESSetJacobian");
    check(SNESSetConvergenceTest(newton, converged, this, nullptr), "SNESSetConvergenceTest");
    check(SNESSetTolerances(newton, 0, 0, 0, options.iterations, 1000), "SNESSetTolerances");
    KSP inner = nullptr;
    check(SNESGetKSP(newton, &inner), "SNESGetKSP");
    position_matrix.configure(inner);
    use_line_search(SNESLINESEARCHBASIC);
    check(SNESSetFromOptions(newton), "SNESSetFromOptions");
    check(KSPCreate(PETSC_COMM_WORLD, linear.out()), "KSPCreate");
    check(KSPSetOptionsPrefix(linear, "velocity_"), "KSPSetOptionsPrefix");
    velocity_matrix.configure(linear);
    check(KSPSetFromOptions(linear), "KSPSetFromOptions");
  }

  /// The plain one computes no norms: errors are measured as lengths, in the function itself.
  void use_line_search(SNESLineSearchType type) {
    SNESLineSearch search = nullptr;
    check(SNESGetLineSearch(newton, &search), "SNESGetLineSearch");
    check(SNESLineSearchSetType(search, type), "SNESLineSearchSetType");
    const bool plain = std::string(type) == SNESLINESEARCHBASIC;
    check(SNESLineSearchSetComputeNorms(search, plain ? PETSC_FALSE : PETSC_TRUE),
          "SNESLineSearchSetComputeNorms");
  }

  static PetscErrorCode function(SNES, Vec x, Vec g, void* context) {
    return la::called_back([&] {
      Solvers& self = *static_cast<Solvers*>(context);
      self.halo.fill(x, self.known);
      double* values = nullptr;
      check(VecGetArrayWrite(g, &values), "VecGetArrayWrite");
      const double here =
          self.block.constrain(self.known, {values, static_cast<std::size_t>(self.block.own_count())});
      check(VecRestoreArrayWrite(g, &values), "VecRestoreArrayWrite");
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
      check(SNESGetIterationNumber(newton, &iterations), "SNESGetIterationNumber");
      check(SNESGetLinearSolveIterations(newton, &linear_iterations), "SNESGetLinearSolveIterations");
      effort.newton_iterations += iterations;
      effort.linear_solves += iterations;
      effort.linear_iterations += linear_iterations;
      if (code < 0) failure = la::reason(code);
      return code > 0;
    };
    if (position_matrix.direct() ? constrain_directly() : attempt()) return true;
    use_line_search(SNESLINESEARCHBT);
    check(VecSet(multiplier, 0.0), "VecSet");
    const bool found = attempt();
    use_line_search(SNESLINESEARCHBASIC);
    return found;
  }

  /// G v = 0 by multipliers at the present gradients; a second and third solve where round-off asks for it.
  bool make_tangent() {
    if (!velocity_matrix.direct()) velocity_matrix.assemble(block.gradient, block.gradient);
    const auto count = static_cast<std::size_t>(block.own_count());
    double last_worst = std::numeric_limits<double>::infinity();
    for (int round = 0;; ++round) {
      double* values = nullptr;
      check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
      const double worst = parallel::maximum(block.rates({values, count}));
      check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
      if (!std::isfinite(worst)) {
        failure = "the velocities became infinite or NaN";
        return false;
      }
      velocity_error = worst;
      if (round > 0 && (worst <= 4e-15 || worst > 0.5 * last_worst || round == 4)) return true;
      last_worst = worst;
      PetscInt iterations = 1;
      if (velocity_matrix.direct()) {
        velocity_matrix.solve(block.gradient, block.gradient, la::Values(rate).data(), known.data());
      } else {
        la::solve(linear, rate, push);
        check(KSPGetIterationNumber(linear, &iterations), "KSPGetIterationNumber");
        halo.fill(push, known);
      }
      effort.linear_solves += 1;
      effort.linear_iterations += iterations;
      block.push(known, -1.0);
    }
  }

  void measure() {
    double* values = nullptr;
    check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
    constraint_error =
        parallel::maximum(block.measure({values, static_cast<std::size_t>(block.own_count())}));
    check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
    halo.fill(block.gradient);
  }

  /// The multipliers at this instant into `push`: G M^-1 G^T lambda = -(v.Hv + G.f).
  void solve_accelerations() {
    velocity_matrix.assemble(block.gradient, block.gradient);
    double* values = nullptr;
    check(VecGetArrayWrite(rate, &values), "VecGetArrayWrite");
    block.accelerations({values, static_cast<std::size_t>(block.own_count())});
    check(VecRestoreArrayWrite(rate, &values), "VecRestoreArrayWrite");
    check(VecScale(rate, -1.0), "VecScale");
    la::solve(linear, rate, push);
    // Refined once, with the residual from the factors G M^-1 G^T, not from their product.
    const auto count = static_cast<std::size_t>(block.own_count());
    halo.fill(push, known);
    std::vector<double> product(count);
    block.apply(known, block.gradient, block.gradient, product);
    check(VecGetArray(rate, &values), "VecGetArray");
    for (std::size_t k = 0; k < count; ++k) values[k] -= product[k];
    check(VecRestoreArray(rate, &values), "VecRestoreArray");
    la::solve(linear, rate, residual);
    check(VecAXPY(push, 1.0, residual), "VecAXPY");
  }

  void project() {
    measure();
    block.old_gradient = block.gradient;
    block.predict_here();
    check(VecSet(multiplier, 0.0), "VecSet");
    if (!constrain())
      throw Error("the start can't be moved onto the constraints: " + failure +
                  "; give positions closer to where all rods have their lengths");
    block.accept(0.0);
    measure();
    if (!make_tangent()) throw Error("the start's velocities can't be made tangent: " + failure);
  }

  void start() {
    measure();
    block.old_gradient = block.gradient;
    solve_accelerations();
    const double h = options.step;
    check(VecCopy(push, last), "VecCopy");
    check(VecScale(last, 0.5 * h * h), "VecScale");
    check(VecCopy(last, before), "VecCopy");
  }

  Status advance() {
    const double h = options.step;
    block.predict(h);
    // Extrapolated: 2 Lambda_n - Lambda_(n-1).
    check(VecCopy(before, multiplier), "VecCopy");
    check(VecAXPBY(multiplier, 2.0, -1.0, last), "VecAXPBY");
    if (!constrain()) {
      block.gradient = block.old_gradient;
      return std::isfinite(error) ? Status::newton_diverged : Status::non_finite;
    }
    constraint_error = error;
    block.accept(h);
    halo.fill(block.gradient);
    try {
      if (!make_tangent()) {
        block.revert();
        block.gradient = block.old_gradient;
        return Status::non_finite;
      }
    } catch (const la::PetscFailure& error) {
      failure = error.what();
      block.revert();
      block.gradient = block.old_gradient;
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

template <int D>
double RodRattle<D>::round_off(const RodSystem<D>& system) {
  return std::numeric_limits<double>::epsilon() * system.extent();
}

template <int D>
double RodRattle<D>::default_tolerance(const RodSystem<D>& system) {
  return 1e-14 * system.extent();
}

template <int D>
RodRattle<D>::RodRattle(const RodSystem<D>& system, const RodOptions& options) {
  system.check();
  if (!options.project) system.check_start(1e-9);
  RodOptions chosen = options;
  if (!(chosen.step != 0) || !std::isfinite(chosen.step))
    throw Error("a step of RATTLE must be a number other than 0");
  if (chosen.tolerance == 0) chosen.tolerance = default_tolerance(system);
  if (!(chosen.tolerance >= round_off(system))) {
    std::ostringstream text;
    text << "constraint_tolerance = " << chosen.tolerance << " is below round-off: lengths are known to "
         << round_off(system) << " in a system of size " << system.extent();
    throw Error(text.str());
  }
  solvers_ = std::make_unique<Solvers>(system, chosen);
  if (chosen.project) solvers_->project();
  solvers_->start();
}

template <int D>
RodRattle<D>::~RodRattle() = default;
template <int D>
RodRattle<D>::RodRattle(RodRattle&&) noexcept = default;

template <int D>
Status RodRattle<D>::advance() {
  return solvers_->advance();
}
template <int D>
void RodRattle<D>::rehearse() {
  const std::vector<double> before = memory();
  solvers_->advance();
  solvers_->failure.clear();
  restore(before);
}
template <int D>
const std::string& RodRattle<D>::failure() const {
  return solvers_->failure;
}
template <int D>
double RodRattle<D>::time() const {
  return solvers_->options.step * static_cast<double>(solvers_->effort.steps);
}
template <int D>
const RodBlock<D>& RodRattle<D>::block() const {
  return solvers_->block;
}
template <int D>
double RodRattle<D>::kinetic_energy() const {
  return parallel::sum(solvers_->block.kinetic_energy());
}
template <int D>
double RodRattle<D>::potential_energy() const {
  return parallel::sum(solvers_->block.potential_energy());
}
template <int D>
double RodRattle<D>::constraint_error() const {
  return solvers_->constraint_error;
}
template <int D>
double RodRattle<D>::velocity_error() const {
  return solvers_->velocity_error;
}
template <int D>
const RodEffort& RodRattle<D>::effort() const {
  return solvers_->effort;
}

template <int D>
std::vector<double> RodRattle<D>::multipliers() {
  Solvers& s = *solvers_;
  s.block.gradient = s.block.old_gradient;
  s.solve_accelerations();
  const double* values = nullptr;
  check(VecGetArrayRead(s.push, &values), "VecGetArrayRead");
  const std::vector<double> result(values, values + s.block.own_count());
  check(VecRestoreArrayRead(s.push, &values), "VecRestoreArrayRead");
  return result;
}

template <int D>
std::vector<double> RodRattle<D>::memory() const {
  const Solvers& s = *solvers_;
  std::vector<double> memory{static_cast<double>(s.effort.steps),
                             static_cast<double>(s.effort.newton_iterations),
                             static_cast<double>(s.effort.linear_solves),
                             static_cast<double>(s.effort.linear_iterations),
                             s.constraint_error,
                             s.velocity_error};
  for (const auto* vectors : {&s.block.position, &s.block.velocity}) {
    for (const auto& x : *vectors) memory.insert(memory.end(), x.begin(), x.end());
  }
  for (const la::Vector* v : {&s.last, &s.before}) {
    const double* values = nullptr;
    check(VecGetArrayRead(*v, &values), "VecGetArrayRead");
    memory.insert(memory.end(), values, values + s.block.own_count());
    check(VecRestoreArrayRead(*v, &values), "VecRestoreArrayRead");
  }
  return memory;
}

template <int D>
void RodRattle<D>::restore(const std::vector<double>& memory) {
  Solvers& s = *solvers_;
  const std::size_t expected =
      6 + 2 * D * s.block.position[0].size() + 2 * static_cast<std::size_t>(s.block.own_count());
  if (memory.size() != expected) throw Error("the state of another system of rods, or of other ranks");
  const double* from = memory.data();
  s.effort.steps = static_cast<std::int64_t>(*from++);
  s.effort.newton_iterations = static_cast<std::int64_t>(*from++);
  s.effort.linear_solves = static_cast<std::int64_t>(*from++);
  s.effort.linear_iterations = static_cast<std::int64_t>(*from++);
  from += 2;
  for (auto* vectors : {&s.block.position, &s.block.velocity}) {
    for (auto& x : *vectors) {
      std::copy_n(from, x.size(), x.begin());
      from += x.size();
    }
  }
  s.measure();
  s.block.old_gradient = s.block.gradient;
  s.constraint_error = memory[4];
  s.velocity_error = memory[5];
  for (la::Vector* v : {&s.last, &s.before}) {
    double* values = nullptr;
    check(VecGetArrayWrite(*v, &values), "VecGetArrayWrite");
    std::copy_n(from, s.block.own_count(), values);
    check(VecRestoreArrayWrite(*v, &values), "VecRestoreArrayWrite");
    from += s.block.own_count();
  }
}

template <int D>
void RodRattle<D>::restore(const RodSystem<D>& system, const std::vector<std::vector<double>>& memories) {
  const int ranks = static_cast<int>(memories.size());
  if (ranks == parallel::size()) return restore(memories[static_cast<std::size_t>(parallel::rank())]);
  // Whole vectors from the parts, copies of a point being equal; and this rank's part of them.
  const std::size_t points = system.mass.size(), rods = system.rods.size();
  std::vector<double> at_points(2 * D * points), at_rods(2 * rods);
  const auto each = [&](const RodBlock<D>& part, const auto& visit) {
    for (std::size_t k = 0; k < 2 * D; ++k) {
      for (int i = 0; i < part.point_count(); ++i)
        visit(at_points[k * points + static_cast<std::size_t>(part.point(i))]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      for (int i = 0; i < part.own_count(); ++i)
        visit(at_rods[k * rods + static_cast<std::size_t>(part.first_rod() + i)]);
    }
  };
  for (int r = 0; r < ranks; ++r) {
    const auto& memory = memories[static_cast<std::size_t>(r)];
    std::size_t next = 6;
    each(RodBlock<D>(system, r, ranks), [&](double& value) { value = memory.at(next++); });
  }
  std::vector<double> mine(memories[0].begin(), memories[0].begin() + 6);
  each(block(), [&](double value) { mine.push_back(value); });
  restore(mine);
}

template class RodRattle<2>;
template class RodRattle<3>;

}  // namespace cotangent::particles
