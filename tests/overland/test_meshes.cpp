// SPDX-License-Identifier: BSD-3-Clause
// Meshes that no rank holds: what all ranks have together is what one rank would make of the whole. Expected
// meshes are made here in other ways: cell by cell with std::set, from the lists that the files are printed
// of.
#include <bit>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "core/error.hpp"
#include "la/petsc.hpp"
#include "mpi_test.hpp"
#include "overland/raster.hpp"
#include "parallel/records.hpp"

namespace cotangent::overland {
namespace {

using Cell = std::array<std::int64_t, 3>;
struct Whole {
  std::vector<Point> vertices;                                     // by rising y, then x
  std::vector<Cell> cells;                                         // the least first, counter-clockwise
  std::set<std::pair<std::set<std::int64_t>, std::string>> sides;  // with their boundaries
  bool operator==(const Whole&) const = default;
};

/// A whole mesh by its ids.
Whole ordered(const std::vector<Point>& vertices, std::vector<Cell> cells,
              const std::vector<std::pair<std::array<std::int64_t, 2>, std::string>>& sides) {
  std::set<std::pair<double, double>> used;
  for (const auto& cell : cells) {
    for (const auto v : cell)
      used.emplace(vertices[static_cast<std::size_t>(v)][1], vertices[static_cast<std::size_t>(v)][0]);
  }
  Whole whole;
  for (const auto& [y, x] : used) whole.vertices.push_back({x, y});
  const auto id = [&](std::int64_t v) {
    const Point& p = vertices[static_cast<std::size_t>(v)];
    return static_cast<std::int64_t>(std::distance(used.begin(), used.find({p[1], p[0]})));
  };
  for (auto& cell : cells) {
    for (auto& v : cell) v = id(v);
    std::rotate(cell.begin(), std::ranges::min_element(cell), cell.end());
  }
  std::ranges::sort(cells);
  whole.cells = std::move(cells);
  for (const auto& [ends, name] : sides) whole.sides.emplace(std::set{id(ends[0]), id(ends[1])}, name);
  return whole;
}

/// What all ranks hold together, on every rank.
Whole together(const Mesh& mesh) {
  const auto everywhere = [](const auto& list) {
    using Record = typename std::decay_t<decltype(list)>::value_type;
    return parallel::exchange(parallel::ForRanks<Record>(static_cast<std::size_t>(parallel::size()), list));
  };
  struct Vertex {
    std::int64_t id;
    Point at;
  };
  std::vector<Vertex> own;
  for (std::size_t v = 0; v < static_cast<std::size_t>(mesh.own); ++v)
    own.push_back({mesh.id[v], mesh.vertices[v]});
  Whole whole;
  whole.vertices.resize(static_cast<std::size_t>(mesh.all_vertices), {NAN, NAN});
  for (const auto& [id, at] : everywhere(own)) whole.vertices.at(static_cast<std::size_t>(id)) = at;
  const auto id = [&](int v) { return mesh.id[static_cast<std::size_t>(v)]; };
  std::vector<Cell> cells, sides;
  for (const auto& cell : mesh.cells) {
    cells.push_back({id(cell[0]), id(cell[1]), id(cell[2])});
    std::rotate(cells.back().begin(), std::ranges::min_element(cells.back()), cells.back().end());
  }
  for (const auto& side : mesh.sides) sides.push_back({id(side.ends[0]), id(side.ends[1]), side.boundary});
  whole.cells = everywhere(cells);
  std::ranges::sort(whole.cells);
  for (const auto& [a, b, boundary] : everywhere(sides))
    whole.sides.emplace(std::set{a, b}, mesh.boundaries[static_cast<std::size_t>(boundary)]);
  // Copies of others' vertices are theirs.
  bool same = true;
  for (std::size_t v = 0; v < mesh.size(); ++v)
    same = same && mesh.vertices[v] == whole.vertices[static_cast<std::size_t>(mesh.id[v])];
  CHECK_ALL(same);
  return whole;
}

/// A grid of nx times ny squares of which some are left out, with its outer sides.
Whole grid(int nx, int ny, const std::function<Point(int, int)>& at,
           const std::function<bool(int, int)>& full, const std::function<std::string(char)>& name) {
  std::vector<Point> vertices;
  std::vector<Cell> cells;
  std::vector<std::pair<std::array<std::int64_t, 2>, std::string>> sides;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) vertices.push_back(at(i, j));
  }
  const auto there = [&](int i, int j) { return i >= 0 && j >= 0 && i < nx && j < ny && full(i, j); };
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      if (!there(i, j)) continue;
      const std::int64_t a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, c = d + 1;
      if ((i + j) % 2 == 0)
        cells.insert(cells.end(), {{a, b, c}, {a, c, d}});
      else
        cells.insert(cells.end(), {{a, b, d}, {b, c, d}});
      if (!there(i - 1, j)) sides.push_back({{a, d}, name('l')});
      if (!there(i + 1, j)) sides.push_back({{b, c}, name('r')});
      if (!there(i, j - 1)) sides.push_back({{a, b}, name('b')});
      if (!there(i, j + 1)) sides.push_back({{c, d}, name('t')});
    }
  }
  return ordered(vertices, cells, sides);
}

TEST_CASE("A rectangle made in shares is the whole one") {
  const la::Petsc petsc;
  for (const auto& [nx, ny] : {std::pair{7, 5}, {9, 1}, {1, 6}, {40, 30}}) {
    const Whole expected = grid(
        nx, ny,
        [nx = nx, ny = ny](int i, int j) {
          return Point{-1 + 3 * (double(i) / nx), 2 * (double(j) / ny)};
        },
        [](int, int) { return true; },
        [](char side) {
          return side == 'l' ? "left" : side == 'r' ? "right" : side == 'b' ? "bottom" : "top";
        });
    CHECK_ALL(together(distribute(rectangle({-1, 0}, {2, 2}, nx, ny), 0)) == expected);
    // The control: another mesh with as many cells.
    CHECK_ALL(!(together(distribute(rectangle({-1, 0}, {2, 2}, ny, nx), 0)) == expected));
  }
}

/// A file beside the test, written by rank 0.
std::string written(const std::string& name, const std::string& text) {
  const std::string file = (std::filesystem::temp_directory_path() /
                            fmt::format("{}_{}", name, parallel::broadcast(std::int64_t{getpid()})))
                               .string();
  parallel::on_rank_zero([&] { std::ofstream(file, std::ios::binary) << text; });
  return file;
}
void removed(const std::string& file) {
  parallel::on_rank_zero([&] { std::filesystem::remove(file); });
}

TEST_CASE("A raster with gaps comes in windows, and its mesh in shares") {
  const la::Petsc petsc;
  const int columns = 23, rows = 17;
  const auto gap = [](int i, int j) {
    return std::hypot(i - 8, j - 6) < 3 || (i > 18 && j < 4) || (j == 11 && i % 4 == 1) || (i == 0 && j < 9);
  };
  const auto height = [&](int i, int j) { return gap(i, j) ? -9999.0 : i + 100.0 * j + 0.125; };
  std::string text =
      fmt::format("NCOLS {}\nnrows {}\nxllcorner 10\nyllcenter -3\ncellsize 0.5\n", columns, rows);
  for (int j = rows - 1; j >= 0; --j) {
    for (int i = 0; i < columns; ++i) text += fmt::format("{} ", height(i, j));
    text += "\n";
  }
  const std::string file = written("gaps.asc", text);
  Raster raster = open_raster(file);
  const Whole expected = grid(
      columns - 1, rows - 1,
      [](int i, int j) {
        return Point{10.25 + 0.5 * i, -3 + 0.5 * j};
      },
      [&](int i, int j) { return !gap(i, j) && !gap(i + 1, j) && !gap(i, j + 1) && !gap(i + 1, j + 1); },
      [](char) { return "boundary"; });
  const Triangles shares = triangles(raster);
  CHECK_ALL(shares.all_vertices == std::ssize(expected.vertices));
  CHECK_ALL(shares.all_cells == std::ssize(expected.cells));
  CHECK_ALL(shares.all_sides == std::ssize(expected.sides));
  const Mesh mesh = distribute(triangles(raster), 0);
  CHECK_ALL(together(mesh) == expected);

  raster.load(raster.around(mesh.vertices));
  bool right = true;
  for (const Point& p : mesh.vertices)
    right = right &&
            raster.value(p) == height(int(std::lround(2 * (p[0] - 10.25))), int(std::lround(2 * (p[1] + 3))));
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const Point p = mesh.middle(c);
    right = right && std::abs(raster.value(p) - (2 * (p[0] - 10.25) + 200 * (p[1] + 3) + 0.125)) < 1e-9;
  }
  CHECK_ALL(right);
  // No more than the rectangle around this rank's vertices, which is not all where there are several.
  CHECK_ALL(std::ssize(raster.values) == raster.window.columns * raster.window.rows);
  CHECK_ALL((parallel::sum(std::ssize(raster.values)) < parallel::size() * columns * rows) ==
            (parallel::size() > 1));
  removed(file);
}

TEST_CASE("A raster's cells without data may be nan, also its first") {
  const auto loaded = [](const std::string& head, const std::string& none) {
    const std::string file = written("nan.asc", "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n" +
                                                    head + none + " 2 3\n4 +5 " + none + "\n");
    Raster raster;
    const std::string text = test::text_thrown<Error>([&] {
      raster = open_raster(file);
      raster.load({0, 0, 3, 2});
    });
    removed(file);
    return std::pair(raster.values, text);
  };
  for (const auto& [head, none] :
       std::vector<std::pair<std::string, std::string>>{{"", "-9999"},
                                                        {"NODATA_value 7\n", "7"},
                                                        {"NODATA_value nan\n", "nan"},
                                                        {"nodata_value NaN\n", "NaN"},
                                                        {"NODATA_value -9999\n", "nan"},
                                                        {"", "NAN"},
                                                        {"", "-nan(ind)"}}) {
    CAPTURE(head, none);
    const auto [values, text] = loaded(head, none);
    CHECK_ALL(text.empty());
    CHECK_ALL(values.size() == 6 && values[0] == 4 && values[1] == 5 && std::isnan(values[2]) &&
              std::isnan(values[3]) && values[4] == 2 && values[5] == 3);
  }
  for (const char* word : {"nancy", "-", "1x", "inf", "1e999"}) {
    CAPTURE(word);
    const std::string text = loaded("", word).second;
    CHECK_ALL(!text.empty());
    CHECK_ALL(text.find("a number is missing or isn't one") != std::string::npos ||
              std::string(word) == "nancy");
  }
}

/// Words of a Gmsh file, as text or as they stand in memory.
struct Words {
  bool binary;
  std::string text;
  template <class Number>
  Words& operator<<(Number x) {
    if (binary)
      text.append(reinterpret_cast<const char*>(&x), sizeof x);
    else
      text += fmt::format("{} ", x);
    return *this;
  }
  void line(const std::string& s) { text += s + "\n"; }
  void end() { text += binary ? "" : "\n"; }
};

/// A strip of triangles, printed with tags that don't follow one another, a node that none has, a physical
/// curve "inlet" on the left, two called "wall" below and above, none on the right.
struct Strip {
  std::vector<Point> vertices;
  std::vector<Cell> cells;
  std::vector<Cell> lines;  // ends, physical curve
  static constexpr int n = 40;
  Strip() {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= 3; ++j) vertices.push_back({0.25 * i + 0.01 * j, j + 0.02 * std::sin(i)});
    }
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        const std::int64_t a = 4 * i + j, b = a + 4;
        cells.insert(cells.end(), {{a, b, b + 1}, {a + 1, a, b + 1}});
      }
      lines.insert(lines.end(), {{4 * i, 4 * i + 4, 7}, {4 * i + 7, 4 * i + 3, 9}});
    }
    for (std::int64_t j = 0; j < 3; ++j) lines.push_back({j, j + 1, 12});
    vertices.push_back({100, 100});
  }
  static std::int64_t tag(std::int64_t v) { return 1000 + 7 * ((v * 37) % 1009); }
  Whole whole() const {
    std::vector<std::pair<std::array<std::int64_t, 2>, std::string>> sides;
    for (const auto& [a, b, curve] : lines) sides.push_back({{a, b}, curve == 12 ? "inlet" : "wall"});
    for (std::int64_t j = 0; j < 3; ++j) sides.push_back({{4 * n + j, 4 * n + j + 1}, "boundary"});
    return ordered(vertices, cells, sides);
  }
  std::string printed(bool newer, bool binary) const {
    Words out{binary, ""};
    out.line("$MeshFormat");
    out.line(fmt::format("{} {} 8", newer ? "4.1" : "2.2", binary ? 1 : 0));
    if (binary) (out << 1).end();
    out.line("$EndMeshFormat\n$PhysicalNames\n4\n1 7 \"wall\"\n1 9 \"wall\"\n1 12 \"inlet\"\n2 1 \"land\"");
    out.line("$EndPhysicalNames");
    using Size = std::int64_t;
    const Size nodes = std::ssize(vertices), all = std::ssize(cells) + std::ssize(lines);
    if (!newer) {
      out.line(fmt::format("$Nodes\n{}", nodes));
      for (Size v = 0; v < nodes; ++v) {
        const auto& p = vertices[static_cast<std::size_t>(v)];
        out << int(tag(v)) << p[0] << p[1] << 0.0;
        if (!binary) out.end();
      }
      out.line(binary ? "\n$EndNodes" : "$EndNodes");
      out.line(fmt::format("$Elements\n{}", all));
      int number = 0;
      for (const bool line : {true, false}) {
        for (const auto& e : line ? lines : cells) {
          if (binary) out << (line ? 1 : 2) << 1 << 2;
          out << ++number;
          if (!binary) out << (line ? 1 : 2) << 2;
          out << int(line ? e[2] : 1) << 5;
          for (std::size_t k = 0; k < (line ? 2U : 3U); ++k) out << int(tag(e[k]));
          if (!binary) out.end();
        }
      }
      out.line("\n$EndElements");
      return out.text;
    }
    // Curves 3, 4 and 5 bear the physical ones; curve 6 bears none.
    out.line("$Entities");
    (out << Size{1} << Size{4} << Size{1} << Size{0}).end();
    (out << 1 << 0.0 << 0.0 << 0.0 << Size{0}).end();
    for (int curve = 3; curve <= 6; ++curve) {
      out << curve;
      for (int k = 0; k < 6; ++k) out << 0.0;
      out << Size{curve < 6};
      if (curve < 6) out << (curve == 3 ? 7 : curve == 4 ? 9 : 12);
      (out << Size{2} << 1 << -1).end();
    }
    out << 1;
    for (int k = 0; k < 6; ++k) out << 0.0;
    (out << Size{1} << 1 << Size{1} << 3).end();
    out.line("$EndEntities\n$Nodes");
    const Size half = nodes / 2;
    (out << Size{2} << nodes << Size{1} << Size{9000}).end();
    for (const auto& [from, to] : {std::pair{Size{0}, half}, {half, nodes}}) {
      (out << 2 << 1 << 0 << to - from).end();
      for (Size v = from; v < to; ++v) (out << tag(v)).end();
      for (Size v = from; v < to; ++v) {
        const auto& p = vertices[static_cast<std::size_t>(v)];
        (out << p[0] << p[1] << 0.0).end();
      }
    }
    out.line("\n$EndNodes\n$Elements");
    (out << Size{4} << all << Size{1} << all).end();
    Size number = 0;
    for (const int curve : {3, 4, 5}) {
      const Size physical = curve == 3 ? 7 : curve == 4 ? 9 : 12;
      const Size count = std::ranges::count_if(lines, [&](const Cell& e) { return e[2] == physical; });
      (out << 1 << curve << 1 << count).end();
      for (const auto& e : lines) {
        if (e[2] == physical) (out << ++number << tag(e[0]) << tag(e[1])).end();
      }
    }
    (out << 2 << 1 << 2 << Size{std::ssize(cells)}).end();
    for (const auto& e : cells) (out << ++number << tag(e[0]) << tag(e[1]) << tag(e[2])).end();
    out.line("\n$EndElements");
    return out.text;
  }
};

TEST_CASE("Gmsh files of all formats come in pieces and give one mesh") {
  const la::Petsc petsc;
  const Strip strip;
  const Whole expected = strip.whole();
  for (const bool newer : {false, true}) {
    for (const bool binary : {false, true}) {
      INFO("format " << (newer ? 4.1 : 2.2) << (binary ? " binary" : ""));
      const std::string file = written("strip.msh", strip.printed(newer, binary));
      Triangles t = read_gmsh(file);
      CHECK_ALL(t.boundaries == std::vector<std::string>{"boundary", "wall", "inlet"});
      CHECK_ALL(t.all_vertices == std::ssize(expected.vertices));
      CHECK_ALL(t.all_cells == std::ssize(expected.cells));
      CHECK_ALL(t.all_sides == std::ssize(expected.sides));
      CHECK_ALL(std::ssize(t.cells) <= t.all_cells / parallel::size() + 1);
      judge(t, file);
      CHECK_ALL(together(distribute(std::move(t), 0)) == expected);
      removed(file);
    }
  }
}

TEST_CASE("Meshes all of whose cells are clockwise are turned; what else is wrong is refused on every rank") {
  const la::Petsc petsc;
  Strip strip;
  const Whole expected = strip.whole();
  for (auto& cell : strip.cells) std::swap(cell[0], cell[1]);
  std::string file = written("turned.msh", strip.printed(true, true));
  Triangles t = read_gmsh(file);
  judge(t, file);
  CHECK_ALL(together(distribute(std::move(t), 0)) == expected);
  removed(file);
  const auto refusal = [&](const std::string& text) {
    file = written("refused.msh", text);
    const auto said = test::text_thrown<Error>([&] {
      Triangles shares = read_gmsh(file);
      judge(shares, file);
    });
    removed(file);
    return said;
  };
  const auto refuses = [&](const std::string& text, const std::string& why) {
    const std::string said = refusal(text);
    INFO(said);
    return said.find(file) == 0 && said.find(why) != std::string::npos;
  };
  CHECK_ALL(refusal(Strip().printed(false, false)).empty());  // the control
  std::swap(strip.cells[100][0], strip.cells[100][1]);
  CHECK_ALL(refuses(strip.printed(false, false), "cell 1 of the mesh, near"));
  strip = {};
  std::swap(strip.cells[100][0], strip.cells[100][1]);
  CHECK_ALL(refuses(strip.printed(true, false), "cell 101 of the mesh, near"));
  strip = {};
  strip.cells[7][2] = strip.cells[7][0];
  CHECK_ALL(refuses(strip.printed(true, false), fmt::format("node {} twice", Strip::tag(strip.cells[7][0]))));
  strip = {};
  strip.vertices[30][1] = std::numeric_limits<double>::infinity();
  CHECK_ALL(refuses(strip.printed(false, true), "isn't finite"));
  strip = {};
  const std::string whole = strip.printed(true, true);
  CHECK_ALL(refuses(whole.substr(0, whole.size() / 2), "can't be read"));
  strip.vertices.pop_back();
  strip.cells.back()[2] = std::ssize(strip.vertices);
  CHECK_ALL(refuses(strip.printed(true, false),
                    fmt::format("node {}, which isn't there", Strip::tag(strip.cells.back()[2]))));
  strip = {};
  strip.cells.clear();
  CHECK_ALL(refuses(strip.printed(false, false), "holds no surface"));
  removed(file);
}

}  // namespace
}  // namespace cotangent::overland
