// SPDX-License-Identifier: BSD-3-Clause
// The compiler that built the program, for formulas: one process, never through a shell, with limits on its
// time and memory; and the cache of what it made.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace cotangent::formulas {

/// What a source became, and how.
struct SharedObject {
  std::vector<std::byte> bytes;
  bool compiled = false;       ///< now, not found in the cache
  bool awaited = false;        ///< compiled meanwhile by another run
  double seconds = 0;          ///< that it took
  std::filesystem::path file;  ///< where it is kept
  std::string note;            ///< what the user should know: that the cache can't be written
};

/// A source's fingerprint with that of this program: what a compiled formula must have been made for.
std::string program_key(const std::string& source);

/// The shared object of a source: found in the cache by everything that it depends on, or compiled into it
/// under another name and renamed; anew where it is damaged. Without a compiler one from the cache serves
/// that was compiled for a processor of this kind, by whichever compiler. Of runs that want the same at once
/// one compiles, the others wait for it (claim.hpp). Throws Error where there is no compiler or it fails;
/// says where its log is. On one rank alone.
SharedObject shared_object(const std::string& source);

/// The shared object of a source in a file that write_compiled left: for machines without a compiler. A file
/// holds those of all formulas that one run writes into it, each by its key. Throws Error where none was made
/// for this formula and by this program, or where it is damaged, FileError where the file can't be read. On
/// one rank alone.
SharedObject read_compiled(const std::string& source, const std::filesystem::path& file);
void write_compiled(const std::string& source, const SharedObject& object, const std::filesystem::path& file);
/// Throws Error where writing would destroy a file of another kind, such as the deck. On one rank alone.
void judge_compiled_file(const std::filesystem::path& file);

/// Whether there is a compiler, and the headers that it reads: $COTANGENT_COMPILER isn't "none", and neither
/// it nor the program's own is missing. On one rank alone.
bool can_compile();
/// Whether shared_object has one: by a compiler, or in the cache, where another machine has left it. On one
/// rank alone.
bool can_have(const std::string& source);

/// $COTANGENT_CACHE, or the user's cache folder.
std::filesystem::path cache_folder();

}  // namespace cotangent::formulas
