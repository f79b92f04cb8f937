// SPDX-License-Identifier: BSD-3-Clause
// What a survey of landscapes finds, as lists of numbers that travel between ranks and into the result file:
// stationary points, extrema on the boundary, passes, and changes with a parameter.
//
// A list is /landscape/NAME in the file, a data set for each column, a row for each entry; the column
// parameter_index is the row of /landscape/parameters. Within a landscape entries stand by rising energy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "landscapes/landscape.hpp"
#include "run/records.hpp"

namespace cotangent::studies {

struct ListColumn {
  std::string name;
  io::DataType type;
  std::string units, meaning;
  std::vector<std::string> names = {};  ///< of the integers, in words
  std::int64_t width = 1;
};

struct List {
  std::string name;
  std::vector<ListColumn> columns;
  std::vector<double> rows = {};  ///< [entries, width], row-major; integers are stored as doubles

  std::int64_t width() const;
  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()) / width(); }
  /// The place of a column within a row. Throws where there is none of this name.
  std::int64_t column(std::string_view wanted) const;
  double at(std::int64_t row, std::string_view wanted) const;
  /// A column's integer in words.
  const std::string& word(std::int64_t row, std::string_view wanted) const;

  std::vector<io::DataSetSpec> data_sets() const;
  /// By one rank.
  void write(run::Records& records) const;
};

/// The units of the two coordinates: "rad", or "1".
struct PlaneUnits {
  std::string x, y;
};

/// Stationary points, with or without the column of escape energies, which only the passes can tell.
List stationary_list(const PlaneUnits& units, bool with_passes);
List boundary_list(const PlaneUnits& units);
List pass_list(const PlaneUnits& units);
List change_list(const PlaneUnits& units, const std::string& parameter_units);

/// The entries of one landscape. Where one refers to another (a pass to its saddle) the number counts from
/// the first entry of this landscape.
struct LandscapeRows {
  std::vector<double> stationary, boundary, passes;
};
LandscapeRows rows_of(const landscapes::Landscape& landscape, std::int64_t parameter_index, bool with_passes);
std::vector<double> rows_of(const std::vector<landscapes::Bifurcation>& changes);

/// Appends passes, whose references now count from the first entries of their landscape in the whole lists.
void append_passes(List& passes, std::vector<double> rows, std::int64_t first_stationary,
                   std::int64_t first_boundary);
/// Appends changes, but for those that the list has from the neighbouring interval, to round-off.
void append_changes(List& changes, const std::vector<double>& rows, const landscapes::Window& window,
                    double parameter_range);

}  // namespace cotangent::studies
