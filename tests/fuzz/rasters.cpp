// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reader of ESRI rasters. Whatever the bytes are, the answer is a raster or an Error; a raster has
// the value of each of its cells in the cell's middle, and its triangles stand on cells that have one.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.hpp"
#include "fuzzed_file.hpp"
#include "overland/raster.hpp"

namespace {

using namespace cotangent;

void check(const std::string& file) {
  overland::Raster raster = overland::open_raster(file);
  const overland::Triangles t = overland::triangles(raster);
  const auto there = [&](std::int64_t v) { return v >= 0 && v < std::ssize(t.vertices); };
  for (const auto& cell : t.cells) {
    if (!std::ranges::all_of(cell, there)) fuzz::fail("a cell of a vertex that isn't there");
  }
  for (const auto& side : t.sides) {
    if (!std::ranges::all_of(side.ends, there)) fuzz::fail("a side of a vertex that isn't there");
  }
  raster.load({0, 0, raster.columns, raster.rows});
  if (std::ssize(raster.values) != raster.columns * raster.rows) fuzz::fail("a wrong count of values");
  for (const overland::Point& p : t.vertices) {
    if (!std::isfinite(p[0]) || !std::isfinite(p[1])) fuzz::fail("a vertex that isn't finite");
  }
  raster.load(raster.around(t.vertices));
  for (const overland::Point& p : t.vertices) {
    if (!std::isfinite(raster.value(p))) fuzz::fail("a vertex without a height");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::FuzzedFile file(".asc");
  file.hold({data, size});
  try {
    check(file.path().string());
  } catch (const Error& error) {
    fuzz::refused(error);
  }
  return 0;
}
