// SPDX-License-Identifier: BSD-3-Clause
// A search over all ranks: tasks that answer by numbers, each run by a rank that is free.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/driver.hpp"

namespace cotangent::studies {

/// What a task answers.
using Answer = std::vector<double>;

/// Runs tasks 0 .. count - 1, each on a rank that is free, and gives every rank all answers. Throws Error
/// where a signal comes before, or where they take more than wall_minutes. Collective.
std::vector<Answer> shared_out(std::int64_t count, const run::Settings& settings,
                               const std::function<Answer(std::int64_t)>& task);

}  // namespace cotangent::studies
