// SPDX-License-Identifier: BSD-3-Clause
// The checkpoint beside a result: one HDF5 file, format version 2, with a data set /state/NAME for each field
// that the evolution's state() names, and a seal behind its end (io/seal.hpp). All ranks write it together
// under another name; when it is complete on disk, and was read back, it becomes the newest, and what was the
// newest is kept as the older one until the next. So at no moment there is none. Any number of ranks reads
// it. Where the newest is damaged, be it by one bit, the run goes on from the older one, and says so. What
// doesn't fit (another version, a field that is missing, unknown or of another shape, another deck) is
// refused by name and left as it is.
#pragma once

#include <filesystem>
#include <string>

#include "run/evolution.hpp"

namespace cotangent::run {

inline constexpr std::int64_t checkpoint_version = 2;

/// What a checkpoint belongs to.
struct CheckpointOwner {
  std::string study, deck;  ///< the resolved deck, of which [output] doesn't count
  std::int64_t number =
      0;  ///< of the checkpoint, counted from 1 on in its result; of which that knows, to read
};

/// How many bytes the evolution's state takes. Collective.
std::int64_t checkpoint_bytes(Evolution& evolution);
/// Throws FileError on every rank, and leaves an older checkpoint whole, where it can't be written.
/// Collective.
void write_checkpoint(const std::filesystem::path& path, const CheckpointOwner& owner,
                      const io::FileOptions& options, Evolution& evolution);
/// From the newest that isn't damaged. False where there is none at all. Throws Error where all are damaged,
/// or where it isn't this run's, is of a later moment than the result, or doesn't fit; they are left as they
/// are then. Collective.
bool read_checkpoint(const std::filesystem::path& newest, const CheckpointOwner& owner, Evolution& evolution);
/// Deletes both, and what a run left of one that it was writing. Collective.
void remove_checkpoint(const std::filesystem::path& path);

}  // namespace cotangent::run
