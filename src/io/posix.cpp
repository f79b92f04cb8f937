// SPDX-License-Identifier: BSD-3-Clause
#include "io/posix.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace cotangent::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& operation, int reason) {
  throw FileError(path.string() + ": cannot " + operation + ": " + std::strerror(reason));
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

std::string megabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
  return text;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, Mode mode) : path_(path) {
  const int flags = mode == Mode::read ? O_RDONLY : mode == Mode::write ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC;
  id_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (id_ < 0) fail(mode == Mode::create ? "create the file" : "open the file", errno);
}

Descriptor Descriptor::in_memory() {
  Descriptor file;
  file.id_ = ::memfd_create("cotangent", MFD_CLOEXEC);
  file.path_ = "a file in memory";
  if (file.id_ < 0) file.fail("create a file in memory", errno);
  return file;
}

Descriptor Descriptor::unnamed(const std::filesystem::path& folder) {
  std::string name = (folder / "cotangent.XXXXXX").string();
  Descriptor file;
  file.id_ = ::mkostemp(name.data(), O_CLOEXEC);
  file.path_ = folder;
  if (file.id_ < 0) file.fail("create a file in it", errno);
  ::unlink(name.c_str());
  return file;
}

Descriptor::~Descriptor() {
  if (id_ >= 0) ::close(id_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : id_(std::exchange(other.id_, -1)), path_(std::move(other.path_)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(path_, other.path_);
  return *this;
}

void Descriptor::fail(const char* operation, int reason) const {
  io::fail(path_, operation, reason);
}

void Descriptor::write(std::int64_t place, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(id_, bytes.data(), bytes.size(), place);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write to the file", done == 0 ? ENOSPC : errno);
    place += done;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

std::size_t Descriptor::read(std::int64_t place, std::span<std::byte> bytes) const {
  std::size_t total = 0;
  while (total < bytes.size()) {
    const ssize_t done =
        ::pread(id_, bytes.data() + total, bytes.size() - total, place + static_cast<std::int64_t>(total));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read from the file", errno);
    if (done == 0) break;
    total += static_cast<std::size_t>(done);
  }
  return total;
}

std::int64_t Descriptor::length() const {
  struct stat status = {};
  if (::fstat(id_, &status) != 0) fail("look at the file", errno);
  return status.st_size;
}

void Descriptor::copy_to(Descriptor& target) const {
  std::vector<std::byte> buffer(1 << 20);
  for (std::int64_t begin = ::lseek(id_, 0, SEEK_DATA), end = 0; begin >= 0;
       begin = ::lseek(id_, end, SEEK_DATA)) {
    end = ::lseek(id_, begin, SEEK_HOLE);
    for (std::int64_t place = begin; place < end;) {
      const auto wanted = static_cast<std::size_t>(std::min(end - place, std::int64_t{1} << 20));
      const std::size_t got = read(place, std::span(buffer).first(wanted));
      if (got == 0) fail("read from the file", EIO);
      target.write(place, std::span(buffer).first(got));
      place += static_cast<std::int64_t>(got);
    }
  }
  if (errno != ENXIO) fail("read from the file", errno);  // that is: no more data
  if (::ftruncate(target.id_, length()) != 0) target.fail("extend the file", errno);
}

void Descriptor::allocate(std::int64_t length) {
  if (::fallocate(id_, 0, 0, length) == 0) return;
  if (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS) fail("set apart space for the file", errno);
  if (::ftruncate(id_, length) != 0) fail("extend the file", errno);
}

std::string Descriptor::lack_of_space() const {
  rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  int reason = limit.rlim_cur < static_cast<rlim_t>(length()) ? EFBIG : 0;
  if (reason == 0 && ::fallocate(id_, 0, 0, length()) != 0) reason = errno;
  return disk_failure(reason);
}

std::string disk_failure(int reason) {
  return reason == ENOSPC || reason == EFBIG || reason == EDQUOT || reason == EIO ? std::strerror(reason)
                                                                                  : "";
}

void Descriptor::sync() {
  if (::fsync(id_) != 0) fail("put the file on disk", errno);
}

void rename_file(const std::filesystem::path& complete, const std::filesystem::path& name) {
  if (std::rename(complete.c_str(), name.c_str()) != 0) fail(name, "rename " + complete.string(), errno);
}

void name_also(const std::filesystem::path& file, const std::filesystem::path& name) {
  remove_file(name);
  if (::link(file.c_str(), name.c_str()) != 0) rename_file(file, name);
}

void replace_file(Descriptor& complete, const std::filesystem::path& its_name,
                  const std::filesystem::path& name) {
  complete.sync();
  rename_file(its_name, name);
  sync_name(name);
}

void sync_name(const std::filesystem::path& name) {
  // It is on disk when its folder is; not every file system lets a folder be synced.
  const int folder = ::open(folder_of(name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "delete the file", errno);
}

void require_page(const std::filesystem::path& folder) {
  constexpr std::array<std::byte, 4096> page = {};
  Descriptor::unnamed(folder).write(0, page);
}

void require_space(const std::filesystem::path& path, std::int64_t bytes, int files) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY && static_cast<std::uint64_t>(bytes) > limit.rlim_cur)
    throw FileError(path.string() + ": the file needs " + megabytes(static_cast<double>(bytes)) +
                    ", and no file may be longer than " + megabytes(static_cast<double>(limit.rlim_cur)) +
                    " (ulimit -f)");
  struct statvfs system = {};
  if (::statvfs(folder_of(path).c_str(), &system) != 0)
    fail(path, "use the folder " + folder_of(path).string(), errno);
  const double available = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  const double needed = static_cast<double>(bytes) * files;
  if (needed > available)
    throw FileError(path.string() + ": the file needs " + megabytes(needed) + ", and " +
                    megabytes(available) + " are available in " + folder_of(path).string());
}

}  // namespace cotangent::io
