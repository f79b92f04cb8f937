// SPDX-License-Identifier: BSD-3-Clause
#include "rods/rattle.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "rods/solvers.hpp"

namespace cotangent::rods {

using la::check;

template <int D>
RodRattle<D>::RodRattle(RodBlock<D> block, const RodOptions& options) {
  if (!options.project) block.check_start(1e-9);
  RodOptions chosen = options;
  if (!(chosen.step != 0) || !std::isfinite(chosen.step))
    throw Error("a step of RATTLE must be a number other than 0");
  const double extent = block.extent();
  if (chosen.tolerance == 0) chosen.tolerance = default_tolerance(extent);
  if (!(chosen.tolerance >= round_off(extent))) {
    std::ostringstream text;
    text << "constraint_tolerance = " << chosen.tolerance << " is below round-off: lengths are known to "
         << round_off(extent) << " in a system of size " << extent;
    throw Error(text.str());
  }
  solvers_ = std::make_unique<Solvers>(std::move(block), chosen);
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
std::string RodRattle<D>::solver() const {
  const auto types = [](KSP solver) {
    KSPType type = nullptr;
    PC preconditioner = nullptr;
    PCType how = nullptr;
    check(KSPGetType(solver, &type), "KSPGetType");
    check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
    check(PCGetType(preconditioner, &how), "PCGetType");
    std::string text = std::string("KSP ") + type + " with PC " + how;
    const char* name = nullptr;
    if (how == std::string(PCSHELL)) check(PCShellGetName(preconditioner, &name), "PCShellGetName");
    return name == nullptr ? text : text + " (" + name + ")";
  };
  const Solvers& s = *solvers_;
  KSP inner = nullptr;
  SNESType newton = nullptr;
  check(SNESGetKSP(s.newton, &inner), "SNESGetKSP");
  check(SNESGetType(s.newton, &newton), "SNESGetType");
  const std::string by_petsc = std::string("SNES ") + newton + ", " + types(inner);
  const std::string linear = types(s.linear);
  const auto own = [](const RodMultipliers<D>& matrix) {
    return matrix.elimination() != Elimination::by_petsc;
  };
  const auto elimination = [](const RodMultipliers<D>& matrix) {
    return std::string(matrix.elimination() == Elimination::of_chain
                           ? "tridiagonal elimination"
                           : "elimination of each molecule in lanes");
  };
  if (own(s.position_matrix) && own(s.velocity_matrix))
    return "steps by the project's own Newton's method and " + elimination(s.position_matrix) +
           "; the start and samples by PETSc's " + linear + ", and steps that fail by its " + by_petsc;
  return "positions by " +
         (own(s.position_matrix) ? "the project's own Newton's method and " + elimination(s.position_matrix)
                                 : "PETSc's " + by_petsc) +
         ", velocities by " +
         (own(s.velocity_matrix) ? "the project's own " + elimination(s.velocity_matrix)
                                 : "PETSc's " + linear);
}
template <int D>
void RodRattle<D>::rehearse() {
  const RodMemory before = memory();
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
  return parallel::sum(solvers_->block.potential_energy()) + pair_energy();
}
template <int D>
double RodRattle<D>::pair_energy() const {
  return solvers_->pairs ? solvers_->pairs->energy() : 0.0;
}
template <int D>
std::int64_t RodRattle<D>::lists() const {
  return solvers_->pairs ? solvers_->pairs->lists() : 0;
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
RodMemory RodRattle<D>::memory() const {
  const Solvers& s = *solvers_;
  RodMemory memory{s.effort.steps,
                   s.effort.newton_iterations,
                   s.effort.linear_solves,
                   s.effort.linear_iterations,
                   s.constraint_error,
                   s.velocity_error,
                   s.block.reported(s.block.position),
                   s.block.reported(s.block.velocity),
                   {},
                   {}};
  for (const auto& [v, values] : {std::pair(&s.last, &memory.last), std::pair(&s.before, &memory.before)}) {
    const double* from = nullptr;
    check(VecGetArrayRead(*v, &from), "VecGetArrayRead");
    values->assign(from, from + s.block.own_count());
    check(VecRestoreArrayRead(*v, &from), "VecRestoreArrayRead");
  }
  return memory;
}

template <int D>
void RodRattle<D>::restore(const RodMemory& memory) {
  Solvers& s = *solvers_;
  const auto points = D * static_cast<std::size_t>(s.block.reported_count()),
             rods = static_cast<std::size_t>(s.block.own_count());
  if (parallel::any(memory.position.size() != points || memory.velocity.size() != points ||
                    memory.last.size() != rods || memory.before.size() != rods))
    throw Error("the state of another system of rods, or of other ranks");
  s.effort = {memory.steps, memory.newton_iterations, memory.linear_solves, memory.linear_iterations};
  s.block.take_reported(memory.position, s.block.position);
  s.block.take_reported(memory.velocity, s.block.velocity);
  s.feel(0.0);
  s.measure();
  s.block.old_gradient = s.block.gradient;
  s.constraint_error = memory.constraint_error;
  s.velocity_error = memory.velocity_error;
  for (const auto& [v, values] : {std::pair(&s.last, &memory.last), std::pair(&s.before, &memory.before)}) {
    double* into = nullptr;
    check(VecGetArrayWrite(*v, &into), "VecGetArrayWrite");
    std::ranges::copy(*values, into);
    check(VecRestoreArrayWrite(*v, &into), "VecRestoreArrayWrite");
  }
}

template class RodRattle<2>;
template class RodRattle<3>;

}  // namespace cotangent::rods
