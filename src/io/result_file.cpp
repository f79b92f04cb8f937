// SPDX-License-Identifier: BSD-3-Clause
#include "io/result_file.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <unistd.h>
#include <utility>

#include "core/error.hpp"
#include "core/git_commit.hpp"
#include "core/names.hpp"
#include "core/version.hpp"
#include "io/build.hpp"
#include "io/compression.hpp"
#include "io/dimensions.hpp"
#include "io/mpi_io.hpp"
#include "io/posix.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

constexpr std::int64_t host_length = 256, date_length = 32, command_length = 4096, part_length = 32;

std::string host() {
  char name[host_length] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string date() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[date_length];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

const std::string exit_code_path = "/run/exit_code", checkpoints_path = "/run/checkpoints";
constexpr std::int64_t no_exit_code = -1;

bool comes_to_its_end(std::int64_t exit_code) {
  return exit_code == exit_success || exit_code == exit_trajectories_failed;
}

std::vector<DataSetSpec> run_data_sets(const ResultContent& content) {
  std::vector<DataSetSpec> specs = {
      {"/run/ranks", DataType::int64, {}, "1", "number of MPI ranks, of the last start"},
      {"/run/starts", DataType::int64, {}, "1", "how often the run was started"},
      {"/run/wall_seconds", DataType::float64, {}, "s", "wall time, over all starts"},
      {exit_code_path,
       DataType::int64,
       {},
       "1",
       "exit code of the last start that ended or was stopped, -1 else: it runs, was killed, or failed"},
      {checkpoints_path, DataType::int64, {}, "1", "how many checkpoints were written, over all starts"}};
  if (!content.parts.empty())
    specs.push_back({"/run/part_seconds",
                     DataType::float64,
                     {static_cast<std::int64_t>(content.parts.size())},
                     "s",
                     "time by part, mean over ranks, over all starts; names in part_names"});
  return specs;
}

void write_provenance(File& file, const ResultContent& content) {
  file.create_group("/provenance");
  file.write_attribute("/provenance", "version", std::string(version));
  file.write_attribute("/provenance", "git_commit", std::string(git_commit));
  file.write_attribute("/provenance", "compiler", std::string(compiler));
  file.write_attribute("/provenance", "flags", std::string(compile_flags));
  file.write_attribute("/provenance", "hdf5", hdf5_version());
  file.write_attribute("/provenance", "mpi", parallel::library_version());
  file.write_attribute("/provenance", "petsc", content.petsc_version);
  if (!content.formulas.empty()) file.write_attribute("/provenance", "formulas", content.formulas);
}

// An upper bound of what the file holds beside rows.
std::int64_t metadata_bytes(const ResultContent& content) {
  return (1 << 18) + static_cast<std::int64_t>(content.deck.size()) +
         (1 << 14) * std::ssize(content.data_sets);
}

template <Storable Number>
void overwrite(const File& file, const std::string& path, const std::vector<Number>& values) {
  DataSet set = file.data_set(path);
  set.write(std::vector<std::int64_t>(set.dims().size(), 0), set.dims(), values.data());
}

// Everything but rows, by rank 0 alone. In memory, since HDF5 doesn't survive a disk that is full when it
// closes.
Descriptor build(const std::filesystem::path& path, const ResultContent& content) {
  Descriptor image = Descriptor::in_memory();
  File file = File::create_in(image, path);
  file.write_attribute("/", "format", std::string("cotangent"));
  file.write_attribute("/", "format_version", format_version);
  file.write_attribute("/", "study", content.study);
  file.write_text("/deck", content.deck);
  write_provenance(file, content);
  for (const DataSetSpec& spec : run_data_sets(content)) file.create_data_set(spec);
  overwrite(file, exit_code_path, std::vector{no_exit_code});
  file.create_texts("/run/host", host_length);
  file.create_texts("/run/started", date_length);
  file.create_texts("/run/ended", date_length);
  file.create_texts("/run/command_line", command_length);
  if (!content.parts.empty()) {
    file.create_texts("/run/part_names", part_length, static_cast<std::int64_t>(content.parts.size()));
    file.overwrite_texts("/run/part_names", content.parts);
  }
  for (const DataSetSpec& spec : content.data_sets) file.create_data_set(spec);
  name_dimensions(file, content.data_sets);
  file.overwrite_texts("/run/started", {date()});
  file.close();
  return image;
}

/// What the file says it is; empty where it says nothing.
std::string format_of(const File& file) {
  return file.has_attribute("/", "format") ? file.text_attribute("/", "format") : "";
}

File open_checked(const std::filesystem::path& path) {
  File file = File::open(path);
  if (format_of(file) != "cotangent")
    throw Error(path.string() + ": not a result of cotangent (no attribute format = \"cotangent\")");
  if (const std::int64_t found = file.integer_attribute("/", "format_version"); found != format_version)
    throw Error(path.string() +
                ": a result file of another version: format_version = " + std::to_string(found) +
                ", and this program reads and resumes version " + std::to_string(format_version));
  return file;
}

void check_content(const std::filesystem::path& path, const ResultContent& content) {
  const File file = open_checked(path);
  if (const std::string study = file.text_attribute("/", "study"); study != content.study)
    throw Error(path.string() + ": holds study = \"" + study + "\", the deck says study = \"" +
                content.study + "\"");
  std::vector<DataSetSpec> specs = content.data_sets;
  std::ranges::copy(run_data_sets(content), std::back_inserter(specs));
  for (const DataSetSpec& spec : specs) {
    const bool there = file.contains(spec.path);
    if (!there && (spec.path == exit_code_path || spec.path == checkpoints_path)) continue;  // of before
    if (!there) throw Error(path.string() + ": has no " + spec.path + ", which this run would write");
    const DataSet set = file.data_set(spec.path);
    if (set.type() != spec.type || set.dims() != spec.dims)
      throw Error(path.string() + ": " + spec.path + " is " + shape(set.type(), set.dims()) +
                  ", this run would write " + shape(spec.type, spec.dims));
  }
}

ResultContent as_stored(ResultContent content) {
  for (DataSetSpec& spec : content.data_sets) spec = as_stored(std::move(spec), content.options);
  return content;
}

// The exit code that the file holds; files of before have none.
std::int64_t stored_exit_code(const File& file) {
  return file.contains(exit_code_path) ? file.read<std::int64_t>(exit_code_path).front() : no_exit_code;
}

void store_exit_code(const File& file, std::int64_t exit_code) {
  if (file.contains(exit_code_path)) overwrite(file, exit_code_path, std::vector{exit_code});
}

}  // namespace

StoredResult stored_result(const std::filesystem::path& path) {
  std::string deck;
  std::int64_t exit_code = no_exit_code, tells = 0, checkpoints = 0, compressed = 0;
  parallel::on_rank_zero([&] {
    const File file = open_checked(path);
    deck = file.read_text("/deck");
    exit_code = stored_exit_code(file);
    tells = file.contains(exit_code_path);
    if (file.contains(checkpoints_path)) checkpoints = file.read<std::int64_t>(checkpoints_path).front();
    compressed = std::ranges::all_of(file.data_sets_in("/"), [&](const std::string& name) {
      if (name == "/deck" || of_the_run(name) || !file.takes_room(name)) return true;
      const DataSet set = file.data_set(name);
      return !worth_squeezing({name, set.type(), set.dims(), "", ""}) || file.in_chunks(name);
    });
  });
  StoredResult stored;
  stored.deck = parallel::broadcast(std::move(deck));
  stored.tells = parallel::broadcast(tells) != 0;
  stored.checkpoints = parallel::broadcast(checkpoints);
  stored.compressed = parallel::broadcast(compressed) != 0;
  exit_code = parallel::broadcast(exit_code);
  if (comes_to_its_end(exit_code)) stored.ended = static_cast<ExitCode>(exit_code);
  return stored;
}

namespace {

/// Throws Error where there is a file of this name that a new result may not replace: only an earlier result
/// may be, also one that is damaged, and an empty file.
void require_replaceable(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why, ExitCode code = exit_bad_input) {
    throw Error(
        path.string() + ": " + why + "; it isn't replaced: name another file by output.file, or remove it",
        code);
  };
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status))
    refuse("is there, and no file for a result", exit_file_system);
  using std::filesystem::perms;
  if ((status.permissions() & perms::owner_write) == perms::none)
    refuse("may not be written to", exit_file_system);
  if (std::filesystem::file_size(path) == 0) return;
  constexpr std::string_view signature = "\211HDF\r\n\032\n";
  std::string begin(signature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  const auto unreadable = [&] { refuse("is there, and can't be read", exit_file_system); };
  if (!file.is_open() || file.bad()) unreadable();
  if (begin != signature) refuse("is there, and no result of cotangent");
  std::optional<File> result;
  try {
    result = File::open(path);
  } catch (const FileError&) {
    return;  // damaged
  }
  std::string format;
  try {
    format = format_of(*result);
  } catch (const FileError&) {
    unreadable();
  }
  if (format != "cotangent") refuse("is there, and no result of cotangent");
}

}  // namespace

ResultFile ResultFile::create(const std::filesystem::path& path, const ResultContent& declared) {
  const ResultContent content = as_stored(declared);
  parallel::on_rank_zero([&] {
    require_replaceable(path);
    std::int64_t bytes = metadata_bytes(content);
    for (const DataSetSpec& spec : content.data_sets) bytes += spec.bytes();
    require_space(path, bytes);
    const std::filesystem::path unfinished = path.string() + ".new";
    try {
      const Descriptor image = build(unfinished, content);
      lay_out(unfinished, content.options.hints);
      Descriptor file(unfinished, Descriptor::Mode::create);
      image.copy_to(file);
      file.allocate(file.length());  // so that a disk that fills up later can't fail this run
      const bool replaces = std::filesystem::exists(path);
      // They belong to the older result, which is replaced now.
      remove_file(checkpoint_path(path));
      remove_file(older_checkpoint(checkpoint_path(path)));
      // Where no result was there before, a loss of power before the first sync() costs nothing: no need to
      // wait.
      replaces ? replace_file(file, unfinished, path) : rename_file(unfinished, path);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw;
    }
  });
  return ResultFile(path, content);
}

ResultFile ResultFile::resume(const std::filesystem::path& path, const ResultContent& declared) {
  const ResultContent content = as_stored(declared);
  parallel::on_rank_zero([&] { check_content(path, content); });
  return ResultFile(path, content);
}

ResultFile::ResultFile(const std::filesystem::path& path, const ResultContent& content)
    : path_(path), content_(content) {
  file_.emplace(path, content.data_sets, content.options);
  parallel::on_rank_zero([&] {
    File& file = file_->file();
    overwrite(file, "/run/ranks", std::vector<std::int64_t>{parallel::size()});
    overwrite(file, "/run/starts",
              std::vector<std::int64_t>{file.read<std::int64_t>("/run/starts").front() + 1});
    file.overwrite_texts("/run/host", {host()});
    file.overwrite_texts("/run/command_line", {content.command_line});
    if (!comes_to_its_end(stored_exit_code(file))) store_exit_code(file, no_exit_code);
  });
}

int ResultFile::data_set(std::string_view path) const {
  std::vector<std::string> declared;
  for (const DataSetSpec& spec : content_.data_sets) declared.push_back(spec.path);
  const auto found = std::ranges::find(declared, path);
  if (found == declared.end()) unknown_name("data set", path, declared, "of " + path_.string());
  return static_cast<int>(found - declared.begin());
}

std::int64_t ResultFile::count_checkpoint() {
  std::int64_t number = 0;
  parallel::on_rank_zero([&] {
    File& file = file_->file();
    if (!file.contains(checkpoints_path)) return;
    number = file.read<std::int64_t>(checkpoints_path).front() + 1;
    overwrite(file, checkpoints_path, std::vector{number});
  });
  return number;
}

void ResultFile::close(const RunRecord& record) {
  file_->flush_together();
  parallel::agree([this] { file_->sync(); });
  parallel::on_rank_zero([&] {
    File& file = file_->file();
    const double seconds = file.read<double>("/run/wall_seconds").front() + record.wall_seconds;
    overwrite(file, "/run/wall_seconds", std::vector<double>{seconds});
    if (!record.part_seconds.empty()) {
      std::vector<double> parts = file.read<double>("/run/part_seconds");
      for (std::size_t i = 0; i < std::min(parts.size(), record.part_seconds.size()); ++i)
        parts[i] += record.part_seconds[i];
      overwrite(file, "/run/part_seconds", parts);
    }
    file.overwrite_texts("/run/ended", {date()});
    store_exit_code(file, record.exit_code);
    file_->sync();
  });
  file_->close();
  file_.reset();
  if (comes_to_its_end(record.exit_code) && content_.options.compression > 0) compress(path_, content_);
}

std::filesystem::path checkpoint_path(const std::filesystem::path& result) {
  return result.string() + ".checkpoint";
}

std::filesystem::path older_checkpoint(const std::filesystem::path& checkpoint) {
  return checkpoint.string() + ".older";
}

}  // namespace cotangent::io
