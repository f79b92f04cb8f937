// SPDX-License-Identifier: BSD-3-Clause
// What one rank alone may fail in while all go on to the next collective call.
#pragma once

#include <string>

#include "core/error.hpp"

namespace cotangent::io {

/// Does what may fail in the file system; what that says is kept, to be told where all ranks are together.
template <class Work>
void attempt(std::string& failure, const Work& work) {
  try {
    work();
  } catch (const FileError& error) {
    failure = error.what();
  }
}

}  // namespace cotangent::io
