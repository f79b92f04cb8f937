// SPDX-License-Identifier: BSD-3-Clause
// An elevation raster: ESRI ASCII grids (.asc), rows from north to south; cells of NODATA_value or of nan are
// left out. Between the middles of cells values are bilinear. Rank 0 reads the file and hands values on in
// pieces; each rank keeps those of a window. Reference: Esri ASCII raster format; corners or centres as
// reference.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "overland/mesh.hpp"

namespace cotangent::overland {

struct Raster {
  /// Some columns of some rows.
  struct Window {
    std::int64_t column = 0, row = 0, columns = 0, rows = 0;
  };
  std::string file;
  std::int64_t columns = 0, rows = 0;
  double x = 0, y = 0, size = 0;  ///< the middle of the cell in the south-west; the cells' side
  Window window;                  ///< what this rank holds
  std::vector<double> values;     ///< of it, from the south, row by row; NaN where there are no data

  double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>((j - window.row) * window.columns + i - window.column)];
  }
  /// Bilinear between the four middles around, level out to half a cell beyond the outermost. Throws Error
  /// where the raster doesn't cover the point.
  double value(const Point& p) const;
  /// What value() needs for these points.
  Window around(std::span<const Point> points) const;
  /// Keeps the values of this rank's window, those of others not; reads the whole file, and refuses it as a
  /// whole. Collective.
  void load(const Window& wanted);
};

/// The raster's head. Throws Error that names file and line, as load() does, FileError where there is no
/// file. Collective.
Raster open_raster(const std::string& file);
/// Two triangles between each four neighbouring middles that all have data; vertices in the middles.
/// Collective.
Triangles triangles(Raster raster);

}  // namespace cotangent::overland
