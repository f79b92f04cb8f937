// SPDX-License-Identifier: BSD-3-Clause
// Who makes an object that many want at once: one, whatever happens to it.
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "catch.hpp"
#include "core/error.hpp"
#include "formulas/claim.hpp"

using namespace cotangent;
using formulas::Claim;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr Claim::Patience short_patience{5ms, 200ms, 20ms}, long_patience{5ms, 1h, 20ms};
const std::string key(32, 'a');

/// An empty folder of its own.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("cotangent_claim_" + std::to_string(::getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text = "") const {
    std::ofstream(path / name) << text;
  }
  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(path), {})); }
};

/// A process that claims, then does something.
template <class Then>
pid_t process(const Folder& folder, const Then& then, Claim::Patience patience = short_patience) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 9;
  try {
    Claim claim(folder.path, key, patience);
    code = then(claim, claim.gain());
  } catch (const Error& error) {
    code = std::string(error.what()) == "the formula is bad" ? 3 : 8;
  }
  ::_exit(code);
}
int ended(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
/// How often it has gone to sleep by itself.
long sleeps(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  const std::string name = "voluntary_ctxt_switches:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stol(line.substr(name.size()));
  return 0;
}
/// Owns the claim, dies without a word.
pid_t dying_owner(const Folder& folder) {
  const pid_t child = process(folder, [](Claim&, bool) {
    ::raise(SIGKILL);
    return 0;
  });
  CHECK(ended(child) == -SIGKILL);
  return child;
}

}  // namespace

TEST_CASE("one of many makes the object, the others wait for it") {
  const Folder folder;
  std::vector<pid_t> all;
  for (int k = 0; k < 8; ++k)
    all.push_back(process(folder, [&](Claim&, bool mine) {
      if (!mine) return fs::exists(folder.path / (key + ".so")) ? 1 : 7;
      std::this_thread::sleep_for(100ms);
      folder.write(key + ".so");
      return 2;
    }));
  int makers = 0, others = 0;
  for (const pid_t one : all) {
    const int code = ended(one);
    makers += code == 2;
    others += code == 1;
  }
  CHECK(makers == 1);
  CHECK(others == 7);
  CHECK(folder.files() == 1);
  // Whoever comes later has nothing to make.
  CHECK_FALSE(Claim(folder.path, key, short_patience).gain());
}

TEST_CASE("a failure is told to those who wait for it, not to who comes later") {
  const Folder folder;
  const pid_t owner = process(folder, [&](Claim& claim, bool mine) {
    while (!fs::exists(folder.path / "go")) {
      std::this_thread::sleep_for(1ms);
      claim.renew();
    }
    claim.fail("the formula is bad");
    return mine ? 2 : 7;
  });
  while (folder.files() == 0) std::this_thread::sleep_for(1ms);
  const pid_t waiting = process(folder, [](Claim&, bool) { return 7; });
  while (sleeps(waiting) < 20) std::this_thread::sleep_for(1ms);  // until it waits
  folder.write("go");
  CHECK(ended(owner) == 2);
  CHECK(ended(waiting) == 3);
  CHECK(ended(process(folder, [](Claim&, bool mine) { return mine ? 2 : 7; })) == 2);
  CHECK(folder.files() == 1);  // the word alone
}

TEST_CASE("one takes over from an owner that gave up without a word") {
  const Folder folder;
  const pid_t owner = process(folder, [](Claim&, bool mine) {
    std::this_thread::sleep_for(100ms);
    return mine ? 0 : 7;
  });
  while (folder.files() == 0) std::this_thread::sleep_for(1ms);
  // The child leaves by _exit: its claim is destroyed before that, as the lambda's caller ends.
  CHECK(Claim(folder.path, key, short_patience).gain());
  CHECK(ended(owner) == 0);
}

TEST_CASE("a dead owner is followed by one, at once") {
  const Folder folder;
  dying_owner(folder);
  CHECK(fs::exists(folder.path / (key + ".0.compiling")));
  std::vector<pid_t> all;
  for (int k = 0; k < 6; ++k)
    all.push_back(process(
        folder,
        [&](Claim&, bool mine) {
          if (!mine) return 1;
          std::this_thread::sleep_for(50ms);
          folder.write(key + ".so");
          return 2;
        },
        long_patience));
  int makers = 0, others = 0;
  for (const pid_t one : all) {
    const int code = ended(one);
    makers += code == 2;
    others += code == 1;
  }
  CHECK(makers == 1);
  CHECK(others == 5);
  CHECK(folder.files() == 1);
}

TEST_CASE("an owner on another host is dead when it has been silent, and not while it is at work") {
  const Folder folder;
  folder.write(key + ".0.compiling", "another.host 1 7.0\n");
  const auto began = std::chrono::steady_clock::now();
  CHECK(Claim(folder.path, key, short_patience).gain());
  CHECK(std::chrono::steady_clock::now() - began >= short_patience.silence);

  folder.write(key + ".0.compiling", "another.host 1 8.0\n");
  constexpr Claim::Patience patience{5ms, 3s, 20ms};
  std::thread work([&] {  // for longer than the patience
    for (int k = 0; k < 200; ++k) {
      std::this_thread::sleep_for(20ms);
      ::utimensat(AT_FDCWD, (folder.path / (key + ".0.compiling")).c_str(), nullptr, 0);
    }
    folder.write(key + ".so");
  });
  CHECK_FALSE(Claim(folder.path, key, patience).gain());
  work.join();
}

TEST_CASE("who works renews the claim") {
  const auto renewed = [](Claim::Patience patience) {
    const Folder folder;
    Claim claim(folder.path, key, patience);
    REQUIRE(claim.gain());
    const fs::path file = folder.path / (key + ".0.compiling");
    const auto before = fs::last_write_time(file);
    std::this_thread::sleep_for(30ms);
    claim.renew();
    return fs::last_write_time(file) > before;
  };
  CHECK(renewed({5ms, 200ms, 20ms}));
  CHECK_FALSE(renewed({5ms, 200ms, 1h}));  // too soon
}

TEST_CASE("where no claim can be made, each makes its own") {
  CHECK(Claim("/proc/none", key, short_patience).gain());
}
