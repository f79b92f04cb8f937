// SPDX-License-Identifier: BSD-3-Clause
// The lemniscate with three foci, inflated: see lemniscate.hpp.
#pragma once

#include "mechanics/surfaces/lemniscate.hpp"

namespace cotangent::mechanics {

struct Lemniscate3 : LemniscateOf<3> {
  static constexpr std::string_view name = "lemniscate-3";
  static constexpr std::string_view about = "A particle on the lemniscate with three foci, inflated: genus 3";
};

}  // namespace cotangent::mechanics
