// SPDX-License-Identifier: BSD-3-Clause
// A limit on the length of files while it lives: as good as a full disk.
#pragma once

#include <sys/resource.h>

#include "parallel/signals.hpp"

namespace cotangent::test {

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    parallel::install_signal_handlers();  // SIGXFSZ is ignored
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_ = {};
};

}  // namespace cotangent::test
