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
#include <numeric>

#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

using namespace detail;

namespace {

constexpr End window_edge{End::Kind::window_edge, -1}, astray{End::Kind::astray, -1};

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
    // How far from a point its neighbours are: it counts as reached well inside of that.
    for (const auto& p : points_) {
      double nearest = 0.1 * span(window);
      for (const auto& other : points_) {
        if (&other != &p) nearest = std::min(nearest, length(displacement(window, p.point, other.point)));
      }
      isolation_.push_back(nearest);
    }
  }

  /// Where the flow ends that leaves a saddle along a direction.
  End from_saddle(int saddle, double sign) const {
    const auto& p = points_[saddle];
    return inside(p.point + (1e-3 * sign * isolation_[saddle]) * p.soft_direction, saddle, max_turns);
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
      if (!(at(domain_, in) > 0) || at(domain_, out) > 0) return astray;
      const Point next = crossing(domain_, in, out);
      if (!contains(window_, next)) return window_edge;
      if (sign * slope_along(next) >= 0) return boundary_minimum(next, 4 * step);
      p = next;
    }
    return astray;
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
          const double noise = 4 * std::numeric_limits<double>::epsilon() * std::abs(jet.value);
          if (is_finite(next_jet) && error <= tolerance && next_jet.value <= jet.value + noise) {
            p = next;
            jet = next_jet;
            if (error < 0.2 * tolerance) tau *= 2;
            if (const int reached = stationary_at(p, origin); reached >= 0)
              return {End::Kind::stationary, reached};
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
      const double close =
          std::max(1e-3 * isolation_[i], std::min(10 * points_[i].uncertainty, 0.1 * isolation_[i]));
      if (length(displacement(window_, p, points_[i].point)) < close) return i;
    }
    return -1;
  }

  End boundary_minimum(Point p, double reach) const {
    for (int k = 0; k < static_cast<int>(boundary_.size()); ++k) {
      if (boundary_[k].minimum && length(displacement(window_, p, boundary_[k].point)) < reach) {
        return {End::Kind::boundary, k};
      }
    }
    return astray;
  }

  const Potential& potential_;
  const Domain& domain_;
  const Window& window_;
  const std::vector<StationaryPoint>& points_;
  const std::vector<BoundaryExtremum>& boundary_;
  std::vector<double> isolation_;
};

/// Sets that merge.
class UnionFind {
 public:
  explicit UnionFind(int size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void merge(int i, int j) { parent_[root(i)] = root(j); }

 private:
  std::vector<int> parent_;
};

}  // namespace

std::vector<Pass> passes(const Potential& potential, const Domain& domain, const Window& window,
                         const StationaryPoints& stationary, const std::vector<BoundaryExtremum>& boundary) {
  const Descent descent(potential, domain, window, stationary, boundary);
  std::vector<Pass> passes;
  for (int i = 0; i < static_cast<int>(stationary.points.size()); ++i) {
    const auto& p = stationary.points[i];
    if (p.type != StationaryType::saddle) continue;
    const std::array<End, 2> ends{descent.from_saddle(i, -1), descent.from_saddle(i, 1)};
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

double Landscape::barrier(int from, int to) const {
  const int count = static_cast<int>(stationary.points.size());
  UnionFind sets(count + static_cast<int>(boundary.size()));
  const double ends = std::max(stationary.points[from].energy, stationary.points[to].energy);
  if (from == to) return ends;
  for (const auto& pass : passes) {
    if (pass.kind == Pass::Kind::contact) continue;
    const int self = pass.number + (pass.kind == Pass::Kind::saddle ? 0 : count);
    for (const auto& end : pass.ends) {
      if (end.number >= 0) sets.merge(self, end.number + (end.kind == End::Kind::stationary ? 0 : count));
    }
    if (sets.root(from) == sets.root(to)) return std::max(pass.energy, ends);
  }
  return INFINITY;
}

double Landscape::escape_energy(int from) const {
  // The boundary and the window's edge are one node: whichever is reached, the way is over.
  const int out = static_cast<int>(stationary.points.size());
  UnionFind sets(out + 1);
  for (const auto& pass : passes) {
    const int self = pass.kind == Pass::Kind::saddle ? pass.number : out;
    for (const auto& end : pass.ends) {
      if (end.kind != End::Kind::astray)
        sets.merge(self, end.kind == End::Kind::stationary ? end.number : out);
    }
    if (sets.root(from) == sets.root(out)) return std::max(pass.energy, stationary.points[from].energy);
  }
  return INFINITY;
}

int Landscape::nearest(const Window& window, Point place) const {
  int best = -1;
  double distance = INFINITY;
  for (int i = 0; i < static_cast<int>(stationary.points.size()); ++i) {
    const double d = length(displacement(window, place, stationary.points[i].point));
    if (d < distance) {
      distance = d;
      best = i;
    }
  }
  return best;
}

Landscape landscape(const Potential& potential, const Domain& domain, const Window& window, Search search) {
  Landscape result;
  result.stationary = stationary_points(potential, domain, window, search);
  result.boundary = boundary_extrema(potential, domain, window, search);
  result.passes = passes(potential, domain, window, result.stationary, result.boundary);
  return result;
}

}  // namespace cotangent::landscapes
