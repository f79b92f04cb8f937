// How the particles of study = "particles" begin.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include "io/hdf5.hpp"
#include "numerics/random.hpp"
#include "parallel/mpi.hpp"
#include "particles/starts.hpp"
#include "studies/particle_plan.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

using mechanics::SpacePoint;
using Rows = std::vector<std::vector<double>>;

/// Rows of numbers, separated by commas or blanks; what follows a # is a comment.
Rows csv_rows(const io::Table& table, const std::string& path) {
  std::istringstream text(io::read_file(path));
  Rows rows;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    line = line.substr(0, line.find('#'));
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::vector<double> row;
    for (std::string word; words >> word;) {
      std::size_t used = 0;
      double value = 0;
      try {
        value = std::stod(word, &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used != word.size())
        throw table.error("file", fmt::format("line {}: '{}' is no number", number, word));
      row.push_back(value);
    }
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

Rows hdf5_rows(const io::Table& table, const std::string& path) {
  const io::File file = io::File::open(path);
  if (!file.contains("/starts")) throw table.error("file", "has no data set /starts");
  const auto dims = file.dims("/starts");
  if (dims.size() != 2 || (dims[1] != 3 && dims[1] != 6))
    throw table.error("file", "/starts must have 3 or 6 columns: x, y, z, and the velocity");
  const auto numbers = file.read<double>("/starts");
  Rows rows;
  for (std::int64_t i = 0; i < dims[0]; ++i)
    rows.emplace_back(numbers.begin() + i * dims[1], numbers.begin() + (i + 1) * dims[1]);
  return rows;
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
      rows_ = table_.rows("list");
      break;
    case Kind::file: {
      const std::string path = table_.text("file");
      parallel::agree([&] {
        rows_ = path.ends_with(".csv") || path.ends_with(".txt") ? csv_rows(table_, path)
                                                                 : hdf5_rows(table_, path);
      });
      break;
    }
    case Kind::trajectory:
      rows_ = along_trajectory();
      break;
  }
  if (key != "count") {
    if (rows_.empty()) throw table_.error(key, "holds no particle");
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].size() != 3 && rows_[i].size() != 6)
        throw table_.error(
            key, fmt::format("particle {} has {} numbers: give x, y, z, or these and the velocity", i,
                             rows_[i].size()));
      if (rows_[i].size() == 6 && temperature_ > 0)
        throw table_.error("temperature",
                           fmt::format("particle {} brings a velocity of its own: give one of them", i));
    }
    plan.count = std::ssize(rows_);
  }
  if (plan.count >= std::int64_t{1} << 32) throw table_.error(key, "more than 2^32 particles are too many");
}

/// Points of one particle's own way, at rest: a state, and how far apart in steps.
Rows ParticleStarts::along_trajectory() const {
  const io::Table table = table_.table("trajectory");
  const auto state = table.numbers("from");
  const double step = table.positive("step");
  const std::int64_t every = table.integer_at_least("every", 1), count = table.integer_at_least("count", 1);
  if (state.size() != 6) throw table.error("from", "must be six numbers: x, y, z and the velocity");
  const auto distance =
      plan_.problem->off_manifold(std::span(state).first(3), std::span(state).last(3), plan_.parameters);
  if (!(distance.position < 1e-8))
    throw table.error("from", fmt::format("is {:.2g} off the surface", distance.position));
  auto parameters = plan_.parameters;  // this particle may fall while those that follow don't
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (plan_.problem->parameters()[k].name == "gravity")
      parameters[k] = table.number("gravity", parameters[k]);
  }
  const auto motion = plan_.problem->surface_motion(parameters, 1e-14);
  particles::Particle p;
  p.id = 0;
  std::copy_n(state.begin(), 3, p.q.begin());
  std::copy_n(state.begin() + 3, 3, p.v.begin());
  Rows rows{{p.q.begin(), p.q.end()}};
  // Every rank follows it by itself.
  integrators::ParticleBlock block;
  std::vector<double> zero(integrators::surface_pack, 0.0), lambda = zero;
  particles::Cloud cloud;
  cloud.assign({p});
  block.count = integrators::surface_pack;
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

/// Points of the surface: particles that are given, else what lies nearest to points drawn at all distances.
std::vector<SpacePoint> ParticleStarts::some_points() const {
  std::vector<SpacePoint> points;
  for (const auto& row : rows_) points.push_back({row[0], row[1], row[2]});
  constexpr std::size_t enough = 64;
  for (std::uint64_t draw = 0; draw < 4000 && rows_.empty() && points.size() < enough; ++draw) {
    const double size = std::ldexp(1.0, static_cast<int>(draw % 20) - 6);
    const auto x = numerics::normals(1, draw, 0);
    std::vector<double> q{size * x[0], size * x[1], size * x[2]}, v(3, 0.0);
    if (plan_.problem->project(q, v, plan_.parameters, -1) &&
        plan_.problem->off_manifold(q, v, plan_.parameters).position < 1e-9)
      points.push_back({q[0], q[1], q[2]});
  }
  if (!points.empty()) return points;
  throw Error("no point of the surface was found from anywhere near the origin: give particles as a list");
}

mechanics::Triangulation ParticleStarts::surface(std::int64_t cells) const {
  return surface_within(plan_.level(), some_points(), plan_.options.periods, cells, model_);
}

std::vector<particles::Particle> ParticleStarts::make(const mechanics::Triangulation& surface) const {
  std::vector<SpacePoint> drawn;
  if (kind_ == Kind::uniform || kind_ == Kind::even) {
    const auto g = plan_.level();
    const particles::SurfacePoints points(g, surface);
    double distance = 0;
    drawn = kind_ == Kind::uniform
                ? particles::uniform_points(points, plan_.count, seed_)
                : particles::even_points(points, plan_.count, seed_, plan_.options.periods, distance);
  }
  std::vector<particles::Particle> mine;
  const std::int64_t ranks = parallel::size(), here = parallel::rank();
  const double mass = plan_.motion->mass();
  parallel::agree([&] {
    for (std::int64_t i = plan_.count * here / ranks; i < plan_.count * (here + 1) / ranks; ++i) {
      const auto k = static_cast<std::size_t>(i);
      particles::Particle p;
      p.id = i;
      std::vector<double> q, v(3, 0.0);
      if (drawn.empty()) {
        q.assign(rows_[k].begin(), rows_[k].begin() + 3);
        if (rows_[k].size() == 6) v.assign(rows_[k].begin() + 3, rows_[k].end());
      } else {
        q.assign(drawn[k].begin(), drawn[k].end());
      }
      if (temperature_ > 0) {
        const auto level = plan_.problem->level({q[0], q[1], q[2]}, plan_.parameters);
        const auto warm = particles::thermal_velocity(i, level.gradient, temperature_, mass, seed_);
        v.assign(warm.begin(), warm.end());
      }
      if (project_ && !plan_.problem->project(q, v, plan_.parameters, -1))
        throw Error(fmt::format("particle {} could not be moved onto the surface", i));
      const auto off = plan_.problem->off_manifold(q, v, plan_.parameters);
      const double speed = std::hypot(v[0], v[1], v[2]);
      if (!(off.position <= 1e-9))
        throw Error(fmt::format(
            "particle {} starts {:.2g} off the surface; [particles] project = true moves it there", i,
            off.position));
      if (!(off.velocity <= 1e-9 * std::max(1.0, speed)))
        throw Error(fmt::format(
            "particle {} starts with a velocity of {:.2g} across the surface; [particles] project "
            "= true makes it tangent",
            i, off.velocity));
      std::copy_n(q.begin(), 3, p.q.begin());
      std::copy_n(v.begin(), 3, p.v.begin());
      p.start = p.q;
      mine.push_back(p);
    }
  });
  return mine;
}

}  // namespace cotangent::studies
