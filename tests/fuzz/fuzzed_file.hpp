// SPDX-License-Identifier: BSD-3-Clause
// A file of the bytes that are tried, for readers that take a file's name; in memory where there is /dev/shm.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <unistd.h>

namespace cotangent::fuzz {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// What a reader refuses is no fault, but of files that are good: fuzz.py begins with those, and says so.
inline bool must_read() {
  return std::getenv("COTANGENT_MUST_READ") != nullptr;
}
inline void refused(const std::exception& error) {
  if (must_read()) fail(std::string("a good file is refused: ") + error.what());
}

class FuzzedFile {
 public:
  explicit FuzzedFile(const std::string& ending) {
    std::error_code none;
    const std::filesystem::path memory = "/dev/shm";
    path_ = std::filesystem::is_directory(memory, none) ? memory : std::filesystem::temp_directory_path();
    path_ /= "cotangent-fuzzed-" + std::to_string(getpid()) + ending;
  }
  ~FuzzedFile() {
    std::error_code none;
    std::filesystem::remove(path_, none);
  }
  FuzzedFile(const FuzzedFile&) = delete;
  FuzzedFile& operator=(const FuzzedFile&) = delete;

  void hold(std::span<const std::uint8_t> bytes) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) fail(path_.string() + " can't be written");
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cotangent::fuzz
