#include "particles/rod_rattle.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "particles/rod_solvers.hpp"

namespace cotangent::particles {

using la::check;

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
  s.feel(0.0);
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
