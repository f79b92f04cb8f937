// SPDX-License-Identifier: BSD-3-Clause
// The list of the sets that decks can name: a new one is a header here and a word in one of the two sources.
#pragma once

#include "billiards/domain.hpp"

namespace cotangent::billiards {

std::vector<SetKind> sets_in_plane();

}  // namespace cotangent::billiards
