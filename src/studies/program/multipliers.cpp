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

constexpr const char* given_up = "/run/multipliers_given_up";

/// On all ranks together. Collective.
SparseMultipliers::Effort of_all(const SparseMultipliers& petsc) {
  const auto& own = petsc.effort();
  if (petsc.of_all_ranks()) return own;
  return {parallel::sum(own.newton_solves), parallel::sum(own.newton_iterations),
          parallel::sum(own.linear_solves), parallel::sum(own.given_up)};
}
std::int64_t searches(const SparseMultipliers::Effort& effort) {
  return std::max<std::int64_t>(1, effort.newton_solves);
}

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
  const auto effort = of_all(*petsc);
  return fmt::format(
      "by PETSc: SNES for {} batches, {:.2f} iterations each{}", effort.newton_solves,
      static_cast<double>(effort.newton_iterations) / static_cast<double>(searches(effort)),
      effort.given_up > 0 ? fmt::format("; {} given up, and solved in lanes", effort.given_up) : "");
}

std::vector<io::DataSetSpec> data_sets(const std::shared_ptr<integrators::MultiplierSolver>& solver) {
  if (dynamic_cast<const SparseMultipliers*>(solver.get()) == nullptr) return {};
  return {{given_up,
           io::DataType::float64,
           {1},
           "1",
           "share of Newton's searches for multipliers that SNES gave up and lanes made, of the last start"}};
}

void write(run::Records& records, const std::shared_ptr<integrators::MultiplierSolver>& solver) {
  const auto* petsc = dynamic_cast<const SparseMultipliers*>(solver.get());
  if (petsc == nullptr) return;
  const auto effort = of_all(*petsc);
  records.one(given_up, 0, static_cast<double>(effort.given_up) / static_cast<double>(searches(effort)));
}

std::string petsc_for_multipliers() {
  return la::petsc_version() + ", SNES and KSP for multipliers; lanes for what SNES gives up (/run)";
}

}  // namespace cotangent::studies
