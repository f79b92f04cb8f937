// SPDX-License-Identifier: BSD-3-Clause
// The result of a run: one HDF5 file, format version 1, made whole before the first row is known.
//
// Rank 0 makes the file, with every group, attribute and data set in its place and its space set apart on
// disk (where the file system can), and renames it when it is complete. All ranks then open it with HDF5's
// MPI-IO driver, and nothing but raw data is written to places that exist: so whenever the run is killed the
// file can be read, and equal runs have equal bytes in all data sets but /run's. Rows wait in memory until
// flush(), where those that follow one another go in one call: on this rank alone, or by all ranks together.
// Compression is a last pass over the complete file, into a new one that takes its place, since a file whose
// chunks move can't be read after a kill. Limits: extents known beforehand; one file system for all ranks.
// Unwritten places read as 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/hdf5.hpp"
#include "io/shared_file.hpp"

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
  std::string formulas;  ///< how those of the deck became code; empty: there are none
  FileOptions options = {};
};

/// What may differ between two equal runs, written when it ends. Times add up over restarts.
struct RunRecord {
  double wall_seconds = 0.0;
  std::vector<double> part_seconds;
  ExitCode exit_code = exit_success;
};

/// What a result file says of itself.
struct StoredResult {
  std::string deck;
  /// Of the run that came to its end; none while it runs, and where it was stopped or killed.
  std::optional<ExitCode> ended;
  bool tells = true;             ///< whether it came to its end: files of programs before don't
  std::int64_t checkpoints = 0;  ///< how many checkpoints its run has written
  bool compressed = false;       ///< whether all is that is worth it
};

/// Reads what a result file says of itself. Throws FileError where there is none, and Error where it is not
/// a result of ours or has another format version. Collective.
StoredResult stored_result(const std::filesystem::path& path);

class ResultFile {
 public:
  /// A new result in place of an older one, whose checkpoint is deleted with it. Throws FileError on every
  /// rank where the folder is missing, not writable, or too full for all that was declared. Collective.
  static ResultFile create(const std::filesystem::path& path, const ResultContent& declared);
  /// An existing result to go on with. Throws Error where its study or data sets are others than declared;
  /// whether the deck is the same is the caller's to judge (stored_result). Collective.
  static ResultFile resume(const std::filesystem::path& path, const ResultContent& declared);

  /// The index of a declared data set, for rows() and read(). Throws Error with the nearest name.
  int data_set(std::string_view path) const;
  const DataSetSpec& spec(int index) const { return content_.data_sets.at(static_cast<std::size_t>(index)); }

  /// Writes to the data sets by their index.
  SharedFile& rows() { return *file_; }
  const SharedFile& rows() const { return *file_; }
  /// A whole data set as it is now. Not collective.
  template <Storable Number>
  std::vector<Number> read(int index) const {
    return File::open(path_).read<Number>(spec(index).path);
  }
  template <Storable Number>
  std::vector<Number> read_rows(int index, std::int64_t first, std::int64_t count) const {
    return File::open(path_).read_rows<Number>(spec(index).path, first, count);
  }
  /// Counts a checkpoint that is about to be written; on rank 0 its number. Collective.
  std::int64_t count_checkpoint();
  /// Everything on disk, and then the record; the result of a run that came to its end is compressed where
  /// that was asked for and isn't done yet. Collective; a failure is thrown on every rank.
  void close(const RunRecord& record);

 private:
  ResultFile(const std::filesystem::path& path, const ResultContent& content);

  std::filesystem::path path_;
  ResultContent content_;  // as stored
  std::optional<SharedFile> file_;
};

/// NAME.checkpoint, beside the result NAME.
std::filesystem::path checkpoint_path(const std::filesystem::path& result);
/// NAME.checkpoint.older: the one before it.
std::filesystem::path older_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace cotangent::io
