// SPDX-License-Identifier: BSD-3-Clause
// Errors that one rank alone may have: a write that failed, memory that lacked.
#pragma once

#include <string>

namespace cotangent::parallel {

/// What is said of a std::bad_alloc, whose own text says nothing to a user.
inline constexpr const char* out_of_memory = "out of memory";

/// After an error: returns where all ranks have failed and called this too. A rank that the others don't join
/// within ten seconds has failed alone, while they wait for it in a collective call: it says so itself and
/// ends the run on all ranks. To be called before anything is destroyed whose end is collective.
void end_if_alone(int exit_code, const std::string& what);
/// Says so, and ends all ranks at once: where the others wait in a call that this rank can't come to any
/// more.
[[noreturn]] void end_alone(int exit_code, const std::string& what);

}  // namespace cotangent::parallel
