// SPDX-License-Identifier: BSD-3-Clause
#include "overland/mesh.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "parallel/records.hpp"

namespace cotangent::overland {

namespace {

double doubled_area(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

std::string text(const Point& p) {
  return "(" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + ")";
}

/// The points of this rank's cells, which it asks of those that have them.
class Corners {
 public:
  /// Collective.
  explicit Corners(const Triangles& t) {
    for (const auto& cell : t.cells) numbers_.insert(numbers_.end(), cell.begin(), cell.end());
    std::ranges::sort(numbers_);
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    const auto begins = parallel::offsets(std::ssize(t.vertices));
    auto questions = parallel::for_ranks<std::int64_t>();
    for (const std::int64_t n : numbers_) {
      const auto rank = static_cast<std::size_t>(parallel::owner(begins, n));
      questions[rank].push_back(n - begins[rank]);
    }
    points_ = parallel::asked(std::move(questions),
                              [&](std::int64_t n) { return t.vertices[static_cast<std::size_t>(n)]; });
  }
  std::array<Point, 3> of(const std::array<std::int64_t, 3>& cell) const {
    std::array<Point, 3> x;
    for (std::size_t k = 0; k < 3; ++k)
      x[k] =
          points_[static_cast<std::size_t>(std::ranges::lower_bound(numbers_, cell[k]) - numbers_.begin())];
    return x;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<Point> points_;
};

}  // namespace

void add_square(Triangles& t, bool rising, const std::array<std::int64_t, 4>& around) {
  const auto& [a, b, c, d] = around;
  t.cells.push_back({a, b, rising ? c : d});
  t.cells.push_back({rising ? a : b, c, d});
}

Triangles rectangle(Point from, Point to, int nx, int ny) {
  using Number = Triangles::Number;
  Triangles t;
  t.boundaries = {"left", "right", "bottom", "top"};
  const Number columns = Number{nx} + 1, squares = Number{nx} * ny;
  t.all_vertices = columns * (ny + 1);
  t.all_cells = 2 * squares;
  t.all_sides = 2 * (Number{nx} + ny);
  const int rank = parallel::rank();
  const auto begin = [&](Number all, int of) { return parallel::share_begin(all, of); };
  for (Number n = begin(t.all_vertices, rank); n < begin(t.all_vertices, rank + 1); ++n) {
    const Number column = n % columns, row = n / columns;
    const double u = static_cast<double>(column) / nx, v = static_cast<double>(row) / ny;
    t.vertices.push_back({from[0] + u * (to[0] - from[0]), from[1] + v * (to[1] - from[1])});
  }
  for (Number n = begin(squares, rank); n < begin(squares, rank + 1); ++n) {
    const Number i = n % nx, j = n / nx;
    const Number a = j * columns + i, b = a + 1, c = b + columns, d = a + columns;
    add_square(t, (i + j) % 2 == 0, {a, b, c, d});
    if (i == 0) t.sides.push_back({{a, d}, 0});
    if (i == nx - 1) t.sides.push_back({{b, c}, 1});
    if (j == 0) t.sides.push_back({{a, b}, 2});
    if (j == ny - 1) t.sides.push_back({{d, c}, 3});
  }
  return t;
}

void judge(Triangles& t, const std::string& source) {
  if (t.all_cells == 0) throw Error(source + ": the mesh has no triangles");
  const std::int64_t before =
      parallel::offsets(std::ssize(t.cells))[static_cast<std::size_t>(parallel::rank())];
  const Corners corners(t);
  std::int64_t turned = 0, first = t.all_cells;
  parallel::agree([&] {
    for (std::size_t c = 0; c < t.cells.size(); ++c) {
      const std::array<Point, 3> x = corners.of(t.cells[c]);
      const auto name = [&] { return std::to_string(before + static_cast<std::int64_t>(c) + 1); };
      double longest = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const Point &a = x[k], &b = x[(k + 1) % 3];
        if (!std::isfinite(a[0]) || !std::isfinite(a[1]))
          throw Error(source + ": a vertex of cell " + name() + " of the mesh isn't finite");
        longest = std::max(longest, std::hypot(a[0] - b[0], a[1] - b[1]));
      }
      const double area = doubled_area(x[0], x[1], x[2]);
      if (!(std::abs(area) > 1e-10 * longest * longest))
        throw Error(source + ": cell " + name() + " of the mesh, near " + text(x[0]) +
                    ", is degenerate: its vertices stand in a line");
      if (area < 0 && turned++ == 0) first = before + static_cast<std::int64_t>(c);
    }
  });
  turned = parallel::sum(turned);
  if (turned == t.all_cells) {
    for (auto& cell : t.cells) std::swap(cell[1], cell[2]);
  } else if (turned > 0) {
    const bool mine = first == parallel::minimum(first);
    parallel::agree([&] {
      if (mine)
        throw Error(source + ": cell " + std::to_string(first + 1) + " of the mesh, near " +
                    text(corners.of(t.cells[static_cast<std::size_t>(first - before)])[0]) +
                    ", is inverted: its vertices go around clockwise, others' do not");
    });
  }
}

Point Mesh::middle(std::size_t c) const {
  Point m{};
  for (const int v : cells[c]) {
    for (std::size_t d = 0; d < 2; ++d) m[d] += vertices[static_cast<std::size_t>(v)][d] / 3;
  }
  return m;
}

Shape shape(const Mesh& mesh, std::size_t cell) {
  std::array<Point, 3> x;
  for (std::size_t k = 0; k < 3; ++k) x[k] = mesh.vertices[static_cast<std::size_t>(mesh.cells[cell][k])];
  const double twice = doubled_area(x[0], x[1], x[2]);
  Shape s{twice / 2, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const Point &a = x[(k + 1) % 3], &b = x[(k + 2) % 3];
    s.gradient[k] = {(a[1] - b[1]) / twice, (b[0] - a[0]) / twice};
  }
  return s;
}

}  // namespace cotangent::overland
