// SPDX-License-Identifier: BSD-3-Clause
// study = "poincare": the Poincare map of an ensemble, from starts on the section to any number of crossings.
#include "parallel/mpi.hpp"
#include "studies/ensemble/indicators.hpp"
#include "studies/ensemble/section.hpp"
#include "studies/ensemble/study.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example = R"(# Henon-Heiles at E = 1/8: regular islands in a chaotic sea.
study = "poincare"

[model]
name = "henon-heiles"        # cotangent --list; parameters may stand here, as numbers, lists or ranges
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"
#   constraint = ["x^2 + y^2 - 1"]   rolling = ["x_dot - y*y_dot"]   force = { x = "-x_dot" }   dissipation = "y_dot^2"

[method]
name = "gauss"               # cotangent --list
stages = 8                   # order 16
step = 0.5                   # or: tolerance = 1e-12 (adaptive)

[section]
where = "q1"                 # a coordinate, or an expression in coordinates, q1_dot ..., p_q1 ..., parameters
value = 0.0                  # or: where = "t", every = "2*pi/w": at times value + k every, by formulas of parameters
direction = "up"             # up | down | both
# condition = "p_q1 > 0"     # crossings are kept only where this holds

[ensemble]
energy = 0.125               # a number, a list, or { from = 0.05, to = 0.15, count = 3 }
grid = { q2 = [-0.4, 0.7, 12], q2_dot = [-0.4, 0.4, 12] }
# or: random = { count = 1000, seed = 1 }
# or: points = [{ q2 = 0.1, q2_dot = 0.0 }]
# or: list = [[0.0, 0.1, 0.3966526608171605, 0.0]]    whole states, q then v; then energy isn't given
# or: file = "starts.h5"                              a data set /starts of whole states

[stop]
crossings = 200              # a trajectory ends with this crossing
# time = 4000.0              # or at this time, if that is sooner
# decided = true             # or, given [indicators], as soon as it is known to be chaotic (not with friction)

[output]
file = "poincare.h5"
checkpoint_minutes = 10

# [plot]
# axes = ["q2", "p_q2"]      # columns of the picture, or a parameter that is swept; else the conjugate pair that spreads
# skip = 100                 # crossings of each orbit that aren't drawn

# [indicators]               # whether a trajectory is chaotic, in /indicators
# list = ["lyapunov", "spectrum", "sali", "gali-3", "megno", "rotation", "birkhoff"]
# history = 10.0             # how all but the averages grew: a row each 10 of the time, up to stop.time
# averages = { kinetic = "(q1_dot^2 + q2_dot^2)/2" }       # of birkhoff: any formulas
# centre = [0.3, 0.0]        # of rotation, in the plane of the coordinate `plane`; else the mean of the crossings
)";

ExitCode run(Task& task) {
  Plan plan;
  plan.model = read_model(task, task.deck.root().has("indicators"));
  read_method(task, plan);
  if (!task.deck.root().has("section"))
    throw task.deck.table("section").error("a Poincare map needs a section: where = \"q1\", say");
  plan.watch.section = read_section(task, *plan.model.problem);
  const io::Table stop = task.deck.table("stop");
  plan.watch.stop.crossings = stop.integer_at_least("crossings", 1);
  plan.watch.stop.time = stop.number("time", std::numeric_limits<double>::infinity());
  plan.watch.stop.patience = stop.integer_at_least("patience", 1, plan.watch.stop.patience);
  if (!(plan.watch.stop.time > 0)) throw stop.error("time", "must be positive");
  if (const auto& strobe = plan.watch.section->strobe) {
    std::vector<double> first;
    for (const auto& values : plan.model.axes) first.push_back(values.front());
    plan.watch.stop.time = end_at(plan.watch.stop.time, strobe->ticks(first));
  }
  read_surface(task, plan);
  read_plot(task, plan, true);
  const Ensemble ensemble(task, plan.model, plan.watch.section);
  read_indicators(task, plan, ensemble);
  read_decided(task, plan, plan.exits != nullptr);
  return run_ensemble(task, "poincare", plan, ensemble);
}

}  // namespace

Study poincare_study() {
  return {"poincare", "Poincare sections of an ensemble of trajectories", run, example, true};
}

}  // namespace cotangent::studies
