// SPDX-License-Identifier: BSD-3-Clause
// A result's lock: a second holder is refused and told of the first, waits for one that soon ends, and isn't
// kept away by the file of one that was killed.
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <unistd.h>

#include "catch.hpp"
#include "core/error.hpp"
#include "io/run_lock.hpp"

using namespace cotangent;
using namespace cotangent::io;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("cotangent_lock_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("a second run on one result is refused, and told who holds it") {
  const Folder folder;
  const fs::path result = folder.path / "a.h5";
  {
    const RunLock first(result);
    CHECK(first.lacking().empty());
    CHECK(fs::exists(lock_path(result)));
    CHECK_THROWS_WITH(RunLock(result, 0ms),
                      ContainsSubstring("process " + std::to_string(::getpid()) + " on "));
    CHECK_NOTHROW(RunLock(folder.path / "b.h5", 0ms));  // the control: another result
  }
  CHECK_FALSE(fs::exists(lock_path(result)));
  CHECK_NOTHROW(RunLock(result, 0ms));
}

TEST_CASE("who comes as the first ends waits for it") {
  const Folder folder;
  const fs::path result = folder.path / "a.h5";
  auto first = std::make_unique<RunLock>(result);
  std::thread end([&] {
    std::this_thread::sleep_for(300ms);
    first.reset();
  });
  CHECK_NOTHROW(RunLock(result, 30s));
  end.join();
}

TEST_CASE("the file that a killed run left keeps nobody away, nor does a folder that isn't there") {
  const Folder folder;
  const fs::path result = folder.path / "a.h5";
  std::ofstream(lock_path(result)) << "process 1 on elsewhere\n";
  CHECK_NOTHROW(RunLock(result, 0ms));
  CHECK_FALSE(fs::exists(lock_path(result)));
  CHECK(RunLock(folder.path / "none" / "a.h5", 0ms).lacking() == "No such file or directory");
}

TEST_CASE("what Open MPI's trials of locks left is taken away after a killed run, and by one that fails") {
  const Folder folder;
  const fs::path result = folder.path / "a.h5";
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path))
      found.insert(entry.path().filename().string());
    return found;
  };
  const std::set<std::string> others{"a.h5", "a.h5.locktest.old", "b.h5.locktest.0", "a.h5.locktest."};
  const auto leave = [&] {
    for (const std::string& name : others) std::ofstream(folder.path / name);
    for (const char* name : {"a.h5.locktest.0", "a.h5.new.locktest.12", "a.h5.checkpoint.new.locktest.3"})
      std::ofstream(folder.path / name);
  };
  leave();
  std::ofstream(lock_path(result)) << "process 1 on elsewhere\n";
  CHECK_NOTHROW(RunLock(result, 0ms));
  CHECK(names() == others);
  try {
    const RunLock lock(result, 0ms);
    leave();
    throw FileError("Input/output error");
  } catch (const FileError&) {
    CHECK(names() == others);
  }
}
