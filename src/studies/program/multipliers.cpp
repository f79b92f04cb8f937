// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/multipliers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "integrators/options.hpp"
#include "la/petsc.hpp"
#include "parallel/mpi.hpp"
#include "particles/sparse_multipliers.hpp"
#include "studies/program/petsc_options.hpp"

namespace cotangent::studies {

namespace {

using particles::SparseMultipliers;

/// PETSc and the solver that uses it: members are destroyed in reverse order, so PETSc ends last.
struct PetscAndSolver {
  PetscAndSolver(const std::vector<std::string>& options, SparseMultipliers::Batch batch)
      : petsc(options), solver(batch) {}

  la::Petsc petsc;
  SparseMultipliers solver;
};

}  // namespace

std::string read_multipliers(const Task& task, const std::string& method,
                             const std::vector<std::string>& takers) {
  const io::Table table = task.deck.table("solver");
  std::string multipliers = "lanes";
  if (!table.keys().empty())
    multipliers = table.choice("multipliers", multipliers, integrators::option::multipliers.valid());
  if (multipliers == "petsc" && std::ranges::count(takers, method) == 0)
    throw table.error("multipliers", fmt::format("is nothing for the method '{}': {} take it", method,
                                                 fmt::join(takers, ", ")));
  if (multipliers != "petsc" && !task.petsc_options.empty())
    throw Error("PETSc option '" + task.petsc_options.front() +
                "' after --: nothing in this run asks for it: it solves no large systems unless [solver] "
                "multipliers = "
                "\"petsc\"");
  return multipliers;
}

std::shared_ptr<integrators::MultiplierSolver> multiplier_solver(const Task& task,
                                                                 const std::string& multipliers,
                                                                 bool of_all_ranks) {
  if (multipliers != "petsc") return nullptr;
  using Batch = SparseMultipliers::Batch;
  const auto both = std::make_shared<PetscAndSolver>(task.petsc_options,
                                                     of_all_ranks ? Batch::of_all_ranks : Batch::of_one_rank);
  both->solver.rehearse();
  refuse_unused_petsc_options({"-multipliers_"});
  return {both, &both->solver};
}

std::string solved_by(const std::shared_ptr<integrators::MultiplierSolver>& solver) {
  const auto* petsc = dynamic_cast<const SparseMultipliers*>(solver.get());
  if (petsc == nullptr) return "in lanes";
  const auto& effort = petsc->effort();
  const auto all = [&](std::int64_t count) { return petsc->of_all_ranks() ? count : parallel::sum(count); };
  const std::int64_t solves = all(effort.newton_solves), iterations = all(effort.newton_iterations),
                     given_up = all(effort.given_up);
  return fmt::format("by PETSc: SNES for {} batches, {:.2f} iterations each{}", solves,
                     static_cast<double>(iterations) / static_cast<double>(std::max<std::int64_t>(1, solves)),
                     given_up > 0 ? fmt::format("; {} given up, and solved in lanes", given_up) : "");
}

std::string petsc_for_multipliers() {
  return la::petsc_version() + ", SNES and KSP for multipliers";
}

}  // namespace cotangent::studies
