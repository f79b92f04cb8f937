#include "overland/mesh.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

namespace {

double doubled_area(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

std::string text(const Point& p) {
  return "(" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + ")";
}

}  // namespace

Triangles rectangle(Point from, Point to, int nx, int ny) {
  Triangles t;
  t.boundaries = {"left", "right", "bottom", "top"};
  const auto at = [nx](int i, int j) { return j * (nx + 1) + i; };
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      const double u = static_cast<double>(i) / nx, v = static_cast<double>(j) / ny;
      t.vertices.push_back({from[0] + u * (to[0] - from[0]), from[1] + v * (to[1] - from[1])});
    }
  }
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      if ((i + j) % 2 == 0) {
        t.cells.push_back({a, b, c});
        t.cells.push_back({a, c, d});
      } else {
        t.cells.push_back({a, b, d});
        t.cells.push_back({b, c, d});
      }
    }
  }
  for (int j = 0; j < ny; ++j) {
    t.sides.push_back({{at(0, j), at(0, j + 1)}, 0});
    t.sides.push_back({{at(nx, j), at(nx, j + 1)}, 1});
  }
  for (int i = 0; i < nx; ++i) {
    t.sides.push_back({{at(i, 0), at(i + 1, 0)}, 2});
    t.sides.push_back({{at(i, ny), at(i + 1, ny)}, 3});
  }
  return t;
}

void judge(Triangles& t, const std::string& source) {
  if (t.cells.empty()) throw Error(source + ": the mesh has no triangles");
  for (std::size_t i = 0; i < t.vertices.size(); ++i) {
    if (!std::isfinite(t.vertices[i][0]) || !std::isfinite(t.vertices[i][1]))
      throw Error(source + ": vertex " + std::to_string(i + 1) + " of the mesh isn't finite");
  }
  std::size_t turned = 0, first = 0;
  for (std::size_t c = 0; c < t.cells.size(); ++c) {
    const auto& [i, j, k] = t.cells[c];
    const auto at = [&](int v) { return t.vertices[static_cast<std::size_t>(v)]; };
    const double area = doubled_area(at(i), at(j), at(k));
    double longest = 0;
    for (const auto& [a, b] : {std::pair{i, j}, {j, k}, {k, i}})
      longest = std::max(longest, std::hypot(at(a)[0] - at(b)[0], at(a)[1] - at(b)[1]));
    if (!(std::abs(area) > 1e-10 * longest * longest))
      throw Error(source + ": cell " + std::to_string(c + 1) + " of the mesh, near " + text(at(i)) +
                  ", is degenerate: its vertices stand in a line");
    if (area < 0 && turned++ == 0) first = c;
  }
  if (turned == t.cells.size()) {
    for (auto& cell : t.cells) std::swap(cell[1], cell[2]);
  } else if (turned > 0) {
    throw Error(source + ": cell " + std::to_string(first + 1) + " of the mesh, near " +
                text(t.vertices[static_cast<std::size_t>(t.cells[first][0])]) +
                ", is inverted: its vertices go around clockwise, others' do not");
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

std::vector<double> dual_areas(const Mesh& mesh) {
  std::vector<double> area(mesh.size(), 0.0);
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    for (const int v : mesh.cells[c]) area[static_cast<std::size_t>(v)] += shape(mesh, c).area / 3;
  }
  Halo halo(mesh, 1);
  halo.add(area);
  halo.refresh(area);
  return area;
}

Halo::Halo(const Mesh& mesh, int width) : ranks_(parallel::size()) {
  const auto n = static_cast<PetscInt>(mesh.size()), own = static_cast<PetscInt>(mesh.own);
  la::check(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, own * width, PETSC_DETERMINE, nullptr, owners_.out()),
            "VecCreateMPIWithArray");
  la::check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n * width, nullptr, here_.out()),
            "VecCreateSeqWithArray");
  la::IndexSet from, to;
  la::check(
      ISCreateBlock(PETSC_COMM_SELF, width, n - own, mesh.number.data() + own, PETSC_COPY_VALUES, from.out()),
      "ISCreateBlock");
  la::check(ISCreateStride(PETSC_COMM_SELF, (n - own) * width, own * width, 1, to.out()), "ISCreateStride");
  la::check(VecScatterCreate(owners_, from, here_, to, scatter_.out()), "VecScatterCreate");
}

void Halo::refresh(std::vector<double>& values) {
  if (ranks_ == 1) return;
  la::check(VecPlaceArray(owners_, values.data()), "VecPlaceArray");
  la::check(VecPlaceArray(here_, values.data()), "VecPlaceArray");
  la::check(VecScatterBegin(scatter_, owners_, here_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterBegin");
  la::check(VecScatterEnd(scatter_, owners_, here_, INSERT_VALUES, SCATTER_FORWARD), "VecScatterEnd");
  la::check(VecResetArray(here_), "VecResetArray");
  la::check(VecResetArray(owners_), "VecResetArray");
}

void Halo::add(std::vector<double>& values) {
  if (ranks_ == 1) return;
  la::check(VecPlaceArray(owners_, values.data()), "VecPlaceArray");
  la::check(VecPlaceArray(here_, values.data()), "VecPlaceArray");
  la::check(VecScatterBegin(scatter_, here_, owners_, ADD_VALUES, SCATTER_REVERSE), "VecScatterBegin");
  la::check(VecScatterEnd(scatter_, here_, owners_, ADD_VALUES, SCATTER_REVERSE), "VecScatterEnd");
  la::check(VecResetArray(here_), "VecResetArray");
  la::check(VecResetArray(owners_), "VecResetArray");
}

}  // namespace cotangent::overland
