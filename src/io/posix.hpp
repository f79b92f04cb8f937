// SPDX-License-Identifier: BSD-3-Clause
// Files of the operating system whose failures are FileErrors: path, operation, reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace cotangent::io {

/// An open file descriptor. Move-only.
class Descriptor {
 public:
  enum class Mode { read, write, create };
  Descriptor() = default;
  Descriptor(const std::filesystem::path& path, Mode mode);
  /// A file without a name, in memory.
  static Descriptor in_memory();
  /// A file without a name, in this folder.
  static Descriptor unnamed(const std::filesystem::path& folder);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  /// All of the bytes at this place, whatever the kernel takes at a time.
  void write(std::int64_t place, std::span<const std::byte> bytes);
  /// As many of the bytes at this place as the file has.
  std::size_t read(std::int64_t place, std::span<std::byte> bytes) const;
  std::int64_t length() const;
  int id() const noexcept { return id_; }
  /// Writes all of this file to another, holes as holes.
  void copy_to(Descriptor& target) const;
  /// Makes the file this long with the space set apart on disk, where the file system can.
  void allocate(std::int64_t length);
  /// What keeps the file from being as long as it says, "No space left on device"; empty where nothing does.
  std::string lack_of_space() const;
  /// Waits until what was written is on disk.
  void sync();

 private:
  [[noreturn]] void fail(const char* operation, int reason) const;

  int id_ = -1;
  std::filesystem::path path_;
};

/// What the system's reason says where it is the disk's, "No space left on device"; empty for other reasons.
std::string disk_failure(int reason);
/// Gives a complete file a new name.
void rename_file(const std::filesystem::path& complete, const std::filesystem::path& name);
/// Gives a file a second name, in place of another file's; where the file system has no such names, renames
/// it.
void name_also(const std::filesystem::path& file, const std::filesystem::path& name);
/// Puts a complete file in the place of another, for good even if power is lost.
void replace_file(Descriptor& complete, const std::filesystem::path& its_name,
                  const std::filesystem::path& name);
/// Waits until the name of a file is on disk.
void sync_name(const std::filesystem::path& name);
/// Deletes a file; not having been there is no failure.
void remove_file(const std::filesystem::path& path);
/// Throws where a file in this folder can't be written, were it with a page of memory alone.
void require_page(const std::filesystem::path& folder);
/// Throws where the folder of this path doesn't exist, or its file system has less room than so many files of
/// this length take, or a file may not be so long (ulimit -f).
void require_space(const std::filesystem::path& path, std::int64_t bytes, int files = 1);

}  // namespace cotangent::io
