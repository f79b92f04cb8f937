// SPDX-License-Identifier: BSD-3-Clause
// What a run is asked to do beside its motion: where its result goes, how long it may take, what it tells.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "io/result_file.hpp"
#include "parallel/mpi.hpp"
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

}  // namespace cotangent::run
