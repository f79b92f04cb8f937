// SPDX-License-Identifier: BSD-3-Clause
// Refusals whose text is put together from parts.
#pragma once

#include <sstream>

#include "core/error.hpp"

namespace cotangent::rods::detail {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  text.precision(10);
  (text << ... << parts);
  throw Error(text.str());
}

}  // namespace cotangent::rods::detail
