// SPDX-License-Identifier: BSD-3-Clause
// Surface for one model.
#pragma once

#include <algorithm>
#include <cstring>

#include "mechanics/lagrangian.hpp"
#include "numerics/lanes.hpp"
#include "sections/surface.hpp"

namespace cotangent::sections {

/// The system of a model with these parameters; those that aren't given have their defaults.
template <class Model, class R = double>
mechanics::System<Model, R> system_of(Values parameters) {
  mechanics::System<Model, R> system;
  for (std::size_t k = 0; k < std::min(parameters.size(), system.parameters.size()); ++k)
    system.parameters[k] = R(parameters[k]);
  return system;
}

template <class Model>
inline constexpr bool holds_particle_on_surface = [] {
  using System = mechanics::System<Model, double>;
  return System::dim == 3 && System::constraints == 1 && !System::rolls && !System::moving;
}();

template <class Model>
class SurfaceOf final : public Surface {
 public:
  geometry::LevelPoint level(const geometry::SpacePoint& q, Values parameters) const override {
    const auto at = system_of<Model>(parameters).constraint(q);
    return {at.value[0], at.gradient[0]};
  }
  void levels(std::size_t count, const std::array<const double*, 3>& q, double* value,
              const std::array<double*, 3>& gradient, Values parameters) const override {
    constexpr std::size_t W = 2 * numerics::native_width;  // one register waits for its divisions
    using R = numerics::Lanes<W>;
    const auto system = system_of<Model, R>(parameters);
    for (std::size_t i = 0; i < count; i += W) {
      const std::size_t some = std::min(W, count - i);
      std::array<R, 3> x;
      for (std::size_t d = 0; d < 3; ++d) {
        x[d] = R(q[d][i]);
        std::memcpy(&x[d], q[d] + i, some * sizeof(double));
      }
      const auto at = system.constraint(x);
      std::memcpy(value + i, &at.value[0], some * sizeof(double));
      for (std::size_t d = 0; d < 3; ++d)
        std::memcpy(gradient[d] + i, &at.gradient[0][d], some * sizeof(double));
    }
  }
  double curvature(const geometry::SpacePoint& q, const geometry::SpacePoint& v,
                   Values parameters) const override {
    return mechanics::constraint_curvature<Model>(q, v, system_of<Model>(parameters).parameters)[0];
  }
};

}  // namespace cotangent::sections
