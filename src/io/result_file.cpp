// SPDX-License-Identifier: BSD-3-Clause
#include "io/result_file.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "core/error.hpp"
#include "core/git_commit.hpp"
#include "core/names.hpp"
#include "core/version.hpp"
#include "io/build.hpp"
#include "io/dimensions.hpp"
#include "io/posix.hpp"
#include "parallel/failure.hpp"
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

/// What stands below it tells of the run: it is copied as it is.
bool of_the_run(const std::string& path) {
  return path.starts_with("/run/");
}

void name_dimensions(File& file, const std::vector<DataSetSpec>& specs) {
  const auto names = dimension_names(specs);
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (!of_the_run(specs[k].path)) file.name_dimensions(specs[k].path, names[k]);
  }
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
  try {
    return file.text_attribute("/", "format");
  } catch (const FileError&) {
    return "";
  }
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

bool worth_squeezing(const DataSetSpec& spec) {
  return !of_the_run(spec.path) && !spec.dims.empty() && spec.bytes() > (1 << 16);
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
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != signature) refuse("is there, and no result of cotangent");
  std::string format;
  try {
    format = format_of(File::open(path));
  } catch (const FileError&) {
    return;  // damaged
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
  if (comes_to_its_end(record.exit_code) && content_.options.compression > 0) compress();
}

namespace {

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

}  // namespace

/// The new file with all that it holds but the data sets that are squeezed: these are empty.
void ResultFile::prepare_to_squeeze(const std::filesystem::path& unfinished) const {
  require_space(path_, std::filesystem::file_size(path_));
  Descriptor image = Descriptor::in_memory();  // as in build()
  File squeezed = File::create_in(image, unfinished);
  const File file = File::open(path_);
  squeezed.write_attribute("/", "format", std::string("cotangent"));
  squeezed.write_attribute("/", "format_version", format_version);
  squeezed.write_attribute("/", "study", content_.study);
  for (const std::string object : {"/deck", "/provenance", "/run"}) squeezed.copy(file, object);
  for (const DataSetSpec& spec : content_.data_sets) {
    if (worth_squeezing(spec))
      squeezed.create_squeezed_data_set(spec, chunk_of(spec), content_.options.compression);
    else if (!of_the_run(spec.path))
      squeezed.copy(file, spec.path);
  }
  name_dimensions(squeezed, content_.data_sets);
  squeezed.close();
  lay_out(unfinished, content_.options.hints);
  Descriptor target(unfinished, Descriptor::Mode::create);
  image.copy_to(target);
}

void ResultFile::compress() {
  const std::string not_compressed = "; the result is complete, and not compressed";
  const std::filesystem::path unfinished = path_.string() + ".new";
  const auto clear_away = [&] {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
  };
  std::int64_t is_done = 0;
  parallel::on_rank_zero([&] {
    const File file = File::open(path_);
    is_done = std::ranges::all_of(content_.data_sets, [&](const DataSetSpec& spec) {
      return !worth_squeezing(spec) || file.in_chunks(spec.path);
    });
  });
  if (parallel::broadcast(is_done) != 0) return;
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
  or_not_compressed([&] { prepare_to_squeeze(unfinished); });
  std::string failure;
  const auto attempt = [&](const auto& work) {
    try {
      if (failure.empty()) work();
    } catch (const FileError& error) {
      failure = error.what();
    }
  };
  {
    const FileFailureHandler alone([&](const std::string& reason) {
      parallel::end_alone(exit_file_system,
                          unfinished.string() + ": cannot write to the file: " + reason + not_compressed);
    });
    const File from = File::open(path_);
    File squeezed = File::open_together(unfinished, content_.options.hints);
    for (const DataSetSpec& spec : content_.data_sets) {
      if (!worth_squeezing(spec)) continue;
      const DataSet source = from.data_set(spec.path), target = squeezed.data_set(spec.path);
      const Chunks chunks(spec);
      std::vector<std::byte> bytes;
      for (std::int64_t k = chunks.first(); k < chunks.first() + chunks.most(); ++k) {
        const bool mine = k < chunks.last();
        auto chunk = chunks[mine ? k : 0];
        if (mine) attempt([&] { bytes = source.read_bytes(chunk.offset, chunk.extent); });
        if (!mine || !failure.empty()) std::ranges::fill(chunk.extent, 0);
        try {
          target.write_bytes(chunk.offset, chunk.extent, bytes.data(), true);
        } catch (const FileError& error) {
          failure = error.what();
        }
      }
    }
    attempt([&] { squeezed.close(); });
  }
  parallel::barrier();
  // A collective write that failed may have told nobody.
  attempt([&] {
    const File from = File::open(path_), squeezed = File::open(unfinished);
    for (const DataSetSpec& spec : content_.data_sets) {
      if (!worth_squeezing(spec)) continue;
      const DataSet source = from.data_set(spec.path), target = squeezed.data_set(spec.path);
      const Chunks chunks(spec);
      for (std::int64_t k = chunks.first(); k < chunks.last(); ++k) {
        const auto [offset, extent] = chunks[k];
        if (source.read_bytes(offset, extent) != target.read_bytes(offset, extent))
          throw FileError(unfinished.string() + ": " + spec.path + " isn't what was written to it");
      }
    }
  });
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
    replace_file(file, unfinished, path_);
  });
}

std::filesystem::path checkpoint_path(const std::filesystem::path& result) {
  return result.string() + ".checkpoint";
}

std::filesystem::path older_checkpoint(const std::filesystem::path& checkpoint) {
  return checkpoint.string() + ".older";
}

}  // namespace cotangent::io
