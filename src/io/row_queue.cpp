// SPDX-License-Identifier: BSD-3-Clause
#include "io/row_queue.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/release.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

// Joins `next` to `last` where it begins where that ends, along one dimension, in the file and in memory:
// dimensions before it have extent 1, and those after it agree.
bool join(Slab& last, const Slab& next) {
  if (last.set != next.set || last.begin + last.size != next.begin) return false;
  const auto n = static_cast<std::size_t>(last.dimensions);
  for (std::size_t d = 0; d < n; ++d) {
    if (next.offset[d] == last.offset[d] + last.count[d]) {
      for (std::size_t e = d + 1; e < n; ++e) {
        if (next.offset[e] != last.offset[e] || next.count[e] != last.count[e]) return false;
      }
      last.count[d] += next.count[d];
      last.size += next.size;
      return true;
    }
    if (last.count[d] != 1 || next.count[d] != 1 || last.offset[d] != next.offset[d]) return false;
  }
  return false;
}

// The ranks that write the rows of a frame, each a run of ids, long enough to be worth its call.
struct Writers {
  std::int64_t rows, ranks;

  Writers(std::int64_t all_rows, std::int64_t row_bytes)
      : rows(all_rows),
        ranks(std::clamp<std::int64_t>(all_rows * row_bytes / (1 << 16), 1, parallel::size())) {}
  /// Where a rank's run begins; ranks that don't write have none.
  std::int64_t first(std::int64_t rank) const { return rows * std::min(rank, ranks) / ranks; }
  std::size_t of(std::int64_t id) const {
    std::int64_t rank = id * ranks / rows;
    while (rank + 1 < ranks && first(rank + 1) <= id) ++rank;
    while (first(rank) > id) --rank;
    return static_cast<std::size_t>(rank);
  }
};

// Rows of a data set by id: their dimension is the first, or the second behind that of the frames.
struct RowShape {
  std::int64_t rows, width;

  RowShape(const DataSetSpec& spec, std::int64_t frame) {
    const std::size_t at = frame < 0 ? 0 : 1;
    rows = spec.dims[at];
    width = spec.dims.size() > at + 1 ? spec.dims[at + 1] : 1;
  }
};

}  // namespace

void RowQueue::add(int set, const DataSetSpec& spec, DataType type, std::span<const std::int64_t> offset,
                   std::span<const std::int64_t> count, const void* values) {
  if (count.size() > Slab::most_dimensions) throw std::logic_error(spec.path + " has too many dimensions");
  const auto numbers = static_cast<std::size_t>(
      std::accumulate(count.begin(), count.end(), std::int64_t{1}, std::multiplies<>()));
  if (numbers == 0) return;
  Slab slab{set, static_cast<int>(count.size()), {}, {}, bytes_.size(), 0};
  std::ranges::copy(offset, slab.offset.begin());
  std::ranges::copy(count, slab.count.begin());
  slab.size = numbers * static_cast<std::size_t>(size_of(spec.type));
  if (type == DataType::float64 && spec.type == DataType::float32) {
    const std::span from(static_cast<const double*>(values), numbers);
    const std::vector<float> narrow(from.begin(), from.end());
    const auto bytes = std::as_bytes(std::span(narrow));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  } else {
    const auto* from = static_cast<const std::byte*>(values);
    bytes_.insert(bytes_.end(), from, from + slab.size);
  }
  // Rows along a trajectory, as a rule, come as they follow one another.
  if (slabs_.empty() || !join(slabs_.back(), slab)) slabs_.push_back(slab);
}

void RowQueue::add_by_id(int set, std::int64_t frame, RowIds ids, std::vector<double> values) {
  by_id_bytes_ += values.size() * sizeof(double);
  by_id_.push_back({set, frame, std::move(ids), std::move(values)});
}

void RowQueue::gather(std::span<const DataSetSpec* const> specs) {
  struct Label {
    std::int64_t entry, id;  // which of those that wait, and which row
  };
  constexpr std::int64_t enough = 1 << 20;  // bytes of a message, beyond which nothing is won by more
  std::vector<ById> waiting = std::exchange(by_id_, {});
  by_id_bytes_ = 0;
  const auto spec_of = [&](const ById& entry) -> const DataSetSpec& {
    return *specs[static_cast<std::size_t>(entry.set)];
  };
  const auto shape_of = [&](const ById& entry) { return RowShape(spec_of(entry), entry.frame); };
  for (std::size_t begin = 0, end = 0; begin < waiting.size(); begin = end) {
    // Entries of as many rows, as those of one sample are, go together, where they are small.
    const std::int64_t rows = shape_of(waiting[begin]).rows;
    std::int64_t row_bytes = 0;
    for (end = begin; end < waiting.size() && shape_of(waiting[end]).rows == rows &&
                      rows * row_bytes < enough * parallel::size();
         ++end)
      row_bytes += 8 * shape_of(waiting[end]).width;
    const Writers writers(rows, row_bytes);
    std::vector<std::vector<Label>> labels(static_cast<std::size_t>(parallel::size()));
    std::vector<std::vector<double>> numbers(labels.size());
    std::vector<std::size_t> each(labels.size(), 0);
    for (const std::int64_t id : *waiting[begin].ids) ++each[writers.of(id)];
    for (std::size_t to = 0; to < each.size(); ++to) {
      labels[to].reserve(each[to] * (end - begin));
      numbers[to].reserve(each[to] * static_cast<std::size_t>(row_bytes / 8));
    }
    for (std::size_t e = begin; e < end; ++e) {
      const double* row = waiting[e].values.data();
      const std::int64_t width = shape_of(waiting[e]).width;
      for (const std::int64_t id : *waiting[e].ids) {
        const std::size_t to = writers.of(id);
        labels[to].push_back({static_cast<std::int64_t>(e), id});
        numbers[to].insert(numbers[to].end(), row, row + width);
        row += width;
      }
      release(waiting[e].values);
    }
    const std::vector<Label> came = parallel::exchange(std::move(labels));
    const std::vector<double> values = parallel::exchange(std::move(numbers));
    // This rank's run of ids, entry after entry, and which of its rows have come.
    const std::int64_t first = writers.first(parallel::rank()),
                       own = writers.first(parallel::rank() + 1) - first;
    std::vector<double> block(static_cast<std::size_t>(own * (row_bytes / 8)));
    std::vector<char> there(static_cast<std::size_t>(own) * (end - begin), 0);
    std::vector<std::int64_t> place_of(end - begin + 1, 0);
    for (std::size_t e = begin; e < end; ++e)
      place_of[e - begin + 1] = place_of[e - begin] + own * shape_of(waiting[e]).width;
    for (const double* row = values.data(); const Label& label : came) {
      const auto e = static_cast<std::size_t>(label.entry);
      const std::int64_t width = shape_of(waiting[e]).width, k = label.id - first;
      std::copy_n(row, width, block.data() + place_of[e - begin] + k * width);
      there[(e - begin) * static_cast<std::size_t>(own) + static_cast<std::size_t>(k)] = 1;
      row += width;
    }
    for (std::size_t e = begin; e < end; ++e) {
      const auto present = std::span(there).subspan((e - begin) * static_cast<std::size_t>(own),
                                                    static_cast<std::size_t>(own));
      const std::int64_t width = shape_of(waiting[e]).width;
      for (auto run = std::ranges::find(present, 1); run != present.end();) {
        const auto stop = std::find(run, present.end(), 0);
        const std::int64_t k = run - present.begin(), count = stop - run;
        add_rows(waiting[e], spec_of(waiting[e]), first + k, count,
                 block.data() + place_of[e - begin] + k * width);
        run = std::find(stop, present.end(), 1);
      }
    }
  }
}

void RowQueue::add_rows(const ById& entry, const DataSetSpec& spec, std::int64_t first, std::int64_t rows,
                        const double* values) {
  std::vector<std::int64_t> offset(spec.dims.size(), 0), count = spec.dims;
  const std::size_t at = entry.frame < 0 ? 0 : 1;
  if (at == 1) {
    offset[0] = entry.frame;
    count[0] = 1;
  }
  offset[at] = first;
  count[at] = rows;
  const std::span numbers(values, static_cast<std::size_t>(rows * RowShape(spec, entry.frame).width));
  if (spec.type == DataType::int32) {
    const std::vector<std::int32_t> whole(numbers.begin(), numbers.end());
    add(entry.set, spec, DataType::int32, offset, count, whole.data());
  } else if (spec.type == DataType::int64) {
    const std::vector<std::int64_t> whole(numbers.begin(), numbers.end());
    add(entry.set, spec, DataType::int64, offset, count, whole.data());
  } else {
    add(entry.set, spec, DataType::float64, offset, count, values);
  }
}

std::span<const Slab> RowQueue::arranged() {
  const auto order = [](const Slab& slab) { return std::tie(slab.set, slab.offset); };
  const auto less = [&](const Slab& a, const Slab& b) { return order(a) < order(b); };
  if (!std::ranges::is_sorted(slabs_, less)) {
    std::ranges::stable_sort(slabs_, less);
    std::vector<std::byte> arranged;
    arranged.reserve(bytes_.size());
    for (Slab& slab : slabs_) {
      const std::byte* from = bytes_.data() + slab.begin;
      slab.begin = arranged.size();
      arranged.insert(arranged.end(), from, from + slab.size);
    }
    bytes_ = std::move(arranged);
  }
  std::vector<Slab> joined;
  for (const Slab& slab : slabs_) {
    joined.push_back(slab);
    // A row that is complete now may continue the one before it.
    while (joined.size() > 1 && join(joined[joined.size() - 2], joined.back())) joined.pop_back();
  }
  slabs_ = std::move(joined);
  return slabs_;
}

void RowQueue::clear() {
  slabs_.clear();
  bytes_.clear();
}

}  // namespace cotangent::io
