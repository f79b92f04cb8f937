// The result of a run: one HDF5 file, format version 1, made whole before the first row is known.
//
// Rank 0 alone makes the file under a temporary name, with every group, attribute and data set, and renames
// it when it is complete on disk. After that nothing but raw data is written, at places fixed from the start,
// by each rank for itself: whenever the run is killed, the file can be read, and equal runs have equal bytes
// in every data set apart from /run. Places not yet written read as zero and take no space on disk. Limits:
// extents are known beforehand; a file system that all ranks share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5.hpp"

namespace cotangent::io {

inline constexpr std::int64_t format_version = 1;

/// What a study declares before it runs.
struct ResultContent {
  std::string study;
  std::string deck;  ///< the resolved deck
  std::vector<DataSetSpec> data_sets;
  std::vector<std::string> parts;  ///< names for the parts of the run's time, as in RunRecord::part_seconds
  std::string command_line;
  std::string petsc_version = "not linked";
  std::int64_t extra_bytes = 0;  ///< what else the disk must hold, such as a checkpoint
};

/// What may differ between two equal runs, written when it ends. Times add up over restarts.
struct RunRecord {
  double wall_seconds = 0.0;
  std::vector<double> part_seconds;
};

/// What a result file says of itself.
struct StoredResult {
  std::string study;
  std::string deck;
};

/// Reads study and deck of a result file. Throws FileError where there is none, and Error where it is not
/// a result of ours or has another format version. Collective.
StoredResult stored_result(const std::filesystem::path& path);

class ResultFile {
 public:
  /// A new result in place of an older one, whose checkpoint is deleted with it. Throws FileError on every
  /// rank where the folder is missing, not writable, or too full for all that was declared. Collective.
  static ResultFile create(const std::filesystem::path& path, const ResultContent& content);
  /// An existing result to go on with. Throws Error where its study or data sets are others than declared;
  /// whether the deck is the same is the caller's to judge (stored_result). Collective.
  static ResultFile resume(const std::filesystem::path& path, const ResultContent& content);

  /// Collective, unless an exception is under way: then the file is left to the end of MPI.
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;

  /// The index of a declared data set, for write() and read(). Throws Error with the nearest name.
  int data_set(std::string_view path) const;
  const DataSet& operator[](int index) const;
  const std::filesystem::path& path() const noexcept;

  /// Rows `first` to `first + count - 1` of the leading dimension. Independent of other ranks; FileError on
  /// this rank alone.
  template <Storable Number>
  void write_rows(int index, std::int64_t first, std::int64_t count, const Number* values) {
    set(index).write_rows(first, count, values);
  }
  /// A hyperslab, row-major.
  template <Storable Number>
  void write(int index, std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
             const Number* values) {
    set(index).write(offset, count, values);
  }
  /// A whole data set, on this rank.
  template <Storable Number>
  std::vector<Number> read(int index) const {
    return read_rows<Number>(index, 0, (*this)[index].dims().empty() ? 1 : (*this)[index].dims().front());
  }
  template <Storable Number>
  std::vector<Number> read_rows(int index, std::int64_t first, std::int64_t count) const {
    std::vector<Number> values(static_cast<std::size_t>(count * (*this)[index].row_size()));
    (*this)[index].read_rows(first, count, values.data());
    return values;
  }
  /// Puts on disk what this rank has written: rows that another row will vouch for, against loss of power.
  void sync();
  /// Writes the record, closes. Collective; a failure is thrown on every rank.
  void close(const RunRecord& record);

 private:
  struct State;
  explicit ResultFile(std::unique_ptr<State> state);
  static ResultFile open(const std::filesystem::path& path, const ResultContent& content);
  DataSet& set(int index);

  std::unique_ptr<State> state_;
};

/// NAME.checkpoint, beside the result NAME.
std::filesystem::path checkpoint_path(const std::filesystem::path& result);

}  // namespace cotangent::io
