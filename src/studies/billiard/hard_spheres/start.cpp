// SPDX-License-Identifier: BSD-3-Clause
#include "studies/billiard/hard_spheres/start.hpp"

#include <cmath>
#include <numbers>

#include "numerics/random.hpp"

namespace cotangent::studies {

namespace {

/// A close-packed lattice of length 1 between neighbours: triangular, or face-centred cubic.
template <int D>
std::vector<std::array<double, D>> close_packed(int side, std::array<double, D>& box) {
  std::vector<std::array<double, D>> x;
  if constexpr (D == 2) {
    const double height = std::sqrt(0.75);
    for (int k = 0; k < side * side; ++k) {
      const int i = k % side, j = k / side;
      x.push_back({i + 0.5 * (j % 2) + 0.25, (j + 0.5) * height});
    }
    box = {static_cast<double>(side), side * height};
  } else {
    const double a = std::numbers::sqrt2;
    for (int k = 0; k < 4 * side * side * side; ++k) {
      const int corner = k % 4, i = k / 4 % side, j = k / 4 / side % side, l = k / 4 / side / side;
      x.push_back({(i + 0.25 + (corner == 1 || corner == 2 ? 0.5 : 0.0)) * a,
                   (j + 0.25 + (corner == 1 || corner == 3 ? 0.5 : 0.0)) * a,
                   (l + 0.25 + (corner == 2 || corner == 3 ? 0.5 : 0.0)) * a});
    }
    box = {side * a, side * a, side * a};
  }
  return x;
}

}  // namespace

template <int D>
billiards::HardSpheres<D> hard_spheres(const HardSpheresPlan& plan, std::int64_t system) {
  typename billiards::HardSpheres<D>::Options options;
  const auto x = close_packed<D>(plan.lattice, options.box);
  const double packing = plan.packing_of(system);
  double each = packing / static_cast<double>(x.size());
  for (const double side : options.box) each *= side;
  options.radius = D == 2 ? std::sqrt(each / std::numbers::pi) : std::cbrt(0.75 * each / std::numbers::pi);
  std::vector<std::array<double, D>> v(x.size());
  std::array<double, D> mean{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto normal = numerics::normals(plan.seed, static_cast<std::uint64_t>(system), i);
    for (std::size_t d = 0; d < D; ++d) {
      v[i][d] = normal[d];
      mean[d] += v[i][d] / static_cast<double>(x.size());
    }
  }
  double twice = 0;
  for (auto& one : v) {
    for (std::size_t d = 0; d < D; ++d) {
      one[d] -= mean[d];
      twice += one[d] * one[d];
    }
  }
  const double scale = std::sqrt(static_cast<double>(D * x.size()) / twice);
  for (auto& one : v) {
    for (double& component : one) component *= scale;
  }
  return billiards::HardSpheres<D>(options, x, v);
}

template billiards::HardSpheres<2> hard_spheres<2>(const HardSpheresPlan&, std::int64_t);
template billiards::HardSpheres<3> hard_spheres<3>(const HardSpheresPlan&, std::int64_t);

}  // namespace cotangent::studies
