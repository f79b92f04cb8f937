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
  std::cerr << "cotangent: rank " << rank() << " alone: " << what << std::endl;
  abort(exit_code);
}

}  // namespace cotangent::parallel
