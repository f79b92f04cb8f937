// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/surface.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <ranges>

#include "sections/surface.hpp"

namespace cotangent::studies {

namespace {

using geometry::SpaceBox;
using geometry::SpacePoint;
constexpr std::int64_t most_cubes = 4'000'000;

SpacePoint point(const std::vector<double>& q) {
  return {q[0], q[1], q[2]};
}

/// The box that these trajectories reach within some thousand steps.
SpaceBox box_ahead(const Plan& plan, const std::vector<sections::Start>& starts) {
  constexpr double steps = 4096;
  const sections::Flights& flights = *plan.model.problem;
  sections::Observation watch;
  watch.stop.time = std::min(plan.watch.stop.time, steps * plan.method.step);
  watch.sample_every = watch.stop.time / 1024;
  SpaceBox box{point(starts[0].q), point(starts[0].q)};
  for (std::size_t next = 0; next < starts.size();) {
    const auto flight = flights.fly(plan.method, watch, flights.lanes());
    const int lanes = static_cast<int>(std::min<std::size_t>(flight->lanes(), starts.size() - next));
    for (int lane = 0; lane < lanes; ++lane) flight->load(lane, starts[next++]);
    const auto flying = [&](int lane) { return flight->flown(lane).status == Status::pending; };
    for (int turn = 0; turn < 64; ++turn) {  // steps of a method that chooses them may be small
      flight->advance(static_cast<std::int64_t>(steps));
      if (std::ranges::none_of(std::views::iota(0, lanes), flying)) break;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const auto& q = flight->flown(lane).samples.q;
      for (std::size_t k = 0; k < q.size(); k += 3) box.take({q[k], q[k + 1], q[k + 2]});
    }
  }
  return box.padded(0.1 * std::max(box.longest(), 1e-6));
}

}  // namespace

std::optional<geometry::Triangulation> surface_of(const Plan& plan, const Ensemble& ensemble) {
  constexpr std::int64_t most_judged = 256;
  constexpr std::size_t most_starts = 32;
  const auto& problem = *plan.model.problem;
  if (plan.surface_cells == 0 || problem.surface() == nullptr) return std::nullopt;
  std::vector<double> parameters;
  for (const auto& axis : plan.model.axes) parameters.push_back(axis.front());
  std::vector<sections::Start> starts;
  for (std::int64_t k = 0; k < std::min(ensemble.size(), most_judged) && starts.size() < most_starts; ++k) {
    const EnsembleStart start = ensemble[ensemble.scattered(k)];
    if (start.feasible && start.start.parameters == parameters) starts.push_back(start.start);
  }
  if (starts.empty()) return std::nullopt;
  std::vector<SpacePoint> points;
  for (const auto& start : starts) points.push_back(point(start.q));

  const geometry::LevelFunction g = [&, s = problem.surface()](const SpacePoint& x) {
    return s->level(x, parameters);
  };
  const auto whole = geometry::surface_box(g, points);
  const SpaceBox box = whole ? *whole : box_ahead(plan, starts);
  auto surface = geometry::triangulate(g, points, box.longest() / static_cast<double>(plan.surface_cells),
                                       whole ? std::nullopt : std::optional(box), {}, most_cubes);
  if (!surface || surface->triangles.empty()) return std::nullopt;
  return surface;
}

namespace {

[[noreturn]] void refuse_unbounded() {
  throw Error(
      "the surface is unbounded: give [model] periods, lengths after which it repeats along the axes "
      "(0: not periodic), or particles as a list, a file or a trajectory");
}

/// Wide enough along axes that aren't periodic for the surface to end within it; none where it doesn't, by a
/// coarse look, or where that has so many cubes that there would be too many fine ones.
std::optional<SpaceBox> box_along_free_axes(const geometry::LevelFunction& g,
                                            const std::vector<SpacePoint>& points,
                                            const particles::Periods& periods, double longest) {
  constexpr double far = 1e3;
  constexpr std::int64_t most = 1 << 17;
  const SpaceBox wide = SpaceBox{points[0], points[0]}.padded(far * longest);
  if (std::ranges::all_of(periods, [](double p) { return p > 0; })) return wide;
  const double side = longest / 4;
  const auto around = geometry::box_of_cubes(g, points, side, wide, periods, most);
  if (!around) return std::nullopt;
  for (std::size_t n = 0; n < 3; ++n) {
    if (periods[n] > 0) continue;
    if (around->low[n] < wide.low[n] + side || around->high[n] > wide.high[n] - side) return std::nullopt;
  }
  return wide;
}

}  // namespace

geometry::Triangulation surface_within(const geometry::LevelFunction& g, std::vector<SpacePoint> points,
                                       const particles::Periods& periods, std::int64_t cells,
                                       const io::Table& model, Unbounded unbounded) {
  std::optional<SpaceBox> box;
  double longest = 0;
  if (std::ranges::any_of(periods, [](double p) { return p > 0; })) {
    for (std::size_t n = 0; n < 3; ++n) {
      longest = std::max(longest, periods[n]);
      for (auto& point : points) {
        if (periods[n] > 0) point[n] -= periods[n] * std::floor(point[n] / periods[n]);
      }
    }
    for (const auto& point : points) {
      for (std::size_t n = 0; n < 3; ++n) {
        SpacePoint shifted = point;
        shifted[n] += periods[n];
        const double g0 = g(point).value, g1 = g(shifted).value;
        const auto slope = g(point).gradient;
        const double size = std::hypot(slope[0], slope[1], slope[2]);
        if (!(std::abs(g1 - g0) <= 1e-9 * size * std::max(1.0, periods[n])))
          throw model.error("periods", fmt::format("the surface doesn't repeat after {} along axis {}",
                                                   periods[n], "xyz"[n]));
      }
    }
    box = box_along_free_axes(g, points, periods, longest);
    if (!box && unbounded == Unbounded::refused) refuse_unbounded();
    if (!box) box = SpaceBox::around(points).padded(longest / 2);
  } else if (const auto whole = geometry::surface_box(g, points)) {
    longest = whole->longest();
  } else if (unbounded == Unbounded::cut) {
    const SpaceBox around = SpaceBox::around(points);
    box = around.padded(around.longest() > 0 ? around.longest() / 2 : 1.0);
    longest = box->longest();
  } else {
    refuse_unbounded();
  }
  auto surface = geometry::triangulate(g, points, longest / static_cast<double>(cells), box, periods);
  if (!surface || surface->triangles.empty())
    throw Error("the surface could not be triangulated: try another output.surface_cells");
  return std::move(*surface);
}

std::vector<io::DataSetSpec> data_sets(const geometry::Triangulation& surface, const std::string& unit) {
  using io::DataType;
  const auto vertices = static_cast<std::int64_t>(surface.vertices.size());
  const auto triangles = static_cast<std::int64_t>(surface.triangles.size());
  const std::vector<std::string> columns{"x", "y", "z"};
  const std::int64_t characteristic = vertices - triangles / 2;  // where each edge belongs to two triangles
  const std::string kind = !surface.closed() ? "; a part, cut by a box"
                           : characteristic % 2 == 0 && characteristic <= 2
                               ? "; closed, of genus " + std::to_string(1 - characteristic / 2)
                               : "; closed";
  return {{"/surface/vertices",
           DataType::float64,
           {vertices, 3},
           unit,
           "points of the surface g = 0, for the first combination of parameters",
           {{"columns", columns}}},
          {"/surface/normals",
           DataType::float64,
           {vertices, 3},
           "1",
           "grad g / |grad g| at the vertices",
           {{"columns", columns}}},
          {"/surface/triangles",
           DataType::int32,
           {triangles, 3},
           "1",
           "vertices of each triangle, counter-clockwise seen from where g > 0" + kind}};
}

void write(run::Records& records, const geometry::Triangulation& surface) {
  const auto put = [&](const char* path, const auto& rows) {
    records.rows(path, 0, static_cast<std::int64_t>(rows.size()), rows.data()->data());
  };
  put("/surface/vertices", surface.vertices);
  put("/surface/normals", surface.normals);
  put("/surface/triangles", surface.triangles);
}

}  // namespace cotangent::studies
