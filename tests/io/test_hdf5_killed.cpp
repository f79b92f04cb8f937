// SPDX-License-Identifier: BSD-3-Clause
// A run killed by SIGKILL, and the run that goes on from what it left behind. Each pair is two programs:
// ctest starts the victim, which has to die, and then the survivor on another number of ranks (mpi.cmake).
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <random>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

#include "io/result_file.hpp"
#include "mpi_test.hpp"
#include "parallel/task_sharing.hpp"

using namespace cotangent;
using namespace cotangent::io;

namespace {

constexpr std::int64_t rows = 300, width = 20000;

std::filesystem::path path() {
  const char* name = std::getenv("COTANGENT_TEST_FILE");
  return name == nullptr ? "killed.h5" : name;
}

ResultContent content() {
  ResultContent content;
  content.study = "poincare";
  content.deck = "killed";
  content.data_sets = {{"/rows", DataType::float64, {rows, width}, "1", "numbers"},
                       {"/status", DataType::int32, {rows}, "1", "1 where the row is complete"}};
  return content;
}

std::vector<double> row(std::int64_t id) {
  std::vector<double> values(width);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1.0 / static_cast<double>(id * width + 1 + static_cast<std::int64_t>(i));
  return values;
}

// Piece by piece, as an engine does, and some of them together; the status vouches for all of it.
void write_row(ResultFile& result, std::int64_t id) {
  const std::vector<double> values = row(id);
  constexpr std::int64_t pieces = 4, piece = width / pieces;
  for (std::int64_t k = 0; k < pieces; ++k) {
    const std::vector<std::int64_t> offset = {id, k * piece}, count = {1, piece};
    result.rows().write(0, offset, count, values.data() + k * piece);
    if ((id + k) % 3 == 0) result.rows().flush();
  }
  const std::int32_t complete = 1;
  result.rows().write_rows(1, id, 1, &complete, Turn::last);
  if (id % 5 == 0) result.rows().flush();
}

void die_soon() {
  std::random_device seed;
  const auto delay = std::chrono::microseconds(std::uniform_int_distribution(1000, 60000)(seed));
  std::thread([delay] {
    std::this_thread::sleep_for(delay);
    ::kill(::getpid(), SIGKILL);
  }).detach();
}

}  // namespace

TEST_CASE("killed while it writes", "[.][victim-writing]") {
  ResultFile result = ResultFile::create(path(), content());
  parallel::TaskSharing sharing(std::numeric_limits<std::int64_t>::max());
  for (bool doomed = false;;) {
    const std::int64_t id = sharing.take().value() % rows;
    write_row(result, id);
    if (id % 5 != 0 || doomed || parallel::rank() != parallel::size() - 1) continue;
    die_soon();  // this row has left the program
    doomed = true;
  }
}

TEST_CASE("goes on from what was written", "[.][survivor-writing]") {
  CHECK_ALL((stored_result(path()).deck == "killed" && !stored_result(path()).ended));
  ResultFile result = ResultFile::resume(path(), content());
  const auto status = result.read<std::int32_t>(1);
  const auto values = result.read<double>(0);
  bool right = true;
  for (std::int64_t id = 0; id < rows; ++id) {
    const auto written = std::span(values).subspan(static_cast<std::size_t>(id * width), width);
    if (status[static_cast<std::size_t>(id)] == 1) right = right && std::ranges::equal(written, row(id));
  }
  CHECK_ALL(right);
  CHECK_ALL(std::ranges::count(status, 1) > 0);
  parallel::barrier();  // nobody goes on before all have looked
  parallel::TaskSharing sharing(rows);
  while (const auto id = sharing.take())
    if (status[static_cast<std::size_t>(*id)] == 0) write_row(result, *id);
  result.close({});
  const File file = File::open(path());
  CHECK_ALL(std::ranges::count(file.read<std::int32_t>("/status"), 1) == rows);
  bool complete = true;
  for (std::int64_t id = 0; id < rows; ++id)
    complete = complete && file.read_rows<double>("/rows", id, 1) == row(id);
  CHECK_ALL(complete);
  parallel::on_rank_zero([] { std::filesystem::remove(path()); });
}

TEST_CASE("killed while it makes new files", "[.][victim-creating]") {
  ResultFile::create(path(), content());
  if (parallel::rank() == 0) die_soon();
  for (;;) ResultFile::create(path(), content());
}

TEST_CASE("finds a whole file, and can make another", "[.][survivor-creating]") {
  CHECK_ALL(stored_result(path()).deck == "killed");
  ResultFile::resume(path(), content()).close({});
  ResultFile::create(path(), content()).close({});
  CHECK_ALL(!std::filesystem::exists(path().string() + ".new"));
  parallel::on_rank_zero([] { std::filesystem::remove(path()); });
}
