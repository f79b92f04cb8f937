// SPDX-License-Identifier: BSD-3-Clause
// The tools compared. Each is one file with one function: it measures the load in all its methods and
// settings and appends the rows. A new tool is a file, a line here, and a line in CMakeLists.txt.
#pragma once

#include "measure.hpp"

#define COTANGENT_BENCHMARK_TOOL(tool)                              \
  void tool(const Load<HenonHeiles>& load, std::vector<Row>& rows); \
  void tool(const Load<MagneticChain>& load, std::vector<Row>& rows)

namespace cotangent::benchmark {

COTANGENT_BENCHMARK_TOOL(cotangent);
COTANGENT_BENCHMARK_TOOL(odeint);
COTANGENT_BENCHMARK_TOOL(odeint_lanes);
COTANGENT_BENCHMARK_TOOL(sundials);
COTANGENT_BENCHMARK_TOOL(gsl);

}  // namespace cotangent::benchmark
