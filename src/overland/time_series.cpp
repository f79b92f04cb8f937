// SPDX-License-Identifier: BSD-3-Clause
#include "overland/time_series.hpp"

#include <algorithm>

namespace cotangent::overland {

namespace {

/// The first row after a time.
auto first_after(const TimeSeries::Table& rows, double time) {
  return std::ranges::upper_bound(rows, time, {}, &std::pair<double, double>::first);
}

}  // namespace

double TimeSeries::value(double time) const {
  if (!varies()) return constant_;
  const auto next = first_after(rows_, time);
  if (next == rows_.begin()) return rows_.front().second;
  if (next == rows_.end()) return rows_.back().second;
  const auto& [t0, y0] = *(next - 1);
  const auto& [t1, y1] = *next;
  return y0 + (time - t0) / (t1 - t0) * (y1 - y0);
}

double TimeSeries::mean(double from, double to) const {
  if (!varies()) return constant_;
  double sum = 0;
  for (auto next = std::max(first_after(rows_, from), rows_.begin() + 1); next != rows_.end(); ++next) {
    const auto& [t0, y0] = *(next - 1);
    const auto& [t1, y1] = *next;
    const double a = std::max(from, t0), b = std::min(to, t1);
    if (!(b > a)) break;
    const double middle = ((a + b) / 2 - t0) / (t1 - t0);
    sum += (b - a) * (y0 + middle * (y1 - y0));
  }
  return sum / (to - from);
}

TimeSeries TimeSeries::scaled(double time, double value) const {
  TimeSeries other = *this;
  other.constant_ *= value;
  for (auto& row : other.rows_) row = {time * row.first, value * row.second};
  return other;
}

}  // namespace cotangent::overland
