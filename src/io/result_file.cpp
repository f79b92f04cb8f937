#include "io/result_file.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>
#include <stdexcept>
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

File open_checked(const std::filesystem::path& path) {
  File file = File::open(path);
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

std::string shape(DataType type, std::span<const std::int64_t> dims) {
  std::string text = type == DataType::float64 ? "float64 ["
                     : type == DataType::int32 ? "int32 ["
                                               : "int64 [";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return text + "]";
}

void check_content(const std::filesystem::path& path, const ResultContent& content) {
  const File file = open_checked(path);
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
}

// Fills a data set of /run in place, as the rows are: by its place in the file.
void overwrite(Descriptor& target, const File& file, const std::string& path,
               std::span<const std::byte> bytes) {
  const Extent extent = file.extent(path);
  std::vector<std::byte> padded(static_cast<std::size_t>(extent.length));
  std::copy_n(bytes.begin(), std::min(bytes.size(), padded.size()), padded.begin());
  target.write(extent.offset, padded);
}

void overwrite(Descriptor& target, const File& file, const std::string& path, const std::string& text) {
  overwrite(target, file, path, std::as_bytes(std::span(text)));
}

template <Storable Number>
void overwrite(Descriptor& target, const File& file, const std::string& path,
               const std::vector<Number>& values) {
  overwrite(target, file, path, std::as_bytes(std::span(values)));
}

}  // namespace

StoredResult stored_result(const std::filesystem::path& path) {
  StoredResult stored;
  parallel::on_rank_zero([&] {
    const File file = open_checked(path);
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
      const bool replaces = std::filesystem::exists(path);
      remove_file(checkpoint_path(path));  // it belongs to the result that is replaced now
      // With no result there before, nothing is lost with power until the first sync().
      replaces ? replace_file(file, unfinished, path) : rename_file(unfinished, path);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw;
    }
  });
  return ResultFile(path, content);
}

ResultFile ResultFile::resume(const std::filesystem::path& path, const ResultContent& content) {
  parallel::on_rank_zero([&] { check_content(path, content); });
  return ResultFile(path, content);
}

ResultFile::ResultFile(const std::filesystem::path& path, const ResultContent& content) : path_(path) {
  parallel::agree([&] {
    file_ = Descriptor(path, Descriptor::Mode::write);
    const File file = File::open(path);
    for (const DataSetSpec& spec : content.data_sets) sets_.push_back({spec, file.extent(spec.path)});
  });
  parallel::on_rank_zero([&] {
    const File file = File::open(path);
    overwrite(file_, file, "/run/ranks", std::vector<std::int64_t>{parallel::size()});
    overwrite(file_, file, "/run/starts",
              std::vector<std::int64_t>{file.read<std::int64_t>("/run/starts").front() + 1});
    overwrite(file_, file, "/run/host", host());
    overwrite(file_, file, "/run/command_line", content.command_line);
  });
}

int ResultFile::data_set(std::string_view path) const {
  std::vector<std::string> declared;
  for (const Set& set : sets_) declared.push_back(set.spec.path);
  const auto found = std::ranges::find(declared, path);
  if (found == declared.end()) unknown_name("data set", path, declared, "of " + path_.string());
  return static_cast<int>(found - declared.begin());
}

std::array<std::vector<std::int64_t>, 2> ResultFile::rows(int index, std::int64_t first,
                                                          std::int64_t count) const {
  std::vector<std::int64_t> extent = spec(index).dims, offset(extent.size(), 0);
  if (!extent.empty()) {
    offset[0] = first;
    extent[0] = count;
  }
  return {std::move(offset), std::move(extent)};
}

void ResultFile::write_rows_as(DataType type, int index, std::int64_t first, std::int64_t count,
                               const void* values) {
  const auto [offset, extent] = rows(index, first, count);
  write_as(type, index, offset, extent, values);
}

template <class Use>
void ResultFile::for_runs(DataType type, int index, std::span<const std::int64_t> offset,
                          std::span<const std::int64_t> count, const Use& use) const {
  static_assert(std::endian::native == std::endian::little, "the file holds little-endian numbers");
  const auto& [spec, extent] = sets_.at(static_cast<std::size_t>(index));
  bool inside = type == spec.type && offset.size() == spec.dims.size() && count.size() == spec.dims.size();
  for (std::size_t i = 0; inside && i < spec.dims.size(); ++i)
    inside = offset[i] >= 0 && count[i] >= 0 && offset[i] + count[i] <= spec.dims[i];
  if (!inside)
    throw std::out_of_range(path_.string() + ": " + spec.path + " is " + shape(spec.type, spec.dims) +
                            "; cannot write " + shape(type, count) + " at " + shape(type, offset));

  // The last dimensions that are written whole, and the one before them, are a single run of bytes.
  std::size_t outer = spec.dims.size();
  std::int64_t run = type == DataType::int32 ? 4 : 8;
  while (outer > 0) {
    run *= count[--outer];
    if (count[outer] != spec.dims[outer]) break;
  }
  std::int64_t runs = 1;
  for (std::size_t i = 0; i < outer; ++i) runs *= count[i];
  for (std::int64_t k = 0; k < runs && run > 0; ++k) {
    std::int64_t place = 0, stride = type == DataType::int32 ? 4 : 8, rest = k;
    for (std::size_t i = spec.dims.size(); i-- > 0; stride *= spec.dims[i]) {
      place += offset[i] * stride;
      if (i >= outer) continue;
      place += rest % count[i] * stride;
      rest /= count[i];
    }
    use(extent.offset + place, run);
  }
}

void ResultFile::write_as(DataType type, int index, std::span<const std::int64_t> offset,
                          std::span<const std::int64_t> count, const void* values) {
  const auto* bytes = static_cast<const std::byte*>(values);
  for_runs(type, index, offset, count, [&](std::int64_t place, std::int64_t length) {
    file_.write(place, std::span(bytes, static_cast<std::size_t>(length)));
    bytes += length;
  });
}

void ResultFile::keep(DataType type, int index, std::span<const std::int64_t> offset,
                      std::span<const std::int64_t> count, const void* values, Waiting::Turn turn) {
  constexpr std::size_t most = 1 << 20;
  const auto* bytes = static_cast<const std::byte*>(values);
  for_runs(type, index, offset, count, [&](std::int64_t place, std::int64_t length) {
    const std::span run(bytes, static_cast<std::size_t>(length));
    bytes += length;
    if (run.size() > most) {
      flush();
      return file_.write(place, run);
    }
    waiting_.push_back({turn, place, waiting_bytes_.size(), run.size()});
    waiting_bytes_.insert(waiting_bytes_.end(), run.begin(), run.end());
    if (waiting_bytes_.size() > most) flush();
  });
}

void ResultFile::flush() {
  std::ranges::stable_sort(waiting_, {}, [](const Waiting& w) { return std::pair(w.turn, w.place); });
  std::vector<std::span<const std::byte>> pieces;
  for (std::size_t first = 0, next = 0; first < waiting_.size(); first = next) {
    std::int64_t end = waiting_[first].place;
    pieces.clear();
    for (; next < waiting_.size() && waiting_[next].place == end; ++next) {
      pieces.push_back(std::span(waiting_bytes_).subspan(waiting_[next].begin, waiting_[next].size));
      end += std::ssize(pieces.back());
    }
    file_.write(waiting_[first].place, pieces);
  }
  waiting_.clear();
  waiting_bytes_.clear();
}

void ResultFile::sync() {
  flush();
  file_.sync();
  if (!std::exchange(name_synced_, true)) sync_name(path_);
}

void ResultFile::close(const RunRecord& record) {
  parallel::agree([this] { sync(); });
  parallel::on_rank_zero([&] {
    const File file = File::open(path_);
    const double seconds = file.read<double>("/run/wall_seconds").front() + record.wall_seconds;
    overwrite(file_, file, "/run/wall_seconds", std::vector<double>{seconds});
    if (!record.part_seconds.empty()) {
      std::vector<double> parts = file.read<double>("/run/part_seconds");
      for (std::size_t i = 0; i < std::min(parts.size(), record.part_seconds.size()); ++i)
        parts[i] += record.part_seconds[i];
      overwrite(file_, file, "/run/part_seconds", parts);
    }
    overwrite(file_, file, "/run/ended", date());
    sync();
  });
  parallel::agree([this] { file_ = Descriptor(); });
}

std::filesystem::path checkpoint_path(const std::filesystem::path& result) {
  return result.string() + ".checkpoint";
}

}  // namespace cotangent::io
