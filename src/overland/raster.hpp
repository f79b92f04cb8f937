// An elevation raster: ESRI ASCII grids (.asc), rows from north to south, no-data cells left out. Between the
// middles of cells values are bilinear. Reference: Esri ASCII raster format; corners or centres as reference.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "overland/mesh.hpp"

namespace cotangent::overland {

struct Raster {
  std::string file;
  int columns = 0, rows = 0;
  double x = 0, y = 0, size = 0;  ///< the middle of the cell in the south-west; the cells' side
  std::vector<double> values;     ///< from the south, row by row; NaN where there are no data

  double at(int i, int j) const {
    return values[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(i)];
  }
  /// Bilinear between the four middles around, level out to half a cell beyond the outermost. Throws Error
  /// where the raster doesn't cover the point.
  double value(const Point& p) const;
};

/// Throws Error that names file and line, FileError where there is no file.
Raster read_raster(const std::string& file);
/// Two triangles between each four neighbouring middles that all have data; vertices in the middles.
Triangles triangles(const Raster& raster);

}  // namespace cotangent::overland
