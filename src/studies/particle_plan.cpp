#include "studies/particle_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/names.hpp"
#include "integrators/composition.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

const char* const particles_example = R"(# Two thousand Lennard-Jones particles on a torus.
study = "particles"

[model]                      # any surface of cotangent --list
name = "torus"
R = 20.0
r = 8.0

[potential]
name = "lennard-jones"       # cotangent --list
epsilon = 1.0
sigma = 1.0
cut = 2.5                    # or: tail = 1e-8, neither energy nor force beyond is larger
mode = "shifted"             # cut | shifted | switched (from switch_from on)

[method]
name = "rattle"              # or a composition of it, or g-baoab (friction, temperature, seed): a heat bath
step = 0.005
constraint_tolerance = 1e-10

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
)";

namespace {

using particles::CutMode;

std::int64_t whole(const io::Table& table, const std::string& key, double time, double step,
                   const std::string& of) {
  const double count = std::round(time / step);
  if (count < 1 || std::abs(count * step - time) > 1e-9 * time)
    throw table.error(key, fmt::format("must be a whole number of {} of {}: try {}", of, step,
                                       std::max(1.0, count) * step));
  return static_cast<std::int64_t>(count);
}

void read_potential(Task& task, ParticlePlan& plan) {
  const io::Table table = task.deck.table("potential");
  std::vector<std::string> names;
  const Potentials& list = task.stated.potentials;
  for (const auto& potential : list) names.push_back(potential->name());
  const std::string name = table.choice("name", names);
  plan.potential = std::ranges::find(list, name, [](const auto& p) { return p->name(); })->get();
  std::vector<double> values;
  for (const auto& parameter : plan.potential->parameters()) {
    const std::string key(parameter.name);
    values.push_back(table.number(key, parameter.value));
    if (parameter.unit == "length" && !(values.back() > 0))
      throw table.error(key, "must be positive: it is a length");
  }
  const auto usual = plan.potential->usual_cut(values);
  if (table.has("cut") && table.has("tail")) throw table.error("give cut or tail, not both");
  double cut = 0;
  if (table.has("cut") || (usual && !table.has("tail"))) {
    cut = usual ? table.at_least("cut", 0.0, *usual) : table.at_least("cut", 0.0);
  } else {
    const double tail = table.positive("tail", 1e-12);
    const auto range = plan.potential->range(values, tail);
    if (!range) throw table.error("tail", "the potential never falls below it: give cut");
    cut = *range;
  }
  const std::string mode = table.choice("mode", "shifted", {"cut", "shifted", "switched"});
  const double from = mode == "switched" ? table.positive("switch_from", 0.9 * cut) : cut;
  if (mode == "switched" && !(from < cut))
    throw table.error("switch_from", fmt::format("must be smaller than the cut-off {}", cut));
  plan.kernel = plan.potential->kernel(values, cut,
                                       mode == "cut"       ? CutMode::cut
                                       : mode == "shifted" ? CutMode::shifted
                                                           : CutMode::switched,
                                       from);
}

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
  plan.options.shares = std::ranges::find(methods, name, [](const auto& m) { return m.first; })->second;
  plan.options.step = table.positive("step");
  const double tolerance = table.positive("constraint_tolerance", 1e-14);
  if (name == "g-baoab") {
    integrators::HeatBath bath;
    bath.friction = table.positive("friction", 1.0);
    bath.temperature = table.positive("temperature");
    bath.seed = static_cast<std::uint64_t>(table.integer("seed", 1));
    plan.options.bath = bath;
  }
  plan.motion = plan.problem->surface_motion(plan.parameters, tolerance);
  if (!plan.motion)
    throw task.deck.table("model").error(
        "name",
        "is no particle on a surface: study \"particles\" needs three coordinates and one constraint");
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
  const auto periods = table.numbers("periods", {0.0, 0.0, 0.0});
  if (periods.size() != 3 || std::ranges::any_of(periods, [](double p) { return p < 0; }))
    throw table.error("periods", "must be three lengths, 0 along an axis that isn't periodic");
  std::copy_n(periods.begin(), 3, plan.options.periods.begin());

  read_method(task, plan);
  read_potential(task, plan);
  const double cut = plan.kernel->cut().radius;

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
  if (plan.pair_bins > 0) plan.options.sight = output.positive("pair_distance", cut > 0 ? cut : 1.0);
  plan.surface_cells = output.integer_at_least("surface_cells", 0, 100);
  plan.file = output.text("file", "particles.h5");
  plan.checkpoint_minutes = output.positive("checkpoint_minutes", 10.0);
  plan.wall_minutes = output.positive("wall_minutes", std::numeric_limits<double>::infinity());
  plan.go_on = stop.choice("when_particles_fail", "end", {"end", "go-on"}) == "go-on";
  const double range = std::max(cut, plan.options.sight);
  if (list.has("skin")) plan.options.skin = list.positive("skin");
  for (std::size_t n = 0; n < 3; ++n) {
    const double period = plan.options.periods[n];
    const double least = range + std::max(plan.options.skin, 0.02 * range);
    if (period > 0 && !(2 * least < period))
      throw table.error(
          "periods",
          fmt::format("the range of the neighbour lists, {:.4g} (cut-off, or pair_distance, and skin), "
                      "must be less than half the period {:.4g}: a particle would see another twice",
                      least, period));
  }
  return plan;
}

}  // namespace cotangent::studies
