// SPDX-License-Identifier: BSD-3-Clause
// study = "billiard": a gas of particles inside any walls, from one collision to the next, with what their
// walls take; and, where asked for, how neighbouring motions part.
#include "studies/ensemble/study.hpp"

#include "studies/billiard/deck.hpp"
#include "studies/billiard/records.hpp"
#include "studies/ensemble/indicators.hpp"

namespace cotangent::studies {

namespace {

template <int D>
ExitCode run_in(Task& task) {
  BilliardPlan<D> billiard = read_billiard<D>(task);
  auto& [plan, setting, exits, cells] = billiard;
  const billiards::Domain<D>& domain = setting.domain;
  billiards::BilliardRules<D>& rules = setting.rules;
  const auto problem = billiards::make_billiard<D>(domain, rules);
  std::unique_ptr<sections::Problem> recording;  // the same with an outline, which needs the starts
  plan.model.problem = problem.get();
  const Ensemble ensemble(task, plan.model, std::nullopt);
  if (task.deck.root().has("indicators")) {
    if (!setting.follows_neighbours())
      throw task.deck.table("indicators")
          .error("are for exact flights between walls that aren't rough: no temperature");
    read_indicators(task, plan, ensemble);
  }
  read_decided(task, plan, !exits.empty());
  const bool swept = plan.model.swept();  // then there isn't one outline
  if constexpr (D == 2) {
    if (!swept) {
      const auto [low, high] = box_of<D>(domain, ensemble);
      const auto outline = std::make_shared<billiards::Outline>(domain, low, high, 600);
      plan.given = {outline_set(*outline)};
      if (outline->points().empty())
        task.warnings.emplace_back(
            "no wall was found about the starts: /domain/outline is empty, and there are no arc lengths");
      if (plan.collisions > 0 && setting.still) {
        rules.outline = outline;
        plan.birkhoff = true;
        recording = billiards::make_billiard<D>(domain, rules);
        plan.model.problem = recording.get();
      }
    }
  }
  if constexpr (D == 3) {
    if (cells > 0 && !swept) plan.surface = walls_of(domain, ensemble, cells);
  }
  for (auto& set : billiard_tallies(plan.walls, ensemble.size(), rules.tangent, rules.stepped.compare, exits))
    plan.tallies.push_back(std::move(set));
  return run_ensemble(task, "billiard", plan, ensemble);
}

ExitCode run(Task& task) {
  return read_dimension(task.deck.table("domain")) == 2 ? run_in<2>(task) : run_in<3>(task);
}

}  // namespace

Study billiard_study() {
  return {"billiard", "a gas of particles inside any walls, collision by collision", run, billiard_example};
}

}  // namespace cotangent::studies
