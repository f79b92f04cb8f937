// SPDX-License-Identifier: BSD-3-Clause
// Triangles over a landscape, distributed over the ranks: each cell on one rank, each vertex owned by one and
// seen by those whose cells touch it. No rank ever holds a whole mesh: each makes its share of a rectangle or
// of an elevation raster, Gmsh files come in pieces (gmsh.cpp), and PETSc's DMPlex spreads these shares and
// refines them. Vertices bear an id of their own, by rising y and then x, whatever the number of ranks:
// results are stored by it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "la/handles.hpp"

namespace cotangent::overland {

using Point = std::array<double, 2>;

/// This rank's share of a mesh, as it is made or read: vertices and cells lie in order across the ranks, and
/// cells name vertices, of any rank, by their places in that order.
struct Triangles {
  using Number = std::int64_t;
  struct Side {
    std::array<Number, 2> ends;
    Number boundary;  ///< into the names
  };
  std::vector<Point> vertices;
  std::vector<std::array<Number, 3>> cells;  ///< counter-clockwise
  std::vector<Side> sides;                   ///< of these cells
  std::vector<std::string> boundaries;       ///< names of the parts of the boundary, the same on all ranks
  Number all_vertices = 0;                   ///< those of cells alone
  Number all_cells = 0, all_sides = 0;
};

/// Adds the two triangles of a square, whose vertices go around from the lower left, cut along the diagonal
/// that rises to the right or along the other.
void add_square(Triangles& triangles, bool rising, const std::array<Triangles::Number, 4>& around);
/// A rectangle of nx times ny squares (or oblongs), each cut along a diagonal, in turn along the one and the
/// other; its sides are left, right, bottom and top.
Triangles rectangle(Point from, Point to, int nx, int ny);
/// Reads a Gmsh file (format 2.2 or 4.1, text or binary); parts of the boundary bear the names of its
/// physical curves, the rest "boundary". Throws Error that names the file. Collective.
Triangles read_gmsh(const std::string& file);
/// Refuses what no flow can be computed on: no cells, a cell that is degenerate or turned over, a vertex that
/// isn't finite. A mesh all of whose cells are clockwise is turned. Collective.
void judge(Triangles& triangles, const std::string& source);

/// This rank's part of a mesh.
struct Mesh {
  struct Side {
    std::array<int, 2> ends;  ///< with the water to the left of the way from the first to the second
    int cell;
    int boundary;
  };
  std::vector<Point> vertices;  ///< those that this rank owns first, then those that it sees
  int own = 0;
  std::vector<PetscInt> number;           ///< of each vertex among all, as solvers count them
  std::vector<std::int64_t> id;           ///< of each vertex, as files count them
  std::vector<std::array<int, 3>> cells;  ///< counter-clockwise
  std::vector<Side> sides;                ///< of this rank's cells on the boundary
  std::vector<std::string> boundaries;    ///< the same on all ranks
  std::int64_t all_vertices = 0, all_cells = 0;

  std::size_t size() const { return vertices.size(); }
  Point middle(std::size_t cell) const;
};

/// Spreads a mesh over all ranks so that parts hang together, and halves all edges `refine` times.
/// Collective.
Mesh distribute(Triangles&& triangles, int refine);

/// What ranks tell one another of vertices, or edges, `width` numbers each.
class Halo {
 public:
  Halo(const Mesh& mesh, int width) : Halo(mesh.own, mesh.number, width) {}
  /// Of things of which so many are this rank's; after them come those that it sees. Each bears its number
  /// among all.
  Halo(PetscInt own, std::span<const PetscInt> number, int width);
  /// Copies the owners' values to those who see the vertices. Collective, as add().
  void refresh(std::vector<double>& values);
  /// Adds what others have in their copies to the owners' values; the copies stay as they are.
  void add(std::vector<double>& values);

 private:
  void scatter(std::vector<double>& values, Vec from, Vec to, InsertMode mode, ScatterMode way);
  la::Vector owners_, here_;
  la::Scatter scatter_;
  int ranks_;
};

/// The triangle's shape: area, gradients of the three linear functions that are 1 at one vertex.
struct Shape {
  double area;
  std::array<Point, 3> gradient;
};
Shape shape(const Mesh& mesh, std::size_t cell);
/// A third of the area of all cells around each vertex, ghosts included. Collective.
std::vector<double> dual_areas(const Mesh& mesh);

}  // namespace cotangent::overland
