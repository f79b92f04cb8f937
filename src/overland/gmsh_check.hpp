// SPDX-License-Identifier: BSD-3-Clause
// Whether a Gmsh file is what it says it is, before anything is made of it.
#pragma once

#include <string>

namespace cotangent::overland {

/// Reads a Gmsh file (format 2.2 or 4.1, text or binary) from beginning to end on the first rank and refuses
/// what isn't right, by an Error on all ranks that names the file, the line (of binary parts the byte), the
/// number and what would be right. Collective.
void check_gmsh(const std::string& file);

}  // namespace cotangent::overland
