// SPDX-License-Identifier: BSD-3-Clause
// How the particles of study = "particles" begin. Each rank reads, draws and checks a share of them.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>

#include "io/given_file.hpp"
#include "io/hdf5.hpp"
#include "io/number_rows.hpp"
#include "numerics/random.hpp"
#include "parallel/records.hpp"
#include "particles/starts.hpp"
#include "studies/particles/deck.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

using geometry::SpacePoint;

namespace {

/// How far off what is asked of it a place or a velocity may be: part of its size, whatever the unit, and
/// what numbers of order 1 in a surface's formula round by.
double slack(std::span<const double> x) {
  return 1e-9 * std::hypot(x[0], x[1], x[2]) + 1e-14;
}

}  // namespace

ParticleStarts::ParticleStarts(Task& task, ParticlePlan& plan)
    : plan_(plan), model_(task.deck.table("model")), table_(task.deck.table("particles")) {
  const std::vector<std::string> kinds{"uniform", "even", "list", "file", "trajectory"};
  const std::string kind = table_.choice("start", kinds);
  kind_ = static_cast<Kind>(std::ranges::find(kinds, kind) - kinds.begin());
  seed_ = static_cast<std::uint64_t>(table_.integer("seed", 1));
  temperature_ = table_.at_least("temperature", 0.0, 0.0);
  project_ = table_.boolean("project", false);
  const std::string key = kind_ == Kind::uniform || kind_ == Kind::even ? "count" : kind;
  switch (kind_) {
    case Kind::uniform:
    case Kind::even:
      plan.count = table_.integer_at_least("count", 1);
      break;
    case Kind::list:
      take(table_.rows(key), key);
      break;
    case Kind::file:
      read_file(table_.input_file(key));
      break;
    case Kind::trajectory:
      take(along_trajectory(), key);
      break;
  }
  if (plan.count == 0) throw table_.error(key, "holds no particle");
  if (plan.count >= std::int64_t{1} << 32) throw table_.error(key, "more than 2^32 particles are too many");
}

/// Takes this rank's share of rows that every rank has.
void ParticleStarts::take(const std::vector<std::vector<double>>& rows, const std::string& key) {
  plan_.count = std::ssize(rows);
  parallel::agree([&] {
    for (std::int64_t i = parallel::share_begin(plan_.count);
         i < parallel::share_begin(plan_.count, parallel::rank() + 1); ++i)
      take(i, rows[static_cast<std::size_t>(i)], key);
  });
}

void ParticleStarts::take(std::int64_t id, std::span<const double> numbers, const std::string& key) {
  if (numbers.size() != 3 && numbers.size() != 6)
    throw table_.error(key, fmt::format("particle {} has {} numbers: give x, y, z, or these and the velocity",
                                        id, numbers.size()));
  if (numbers.size() == 6 && temperature_ > 0)
    throw table_.error("temperature",
                       fmt::format("particle {} brings a velocity of its own: give one of them", id));
  if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
    throw table_.error(key, fmt::format("particle {} has a number that isn't finite", id));
  std::array<double, 3> q{}, v{};
  std::copy_n(numbers.begin(), 3, q.begin());
  std::copy(numbers.begin() + 3, numbers.end(), v.begin());
  given_.push_back(particle(id, q, v));
}

void ParticleStarts::read_file(const std::string& path) {
  if (path.ends_with(".csv") || path.ends_with(".txt")) {
    std::optional<io::NumberRows> rows;
    try {
      rows.emplace(path);
    } catch (const FileError&) {
      throw;
    } catch (const Error& error) {
      throw table_.error("file", error.what());
    }
    plan_.count = rows->count();
    parallel::agree([&] {
      for (std::size_t i = 0; i < rows->here(); ++i)
        take(rows->first() + static_cast<std::int64_t>(i), (*rows)[i], "file");
    });
    return;
  }
  parallel::agree([&] {
    const io::File file = io::open_given(table_, "file");
    if (!file.contains_data_set("/starts")) throw table_.error("file", "has no data set /starts");
    const auto dims = file.dims("/starts");
    if (dims.size() != 2 || (dims[1] != 3 && dims[1] != 6))
      throw table_.error("file", "/starts must have 3 or 6 columns: x, y, z, and the velocity");
    plan_.count = dims[0];
    const std::int64_t first = parallel::share_begin(plan_.count);
    const std::int64_t here = parallel::share_begin(plan_.count, parallel::rank() + 1) - first;
    const auto numbers = file.read_rows<double>("/starts", first, here);
    for (std::int64_t i = 0; i < here; ++i)
      take(first + i,
           std::span(numbers).subspan(static_cast<std::size_t>(i * dims[1]),
                                      static_cast<std::size_t>(dims[1])),
           "file");
  });
}

/// Points of one particle's own way, at rest: a state, and how far apart in steps.
std::vector<std::vector<double>> ParticleStarts::along_trajectory() const {
  const io::Table table = table_.table("trajectory");
  const auto state = table.numbers("from");
  const double step = table.positive("step");
  const std::int64_t every = table.integer_at_least("every", 1), count = table.integer_at_least("count", 1);
  if (state.size() != 6) throw table.error("from", "must be six numbers: x, y, z and the velocity");
  const auto distance =
      plan_.problem->off_manifold(std::span(state).first(3), std::span(state).last(3), plan_.parameters);
  if (!(distance.position <= slack(std::span(state).first(3))))
    throw table.error("from", fmt::format("is {:.2g} off the surface", distance.position));
  auto parameters = plan_.parameters;  // this particle may fall while those that follow don't
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (plan_.problem->parameters()[k].name == "gravity")
      parameters[k] = table.number("gravity", parameters[k]);
  }
  const auto motion = plan_.surface->motion(parameters, 1e-14);
  particles::Particle p;
  p.id = 0;
  std::copy_n(state.begin(), 3, p.q.begin());
  std::copy_n(state.begin() + 3, 3, p.v.begin());
  std::vector<std::vector<double>> rows{{p.q.begin(), p.q.end()}};
  // Every rank follows it by itself.
  particles::ParticleBlock block;
  std::vector<double> zero(particles::surface_pack, 0.0), lambda = zero;
  particles::ParticleArrays cloud;
  cloud.assign({p});
  block.count = particles::surface_pack;
  block.id = cloud.id.data();
  block.status = cloud.status.data();
  block.multiplier = cloud.multiplier.data();
  for (std::size_t n = 0; n < 3; ++n) {
    block.velocity[n] = cloud.velocity[n].data();
    block.force[n] = zero.data();
  }
  const auto at_hand = [&] {
    block.position = cloud.position.data();
    block.next = cloud.next.data();
  };
  at_hand();
  motion->begin(block);
  for (std::int64_t k = 0; std::ssize(rows) < count; ++k) {
    motion->open(block, step, nullptr, k);
    std::swap(cloud.position, cloud.next);
    at_hand();
    motion->close(block, step);
    if (cloud.status[0] != static_cast<std::int32_t>(Status::pending))
      throw table.error("step", "is too large: the trajectory could not be followed");
    if ((k + 1) % every == 0) rows.emplace_back(cloud.position.begin(), cloud.position.begin() + 3);
  }
  return rows;
}

/// Points of particles that are given, the same on every rank: all of them, or of many the first in each cube
/// of which 64 fill their box.
std::vector<SpacePoint> ParticleStarts::some_given() const {
  constexpr std::int64_t many = 4096;
  using particles::Particle;
  std::vector<Particle> some = given_;
  const auto first_in_each_cube = [&](const SpacePoint& low, double side) {
    std::map<std::array<double, 3>, Particle> cubes;
    for (const Particle& start : some) {
      std::array<double, 3> cube{};
      for (std::size_t n = 0; n < 3; ++n) cube[n] = std::floor((start.q[n] - low[n]) / side);
      const auto [at, fresh] = cubes.try_emplace(cube, start);
      if (start.id < at->second.id) at->second = start;
    }
    some.clear();
    for (const auto& [cube, start] : cubes) some.push_back(start);
  };
  std::vector<double> reach;  // the highest coordinates, and the lowest with their signs changed
  for (std::size_t n = 0; n < 6; ++n) {
    double most = -std::numeric_limits<double>::infinity();
    for (const Particle& start : some) most = std::max(most, n < 3 ? start.q[n] : -start.q[n - 3]);
    reach.push_back(most);
  }
  reach = parallel::maximum(std::move(reach));
  const SpacePoint low{-reach[3], -reach[4], -reach[5]};
  const double side = std::max({reach[0] - low[0], reach[1] - low[1], reach[2] - low[2], 1e-300}) / 64;
  if (plan_.count > many) first_in_each_cube(low, side);
  some = parallel::exchange(std::vector(static_cast<std::size_t>(parallel::size()), some));
  if (plan_.count > many) first_in_each_cube(low, side);
  std::ranges::sort(some, {}, &Particle::id);
  std::vector<SpacePoint> points;
  for (const Particle& start : some) points.push_back(start.q);
  return points;
}

/// Points of the surface: of particles that are given, else what lies nearest to points drawn at all
/// distances.
std::vector<SpacePoint> ParticleStarts::some_points() const {
  if (kind_ != Kind::uniform && kind_ != Kind::even) return some_given();
  std::vector<SpacePoint> points;
  constexpr std::size_t enough = 64;
  for (std::uint64_t draw = 0; draw < 4000 && points.size() < enough; ++draw) {
    const double size = std::ldexp(1.0, static_cast<int>(draw % 20) - 6);
    const auto x = numerics::normals(1, draw, 0);
    std::vector<double> q{size * x[0], size * x[1], size * x[2]}, v(3, 0.0);
    if (plan_.problem->project(q, v, plan_.parameters, -1) &&
        plan_.problem->off_manifold(q, v, plan_.parameters).position <= slack(q))
      points.push_back({q[0], q[1], q[2]});
  }
  if (!points.empty()) return points;
  throw Error("no point of the surface was found from anywhere near the origin: give particles as a list");
}

geometry::Triangulation ParticleStarts::surface(std::int64_t cells) const {
  const bool drawn = kind_ == Kind::uniform || kind_ == Kind::even;  // over all of it
  return surface_within(plan_.level(), some_points(), plan_.options.periods, cells, model_,
                        drawn ? Unbounded::refused : Unbounded::cut);
}

/// As it begins, checked.
particles::Particle ParticleStarts::particle(std::int64_t id, std::array<double, 3> q,
                                             std::array<double, 3> v) const {
  if (temperature_ > 0) {
    const auto level = plan_.problem->surface()->level(q, plan_.parameters);
    v = particles::thermal_velocity(id, level.gradient, temperature_, plan_.motion->mass(), seed_);
  }
  if (project_ && !plan_.problem->project(q, v, plan_.parameters, -1))
    throw Error(fmt::format("particle {} could not be moved onto the surface", id));
  const auto off = plan_.problem->off_manifold(q, v, plan_.parameters);
  if (!(off.position <= slack(q)))
    throw Error(
        fmt::format("particle {} starts {:.2g} off the surface; [particles] project = true moves it there",
                    id, off.position));
  if (!(off.velocity <= slack(v)))
    throw Error(
        fmt::format("particle {} starts with a velocity of {:.2g} across the surface; [particles] project "
                    "= true makes it tangent",
                    id, off.velocity));
  particles::Particle p;
  p.id = id;
  p.q = p.start = q;
  p.v = v;
  return p;
}

std::vector<particles::Particle> ParticleStarts::make(const geometry::Triangulation& surface) const {
  std::vector<particles::NumberedPoint> drawn;
  if (kind_ == Kind::uniform || kind_ == Kind::even) {
    const auto g = plan_.level();
    const particles::SurfacePoints points(g, surface);
    double distance = 0;
    drawn = kind_ == Kind::uniform
                ? particles::uniform_points(points, plan_.count, seed_)
                : particles::even_points(points, plan_.count, seed_, plan_.options.periods, distance);
  }
  std::vector<particles::Particle> mine = given_;
  mine.reserve(drawn.size() + given_.size());
  parallel::agree([&] {
    for (const auto& [number, q] : drawn) mine.push_back(particle(static_cast<std::int64_t>(number), q));
  });
  return mine;
}

}  // namespace cotangent::studies
