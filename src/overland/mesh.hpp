// Triangles over a landscape, distributed over the ranks: each cell on one rank, each vertex owned by one and
// seen by those whose cells touch it. PETSc's DMPlex reads Gmsh files (formats 2.2 and 4.1), distributes and
// refines; rectangles and elevation rasters are made here. Vertices bear an id of their own, by rising y and
// then x, whatever the number of ranks: results are stored by it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "la/handles.hpp"

namespace cotangent::overland {

using Point = std::array<double, 2>;

/// A whole mesh, as it is made or read, on rank 0 alone.
struct Triangles {
  struct Side {
    std::array<int, 2> ends;
    int boundary;  ///< into the names
  };
  std::vector<Point> vertices;
  std::vector<std::array<int, 3>> cells;  ///< counter-clockwise
  std::vector<Side> sides;
  std::vector<std::string> boundaries;  ///< names of the parts of the boundary
};

/// A rectangle of nx times ny squares (or oblongs), each cut along a diagonal, in turn along the one and the
/// other; its sides are left, right, bottom and top.
Triangles rectangle(Point from, Point to, int nx, int ny);
/// Reads a Gmsh file; parts of the boundary bear the names of its physical curves, the rest "boundary". Not
/// collective. Throws Error that names the file.
Triangles read_gmsh(const std::string& file);
/// Refuses what no flow can be computed on: no cells, a cell that is degenerate or turned over, a vertex that
/// isn't finite. A mesh all of whose cells are clockwise is turned.
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

/// Spreads over all ranks the mesh that `make` returns on rank 0, after halving all edges `refine` times.
/// Collective; what `make` throws is thrown on every rank.
Mesh distribute(const std::function<Triangles()>& make, int refine);

/// What ranks tell one another of vertices, `width` numbers each.
class Halo {
 public:
  Halo(const Mesh& mesh, int width);
  /// Copies the owners' values to those who see the vertices. Collective, as add().
  void refresh(std::vector<double>& values);
  /// Adds what others have in their copies to the owners' values; the copies stay as they are.
  void add(std::vector<double>& values);

 private:
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
