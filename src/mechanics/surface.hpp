// SPDX-License-Identifier: BSD-3-Clause
// A particle that glides without friction on a surface g(x, y, z) = 0:
//   L = mass |v|^2 / 2 - mass gravity z,   g(q) = 0.
// Surfaces are structs in surfaces/, one file each, that state g and its parameters; `objection` says what is
// wrong with parameters for which the set isn't a regular surface, or isn't there.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

template <class S>
struct ParticleOn {
  using Surface = S;
  static constexpr std::string_view name = S::name;
  static constexpr std::string_view about = S::about;
  static constexpr int dim = 3;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}, {"z"}}};
  static constexpr std::size_t shape = S::parameters.size();  ///< how many parameters are the surface's
  static constexpr auto parameters = [] {
    std::array<Parameter, shape + 2> list{};
    for (std::size_t k = 0; k < shape; ++k) list[k] = S::parameters[k];
    list[shape] = {"mass", 1.0, "of the particle"};
    list[shape + 1] = {"gravity", 0.0, "acceleration of free fall, down the z axis"};
    return list;
  }();

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return p[shape] * (0.5 * (square(u) + square(w) + square(s)) - p[shape + 1] * z);
  }
  [[gnu::always_inline]] auto constraint(const auto& q, const auto& p) const { return S{}(q, of_surface(p)); }

  static std::optional<std::string> objection(const std::array<double, shape + 2>& p) {
    if (!(p[shape] > 0)) return "mass must be positive";
    if constexpr (requires { S::objection(of_surface(p)); }) return S::objection(of_surface(p));
    return std::nullopt;
  }

 private:
  template <class R>
  [[gnu::always_inline]] static std::array<R, shape> of_surface(const std::array<R, shape + 2>& p) {
    std::array<R, shape> result;
    for (std::size_t k = 0; k < shape; ++k) result[k] = p[k];
    return result;
  }
};

}  // namespace cotangent::mechanics
