// SPDX-License-Identifier: BSD-3-Clause
// What an earlier start of the same run has left, from which --resume goes on.
#pragma once

#include <filesystem>
#include <optional>

#include "core/error.hpp"
#include "io/result_file.hpp"
#include "run/settings.hpp"

namespace cotangent::run {

/// With --resume: the result as it was left; none where there is nothing, which is said. Throws Error where
/// another deck made it, where whether it came to its end isn't known, and where there is a checkpoint
/// without its result. Collective.
std::optional<io::StoredResult> earlier_result(const Settings& settings);

/// For a study that works before it is driven. With --resume: where the same deck's run came to its end
/// before, says so, and returns its exit code; none where there is more to do, be it to compress it. Throws
/// Error where the result is another deck's. Collective.
std::optional<ExitCode> complete_already(const Settings& settings);

/// What is said of a run that came to its end before. On rank 0.
void say_complete(const Settings& settings);

}  // namespace cotangent::run
