#include "io/result_file.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <unistd.h>
#include <utility>

#include "core/error.hpp"
#include "core/names.hpp"
#include "core/version.hpp"
#include "io/build.hpp"
#include "io/git_commit.hpp"
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

std::vector<DataSetSpec> run_data_sets(const ResultContent& content) {
  std::vector<DataSetSpec> specs = {
      {"/run/ranks", DataType::int64, {}, "1", "number of MPI ranks, of the last start"},
      {"/run/starts", DataType::int64, {}, "1", "how often the run was started"},
      {"/run/wall_seconds", DataType::float64, {}, "s", "wall time, over all starts"}};
  if (!content.parts.empty())
    specs.push_back({"/run/part_seconds",
                     DataType::float64,
                     {static_cast<std::int64_t>(content.parts.size())},
                     "s",
                     "time by part, summed over ranks and starts; names in part_names"});
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
}

// An upper bound of what the file holds beside rows.
std::int64_t metadata_bytes(const ResultContent& content) {
  return (1 << 18) + static_cast<std::int64_t>(content.deck.size()) +
         (1 << 14) * std::ssize(content.data_sets);
}

void write_scalar(File& file, const std::string& path, auto value) {
  file.data_set(path).write({}, {}, &value);
}

template <class Number>
Number read_scalar(File& file, const std::string& path) {
  return file.read<Number>(path).front();
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
  file.create_texts("/run/host", host_length);
  file.create_texts("/run/started", date_length);
  file.create_texts("/run/ended", date_length);
  file.create_texts("/run/command_line", command_length);
  if (!content.parts.empty()) {
    file.create_texts("/run/part_names", part_length, static_cast<std::int64_t>(content.parts.size()));
    file.overwrite_texts("/run/part_names", content.parts);
  }
  for (const DataSetSpec& spec : content.data_sets) file.create_data_set(spec);
  file.overwrite_texts("/run/started", {date()});
  file.close();
  return image;
}

File open_checked(const std::filesystem::path& path, File::Access access) {
  File file = File::open(path, access);
  std::string format;
  try {
    format = file.text_attribute("/", "format");
  } catch (const FileError&) {
  }
  if (format != "cotangent")
    throw Error(path.string() + ": not a result of cotangent (no attribute format = \"cotangent\")");
  if (const std::int64_t found = file.integer_attribute("/", "format_version"); found != format_version)
    throw Error(path.string() +
                ": a result file of another version: format_version = " + std::to_string(found) +
                ", and this program reads and resumes version " + std::to_string(format_version));
  return file;
}

std::string shape(DataType type, const std::vector<std::int64_t>& dims) {
  std::string text = type == DataType::float64 ? "float64 ["
                     : type == DataType::int32 ? "int32 ["
                                               : "int64 [";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return text + "]";
}

// Rank 0's look at a file to go on with, and its note that it was started once more.
void check_content(const std::filesystem::path& path, const ResultContent& content) {
  File file = open_checked(path, File::Access::write);
  if (const std::string study = file.text_attribute("/", "study"); study != content.study)
    throw Error(path.string() + ": holds study = \"" + study + "\", the deck says study = \"" +
                content.study + "\"");
  std::vector<DataSetSpec> specs = content.data_sets;
  std::ranges::copy(run_data_sets(content), std::back_inserter(specs));
  for (const DataSetSpec& spec : specs) {
    if (!file.contains(spec.path))
      throw Error(path.string() + ": has no " + spec.path + ", which this run would write");
    const DataSet set = file.data_set(spec.path);
    if (set.type() != spec.type || set.dims() != spec.dims)
      throw Error(path.string() + ": " + spec.path + " is " + shape(set.type(), set.dims()) +
                  ", this run would write " + shape(spec.type, spec.dims));
  }
  file.close();
}

}  // namespace

struct ResultFile::State {
  File file;
  Descriptor descriptor;  // of its own, for sync(): HDF5's flush is collective
  std::vector<DataSetSpec> specs;
  std::vector<DataSet> sets;
  bool open = true;
};

StoredResult stored_result(const std::filesystem::path& path) {
  StoredResult stored;
  parallel::on_rank_zero([&] {
    const File file = open_checked(path, File::Access::read);
    stored = {file.text_attribute("/", "study"), file.read_text("/deck")};
  });
  return {parallel::broadcast(std::move(stored.study)), parallel::broadcast(std::move(stored.deck))};
}

ResultFile ResultFile::create(const std::filesystem::path& path, const ResultContent& content) {
  parallel::on_rank_zero([&] {
    std::int64_t bytes = content.extra_bytes + metadata_bytes(content);
    for (const DataSetSpec& spec : content.data_sets) bytes += spec.bytes();
    require_space(path, bytes);
    const std::filesystem::path unfinished = path.string() + ".new";
    try {
      const Descriptor image = build(unfinished, content);
      Descriptor file(unfinished, Descriptor::Mode::create);
      image.copy_to(file);
      file.sync();
      remove_file(checkpoint_path(path));  // it belongs to the result that is replaced now
      replace_file(unfinished, path);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw;
    }
  });
  return open(path, content);
}

ResultFile ResultFile::resume(const std::filesystem::path& path, const ResultContent& content) {
  parallel::on_rank_zero([&] { check_content(path, content); });
  return open(path, content);
}

ResultFile ResultFile::open(const std::filesystem::path& path, const ResultContent& content) {
  // A single rank needs no MPI-IO; the bytes are the same.
  const bool shared = parallel::size() > 1;
  auto state = std::make_unique<State>(
      State{shared ? File::open_on_all_ranks(path) : File::open(path, File::Access::write),
            Descriptor(path, Descriptor::Mode::write),
            content.data_sets,
            {}});
  for (const DataSetSpec& spec : content.data_sets) state->sets.push_back(state->file.data_set(spec.path));
  if (parallel::rank() == 0) {
    File& file = state->file;
    write_scalar(file, "/run/ranks", std::int64_t{parallel::size()});
    write_scalar(file, "/run/starts", read_scalar<std::int64_t>(file, "/run/starts") + 1);
    file.overwrite_texts("/run/host", {host()});
    file.overwrite_texts("/run/command_line", {content.command_line});
  }
  return ResultFile(std::move(state));
}

ResultFile::ResultFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResultFile::ResultFile(ResultFile&&) noexcept = default;

ResultFile::~ResultFile() {
  // A rank that unwinds alone would wait for ever for the others to close the file with it.
  if (state_ && state_->open && std::uncaught_exceptions() > 0 && parallel::size() > 1)
    (void)state_.release();
}

DataSet& ResultFile::set(int index) {
  return state_->sets.at(static_cast<std::size_t>(index));
}
const DataSet& ResultFile::operator[](int index) const {
  return state_->sets.at(static_cast<std::size_t>(index));
}
const std::filesystem::path& ResultFile::path() const noexcept {
  return state_->file.path();
}

int ResultFile::data_set(std::string_view path) const {
  const auto& specs = state_->specs;
  const auto found = std::ranges::find(specs, path, &DataSetSpec::path);
  if (found != specs.end()) return static_cast<int>(found - specs.begin());
  std::vector<std::string> declared;
  for (const DataSetSpec& spec : specs) declared.push_back(spec.path);
  unknown_name("data set", path, declared, "of " + state_->file.path().string());
}

void ResultFile::sync() {
  state_->descriptor.sync();
}

void ResultFile::close(const RunRecord& record) {
  parallel::agree([&] {
    if (parallel::rank() != 0) return;
    File& file = state_->file;
    write_scalar(file, "/run/wall_seconds",
                 read_scalar<double>(file, "/run/wall_seconds") + record.wall_seconds);
    if (!record.part_seconds.empty()) {
      std::vector<double> seconds = file.read<double>("/run/part_seconds");
      for (std::size_t i = 0; i < std::min(seconds.size(), record.part_seconds.size()); ++i)
        seconds[i] += record.part_seconds[i];
      file.data_set("/run/part_seconds")
          .write_rows(0, static_cast<std::int64_t>(seconds.size()), seconds.data());
    }
    file.overwrite_texts("/run/ended", {date()});
  });
  state_->open = false;
  state_->sets.clear();
  parallel::agree([this] { state_->file.close(); });
  parallel::agree([this] { state_->descriptor.sync(); });
}

std::filesystem::path checkpoint_path(const std::filesystem::path& result) {
  return result.string() + ".checkpoint";
}

}  // namespace cotangent::io
