// How the points of study = "mechanism" begin: a chain, or many molecules, from the deck or a file, free or
// laid along a surface.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "io/hdf5.hpp"
#include "parallel/mpi.hpp"
#include "particles/molecules.hpp"
#include "studies/mechanism_plan.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

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

std::uint64_t read_seed(const io::Table& model) {
  return static_cast<std::uint64_t>(model.integer("seed", 1));
}

/// Runs what may find no room for the molecules.
template <class Spread>
auto where_there_is_room(const io::Table& molecules, const Spread& spread) {
  try {
    return spread();
  } catch (const Error& error) {
    throw molecules.error("count", error.what());
  }
}

/// Molecules anywhere in the box, which the periods may give, turned anyhow.
template <int D>
particles::RodSystem<D> spread_in_box(Task& task, const particles::RodSystem<D>& chain) {
  const io::Table model = task.deck.table("model"), molecules = task.deck.table("molecules");
  const auto periods = read_periods(model, D);
  std::vector<double> box(periods.begin(), periods.begin() + D);
  const auto empty = [](double side) { return !(side > 0); };
  box = std::ranges::any_of(box, empty) ? molecules.numbers("box") : molecules.numbers("box", box);
  if (box.size() != D || std::ranges::any_of(box, empty))
    throw molecules.error("box", fmt::format("must be {} lengths", D));
  std::array<double, D> sides;
  std::ranges::copy(box, sides.begin());
  const double apart = molecules.positive("apart", chain.rods.front().length);
  return where_there_is_room(molecules, [&] {
    return particles::scattered<D>(chain, molecules.integer("count"), apart, periods,
                                   particles::in_box<D>(chain, sides, read_seed(model)));
  });
}

/// Molecules laid along the surface from anywhere in any direction; it is triangulated from a point on it.
particles::RodSystem<3> spread_along(Task& task, const particles::RodSystem<3>& chain,
                                     const particles::HoldingSurface<3>& surface,
                                     const std::array<double, 3>& from) {
  constexpr std::int64_t cells = 100;
  const io::Table model = task.deck.table("model"), molecules = task.deck.table("molecules");
  const auto periods = read_periods(model, 3);
  const auto g = level_of(surface);
  const auto triangles = surface_within(g, {from}, periods, cells, model);
  const particles::SurfacePoints points(g, triangles);
  const double apart = molecules.positive("apart", chain.rods.front().length);
  return where_there_is_room(molecules, [&] {
    return particles::scattered<3>(chain, molecules.integer("count"), apart, periods,
                                   particles::along_surface(chain, surface, points, read_seed(model)));
  });
}

}  // namespace

mechanics::LevelFunction level_of(const particles::HoldingSurface<3>& surface) {
  return [&surface](const mechanics::SpacePoint& x) {
    const auto [value, gradient] = surface.level(x);
    return mechanics::LevelPoint{value, gradient};
  };
}

int read_dimension(Task& task) {
  const io::Table model = task.deck.table("model");
  model.choice("name", {"rod-chain"});
  const std::int64_t dimension = model.integer("dimension", 2);
  if (dimension != 2 && dimension != 3) throw model.error("dimension", "must be 2 or 3");
  return static_cast<int>(dimension);
}

template <int D>
particles::RodSystem<D> read_rods(Task& task) {
  const io::Table model = task.deck.table("model"), surface = task.deck.table("surface"),
                  molecules = task.deck.table("molecules");
  const std::int64_t count = model.integer_at_least("rods", 1);
  const double even = 1.0 / static_cast<double>(count);
  const double length = model.positive("length", even), mass = model.positive("mass", even),
               gravity = model.at_least("gravity", 0.0, 1.0);
  const bool held = surface.has("name"), many = molecules.has("count");
  const bool listed = model.has("positions"), stored = model.has("file"), given = listed || stored;
  if (held && D != 3) throw surface.error("name", "needs [model] dimension = 3");
  const double angle = held || (many && !given) ? 0.0 : model.number("angle", std::numbers::pi / 2);
  const bool closed = model.boolean("closed", false);
  if (closed && count < 3) throw model.error("closed", "a loop needs three rods");
  if (closed && held && !given)
    throw model.error("closed", "a loop on a surface has to be given by positions or file");
  const auto chain = particles::rod_chain<D>(count, length, mass, gravity, angle, closed);
  auto all = particles::copies(chain, many ? molecules.integer_at_least("count", 1) : 1);

  if (listed && stored) throw model.error("give positions or file, not both");
  if (model.has("velocities") && !listed) throw model.error("velocities", "go with positions");
  if (listed) {
    put<D>(model, "positions", model.rows("positions"), all.position);
    if (model.has("velocities")) put<D>(model, "velocities", model.rows("velocities"), all.velocity);
  }
  if (stored) {
    parallel::agree([&] {
      put<D>(model, "file", stored_rows(model, "/position", D), all.position);
      if (io::File::open(model.text("file")).contains("/velocity"))
        put<D>(model, "file", stored_rows(model, "/velocity", D), all.velocity);
    });
  }
  std::optional<particles::HoldingSurface<D>> holding;
  if constexpr (D == 3) {
    if (held) {
      auto from = given ? all.position[0] : read_vector(surface, "from", {1.0, 0.0, 0.0});
      holding = read_surface(task, surface, from);
      if (!given && !many) {
        try {
          particles::lay_along(all, *holding, from, read_vector(surface, "towards", {0.0, 1.0, 0.0}));
        } catch (const Error& error) {
          throw surface.error("towards", error.what());
        }
      }
      if (!given && many) all = spread_along(task, chain, *holding, from);
    }
  }
  if (many && !given && !held) all = spread_in_box(task, chain);
  std::ranges::fill(all.mass, mass);
  const bool nailed = !held && !many;
  for (const double point : model.numbers("fixed", nailed ? std::vector{0.0} : std::vector<double>{})) {
    if (!(point >= 0 && point < static_cast<double>(all.mass.size())) || point != std::floor(point))
      throw model.error("fixed",
                        fmt::format("{} is no point; they are numbered 0 to {}", point, all.mass.size() - 1));
    all.mass[static_cast<std::size_t>(point)] = fixed;
  }
  if (holding) all.hold_on(*holding);
  const double temperature = model.at_least("temperature", 0.0, 0.0);
  if (temperature > 0) {
    if (std::ranges::any_of(all.velocity, [](const auto& v) { return v != std::array<double, D>{}; }))
      throw model.error("temperature", "the points bring velocities of their own: give one of them");
    particles::heat(all, temperature, read_seed(model));
  }
  return all;
}

template particles::RodSystem<2> read_rods(Task&);
template particles::RodSystem<3> read_rods(Task&);

}  // namespace cotangent::studies
