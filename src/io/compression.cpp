// SPDX-License-Identifier: BSD-3-Clause
#include "io/compression.hpp"

#include <algorithm>
#include <utility>

#include "io/attempt.hpp"
#include "io/dimensions.hpp"
#include "io/mpi_io.hpp"
#include "io/posix.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {

bool worth_squeezing(const DataSetSpec& spec) {
  return !of_the_run(spec.path) && !spec.dims.empty() && spec.bytes() > (1 << 16);
}

namespace {

const std::string not_compressed = "; the result is complete, and not compressed";

// The extent of chunks of about a megabyte: whole last dimensions, part of the one before, 1 of the others.
std::vector<std::int64_t> chunk_of(const DataSetSpec& spec) {
  std::vector<std::int64_t> chunk(spec.dims.size(), 1);
  std::int64_t room = (1 << 20) / size_of(spec.type);
  for (std::size_t d = spec.dims.size(); d-- > 0 && room > 0; room /= chunk[d])
    chunk[d] = std::clamp<std::int64_t>(room, 1, spec.dims[d]);
  return chunk;
}

// The chunks of a data set, one after another in its order.
class Chunks {
 public:
  explicit Chunks(const DataSetSpec& spec) : dims_(spec.dims), chunk_(chunk_of(spec)) {
    for (std::size_t d = 0; d < dims_.size(); ++d) count_ *= (dims_[d] + chunk_[d] - 1) / chunk_[d];
  }
  /// This rank's part of all, and how many the rank with most of them has.
  std::int64_t first() const { return count_ * parallel::rank() / parallel::size(); }
  std::int64_t last() const { return count_ * (parallel::rank() + 1) / parallel::size(); }
  std::int64_t most() const { return (count_ + parallel::size() - 1) / parallel::size(); }
  struct Chunk {
    std::vector<std::int64_t> offset, extent;
  };
  Chunk operator[](std::int64_t k) const {
    std::vector<std::int64_t> offset(dims_.size()), extent(dims_.size());
    for (std::size_t d = dims_.size(); d-- > 0;) {
      const std::int64_t along = (dims_[d] + chunk_[d] - 1) / chunk_[d];
      offset[d] = k % along * chunk_[d];
      extent[d] = std::min(chunk_[d], dims_[d] - offset[d]);
      k /= along;
    }
    return {std::move(offset), std::move(extent)};
  }

 private:
  std::vector<std::int64_t> dims_, chunk_;
  std::int64_t count_ = 1;
};

/// The new file with all that it holds but the data sets that are squeezed: these are empty.
void prepare(const std::filesystem::path& path, const ResultContent& content,
             const std::filesystem::path& unfinished) {
  require_space(path, std::filesystem::file_size(path));
  // In memory, since HDF5 doesn't survive a disk that is full when it closes.
  Descriptor image = Descriptor::in_memory();
  File squeezed = File::create_in(image, unfinished);
  const File file = File::open(path);
  squeezed.write_attribute("/", "format", std::string("cotangent"));
  squeezed.write_attribute("/", "format_version", format_version);
  squeezed.write_attribute("/", "study", content.study);
  for (const std::string object : {"/deck", "/provenance", "/run"}) squeezed.copy(file, object);
  for (const DataSetSpec& spec : content.data_sets) {
    if (worth_squeezing(spec))
      squeezed.create_squeezed_data_set(spec, chunk_of(spec), content.options.compression);
    else if (!of_the_run(spec.path))
      squeezed.copy(file, spec.path);
  }
  name_dimensions(squeezed, content.data_sets);
  squeezed.close();
  lay_out(unfinished, content.options.hints);
  Descriptor target(unfinished, Descriptor::Mode::create);
  image.copy_to(target);
}

bool is_compressed(const std::filesystem::path& path, const ResultContent& content) {
  std::int64_t is_done = 0;
  parallel::on_rank_zero([&] {
    const File file = File::open(path);
    is_done = std::ranges::all_of(content.data_sets, [&](const DataSetSpec& spec) {
      return !worth_squeezing(spec) || file.in_chunks(spec.path);
    });
  });
  return parallel::broadcast(is_done) != 0;
}

/// Writes the data sets in collective calls, each rank the chunks of its share; what failed on this one.
std::string squeeze(const std::filesystem::path& path, const ResultContent& content,
                    const std::filesystem::path& unfinished) {
  std::string failure;
  const FileFailureHandler alone([&](const std::string& reason) {
    parallel::end_alone(exit_file_system,
                        unfinished.string() + ": cannot write to the file: " + reason + not_compressed);
  });
  const File from = File::open(path);
  File squeezed = File::open_together(unfinished, content.options.hints);
  for (const DataSetSpec& spec : content.data_sets) {
    if (!worth_squeezing(spec)) continue;
    const DataSet source = from.data_set(spec.path), target = squeezed.data_set(spec.path);
    const Chunks chunks(spec);
    std::vector<std::byte> bytes;
    for (std::int64_t k = chunks.first(); k < chunks.first() + chunks.most(); ++k) {
      const bool mine = k < chunks.last();
      auto chunk = chunks[mine ? k : 0];
      if (mine && failure.empty())
        attempt(failure, [&] { bytes = source.read_bytes(chunk.offset, chunk.extent); });
      if (!mine || !failure.empty()) std::ranges::fill(chunk.extent, 0);
      attempt(failure, [&] { target.write_bytes(chunk.offset, chunk.extent, bytes.data(), true); });
    }
  }
  if (failure.empty()) attempt(failure, [&] { squeezed.close(); });
  return failure;
}

/// Throws where a data set of this rank's share isn't what it was: a collective write that failed may have
/// told nobody.
void compare(const std::filesystem::path& path, const ResultContent& content,
             const std::filesystem::path& unfinished) {
  const File from = File::open(path), squeezed = File::open(unfinished);
  for (const DataSetSpec& spec : content.data_sets) {
    if (!worth_squeezing(spec)) continue;
    const DataSet source = from.data_set(spec.path), target = squeezed.data_set(spec.path);
    const Chunks chunks(spec);
    for (std::int64_t k = chunks.first(); k < chunks.last(); ++k) {
      const auto [offset, extent] = chunks[k];
      if (source.read_bytes(offset, extent) != target.read_bytes(offset, extent))
        throw FileError(unfinished.string() + ": " + spec.path + " isn't what was written to it");
    }
  }
}

}  // namespace

void compress(const std::filesystem::path& path, const ResultContent& content) {
  if (is_compressed(path, content)) return;
  const std::filesystem::path unfinished = path.string() + ".new";
  const auto clear_away = [&] {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
  };
  const auto or_not_compressed = [&](const auto& work) {
    parallel::on_rank_zero([&] {
      try {
        work();
      } catch (const std::exception& error) {  // of files, from the standard library, too
        clear_away();
        throw FileError(error.what() + not_compressed);
      }
    });
  };
  or_not_compressed([&] { prepare(path, content, unfinished); });
  std::string failure = squeeze(path, content, unfinished);
  parallel::barrier();
  if (failure.empty()) attempt(failure, [&] { compare(path, content, unfinished); });
  if (parallel::any(!failure.empty())) {  // before the file is taken away nobody looks at it any more
    if (parallel::rank() == 0) clear_away();
    parallel::agree([&] {
      if (!failure.empty()) throw FileError(failure + not_compressed);
    });
  }
  parallel::agree([&] {  // each rank's own pages
    try {
      Descriptor(unfinished, Descriptor::Mode::write).sync();
    } catch (const FileError& error) {
      throw FileError(error.what() + not_compressed);
    }
  });
  or_not_compressed([&] {
    Descriptor file(unfinished, Descriptor::Mode::write);
    replace_file(file, unfinished, path);
  });
}

}  // namespace cotangent::io
