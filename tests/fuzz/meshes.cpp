// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the readers of Gmsh files. Whatever the bytes are, the answer is a mesh or an Error; cells and sides
// of a mesh name vertices that are there, each side is one of a cell's, and what is judged fit has cells that
// go around counter-clockwise.
#include <algorithm>
#include <cstddef>

#include "core/error.hpp"
#include "fuzzed_file.hpp"
#include "overland/mesh.hpp"

namespace {

using namespace cotangent;
using overland::Triangles;

void check(const Triangles& t) {
  const auto there = [&](Triangles::Number v) { return v >= 0 && v < std::ssize(t.vertices); };
  if (t.all_cells != std::ssize(t.cells) || t.all_sides != std::ssize(t.sides)) fuzz::fail("a wrong count");
  for (const auto& cell : t.cells) {
    if (!std::ranges::all_of(cell, there)) fuzz::fail("a cell of a vertex that isn't there");
  }
  for (const auto& side : t.sides) {
    if (!std::ranges::all_of(side.ends, there)) fuzz::fail("a side of a vertex that isn't there");
    if (side.boundary < 0 || side.boundary >= std::ssize(t.boundaries)) fuzz::fail("a boundary without name");
  }
}

/// Each side is a side of one cell.
void check_sides(const Triangles& t) {
  for (const auto& side : t.sides) {
    const auto has = [&](const auto& cell) {
      return std::ranges::count(cell, side.ends[0]) == 1 && std::ranges::count(cell, side.ends[1]) == 1;
    };
    if (std::ranges::count_if(t.cells, has) != 1) fuzz::fail("a side that isn't one cell's");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::FuzzedFile file(".msh");
  file.hold({data, size});
  try {
    Triangles t = overland::read_gmsh(file.path().string());
    check(t);
    if (t.cells.size() < 500) check_sides(t);
    overland::judge(t, "the mesh");
    for (const auto& [i, j, k] : t.cells) {
      const auto &a = t.vertices[std::size_t(i)], &b = t.vertices[std::size_t(j)],
                 &c = t.vertices[std::size_t(k)];
      if (!((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0))
        fuzz::fail("a cell that is turned over was judged fit");
    }
  } catch (const Error& error) {
    fuzz::refused(error);
  }
  return 0;
}
