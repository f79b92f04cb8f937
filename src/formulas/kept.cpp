// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/kept.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace cotangent::formulas {

void Fingerprint::add(std::string_view text) {
  for (const char c : text) {
    a_ = (a_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    b_ = (b_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    b_ ^= b_ >> 29;
  }
  a_ = (a_ ^ text.size()) * 0x100000001b3u;
}

std::string Fingerprint::text() const {
  std::array<char, key_length + 1> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx%016llx", static_cast<unsigned long long>(a_),
                static_cast<unsigned long long>(b_));
  return hex.data();
}

std::string fingerprint(std::string_view text) {
  Fingerprint print;
  print.add(text);
  return print.text();
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "." + std::to_string(::getpid());
}

bool is_trusted(const struct ::stat& of, uid_t another) {
  return (of.st_uid == ::geteuid() || of.st_uid == 0 || of.st_uid == another) &&
         (of.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace cotangent::formulas
