// SPDX-License-Identifier: BSD-3-Clause
// Mountain passes: steepest descent x' = -grad U from a saddle along +-its unstable direction, by exponential
// Rosenbrock-Euler steps (exact for a quadratic U, stiff or not; Hochbruck and Ostermann, Acta Numerica 2010)
//   delta_i = -g_i (1 - exp(-lambda_i tau)) / lambda_i   in the eigenbasis of the Hessian,
// with step doubling; a descent that reaches the boundary slides down along it. Pass energies: Kruskal's
// algorithm over the passes by rising energy, after Morse theory on a region with boundary (Goresky and
// MacPherson, Stratified Morse Theory, 1988).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "landscapes/alike_sides.hpp"
#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

using namespace detail;

namespace {

constexpr End window_edge{End::Kind::window_edge, -1}, astray{End::Kind::astray, -1};

/// Whether two valleys meet here: what is no saddle by its Hessian may be one by its index.
bool joins_valleys(const StationaryPoint& p) {
  return p.type == StationaryType::saddle || (p.type == StationaryType::degenerate && p.index == -1);
}

/// Whether ways lead down from here that nobody follows: an inflection, or more valleys than two.
bool leads_on_unfollowed(const StationaryPoint& p) {
  return p.type == StationaryType::degenerate && p.index != 1 && p.index != -1;
}

Point flow(const Jet2& jet, double tau) {
  const Spectrum s = spectrum(jet.hessian);
  Point step{0, 0};
  for (int i = 0; i < 2; ++i) {
    const double z = -s.value[i] * tau;
    const double growth = z == 0 ? 1.0 : std::expm1(z) / z;
    step = step - (tau * growth * dot(s.direction[i], jet.gradient)) * s.direction[i];
  }
  return step;
}

class Descent {
 public:
  Descent(const Potential& potential, const Domain& domain, const Window& window,
          const StationaryPoints& stationary, const std::vector<BoundaryExtremum>& boundary)
      : potential_(potential),
        domain_(domain),
        window_(window),
        points_(stationary.points),
        boundary_(boundary) {
    // A point counts as reached, and as left, well inside of where its neighbours are, but for what is
    // unknown of its place.
    for (const auto& p : points_) {
      double nearest = 0.1 * span(window);
      for (const auto& other : points_) {
        if (&other != &p) nearest = std::min(nearest, length(displacement(window, p.point, other.point)));
      }
      neighbourhood_.push_back(std::max(1e-3 * nearest, std::min(10 * p.uncertainty, 0.1 * nearest)));
    }
  }

  /// Where the flow ends that leaves a saddle along a direction.
  End from_saddle(int saddle, double sign) const {
    const auto& p = points_[saddle];
    return inside(p.point + (sign * neighbourhood_[saddle]) * p.soft_direction, saddle, max_turns);
  }

  /// Where the flow ends that leaves a boundary point inwards.
  End inwards(Point p, int turns = max_turns) const {
    return inside(p - (1e-6 * span(window_)) * outward(domain_, window_, p), -1, turns);
  }

  /// Where the flow ends that slides down the boundary from p; `sign` as of along().
  End slide(Point p, double sign, int turns = max_turns) const {
    const double step = span(window_) / 2048;
    for (int steps = 0; steps < 100'000; ++steps) {
      const Point normal = outward(domain_, window_, p);
      if (dot(at(potential_, p).gradient, normal) > 0) return turns > 0 ? inwards(p, turns - 1) : astray;
      const Point ahead = p + (sign * step) * along(normal);
      const Point in = ahead - step * normal, out = ahead + step * normal;
      // Across a corner of the region its line isn't seen.
      if (!(at(domain_, in) > 0) || at(domain_, out) > 0) return boundary_minimum(p, 4 * step);
      const Point next = crossing(domain_, in, out);
      if (!contains(window_, next)) return window_edge;
      if (sign * slope_along(next) >= 0) return boundary_minimum(next, 4 * step);
      p = next;
    }
    return boundary_minimum(p, 4 * step);
  }

 private:
  // A descent may change between the interior and the boundary this often.
  static constexpr int max_turns = 20;

  /// The flow in the interior; `origin` is the stationary point it starts beside, or -1.
  End inside(Point p, int origin, int turns) const {
    const double longest = span(window_) / 256, tolerance = 1e-7 * span(window_);
    Jet2 jet = at(potential_, p);
    double tau = longest / (length(jet.gradient) + longest * frobenius(jet.hessian));
    for (int trial = 0; trial < 200'000 && tau > 1e-300; ++trial) {
      const Point whole = flow(jet, tau), middle = p + flow(jet, 0.5 * tau);
      Point next = p + whole;
      if (length(whole) <= longest && !left(middle)) {
        next = middle + flow(at(potential_, middle), 0.5 * tau);
        if (!left(next)) {
          const double error = length(next - p - whole);
          const Jet2 next_jet = at(potential_, next);
          // On flat ground U changes less than the round-off of its terms.
          const double noise = 4 * std::numeric_limits<double>::epsilon() *
                               (std::abs(jet.value) + frobenius(jet.hessian) * span(window_) * span(window_));
          if (is_finite(next_jet) && error <= tolerance && next_jet.value <= jet.value + noise) {
            p = next;
            jet = next_jet;
            if (error < 0.2 * tolerance) tau *= 2;
            if (const int reached = stationary_at(p, origin); reached >= 0)
              return leads_on_unfollowed(points_[reached]) ? astray : End{End::Kind::stationary, reached};
            continue;
          }
        }
      }
      // Steps shorten towards the boundary, until what is left of the way is straight.
      if (left(next) && length(next - p) < 0.01 * longest) {
        if (!contains(window_, next)) return window_edge;
        const Point exit = crossing(domain_, p, next);
        return slide(exit, slope_along(exit) > 0 ? -1 : 1, turns);
      }
      tau *= 0.5;
    }
    return astray;
  }

  bool left(Point p) const { return !contains(window_, p) || !(at(domain_, p) > 0); }

  double slope_along(Point p) const {
    return dot(at(potential_, p).gradient, along(outward(domain_, window_, p)));
  }

  int stationary_at(Point p, int origin) const {
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
      if (i == origin) continue;
      if (length(displacement(window_, p, points_[i].point)) < neighbourhood_[i]) return i;
    }
    return -1;
  }

  /// The minimum of the boundary near p; where none is known there, the boundary all the same.
  End boundary_minimum(Point p, double reach) const {
    for (int k = 0; k < static_cast<int>(boundary_.size()); ++k) {
      if (boundary_[k].minimum && length(displacement(window_, p, boundary_[k].point)) < reach) {
        return {End::Kind::boundary, k};
      }
    }
    return {End::Kind::boundary, -1};
  }

  const Potential& potential_;
  const Domain& domain_;
  const Window& window_;
  const std::vector<StationaryPoint>& points_;
  const std::vector<BoundaryExtremum>& boundary_;
  std::vector<double> neighbourhood_;
};

/// Sets that merge, the smaller into the larger.
class MergingSets {
 public:
  explicit MergingSets(int size) : set_(size), members_(size) {
    for (int i = 0; i < size; ++i) members_[set_[i] = i] = {i};
  }
  bool joined(int i, int j) const { return set_[i] == set_[j]; }
  const std::vector<int>& with(int i) const { return members_[set_[i]]; }
  void merge(int i, int j) {
    if (joined(i, j)) return;
    if (with(i).size() < with(j).size()) std::swap(i, j);
    auto &larger = members_[set_[i]], &smaller = members_[set_[j]];
    const int set = set_[i];
    for (int k : smaller) set_[k] = set;
    larger.insert(larger.end(), smaller.begin(), smaller.end());
    smaller.clear();
  }

 private:
  std::vector<int> set_;
  std::vector<std::vector<int>> members_;
};

}  // namespace

std::vector<Pass> passes(const Potential& potential, const Domain& domain, const Window& window,
                         const StationaryPoints& stationary, const std::vector<BoundaryExtremum>& boundary) {
  const Descent descent(potential, domain, window, stationary, boundary);
  std::vector<Pass> passes;
  for (int i = 0; i < static_cast<int>(stationary.points.size()); ++i) {
    const auto& p = stationary.points[i];
    const bool more_valleys = p.type == StationaryType::degenerate && p.index < -1;
    if (!joins_valleys(p) && !more_valleys) continue;
    const std::array<End, 2> ends = more_valleys
                                        ? std::array{astray, astray}
                                        : std::array{descent.from_saddle(i, -1), descent.from_saddle(i, 1)};
    passes.push_back({Pass::Kind::saddle, i, p.point, p.energy, ends});
  }
  for (int k = 0; k < static_cast<int>(boundary.size()); ++k) {
    const auto& b = boundary[k];
    if (b.minimum && b.outward_slope > 0) {
      const std::array<End, 2> ends{End{End::Kind::boundary, k}, descent.inwards(b.point)};
      passes.push_back({Pass::Kind::contact, k, b.point, b.energy, ends});
    } else if (!b.minimum && b.outward_slope < 0) {
      const std::array<End, 2> ends{descent.slide(b.point, -1), descent.slide(b.point, 1)};
      passes.push_back({Pass::Kind::boundary_saddle, k, b.point, b.energy, ends});
    }
  }
  std::stable_sort(passes.begin(), passes.end(),
                   [](const auto& a, const auto& b) { return a.energy < b.energy; });
  return passes;
}

Connectivity connectivity(const Landscape& landscape) {
  const auto& [stationary, boundary, passes] = landscape;
  const auto& points = stationary.points;
  // The boundary and the window's edge are one node: whichever is reached, the way is over.
  const int outside = static_cast<int>(points.size());
  const auto node = [&](const End& end) { return end.kind == End::Kind::stationary ? end.number : outside; };
  double lowest = INFINITY, highest = -INFINITY;
  const auto take = [&](const auto& place) {
    lowest = std::min(lowest, place.energy);
    highest = std::max(highest, place.energy);
  };
  std::for_each(points.begin(), points.end(), take);
  std::for_each(passes.begin(), passes.end(), take);
  Connectivity result{std::vector<double>(points.size(), INFINITY), std::vector<bool>(passes.size(), false)};
  MergingSets sets(outside + 1);
  const auto merge = [&](int i, int j, double energy) {
    if (sets.joined(i, j)) return;
    if (sets.joined(i, outside)) std::swap(i, j);
    if (sets.joined(j, outside)) {
      for (const int k : sets.with(i)) result.escape_energy[k] = std::max(energy, points[k].energy);
    }
    sets.merge(i, j);
  };
  for (std::size_t first = 0, last = 0; first < passes.size(); first = last) {
    // Symmetric passes have one energy, to round-off: none of them is before the other.
    const double level = passes[first].energy + level_within(passes[first].energy, highest - lowest, 1e-9);
    for (last = first + 1; last < passes.size() && passes[last].energy <= level;) ++last;
    for (std::size_t k = first; k < last; ++k) {
      const auto& [a, b] = passes[k].ends;
      const bool followed = a.kind != End::Kind::astray && b.kind != End::Kind::astray;
      result.lowest[k] = followed && !sets.joined(node(a), node(b));
    }
    for (std::size_t k = first; k < last; ++k) {
      const Pass& pass = passes[k];
      const int self = pass.kind == Pass::Kind::saddle ? pass.number : outside;
      for (const End& end : pass.ends) {
        if (end.kind != End::Kind::astray) merge(self, node(end), pass.energy);
      }
    }
  }
  return result;
}

Landscape landscape(const Potential& given, const Domain& given_domain, const Window& given_window,
                    Search search, bool with_passes) {
  const AlikeSides sides(given_window);
  const Potential potential = sides.there(given);
  const Domain domain = sides.there(given_domain);
  const Window window = sides.window();
  Landscape result;
  result.stationary = stationary_points(potential, domain, window, search);
  result.boundary = boundary_extrema(potential, domain, window, search);
  if (with_passes) result.passes = passes(potential, domain, window, result.stationary, result.boundary);
  return sides.back(std::move(result), given);
}

}  // namespace cotangent::landscapes
