// SPDX-License-Identifier: BSD-3-Clause
// In place of the peers of benchmark_lattices where SUNDIALS isn't there.
#include "peer_chain.hpp"

namespace cotangent::benchmark {
void peer_rows() {}
}  // namespace cotangent::benchmark
