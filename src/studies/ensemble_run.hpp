// Runs an ensemble over all ranks and writes it by trajectory id, whatever rank or lane flew which.
// Blocks of contiguous ids are taken from a shared counter; a lane that lands is refilled at once; rows go
// straight to their place in the file. Memory grows with the number of lanes, not with the ensemble or with
// the length of its trajectories. Stopped by a signal or by time, or killed, a run goes on to the same bits.
#pragma once

#include "io/result_file.hpp"
#include "studies/starts.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

/// `[method]` and what else a deck says of how to fly.
struct Plan {
  ModelChoice model;
  integrators::MethodOptions method;
  sections::Watch watch;
  std::int64_t samples = 0;  ///< rows of /trajectory, where there are samples
  int lanes = 0;             ///< 0: all that the processor has
  std::string file;
  double checkpoint_minutes = 10;
  double wall_minutes = std::numeric_limits<double>::infinity();
};

/// Reads `[method]` and `[output]`; `name` is the result's default file name.
void read_method(Task& task, Plan& plan);
void read_output(Task& task, Plan& plan, const std::string& name);

/// Flies the ensemble, writes the result, prints progress and a summary. Collective.
ExitCode run_ensemble(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble);

}  // namespace cotangent::studies
