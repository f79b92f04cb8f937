// SPDX-License-Identifier: BSD-3-Clause
// What is kept of compiled formulas is machine code: whose files may be loaded, and whether they are as they
// were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

struct stat;

namespace cotangent::formulas {

constexpr std::size_t key_length = 32;  ///< of a fingerprint as text

/// 128 bits by two runs of FNV-1a: for telling texts apart, not against malice.
class Fingerprint {
 public:
  void add(std::string_view text);
  std::string text() const;

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x9ae16a3b2f90404fu;
};
std::string fingerprint(std::string_view text);

/// A file's bytes; none where it can't be read.
std::string read(const std::filesystem::path& file);
std::vector<std::byte> bytes_of(const std::string& text);

/// A name that no other process has, on any machine that shares the folder.
std::string own_name();

/// Whether this user, root or `another` owns a file, and nobody else may write to it.
bool is_trusted(const struct ::stat& of, uid_t another);

}  // namespace cotangent::formulas
