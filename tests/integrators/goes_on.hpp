// SPDX-License-Identifier: BSD-3-Clause
// again() leaves nothing behind.
#pragma once

#include "catch.hpp"

namespace cotangent::test {

/// A method that was asked to step again goes on as one does that stands where it stands, and never was:
/// three steps have the same bits(state, lane) in each lane.
template <class Method, class System, class Mask, class Bits>
void check_goes_on(Method& asked, Method& unasked, const System& system, const Mask& on, int lanes,
                   const Bits& bits) {
  for (int step = 0; step < 3; ++step) {
    asked.advance(system, on);
    unasked.advance(system, on);
  }
  for (int i = 0; i < lanes; ++i) {
    CHECK(bits(asked.end(), i) == bits(unasked.end(), i));
    CHECK(bits(asked.begin(), i) == bits(unasked.begin(), i));
  }
}

}  // namespace cotangent::test
