// SPDX-License-Identifier: BSD-3-Clause
// study = "billiard": a gas of particles inside any walls, from one collision to the next, with what their
// walls take; and, where asked for, how neighbouring motions part.
#include "studies/ensemble/study.hpp"

#include "studies/billiard/deck.hpp"
#include "studies/billiard/records.hpp"

namespace cotangent::studies {

namespace {

template <int D>
ExitCode run_in(Task& task) {
  BilliardPlan<D> billiard = read_billiard<D>(task);
  auto& [plan, domain, rules, still, exits, cells] = billiard;
  const auto problem = billiards::make_billiard<D>(domain, rules);
  std::unique_ptr<sections::Problem> recording;  // the same with an outline, which needs the starts
  plan.model.problem = problem.get();
  const Ensemble ensemble(task, plan.model, std::nullopt);
  if constexpr (D == 2) {
    const auto [low, high] = box_of<D>(domain, ensemble);
    const auto outline = std::make_shared<billiards::Outline>(domain, low, high, 600);
    plan.given = {outline_set(*outline)};
    if (plan.collisions > 0 && still) {
      rules.outline = outline;
      plan.birkhoff = true;
      recording = billiards::make_billiard<D>(domain, rules);
      plan.model.problem = recording.get();
    }
  }
  if constexpr (D == 3) {
    if (cells > 0) plan.surface = walls_of(domain, ensemble, cells);
  }
  plan.tallies = billiard_tallies(plan.walls, ensemble.size(), rules.tangent, rules.stepped.compare, exits);
  return run_ensemble(task, "billiard", plan, ensemble);
}

ExitCode run(Task& task) {
  const io::Table table = task.deck.table("domain");
  const std::int64_t dimension = table.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw table.error("dimension", "must be 2 or 3");
  return dimension == 2 ? run_in<2>(task) : run_in<3>(task);
}

}  // namespace

Study billiard_study() {
  return {"billiard", "a gas of particles inside any walls, collision by collision", run, billiard_example};
}

}  // namespace cotangent::studies
