// SPDX-License-Identifier: BSD-3-Clause
// The lemniscate with four foci, inflated: see lemniscate.hpp.
#pragma once

#include "mechanics/surfaces/lemniscate.hpp"

namespace cotangent::mechanics {

struct Lemniscate4 : LemniscateOf<4> {
  static constexpr std::string_view name = "lemniscate-4";
  static constexpr std::string_view about = "A particle on the lemniscate with four foci, inflated: genus 4";
};

}  // namespace cotangent::mechanics
