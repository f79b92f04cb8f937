// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files of the user's, which a deck names: one of another kind is wrong input, told with the deck's
// line.
#pragma once

#include <string>

#include "io/deck.hpp"
#include "io/hdf5.hpp"

namespace cotangent::io {

/// The file that `key` of the table names. Throws Error where it is no regular file, or none of HDF5's; a
/// FileError where it isn't there or can't be read.
File open_given(const Table& table, const std::string& key);

}  // namespace cotangent::io
