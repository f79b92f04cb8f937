// SPDX-License-Identifier: BSD-3-Clause
// Damage to a checkpoint is found, be it one bit anywhere or any end that is missing, and the one before it
// is taken.
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "damped_oscillators.hpp"
#include "io/scratch_folder.hpp"
#include "io/seal.hpp"
#include "mpi_test.hpp"
#include "run/checkpoint.hpp"

using namespace cotangent;

namespace {

const run::CheckpointOwner owner{"moments", "[model]\nc = 0.02\n"};

/// A state that says at its head when it was made.
class Moments : public test::DampedOscillators {
 public:
  double moment = 0;

  bool right = true;

  explicit Moments(double now = 0) : moment(now) {}
  void state(run::StateFields& state) override {
    const run::Share share = run::Share::even(301);
    std::vector<double> values(static_cast<std::size_t>(share.count), moment);
    state.number("moment", moment);
    state.rows("value", share, 1, values);
    for (const double value : values) right = right && value == moment;
  }
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::filesystem::path& path, const std::string& bytes) {
  parallel::on_rank_zero([&] {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  });
}

/// Two generations as a run writes them, and what becomes of damaged ones.
struct Generations {
  test::ScratchFolder folder;
  std::filesystem::path path = io::checkpoint_path(folder / "a.h5"), older = io::older_checkpoint(path);
  std::string newest_bytes, older_bytes;

  Generations() {
    for (const double moment : {1, 2, 3}) {
      Moments moments(moment);
      run::write_checkpoint(path, owner, {}, moments);
    }
    newest_bytes = bytes_of(path);
    older_bytes = bytes_of(older);
    parallel::barrier();
  }
  /// The moment from which a run goes on that finds these two.
  double from(const std::string& newest, const std::string& before) const {
    put(path, newest);
    put(older, before);
    Moments moments;
    const bool found = run::read_checkpoint(path, owner, moments);
    return found && moments.right ? moments.moment : -1;
  }
};

/// Every so many-th bit is another, and every so many-th length is all that is left.
void damage_in(int trials) {
  const Generations kept;
  std::mt19937_64 chance(1);
  const std::size_t length = kept.newest_bytes.size();
  int found = 0;
  for (int k = 0; k < trials; ++k) {
    std::string bytes = kept.newest_bytes;
    if (k % 2 == 0) {
      // Those of the end, where the seal is, as often as all others.
      const std::size_t place = k % 4 == 0 ? chance() % length : length - 1 - chance() % io::seal_length;
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << chance() % 8));
    } else {
      bytes.resize(k % 4 == 1 ? chance() % length : length - 1 - chance() % 64);
    }
    found += kept.from(bytes, kept.older_bytes) == 2 ? 1 : 0;
  }
  CHECK_ALL(found == trials);
  // The control: what nobody has damaged is taken.
  CHECK_ALL(kept.from(kept.newest_bytes, kept.older_bytes) == 3);
}

}  // namespace

TEST_CASE("the checksum is the CRC-64 of XZ, and any bit counts") {
  const auto of = [](const std::string& text) { return io::crc64(std::as_bytes(std::span(text))); };
  CHECK_ALL(of("123456789") == 0x995dc9bbdf1939fa);
  CHECK_ALL(of("") == 0);
  const std::string text = "neither shorter nor longer than forty-one";
  bool all = true;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    all = all && of(other) != of(text);
  }
  CHECK_ALL(all);
}

TEST_CASE("a file of several blocks is sealed on any number of ranks, and its damage found in each") {
  const test::ScratchFolder folder;
  const auto path = folder / "large";
  std::string bytes(std::size_t{(3 << 20) + 12345}, '\0');
  std::mt19937_64 chance(2);
  for (char& byte : bytes) byte = static_cast<char>(chance());
  put(path, bytes);
  CHECK_ALL(!io::damage(path).empty());
  io::seal(path);
  CHECK_ALL(io::damage(path).empty());
  const std::string sealed = bytes_of(path);
  parallel::barrier();
  CHECK_ALL(sealed.size() == bytes.size() + io::seal_length);
  // The checksum as it is defined, by one rank.
  std::vector<std::uint64_t> sums;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 1 << 20)
    sums.push_back(io::crc64(std::as_bytes(std::span(bytes))
                                 .subspan(begin, std::min<std::size_t>(1 << 20, bytes.size() - begin))));
  std::uint64_t stored = 0;
  std::memcpy(&stored, sealed.data() + sealed.size() - 8, 8);
  CHECK_ALL(stored == io::crc64(std::as_bytes(std::span(sums))));
  for (const std::size_t place :
       std::initializer_list<std::size_t>{0, (1 << 20) - 1, 1 << 20, (2 << 20) + 77, (3 << 20) + 12344}) {
    std::string other = sealed;
    other[place] = static_cast<char>(other[place] ^ 16);
    put(path, other);
    CHECK_ALL(io::damage(path).find("checksum is another") != std::string::npos);
  }
  put(path, sealed + "more");
  CHECK_ALL(!io::damage(path).empty());
  put(path, sealed);
  CHECK_ALL(io::damage(path).empty());
}

TEST_CASE("a checkpoint with a bit flipped or an end missing is found, and the older one taken") {
  damage_in(40);
}

TEST_CASE("the same a thousand times", "[.][thousand]") {
  damage_in(1000);
}

TEST_CASE("of two damaged checkpoints neither is taken, and both are left as they are") {
  const Generations kept;
  std::string newest = kept.newest_bytes;
  newest[newest.size() / 2] = static_cast<char>(newest[newest.size() / 2] ^ 1);
  const std::string before = kept.older_bytes.substr(0, kept.older_bytes.size() / 2);
  std::string text;
  ExitCode code = exit_success;
  try {
    kept.from(newest, before);
  } catch (const Error& error) {
    text = error.what();
    code = error.code();
  }
  INFO(text);
  CHECK_ALL(code == exit_bad_input);
  CHECK_ALL(text.find(kept.path.string() + ": isn't what was written") != std::string::npos);
  CHECK_ALL(text.find(kept.older.string() + ": has no checksum") != std::string::npos);
  CHECK_ALL((bytes_of(kept.path) == newest && bytes_of(kept.older) == before));
}

TEST_CASE("a run that went on from the older checkpoint keeps that one beside its next") {
  const Generations kept;
  CHECK_ALL(kept.from(kept.newest_bytes.substr(1), kept.older_bytes) == 2);
  Moments next(4);
  run::write_checkpoint(kept.path, owner, {}, next);
  const std::string fourth = bytes_of(kept.path);
  CHECK_ALL(bytes_of(kept.older) == kept.older_bytes);
  CHECK_ALL(kept.from(fourth, kept.older_bytes) == 4);
  // Killed between the two names that a new one needs: one of them is there.
  parallel::on_rank_zero([&] { std::filesystem::remove(kept.path); });
  Moments rest;
  CHECK_ALL((run::read_checkpoint(kept.path, owner, rest) && rest.moment == 2));
  run::remove_checkpoint(kept.path);
  CHECK_ALL((!std::filesystem::exists(kept.path) && !std::filesystem::exists(kept.older)));
  CHECK_ALL(!run::read_checkpoint(kept.path, owner, rest));
}
