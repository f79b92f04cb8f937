// SPDX-License-Identifier: BSD-3-Clause
// study = "trajectory": time series of an ensemble, sampled at equal times, with their energy.
#include "studies/ensemble/indicators.hpp"
#include "studies/ensemble/section.hpp"
#include "studies/ensemble/study.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example = R"(# A double pendulum let go from the horizontal.
study = "trajectory"

[model]
name = "double-pendulum"
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"
#   constraint = ["x^2 + y^2 - 1"]   rolling = ["x_dot - y*y_dot"]   force = { x = "-x_dot" }   dissipation = "y_dot^2"

[method]
name = "gauss"
stages = 8
step = 0.05                  # or: tolerance = 1e-12 (adaptive)

[ensemble]                   # whole states; or energy and points without one velocity
list = [[1.5707963267948966, 1.5707963267948966, 0.0, 0.0]]
# or: energy = -1.0, and
#   points = [{ a = 0.5, b = 0.0, a_dot = 0.0 }]
#   grid = { a = [-0.5, 0.5, 11] }
#   random = { count = 1000, seed = 1 }
# or: file = "starts.h5"                              a data set /starts of whole states

[stop]
time = 20.0
# decided = true             # given [indicators]: it ends as soon as it is known to be chaotic (not with friction)

[output]
every = 0.02                 # time between samples
file = "trajectory.h5"

# [exits]                    # named conditions: a trajectory ends with the first that holds; no samples without every
# far = "a > 10"

# [indicators]               # whether a trajectory is chaotic, in /indicators
# list = ["lyapunov", "spectrum", "sali", "gali-3", "megno", "birkhoff", "frequencies"]
# history = 10.0             # how all but the averages grew: a row each 10 of the time, up to stop.time
# averages = { speed = "x_dot^2" }      # of birkhoff: any formulas, over the samples
# signals = { x = "x" }                 # of frequencies: any formulas, over the samples
)";

ExitCode run(Task& task) {
  Plan plan;
  plan.model = read_model(task, task.deck.root().has("indicators"));
  read_method(task, plan);
  const io::Table stop = task.deck.table("stop"), output = task.deck.table("output");
  plan.watch.stop.time = stop.positive("time");
  read_exits(task, plan);
  if (!plan.exits || output.has("every")) {
    plan.watch.sample_every = output.positive("every", plan.watch.stop.time / 1000);
    plan.watch.stop.time = end_at(plan.watch.stop.time, {plan.watch.sample_every, 0.0});
    plan.samples = samples_until(output, plan.watch.stop.time, plan.watch.sample_every);
  }
  read_surface(task, plan);
  read_plot(task, plan, false);
  const Ensemble ensemble(task, plan.model, read_section(task, *plan.model.problem));
  read_indicators(task, plan, ensemble);
  read_decided(task, plan, plan.exits != nullptr);
  tally_exits(plan, ensemble);
  if (plan.exits) plan.basins = basin_grid(ensemble);
  return run_ensemble(task, "trajectory", plan, ensemble);
}

}  // namespace

Study trajectory_study() {
  return {"trajectory", "time series of an ensemble of trajectories, with their energy", run, example, true};
}

}  // namespace cotangent::studies
