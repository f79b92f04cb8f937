// SPDX-License-Identifier: BSD-3-Clause
// What DMPlex does for meshes: it spreads cells over ranks and halves edges.
#include <algorithm>
#include <petscdmplex.h>
#include <petscsf.h>
#include <tuple>

#include "core/release.hpp"
#include "la/indices.hpp"
#include "overland/mesh.hpp"
#include "parallel/records.hpp"

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

/// Shares of a mesh as a Plex whose label "boundary" bears 1 + the number of the name on each side.
Plex plex_of(const Triangles& t) {
  Plex dm;
  std::vector<PetscInt> cells;
  for (const auto& cell : t.cells) cells.insert(cells.end(), cell.begin(), cell.end());
  const auto n = static_cast<PetscInt>(t.cells.size()), points = static_cast<PetscInt>(t.vertices.size());
  const double* x = t.vertices.empty() ? nullptr : t.vertices.front().data();
  la::Owner<PetscSF, PetscSFDestroy> owners;  // which nobody needs
  check(DMPlexCreateFromCellListParallelPetsc(MPI_COMM_WORLD, 2, n, points, PETSC_DECIDE, 3, PETSC_TRUE,
                                              cells.data(), 2, x, owners.out(), nullptr, dm.out()),
        "DMPlexCreateFromCellListParallelPetsc");
  check(DMCreateLabel(dm, "boundary"), "DMCreateLabel");
  DMLabel label = nullptr;
  check(DMGetLabel(dm, "boundary", &label), "DMGetLabel");
  // The Plex has the vertices that this rank's cells touch, by rising number.
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  const Range vertices = depth(dm, 0);
  const auto vertex = [&](std::int64_t number) {
    return vertices.begin + static_cast<PetscInt>(std::ranges::lower_bound(cells, number) - cells.begin());
  };
  for (const auto& side : t.sides) {
    const PetscInt ends[2] = {vertex(side.ends[0]), vertex(side.ends[1])};
    PetscInt count = 0;
    const PetscInt* edge = nullptr;
    check(DMPlexGetJoin(dm, 2, ends, &count, &edge), "DMPlexGetJoin");
    if (count == 1)
      check(DMLabelSetValue(label, edge[0], static_cast<PetscInt>(1 + side.boundary)), "DMLabelSetValue");
    check(DMPlexRestoreJoin(dm, 2, ends, &count, &edge), "DMPlexRestoreJoin");
  }
  return dm;
}

/// Ids by rising y and then x, sorted by all ranks together.
void number_for_files(Mesh& mesh) {
  struct Record {
    double y, x;
    std::int64_t rank, place;
  };
  std::vector<Record> records;
  for (std::int64_t i = 0; i < mesh.own; ++i) {
    const auto& p = mesh.vertices[static_cast<std::size_t>(i)];
    records.push_back({p[1], p[0], parallel::rank(), i});
  }
  records = parallel::sorted(std::move(records), [](const Record& a, const Record& b) {
    return std::tie(a.y, a.x, a.rank, a.place) < std::tie(b.y, b.x, b.rank, b.place);
  });
  std::int64_t id = parallel::offsets(std::ssize(records))[static_cast<std::size_t>(parallel::rank())];
  using Named = std::array<std::int64_t, 2>;
  auto back = parallel::for_ranks<Named>();
  for (const auto& record : records)
    back[static_cast<std::size_t>(record.rank)].push_back({record.place, id++});
  release(records);
  std::vector<double> values(mesh.size(), 0.0);
  for (const auto& [place, its_id] : parallel::exchange(std::move(back)))
    values[static_cast<std::size_t>(place)] = static_cast<double>(its_id);
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
    Mesh::Side side{{local(cone[0]), local(cone[1])},
                    static_cast<int>(support[0] - cells.begin),
                    static_cast<int>(value - 1)};
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

Mesh distribute(Triangles&& triangles, int refine) {
  std::int64_t vertices = triangles.all_vertices, cells = triangles.all_cells, sides = triangles.all_sides;
  la::require_indices("the mesh's vertices", vertices, 0);
  for (int k = 0; k < refine; ++k) {  // a vertex in the middle of each edge
    vertices += (3 * cells + sides) / 2;
    cells *= 4;
    sides *= 2;
    la::require_indices("the mesh's vertices", vertices, 0);
  }
  Plex dm = plex_of(triangles);
  std::vector<std::string> boundaries = std::move(triangles.boundaries);
  triangles = {};
  Plex spread;
  check(DMPlexDistribute(dm, 0, nullptr, spread.out()), "DMPlexDistribute");
  if (spread.raw() != nullptr) dm = std::move(spread);
  for (int k = 0; k < refine; ++k) {
    Plex finer;
    check(DMPlexSetRefinementUniform(dm, PETSC_TRUE), "DMPlexSetRefinementUniform");
    check(DMRefine(dm, MPI_COMM_WORLD, finer.out()), "DMRefine");
    dm = std::move(finer);
  }
  return extract(dm, std::move(boundaries));
}

}  // namespace cotangent::overland
