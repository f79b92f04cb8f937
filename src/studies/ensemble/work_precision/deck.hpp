// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "work-precision" says: methods with their steps or tolerances, on one ensemble, and
// the reference that they are held to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// One method with one step or tolerance: a row of the result.
struct Setting {
  int method;  ///< -1: the reference
  int index;   ///< among those of its method
  integrators::MethodOptions options;
};

struct Comparison {
  static constexpr int references = 2;

  ModelChoice model;
  std::vector<std::string> names;
  std::vector<Setting> settings;  ///< the reference at its step, at half of it, and all others
  std::unique_ptr<Ensemble> ensemble;
  std::vector<std::int64_t> starts;  ///< the ids of those that are feasible
  double time = 0;

  std::int64_t rows() const { return std::ssize(settings) - references; }
};

/// Reads all but how the result is written.
Comparison read_comparison(Task& task);
/// Each rank judges an equal share of the starts, and all learn which are feasible. Collective.
void judge_starts(const io::Table& ensemble, Comparison& comparison);

/// A commented deck that runs as it is.
extern const char* const work_precision_example;

}  // namespace cotangent::studies
