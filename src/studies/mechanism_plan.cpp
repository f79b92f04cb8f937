#include "studies/mechanism_plan.hpp"

#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "studies/plan.hpp"

namespace cotangent::studies {

const char* const mechanism_example = R"(# A chain of a hundred rods, let go from the horizontal.
study = "mechanism"

[model]
name = "rod-chain"
rods = 100
dimension = 2                # 2 | 3
length = 0.01                # of each rod
mass = 0.01                  # of each point
gravity = 1.0
angle = 1.5707963267948966   # of the first rod from straight down; or: positions = [[x, y], ...] (and velocities),
                             # or: file = "shape.h5" with data sets /position and /velocity [points, dimension]
closed = false               # true: a loop that begins as a regular polygon
fixed = [0]                  # the points that stay where they are
project = false              # true: a start off the constraints is moved onto them
# temperature = 1.0          # of the velocities, drawn by seed = 1 and made tangent
# periods = [4.0, 4.0]       # of the axes, as pairs and molecules know them; 0: not periodic

# [molecules]                # many such chains instead of one, anywhere on the surface, or in a box
# count = 20
# apart = 0.01               # the least distance between points of different ones
# box = [4.0, 4.0]           # without a surface; where all axes are periodic, their periods serve

# [potential]                # points attract and repel: as in study "particles", cotangent --template particles
# name = "lennard-jones"
# sigma = 0.01
# cut = 0.025
# joined = false             # true: those that one rod joins do as well; it moves nothing, but pulls along the rod

[method]
name = "rattle"
step = 0.0002
# constraint_tolerance = 1e-14   # of each rod's length, as a length
multipliers = "schur"        # schur | saddle-point

# [surface]                  # in 3 dimensions: holds all points on a surface, the chain laid along it
# name = "torus"             # and its parameters; cotangent --list, --describe torus
# from = [1.5, 0.0, 0.0]     # where the chain begins
# towards = [0.0, 1.0, 0.3]  # and in which direction

[stop]
time = 0.5

[output]
every = 0.01                 # time between samples
file = "mechanism.h5"
)";

namespace {

/// The surface as triangles: all of it, or what the chain may reach.
std::optional<mechanics::Triangulation> triangulation(const particles::RodSystem<3>& rods,
                                                      std::int64_t cells) {
  const auto g = level_of(*rods.surface);
  const auto whole = mechanics::surface_box(g, rods.position);
  const auto box = whole ? *whole : mechanics::SpaceBox::around(rods.position).padded(rods.extent());
  return mechanics::triangulate(g, rods.position, box.longest() / static_cast<double>(cells),
                                whole ? std::nullopt : std::optional(box));
}

}  // namespace

template <int D>
MechanismPlan read_plan(Task& task, const particles::RodSystem<D>& rods) {
  using particles::Formulation;
  MechanismPlan plan;
  const io::Table model = task.deck.table("model"), method = task.deck.table("method"),
                  potential = task.deck.table("potential"), neighbours = task.deck.table("neighbours"),
                  stop = task.deck.table("stop"), output = task.deck.table("output");
  method.choice("name", "rattle", {"rattle"});
  plan.options.step = method.positive("step");
  plan.options.tolerance =
      method.positive("constraint_tolerance", particles::RodRattle<D>::default_tolerance(rods));
  if (plan.options.tolerance < particles::RodRattle<D>::round_off(rods))
    throw method.error("constraint_tolerance",
                       fmt::format("is below round-off: lengths are known to {:.2g} here",
                                   particles::RodRattle<D>::round_off(rods)));
  plan.options.formulation = method.choice("multipliers", "schur", {"schur", "saddle-point"}) == "schur"
                                 ? Formulation::schur
                                 : Formulation::saddle_point;
  plan.options.project = model.boolean("project", model.at_least("temperature", 0.0, 0.0) > 0);
  plan.options.pairs.periods = read_periods(model, D);
  if (potential.has("name")) {
    auto& pairs = plan.options.pairs;
    plan.pairs = read_potential(task);
    pairs.kernel = plan.pairs.kernel.get();
    pairs.joined = potential.boolean("joined", false);
    if (neighbours.has("skin")) pairs.skin = neighbours.positive("skin");
    check_periods(model, pairs.periods, pairs.kernel->cut().radius, pairs.skin);
  }
  const double time = stop.positive("time");
  plan.steps = whole(stop, "time", time, plan.options.step, "steps");
  const double usual = static_cast<double>(std::max<std::int64_t>(1, plan.steps / 200)) * plan.options.step;
  plan.sample_steps = whole(output, "every", output.positive("every", usual), plan.options.step, "steps");
  plan.samples = plan.steps / plan.sample_steps + 1;
  plan.file = output.text("file", "mechanism.h5");
  const std::int64_t cells = rods.surface ? output.integer_at_least("surface_cells", 0, 60) : 0;
  plan.checkpoint_minutes = output.positive("checkpoint_minutes", 10.0);
  plan.wall_minutes = output.positive("wall_minutes", std::numeric_limits<double>::infinity());
  task.deck.finish();
  try {
    rods.check();
    if (!plan.options.project) rods.check_start(1e-9);
  } catch (const Error& error) {
    throw model.error(std::string(error.what()) +
                      (plan.options.project ? "" : "; project = true moves a start onto the constraints"));
  }
  if constexpr (D == 3) {
    if (cells > 0) plan.surface = triangulation(rods, cells);
  }
  return plan;
}

template MechanismPlan read_plan(Task&, const particles::RodSystem<2>&);
template MechanismPlan read_plan(Task&, const particles::RodSystem<3>&);

}  // namespace cotangent::studies
