// SPDX-License-Identifier: BSD-3-Clause
#include "io/seal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "io/posix.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the seal's numbers are stored as they are in memory");

constexpr char mark[] = "cotangent seal 1";  // 16 characters
constexpr std::int64_t block = 1 << 20;

struct Seal {
  std::array<char, 16> mark;
  std::int64_t length;
  std::uint64_t checksum;
};
static_assert(sizeof(Seal) == seal_length);

// Table k is what a byte adds that stands k places before the last: eight bytes are divided at once.
constexpr auto tables = [] {
  std::array<std::array<std::uint64_t, 256>, 8> table{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ (rest & 1 ? 0xc96c5795d7870f42u : 0u);
    table[0][byte] = rest;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte)
      table[k][byte] = (table[k - 1][byte] >> 8) ^ table[0][table[k - 1][byte] & 255];
  }
  return table;
}();

// Of the first `length` bytes of a file; each rank reads an even run of the blocks. Collective.
std::uint64_t checksum(const std::filesystem::path& path, std::int64_t length) {
  const std::int64_t count = (length + block - 1) / block;
  std::vector<std::int64_t> of_blocks(static_cast<std::size_t>(count), 0);  // 0 where others read
  parallel::agree([&] {
    const Descriptor file(path, Descriptor::Mode::read);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(block, length)));
    for (std::int64_t k = count * parallel::rank() / parallel::size();
         k < count * (parallel::rank() + 1) / parallel::size(); ++k) {
      const auto here = std::span(bytes).first(static_cast<std::size_t>(std::min(block, length - k * block)));
      if (file.read(k * block, here) < here.size())
        throw FileError(path.string() + ": has become shorter while it was read");
      of_blocks[static_cast<std::size_t>(k)] = std::bit_cast<std::int64_t>(crc64(here));
    }
  });
  return crc64(std::as_bytes(std::span<const std::int64_t>(parallel::sum(std::move(of_blocks)))));
}

std::int64_t length_of(const std::filesystem::path& path) {
  std::int64_t length = 0;
  parallel::on_rank_zero([&] { length = Descriptor(path, Descriptor::Mode::read).length(); });
  return parallel::broadcast(length);
}

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes) {
  std::uint64_t rest = ~std::uint64_t{0};
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= rest;
    rest = 0;
    for (std::size_t k = 0; k < 8; ++k) rest ^= tables[7 - k][(word >> (8 * k)) & 255];
  }
  for (const std::byte byte : bytes)
    rest = (rest >> 8) ^ tables[0][(rest ^ std::to_integer<std::uint64_t>(byte)) & 255];
  return ~rest;
}

void seal(const std::filesystem::path& path) {
  Seal seal{.mark = {}, .length = length_of(path), .checksum = 0};
  std::copy_n(mark, seal.mark.size(), seal.mark.begin());
  seal.checksum = checksum(path, seal.length);
  parallel::on_rank_zero([&] {
    Descriptor file(path, Descriptor::Mode::write);
    file.write(seal.length, std::as_bytes(std::span(&seal, 1)));
    file.sync();
  });
}

std::string damage(const std::filesystem::path& path) {
  try {
    const std::int64_t length = length_of(path) - seal_length;
    std::int64_t sealed = 0, marked = 0, stored = 0;
    parallel::on_rank_zero([&] {
      Seal seal{};
      if (length < 0) return;
      Descriptor(path, Descriptor::Mode::read).read(length, std::as_writable_bytes(std::span(&seal, 1)));
      marked = std::equal(seal.mark.begin(), seal.mark.end(), mark) ? 1 : 0;
      sealed = seal.length;
      stored = std::bit_cast<std::int64_t>(seal.checksum);
    });
    if (parallel::broadcast(marked) == 0)
      return "has no checksum at its end: it was cut short, damaged there, or written by an older version";
    if (parallel::broadcast(sealed) != length)
      return fmt::format("is {} bytes long, and was {} when its checksum was made", length,
                         parallel::broadcast(sealed));
    if (checksum(path, length) != std::bit_cast<std::uint64_t>(parallel::broadcast(stored)))
      return "isn't what was written: its checksum is another";
  } catch (const FileError& error) {
    const std::string text = error.what(), name = path.string() + ": ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
  }
  return "";
}

}  // namespace cotangent::io
