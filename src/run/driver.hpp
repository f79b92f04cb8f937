// SPDX-License-Identifier: BSD-3-Clause
// The one driver of all runs: it opens or resumes the result, lets an evolution go on in slices, takes its
// samples, writes checkpoints, obeys signals and the clock, tells how far it is, and reports. What it is
// asked to do is a struct of its own, so that a program runs an evolution without a deck.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "run/evolution.hpp"
#include "run/terminal.hpp"

namespace cotangent::run {

struct Settings {
  std::string study;  ///< as the result names it
  std::string deck;   ///< resolved; what two starts of one run must agree on
  std::string file = "result.h5";
  bool resume = false;  ///< go on where an earlier start stopped, if there was one
  double checkpoint_minutes = 10;
  double wall_minutes = std::numeric_limits<double>::infinity();
  Telling telling = Telling::text;  ///< how its progress is told
  io::FileOptions options;
  std::string command_line;
  double began = parallel::wall_time();  ///< the moment from which the run's time counts
  std::string petsc = "not used";        ///< for /provenance: version and what it solves
  std::string formulas;                  ///< for /provenance: how those of the deck became code; empty: none
  std::vector<std::string> warnings = {};  ///< of what the deck says in vain, for the report
};

/// For a study that works before it is driven. With --resume: where the same deck's run came to its end
/// before, says so, and returns its exit code; none where there is more to do, be it to compress it. Throws
/// Error where the result is another deck's. Collective.
std::optional<ExitCode> complete_already(const Settings& settings);

/// Runs to the end, or until a signal or the clock stops it. Throws Error, FileError on every rank alike.
/// Collective.
ExitCode drive(Evolution& evolution, const Settings& settings);

}  // namespace cotangent::run
