// SPDX-License-Identifier: BSD-3-Clause
#include "studies/particles/deck.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/names.hpp"
#include "integrators/composition.hpp"
#include "parallel/mpi.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/multipliers.hpp"

namespace cotangent::studies {

const char* const particles_example = R"deck(# Two thousand Lennard-Jones particles on a torus.
study = "particles"

[model]                      # any surface of cotangent --list
name = "torus"
R = 20.0
r = 8.0

[potential]
name = "lennard-jones"       # cotangent --list
epsilon = 1.0
sigma = 1.0
# or: potential = "D*((a/r)^12 - 2*(a/r)^6)", parameters = { D = 1.0, a = 1.0 }
cut = 2.5                    # or: tail = 1e-8, neither energy nor force beyond is larger
mode = "shifted"             # cut | shifted | switched (from switch_from on)

[method]
name = "rattle"              # or a composition of it, or g-baoab (friction, temperature, seed): a heat bath
step = 0.005
constraint_tolerance = 1e-10

[solver]
multipliers = "lanes"        # of the constraint; "petsc": SNES and KSP for all at once, options -multipliers_ after --

[particles]
start = "even"               # even | uniform (by area) | list | file | trajectory
count = 2000
seed = 1
temperature = 1.0            # of the velocities

[stop]
time = 5.0

[output]
every = 0.1                  # time between samples of energy, temperature and momentum
frames_every = 0.5           # and between positions
pair_distance = 2.5          # pair correlation up to here
pair_bins = 100
file = "particles.h5"
)deck";

namespace {

void read_method(Task& task, ParticlePlan& plan) {
  const io::Table table = task.deck.table("method");
  const auto shares = [](const auto& scheme) {
    return std::pair(std::string(scheme.name), std::vector<double>(scheme.steps.begin(), scheme.steps.end()));
  };
  const std::vector<std::pair<std::string, std::vector<double>>> methods{{"rattle", {1.0}},
                                                                         shares(integrators::Suzuki4{}),
                                                                         shares(integrators::Yoshida4{}),
                                                                         shares(integrators::Yoshida6{}),
                                                                         shares(integrators::KahanLi6{}),
                                                                         {"g-baoab", {1.0}}};
  std::vector<std::string> names;
  for (const auto& [name, steps] : methods) names.push_back(name);
  const std::string name = table.choice("name", "rattle", names);
  plan.options.composition_coefficients =
      std::ranges::find(methods, name, [](const auto& m) { return m.first; })->second;
  plan.options.step = table.positive("step");
  const double tolerance = table.positive("constraint_tolerance", 1e-14);
  if (name == "g-baoab") {
    particles::HeatBath bath;
    bath.friction = table.positive("friction", 1.0);
    bath.temperature = table.positive("temperature");
    bath.seed = static_cast<std::uint64_t>(table.integer("seed", 1));
    plan.options.bath = bath;
  }
  names.pop_back();  // PETSc doesn't solve for the multipliers of a heat bath's steps
  plan.multipliers = read_multipliers(task, name, names);
  const Surfaces& list = task.stated.surfaces;
  const auto surface = std::ranges::find(list, plan.problem->name(), [](const auto& s) { return s->name(); });
  if (surface == list.end())
    throw task.deck.table("model").error(
        "name",
        states_model(task.deck)
            ? "study \"particles\" takes a surface of cotangent --list, not one by formulas"
            : "is no particle on a surface: study \"particles\" needs three coordinates and one constraint");
  plan.surface = surface->get();
  plan.motion = plan.surface->motion(plan.parameters, tolerance);
}

}  // namespace

ParticlePlan read_particle_plan(Task& task) {
  ParticlePlan plan;
  const ModelChoice model = read_model(task);
  plan.problem = model.problem;
  for (const auto& axis : model.axes) plan.parameters.push_back(axis.front());
  const io::Table table = task.deck.table("model");
  for (std::size_t k = 0; k < model.axes.size(); ++k) {
    if (model.axes[k].size() != 1)
      throw table.error(plan.problem->parameters()[k].name,
                        "must be one number: these particles share a surface");
  }
  if (const auto objection = plan.problem->objection(plan.parameters)) throw table.error(*objection);
  plan.options.periods = read_periods(table, 3);

  read_method(task, plan);
  plan.pairs = read_potential(task);
  const double cut = plan.pairs.kernel->cut().radius;

  const io::Table stop = task.deck.table("stop"), output = task.deck.table("output"),
                  list = task.deck.table("neighbours");
  const double step = plan.options.step;
  plan.steps = whole(stop, "time", stop.positive("time"), step, "steps");
  const double usual = static_cast<double>(std::max<std::int64_t>(1, plan.steps / 200)) * step;
  const double every = output.positive("every", usual);
  plan.sample_steps = whole(output, "every", every, step, "steps");
  plan.samples = plan.steps / plan.sample_steps + 1;
  plan.frame_samples =
      whole(output, "frames_every", output.positive("frames_every", every), every, "samples");
  plan.frames = (plan.samples - 1) / plan.frame_samples + 1;
  plan.pair_bins = static_cast<int>(output.integer_at_least("pair_bins", 0, cut > 0 ? 100 : 0));
  if (plan.pair_bins > 4000) throw output.error("pair_bins", "more than 4000 aren't kept");
  if (plan.pair_bins > 0)
    plan.options.correlation_cutoff = output.positive("pair_distance", cut > 0 ? cut : 1.0);
  plan.surface_cells = output.integer_at_least("surface_cells", 0, 100);
  plan.go_on = stop.choice("when_particles_fail", "end", {"end", "go-on"}) == "go-on";
  const double range = std::max(cut, plan.options.correlation_cutoff);
  if (list.has("skin")) plan.options.skin = list.positive("skin");
  check_periods(table, plan.options.periods, range, plan.options.skin);
  return plan;
}

void count_pairs_where_bounded(Task& task, ParticlePlan& plan, const geometry::Triangulation& surface) {
  const bool periodic = std::ranges::any_of(plan.options.periods, [](double p) { return p > 0; });
  if (plan.pair_bins == 0 || periodic || surface.closed()) return;
  if (const io::Table output = task.deck.table("output"); output.has("pair_bins"))
    throw output.error("pair_bins",
                       "the surface is unbounded: pairs have no even spread to be compared with");
  plan.pair_bins = 0;
  plan.options.correlation_cutoff = 0;
}

Estimate estimate(const ParticlePlan& plan, const io::FileOptions& options, std::size_t least_triangles) {
  Estimate estimate;
  estimate.orbits = plan.count;
  estimate.file_bytes = (options.single_precision ? 4 : 8) * plan.frames * 6 * plan.count +
                        8 * plan.samples * 14 + 4 * plan.count;
  // As measured: bytes a particle, and a triangle, of which those that are stored are written out as well.
  const double finer = static_cast<double>(std::max(plan.surface_cells, least_surface_cells)) /
                       static_cast<double>(least_surface_cells);
  const double triangles = static_cast<double>(least_triangles) * finer * finer;
  estimate.rank_bytes = program_bytes(plan.multipliers == "petsc") + (3 << 20) +
                        550 * plan.count / parallel::size() +
                        static_cast<std::int64_t>((plan.surface_cells > 0 ? 140 : 60) * triangles);
  // 60 ns a particle and step.
  estimate.seconds = 6e-8 * static_cast<double>(plan.steps) * static_cast<double>(plan.count) *
                     static_cast<double>(plan.options.composition_coefficients.size()) / parallel::size();
  return estimate;
}

}  // namespace cotangent::studies
