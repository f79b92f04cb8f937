// SPDX-License-Identifier: BSD-3-Clause
// study = "atlas": where motion is chaotic, over two of energy, parameters, coordinates and velocities.
#include "studies/ensemble/study.hpp"

#include <cmath>

#include "chaos/indicators.hpp"
#include "parallel/mpi.hpp"
#include "studies/atlas/evolution.hpp"
#include "studies/ensemble/estimate.hpp"
#include "studies/ensemble/indicators.hpp"
#include "studies/program/multipliers.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example =
    R"(# Henon-Heiles: the share of chaotic orbits over the energy and where they start.
study = "atlas"

[model]
name = "henon-heiles"        # parameters may be swept: { from = 17, to = 20, count = 129 }
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"
#   constraint = ["x^2 + y^2 - 1"]   force = { x = "-x_dot" }   dissipation = "y_dot^2"

# or, instead of [model], [method] and [section], a billiard's [domain] and [forces] (cotangent --template
#   billiard), parameters of their sets swept: { set = "stadium", a = [0.5, 1.0, 2.0] }

[method]
name = "gauss"
stages = 8
step = 0.75                  # or: tolerance = 1e-12 (adaptive)

[section]                    # where orbits start, and turn
where = "q1"

[ensemble]                   # at each point of the map; as of a Poincare section
energy = { from = 0.01, to = 0.165, count = 33 }
grid = { q2 = [-0.5, 0.9, 33], q2_dot = [-0.3, 0.3, 5] }
# or: random = { count = 2000, seed = 1, q2 = [-0.5, 0.9] }

[stop]
time = 500.0
# crossings = 200            # or with this crossing, if that is sooner; then there are rotation numbers
# decided = true             # or as soon as it is known to be chaotic: its exponent is then that of a shorter time

[atlas]
across = "energy"            # what is swept, or a variable of the grid; else what is swept, in the model's order
up = "q2"                    # none: a line of points
levels = 2                   # first every 2^levels-th point, then cells whose corners differ are halved
# tolerance = 0.1            # by more than this
# refine = ["chaotic", "escaped", "left", "forbidden"]     in one of these answers

# [exits]                    # named conditions: an orbit ends with the first that holds
# left = "q2 < -2"

[output]
file = "atlas.h5"
)";

/// Crossings turn about in the plane of the coordinate that isn't the section's, where that is no angle.
int plane_of(const Plan& plan) {
  const sections::Problem& problem = *plan.model.problem;
  if (!plan.shows_crossings() || problem.multipliers() > 0) return -1;
  if (problem.dim() != (plan.watch.section->strobe ? 1 : 2)) return -1;
  const int plane = problem.dim() == 1 ? 0 : 1 - plan.watch.section->coordinate;
  if (problem.dim() == 2 && plan.watch.section->coordinate < 0) return -1;
  return problem.coordinates()[static_cast<std::size_t>(plane)].angle ? -1 : plane;
}

ExitCode run(Task& task) {
  AtlasPlan atlas;
  Plan& plan = atlas.plan;
  const auto section = read_moving(task, atlas);
  const Ensemble ensemble(task, plan.model, section);
  if (task.deck.table("ensemble").has("file"))
    throw task.deck.table("ensemble").error("file", "a map's starts are a grid, random, points or a list");
  judge_indicators(task, plan);
  plan.watch.growth =
      chaos::growth_rule({.lyapunov = true, .gali = {}}, phase_dimensions(*plan.model.problem),
                         plan.model.problem->has_friction());
  read_decided(task, plan, atlas.exit_tallies > 0);
  atlas.plane = plane_of(plan);
  read_atlas(task, atlas, ensemble);
  run::Settings settings = read_settings(task, "atlas", "atlas.h5");
  task.deck.finish();
  ensemble.refuse_if_none_feasible();
  const auto& problem = *plan.model.problem;
  if (!task.check && !task.dry_run)
    plan.method.solver = multiplier_solver(task, plan.method.multipliers, false);  // as of trajectories
  if (plan.method.solver) settings.petsc = petsc_for_multipliers();
  refuse_if_all_singular(task, plan, ensemble);
  refuse_crowded_steps(task, plan, ensemble);
  const auto flight = problem.fly(plan.method, plan.watch, plan.lanes > 0 ? plan.lanes : problem.lanes());
  AtlasEvolution evolution(atlas, ensemble, *flight);
  if (task.dry_run) {  // of a map in which every point is looked at
    Estimate most = estimate(plan, ensemble, *flight, settings.options);
    most.file_bytes = 0;
    for (const auto& set : evolution.data_sets()) most.file_bytes += set.bytes();
    most.rank_bytes = program_bytes(plan.method.multipliers == "petsc") + 2 * most.file_bytes;
    parallel::on_rank_zero([&] { print(most); });
  }
  if (task.check || task.dry_run) return exit_success;
  return drive(task, evolution, settings);
}

}  // namespace

Study atlas_study() {
  return {"atlas", "where motion is chaotic, over energy, parameters or starts", run, example, true};
}

}  // namespace cotangent::studies
