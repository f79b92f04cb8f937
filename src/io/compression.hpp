// SPDX-License-Identifier: BSD-3-Clause
// Compression of a result that is complete: by all ranks, chunk by chunk, into a new file that takes its
// place once it holds the same numbers. Where that fails the result stays as it is.
#pragma once

#include "io/result_file.hpp"

namespace cotangent::io {

/// Whether a data set is so large that it is compressed.
bool worth_squeezing(const DataSetSpec& spec);

/// Compresses the result, of this content as it is stored, unless that is done already. Throws FileError, on
/// every rank, where the disk doesn't take it. Collective.
void compress(const std::filesystem::path& path, const ResultContent& content);

}  // namespace cotangent::io
