// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/triangulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/lattice_cubes.hpp"

namespace cotangent::geometry {

namespace {

using namespace detail;

double squared(const SpacePoint& x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}
SpacePoint difference(const SpacePoint& a, const SpacePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Where g vanishes between a, at which g < 0, and b, at which g >= 0: Newton's method along the edge, kept
/// between the signs by bisection; then a last correction along grad g.
std::pair<SpacePoint, SpacePoint> root(const LevelFunction& g, const std::pair<SpacePoint, double>& below,
                                       const std::pair<SpacePoint, double>& above) {
  const auto& [a, at_a] = below;
  const auto& [b, at_b] = above;
  const SpacePoint start = a, edge = difference(b, a);
  const auto along = [&](double t) {
    return SpacePoint{start[0] + t * edge[0], start[1] + t * edge[1], start[2] + t * edge[2]};
  };
  double low = 0, high = 1, t = at_a / (at_a - at_b);
  SpacePoint x = along(t);
  LevelPoint here = g(x);
  for (int iteration = 0; iteration < 60; ++iteration) {
    (here.value < 0 ? low : high) = t;
    const SpacePoint& grad = here.gradient;
    const double before = t;
    t -= here.value / (grad[0] * edge[0] + grad[1] * edge[1] + grad[2] * edge[2]);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    if (std::abs(t - before) < 1e-12) break;
    x = along(t);
    here = g(x);
  }
  for (int twice = 0; twice < 2; ++twice) {
    const double by = here.value / squared(here.gradient);
    const SpacePoint moved{x[0] - by * here.gradient[0], x[1] - by * here.gradient[1],
                           x[2] - by * here.gradient[2]};
    const LevelPoint there = g(moved);
    if (!(std::abs(there.value) < std::abs(here.value))) break;
    x = moved;
    here = there;
  }
  const double size = std::sqrt(squared(here.gradient));
  SpacePoint normal{};
  for (std::size_t n = 0; n < 3 && size > 0; ++n) normal[n] = here.gradient[n] / size;
  return {x, normal};
}

/// Cuts tetrahedra, whose corners are bits of a cube, by the surface.
class Cutter {
 public:
  Cutter(const LevelFunction& g, const Lattice& lattice, Triangulation& into)
      : g_(g), lattice_(lattice), into_(into) {}

  void cut(const Cube& cube) {
    cube_ = cube;
    for (const auto& corners : tetrahedra) cut_tetrahedron(corners);
  }

 private:
  using Corners = std::array<int, 4>;
  /// The paths from 000 to 111 along the edges, turned so that all have positive volume.
  static constexpr std::array<Corners, 6> tetrahedra{
      {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}}};

  void cut_tetrahedron(const Corners& c) {
    // Even permutations that put one corner, or two, first.
    static constexpr std::array<Corners, 4> one{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}}};
    static constexpr std::array<Corners, 6> two{
        {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};
    const auto below = [&](int k) { return cube_.below(c[static_cast<std::size_t>(k)]); };
    const int negative = below(0) + below(1) + below(2) + below(3);
    const auto edge = [&](int k, int l) {
      return vertex(c[static_cast<std::size_t>(k)], c[static_cast<std::size_t>(l)]);
    };
    if (negative == 1 || negative == 3) {
      for (const auto& [p, q, r, s] : one) {
        if (below(p) != (negative == 1)) continue;
        if (negative == 1)
          into_.triangles.push_back({edge(p, q), edge(p, r), edge(p, s)});
        else
          into_.triangles.push_back({edge(p, q), edge(p, s), edge(p, r)});
      }
    } else if (negative == 2) {
      for (const auto& [p, q, r, s] : two) {
        if (below(p) && below(q)) quadrangle({edge(p, r), edge(p, s), edge(q, s), edge(q, r)});
      }
    }
  }

  /// Two triangles, the shorter diagonal between them.
  void quadrangle(const std::array<std::int32_t, 4>& v) {
    const auto diagonal = [&](std::size_t k) {
      const auto& x = into_.vertices;
      return squared(difference(x[static_cast<std::size_t>(v[k])], x[static_cast<std::size_t>(v[k + 2])]));
    };
    if (diagonal(0) <= diagonal(1)) {
      into_.triangles.push_back({v[0], v[1], v[2]});
      into_.triangles.push_back({v[0], v[2], v[3]});
    } else {
      into_.triangles.push_back({v[0], v[1], v[3]});
      into_.triangles.push_back({v[1], v[2], v[3]});
    }
  }

  /// The vertex on an edge, made where it isn't there yet. Of its corners one holds the other's bits.
  std::int32_t vertex(int k, int l) {
    const auto [index, fresh] =
        vertices_[packed(corner(cube_.site, k & l)) << 3 | static_cast<std::uint64_t>(k ^ l)];
    if (fresh) {
      index = static_cast<std::int32_t>(into_.vertices.size());
      if (!cube_.below(k)) std::swap(k, l);
      const auto end = [&](int bits) {
        return std::pair(lattice_.place(corner(cube_.site, bits)),
                         cube_.value[static_cast<std::size_t>(bits)]);
      };
      const auto [x, normal] = root(g_, end(k), end(l));
      into_.vertices.push_back(x);
      into_.normals.push_back(normal);
    }
    return index;
  }

  const LevelFunction& g_;
  const Lattice& lattice_;
  Triangulation& into_;
  Cube cube_{};
  KeyMap<std::int32_t> vertices_;
};

void take_cubes(const Lattice& lattice, SpaceBox& box) {
  for (const Cube& cube : lattice.cubes()) {
    for (int bits : {0, 7}) box.take(lattice.place(corner(cube.site, bits)));
  }
}

}  // namespace

double SpaceBox::longest() const {
  return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

void SpaceBox::take(const SpacePoint& point) {
  for (std::size_t n = 0; n < 3; ++n) {
    low[n] = std::min(low[n], point[n]);
    high[n] = std::max(high[n], point[n]);
  }
}

SpaceBox SpaceBox::around(std::span<const SpacePoint> points) {
  SpaceBox box{points[0], points[0]};
  for (const SpacePoint& point : points) box.take(point);
  return box;
}

SpaceBox SpaceBox::padded(double by) const {
  SpaceBox box = *this;
  for (std::size_t n = 0; n < 3; ++n) {
    box.low[n] -= by;
    box.high[n] += by;
  }
  return box;
}

std::int64_t Triangulation::euler_characteristic() const {
  KeyMap<char> edges;
  std::int64_t count = 0;
  for (const auto& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      count += edges[static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high)].second;
    }
  }
  return static_cast<std::int64_t>(vertices.size()) - count + static_cast<std::int64_t>(triangles.size());
}

bool Triangulation::closed() const {
  // An edge's passages one way less those the other way, and no way twice.
  KeyMap<int> passages;
  std::int64_t open = 0;
  for (const auto& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = static_cast<std::uint64_t>(t[k]), to = static_cast<std::uint64_t>(t[(k + 1) % 3]);
      int& seen = passages[std::min(from, to) << 32 | std::max(from, to)].first;
      const int way = from < to ? 1 : 2;
      if ((seen & way) != 0) return false;
      seen |= way;
      open += seen == 3 ? -1 : 1;
    }
  }
  return open == 0;
}

double Triangulation::area() const {
  double sum = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) sum += 0.5 * std::sqrt(squared(doubled_area(t)));
  return sum;
}

SpacePoint Triangulation::doubled_area(std::size_t triangle) const {
  const auto& corner = triangles[triangle];
  const auto at = [&](std::size_t k) { return vertices[static_cast<std::size_t>(corner[k])]; };
  const SpacePoint a = difference(at(1), at(0)), b = difference(at(2), at(0));
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::optional<Triangulation> triangulate(const LevelFunction& g, std::span<const SpacePoint> points,
                                         double side, const std::optional<SpaceBox>& box,
                                         const SpacePoint& periods, std::int64_t most) {
  Lattice lattice(g, side, box, periods);
  if (!lattice.find_cubes(points, most)) return std::nullopt;
  Triangulation result;
  Cutter cutter(g, lattice, result);
  for (const Cube& cube : lattice.cubes()) cutter.cut(cube);
  return result;
}

std::optional<SpaceBox> box_of_cubes(const LevelFunction& g, std::span<const SpacePoint> points, double side,
                                     const SpaceBox& box, const SpacePoint& periods, std::int64_t most) {
  Lattice lattice(g, side, box, periods);
  if (!lattice.find_cubes(points, most)) return std::nullopt;
  SpaceBox around = SpaceBox::around(points);
  take_cubes(lattice, around);
  return around;
}

std::vector<SpacePoint> first_in_cubes(std::span<const SpacePoint> points, double side) {
  const LevelFunction none;
  const Lattice lattice(none, side, std::nullopt);
  KeyMap<bool> seen;
  std::vector<SpacePoint> first;
  for (const SpacePoint& point : points) {
    if (seen[packed(lattice.home(point))].second) first.push_back(point);
  }
  return first;
}

std::optional<SpaceBox> surface_box(const LevelFunction& g, std::span<const SpacePoint> points,
                                    double scale) {
  constexpr std::int64_t most = 3000;
  for (const SpacePoint& point : points) {
    for (double x : point) scale = std::max(scale, std::abs(x));
  }
  if (scale == 0) scale = 1;
  // The finest lattice on which a bounded number of cubes holds all of the surface: at half its spacing they
  // were too many, so they must be a quarter of these, where the lattice is fine enough not to lose parts.
  std::optional<SpaceBox> found;
  std::int64_t cubes = 0;
  bool exceeded = false;
  double side = scale / 12;
  // As fine as there are sites to reach the points, which may lie far off a small surface's centre.
  const double finest = 2 * scale / half_range;
  for (int coarser = 0; exceeded ? coarser <= 10 : side > finest; coarser += exceeded) {
    Lattice lattice(g, side, std::nullopt);
    const bool whole = lattice.find_cubes(points, most);
    if (whole && !lattice.cubes().empty()) {
      cubes = static_cast<std::int64_t>(lattice.cubes().size());
      const SpacePoint first = lattice.place(lattice.cubes().front().site);
      found = SpaceBox{first, first};
      take_cubes(lattice, *found);
    }
    if (exceeded && whole) break;  // from finer ones, at last
    if (!whole && found) {         // from coarser ones
      exceeded = true;
      break;
    }
    exceeded = exceeded || !whole;
    side *= exceeded ? 2.0 : 0.5;
  }
  return exceeded && cubes > most / 8 ? found : std::nullopt;
}

}  // namespace cotangent::geometry
