// SPDX-License-Identifier: BSD-3-Clause
// A seal: 32 bytes behind the end of a complete file, by which any damage to it is found, be it in numbers or
// in what HDF5 needs to find them: a mark, the length of what it seals, and a checksum. HDF5 doesn't look at
// what follows its end, and a damaged file never gets so far that HDF5 reads it.
//
// The checksum is the CRC-64 of the CRC-64s of the file's megabytes, so that the ranks share the reading and
// any number of them finds the same. It differs whenever no more than 64 consecutive bits have changed, and
// else but for a chance of 2^-64. Reference: ECMA-182; the bit order and the inversions are those of XZ.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace cotangent::io {

inline constexpr std::int64_t seal_length = 32;

/// CRC-64/XZ. That of "123456789" is 0x995dc9bbdf1939fa.
std::uint64_t crc64(std::span<const std::byte> bytes);
/// Seals a complete file, which must not have a seal yet, and waits until it is on disk. Collective; a
/// failure is thrown on every rank.
void seal(const std::filesystem::path& path);
/// What shows that a file isn't what was sealed, or that it can't be read; empty where it is whole.
/// Collective.
std::string damage(const std::filesystem::path& path);

}  // namespace cotangent::io
