// SPDX-License-Identifier: BSD-3-Clause
// The boundary of the admissible region: the line domain = 0 by marching squares (Lorensen and Cline 1987, in
// the plane), each piece drawn onto the line by bisection across its chord; the turns of grad U along it and
// along the window's sides; and the minima of U on it, where the derivative along the line changes from - to
// +.
#include <algorithm>
#include <numbers>
#include <sstream>

#include "core/error.hpp"
#include "landscapes/detail.hpp"

namespace cotangent::landscapes {

namespace {
/// Half the distance between the places whose difference gives the boundary's normal, in spans of the window.
constexpr double normal_step = 1e-6;
}  // namespace

namespace detail {

Point crossing(const Domain& domain, Point in, Point out) {
  for (int halving = 0; halving < 60; ++halving) {
    const Point middle = 0.5 * (in + out);
    (at(domain, middle) > 0 ? in : out) = middle;
  }
  return 0.5 * (in + out);
}

Point outward(const Domain& domain, const Window& window, Point p) {
  const double step = normal_step * span(window);
  const Point fall{domain(p[0] - step, p[1]) - domain(p[0] + step, p[1]),
                   domain(p[0], p[1] - step) - domain(p[0], p[1] + step)};
  return (1 / length(fall)) * fall;
}

}  // namespace detail

using namespace detail;

namespace {

struct Segment {
  Point begin, end;  // the admissible side on the left
};

struct Boundary {
  std::vector<Segment> line;     // of domain = 0
  std::vector<Segment> borders;  // admissible pieces of the sides of a window that is not periodic
};

/// The boundary's point across from a place on the chord of a segment.
Point on_line(const Domain& domain, const Segment& segment, double place) {
  const Point chord = segment.end - segment.begin;
  const Point middle = segment.begin + place * chord;
  const Point inward{-chord[1], chord[0]};
  for (double width : {0.05, 0.25, 1.0}) {
    const Point in = middle + width * inward, out = middle - width * inward;
    if (at(domain, in) > 0 && !(at(domain, out) > 0)) return crossing(domain, in, out);
  }
  return middle;
}

Boundary boundary_of(const Domain& domain, const Window& window, int cells) {
  Boundary boundary;
  const auto corner = [&](int i, int j) {
    return Point{window.x0 + (window.x1 - window.x0) * i / cells,
                 window.y0 + (window.y1 - window.y0) * j / cells};
  };
  std::vector<char> admissible((cells + 1) * (cells + 1));
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) admissible[i * (cells + 1) + j] = at(domain, corner(i, j)) > 0;
  }
  const auto is_in = [&](int i, int j) { return admissible[i * (cells + 1) + j] != 0; };
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      // Counter-clockwise from the lower left corner.
      const std::array<Point, 4> c{corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)};
      const std::array<bool, 4> in{is_in(i, j), is_in(i + 1, j), is_in(i + 1, j + 1), is_in(i, j + 1)};
      std::vector<Point> leaving, entering;
      bool leaves_first = true;
      for (int k = 0; k < 4; ++k) {
        const int next = (k + 1) % 4;
        const bool border =
            (k == 0 && j == 0 && !window.periodic_y) || (k == 2 && j == cells - 1 && !window.periodic_y) ||
            (k == 3 && i == 0 && !window.periodic_x) || (k == 1 && i == cells - 1 && !window.periodic_x);
        if (in[k] == in[next]) {
          if (in[k] && border) boundary.borders.push_back({c[k], c[next]});
          continue;
        }
        const Point cut = in[k] ? crossing(domain, c[k], c[next]) : crossing(domain, c[next], c[k]);
        if (leaving.empty() && entering.empty()) leaves_first = in[k];
        (in[k] ? leaving : entering).push_back(cut);
        if (border) boundary.borders.push_back(in[k] ? Segment{c[k], cut} : Segment{cut, c[next]});
      }
      // The line goes from where the walk round the cell leaves the region to where it enters again; with two
      // corners in across from each other the centre says whether they are joined.
      const std::size_t n = leaving.size();
      const Point centre = 0.5 * (c[0] + c[2]);
      const bool joined = n < 2 || at(domain, centre) > 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t after = leaves_first ? k : (k + 1) % n;
        boundary.line.push_back({leaving[k], entering[joined ? after : (after + n - 1) % n]});
      }
    }
  }
  return boundary;
}

}  // namespace

namespace detail {

std::optional<int> boundary_index(const Potential& potential, const Domain& domain, const Window& window,
                                  int cells) {
  const Boundary boundary = boundary_of(domain, window, cells);
  double sum = 0;
  const auto add = [&](const Segment& segment, bool curved) {
    if (length(segment.end - segment.begin) == 0) return true;
    const auto turns = turning(potential, [&](double place) {
      if (place == 0) return segment.begin;
      if (place == 1) return segment.end;
      return curved ? on_line(domain, segment, place) : segment.begin + place * (segment.end - segment.begin);
    });
    if (turns) sum += *turns;
    return turns.has_value();
  };
  for (const auto& segment : boundary.line) {
    if (!add(segment, true)) return {};
  }
  for (const auto& segment : boundary.borders) {
    if (!add(segment, false)) return {};
  }
  const double turns = sum / (2 * std::numbers::pi);
  if (std::abs(turns - std::round(turns)) > 1e-6) return {};
  return static_cast<int>(std::lround(turns));
}

}  // namespace detail

std::vector<BoundaryExtremum> boundary_extrema(const Potential& potential, const Domain& domain,
                                               const Window& window, Search search) {
  const auto finite_jet = [&](Point p) {
    const Jet2 jet = at(potential, p);
    if (is_finite(jet)) return jet;
    std::ostringstream text;
    text.precision(17);
    text << "landscape: the potential is not finite on the boundary of the admissible region, at (" << p[0]
         << ", " << window.unit_y * p[1] << "); restrict the domain to where it is";
    throw Error(text.str());
  };
  const auto slope_along = [&](Point p) {
    return dot(finite_jet(p).gradient, along(outward(domain, window, p)));
  };
  // What round-off makes of a slope that is zero: that of U, and that of the normal by differences.
  const auto noise = [&](Point p) {
    const Jet2 jet = at(potential, p);
    const double epsilon = std::numeric_limits<double>::epsilon();
    return 16 * epsilon * (length(jet.gradient) / normal_step + frobenius(jet.hessian) * span(window));
  };
  constexpr int pieces = 4;  // of a segment, each with at most one extremum
  std::vector<BoundaryExtremum> extrema, level;
  for (const auto& segment : boundary_of(domain, window, search.cells).line) {
    if (length(segment.end - segment.begin) == 0) continue;
    const auto point = [&](double place) {
      return place == 0 ? segment.begin : place == 1 ? segment.end : on_line(domain, segment, place);
    };
    double after = slope_along(segment.begin);
    for (int piece = 0; piece < pieces; ++piece) {
      double low = double(piece) / pieces, high = double(piece + 1) / pieces;
      const double before = after;
      after = slope_along(point(high));
      const bool falls = before < 0;
      if (falls == (after < 0)) continue;
      const bool is_level = std::abs(before) <= noise(point(low)) && std::abs(after) <= noise(point(high));
      for (int halving = 0; halving < 50 && !is_level; ++halving) {
        const double middle = 0.5 * (low + high);
        ((slope_along(point(middle)) < 0) == falls ? low : high) = middle;
      }
      const Point place = wrapped(window, point(0.5 * (low + high)));
      const Jet2 jet = finite_jet(place);
      auto& list = is_level ? level : extrema;
      const bool known = std::any_of(list.begin(), list.end(), [&](const auto& m) {
        return length(displacement(window, m.point, place)) < 1e-6 * span(window);
      });
      if (!known) {
        list.push_back(
            {place, jet.value, falls || is_level, dot(jet.gradient, outward(domain, window, place))});
      }
    }
  }
  // Where U is level along the boundary, one place stands for all, as a minimum that anything may touch.
  for (const auto& candidate : level) {
    const double tolerance = noise(candidate.point) * span(window);
    const bool known = std::any_of(extrema.begin(), extrema.end(), [&](const auto& m) {
      return m.minimum && std::abs(m.energy - candidate.energy) <= tolerance;
    });
    if (!known) extrema.push_back(candidate);
  }
  std::sort(extrema.begin(), extrema.end(), [](const auto& a, const auto& b) {
    return a.energy != b.energy ? a.energy < b.energy : a.point < b.point;
  });
  return extrema;
}

}  // namespace cotangent::landscapes
