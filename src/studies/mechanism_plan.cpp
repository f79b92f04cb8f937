#include "studies/mechanism_plan.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "io/hdf5.hpp"
#include "parallel/mpi.hpp"

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

using particles::fixed;

/// Rows of D numbers, in the deck or in a data set of an HDF5 file.
using Rows = std::vector<std::vector<double>>;

Rows stored_rows(const io::Table& table, const std::string& set, std::size_t columns) {
  const io::File file = io::File::open(table.text("file"));
  if (!file.contains(set)) throw table.error("file", "has no data set " + set);
  const auto dims = file.dims(set);
  if (dims.size() != 2 || dims[1] != static_cast<std::int64_t>(columns))
    throw table.error("file", fmt::format("{} must have {} columns, one a coordinate", set, columns));
  const auto numbers = file.read<double>(set);
  Rows rows;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dims[0]); ++i)
    rows.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(i * columns),
                      numbers.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns));
  return rows;
}

template <int D>
void put(const io::Table& table, const std::string& key, const Rows& rows,
         std::vector<std::array<double, D>>& into) {
  if (rows.size() != into.size())
    throw table.error(key, fmt::format("has {} points, and these rods join {}", rows.size(), into.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != D)
      throw table.error(key, fmt::format("point {} has {} coordinates, not {}", i, rows[i].size(), D));
    std::copy_n(rows[i].begin(), D, into[i].begin());
  }
}

/// A whole number of steps; `what` is a time of the deck.
std::int64_t whole_steps(const io::Table& table, const std::string& key, double time, double step) {
  const double count = std::round(time / step);
  if (count < 1 || std::abs(count * step - time) > 1e-9 * time)
    throw table.error(
        key, fmt::format("must be a whole number of steps of {}: try {}", step, std::max(1.0, count) * step));
  return static_cast<std::int64_t>(count);
}

/// The surface that `[surface]` names, with its parameters. It lives as long as the task.
particles::HoldingSurface<3> read_surface(const Task& task, const io::Table& table,
                                          std::array<double, 3>& from) {
  std::vector<std::string> names;
  for (const auto& problem : task.stated.problems) {
    if (problem->on_surface()) names.push_back(problem->name());
  }
  const std::string name = table.choice("name", names);
  const auto& problem =
      **std::ranges::find(task.stated.problems, name, [](const auto& other) { return other->name(); });
  std::vector<double> parameters;
  for (const auto& parameter : problem.parameters()) {
    const bool of_particle = parameter.name == "mass" || parameter.name == "gravity";  // [model] has them
    parameters.push_back(of_particle ? parameter.value : table.number(parameter.name, parameter.value));
  }
  if (const auto objection = problem.objection(parameters)) throw table.error(*objection);
  std::vector<double> q(from.begin(), from.end()), v(3, 0.0);
  if (!problem.project(q, v, parameters, -1))
    throw table.error("from", "is too far from the surface, or where it has no normal");
  std::copy_n(q.begin(), 3, from.begin());
  return {[&problem, parameters](const std::array<double, 3>& x) {
            const auto level = problem.level(x, parameters);
            return particles::HoldingSurface<3>::Level{level.value, level.gradient};
          },
          [&problem, parameters](const std::array<double, 3>& x, const std::array<double, 3>& along) {
            return problem.curvature(x, along, parameters);
          }};
}

std::array<double, 3> read_vector(const io::Table& table, const char* key,
                                  const std::vector<double>& fallback) {
  const auto numbers = table.numbers(key, fallback);
  if (numbers.size() != 3) throw table.error(key, "must hold 3 numbers");
  return {numbers[0], numbers[1], numbers[2]};
}

/// The surface as triangles: all of it, or what the chain may reach.
std::optional<mechanics::Triangulation> triangulation(const particles::RodSystem<3>& rods,
                                                      std::int64_t cells) {
  const mechanics::LevelFunction g = [&](const mechanics::SpacePoint& x) {
    const auto [value, gradient] = rods.surface->level(x);
    return mechanics::LevelPoint{value, gradient};
  };
  const auto whole = mechanics::surface_box(g, rods.position);
  const auto box = whole ? *whole : mechanics::SpaceBox::around(rods.position).padded(rods.extent());
  return mechanics::triangulate(g, rods.position, box.longest() / static_cast<double>(cells),
                                whole ? std::nullopt : std::optional(box));
}

}  // namespace

int read_dimension(Task& task) {
  const io::Table model = task.deck.table("model");
  model.choice("name", {"rod-chain"});
  const std::int64_t dimension = model.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw model.error("dimension", "must be 2 or 3");
  return static_cast<int>(dimension);
}

template <int D>
particles::RodSystem<D> read_rods(Task& task) {
  const io::Table model = task.deck.table("model");
  const std::int64_t count = model.integer_at_least("rods", 1);
  const double even = 1.0 / static_cast<double>(count);
  const double length = model.positive("length", even), mass = model.positive("mass", even),
               gravity = model.at_least("gravity", 0.0, 1.0);
  const io::Table surface = task.deck.table("surface");
  const bool held = surface.has("name"), listed = model.has("positions"), stored = model.has("file");
  if (held && D != 3) throw surface.error("name", "needs [model] dimension = 3");
  const double angle = held ? 0.0 : model.number("angle", std::numbers::pi / 2);
  const bool closed = model.boolean("closed", false);
  if (closed && count < 3) throw model.error("closed", "a loop needs three rods");
  if (closed && held && !listed && !stored)
    throw model.error("closed", "a loop on a surface has to be given by positions or file");
  auto chain = particles::rod_chain<D>(count, length, mass, gravity, angle, closed);

  if (listed && stored) throw model.error("give positions or file, not both");
  if (model.has("velocities") && !listed) throw model.error("velocities", "go with positions");
  if (listed) {
    put<D>(model, "positions", model.rows("positions"), chain.position);
    if (model.has("velocities")) put<D>(model, "velocities", model.rows("velocities"), chain.velocity);
  }
  if (stored) {
    parallel::agree([&] {
      put<D>(model, "file", stored_rows(model, "/position", D), chain.position);
      if (io::File::open(model.text("file")).contains("/velocity"))
        put<D>(model, "file", stored_rows(model, "/velocity", D), chain.velocity);
    });
  }
  std::ranges::fill(chain.mass, mass);
  for (const double point : model.numbers("fixed", held ? std::vector<double>{} : std::vector{0.0})) {
    if (!(point >= 0 && point < static_cast<double>(chain.mass.size())) || point != std::floor(point))
      throw model.error(
          "fixed", fmt::format("{} is no point; they are numbered 0 to {}", point, chain.mass.size() - 1));
    chain.mass[static_cast<std::size_t>(point)] = fixed;
  }
  if constexpr (D == 3) {
    if (held) {
      const bool laid = !listed && !stored;
      auto from = laid ? read_vector(surface, "from", {1.0, 0.0, 0.0}) : chain.position[0];
      const auto holding = read_surface(task, surface, from);
      if (laid) {
        try {
          particles::lay_along(chain, holding, from, read_vector(surface, "towards", {0.0, 1.0, 0.0}));
        } catch (const Error& error) {
          throw surface.error("towards", error.what());
        }
      }
      chain.hold_on(holding);
    }
  }
  return chain;
}

template <int D>
MechanismPlan read_plan(Task& task, const particles::RodSystem<D>& rods) {
  using particles::Formulation;
  MechanismPlan plan;
  const io::Table model = task.deck.table("model"), method = task.deck.table("method"),
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
  plan.options.project = model.boolean("project", false);
  const double time = stop.positive("time");
  plan.steps = whole_steps(stop, "time", time, plan.options.step);
  const double usual = static_cast<double>(std::max<std::int64_t>(1, plan.steps / 200)) * plan.options.step;
  plan.sample_steps = whole_steps(output, "every", output.positive("every", usual), plan.options.step);
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

template particles::RodSystem<2> read_rods(Task&);
template particles::RodSystem<3> read_rods(Task&);
template MechanismPlan read_plan(Task&, const particles::RodSystem<2>&);
template MechanismPlan read_plan(Task&, const particles::RodSystem<3>&);

}  // namespace cotangent::studies
