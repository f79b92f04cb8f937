// SPDX-License-Identifier: BSD-3-Clause
// Surface for one model.
#pragma once

#include <algorithm>

#include "mechanics/lagrangian.hpp"
#include "sections/surface.hpp"

namespace cotangent::sections {

/// The system of a model with these parameters; those that aren't given have their defaults.
template <class Model>
mechanics::System<Model, double> system_of(Values parameters) {
  mechanics::System<Model, double> system;
  for (std::size_t k = 0; k < std::min(parameters.size(), system.parameters.size()); ++k)
    system.parameters[k] = parameters[k];
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
  double curvature(const geometry::SpacePoint& q, const geometry::SpacePoint& v,
                   Values parameters) const override {
    return mechanics::constraint_curvature<Model>(q, v, system_of<Model>(parameters).parameters)[0];
  }
};

}  // namespace cotangent::sections
