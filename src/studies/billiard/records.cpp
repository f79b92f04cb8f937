// SPDX-License-Identifier: BSD-3-Clause
#include "studies/billiard/records.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent::studies {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Starts that are spread over the ensemble, 64 if so many of 4096 are inside.
std::vector<sections::Start> some_inside(const Ensemble& ensemble) {
  std::vector<sections::Start> found;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(ensemble.size(), 4096) && found.size() < 64; ++k) {
    const EnsembleStart start = ensemble[ensemble.scattered(k)];
    if (start.feasible) found.push_back(start.start);
  }
  return found;
}

/// How far it is from a start to the wall, a side being 2 axis + (0 down, 1 up) and lengths of any size;
/// infinity where there is none, zero where the start is on it.
template <int D>
double way_to_wall(const billiards::Domain<D>& domain, const sections::Start& start, std::size_t side) {
  const auto omega = [&](double distance) {
    billiards::Vector<D> x;
    std::copy_n(start.q.begin(), D, x.begin());
    x[side / 2] += side % 2 == 0 ? -distance : distance;
    return domain.omega(x);
  };
  constexpr double ratio = 1.3;
  double inside = 0, outside = 1e-3;
  while (std::isnormal(outside) && !(omega(outside / ratio) > 0)) outside /= ratio;
  while (omega(outside) > 0 && outside < infinity) outside *= ratio;
  if (!std::isnormal(outside)) return outside < 1 ? 0.0 : infinity;
  if (std::isnan(omega(outside))) return infinity;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (inside + outside);
    (omega(middle) > 0 ? inside : outside) = middle;
  }
  return inside;
}

/// The size of what is free about these starts: the longest way from a start to a wall that it sees, of the
/// start that sees least far; 1 where none sees any.
template <int D>
double size_about(const billiards::Domain<D>& domain, const std::vector<sections::Start>& starts) {
  double least = infinity;
  for (const sections::Start& start : starts) {
    double most = 0;
    for (std::size_t side = 0; side < 2 * D; ++side) {
      const double way = way_to_wall(domain, start, side);
      if (way < infinity) most = std::max(most, way);
    }
    if (most > 0) least = std::min(least, most);
  }
  return least < infinity ? least : 1.0;
}

}  // namespace

template <int D>
std::array<billiards::Vector<D>, 2> box_of(const billiards::Domain<D>& domain, const Ensemble& ensemble) {
  billiards::Vector<D> low, high;
  low.fill(infinity);
  high.fill(-infinity);
  const auto starts = some_inside(ensemble);
  for (const sections::Start& start : starts) {
    for (std::size_t d = 0; d < D; ++d) {
      low[d] = std::min(low[d], start.q[d]);
      high[d] = std::max(high[d], start.q[d]);
    }
  }
  double side = 0;
  for (std::size_t d = 0; d < D; ++d) side = std::max(side, high[d] - low[d]);
  // Starts at one place tell nothing of the domain's size.
  if (const double free = size_about(domain, starts); side < 1e-3 * free) side = free;
  const auto start_low = low, start_high = high;
  const double start_side = side;
  bool grown = true;
  // The box is grown until no point of the domain lies outside it; an unbounded domain is cut off around its
  // starts.
  constexpr int points = 65;
  for (int turn = 0; turn < 32 && grown; ++turn) {  // from a lone start to whatever size
    billiards::Vector<D> from = low, to = high, least, most;
    for (std::size_t d = 0; d < D; ++d) {
      from[d] -= 0.5 * side;
      to[d] += 0.5 * side;
    }
    least.fill(infinity);
    most.fill(-infinity);
    int all = 1;
    for (int d = 0; d < D; ++d) all *= points;
    for (int k = 0; k < all; ++k) {
      billiards::Vector<D> x;
      for (std::size_t d = 0, rest = static_cast<std::size_t>(k); d < D; ++d, rest /= points)
        x[d] = from[d] + (to[d] - from[d]) * static_cast<double>(rest % points) / (points - 1);
      if (!(domain.omega(x) > 0)) continue;
      for (std::size_t d = 0; d < D; ++d) {
        least[d] = std::min(least[d], x[d]);
        most[d] = std::max(most[d], x[d]);
      }
    }
    grown = false;
    for (std::size_t d = 0; d < D; ++d) {
      grown = grown || least[d] < low[d] - 0.01 * side || most[d] > high[d] + 0.01 * side;
      low[d] = std::min(low[d], least[d]);
      high[d] = std::max(high[d], most[d]);
      side = std::max(side, high[d] - low[d]);
    }
  }
  if (grown) {
    low = start_low;
    high = start_high;
    side = start_side;
  }
  const double border = grown ? 1.0 : 0.05;
  for (std::size_t d = 0; d < D; ++d) {
    low[d] -= border * side;
    high[d] += border * side;
  }
  return {low, high};
}

template std::array<billiards::Vector<2>, 2> box_of<2>(const billiards::Domain<2>&, const Ensemble&);

Given outline_set(const billiards::Outline& outline) {
  Given given{{"/domain/outline",
               io::DataType::float64,
               {static_cast<std::int64_t>(outline.points().size()), 4},
               "1",
               "loops of points on omega = 0 at t = 0, the domain on their left",
               {{"columns", {"x", "y", "arc", "loop"}}}},
              {}};
  for (const auto& place : outline.points())
    given.values.insert(given.values.end(),
                        {place.x[0], place.x[1], place.arc, static_cast<double>(place.loop)});
  return given;
}

std::optional<geometry::Triangulation> walls_of(const billiards::Domain<3>& domain, const Ensemble& ensemble,
                                                std::int64_t cells) {
  using geometry::SpacePoint;
  const geometry::LevelFunction omega = [&](const SpacePoint& x) {
    geometry::LevelPoint level;
    level.value = domain.omega(x, level.gradient);
    return level;
  };
  std::vector<SpacePoint> points;
  for (const sections::Start& start : some_inside(ensemble)) {
    for (std::size_t side = 0; side < 6; ++side) {
      const double way = way_to_wall(domain, start, side);
      if (!(way < infinity)) continue;
      SpacePoint x{start.q[0], start.q[1], start.q[2]};
      x[side / 2] += side % 2 == 0 ? -way : way;
      points.push_back(x);
    }
  }
  if (points.empty()) return std::nullopt;
  const auto box = geometry::surface_box(omega, points);
  if (!box) return std::nullopt;
  return geometry::triangulate(omega, points, box->longest() / static_cast<double>(cells));
}

std::vector<io::DataSetSpec> billiard_tallies(const std::vector<std::string>& walls, std::int64_t particles,
                                              bool lyapunov, bool compared,
                                              const std::vector<std::string>& exits) {
  const auto members = static_cast<std::int64_t>(walls.size());
  std::vector<io::DataSetSpec> sets{
      {"/orbits/impulse",
       io::DataType::float64,
       {particles, members},
       "1",
       "what the walls of each set took, of a particle of unit mass; NaN by Morita's methods",
       {{"columns", walls}}},
      {"/orbits/samples_within",
       io::DataType::float64,
       {particles, members},
       "1",
       "how many samples lie in each set",
       {{"columns", walls}}},
      {"/orbits/bounces",
       io::DataType::float64,
       {particles, members},
       "1",
       "how many bounces were off the walls of each set",
       {{"columns", walls}}}};
  if (lyapunov) {
    sets.push_back(
        {"/orbits/lyapunov",
         io::DataType::float64,
         {particles},
         "1",
         "rate of stretching of a displacement: its growth up to the last bounce over the whole time"});
    sets.push_back(
        {"/orbits/lyapunov_per_bounce",
         io::DataType::float64,
         {particles, members},
         "1",
         "the same stretching over the bounces off each set: the exponent of the map from one of them "
         "to the next; NaN where there was none",
         {{"columns", walls}}});
  }
  if (compared)
    sets.push_back({"/orbits/against_exact",
                    io::DataType::float64,
                    {particles, 4},
                    "1",
                    "steps beside the exact flight from their own beginning: hits that they miss, hits that "
                    "they invent, hits off their way, the largest error of a hit's time",
                    {{"columns", {"missed", "invented", "off", "late"}}}});
  if (!exits.empty()) {
    for (auto& set : exit_tallies(exits, particles)) sets.push_back(std::move(set));
    sets.push_back({"/exits/bounces",
                    io::DataType::float64,
                    {particles},
                    "1",
                    "after how many bounces it left, NaN where it stayed"});
  }
  return sets;
}

}  // namespace cotangent::studies
