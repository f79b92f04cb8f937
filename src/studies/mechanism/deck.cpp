// SPDX-License-Identifier: BSD-3-Clause
#include "studies/mechanism/deck.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "la/petsc.hpp"
#include "parallel/records.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/program/petsc_options.hpp"

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

/// The surface as triangles, whole on every rank: all of it, or of an unbounded one what the chain may
/// reach. The triangulation starts from one of the chain's points in each cube of a coarse grid, which
/// suffices.
std::optional<geometry::Triangulation> triangulation(const rods::RodBlock<3>& block, std::int64_t cells) {
  constexpr double finer = 128;
  const auto g = level_of(*block.surface());
  std::vector<geometry::SpacePoint> own;
  std::vector<double> ends(6, -std::numeric_limits<double>::infinity());  // -low, high
  for (int i = 0; i < block.point_count(); ++i) {
    if (!block.owns_point(i)) continue;
    auto& q = own.emplace_back();
    for (std::size_t n = 0; n < 3; ++n) {
      q[n] = block.position[n][static_cast<std::size_t>(i)];
      ends[n] = std::max(ends[n], -q[n]);
      ends[3 + n] = std::max(ends[3 + n], q[n]);
    }
  }
  ends = parallel::maximum(ends);
  const auto seeds = [&](double side) {
    return geometry::first_in_cubes(parallel::everywhere(geometry::first_in_cubes(own, side)), side);
  };
  double scale = 0;
  for (const double end : ends) scale = std::max(scale, std::abs(end));
  const auto whole = geometry::surface_box(g, seeds(scale / finer), scale);
  const geometry::SpaceBox around{{-ends[0], -ends[1], -ends[2]}, {ends[3], ends[4], ends[5]}};
  const auto box = whole ? *whole : around.padded(block.extent());
  const double side = box.longest() / static_cast<double>(cells);
  return geometry::triangulate(g, seeds(side), side, whole ? std::nullopt : std::optional(box));
}

}  // namespace

template <int D>
MechanismPlan read_plan(Task& task, const rods::RodShare<D>& rods) {
  using rods::Formulation;
  MechanismPlan plan;
  const io::Table model = task.deck.table("model"), method = task.deck.table("method"),
                  potential = task.deck.table("potential"), neighbours = task.deck.table("neighbours"),
                  stop = task.deck.table("stop"), output = task.deck.table("output");
  method.choice("name", "rattle", {"rattle"});
  plan.options.step = method.positive("step");
  const double extent = rods.extent(), round_off = rods::RodRattle<D>::round_off(extent);
  plan.options.tolerance =
      method.positive("constraint_tolerance", rods::RodRattle<D>::default_tolerance(extent));
  if (plan.options.tolerance < round_off)
    throw method.error("constraint_tolerance",
                       fmt::format("is below round-off: lengths are known to {:.2g} here", round_off));
  plan.options.formulation = method.choice("multipliers", "schur", {"schur", "saddle-point"}) == "schur"
                                 ? Formulation::schur
                                 : Formulation::saddle_point;
  plan.options.project = model.boolean("project", model.at_least("temperature", 0.0, 0.0) > 0);
  plan.options.pairs.periods = read_periods(model, D);
  if (has_potential(potential)) {
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
  if (rods.surface) plan.surface_cells = output.integer_at_least("surface_cells", 0, 60);
  return plan;
}

template <int D>
rods::RodBlock<D> block_of(Task& task, MechanismPlan& plan, rods::RodShare<D> rods) {
  std::optional<rods::RodBlock<D>> block;
  try {
    block.emplace(std::move(rods));
    if (!plan.options.project) block->check_start(1e-9);
  } catch (const Error& error) {
    throw task.deck.table("model").error(
        std::string(error.what()) +
        (plan.options.project ? "" : "; project = true moves a start onto the constraints"));
  }
  if constexpr (D == 3) {
    if (plan.surface_cells > 0) plan.surface = triangulation(*block, plan.surface_cells);
  }
  return std::move(*block);
}

template <int D>
void refuse_unknown_options(rods::RodRattle<D>& rattle) {
  if (la::unused_options().empty()) return;
  rattle.rehearse();
  refuse_unused_petsc_options({"-position_", "-velocity_", "-position_saddle_", "-velocity_saddle_"});
}

/// As measured. Without `many` molecules a system that isn't tridiagonal takes GMRES as many steps as it
/// keeps directions, where there are several ranks, and else more room for its factors.
template <int D>
Estimate estimated(const Task& task, const MechanismPlan& plan, const rods::RodBlock<D>& block) {
  const bool many = task.deck.table("molecules").has("count");
  const std::int64_t points = block.point_runs().count(), rods = block.rod_runs().count();
  std::int64_t bytes = (510 + 160 * D) * std::max(points, rods);
  if (block.surface() && !many) bytes += (parallel::size() == 1 ? 180 : 820) * rods;
  if (plan.pairs.kernel) bytes += 430 * points;
  Estimate estimate;
  estimate.orbits = 1;
  estimate.file_bytes = 8 * plan.samples * (2 * D * points + rods + 6);
  estimate.rank_bytes = program_bytes(true) + bytes / parallel::size();
  // 100 ns a rod and step, on a surface 400 ns and as much a hold, 200 ns a point that feels others, and what
  // PETSc's calls take.
  const double each = (block.surface() ? 4e-7 : 1e-7) * static_cast<double>(rods) +
                      (plan.pairs.kernel ? 2e-7 : 0.0) * static_cast<double>(points);
  estimate.seconds = static_cast<double>(plan.steps) * (2e-5 + each / parallel::size());
  return estimate;
}

template MechanismPlan read_plan(Task&, const rods::RodShare<2>&);
template MechanismPlan read_plan(Task&, const rods::RodShare<3>&);
template rods::RodBlock<2> block_of(Task&, MechanismPlan&, rods::RodShare<2>);
template rods::RodBlock<3> block_of(Task&, MechanismPlan&, rods::RodShare<3>);
template Estimate estimated(const Task&, const MechanismPlan&, const rods::RodBlock<2>&);
template Estimate estimated(const Task&, const MechanismPlan&, const rods::RodBlock<3>&);
template void refuse_unknown_options(rods::RodRattle<2>&);
template void refuse_unknown_options(rods::RodRattle<3>&);

}  // namespace cotangent::studies
