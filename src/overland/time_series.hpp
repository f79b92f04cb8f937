// SPDX-License-Identifier: BSD-3-Clause
// A number that may change with time: rain, a hydrograph of inflow, the tide's depth. A constant, or a table,
// linear between its rows. Rates are integrated exactly, so that no step, however long, loses water.
#pragma once

#include <utility>
#include <vector>

namespace cotangent::overland {

class TimeSeries {
 public:
  /// Time and value; at least two, times rising.
  using Table = std::vector<std::pair<double, double>>;
  TimeSeries(double constant = 0) : constant_(constant) {}
  explicit TimeSeries(Table rows) : rows_(std::move(rows)) {}

  bool varies() const { return !rows_.empty(); }
  /// Empty where it is a constant.
  const Table& rows() const { return rows_; }
  /// At a time; before and after the table that of its nearest row.
  double value(double time) const;
  /// Over an interval that isn't empty; a table counts as 0 before and after.
  double mean(double from, double to) const;
  /// With its times and its values multiplied.
  TimeSeries scaled(double time, double value) const;

 private:
  double constant_ = 0;
  Table rows_;
};

}  // namespace cotangent::overland
