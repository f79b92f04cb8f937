// SPDX-License-Identifier: BSD-3-Clause
#include "io/shared_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {

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
  queue_.add(turn, index, set, type, offset, count, values);
}

void SharedFile::write(const Slab& slab, bool together) {
  const Set& set = sets_[static_cast<std::size_t>(slab.set)];
  const auto dimensions = static_cast<std::size_t>(slab.dimensions);
  try {
    set.place.write_bytes(std::span(slab.offset).first(dimensions), std::span(slab.count).first(dimensions),
                          queue_.bytes_of(slab), together);
  } catch (const FileError&) {
    // MPI-IO doesn't tell what the system said; the system says it again.
    const std::string reason = on_disk_.lack_of_space();
    if (reason.empty()) throw;
    throw FileError(path_.string() + ": cannot write to " + set.spec.path + ": " + reason);
  }
}

bool SharedFile::holds(const Slab& slab) const {
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
    if (std::memcmp(bytes.data(), queue_.bytes_of(slab) + k * row, bytes.size()) != 0) return false;
  }
  return true;
}

void SharedFile::flush() {
  for (const Slab& slab : queue_.arranged()) write(slab, false);
  queue_.clear();
}

void SharedFile::flush_together() {
  std::vector<const DataSetSpec*> specs;
  for (const Set& set : sets_) specs.push_back(&set.spec);
  queue_.gather(specs);
  const std::span<const Slab> slabs = queue_.arranged();
  // How many slabs the rank with most of them has, and how many ranks have any: of each turn and data set.
  const std::size_t kinds = 2 * sets_.size();
  const auto kind_of = [&](const Slab& slab) {
    return static_cast<std::size_t>(slab.turn) * sets_.size() + static_cast<std::size_t>(slab.set);
  };
  std::vector<std::int64_t> most(kinds, 0), owners(kinds, 0);
  for (const Slab& slab : slabs) {
    ++most[kind_of(slab)];
    owners[kind_of(slab)] = 1;
  }
  if (parallel::size() > 1 && options_.collective) {
    most = parallel::maximum(std::move(most));
    owners = parallel::sum(std::move(owners));
  }
  std::string failure;
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const FileError& error) {
      failure = error.what();
    }
  };
  std::vector<const Slab*> unsure;
  bool met = false;
  const auto end_turn = [&] {
    if (std::exchange(met, false)) parallel::barrier();  // another rank may write this one's rows
    for (const Slab* slab : std::exchange(unsure, {})) {
      attempt([&] {
        if (failure.empty() && !holds(*slab)) write(*slab, false);
      });
    }
    parallel::agree([&] {
      if (!failure.empty()) throw FileError(failure);
    });
  };
  auto next = slabs.begin();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    // Collective calls only where more than one rank has rows of this data set.
    const bool together = options_.collective && owners[kind] > 1;
    met = met || together;
    const auto set = static_cast<int>(kind % sets_.size());
    const Slab none{Turn::soon, set, static_cast<int>(spec(set).dims.size()), {}, {}, 0, 0};
    for (std::int64_t k = 0; k < most[kind]; ++k) {
      const bool mine = next != slabs.end() && kind_of(*next) == kind, writes = mine && failure.empty();
      attempt([&] {
        if (together || writes) write(writes ? *next : none, together);
      });
      if (together && writes) unsure.push_back(&*next);
      if (mine) ++next;
    }
    if (kind + 1 == sets_.size()) end_turn();  // before the statuses, which tell that the rest is there
  }
  end_turn();
  queue_.clear();
}

void SharedFile::sync() {
  flush();
  on_disk_.sync();
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
