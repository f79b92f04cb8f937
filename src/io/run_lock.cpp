// SPDX-License-Identifier: BSD-3-Clause
#include "io/run_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "core/error.hpp"

namespace cotangent::io {
namespace {

/// "process 4711 on node17".
std::string owner() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return "process " + std::to_string(::getpid()) + " on " + host;
}

std::string text_of(int id) {
  char text[512];
  const ssize_t length = ::pread(id, text, sizeof text, 0);
  std::string found(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  while (!found.empty() && (found.back() == '\n' || found.back() == '\0')) found.pop_back();
  return found.empty() ? "one that didn't say who it is" : found;
}

bool has_name(int id, const std::filesystem::path& path) {
  struct stat file = {}, name = {};
  return ::fstat(id, &file) == 0 && ::stat(path.c_str(), &name) == 0 && file.st_dev == name.st_dev &&
         file.st_ino == name.st_ino;
}

}  // namespace

std::filesystem::path lock_path(const std::filesystem::path& result) {
  return result.string() + ".lock";
}

RunLock::RunLock(const std::filesystem::path& result, std::chrono::milliseconds patience)
    : result_(result), path_(lock_path(result)), exceptions_(std::uncaught_exceptions()) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    const int id = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (id < 0) {
      lacking_ = std::strerror(errno);
      return;
    }
    int failure = 0;
    while (::flock(id, LOCK_EX | LOCK_NB) != 0 && (failure = errno) == EINTR) failure = 0;
    if (failure == EWOULDBLOCK) {
      const std::string who = text_of(id);
      ::close(id);
      if (std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        continue;
      }
      throw Error(result.string() + ": another run writes it, " + who +
                  "; wait until it has ended, or give this run a file of its own: output.file=OTHER.h5 (if " +
                  "that run's node is gone, delete " + path_.string() + ")");
    }
    if (failure != 0) {
      lacking_ = std::strerror(failure);
      struct stat file = {};
      if (::fstat(id, &file) == 0 && file.st_size == 0)
        ::unlink(path_.c_str());  // nobody named himself in it
      ::close(id);
      return;
    }
    if (has_name(id, path_)) {
      id_ = id;
      break;
    }
    ::close(id);  // of a run that ended meanwhile, and took the name away
  }
  struct stat file = {};
  if (::fstat(id_, &file) == 0 && file.st_size > 0) forget_trials();  // its owner was killed
  // Where the disk is full nobody learns who it is; the lock holds all the same.
  const std::string text = owner() + "\n";
  if (::ftruncate(id_, 0) == 0 && ::pwrite(id_, text.data(), text.size(), 0) < 0) errno = 0;
}

RunLock::~RunLock() {
  if (id_ < 0) return;
  if (std::uncaught_exceptions() > exceptions_) forget_trials();
  if (has_name(id_, path_)) ::unlink(path_.c_str());
  ::close(id_);
}

void RunLock::forget_trials() const {
  const std::string mine = result_.filename().string() + ".", trial = ".locktest.";
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  std::error_code error;
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto begin = name.rfind(trial);
    if (begin == std::string::npos || begin + 1 < mine.size() || !name.starts_with(mine)) continue;
    const std::string rank = name.substr(begin + trial.size());
    if (!rank.empty() && std::ranges::all_of(rank, is_digit)) ::unlink(at->path().c_str());
  }
}

}  // namespace cotangent::io
