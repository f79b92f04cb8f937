// The result of a run: one HDF5 file, format version 1, made whole before the first row is known.
//
// Rank 0 alone makes the file, with every group, attribute and data set in its place, and renames it when it
// is complete on disk. After that nothing but raw data is written: each rank writes its rows for itself, to
// their place in the file, without communication and without HDF5. So whenever the run is killed the file can
// be read; where a rank fails no other waits; and equal runs have equal bytes in all data sets but /run's.
// Limits: extents known beforehand; one file system for all ranks; little-endian. Unwritten places read as 0.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5.hpp"
#include "io/posix.hpp"

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

  const std::filesystem::path& path() const noexcept { return path_; }
  /// The index of a declared data set, for write() and read(). Throws Error with the nearest name.
  int data_set(std::string_view path) const;
  const DataSetSpec& spec(int index) const { return sets_.at(static_cast<std::size_t>(index)).spec; }

  /// Rows `first` to `first + count - 1` of the leading dimension, whole. Not collective: FileError on this
  /// rank alone.
  template <Storable Number>
  void write_rows(int index, std::int64_t first, std::int64_t count, const Number* values) {
    write_rows_as(data_type<Number>, index, first, count, values);
  }
  /// The hyperslab of extent `count` at `offset`, row-major. Not collective, as write_rows().
  template <Storable Number>
  void write(int index, std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
             const Number* values) {
    write_as(data_type<Number>, index, offset, count, values);
  }
  /// As write(), but with the next flush(), or when a megabyte waits: what then follows one another in the
  /// file is written at once, which takes half the time.
  template <Storable Number>
  void write_soon(int index, std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
                  const Number* values) {
    keep(data_type<Number>, index, offset, count, values, Waiting::Turn::soon);
  }
  template <Storable Number>
  void write_rows_soon(int index, std::int64_t first, std::int64_t count, const Number* values) {
    const auto [offset, extent] = rows(index, first, count);
    keep(data_type<Number>, index, offset, extent, values, Waiting::Turn::soon);
  }
  /// The same, after all else that waits then: for rows that vouch for others.
  template <Storable Number>
  void write_rows_last(int index, std::int64_t first, std::int64_t count, const Number* values) {
    const auto [offset, extent] = rows(index, first, count);
    keep(data_type<Number>, index, offset, extent, values, Waiting::Turn::last);
  }
  /// Writes what waits.
  void flush();
  /// A whole data set as it is now. Not collective.
  template <Storable Number>
  std::vector<Number> read(int index) const {
    return File::open(path_).read<Number>(spec(index).path);
  }
  template <Storable Number>
  std::vector<Number> read_rows(int index, std::int64_t first, std::int64_t count) const {
    return File::open(path_).read_rows<Number>(spec(index).path, first, count);
  }
  /// Puts on disk what this rank has written: against loss of power, before a row that vouches for it. Not
  /// collective.
  void sync();
  /// Everything on disk, and then the record. Collective; a failure is thrown on every rank.
  void close(const RunRecord& record);

 private:
  struct Set {
    DataSetSpec spec;
    Extent extent;
  };

  /// Bytes for a place in the file, from `begin` on among those that wait.
  struct Waiting {
    enum class Turn { soon, last } turn;
    std::int64_t place;
    std::size_t begin, size;
  };

  ResultFile(const std::filesystem::path& path, const ResultContent& content);
  /// Offset and extent of whole rows.
  std::array<std::vector<std::int64_t>, 2> rows(int index, std::int64_t first, std::int64_t count) const;
  void write_rows_as(DataType type, int index, std::int64_t first, std::int64_t count, const void* values);
  void write_as(DataType type, int index, std::span<const std::int64_t> offset,
                std::span<const std::int64_t> count, const void* values);
  void keep(DataType type, int index, std::span<const std::int64_t> offset,
            std::span<const std::int64_t> count, const void* values, Waiting::Turn turn);
  /// Calls `use(place in the file, bytes)` for each run of bytes of a hyperslab, in the order of its values.
  template <class Use>
  void for_runs(DataType type, int index, std::span<const std::int64_t> offset,
                std::span<const std::int64_t> count, const Use& use) const;

  std::filesystem::path path_;
  Descriptor file_;
  bool name_synced_ = false;
  std::vector<Set> sets_;
  std::vector<Waiting> waiting_;
  std::vector<std::byte> waiting_bytes_;
};

/// NAME.checkpoint, beside the result NAME.
std::filesystem::path checkpoint_path(const std::filesystem::path& result);

}  // namespace cotangent::io
