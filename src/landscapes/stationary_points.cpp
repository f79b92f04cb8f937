// SPDX-License-Identifier: BSD-3-Clause
// All zeros of grad U in a region, by branch and bound: a cell is cleared when a component of grad U along an
// eigenvector of the Hessian cannot vanish in it, resolved by Newton when the Hessian varies too little for
// two zeros, and quartered otherwise.
//   cleared: |e_i . g| > |lambda_i| rho + D rho for i = 1 or 2;   at most one zero: 2 D < min |lambda_i|
// with g, lambda_i, e_i at a reference point, rho the farthest corner, D the largest change of the Hessian
// among nine samples. D is an estimate, twice what a linear change needs, so the index sum is checked on top.
#include <algorithm>
#include <numbers>
#include <sstream>

#include "core/error.hpp"
#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

using namespace detail;

namespace {

struct Cell {
  Point centre, half;
  int depth;
};

/// What nine samples tell about a cell.
struct Samples {
  std::array<Point, 9> point;
  std::array<Jet2, 9> jet;
  int admissible = 0;
  bool beyond = false;  // the domain is far from positive everywhere
};

Samples sample(const Potential& potential, const Domain& domain, const Window& window, const Cell& cell) {
  Samples samples;
  double low = INFINITY, high = -INFINITY;
  // The centre comes first: it is the best reference where it is admissible.
  constexpr std::array<int, 9> order{0, -1, 1, -1, 1, 0, 0, -1, 1}, other{0, -1, -1, 1, 1, -1, 1, 0, 0};
  for (int k = 0; k < 9; ++k) {
    const Point p{cell.centre[0] + order[k] * cell.half[0], cell.centre[1] + other[k] * cell.half[1]};
    const double inside = at(domain, p);
    low = std::min(low, inside);
    high = std::max(high, inside);
    if (!(inside > 0)) continue;
    const Jet2 jet = at(potential, p);
    if (!is_finite(jet)) {
      std::ostringstream text;
      text.precision(17);
      text << "landscape: the potential is not finite at the admissible point (" << p[0] << ", "
           << window.unit_y * p[1] << "); restrict the domain to where it is";
      throw Error(text.str());
    }
    samples.point[samples.admissible] = p;
    samples.jet[samples.admissible++] = jet;
  }
  samples.beyond = !(high + 0.25 * (high - low) > 0);
  return samples;
}

class Finder {
 public:
  Finder(const Potential& potential, const Domain& domain, const Window& window, Search search)
      : potential_(potential), domain_(domain), window_(window), search_(search) {}

  StationaryPoints all() {
    const Point side{(window_.x1 - window_.x0) / search_.cells, (window_.y1 - window_.y0) / search_.cells};
    for (int i = 0; i < search_.cells; ++i) {
      for (int j = 0; j < search_.cells; ++j) {
        examine({{window_.x0 + (i + 0.5) * side[0], window_.y0 + (j + 0.5) * side[1]}, 0.5 * side, 0});
      }
    }
    auto& points = found_.points;
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
      return a.energy != b.energy ? a.energy < b.energy : a.point < b.point;
    });
    for (auto& p : points) {
      if (p.type == StationaryType::degenerate) p.index = index_of(p);
    }
    found_.boundary_index = boundary_index(potential_, domain_, window_, search_.cells);
    return std::move(found_);
  }

 private:
  // Depth first: the quarters that cannot be decided are few, however deep.
  void examine(const Cell& cell) {
    const Samples samples = sample(potential_, domain_, window_, cell);
    if (samples.beyond) return;
    const bool deepest = cell.depth >= search_.depth || (cell.depth > 0 && ++quarters_ > budget);
    // Seen too little of: a corner of the region, thinner than the cell.
    if (samples.admissible < 3) {
      const bool sliver = cell.depth >= 8 || deepest;
      if (!sliver) return quarter(cell);
      if (samples.admissible > 0) keep(newton(potential_, window_, samples.point[0], 8 * length(cell.half)));
      return;
    }
    const Point reference = samples.point[0];
    const Jet2& jet = samples.jet[0];
    const Spectrum s = spectrum(jet.hessian);
    const Point offset = reference - cell.centre;
    const double reach = std::hypot(cell.half[0] + std::abs(offset[0]), cell.half[1] + std::abs(offset[1]));
    double variation = 0;
    for (int k = 1; k < samples.admissible; ++k) {
      const auto& h = samples.jet[k].hessian;
      variation = std::max(variation,
                           frobenius({h[0] - jet.hessian[0], h[1] - jet.hessian[1], h[2] - jet.hessian[2]}));
    }
    const double scale = magnitude(window_, reference);
    const double noise = 1e-15 * (frobenius(jet.hessian) * scale + std::abs(jet.value) / span(window_));
    for (int i = 0; i < 2; ++i) {
      const double force = std::abs(dot(s.direction[i], jet.gradient));
      if (force > (std::abs(s.value[i]) + variation) * reach + noise) return;
    }
    const double stiffness = std::min(std::abs(s.value[0]), std::abs(s.value[1]));
    if (2 * variation < stiffness) {
      keep(newton(potential_, window_, reference, 8 * reach));
    } else if (!deepest) {
      quarter(cell);
    } else {
      const bool kept = keep(newton(potential_, window_, reference, std::max(8 * reach, 1e-5 * scale)));
      // In a tiny cell a degenerate zero answers, or there is none, unless grad U is lost in its own
      // round-off.
      const bool tiny = reach < 1e-7 * span(window_);
      if (!tiny || (!kept && length(jet.gradient) <= 16 * noise)) ++found_.undecided;
    }
  }

  void quarter(const Cell& cell) {
    const Point half = 0.5 * cell.half;
    for (int i : {-1, 1}) {
      for (int j : {-1, 1}) {
        examine({{cell.centre[0] + i * half[0], cell.centre[1] + j * half[1]}, half, cell.depth + 1});
      }
    }
  }

  /// True if there is a zero, kept now or before, or known to lie outside the region.
  bool keep(std::optional<StationaryPoint> candidate) {
    if (!candidate) return false;
    if (!contains(window_, candidate->point) || !(at(domain_, candidate->point) > 0)) return true;
    candidate->point = wrapped(window_, candidate->point);
    for (auto& known : found_.points) {
      const double distance = length(displacement(window_, known.point, candidate->point));
      if (distance > 4 * (known.uncertainty + candidate->uncertainty) + 1e-13 * span(window_)) continue;
      if (candidate->uncertainty < known.uncertainty) known = *candidate;
      return true;
    }
    found_.points.push_back(*candidate);
    return true;
  }

  int index_of(const StationaryPoint& degenerate) const {
    double radius = 1e-3 * span(window_);
    for (const auto& p : found_.points) {
      if (&p != &degenerate)
        radius = std::min(radius, 0.5 * length(displacement(window_, p.point, degenerate.point)));
    }
    // In arcs, since a gradient that turns twice looks the same at both ends of half a circle.
    constexpr int arcs = 32;
    double sum = 0;
    for (int arc = 0; arc < arcs; ++arc) {
      const auto turns = turning(potential_, [&](double place) {
        const double angle = 2 * std::numbers::pi * (arc + place) / arcs;
        return degenerate.point + radius * Point{std::cos(angle), std::sin(angle)};
      });
      if (!turns) return 0;
      sum += *turns;
    }
    return static_cast<int>(std::lround(sum / (2 * std::numbers::pi)));
  }

  // Of quarters examined: a whole curve of zeros would have every cell along it quartered for ever.
  static constexpr long budget = 400'000;

  const Potential& potential_;
  const Domain& domain_;
  const Window& window_;
  const Search search_;
  StationaryPoints found_;
  long quarters_ = 0;
};

}  // namespace

int StationaryPoints::count(StationaryType type) const {
  return static_cast<int>(
      std::count_if(points.begin(), points.end(), [&](const auto& p) { return p.type == type; }));
}

int StationaryPoints::index_sum() const {
  int sum = 0;
  for (const auto& p : points) sum += p.index;
  return sum;
}

StationaryPoints stationary_points(const Potential& potential, const Domain& domain, const Window& window,
                                   Search search) {
  if (search.cells < 1 || search.depth < 0 || !(window.x0 < window.x1) || !(window.y0 < window.y1)) {
    std::ostringstream text;
    text << "landscape: a search needs x0 < x1, y0 < y1, cells >= 1 and depth >= 0; given x " << window.x0
         << " .. " << window.x1 << ", y " << window.unit_y * window.y0 << " .. " << window.unit_y * window.y1
         << ", cells " << search.cells << ", depth " << search.depth;
    throw Error(text.str());
  }
  return Finder(potential, domain, window, search).all();
}

}  // namespace cotangent::landscapes
