// SPDX-License-Identifier: BSD-3-Clause
// Where a landscape changes with a parameter p: intervals in which stationary points do not continue one by
// one with their types are halved; then
//   fold: Newton on the regular extended system  grad U = 0, det H = 0  in (x, y, p) (Kuznetsov 2004, ch.
//   10); a branch that persists while det H changes sign: the zero of det H(p) along it, from the interpolant
//   through places on both sides, since at the zero itself Newton on grad U is singular; energy coincidence
//   and crossing of the boundary: bracketed zeros along branches.
// Third derivatives are central differences of the Hessian; they enter Jacobians and the kind, not the
// result.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "landscapes/alike_sides.hpp"
#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

using namespace detail;

namespace {

/// A stationary point that continues from one end of an interval to the other.
struct Branch {
  StationaryPoint first, last;
};

bool changes_type(const Branch& branch) {
  return branch.first.type != branch.last.type;
}

class Tracker {
 public:
  Tracker(const PotentialFamily& family, const Domain& domain, const Window& window, ParameterRange range,
          Search search, ParameterBounds bounds)
      : family_(family),
        domain_(domain),
        window_(window),
        search_(search),
        bounds_(bounds),
        width_(range.last - range.first),
        finest_(1e-4 * width_) {}

  void follow(double a, const StationaryPoints& at_a, double b, const StationaryPoints& at_b) {
    const auto links = linked(a, at_a.points, b, at_b.points);
    std::vector<Branch> branches;
    std::vector<bool> reached(at_b.points.size(), false);
    bool quiet = true;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i] < 0) continue;
      reached[links[i]] = true;
      branches.push_back({at_a.points[i], at_b.points[links[i]]});
      quiet = quiet && !changes_type(branches.back());
    }
    quiet = quiet && branches.size() == at_a.points.size() && branches.size() == at_b.points.size();
    if (!quiet && b - a > finest_) {
      const double middle = 0.5 * (a + b);
      const StationaryPoints between = points_at(middle);
      follow(a, at_a, middle, between);
      follow(middle, between, b, at_b);
      return;
    }
    coincidences(a, b, branches);
    if (quiet) return;
    for (const auto& branch : branches) {
      if (changes_type(branch)) branch_point(a, b, branch);
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i] < 0) lost(at_a.points[i], a, b);
    }
    for (std::size_t j = 0; j < reached.size(); ++j) {
      if (!reached[j]) lost(at_b.points[j], b, a);
    }
  }

  StationaryPoints points_at(double parameter) {
    StationaryPoints all = stationary_points(fixed(parameter), domain_, window_, search_);
    for (const auto& p : all.points) {
      lowest_ = std::min(lowest_, p.energy);
      highest_ = std::max(highest_, p.energy);
    }
    return all;
  }

  std::vector<Bifurcation> found;

 private:
  Potential fixed(double parameter) const {
    return [this, parameter](double x, double y) { return family_(x, y, parameter); };
  }

  /// dx/dp along a branch: -H^-1 d grad U / dp, at a degenerate point without the null direction.
  Point velocity(const StationaryPoint& point, double parameter) const {
    const auto [x, y] = point.point;
    const Spectrum s = spectrum(family_(x, y, parameter).hessian);
    const Point rate = force_rate(point.point, parameter);
    const double stiffness = std::max(std::abs(s.value[0]), std::abs(s.value[1]));
    Point velocity{0, 0};
    for (int i = 0; i < 2; ++i) {
      const bool null = point.type == StationaryType::degenerate && std::abs(s.value[i]) < 1e-6 * stiffness;
      if (!null) velocity = velocity - (dot(s.direction[i], rate) / s.value[i]) * s.direction[i];
    }
    return velocity;
  }

  Point force_rate(Point p, double parameter) const {
    const auto [down, up] = beside(parameter);
    return (1 / (up - down)) * (family_(p[0], p[1], up).gradient - family_(p[0], p[1], down).gradient);
  }

  /// Two values of the parameter for a difference, within its bounds.
  ParameterBounds beside(double parameter) const {
    const double step = 1e-5 * width_;
    return {std::max(parameter - step, bounds_.low), std::min(parameter + step, bounds_.high)};
  }

  /// How far inside the region that is searched: positive there, zero on its boundary or the window's edge.
  double depth(Point p) const {
    double least = at(domain_, p);
    if (!window_.periodic_x) least = std::min({least, p[0] - window_.x0, window_.x1 - p[0]});
    if (!window_.periodic_y) least = std::min({least, p[1] - window_.y0, window_.y1 - p[1]});
    return least;
  }

  /// The branch through p, continued from a to b in steps whose predictor Newton hardly corrects.
  std::optional<StationaryPoint> continued(StationaryPoint point, double a, double b) const {
    double now = a, step = b - a;
    for (int trial = 0; trial < 64 && now != b; ++trial) {
      const bool last = std::abs(step) >= std::abs(b - now);
      const double next = last ? b : now + step;
      const Point move = (next - now) * velocity(point, now);
      const double size = length(move);
      std::optional<StationaryPoint> moved;
      if (size < 0.05 * span(window_)) {
        moved = newton(fixed(next), window_, point.point + move, 0.25 * size + 1e-4 * span(window_));
      }
      if (moved) {
        point = *moved;
        now = next;
      } else {
        step *= 0.5;
      }
    }
    return now == b ? std::optional(point) : std::nullopt;
  }

  /// For each point at a its continuation at b, or -1; only where the way back leads home.
  std::vector<int> linked(double a, const std::vector<StationaryPoint>& at_a, double b,
                          const std::vector<StationaryPoint>& at_b) const {
    const auto partner = [&](const StationaryPoint& from, double begin, double end, const auto& candidates) {
      const auto moved = continued(from, begin, end);
      if (!moved) return -1;
      for (std::size_t k = 0; k < candidates.size(); ++k) {
        const double apart = length(displacement(window_, moved->point, candidates[k].point));
        if (apart <= 4 * (moved->uncertainty + candidates[k].uncertainty) + 1e-10 * span(window_))
          return int(k);
      }
      return -1;
    };
    std::vector<int> links(at_a.size(), -1);
    for (std::size_t i = 0; i < at_a.size(); ++i) {
      const int j = partner(at_a[i], a, b, at_b);
      if (j >= 0 && partner(at_b[j], b, a, at_a) == static_cast<int>(i)) links[i] = j;
    }
    return links;
  }

  /// The stationary point at a parameter in (or near) an interval across which a branch is known.
  std::optional<StationaryPoint> on_branch(const Branch& branch, double a, double b, double parameter) const {
    const Point move = displacement(window_, branch.first.point, branch.last.point);
    const Point guess = branch.first.point + ((parameter - a) / (b - a)) * move;
    return newton(fixed(parameter), window_, guess, length(move) + 1e-3 * span(window_));
  }

  void coincidences(double a, double b, const std::vector<Branch>& branches) {
    for (std::size_t i = 0; i < branches.size(); ++i) {
      for (std::size_t k = i + 1; k < branches.size(); ++k) {
        const bool i_is_saddle = branches[i].first.type == StationaryType::saddle;
        if (!i_is_saddle && branches[k].first.type != StationaryType::saddle) continue;
        const Branch& saddle = branches[i_is_saddle ? i : k];
        const Branch& other = branches[i_is_saddle ? k : i];
        // Two that exchange their types meet, and are level there.
        if (changes_type(saddle) && changes_type(other)) continue;
        const double at_a = saddle.first.energy - other.first.energy,
                     at_b = saddle.last.energy - other.last.energy;
        // Points that a symmetry maps onto each other are always level.
        const double noise = level_within(saddle.first.energy, highest_ - lowest_, 1e-12);
        if ((at_a < 0) == (at_b < 0) || std::max(std::abs(at_a), std::abs(at_b)) < noise) continue;
        std::optional<StationaryPoint> s, o;
        const auto difference = [&](double parameter) {
          s = on_branch(saddle, a, b, parameter);
          o = on_branch(other, a, b, parameter);
          return s && o ? s->energy - o->energy : NAN;
        };
        const double parameter = bracketed_zero(difference, a, at_a, b, at_b);
        if (s && o) {
          add({BifurcationKind::energy_coincidence, parameter, s->point, s->energy, o->point});
        } else {
          add({BifurcationKind::unresolved, parameter, saddle.first.point, saddle.first.energy,
               other.first.point});
        }
      }
    }
  }

  /// Regula falsi in the Illinois form; the function's last call is at the result.
  template <class Function>
  static double bracketed_zero(Function&& function, double a, double fa, double b, double fb) {
    double zero = a;
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double before = zero;
      zero = fa == fb ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
      const double value = function(zero);
      if (!std::isfinite(value) || value == 0 || std::abs(zero - before) <= 1e-15 * std::abs(zero)) break;
      if ((value < 0) != (fb < 0)) {
        a = b;
        fa = fb;
      } else {
        fa *= 0.5;
      }
      b = zero;
      fb = value;
    }
    return zero;
  }

  void branch_point(double a, double b, const Branch& branch) {
    struct Node {
      double parameter, det;
      StationaryPoint at;
    };
    const auto det_of = [&](const StationaryPoint& p, double parameter) {
      return determinant(family_(p.point[0], p.point[1], parameter).hessian);
    };
    const double det_a = det_of(branch.first, a), det_b = det_of(branch.last, b);
    double zero = a - det_a * (b - a) / (det_b - det_a);
    const double delta = 4 * finest_;
    std::vector<Node> nodes;
    for (int k : {-3, -2, -1, 1, 2, 3}) {
      // Those beyond the bounds of the parameter stand on the other side instead.
      if (zero + k * delta > bounds_.high) k -= 7;
      if (zero + k * delta < bounds_.low) k += 7;
      const double parameter = zero + k * delta;
      if (const auto p = on_branch(branch, a, b, parameter))
        nodes.push_back({parameter, det_of(*p, parameter), *p});
    }
    if (nodes.size() < 6) {
      add({BifurcationKind::unresolved, zero, branch.first.point, branch.first.energy, branch.first.point});
      return;
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& m, const Node& n) { return m.parameter < n.parameter; });
    // Lagrange's interpolant of any quantity along the branch.
    const auto interpolated = [&](double parameter, auto&& quantity) {
      double sum = 0;
      for (const auto& n : nodes) {
        double weight = quantity(n);
        for (const auto& m : nodes) {
          if (&m != &n) weight *= (parameter - m.parameter) / (n.parameter - m.parameter);
        }
        sum += weight;
      }
      return sum;
    };
    const auto det = [&](double parameter) {
      return interpolated(parameter, [](const Node& n) { return n.det; });
    };
    // Near a bound of the parameter the zero may lie beyond all nodes.
    const auto turn = std::adjacent_find(
        nodes.begin(), nodes.end(), [](const Node& m, const Node& n) { return (m.det < 0) != (n.det < 0); });
    const bool extrapolated = turn == nodes.end();
    const std::size_t left = !extrapolated                    ? static_cast<std::size_t>(turn - nodes.begin())
                             : nodes.front().parameter > zero ? 0
                                                              : nodes.size() - 2;
    const std::size_t right = left + 1;
    zero =
        bracketed_zero(det, nodes[left].parameter, nodes[left].det, nodes[right].parameter, nodes[right].det);
    if (!(zero >= nodes.front().parameter - 2 * delta && zero <= nodes.back().parameter + 2 * delta)) {
      add({BifurcationKind::unresolved, zero, branch.first.point, branch.first.energy, branch.first.point});
      return;
    }
    zero = std::clamp(zero, bounds_.low, bounds_.high);
    const Point origin = nodes[2].at.point;
    Point offset;
    for (int i = 0; i < 2; ++i) {
      offset[i] =
          interpolated(zero, [&](const Node& n) { return displacement(window_, origin, n.at.point)[i]; });
    }
    const Point point = origin + offset;
    const Jet2 jet = family_(point[0], point[1], zero);
    // Third derivative along the null direction: zero by symmetry at a pitchfork.
    const Spectrum s = spectrum(jet.hessian);
    const Point null = s.direction[std::abs(s.value[0]) < std::abs(s.value[1]) ? 0 : 1];
    const double step = 1e-3 * span(window_);
    const double cubic =
        (curvature(point + step * null, zero, null) - curvature(point - step * null, zero, null)) /
        (2 * step);
    const double quartic =
        (curvature(point + step * null, zero, null) + curvature(point - step * null, zero, null)) /
        (step * step);
    const bool symmetric =
        std::abs(cubic) * span(window_) <
        1e-4 * std::max(std::abs(quartic) * span(window_) * span(window_), frobenius(jet.hessian));
    add({symmetric ? BifurcationKind::pitchfork : BifurcationKind::transcritical, zero,
         wrapped(window_, point), jet.value, wrapped(window_, point)});
  }

  double curvature(Point p, double parameter, Point v) const {
    const auto h = family_(p[0], p[1], parameter).hessian;
    return h[0] * v[0] * v[0] + 2 * h[1] * v[0] * v[1] + h[2] * v[1] * v[1];
  }

  /// A point at `here` that doesn't continue to `there`: it leaves the region, folds, or joins a branch
  /// point.
  void lost(const StationaryPoint& p, double here, double there) {
    // One that ends on the boundary, to round-off, has reached it.
    const auto beyond = continued(p, here, there);
    if (beyond && depth(beyond->point) <= 1e-9 * depth(p.point)) {
      const Branch branch{p, *beyond};
      std::optional<StationaryPoint> on;
      const auto depth_at = [&](double parameter) {
        on = on_branch(branch, here, there, parameter);
        return on ? depth(on->point) : NAN;
      };
      const double zero = bracketed_zero(depth_at, here, depth(p.point), there, depth(beyond->point));
      if (on) {
        const Point point = wrapped(window_, on->point);
        add({BifurcationKind::boundary_crossing, zero, point, on->energy, point});
        return;
      }
    }
    const auto near = [&](Point q, double parameter, double reach) {
      return std::abs(parameter - here) < 10 * finest_ &&
             length(displacement(window_, p.point, q)) < reach * span(window_);
    };
    const bool joins = std::any_of(found.begin(), found.end(), [&](const Bifurcation& f) {
      return (f.kind == BifurcationKind::pitchfork || f.kind == BifurcationKind::transcritical) &&
             near(f.point, f.parameter, 0.05);
    });
    if (joins) return;
    if (const auto f = fold(p.point, here);
        f && near(f->point, f->parameter, 0.05) && at(domain_, f->point) > 0) {
      add(*f);
    } else {
      add({BifurcationKind::unresolved, 0.5 * (here + there), p.point, p.energy, p.point});
    }
  }

  /// Newton on grad U = 0, det H = 0 in (x, y, parameter).
  std::optional<Bifurcation> fold(Point p, double parameter) const {
    const double h = 1e-5 * span(window_);
    const auto det = [&](double x, double y, double q) { return determinant(family_(x, y, q).hessian); };
    for (int iteration = 0; iteration < 60; ++iteration) {
      const auto [x, y] = p;
      const Jet2 jet = family_(x, y, parameter);
      if (!is_finite(jet)) return {};
      const auto [xx, xy, yy] = jet.hessian;
      const Point rate = force_rate(p, parameter);
      const double down = beside(parameter).low, up = beside(parameter).high;
      const std::array<double, 3> d{(det(x + h, y, parameter) - det(x - h, y, parameter)) / (2 * h),
                                    (det(x, y + h, parameter) - det(x, y - h, parameter)) / (2 * h),
                                    (det(x, y, up) - det(x, y, down)) / (up - down)};
      const std::array<double, 3> r{-jet.gradient[0], -jet.gradient[1], -determinant(jet.hessian)};
      // Cramer's rule on [xx xy rate0; xy yy rate1; d0 d1 d2].
      const auto determinant3 = [](auto a, auto b, auto c) {
        return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
               c[0] * (a[1] * b[2] - a[2] * b[1]);
      };
      using Column = std::array<double, 3>;
      const Column a{xx, xy, d[0]}, b{xy, yy, d[1]}, c{rate[0], rate[1], d[2]};
      const double all = determinant3(a, b, c);
      const Column step{determinant3(r, b, c) / all, determinant3(a, r, c) / all,
                        determinant3(a, b, r) / all};
      const double relative = std::max(
          {std::abs(step[0]) / span(window_), std::abs(step[1]) / span(window_), std::abs(step[2]) / width_});
      if (!std::isfinite(relative)) return {};
      const double factor = std::min(1.0, 0.02 / relative);
      p = p + factor * Point{step[0], step[1]};
      parameter = std::clamp(parameter + factor * step[2], bounds_.low, bounds_.high);
      if (relative < 1e-14 || (iteration > 20 && relative < 1e-11)) {
        const Point at = wrapped(window_, p);
        return Bifurcation{BifurcationKind::fold, parameter, at, family_(p[0], p[1], parameter).value, at};
      }
    }
    return {};
  }

  void add(const Bifurcation& b) {
    const auto same = [&](const Bifurcation& f) {
      return f.kind == b.kind && std::abs(f.parameter - b.parameter) < 1e-7 * width_ &&
             length(displacement(window_, f.point, b.point)) < 1e-5 * span(window_) &&
             length(displacement(window_, f.partner, b.partner)) < 1e-5 * span(window_);
    };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(b);
  }

  const PotentialFamily& family_;
  const Domain& domain_;
  const Window& window_;
  const Search search_;
  const ParameterBounds bounds_;
  const double width_, finest_;
  double lowest_ = INFINITY, highest_ = -INFINITY;  // energies of all points so far
};

}  // namespace

std::vector<Bifurcation> bifurcations(const PotentialFamily& given, const Domain& given_domain,
                                      const Window& given_window, ParameterRange range, Search search,
                                      std::optional<ParameterBounds> bounds) {
  if (range.steps < 1 || !(range.first < range.last)) {
    throw Error("landscape: a parameter range needs first < last and steps >= 1; given " +
                std::to_string(range.first) + " .. " + std::to_string(range.last) + ", steps " +
                std::to_string(range.steps));
  }
  const AlikeSides sides(given_window);
  const PotentialFamily family = sides.there(given);
  const Domain domain = sides.there(given_domain);
  const Window window = sides.window();
  Tracker tracker(family, domain, window, range, search,
                  bounds.value_or(ParameterBounds{range.first, range.last}));
  double a = range.first;
  StationaryPoints at_a = tracker.points_at(a);
  for (int step = 1; step <= range.steps; ++step) {
    const double b = range.first + (range.last - range.first) * step / range.steps;
    StationaryPoints at_b = tracker.points_at(b);
    tracker.follow(a, at_a, b, at_b);
    a = b;
    at_a = std::move(at_b);
  }
  std::sort(tracker.found.begin(), tracker.found.end(), [](const auto& f, const auto& g) {
    return f.parameter != g.parameter ? f.parameter < g.parameter : f.point < g.point;
  });
  return sides.back(std::move(tracker.found));
}

}  // namespace cotangent::landscapes
