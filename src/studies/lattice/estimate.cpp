// SPDX-License-Identifier: BSD-3-Clause
#include "studies/lattice/estimate.hpp"

#include <algorithm>

#include "parallel/mpi.hpp"
#include "studies/lattice/records.hpp"

namespace cotangent::studies {

Estimate estimate(const LatticePlan& plan, const io::FileOptions& options) {
  Estimate estimate;
  estimate.orbits = 1;
  const std::int64_t n = plan.sites() * plan.dim();
  const bool pair = plan.method == "lobatto-pair", by_newton = plan.by_newton() || pair;
  estimate.file_bytes = io::stored_bytes(lattice_data_sets(plan), options);
  // Bytes of a site as measured for 10^5 to 10^6 of them: of systems a chain's, whose factors fill no more.
  const std::int64_t d = plan.dim(), s = plan.stages, k = plan.model->constraints();
  const std::int64_t block = s * d + (s - 1) * k,
                     fields = plan.composition_coefficients.empty() ? 7 + 2 * s : 10;
  std::int64_t bytes = pair             ? 250 * block * block
                       : !by_newton     ? 8 * d * fields + 88 * d * (plan.on_grid() ? 2 : 1) + 48
                       : plan.assembled ? 6 * (d * (630 + 40 * s) + 93 * d * d * s) / 5
                                        : d * (630 + 40 * s) + 93 * d * d * s;
  if (plan.network && !by_newton && plan.composition_coefficients.empty()) bytes += 17 * s;
  estimate.rank_bytes = program_bytes(true) + bytes * plan.sites() / parallel::size();
  estimate.rank_bytes += mode_bytes(plan);
  if (plan.network) {
    for (const auto& copies : plan.network->copies) estimate.rank_bytes += 28 * std::ssize(copies);
  }
  // 3 ns a coordinate and stage in each of some 8 iterations; Newton's method takes 30 times as long.
  estimate.seconds =
      2.5e-8 * static_cast<double>(plan.steps) * static_cast<double>(n) *
      std::max<double>(plan.stages, static_cast<double>(plan.composition_coefficients.size()) / 8) *
      (by_newton ? 30 : 1) / parallel::size();
  return estimate;
}

}  // namespace cotangent::studies
