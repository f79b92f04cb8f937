// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/failure.hpp"

#include <iostream>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

void end_if_alone(int exit_code, const std::string& what) {
  constexpr double patience = 10.0;  // seconds
  if (!all_arrive_within(patience)) end_alone(exit_code, what);
}

void end_alone(int exit_code, const std::string& what) {
  std::cout.flush();
  // In one piece, or MPI's own words stand in the midst of it.
  std::cerr << "cotangent: rank " + std::to_string(rank()) + " alone: " + what + "\n" << std::flush;
  abort(exit_code);
}

}  // namespace cotangent::parallel
