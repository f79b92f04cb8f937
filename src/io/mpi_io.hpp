// SPDX-License-Identifier: BSD-3-Clause
// MPI-IO beneath HDF5: how all ranks open a file, and what Open MPI 4.1 doesn't say of one, or does beside
// it. Reference: MPI: A Message-Passing Interface Standard, version 3.1 (2015), chapter 13; 14.2, its
// profiling interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cotangent::io {

/// While one lives on ranks that share a file, MPI's calls on it that fail on this rank are told to `failed`,
/// with MPI's reason, which must end the run. HDF5 writes a shared file's own blocks as it closes it, on rank
/// 0, and where that fails it leaves the others in one barrier and waits for them in another; and so it does
/// where ranks fail to read them as they open it.
class FileFailureHandler {
 public:
  explicit FileFailureHandler(std::function<void(const std::string& reason)> failed);
  ~FileFailureHandler();
  FileFailureHandler(const FileFailureHandler&) = delete;
  FileFailureHandler& operator=(const FileFailureHandler&) = delete;

 private:
  std::function<void(const std::string& reason)> failed_;
  const std::function<void(const std::string& reason)>* outer_;  ///< whom it stands in for
};

/// Throws where MPI's scratch folder has no room: MPI starts and opens files by what the ranks of a machine
/// share there, and a page of it that there is no room for would end the program by SIGBUS.
void require_scratch();

/// Makes an empty file with the layout on disk that hints ask for, such as striping_factor, which MPI-IO
/// heeds only where it makes the file. Nothing without hints.
void lay_out(const std::filesystem::path& path,
             const std::vector<std::pair<std::string, std::string>>& hints);

/// Has HDF5's file access properties (a hid_t) open files on all ranks by MPI-IO, with these hints.
void access_on_all_ranks(std::int64_t properties,
                         const std::vector<std::pair<std::string, std::string>>& hints);

/// Open MPI's shared file pointers, which nobody asked for, lock a semaphore named after the file while it is
/// opened. A run killed in that moment leaves it locked, and whoever opens a file of this name waits forever.
void forget_lock(const std::filesystem::path& path);

/// Open MPI fails to open a file in the current folder whose name is one letter, unless the folder is named.
std::filesystem::path with_folder(const std::filesystem::path& path);

}  // namespace cotangent::io
