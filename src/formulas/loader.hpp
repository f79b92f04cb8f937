// SPDX-License-Identifier: BSD-3-Clause
// What a source became, loaded: compiled by one rank, its bytes brought to all by MPI, opened from memory.
#pragma once

#include <memory>
#include <string>

#include "formulas/compiled_files.hpp"
#include "formulas/statement.hpp"
#include "sections/problem.hpp"

namespace cotangent::formulas {

/// A shared object in memory, for as long as the program runs.
class Library {
 public:
  /// Compiles a source or finds it in the cache (compiler.hpp), on rank 0; loads it on every rank.
  /// Collective.
  explicit Library(const std::string& source, const CompiledFiles& files = {});

  /// The function of this name. Throws an Error where there is none.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// One line: compiled in so many seconds, or found in the cache.
  const std::string& how() const { return how_; }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string how_;
};

struct Loaded {
  std::shared_ptr<const sections::Problem> problem;
  std::string how;  ///< as Library::how()
};

/// What for: to fly, without a compiler interpreted if that can be; only for what a problem tells of itself,
/// where interpreting will do if it can; to be compiled.
enum class Use { flown, judged, compiled };

/// The problem that a statement makes. Collective.
Loaded load(const Statement& statement, const Methods& methods, const CompiledFiles& files, Use use);

}  // namespace cotangent::formulas
