// SPDX-License-Identifier: BSD-3-Clause
#include "particles/starts.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "numerics/order.hpp"
#include "numerics/random.hpp"
#include "parallel/records.hpp"

namespace cotangent::particles {

namespace {

SpacePoint minus(const SpacePoint& a, const SpacePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const SpacePoint& a, const SpacePoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The least cosine between a triangle's normal and the surface's for which areas are right; slivers, which
/// have hardly any area, may have a smaller one.
constexpr double steepest = 0.85;

/// Numbers points anew, by their places among those of all ranks, and leaves away those from `count` on.
/// `below`: all numbers are, and no two are the same. Collective.
void number_anew(std::vector<NumberedPoint>& points, std::uint64_t below, std::int64_t count) {
  const auto ranks = static_cast<std::uint64_t>(parallel::size());
  numerics::sort_by_number(points, [](const NumberedPoint& point) { return point.number; });
  // Each rank sees to a run of numbers, and answers in the order in which it was asked.
  auto ask = parallel::for_ranks<std::uint64_t>(), answer = ask;
  for (const auto& point : points) ask[point.number * ranks / below].push_back(point.number);
  std::vector<std::int64_t> from_each;
  struct Asked {
    std::uint64_t number, place;
  };
  std::vector<Asked> asked;
  for (const std::uint64_t number : parallel::exchange(std::move(ask), &from_each))
    asked.push_back({number, asked.size()});
  auto place = static_cast<std::uint64_t>(parallel::sum_before(std::ssize(asked)));
  numerics::sort_by_number(asked, [](const Asked& one) { return one.number; });
  std::vector<std::uint64_t> places(asked.size());
  for (const Asked& one : asked) places[one.place] = place++;
  auto next = places.cbegin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    answer[rank].assign(next, next + from_each[rank]);
    next += from_each[rank];
  }
  const auto answers = parallel::exchange(std::move(answer));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].number = answers[i];
  std::erase_if(points, [&](const auto& point) { return point.number >= static_cast<std::uint64_t>(count); });
}

/// Makes trials until so many points are kept: `take` is given those of this rank, and returns how many all
/// ranks have kept so far. Returns how many trials there were; none where there is no room for so many.
/// Collective.
template <class Take>
std::optional<std::uint64_t> draw_until(const SurfacePoints& surface, std::int64_t count, std::uint64_t seed,
                                        const Take& take) {
  const std::uint64_t most = 2000 * static_cast<std::uint64_t>(count) + 100000;
  const auto rank = static_cast<std::uint64_t>(parallel::rank()),
             ranks = static_cast<std::uint64_t>(parallel::size());
  std::uint64_t next = 0;
  // The less room is left, the fewer points are kept. The batches' sizes don't matter to what is kept.
  constexpr double fewer = 1.5;
  double yield = fewer;
  for (std::int64_t kept = 0; kept < count;) {
    if (next > most) return std::nullopt;
    const double wanted = fewer * static_cast<double>(count - kept) / std::max(yield, 0.01) + 64;
    const auto batch = std::min(
        {static_cast<std::uint64_t>(wanted), static_cast<std::uint64_t>(count) + 64, most + 1 - next});
    const std::int64_t before = kept;
    kept = take(surface.draws(seed, next + batch * rank / ranks, next + batch * (rank + 1) / ranks));
    yield = static_cast<double>(kept - before) / static_cast<double>(batch);
    next += batch;
  }
  return next;
}

}  // namespace

SurfacePoints::SurfacePoints(const geometry::LevelFunction& g, const geometry::Triangulation& surface)
    : g_(g), surface_(surface) {
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const SpacePoint a = surface.doubled_area(t);
    area_ += 0.5 * std::sqrt(dot(a, a));
    area_up_to_.push_back(area_);
  }
  const auto shares = static_cast<double>(area_up_to_.size());
  auto found = area_up_to_.cbegin();
  for (double k = 0; k < shares; ++k) {
    found = std::upper_bound(found, area_up_to_.cend(), (k / shares) * (1 - 1e-12) * area_);
    no_later_than_.push_back(static_cast<std::int32_t>(found - area_up_to_.cbegin()));
  }
}

/// The first triangle up to which there is more than this share of the area.
std::size_t SurfacePoints::triangle_at(double share) const {
  const double area = share * area_;
  const std::size_t last = area_up_to_.size() - 1;
  const auto part = static_cast<std::size_t>(share * static_cast<double>(last + 1));
  auto t = static_cast<std::size_t>(no_later_than_[std::min(part, last)]);
  while (t < last && area_up_to_[t] <= area) ++t;
  return t;
}

std::optional<SpacePoint> SurfacePoints::draw(std::uint64_t seed, std::uint64_t draw) const {
  return draw_on(triangle_at(numerics::uniforms(seed, draw, 0)[0]), seed, draw);
}

/// Triangle after triangle: one drawn at random lies in no cache.
std::vector<NumberedPoint> SurfacePoints::draws(std::uint64_t seed, std::uint64_t first,
                                                std::uint64_t last) const {
  struct Trial {
    std::uint32_t triangle, draw;
  };
  std::vector<Trial> trials;
  trials.reserve(last - first);
  for (std::uint64_t draw = first; draw < last; ++draw) {
    const std::size_t triangle = triangle_at(numerics::uniforms(seed, draw, 0)[0]);
    trials.push_back({static_cast<std::uint32_t>(triangle), static_cast<std::uint32_t>(draw - first)});
  }
  numerics::sort_by_number(trials, [](const Trial& trial) { return trial.triangle; });
  std::vector<NumberedPoint> points;
  points.reserve(trials.size());
  for (const auto& [triangle, draw] : trials) {
    if (const auto point = draw_on(triangle, seed, first + draw)) points.push_back({first + draw, *point});
  }
  return points;
}

std::optional<SpacePoint> SurfacePoints::draw_on(std::size_t triangle, std::uint64_t seed,
                                                 std::uint64_t draw) const {
  const auto u = numerics::uniforms(seed, draw, 0), w = numerics::uniforms(seed, draw, 1);
  const auto& corner = surface_.triangles[triangle];
  const double root = std::sqrt(u[1]), weight[3] = {1 - root, root * (1 - w[0]), root * w[0]};
  SpacePoint q{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t n = 0; n < 3; ++n)
      q[n] += weight[k] * surface_.vertices[static_cast<std::size_t>(corner[k])][n];
  }
  SpacePoint normal = surface_.doubled_area(triangle);
  const double size = std::sqrt(dot(normal, normal));
  for (double& x : normal) x /= size;
  const double far = std::sqrt(size);
  double way = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const auto [value, gradient] = g_(q);
    const double slope = dot(gradient, normal), change = -value / slope;
    if (!(std::abs(way + change) < 2 * far)) return std::nullopt;  // a sliver whose normal leads astray
    way += change;
    for (std::size_t n = 0; n < 3; ++n) q[n] += change * normal[n];
    if (std::abs(change) <= 1e-9 * far) {  // what is left is of second order in it
      const double cosine = std::abs(slope) / std::sqrt(dot(gradient, gradient));
      return w[1] * cosine < steepest ? std::optional(q) : std::nullopt;
    }
  }
  return std::nullopt;
}

bool SpacedPoints::free(const SpacePoint& q) const {
  for (const Grid::Key key : grid_.keys_around(grid_.cell(q.data()))) {
    const auto there = kept_.find(key);
    if (there == kept_.end()) continue;
    for (const SpacePoint& other : there->second) {
      auto r = minus(q, other);
      if (image_.squared_distance(r) < squared_) return false;
    }
  }
  return true;
}

void SpacedPoints::add(const SpacePoint& q) {
  kept_[grid_.key(q.data())].push_back(q);
}

std::vector<NumberedPoint> uniform_points(const SurfacePoints& surface, std::int64_t count,
                                          std::uint64_t seed) {
  std::vector<NumberedPoint> points;
  const auto trials = draw_until(surface, count, seed, [&](const auto& drawn) {
    points.insert(points.end(), drawn.begin(), drawn.end());
    return parallel::sum(std::ssize(points));
  });
  number_anew(points, trials.value(), count);  // each is taken
  return points;
}

std::vector<NumberedPoint> even_points(const SurfacePoints& surface, std::int64_t count, std::uint64_t seed,
                                       const Periods& periods, double& distance) {
  // Through space: of few particles on a folded surface the sheets are nearer to each other than that.
  distance = 0.7 * std::sqrt(surface.area() / static_cast<double>(count));
  for (int narrower = 0; narrower < 40; ++narrower, distance *= 0.8) {
    std::optional<Sieve> sieve(std::in_place, distance, periods, surface.surface());
    const auto trials =
        draw_until(surface, count, seed, [&](const auto& drawn) { return sieve->take(drawn); });
    if (!trials) continue;
    auto points = sieve->kept();
    sieve.reset();
    number_anew(points, *trials, count);
    return points;
  }
  throw Error("no room for so many particles, evenly spread: the surface is too folded");
}

std::array<double, 3> thermal_velocity(std::int64_t id, const std::array<double, 3>& gradient,
                                       double temperature, double mass, std::uint64_t seed) {
  constexpr std::uint64_t draw = ~std::uint64_t{0} >> 2;  // no step's number
  auto v = numerics::normals(seed, static_cast<std::uint64_t>(id), draw);
  const double along = dot(v, gradient) / dot(gradient, gradient), size = std::sqrt(temperature / mass);
  for (std::size_t n = 0; n < 3; ++n) v[n] = size * (v[n] - along * gradient[n]);
  return v;
}

}  // namespace cotangent::particles
