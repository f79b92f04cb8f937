// What a deck says of how an ensemble flies: the model, the method, what is watched, and where the result
// goes.
#pragma once

#include <limits>
#include <string>

#include "studies/study.hpp"

namespace cotangent::studies {

/// The model, and what else a deck says of how to fly it.
struct Plan {
  ModelChoice model;
  integrators::MethodOptions method;
  sections::Watch watch;
  std::int64_t samples = 0;        ///< rows of /trajectory, where there are samples
  std::int64_t surface_cells = 0;  ///< cubes along the longest side of the surface's triangulation; 0: none
  int lanes = 0;                   ///< 0: all that the processor has
  std::string file;
  double checkpoint_minutes = 10;
  double wall_minutes = std::numeric_limits<double>::infinity();
};

/// Reads `name` (where it may be left out, Gauss collocation, or RATTLE for constrained motion) and the
/// options that this method takes, but not its step and tolerance; refuses the options that only others take,
/// and methods that don't suit the problem.
integrators::MethodOptions read_options(const io::Table& table, const sections::Problem& problem, bool named);
/// Reads `[method]`.
void read_method(Task& task, Plan& plan);
/// Reads `[output]`; `name` is the result's default file name.
void read_output(Task& task, Plan& plan, const std::string& name);

}  // namespace cotangent::studies
