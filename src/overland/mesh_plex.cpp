// What DMPlex does for meshes: it reads Gmsh files, spreads cells over ranks, halves edges. PETSc 3.18
// imports the curves' tags as the label "Face Sets" but not their names, which are read here.
#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <petscdmplex.h>

#include "core/error.hpp"
#include "overland/mesh.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

namespace {

using Plex = la::Owner<DM, DMDestroy>;
using la::check;

struct Range {
  PetscInt begin = 0, end = 0;
  bool holds(PetscInt p) const { return begin <= p && p < end; }
};
Range depth(DM dm, PetscInt of) {
  Range r;
  check(DMPlexGetDepthStratum(dm, of, &r.begin, &r.end), "DMPlexGetDepthStratum");
  return r;
}

/// The vertices of a cell, in their order around it.
std::array<PetscInt, 3> corners(DM dm, PetscInt cell, const Range& vertices) {
  PetscInt count = 0, *points = nullptr;
  check(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &count, &points), "DMPlexGetTransitiveClosure");
  std::array<PetscInt, 3> found{-1, -1, -1};
  std::size_t n = 0;
  for (PetscInt k = 0; k < count; ++k) {
    if (vertices.holds(points[2 * k]) && n < 3) found[n++] = points[2 * k];
  }
  check(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &count, &points),
        "DMPlexRestoreTransitiveClosure");
  return found;
}

std::vector<Point> coordinates(DM dm, const Range& vertices) {
  Vec values = nullptr;
  PetscSection section = nullptr;
  check(DMGetCoordinatesLocal(dm, &values), "DMGetCoordinatesLocal");
  check(DMGetCoordinateSection(dm, &section), "DMGetCoordinateSection");
  PetscInt width = 2;
  check(DMGetCoordinateDim(dm, &width), "DMGetCoordinateDim");
  const la::Values x(values);
  std::vector<Point> points;
  for (PetscInt v = vertices.begin; v < vertices.end; ++v) {
    PetscInt offset = 0;
    check(PetscSectionGetOffset(section, v, &offset), "PetscSectionGetOffset");
    points.push_back({x.data()[offset], x.data()[offset + 1]});
  }
  return points;
}

/// The names of the physical curves, by tag: a few lines of text in every format.
std::map<PetscInt, std::string> curve_names(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::map<PetscInt, std::string> names;
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with("$PhysicalNames")) continue;
    int count = 0;
    in >> count;
    for (int k = 0; k < count && in; ++k) {
      int dimension = 0;
      PetscInt tag = 0;
      in >> dimension >> tag;
      std::getline(in, line);
      const auto from = line.find('"'), to = line.rfind('"');
      if (dimension == 1 && from != std::string::npos && to > from)
        names[tag] = line.substr(from + 1, to - from - 1);
    }
    break;
  }
  return names;
}

/// A whole mesh as a Plex whose label "boundary" bears 1 + the number of the name on each side.
Plex plex_of(const Triangles& t) {
  Plex dm;
  std::vector<PetscInt> cells;
  std::vector<double> x;
  for (const auto& cell : t.cells) cells.insert(cells.end(), cell.begin(), cell.end());
  for (const auto& p : t.vertices) x.insert(x.end(), p.begin(), p.end());
  const auto n = static_cast<PetscInt>(t.cells.size());
  check(DMPlexCreateFromCellListPetsc(PETSC_COMM_WORLD, 2, n, static_cast<PetscInt>(t.vertices.size()), 3,
                                      PETSC_TRUE, cells.data(), 2, x.data(), dm.out()),
        "DMPlexCreateFromCellListPetsc");
  check(DMCreateLabel(dm, "boundary"), "DMCreateLabel");
  DMLabel label = nullptr;
  check(DMGetLabel(dm, "boundary", &label), "DMGetLabel");
  for (const auto& side : t.sides) {
    const PetscInt ends[2] = {n + side.ends[0], n + side.ends[1]};
    PetscInt count = 0;
    const PetscInt* edge = nullptr;
    check(DMPlexGetJoin(dm, 2, ends, &count, &edge), "DMPlexGetJoin");
    if (count == 1) check(DMLabelSetValue(label, edge[0], 1 + side.boundary), "DMLabelSetValue");
    check(DMPlexRestoreJoin(dm, 2, ends, &count, &edge), "DMPlexRestoreJoin");
  }
  return dm;
}

/// Ids by rising y and then x: sorted on rank 0.
void number_for_files(Mesh& mesh) {
  struct Record {
    double x, y;
    std::int64_t place;
  };
  std::vector<std::vector<Record>> to(static_cast<std::size_t>(parallel::size()));
  for (int i = 0; i < mesh.own; ++i) {
    const auto& p = mesh.vertices[static_cast<std::size_t>(i)];
    to[0].push_back({p[0], p[1], i});
  }
  std::vector<std::int64_t> from;
  const auto all = parallel::exchange(std::move(to), &from);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(all[a].y, all[a].x) < std::pair(all[b].y, all[b].x);
  });
  std::vector<std::int64_t> id(all.size());
  for (std::size_t k = 0; k < order.size(); ++k) id[order[k]] = static_cast<std::int64_t>(k);
  std::vector<std::vector<std::int64_t>> back(static_cast<std::size_t>(parallel::size()));
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < from.size() && next < id.size(); ++rank) {
    for (std::int64_t k = 0; k < from[rank]; ++k) back[rank].push_back(id[next++]);
  }
  const auto mine = parallel::exchange(std::move(back));
  std::vector<double> values(mesh.size(), 0.0);
  for (std::size_t i = 0; i < mine.size(); ++i) values[i] = static_cast<double>(mine[i]);
  Halo(mesh, 1).refresh(values);
  for (const double value : values) mesh.id.push_back(static_cast<std::int64_t>(value));
}

Mesh extract(DM dm, std::vector<std::string> names) {
  const Range vertices = depth(dm, 0), edges = depth(dm, 1), cells = depth(dm, 2);
  const auto points = coordinates(dm, vertices);
  IS numbering = nullptr;  // borrowed; g, or -g - 1 where another rank owns the vertex
  check(DMPlexGetVertexNumbering(dm, &numbering), "DMPlexGetVertexNumbering");
  const PetscInt* number = nullptr;
  check(ISGetIndices(numbering, &number), "ISGetIndices");
  Mesh mesh;
  mesh.boundaries = std::move(names);
  std::vector<int> place(points.size());
  for (const bool owned : {true, false}) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if ((number[i] >= 0) != owned) continue;
      place[i] = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(points[i]);
      mesh.number.push_back(owned ? number[i] : -number[i] - 1);
    }
    if (owned) mesh.own = static_cast<int>(mesh.vertices.size());
  }
  check(ISRestoreIndices(numbering, &number), "ISRestoreIndices");
  const auto local = [&](PetscInt vertex) {
    return place[static_cast<std::size_t>(vertex - vertices.begin)];
  };
  for (PetscInt c = cells.begin; c < cells.end; ++c) {
    const auto around = corners(dm, c, vertices);
    mesh.cells.push_back({local(around[0]), local(around[1]), local(around[2])});
    if (shape(mesh, mesh.cells.size() - 1).area < 0) std::swap(mesh.cells.back()[1], mesh.cells.back()[2]);
  }
  DMLabel label = nullptr;
  check(DMGetLabel(dm, "boundary", &label), "DMGetLabel");
  for (PetscInt e = edges.begin; e < edges.end; ++e) {
    PetscInt value = -1, count = 0;
    const PetscInt *support = nullptr, *cone = nullptr;
    check(DMLabelGetValue(label, e, &value), "DMLabelGetValue");
    check(DMPlexGetSupportSize(dm, e, &count), "DMPlexGetSupportSize");
    if (value < 1 || count != 1) continue;
    check(DMPlexGetSupport(dm, e, &support), "DMPlexGetSupport");
    check(DMPlexGetCone(dm, e, &cone), "DMPlexGetCone");
    Mesh::Side side{{local(cone[0]), local(cone[1])}, support[0] - cells.begin, value - 1};
    const auto& around = mesh.cells[static_cast<std::size_t>(side.cell)];
    const auto at = std::ranges::find(around, side.ends[0]) - around.begin();
    if (around[static_cast<std::size_t>((at + 1) % 3)] != side.ends[1]) std::swap(side.ends[0], side.ends[1]);
    mesh.sides.push_back(side);
  }
  mesh.all_vertices = parallel::sum(std::int64_t{mesh.own});
  mesh.all_cells = parallel::sum(static_cast<std::int64_t>(mesh.cells.size()));
  number_for_files(mesh);
  return mesh;
}

}  // namespace

Triangles read_gmsh(const std::string& file) {
  {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw FileError(file + ": the mesh can't be read");
    std::string line;
    std::getline(in, line);
    if (!line.starts_with("$MeshFormat"))
      throw Error(file + ": not a Gmsh file: it begins with '" + line.substr(0, 20) + "', not $MeshFormat");
    double format = 0;
    in >> format;
    if (format != 2.2 && format != 4.1)
      throw Error(file + ": a Gmsh file of format " + std::to_string(format).substr(0, 4) +
                  "; formats 2.2 and 4.1 are read: gmsh -2 -format msh41");
  }
  Triangles t;
  try {
    Plex dm;
    check(DMPlexCreateGmshFromFile(PETSC_COMM_SELF, file.c_str(), PETSC_TRUE, dm.out()),
          "DMPlexCreateGmshFromFile");
    PetscInt dimension = 0;
    check(DMGetDimension(dm, &dimension), "DMGetDimension");
    if (dimension != 2) throw Error(file + ": the mesh holds no surface; gmsh -2 makes one");
    const Range vertices = depth(dm, 0), edges = depth(dm, 1), cells = depth(dm, 2);
    t.vertices = coordinates(dm, vertices);
    for (PetscInt c = cells.begin; c < cells.end; ++c) {
      PetscInt sides = 0;
      check(DMPlexGetConeSize(dm, c, &sides), "DMPlexGetConeSize");
      if (sides != 3) throw Error(file + ": the mesh holds cells that are no triangles");
      const auto around = corners(dm, c, vertices);
      std::array<int, 3> cell{};
      for (std::size_t k = 0; k < 3; ++k) cell[k] = around[k] - vertices.begin;
      t.cells.push_back(cell);
    }
    DMLabel label = nullptr;
    check(DMGetLabel(dm, "Face Sets", &label), "DMGetLabel");
    const auto names = curve_names(file);
    std::map<PetscInt, int> number;
    for (PetscInt e = edges.begin; e < edges.end; ++e) {
      PetscInt count = 0, tag = -1;
      const PetscInt* cone = nullptr;
      check(DMPlexGetSupportSize(dm, e, &count), "DMPlexGetSupportSize");
      if (count != 1) continue;
      if (label != nullptr) check(DMLabelGetValue(label, e, &tag), "DMLabelGetValue");
      if (!number.contains(tag)) {
        number[tag] = static_cast<int>(t.boundaries.size());
        t.boundaries.push_back(names.contains(tag) ? names.at(tag)
                               : tag < 0           ? "boundary"
                                                   : "curve " + std::to_string(tag));
      }
      check(DMPlexGetCone(dm, e, &cone), "DMPlexGetCone");
      t.sides.push_back({{cone[0] - vertices.begin, cone[1] - vertices.begin}, number[tag]});
    }
  } catch (const la::PetscFailure& failure) {
    throw Error(file + ": the mesh can't be read: " + failure.what());
  }
  return t;
}

Mesh distribute(const std::function<Triangles()>& make, int refine) {
  Triangles whole;
  parallel::on_rank_zero([&] { whole = make(); });
  std::string names;
  for (const auto& name : whole.boundaries) names += name + "\n";
  names = parallel::broadcast(names);
  std::vector<std::string> boundaries;
  for (std::size_t at = 0, end = 0; (end = names.find('\n', at)) != std::string::npos; at = end + 1)
    boundaries.push_back(names.substr(at, end - at));
  Plex dm = plex_of(whole);
  whole = {};
  Plex spread;
  check(DMPlexDistribute(dm, 0, nullptr, spread.out()), "DMPlexDistribute");
  if (spread.raw() != nullptr) dm = std::move(spread);
  for (int k = 0; k < refine; ++k) {
    Plex finer;
    check(DMPlexSetRefinementUniform(dm, PETSC_TRUE), "DMPlexSetRefinementUniform");
    check(DMRefine(dm, PETSC_COMM_WORLD, finer.out()), "DMRefine");
    dm = std::move(finer);
  }
  return extract(dm, std::move(boundaries));
}

}  // namespace cotangent::overland
