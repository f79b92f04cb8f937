// SPDX-License-Identifier: BSD-3-Clause
// A folder for one test, the same on all ranks, gone when the test is over. Collective.
#pragma once

#include <filesystem>
#include <string>
#include <unistd.h>

#include "parallel/mpi.hpp"

namespace cotangent::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cotangent_test_XXXXXX").string();
    parallel::on_rank_zero([&] {
      if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
    });
    path_ = parallel::broadcast(name);
  }
  ~ScratchFolder() {
    parallel::barrier();
    std::error_code ignored;
    if (parallel::rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace cotangent::test
