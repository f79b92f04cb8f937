// SPDX-License-Identifier: BSD-3-Clause
#include "overland/water.hpp"

#include <span>

#include "parallel/reproducible_sums.hpp"

namespace cotangent::overland {

double volume(const Landscape& land, const std::vector<double>& depth) {
  std::vector<double> volumes(static_cast<std::size_t>(land.mesh.own));
  for (std::size_t v = 0; v < volumes.size(); ++v) volumes[v] = land.area[v] * depth[v];
  const std::vector<std::span<const double>> columns{volumes};
  return parallel::reproducible_sums(columns)[0];
}

}  // namespace cotangent::overland
