// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mpi.h>
#include <numeric>
#include <semaphore.h>

#include "core/error.hpp"
#include "file_size_limit.hpp"
#include "io/mpi_io.hpp"
#include "io/result_file.hpp"
#include "mpi_test.hpp"
#include "parallel/task_sharing.hpp"
#include "scratch_folder.hpp"

using namespace cotangent;
using namespace cotangent::io;
using parallel::rank;
using parallel::size;

namespace {

constexpr std::int64_t orbits = 37, crossings = 11, width = 4;

ResultContent content() {
  ResultContent content;
  content.study = "poincare";
  content.deck = "study = \"poincare\"  # Hénon-Heiles\n" + std::string(100000, '#') + "\n";
  content.data_sets = {
      {"/orbits/status", DataType::int32, {orbits}, "1", "how the trajectory ended"},
      {"/orbits/crossing_count", DataType::int64, {orbits}, "1", "crossings found"},
      {"/section/points", DataType::float64, {orbits, crossings, width}, "model", "q, then v"}};
  content.parts = {"advance", "write"};
  content.command_line = "cotangent deck.toml";
  return content;
}

double point(std::int64_t orbit, std::int64_t i) {
  return 1.0 / static_cast<double>(1 + orbit * 1000 + i);
}

std::vector<double> points(std::int64_t orbit) {
  std::vector<double> values(crossings * width);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = point(orbit, static_cast<std::int64_t>(i));
  return values;
}

void write_orbit(ResultFile& result, std::int64_t orbit) {
  const std::int64_t count = orbit + (std::int64_t{1} << 40);
  const std::int32_t status = 1;
  result.rows().write_rows(2, orbit, 1, points(orbit).data());
  result.rows().write_rows(1, orbit, 1, &count);
  result.rows().write_rows(0, orbit, 1, &status, Turn::last);
  if (orbit % 3 == 0) result.rows().flush();
}

// What every run must leave behind, however many ranks there were.
bool is_complete(const std::filesystem::path& path) {
  const File file = File::open(path);
  const auto status = file.read<std::int32_t>("/orbits/status");
  const auto count = file.read<std::int64_t>("/orbits/crossing_count");
  const auto values = file.read<double>("/section/points");
  bool right = std::ranges::count(status, 1) == orbits &&
               file.dims("/section/points") == std::vector<std::int64_t>{orbits, crossings, width};
  for (std::int64_t orbit = 0; orbit < orbits; ++orbit) {
    right = right && count[static_cast<std::size_t>(orbit)] == orbit + (std::int64_t{1} << 40);
    right = right &&
            std::ranges::equal(points(orbit),
                               std::span(values).subspan(static_cast<std::size_t>(orbit * crossings * width),
                                                         crossings * width));
  }
  return right;
}

template <class Exception>
std::string failure(const std::function<void()>& function) {
  return test::text_thrown<Exception>(function);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a status isn't in the file before what it tells of is on disk") {
  const test::ScratchFolder folder;
  ResultFile result = ResultFile::create(folder / "result.h5", content());
  const auto statuses = [&] { return result.read<std::int32_t>(0); };
  if (rank() == 0)
    for (const std::int64_t orbit : {0, 3})
      write_orbit(result, orbit);  // each flushed; the disk is waited for once
  CHECK_ALL(rank() > 0 || (statuses()[0] == 1 && statuses()[3] == 0));
  CHECK_ALL(rank() > 0 || result.read_rows<double>(2, 3, 1) == points(3));
  result.rows().sync();
  CHECK_ALL(rank() > 0 || statuses()[3] == 1);
  result.close({});
}

TEST_CASE("rows written by id, by any rank and in any order, make the same data sets") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  {
    ResultFile result = ResultFile::create(path, content());
    parallel::TaskSharing sharing(orbits);
    while (const auto task = sharing.take())  // 23 and 37 have no common factor: each once, out of order
      write_orbit(result, (*task * 23 + 5) % orbits);
    result.rows().sync();
    result.close({1.5, {0.25, 0.5}});
  }
  CHECK_ALL(is_complete(path));
  const File file = File::open(path);
  CHECK_ALL(file.text_attribute("/", "format") == "cotangent");
  CHECK_ALL(file.integer_attribute("/", "format_version") == 1);
  CHECK_ALL(file.text_attribute("/section/points", "units") == "model");
  CHECK_ALL(file.text_attribute("/section/points", "meaning") == "q, then v");
  CHECK_ALL(file.text_attribute("/provenance", "petsc") == "not linked");
  CHECK_ALL(file.text_attribute("/provenance", "git_commit").size() >= 7);
  CHECK_ALL(contains(file.text_attribute("/provenance", "flags"), "-ffp-contract=off"));
  CHECK_ALL(file.text_attribute("/provenance", "hdf5") == hdf5_version());
  CHECK_ALL(file.read_text("/deck") == content().deck);
  CHECK_ALL(file.read<std::int64_t>("/run/ranks").front() == size());
  CHECK_ALL(file.read<std::int64_t>("/run/starts").front() == 1);
  CHECK_ALL(file.read<double>("/run/wall_seconds").front() == 1.5);
  CHECK_ALL(file.read<double>("/run/part_seconds") == std::vector<double>{0.25, 0.5});
  CHECK_ALL(file.read_texts("/run/part_names") == std::vector<std::string>{"advance", "write"});
  CHECK_ALL(file.read_text("/run/command_line") == "cotangent deck.toml");
  CHECK_ALL(file.read_text("/run/started").size() == 20);
  CHECK_ALL(file.read_text("/run/ended") >= file.read_text("/run/started"));
}

TEST_CASE("a hyperslab goes where it belongs, and only there") {
  const test::ScratchFolder folder;
  ResultFile result = ResultFile::create(folder / "result.h5", content());
  const std::vector<std::int64_t> offset = {rank(), 3, 1}, count = {1, 2, 3};
  std::vector<double> patch(6);
  std::iota(patch.begin(), patch.end(), 10.0 * rank() + 1.0);
  const int set = result.data_set("/section/points");
  result.rows().write(set, offset, count, patch.data());
  SECTION("by each rank alone") {
    result.rows().flush();
  }
  SECTION("together") {
    result.rows().flush_together();
  }
  parallel::barrier();
  const auto values = result.read<double>(set);
  std::vector<double> expected(orbits * crossings * width, 0.0);
  for (int r = 0; r < size(); ++r)
    for (int i = 0; i < 6; ++i)
      expected[static_cast<std::size_t>((r * crossings + 3 + i / 3) * width + 1 + i % 3)] =
          10.0 * r + 1.0 + i;
  CHECK_ALL(values == expected);
  CHECK_ALL(result.read_rows<double>(set, 0, 1)[3 * width + 1] == 1.0);
  result.close({});
}

TEST_CASE("rows wait, and go where they belong in whatever order they came") {
  const test::ScratchFolder folder;
  const bool collective = GENERATE(true, false);
  ResultContent many = content();
  many.options.collective = collective;
  constexpr std::int64_t rows = 3001, numbers = 5;
  many.data_sets.push_back({"/many", DataType::float64, {size() * rows, numbers}, "1", "five numbers a row"});
  ResultFile result = ResultFile::create(folder / "result.h5", many);
  const int set = result.data_set("/many");
  const auto value = [](std::int64_t row) {
    return std::vector<double>(numbers, 1.0 + static_cast<double>(row));
  };
  constexpr std::int64_t missing = 1234;
  const auto enter = [&](std::int64_t row, std::int64_t what) {
    result.rows().write(set, std::array{row, std::int64_t{0}}, std::array{std::int64_t{1}, numbers},
                        value(what).data());
  };
  for (std::int64_t k = 0; k < rows; ++k) {
    const std::int64_t row = rank() * rows + k * 1000 % rows;  // each once, out of order
    if (row % rows != missing) enter(row, row);
  }
  const auto read = [&] {
    parallel::barrier();
    const auto values = result.read<double>(set);
    parallel::barrier();
    return values;
  };
  CHECK_ALL(std::ranges::count(read(), 0.0) == std::ssize(read()));
  result.rows().flush_together();
  std::vector<double> expected;
  for (std::int64_t row = 0; row < size() * rows; ++row) {
    const auto numbers_of_row = row % rows == missing ? std::vector<double>(numbers, 0.0) : value(row);
    expected.insert(expected.end(), numbers_of_row.begin(), numbers_of_row.end());
  }
  CHECK_ALL(read() == expected);

  // sync() and close() leave nothing behind.
  const std::int64_t last = rank() * rows + missing;
  enter(last, last);
  CHECK_ALL(read()[static_cast<std::size_t>(last * numbers)] == 0.0);
  result.rows().sync();
  CHECK_ALL(read()[static_cast<std::size_t>(last * numbers)] == 1.0 + static_cast<double>(last));
  enter(last, -1);
  result.close({});
  CHECK_ALL(
      File::open(folder / "result.h5").read<double>("/many")[static_cast<std::size_t>(last * numbers)] ==
      0.0);
}

TEST_CASE("rows by id come from any rank in any order, frame by frame") {
  const test::ScratchFolder folder;
  ResultContent many = content();
  // The small one is written by one rank, the large one by several.
  const std::int64_t rows = GENERATE(19, 40001), frames = 3;
  many.data_sets = {{"/q", DataType::float64, {frames, rows, 3}, "1", "three numbers a row"},
                    {"/e", DataType::float64, {frames, rows}, "1", "one"},
                    {"/status", DataType::int32, {rows}, "1", "without frames"}};
  ResultFile result = ResultFile::create(folder / "result.h5", many);
  const auto number = [](std::int64_t frame, std::int64_t id, int column) {
    return static_cast<double>(frame) + 1.0 / static_cast<double>(3 * id + column + 1);
  };
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    std::vector<std::int64_t> mine;
    for (std::int64_t id = rows - 1; id >= 0; --id) {
      if ((id * 7 + frame) % size() == rank()) mine.push_back(id);
    }
    std::vector<double> q, e, status;
    for (const std::int64_t id : mine) {
      for (int column = 0; column < 3; ++column) q.push_back(number(frame, id, column));
      e.push_back(-number(frame, id, 0));
      status.push_back(static_cast<double>(id % 11));
    }
    const auto ids = std::make_shared<const std::vector<std::int64_t>>(mine);
    result.rows().write_by_id(0, frame, ids, q);
    result.rows().write_by_id(1, frame, ids, e);
    if (frame == 2) result.rows().write_by_id(2, -1, ids, status, Turn::last);
    if (frame == 1) result.rows().flush_together();
  }
  result.close({});
  const File file = File::open(folder / "result.h5");
  const auto q = file.read<double>("/q"), e = file.read<double>("/e");
  const auto status = file.read<std::int32_t>("/status");
  bool right = true;
  for (std::int64_t frame = 0, k = 0; frame < frames; ++frame) {
    for (std::int64_t id = 0; id < rows; ++id, ++k) {
      for (int column = 0; column < 3; ++column)
        right = right && q[static_cast<std::size_t>(3 * k + column)] == number(frame, id, column);
      right = right && e[static_cast<std::size_t>(k)] == -number(frame, id, 0) &&
              status[static_cast<std::size_t>(id)] == id % 11;
    }
  }
  CHECK_ALL(right);
}

TEST_CASE("a resumed result keeps its rows, and adds up its times") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  {
    ResultFile result = ResultFile::create(path, content());
    for (std::int64_t orbit = rank(); orbit < orbits / 2; orbit += size()) write_orbit(result, orbit);
    result.close({1.0, {1.0, 2.0}, exit_stopped});
  }
  CHECK_ALL(!is_complete(path));
  const StoredResult stored = stored_result(path);
  CHECK_ALL((stored.deck == content().deck && !stored.ended));
  {
    ResultFile result = ResultFile::resume(path, content());
    const auto status = result.read<std::int32_t>(result.data_set("/orbits/status"));
    CHECK_ALL(std::ranges::count(status, 1) == orbits / 2);
    parallel::barrier();
    for (std::int64_t orbit = rank(); orbit < orbits; orbit += size())
      if (status[static_cast<std::size_t>(orbit)] == 0) write_orbit(result, orbit);
    result.close({0.5, {0.5, 0.5}, exit_trajectories_failed});
  }
  CHECK_ALL(is_complete(path));
  CHECK_ALL(stored_result(path).ended == exit_trajectories_failed);
  const File file = File::open(path);
  CHECK_ALL(file.read<std::int64_t>("/run/starts").front() == 2);
  CHECK_ALL(file.read<double>("/run/wall_seconds").front() == 1.5);
  CHECK_ALL(file.read<double>("/run/part_seconds") == std::vector<double>{1.5, 2.5});
}

TEST_CASE("a running result can be read by others") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  ResultFile result = ResultFile::create(path, content());
  if (rank() == 0) write_orbit(result, 7);
  result.rows().flush();
  parallel::barrier();
  const auto status = File::open(path).read<std::int32_t>("/orbits/status");
  CHECK_ALL((status[7] == 1 && std::ranges::count(status, 0) == orbits - 1));
  parallel::barrier();
  result.close({});
}

TEST_CASE("a result that can't be made is refused on every rank, and an older one stays") {
  const test::ScratchFolder folder;
  const auto missing = folder / "no" / "such" / "result.h5";
  const std::string text = failure<FileError>([&] { ResultFile::create(missing, content()); });
  CHECK_ALL((contains(text, missing.string()) && contains(text, "No such file or directory")));
  if (rank() == 0) std::ofstream(folder / "file") << "not a folder";
  parallel::barrier();
  CHECK_ALL(
      contains(failure<FileError>([&] { ResultFile::create(folder / "file" / "result.h5", content()); }),
               "Not a directory"));

  const auto path = folder / "result.h5";
  ResultFile::create(path, content()).close({});
  ResultContent vast = content();
  vast.data_sets[2].dims = {orbits, std::int64_t{1} << 40, width};
  const std::string full = failure<FileError>([&] { ResultFile::create(path, vast); });
  CHECK_ALL((contains(full, "needs") && contains(full, "are available") && contains(full, path.string())));
  {
    const test::FileSizeLimit limit(20000);
    const std::string long_file = failure<FileError>([&] { ResultFile::create(path, content()); });
    CHECK_ALL((contains(long_file, "no file may be longer than") && contains(long_file, path.string())));
  }
  CHECK_ALL(!std::filesystem::exists(path.string() + ".new"));
  CHECK_ALL(stored_result(path).deck == content().deck);
}

TEST_CASE("a full disk is a FileError of the rank that wrote, and the file stays readable") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  ResultContent large = content();
  large.options.collective = GENERATE(true, false);
  const std::int64_t columns = 100000;
  large.data_sets.push_back({"/section/time", DataType::float64, {orbits, columns}, "model", "time"});
  ResultFile result = ResultFile::create(path, large);
  const std::vector<double> row(columns, 2.0);
  if (rank() == 0) write_orbit(result, 3);
  parallel::barrier();
  std::string text;
  const std::array<std::int64_t, 2> last{orbits - 1 - rank(), 0}, one{1, columns};
  const std::int32_t vouching = 7;
  const std::int64_t count_found = 5;
  {
    const test::FileSizeLimit limit(2000000);
    text = failure<FileError>([&] {
      result.rows().write_rows(0, 10 + rank(), 1, &vouching, Turn::last);
      result.rows().write_rows(1, 10 + rank(), 1, &count_found);
      result.rows().write(3, last, one, row.data());
      result.rows().flush();
    });
  }
  CHECK_ALL(text == path.string() + ": cannot write to /section/time: File too large");
  // What vouches for the row that found no room isn't there either; what may come before it is.
  CHECK_ALL(result.read_rows<std::int64_t>(1, 10 + rank(), 1).front() == count_found);
  CHECK_ALL(result.read_rows<std::int32_t>(0, 10 + rank(), 1).front() == 0);
  {
    const test::FileSizeLimit limit(2000000);
    text = failure<FileError>([&] { result.rows().flush_together(); });
  }
  CHECK_ALL(text == path.string() + ": cannot write to /section/time: File too large");
  CHECK_ALL(result.read_rows<std::int32_t>(0, 10 + rank(), 1).front() == 0);
  result.rows().write_rows(3, rank(), 1, row.data());  // there is room again
  result.close({});
  const File file = File::open(path);
  const auto statuses = file.read<std::int32_t>("/orbits/status");
  CHECK_ALL(statuses[3] == 1);
  CHECK_ALL(statuses[static_cast<std::size_t>(10 + rank())] == vouching);
  const auto times = file.read<double>("/section/time");
  CHECK_ALL(times[static_cast<std::size_t>(rank() * columns)] == 2.0);
  CHECK_ALL(times[static_cast<std::size_t>(last[0] * columns)] == 2.0);  // what waited still came
}

TEST_CASE("what a collective write loses is found, and told on every rank") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  ResultContent large = content();
  constexpr std::int64_t columns = 200000;
  large.data_sets = {{"/frames", DataType::float64, {2, size(), columns}, "1", "a row of each rank"}};
  const std::array<std::int64_t, 3> first{0, rank(), 0}, second{1, rank(), 0}, row{1, 1, columns};
  std::vector<double> values(columns);
  std::iota(values.begin(), values.end(), 1.0 + rank());
  ResultFile result = ResultFile::create(path, large);
  const auto arrived = [&](const std::array<std::int64_t, 3>& offset) {
    parallel::barrier();
    const auto bytes = File::open(path).data_set("/frames").read_bytes(offset, row);
    return std::ranges::equal(bytes, std::as_bytes(std::span(values)));
  };
  {
    const test::FileSizeLimit limit(1000000);
    // A control: the limit does harm, whether the call tells of it or not. (Open MPI 4.1: on 1 and 2 ranks.)
    bool told = false;
    File file = File::open_together(path);
    try {
      file.data_set("/frames").write_bytes(first, row, std::as_bytes(std::span(values)).data(), true);
    } catch (const FileError&) {
      told = true;
    }
    const bool lost = !arrived(first);
    CHECK(parallel::any(told || lost));
    parallel::agree([&] { file.close(); });
    result.rows().write(0, second, row, values.data());
    CHECK_ALL(contains(failure<FileError>([&] { result.rows().flush_together(); }),
                       path.string() + ": cannot write to /frames: File too large"));
    // A file that has to be longer than it may is refused before anything is written.
    CHECK_ALL(contains(failure<FileError>([&] { ResultFile::resume(path, large); }), "File too large"));
  }
  // The same rows, once there is room; and these rows alone, whatever the control has left.
  result.close({});
  CHECK_ALL(arrived(second));
}

TEST_CASE("only a result of this kind and version is resumed") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  const auto refusal = [&](const ResultContent& other) {
    return failure<Error>([&] { ResultFile::resume(path, other); });
  };
  CHECK_ALL(contains(failure<FileError>([&] { stored_result(path); }), "No such file or directory"));
  ResultFile::create(path, content()).close({});
  CHECK_ALL(refusal(content()).empty());
  ResultContent other = content();
  other.study = "billiard";
  CHECK_ALL(contains(refusal(other), "study = \"poincare\""));
  other = content();
  other.data_sets[2].dims[1] += 1;
  CHECK_ALL(contains(refusal(other),
                     "/section/points is float64 [37, 11, 4], this run would write float64 [37, 12, 4]"));
  other.data_sets[2].path = "/section/dots";
  CHECK_ALL(contains(refusal(other), "/section/dots"));

  const auto strange = [&](bool of_ours, std::int64_t version) {
    parallel::on_rank_zero([&] {
      File file = File::create(path);
      if (of_ours) file.write_attribute("/", "format", std::string("cotangent"));
      file.write_attribute("/", "format_version", version);
    });
  };
  strange(true, 2);
  CHECK_ALL(contains(refusal(content()), "another version: format_version = 2"));
  strange(false, 1);
  CHECK_ALL(contains(refusal(content()), "not a result"));
  parallel::on_rank_zero([&] { std::ofstream(path) << "no HDF5 at all"; });
  CHECK_ALL(contains(failure<FileError>([&] { stored_result(path); }), path.string()));
}

TEST_CASE("a data set that wasn't declared is refused with the nearest name, a wrong type with both") {
  const test::ScratchFolder folder;
  ResultFile result = ResultFile::create(folder / "result.h5", content());
  CHECK_ALL(contains(failure<Error>([&] { result.data_set("/orbits/statsu"); }), "/orbits/status"));
  const double wrong = 1.0;
  CHECK_ALL(contains(failure<std::out_of_range>([&] { result.rows().write_rows(0, 0, 1, &wrong); }),
                     "/orbits/status is int32 [37]; cannot write float64 [1]"));
  CHECK_ALL(
      !failure<std::out_of_range>([&] { result.rows().write_rows(2, orbits, 1, points(0).data()); }).empty());
  result.close({});
}

TEST_CASE("a compressed result has what tells of the run as it was, and is known as compressed") {
  const test::ScratchFolder folder;
  const auto path = folder / "result.h5";
  constexpr std::int64_t many = 20000;  // bare dimensions of so many names have no rows
  ResultContent large;
  large.study = "work-precision";
  large.options.compression = 4;
  large.data_sets = {{"/orbits/status", DataType::int32, {many}, "1", "how the trajectory ended"},
                     {"/run/seconds", DataType::float64, {many}, "s", "what each took"}};
  std::vector<double> seconds(many);
  std::iota(seconds.begin(), seconds.end(), 0.5);
  {
    ResultFile result = ResultFile::create(path, large);
    if (rank() == 0) result.rows().write_rows(result.data_set("/run/seconds"), 0, many, seconds.data());
    CHECK_ALL(!stored_result(path).compressed);
    result.close({1.0, {}, exit_success});
  }
  CHECK_ALL(File::open(path).read<double>("/run/seconds") == seconds);
  CHECK_ALL(File::open(path).in_chunks("/orbits/status"));
  CHECK_ALL(stored_result(path).compressed);
}

// What a run leaves that is killed while Open MPI opens its file: without its removal this test never ends.
TEST_CASE("a semaphore that a killed run left locked keeps nobody from opening the file") {
  const test::ScratchFolder folder;
  const auto path = folder / "left_locked.h5";
  ResultFile::create(path, content()).close({});
  parallel::on_rank_zero([] {
    sem_t* left = ::sem_open("/OMPIO_left_locked.h5", O_CREAT, 0600, 0u);
    CHECK(left != SEM_FAILED);
    ::sem_close(left);
  });
  File file = File::open_together(path);
  parallel::agree([&] { file.close(); });
  parallel::on_rank_zero([] {
    CHECK(::sem_open("/OMPIO_left_locked.h5", 0) == SEM_FAILED);  // gone with the file's end
  });
}

TEST_CASE("nor from laying it out as hints ask") {
  const test::ScratchFolder folder;
  parallel::on_rank_zero([&] {
    sem_t* left = ::sem_open("/OMPIO_laid_out.h5", O_CREAT, 0600, 0u);
    CHECK(left != SEM_FAILED);
    ::sem_close(left);
    lay_out(folder / "laid_out.h5", {{"cb_nodes", "1"}});
    CHECK(std::filesystem::exists(folder / "laid_out.h5"));
    ::sem_unlink("/OMPIO_laid_out.h5");
  });
}

// Open MPI says of a read that failed that it went well. HDF5 would take what isn't there for zeros.
TEST_CASE("a read that fails is told to HDF5") {
  MPI_File file = MPI_FILE_NULL;
  // The memory of this process: at its beginning there is none, and the kernel says "Input/output error".
  REQUIRE(MPI_File_open(MPI_COMM_SELF, "/proc/self/mem", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
          MPI_SUCCESS);
  std::array<char, 8> bytes = {};
  CHECK(MPI_File_read_at(file, 0, bytes.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_File_close(&file);
}
