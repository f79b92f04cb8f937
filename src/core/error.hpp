// SPDX-License-Identifier: BSD-3-Clause
// Errors that end a run, and the exit codes they carry.
#pragma once

#include <stdexcept>
#include <string>

namespace cotangent {

/// What the program returns to the shell: what each means is in src/run/README.md.
enum ExitCode : int {
  exit_success = 0,
  exit_trajectories_failed = 1,
  exit_bad_input = 2,
  exit_file_system = 3,
  exit_internal_error = 70,
  exit_stopped = 75,
};

/// Wrong input: the text names file, line, key, value and the nearest valid choice.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, ExitCode code = exit_bad_input)
      : std::runtime_error(what), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The file system refused: full disk, missing folder, no permission.
class FileError : public Error {
 public:
  explicit FileError(const std::string& what) : Error(what, exit_file_system) {}
};

}  // namespace cotangent
