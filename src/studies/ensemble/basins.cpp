// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/basins.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "parallel/mpi.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t least_starts = 8, widest = 8;

/// How far on the starts are that a box has beside its lowest corner, but for those along the last axis.
std::vector<std::int64_t> shifts(const StartGrid& grid, std::int64_t width) {
  std::vector<std::int64_t> result{0};
  std::int64_t stride = grid.counts.back();
  for (std::size_t axis = grid.counts.size() - 1; axis-- > 0; stride *= grid.counts[axis]) {
    const std::size_t before = result.size();
    for (std::size_t k = 0; k < before; ++k) result.push_back(result[k] + width * stride);
  }
  return result;
}

/// Whether a box of this width has its lowest corner at this start.
bool is_lowest(const StartGrid& grid, std::int64_t id, std::int64_t width) {
  for (std::size_t axis = grid.counts.size(); axis-- > 0; id /= grid.counts[axis]) {
    const std::int64_t index = id % grid.counts[axis];
    if (index % width != 0 || index + width >= grid.counts[axis]) return false;
  }
  return true;
}

/// So many starts at once that the answers of boxes take half a megabyte.
std::int64_t block_of(const StartGrid& grid) {
  return std::max<std::int64_t>((1 << 16) >> (grid.counts.size() - 1), 1);
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 2) return nan;
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_x += x[k] / static_cast<double>(x.size());
    mean_y += y[k] / static_cast<double>(x.size());
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - mean_x) * (x[k] - mean_x);
    xy += (x[k] - mean_x) * (y[k] - mean_y);
  }
  return xy / xx;
}

constexpr const char* width_path = "/exits/uncertainty/width";
constexpr const char* share_path = "/exits/uncertainty/share";
constexpr const char* exponent_path = "/exits/uncertainty/exponent";

void enter(run::Records& records, const StartGrid& grid, const Uncertainty& found) {
  if (parallel::rank() != 0) return;
  records.rows(share_path, 0, grid.repeated, found.share.data());
  records.rows(exponent_path, 0, grid.repeated, found.exponent.data());
}

}  // namespace

std::int64_t StartGrid::points() const {
  std::int64_t product = 1;
  for (const std::int64_t count : counts) product *= count;
  return product;
}

std::vector<std::int64_t> StartGrid::widths() const {
  std::vector<std::int64_t> result;
  for (std::int64_t width = 1; width <= widest && std::ranges::min(counts) > 2 * width; width *= 2)
    result.push_back(width);
  return result;
}

std::optional<StartGrid> basin_grid(const Ensemble& ensemble) {
  StartGrid grid;
  for (const std::int64_t count : ensemble.grid_counts()) {
    if (count > 1) grid.counts.push_back(count);
  }
  if (grid.counts.size() < 2 || std::ranges::min(grid.counts) < least_starts) return std::nullopt;
  grid.repeated = ensemble.size() / grid.points();
  return grid;
}

void count_boxes(const StartGrid& grid, std::int64_t first, std::int64_t count, const Answers& answers,
                 BoxCounts& counts) {
  const auto widths = grid.widths();
  const std::int64_t points = grid.points(), size = points * grid.repeated;
  for (std::size_t w = 0; w < widths.size(); ++w) {
    std::vector<std::vector<double>> rows;  // along the last axis, of each other corner
    for (const std::int64_t shift : shifts(grid, widths[w])) {
      const std::int64_t from = std::min(first + shift, size), to = std::min(from + count + widths[w], size);
      rows.push_back(to > from ? answers(from, to - from) : std::vector<double>{});
    }
    for (std::int64_t k = 0; k < count; ++k) {
      if (!is_lowest(grid, first + k, widths[w])) continue;
      const auto here = static_cast<std::size_t>(k), next = static_cast<std::size_t>(k + widths[w]);
      bool known = true, mixed = false;
      for (const auto& row : rows) {
        for (const double answer : {row[here], row[next]}) {
          known = known && std::isfinite(answer);
          mixed = mixed || answer != rows.front()[here];
        }
      }
      const std::size_t at = static_cast<std::size_t>((first + k) / points) * widths.size() + w;
      if (known) ++counts.known[at];
      if (known && mixed) ++counts.mixed[at];
    }
  }
}

Uncertainty uncertainty(const StartGrid& grid, const BoxCounts& counts) {
  const auto widths = grid.widths();
  Uncertainty found;
  for (std::size_t at = 0; at < counts.known.size();) {
    std::vector<double> log_width, log_share;
    for (const std::int64_t width : widths) {
      const auto known = static_cast<double>(counts.known[at]), mixed = static_cast<double>(counts.mixed[at]);
      found.share.push_back(known > 0 ? mixed / known : nan);
      if (counts.mixed[at++] == 0) continue;
      log_width.push_back(std::log(static_cast<double>(width)));
      log_share.push_back(std::log(found.share.back()));
    }
    found.exponent.push_back(slope(log_width, log_share));
  }
  return found;
}

std::vector<io::DataSetSpec> data_sets(const StartGrid& grid) {
  const auto widths = static_cast<std::int64_t>(grid.widths().size());
  return {
      {width_path, io::DataType::int64, {widths}, "1", "widths of boxes of starts, in the grid's spacings"},
      {share_path,
       io::DataType::float64,
       {grid.repeated, widths},
       "1",
       "share of these boxes whose corners haven't all the same answer, to stay inside being one too; boxes "
       "with a corner that never flew are left out; a row for each combination of parameters and energies"},
      {exponent_path,
       io::DataType::float64,
       {grid.repeated},
       "1",
       "uncertainty exponent, the slope of log share over log width by least squares: the dimension of the "
       "grid less that of the basins' boundary"}};
}

void enter_unknown(run::Records& records, const StartGrid& grid) {
  const auto widths = grid.widths();
  const auto rows = static_cast<std::size_t>(grid.repeated);
  if (parallel::rank() == 0) records.rows(width_path, 0, std::ssize(widths), widths.data());
  enter(records, grid, {std::vector<double>(rows * widths.size(), nan), std::vector<double>(rows, nan)});
}

BasinBoundaries::BasinBoundaries(const StartGrid& grid, run::Records& records)
    : grid_(grid),
      records_(records),
      share_(run::Share::even(grid.points() * grid.repeated)),
      next_(share_.first) {
  const std::size_t numbers = static_cast<std::size_t>(grid.repeated) * grid.widths().size();
  counts_.known.assign(numbers, 0);
  counts_.mixed.assign(numbers, 0);
}

void BasinBoundaries::advance() {
  const std::int64_t count = std::min(block_of(grid_), share_.first + share_.count - next_);
  const auto answers = [&](std::int64_t from, std::int64_t many) {
    return records_.read_rows<double>("/exits/exit", from, many);
  };
  count_boxes(grid_, next_, count, answers, counts_);
  next_ += count;
}

void BasinBoundaries::finish() {
  counts_ = {parallel::sum(counts_.known), parallel::sum(counts_.mixed)};
  uncertainty_ = uncertainty(grid_, counts_);
  enter(records_, grid_, *uncertainty_);
}

std::optional<run::Line> BasinBoundaries::line() const {
  if (!uncertainty_) return std::nullopt;
  std::vector<double> found;
  std::ranges::copy_if(uncertainty_->exponent, std::back_inserter(found),
                       [](double x) { return std::isfinite(x); });
  if (found.empty()) return run::Line{"basins", "no boundary between them that boxes of starts could tell"};
  const double low = std::ranges::min(found), high = std::ranges::max(found);
  const auto widths = grid_.widths();
  return run::Line{"basins", fmt::format("uncertainty exponent {:.3g}{}, of boxes {} to {} starts wide", low,
                                         high > low ? fmt::format(" to {:.3g}", high) : "", widths.front(),
                                         widths.back())};
}

std::int64_t counting_bytes(const StartGrid& grid) {
  const std::int64_t counts = grid.repeated * static_cast<std::int64_t>(grid.widths().size());
  return (1 << 19) + 6 * counts * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace cotangent::studies
