// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/study.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "studies/ensemble/estimate.hpp"
#include "studies/ensemble/evolution.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

void refuse_if_all_singular(const Task& task, const Plan& plan, const Ensemble& ensemble) {
  const sections::Problem& problem = *plan.model.problem;
  const auto status = ensemble.singular_everywhere(*problem.fly(plan.method, plan.watch, 1));
  if (!status) return;
  const io::Table model = task.deck.table("model");
  const auto refused = [&](std::initializer_list<const char*> keys, const std::string& text) {
    for (const char* key : keys)
      if (model.has(key)) return model.error(key, text);
    return model.error("name", text);
  };
  if (*status == Status::singular_mass_matrix)
    throw refused(
        {"lagrangian"},
        "at every start the mass matrix is singular, the second derivatives of L by the velocities: "
        "some combination of velocities has no kinetic energy; give each its own, take coordinates "
        "that have, or start where the masses don't vanish");
  throw refused(
      {"constraint", "rolling"},
      "at every start one of the constraints follows from others, or its slope vanishes: leave it out, "
      "or start elsewhere");
}

void refuse_crowded_steps(const Task& task, const Plan& plan, const Ensemble& ensemble) {
  constexpr double most = 999000;  // of the 10^6 of sections/timetable.hpp: the length of a step is rounded
  if (plan.method.tolerance) return;
  const double step = std::min(plan.method.step, plan.watch.stop.time);
  const auto judge = [&](const char* table, double every, const char* what) {
    if (every > 0 && step > most * every)
      throw task.deck.table(table).error(
          "every",
          fmt::format("is so short that {:.3g} {} fall into a step of {}, more than the {:.0f} that can "
                      "be listed: give {:.3g} or more, or a shorter method.step",
                      step / every, what, step, most, step / (0.99 * most)));
  };
  judge("output", plan.watch.sample_every, "samples");
  judge("section", ensemble.shortest_strobe(), "times");
}

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
  refuse_if_all_singular(task, plan, ensemble);
  refuse_crowded_steps(task, plan, ensemble);
  const auto flight = problem.fly(method, plan.watch, plan.lanes > 0 ? plan.lanes : problem.lanes());
  if (task.dry_run)
    parallel::on_rank_zero([&] { print(estimate(plan, ensemble, *flight, settings.options)); });
  if (task.check || task.dry_run) return exit_success;
  EnsembleEvolution evolution(plan, ensemble, *flight);
  return drive(task, evolution, settings);
}

}  // namespace cotangent::studies
