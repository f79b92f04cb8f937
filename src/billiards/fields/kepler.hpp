// SPDX-License-Identifier: BSD-3-Clause
// An attracting centre at the origin, U = -strength / r (negative strength: a repelling one). Limits: the
// centre itself is for walls to keep away; near it steps are short.
#pragma once

#include "billiards/field_of.hpp"

namespace cotangent::billiards {

template <int D>
struct KeplerIn {
  static constexpr int dim = D;
  static constexpr std::array<mechanics::Parameter, 1> parameters{
      {{"strength", 1.0, "of the attraction; negative: of repulsion"}}};

  auto potential(const auto& q, const auto& p) const {
    using ad::square;
    using std::sqrt;
    const auto squared = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (square(std::get<I>(q)) + ...);
    }
    (std::make_index_sequence<D>{});
    return -p[0] / sqrt(squared);
  }
};

struct Kepler : KeplerIn<2> {
  static constexpr std::string_view name = "kepler";
  static constexpr std::string_view about = "A centre that attracts as 1/r, in the plane";
};
struct KeplerInSpace : KeplerIn<3> {
  static constexpr std::string_view name = "kepler-in-space";
  static constexpr std::string_view about = "A centre that attracts as 1/r, in space";
};

}  // namespace cotangent::billiards
