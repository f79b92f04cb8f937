// SPDX-License-Identifier: BSD-3-Clause
#include "run/records.hpp"

#include <limits>

#include "parallel/mpi.hpp"

namespace cotangent::run {

bool Records::first_rank() {
  return parallel::rank() == 0;
}

int Records::index(std::string_view path) {
  const auto known = index_.find(path);
  if (known != index_.end()) return known->second;
  const int index = file_.data_set(path);
  index_.emplace(path, index);
  return index;
}

// Where each rank writes by itself, rows are written by the megabyte, while they are still in its cache.
void Records::entered() {
  if (!together_ && file_.rows().waiting_bytes() > (1 << 20)) flush();
}

void Records::blank_from(std::string_view path, std::int64_t first) {
  const int index = this->index(path);
  const std::vector<std::int64_t>& dims = file_.spec(index).dims;
  std::vector<std::int64_t> offset(dims.size(), 0), count = dims;
  const std::int64_t split = dims.size() > 1 ? dims[1] : 1;
  const std::int64_t begin = split * parallel::rank() / parallel::size(),
                     end = split * (parallel::rank() + 1) / parallel::size();
  if (dims.size() > 1) {
    offset[1] = begin;
    count[1] = end - begin;
  } else if (begin == end) {
    count[0] = 0;
  }
  const std::int64_t row_bytes = file_.spec(index).bytes() / std::max<std::int64_t>(dims[0], 1);
  const std::int64_t rows_at_once =
      std::max<std::int64_t>(1, (1 << 20) / std::max<std::int64_t>(row_bytes, 1));
  std::vector<double> blank;
  std::int64_t waiting = 0;  // of all ranks, so that they flush together
  for (std::int64_t row = first; row < dims[0]; row += rows_at_once) {
    offset[0] = row;
    if (dims.size() > 1 || count[0] > 0) count[0] = std::min(rows_at_once, dims[0] - row);
    std::int64_t numbers = 1;
    for (const std::int64_t extent : count) numbers *= extent;
    blank.assign(static_cast<std::size_t>(numbers), std::numeric_limits<double>::quiet_NaN());
    file_.rows().write(index, offset, count, blank.data());
    waiting += std::min(rows_at_once, dims[0] - row) * row_bytes;
    if (waiting > most_waiting) {
      flush();
      waiting = 0;
    }
  }
}

void Records::flush() {
  const double before = parallel::wall_time();
  together_ ? file_.rows().flush_together() : file_.rows().flush();
  flushed_ = parallel::wall_time();
  seconds_ += flushed_ - before;
}

void Records::flush_old() {
  if (parallel::wall_time() - flushed_ > 1) flush();
}

void Records::sync() {
  flush();
  const double before = parallel::wall_time();
  file_.rows().sync();
  seconds_ += parallel::wall_time() - before;
}

}  // namespace cotangent::run
