// SPDX-License-Identifier: BSD-3-Clause
// An HDF5 file that exists, open on all ranks at once by the MPI-IO driver: rows for its data sets wait in
// memory, where those that follow one another are joined, until they are written by one rank alone or by all
// together. Nothing but raw data goes to the file, to places that exist, so that a kill at any moment leaves
// it readable.
#pragma once

#include <optional>

#include "io/posix.hpp"
#include "io/row_queue.hpp"

namespace cotangent::io {

/// How a file is written: what `[output]` says of it.
struct FileOptions {
  /// Ranks that write at one time do so in collective calls, or each by itself: on one node's file system
  /// that is as fast, and it doesn't wait where ranks share processors.
  bool collective = true;
  std::vector<std::pair<std::string, std::string>> hints;  ///< for MPI-IO, by name
  bool single_precision = false;                           ///< of frames
  int compression = 0;                                     ///< deflate's level; 0: none
};

/// A data set as it is stored: frames in single precision where that is asked for.
DataSetSpec as_stored(DataSetSpec spec, const FileOptions& options);
/// What they take in the file, before they are compressed.
std::int64_t stored_bytes(std::span<const DataSetSpec> specs, const FileOptions& options);

/// When rows are written: as they come, or once all that came before them is on disk, safe from a loss of
/// power. The latter is for a status, which tells a reader, and a run that goes on, that the rows it belongs
/// to are there.
enum class Turn { soon, last };

class SharedFile {
 public:
  /// These data sets of an existing file, whose space is set apart on disk where the file system can. Throws
  /// FileError on every rank where there is too little. Collective.
  SharedFile(const std::filesystem::path& path, std::vector<DataSetSpec> specs, const FileOptions& options);
  SharedFile(SharedFile&&) = default;
  SharedFile& operator=(SharedFile&&) = delete;
  /// Leaves the file open where close() wasn't called: that is collective, and a rank that failed alone must
  /// not wait for the others here.
  ~SharedFile();

  const DataSetSpec& spec(int index) const { return sets_.at(static_cast<std::size_t>(index)).spec; }
  File& file() { return *file_; }

  /// The hyperslab of extent `count` at `offset`, written with the next flush(); `values` is row-major, as
  /// long as the product of `count`.
  template <Storable Number>
  void write(int index, std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
             const Number* values, Turn turn = Turn::soon) {
    keep(data_type<Number>, index, offset, count, values, turn);
  }
  /// Rows `first` to `first + count - 1` of the leading dimension; `values` holds them whole, row-major.
  template <Storable Number>
  void write_rows(int index, std::int64_t first, std::int64_t count, const Number* values,
                  Turn turn = Turn::soon) {
    std::vector<std::int64_t> extent = spec(index).dims, offset(extent.size(), 0);
    if (!extent.empty()) {
      offset[0] = first;
      extent[0] = count;
    }
    keep(data_type<Number>, index, offset, extent, values, turn);
  }
  /// The rows `ids` of frame `frame`, or where that is negative of a data set without frames; `values` has
  /// a row for each id (RowQueue::add_by_id). They are written by flush_together() alone.
  void write_by_id(int index, std::int64_t frame, RowIds ids, std::vector<double> values,
                   Turn turn = Turn::soon) {
    queue(turn).add_by_id(index, frame, std::move(ids), std::move(values));
  }
  /// How many bytes wait on this rank, but for those whose turn is last.
  std::size_t waiting_bytes() const { return rows_.bytes(); }
  /// Writes what waits here; rows whose turn is last every second or so, since they wait for the disk. Not
  /// collective: FileError on this rank alone, where what couldn't be written goes on waiting.
  void flush();
  /// Writes what waits on all ranks, rows by id too. Open MPI 4.1 tells nobody when a collective write fails
  /// on three ranks or more: so each rank looks afterwards whether the file has its rows, and writes by
  /// itself what it misses there, which fails aloud. Collective; a failure is thrown on every rank.
  void flush_together();
  /// Writes what waits here and waits until all that this rank has written is on disk, safe from a loss of
  /// power: before a checkpoint is written that relies on it. Not collective.
  void sync();
  /// Collective; a failure is thrown on every rank.
  void close();

 private:
  struct Set {
    DataSetSpec spec;
    DataSet place;
  };
  void keep(DataType type, int index, std::span<const std::int64_t> offset,
            std::span<const std::int64_t> count, const void* values, Turn turn);
  RowQueue& queue(Turn turn) { return turn == Turn::soon ? rows_ : statuses_; }
  void write(const RowQueue& queue, const Slab& slab, bool together);
  void write_alone(RowQueue& queue);
  void write_together(RowQueue& queue);
  /// Whether the file has these bytes.
  bool holds(const RowQueue& queue, const Slab& slab) const;

  std::filesystem::path path_;
  FileOptions options_;
  std::optional<File> file_;
  Descriptor on_disk_;  // the same file, to wait for the disk
  bool name_synced_ = false;
  std::vector<Set> sets_;
  RowQueue rows_, statuses_;
  double next_statuses_ = 0;  ///< the time from which a flush() writes them
};

}  // namespace cotangent::io
