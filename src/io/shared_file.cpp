// SPDX-License-Identifier: BSD-3-Clause
#include "io/shared_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "io/attempt.hpp"
#include "io/mpi_io.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {

DataSetSpec as_stored(DataSetSpec spec, const FileOptions& options) {
  if (spec.frames && options.single_precision && spec.type == DataType::float64)
    spec.type = DataType::float32;
  return spec;
}

std::int64_t stored_bytes(std::span<const DataSetSpec> specs, const FileOptions& options) {
  std::int64_t bytes = 0;
  for (const DataSetSpec& spec : specs) bytes += as_stored(spec, options).bytes();
  return bytes;
}

SharedFile::SharedFile(const std::filesystem::path& path, std::vector<DataSetSpec> specs,
                       const FileOptions& options)
    : path_(path), options_(options) {
  parallel::agree([&] {
    on_disk_ = Descriptor(path, Descriptor::Mode::write);
    const std::string reason = on_disk_.lack_of_space();
    if (!reason.empty()) throw FileError(path.string() + ": cannot set apart space for the file: " + reason);
  });
  parallel::agree([&] {
    file_ = File::open_together(path, options.hints);
    for (DataSetSpec& spec : specs) {
      DataSet place = file_->data_set(spec.path);
      sets_.push_back({std::move(spec), std::move(place)});
    }
  });
}

SharedFile::~SharedFile() {
  // To close is collective, and a rank that failed alone must not wait for the others here.
  if (!file_) return;
  for (Set& set : sets_) set.place.abandon();
  file_->abandon();
}

void SharedFile::keep(DataType type, int index, std::span<const std::int64_t> offset,
                      std::span<const std::int64_t> count, const void* values, Turn turn) {
  const DataSetSpec& set = spec(index);
  bool inside = (type == set.type || (type == DataType::float64 && set.type == DataType::float32)) &&
                offset.size() == set.dims.size() && count.size() == set.dims.size();
  for (std::size_t i = 0; inside && i < set.dims.size(); ++i)
    inside = offset[i] >= 0 && count[i] >= 0 && offset[i] + count[i] <= set.dims[i];
  if (!inside)
    throw std::out_of_range(path_.string() + ": " + set.path + " is " + shape(set.type, set.dims) +
                            "; cannot write " + shape(type, count) + " at " + shape(type, offset));
  queue(turn).add(index, set, type, offset, count, values);
}

void SharedFile::write(const RowQueue& queue, const Slab& slab, bool together) {
  const Set& set = sets_[static_cast<std::size_t>(slab.set)];
  const auto dimensions = static_cast<std::size_t>(slab.dimensions);
  try {
    set.place.write_bytes(std::span(slab.offset).first(dimensions), std::span(slab.count).first(dimensions),
                          queue.bytes_of(slab), together);
  } catch (const FileError&) {
    // MPI-IO doesn't tell what the system said; the system says it again.
    const std::string reason = on_disk_.lack_of_space();
    if (reason.empty()) throw;
    throw FileError(path_.string() + ": cannot write to " + set.spec.path + ": " + reason);
  }
}

bool SharedFile::holds(const RowQueue& queue, const Slab& slab) const {
  const Set& set = sets_[static_cast<std::size_t>(slab.set)];
  auto offset = slab.offset, count = slab.count;
  const auto dimensions = static_cast<std::size_t>(slab.dimensions);
  const auto read = [&] {
    return set.place.read_bytes(std::span(offset).first(dimensions), std::span(count).first(dimensions));
  };
  // In pieces of about a megabyte, along the first dimension that has more than one row.
  std::size_t along = 0;
  while (along + 1 < dimensions && count[along] == 1) ++along;
  const std::int64_t rows = dimensions > 0 ? count[along] : 1, first = offset[along],
                     row = static_cast<std::int64_t>(slab.size) / rows,
                     piece = std::max<std::int64_t>(1, (1 << 20) / row);
  for (std::int64_t k = 0; k < rows; k += piece) {
    offset[along] = first + k;
    count[along] = std::min(piece, rows - k);
    const auto bytes = read();
    if (std::memcmp(bytes.data(), queue.bytes_of(slab) + k * row, bytes.size()) != 0) return false;
  }
  return true;
}

void SharedFile::write_alone(RowQueue& queue) {
  for (const Slab& slab : queue.arranged()) write(queue, slab, false);
  queue.clear();
}

void SharedFile::flush() {
  write_alone(rows_);
  const double before = parallel::wall_time();
  if (statuses_.empty() || before < next_statuses_) return;
  on_disk_.sync();
  write_alone(statuses_);
  const double after = parallel::wall_time();
  next_statuses_ =
      after + std::max(1.0, 50 * (after - before));  // at most a fiftieth of the time is for the disk
}

void SharedFile::flush_together() {
  write_together(rows_);
  if (!parallel::any(!statuses_.empty())) return;
  parallel::agree([this] { on_disk_.sync(); });
  write_together(statuses_);
}

void SharedFile::write_together(RowQueue& queue) {
  std::vector<const DataSetSpec*> specs;
  for (const Set& set : sets_) specs.push_back(&set.spec);
  queue.gather(specs);
  const std::span<const Slab> slabs = queue.arranged();
  // How many slabs the rank with most of them has, and how many ranks have any: of each data set.
  const auto number_of = [](const Slab& slab) { return static_cast<std::size_t>(slab.set); };
  std::vector<std::int64_t> most(sets_.size(), 0), owners(sets_.size(), 0);
  for (const Slab& slab : slabs) {
    ++most[number_of(slab)];
    owners[number_of(slab)] = 1;
  }
  if (parallel::size() > 1 && options_.collective) {
    most = parallel::maximum(std::move(most));
    owners = parallel::sum(std::move(owners));
  }
  std::string failure;
  std::vector<const Slab*> unsure;
  bool met = false;
  auto next = slabs.begin();
  for (std::size_t number = 0; number < sets_.size(); ++number) {
    // Collective calls only where more than one rank has rows of this data set.
    const bool together = options_.collective && owners[number] > 1;
    met = met || together;
    const auto set = static_cast<int>(number);
    const Slab none{set, static_cast<int>(spec(set).dims.size()), {}, {}, 0, 0};
    for (std::int64_t k = 0; k < most[number]; ++k) {
      const bool mine = next != slabs.end() && number_of(*next) == number, writes = mine && failure.empty();
      attempt(failure, [&] {
        if (together || writes) write(queue, writes ? *next : none, together);
      });
      if (together && writes) unsure.push_back(&*next);
      if (mine) ++next;
    }
  }
  if (met) parallel::barrier();  // another rank may write this one's rows
  for (const Slab* slab : unsure) {
    attempt(failure, [&] {
      if (failure.empty() && !holds(queue, *slab)) write(queue, *slab, false);
    });
  }
  parallel::agree([&] {
    if (!failure.empty()) throw FileError(failure);
  });
  queue.clear();
}

void SharedFile::sync() {
  write_alone(rows_);
  on_disk_.sync();
  if (!statuses_.empty()) {
    write_alone(statuses_);
    on_disk_.sync();
  }
  if (!std::exchange(name_synced_, true)) sync_name(path_);
}

void SharedFile::close() {
  const FileFailureHandler alone([this](const std::string& reason) {
    parallel::end_alone(exit_file_system, path_.string() + ": cannot close the file: " + reason);
  });
  parallel::agree([this] {
    for (Set& set : sets_) set.place = DataSet();
    file_->close();
  });
  file_.reset();
}

}  // namespace cotangent::io
