// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/study.hpp"

#include "parallel/mpi.hpp"
#include "studies/ensemble/estimate.hpp"
#include "studies/ensemble/evolution.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

ExitCode run_ensemble(Task& task, const std::string& study, Plan plan, const Ensemble& ensemble) {
  run::Settings settings = read_settings(task, study, study + ".h5");
  if (plan.averages && settings.options.single_precision)
    throw task.deck.table("output").error(
        "precision", "averages along orbits are made of these rows: \"double\" keeps their digits");
  task.deck.finish();
  ensemble.refuse_if_none_feasible();
  const auto& problem = *plan.model.problem;
  auto& method = plan.method;
  // A solver of one rank: ranks take different numbers of steps, so that no solve can be collective.
  if (!task.check && !task.dry_run) method.solver = multiplier_solver(task, method.multipliers, false);
  if (method.solver) settings.petsc = petsc_for_multipliers();
  const auto flight = problem.fly(method, plan.watch, plan.lanes > 0 ? plan.lanes : problem.lanes());
  if (task.dry_run)
    parallel::on_rank_zero([&] { print(estimate(plan, ensemble, *flight, settings.options)); });
  if (task.check || task.dry_run) return exit_success;
  EnsembleEvolution evolution(plan, ensemble, *flight);
  return drive(task, evolution, settings);
}

}  // namespace cotangent::studies
