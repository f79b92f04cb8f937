// SPDX-License-Identifier: BSD-3-Clause
// How the points of study = "mechanism" begin: a chain, or many molecules, from the deck or a file, free or
// laid along a surface.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "io/given_file.hpp"
#include "io/hdf5.hpp"
#include "parallel/mpi.hpp"
#include "rods/molecules.hpp"
#include "sections/surface.hpp"
#include "studies/mechanism/deck.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

namespace {

using rods::fixed;

void expect_rows(const io::Table& table, const std::string& key, std::int64_t rows, std::int64_t points) {
  if (rows != points)
    throw table.error(key, fmt::format("has {} points, and these rods join {}", rows, points));
}

template <int D>
void put(const io::Table& table, const std::string& key, rods::RodShare<D>& share,
         std::vector<std::array<double, D>>& into) {
  const auto rows = table.rows(key);
  expect_rows(table, key, std::ssize(rows), share.point_runs.count());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != D)
      throw table.error(key, fmt::format("point {} has {} coordinates, not {}", i, rows[i].size(), D));
    if (const auto point = static_cast<std::int64_t>(i); share.has(point))
      std::copy_n(rows[i].begin(), D, into[share.at(point)].begin());
  }
}

/// A data set of the file, of which each rank reads its own points.
template <int D>
void put_stored(const io::Table& table, const std::string& set, const rods::RodShare<D>& share,
                std::vector<std::array<double, D>>& into) {
  const io::File file = io::open_given(table, "file");
  if (!file.contains_data_set(set)) throw table.error("file", "has no data set " + set);
  const auto dims = file.dims(set);
  if (dims.size() != 2 || dims[1] != D)
    throw table.error("file", fmt::format("{} must have {} columns, one a coordinate", set, D));
  expect_rows(table, "file", dims[0], share.point_runs.count());
  const auto numbers = file.read_rows<double>(set, share.first_point(), std::ssize(into));
  for (std::size_t i = 0; i < into.size(); ++i)
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(D * i), D, into[i].begin());
}

/// The surface that `[surface]` names, with its parameters. It lives as long as the task.
rods::HoldingSurface<3> read_surface(const Task& task, const io::Table& table, std::array<double, 3>& from) {
  std::vector<std::string> names;
  for (const auto& problem : task.stated.problems) {
    if (problem->surface() != nullptr) names.push_back(problem->name());
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
  const sections::Surface* surface = problem.surface();
  return {[surface, parameters](const std::array<double, 3>& x) {
            const auto level = surface->level(x, parameters);
            return rods::HoldingSurface<3>::Level{level.value, level.gradient};
          },
          [surface, parameters](const std::array<double, 3>& x, const std::array<double, 3>& along) {
            return surface->curvature(x, along, parameters);
          },
          [surface, parameters](const rods::HoldingSurface<3>::Levels& points) {
            surface->levels(points.count, points.q, points.value, points.gradient, parameters);
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

/// Puts molecules where a trial finds room for them; each rank gets its points.
template <int D>
void spread(Task& task, const rods::RodSystem<D>& chain, const rods::MoleculeTrial<D>& trial,
            rods::RodShare<D>& share) {
  const io::Table molecules = task.deck.table("molecules");
  const double apart = molecules.positive("apart", chain.rods.front().length);
  const auto periods = read_periods(task.deck.table("model"), D);
  try {
    rods::scatter<D>(
        molecules.integer("count"), apart, periods, trial, share.point_runs,
        [&](std::int64_t point, const std::array<double, D>& q) { share.position[share.at(point)] = q; });
  } catch (const Error& error) {
    throw molecules.error("count", error.what());
  }
}

/// Molecules anywhere in the box, which the periods may give, turned anyhow.
template <int D>
void spread_in_box(Task& task, const rods::RodSystem<D>& chain, rods::RodShare<D>& share) {
  const io::Table model = task.deck.table("model"), molecules = task.deck.table("molecules");
  const auto periods = read_periods(model, D);
  std::vector<double> box(periods.begin(), periods.begin() + D);
  const auto empty = [](double side) { return !(side > 0); };
  box = std::ranges::any_of(box, empty) ? molecules.numbers("box") : molecules.numbers("box", box);
  if (box.size() != D || std::ranges::any_of(box, empty))
    throw molecules.error("box", fmt::format("must be {} lengths", D));
  std::array<double, D> sides;
  std::ranges::copy(box, sides.begin());
  spread<D>(task, chain, rods::in_box<D>(chain, sides, read_seed(model)), share);
}

/// Molecules laid along the surface from anywhere in any direction; it is triangulated from a point on it.
void spread_along(Task& task, const rods::RodSystem<3>& chain, const rods::HoldingSurface<3>& surface,
                  const std::array<double, 3>& from, rods::RodShare<3>& share) {
  constexpr std::int64_t cells = 100;
  const io::Table model = task.deck.table("model");
  const auto g = level_of(surface);
  const auto triangles = surface_within(g, {from}, read_periods(model, 3), cells, model);
  const particles::SurfacePoints points(g, triangles);
  spread<3>(task, chain, rods::along_surface(chain, surface, points, read_seed(model)), share);
}

/// The points that stay where they are, in order.
std::vector<std::int64_t> read_fixed(const io::Table& model, bool nailed, std::int64_t points) {
  std::vector<std::int64_t> fixed;
  for (const double point : model.numbers("fixed", nailed ? std::vector{0.0} : std::vector<double>{})) {
    if (!(point >= 0 && point < static_cast<double>(points)) || point != std::floor(point))
      throw model.error("fixed", fmt::format("{} is no point; they are numbered 0 to {}", point, points - 1));
    fixed.push_back(static_cast<std::int64_t>(point));
  }
  std::ranges::sort(fixed);
  if (const auto twice = std::ranges::adjacent_find(fixed); twice != fixed.end())
    throw model.error("fixed", fmt::format("names point {} twice", *twice));
  return fixed;
}

/// Reads the rods, and where their points begin.
template <int D>
class RodReader {
 public:
  explicit RodReader(Task& task)
      : task_(task),
        model_(task.deck.table("model")),
        surface_(task.deck.table("surface")),
        molecules_(task.deck.table("molecules")) {}

  rods::RodShare<D> read() {
    read_chains();
    share_.expect_points(chains_.point_runs(parallel::size()));
    share_.gravity[D - 1] = -gravity_;
    take_given();
    if constexpr (D == 3) {
      if (chains_.held) hold();
    }
    if (!given() && !chains_.held) {
      if (many_)
        spread_in_box(task_, one(), share_);
      else
        rods::walk_chain<D>(chains_.rods, length_, angle_, chains_.closed, keep());
    }
    weigh_and_join();
    heat();
    return std::move(share_);
  }

 private:
  bool given() const { return listed_ || stored_; }
  /// A molecule by itself.
  rods::RodSystem<D> one() const {
    return rods::rod_chain<D>(chains_.rods, length_, mass_, gravity_, angle_, chains_.closed);
  }
  /// Takes a point where it is this rank's.
  auto keep() {
    return [this](std::int64_t point, const std::array<double, D>& q) {
      if (share_.has(point)) share_.position[share_.at(point)] = q;
    };
  }

  void read_chains() {
    chains_.rods = model_.integer_at_least("rods", 1);
    const double even = 1.0 / static_cast<double>(chains_.rods);
    length_ = model_.positive("length", even);
    mass_ = model_.positive("mass", even);
    gravity_ = model_.at_least("gravity", 0.0, 1.0);
    chains_.held = surface_.has("name");
    many_ = molecules_.has("count");
    listed_ = model_.has("positions");
    stored_ = model_.has("file");
    if (chains_.held && D != 3) throw surface_.error("name", "needs [model] dimension = 3");
    angle_ = chains_.held || many_ || given() ? 0.0 : model_.number("angle", std::numbers::pi / 2);
    chains_.closed = model_.boolean("closed", false);
    if (chains_.closed && chains_.rods < 3) throw model_.error("closed", "a loop needs three rods");
    if (chains_.closed && chains_.held && !given())
      throw model_.error("closed", "a loop on a surface has to be given by positions or file");
    if (many_) chains_.molecules = molecules_.integer_at_least("count", 1);
  }

  /// Points that the deck lists, or a file holds.
  void take_given() {
    if (listed_ && stored_) throw model_.error("give positions or file, not both");
    if (model_.has("velocities") && !listed_) throw model_.error("velocities", "go with positions");
    if (listed_) {
      put<D>(model_, "positions", share_, share_.position);
      if (model_.has("velocities")) put<D>(model_, "velocities", share_, share_.velocity);
    }
    if (stored_) {
      parallel::agree([&] {
        put_stored<D>(model_, "/position", share_, share_.position);
        if (io::File::open(model_.input_file("file")).contains("/velocity"))
          put_stored<D>(model_, "/velocity", share_, share_.velocity);
      });
    }
  }

  /// Holds the points on the surface, and lays them there where they aren't given.
  void hold() requires(D == 3) {
    std::array<double, 3> from;
    if (given()) {
      std::vector<double> first(3, 0.0);
      if (share_.has(0)) std::ranges::copy(share_.position.front(), first.begin());
      std::ranges::copy(parallel::sum(first), from.begin());
    } else {
      from = read_vector(surface_, "from", {1.0, 0.0, 0.0});
    }
    share_.surface = read_surface(task_, surface_, from);
    if (given()) return;
    if (many_) return spread_along(task_, one(), *share_.surface, from, share_);
    rods::SurfaceWalk walk(*share_.surface, from, read_vector(surface_, "towards", {0.0, 1.0, 0.0}));
    const auto put = keep();
    put(0, from);
    try {
      for (std::int64_t k = 1; k <= chains_.rods; ++k) put(k, walk.step(length_));
    } catch (const Error& error) {
      throw surface_.error("towards", error.what());
    }
  }

  void weigh_and_join() {
    std::ranges::fill(share_.mass, mass_);
    chains_.fixed = read_fixed(model_, !chains_.held && !many_, chains_.point_count());
    for (const std::int64_t point : chains_.fixed) {
      if (share_.has(point)) share_.mass[share_.at(point)] = fixed;
    }
    share_.rod_runs = chains_.rod_runs(parallel::size());
    share_.rods = chains_.run(share_.first_rod(), share_.rod_runs.begin(parallel::rank() + 1), length_);
    share_.longest_molecule = chains_.longest_molecule(length_);
  }

  void heat() {
    const double temperature = model_.at_least("temperature", 0.0, 0.0);
    if (!(temperature > 0)) return;
    const auto moves = [](const auto& v) { return v != std::array<double, D>{}; };
    if (parallel::any(std::ranges::any_of(share_.velocity, moves)))
      throw model_.error("temperature", "the points bring velocities of their own: give one of them");
    rods::heat(share_, temperature, read_seed(model_));
  }

  Task& task_;
  io::Table model_, surface_, molecules_;
  rods::RodChains chains_;
  rods::RodShare<D> share_;
  double length_ = 0, mass_ = 0, gravity_ = 0, angle_ = 0;
  bool many_ = false, listed_ = false, stored_ = false;
};

}  // namespace

geometry::LevelFunction level_of(const rods::HoldingSurface<3>& surface) {
  return [&surface](const geometry::SpacePoint& x) {
    const auto [value, gradient] = surface.level(x);
    return geometry::LevelPoint{value, gradient};
  };
}

template <int D>
rods::RodShare<D> read_rods(Task& task) {
  return RodReader<D>(task).read();
}

template rods::RodShare<2> read_rods(Task&);
template rods::RodShare<3> read_rods(Task&);

}  // namespace cotangent::studies
