// SPDX-License-Identifier: BSD-3-Clause
// A model of one's own. Two bobs hang over pulleys; one of them swings, and what it weighs on the string
// decides whether the other, mu times as heavy, rises or falls. Lengths in L, times in (L/g)^(1/2).
//   L = (1 + mu) r'^2 / 2 + r^2 a'^2 / 2 + r (cos a - mu),  r > 0
// Bounded for mu > 1, integrable for mu = 3. Reference: Tufillaro, Abbott, Griffiths, Am. J. Phys. 52 (1984)
// 895.
#include "studies/program/program.hpp"

struct SwingingAtwood {
  static constexpr std::string_view name = "swinging-atwood";
  static constexpr std::string_view about = "Swinging Atwood machine: a bob that swings while it is hauled";
  static constexpr int dim = 2;
  static constexpr std::array<cotangent::mechanics::Coordinate, dim> coordinates{{{"r"}, {"a", "rad", true}}};
  static constexpr std::array<cotangent::mechanics::Parameter, 1> parameters{
      {{"mu", 2.5, "mass of the counterweight over that of the bob"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using cotangent::ad::square;
    const auto [r, a] = q;
    const auto [r_dot, a_dot] = v;
    const auto [mu] = p;
    return 0.5 * (1.0 + mu) * square(r_dot) + 0.5 * square(r * a_dot) + r * (cos(a) - mu);
  }
  auto domain(const auto& q, const auto&) const { return q[0]; }
};

int main(int argc, char** argv) {
  return cotangent::studies::run_program(argc, argv, cotangent::studies::own<SwingingAtwood>());
}
