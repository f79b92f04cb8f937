#include <algorithm>
#include <fstream>
#include <random>

#include "core/error.hpp"
#include "file_size_limit.hpp"
#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "mpi_test.hpp"
#include "scratch_folder.hpp"

using namespace cotangent;
using namespace cotangent::io;
using parallel::rank;
using parallel::size;

namespace {

constexpr std::uint64_t fingerprint = 77;
constexpr int lanes = 3;
constexpr std::int64_t longest = 5000;  // bytes: slots of two pages

// What the state of trajectory `id` is at its `moment`-th checkpoint; lengths vary.
std::vector<std::byte> payload(std::int64_t id, std::int64_t moment) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(longest - 100 * (id % 7)));
  std::minstd_rand random(static_cast<unsigned>(1000 * id + moment + 1));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 8);
  return bytes;
}

std::int64_t id_of(int rank, int lane) {
  return 100 + 10 * rank + lane;
}

// Whether the states are these of all ranks and lanes, each at its moment.
bool are_at(const std::vector<CheckpointState>& states, int ranks, auto moment_of) {
  bool right = std::ssize(states) == ranks * lanes;
  for (std::int64_t i = 0; right && i < std::ssize(states); ++i) {
    const std::int64_t id = id_of(static_cast<int>(i / lanes), static_cast<int>(i % lanes));
    const CheckpointState& state = states[static_cast<std::size_t>(i)];
    right = state.id == id && state.payload == payload(id, moment_of(id));
  }
  return right;
}

void write_moment(CheckpointFile& checkpoint, std::int64_t moment) {
  for (int lane = 0; lane < lanes; ++lane)
    checkpoint.write(lane, id_of(rank(), lane), payload(id_of(rank(), lane), moment));
  checkpoint.sync();
}

// Changes one byte of the latest record that holds this payload.
void damage(const std::filesystem::path& path, const std::vector<std::byte>& victim) {
  parallel::on_rank_zero([&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    const std::size_t place = all.find(reinterpret_cast<const char*>(victim.data()), 0, victim.size());
    if (place == std::string::npos) throw Error("the test's victim isn't in the file");
    file.clear();
    file.seekp(static_cast<std::streamoff>(place + victim.size() / 2));
    file.put(static_cast<char>(all[place + victim.size() / 2] ^ 1));
  });
}

}  // namespace

TEST_CASE("the newest state of each trajectory comes back, on every rank") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  CHECK_ALL(CheckpointFile::read_all(path, fingerprint).empty());
  CheckpointFile checkpoint(path, lanes, longest, fingerprint);
  CHECK_ALL(CheckpointFile::read_all(path, fingerprint).empty());
  for (std::int64_t moment = 1; moment <= 4; ++moment) {
    write_moment(checkpoint, moment);
    parallel::barrier();
    CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [&](auto) { return moment; }));
    parallel::barrier();
  }
  CHECK_ALL(static_cast<std::int64_t>(std::filesystem::file_size(path)) ==
            CheckpointFile::file_bytes(lanes * size(), longest));
  CheckpointFile::remove(path);
  CHECK_ALL(!std::filesystem::exists(path));
  CheckpointFile::remove(path);
}

TEST_CASE("a slot goes on to the next trajectory, and an empty state is one too") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  CheckpointFile checkpoint(path, 1, longest, fingerprint);
  const std::int64_t first = 10 * rank(), second = first + 1, third = first + 2;
  checkpoint.write(0, first, payload(first, 1));
  checkpoint.write(0, second, {});
  parallel::barrier();
  auto states = CheckpointFile::read_all(path, fingerprint);
  REQUIRE_ALL(std::ssize(states) == 2 * size());
  CHECK_ALL(states[1].id == 1);
  CHECK_ALL(states[1].payload.empty());
  parallel::barrier();
  checkpoint.write(0, third, payload(third, 1));  // over the first
  parallel::barrier();
  states = CheckpointFile::read_all(path, fingerprint);
  REQUIRE_ALL(std::ssize(states) == 2 * size());
  CHECK_ALL((states[0].id == 1 && states[1].id == 2 && states[1].payload == payload(2, 1)));
}

TEST_CASE("a torn slot is known, and the state before it is used") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  CheckpointFile checkpoint(path, lanes, longest, fingerprint);
  for (std::int64_t moment = 1; moment <= 3; ++moment) write_moment(checkpoint, moment);
  const std::int64_t victim = id_of(size() - 1, 1);
  parallel::barrier();
  damage(path, payload(victim, 3));
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(),
                   [&](std::int64_t id) { return id == victim ? 2 : 3; }));
  parallel::barrier();
  write_moment(checkpoint, 4);  // over moment 2; then over the torn one
  write_moment(checkpoint, 5);
  parallel::barrier();
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [](auto) { return 5; }));
  // A file cut short, as by a crash of the file system, keeps what it has.
  parallel::on_rank_zero([&] { std::filesystem::resize_file(path, 4096 + 8192 + 100); });
  const auto states = CheckpointFile::read_all(path, fingerprint);
  CHECK_ALL(
      (states.size() == 1 && states[0].id == id_of(0, 0) && states[0].payload == payload(states[0].id, 5)));
}

TEST_CASE("a restart carries the old states into a file of another shape") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  {
    CheckpointFile checkpoint(path, lanes, longest, fingerprint);
    for (std::int64_t moment = 1; moment <= 7; ++moment) write_moment(checkpoint, moment);
  }
  parallel::barrier();
  // Fewer slots than states, as on fewer ranks: nothing is lost though nothing was written yet.
  const auto old = CheckpointFile::read_all(path, fingerprint);
  CheckpointFile checkpoint(path, 1, longest + 1, fingerprint, old);
  CHECK_ALL(!std::filesystem::exists(path.string() + ".new"));
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [](auto) { return 7; }));
  parallel::barrier();
  // A first write in the new file is later than what was carried, whichever slot and rank it is in.
  const std::int64_t mine = id_of(size() - 1 - rank(), 0);
  checkpoint.write(0, mine, payload(mine, 8));
  parallel::barrier();
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(),
                   [](std::int64_t id) { return id % 10 == 0 ? 8 : 7; }));
  // Once more, into more slots.
  const auto newer = CheckpointFile::read_all(path, fingerprint);
  const CheckpointFile larger(path, 5, longest, fingerprint, newer);
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(),
                   [](std::int64_t id) { return id % 10 == 0 ? 8 : 7; }));
}

TEST_CASE("a failure of the file system leaves the states whole") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  CheckpointFile checkpoint(path, lanes, longest, fingerprint);
  write_moment(checkpoint, 1);
  write_moment(checkpoint, 2);
  parallel::barrier();
  {
    // The second page of each slot's first buffer, or all of it, is out of bounds: a write that stops
    // half-way.
    const test::FileSizeLimit limit(static_cast<rlim_t>(4096 + 16384 * lanes * rank() + 4096));
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t id = id_of(rank(), lane);
      const std::string text =
          test::text_thrown<FileError>([&] { checkpoint.write(lane, id, payload(id, 3)); });
      CHECK_ALL(text == path.string() + ": cannot write to the file: File too large");
    }
  }
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [](auto) { return 2; }));
  parallel::barrier();
  // A new file that can't be made leaves the old one, and says so on every rank.
  {
    const test::FileSizeLimit limit(5000);
    const auto make = [&] { CheckpointFile(path, 9, longest, fingerprint); };
    CHECK_ALL(test::text_thrown<FileError>(make).find("File too large") != std::string::npos);
  }
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [](auto) { return 2; }));
  parallel::barrier();
  write_moment(checkpoint, 3);
  parallel::barrier();
  CHECK_ALL(are_at(CheckpointFile::read_all(path, fingerprint), size(), [](auto) { return 3; }));
  const auto nowhere = [&] { CheckpointFile(folder / "no" / "x.checkpoint", 1, 8, fingerprint); };
  CHECK_ALL(test::text_thrown<FileError>(nowhere).find("No such file or directory") != std::string::npos);
}

TEST_CASE("a checkpoint of another run, of anything else, or a state too long is refused") {
  const test::ScratchFolder folder;
  const auto path = folder / "x.checkpoint";
  CheckpointFile checkpoint(path, 1, 16, fingerprint);
  const auto refusal = [&](std::uint64_t print) {
    return test::text_thrown<Error>([&] { CheckpointFile::read_all(path, print); });
  };
  CHECK_ALL(refusal(fingerprint).empty());
  CHECK_ALL(refusal(fingerprint + 1).find("checkpoint of another run") != std::string::npos);
  CHECK_ALL(!test::text_thrown<Error>([&] { checkpoint.write(0, 5, payload(5, 1)); }).empty());
  const std::vector<CheckpointState> long_state = {{5, 1, payload(5, 1)}};
  CHECK_ALL(!test::text_thrown<Error>([&] { CheckpointFile(path, 1, 16, fingerprint, long_state); }).empty());
  parallel::on_rank_zero([&] { std::ofstream(path) << "something else"; });
  CHECK_ALL(refusal(fingerprint).find("not a checkpoint") != std::string::npos);
  CHECK_ALL(fnv1a("a") == 0xaf63dc4c8601ec8cu);  // Fowler, Noll, Vo: the published value
}

TEST_CASE("a new result takes the place of an old checkpoint too") {
  const test::ScratchFolder folder;
  ResultContent content;
  content.data_sets = {{"/x", DataType::float64, {2}, "1", "x"}};
  ResultFile::create(folder / "r.h5", content);
  {
    const CheckpointFile checkpoint(checkpoint_path(folder / "r.h5"), 1, 8, fingerprint);
    parallel::barrier();
    CHECK_ALL(std::filesystem::exists(folder / "r.h5.checkpoint"));
    ResultFile::resume(folder / "r.h5", content);
    CHECK_ALL(std::filesystem::exists(folder / "r.h5.checkpoint"));
    parallel::barrier();
  }
  ResultFile::create(folder / "r.h5", content);
  CHECK_ALL(!std::filesystem::exists(folder / "r.h5.checkpoint"));
}
