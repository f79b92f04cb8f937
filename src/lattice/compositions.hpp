// SPDX-License-Identifier: BSD-3-Clause
// Compositions of Stormer-Verlet: the coefficients gamma_1 ... gamma_s of a step, symmetric, with sum 1.
// References: Suzuki, Phys. Lett. A 146 (1990) 319; Yoshida, ibid. 150 (1990) 262; Kahan, Li, Math. Comp. 66
// (1997) 1089; Suzuki, Umeno (1993); all in Hairer, Lubich, Wanner (2006), V.3.2.
#pragma once

#include <string>
#include <vector>

#include "integrators/composition.hpp"

namespace cotangent::lattice {

struct Composition {
  std::string name, about;
  int order;
  std::vector<double> coefficients;
};

inline const std::vector<Composition>& compositions() {
  const auto mirrored = [](std::vector<double> half) {
    double rest = 1;
    for (const double share : half) rest -= 2 * share;
    std::vector<double> all = half;
    all.push_back(rest);
    all.insert(all.end(), half.rbegin(), half.rend());
    return all;
  };
  const auto of = [](const auto& scheme) {
    return std::vector<double>(scheme.steps.begin(), scheme.steps.end());
  };
  static const std::vector<Composition> list{
      {"stormer-verlet", "Stormer-Verlet, order 2", 2, {1.0}},
      {"verlet-suzuki-4", "five steps of Stormer-Verlet (Suzuki), order 4", 4, of(integrators::Suzuki4{})},
      {"verlet-kahan-li-6", "nine steps of Stormer-Verlet (Kahan and Li), order 6", 6,
       of(integrators::KahanLi6{})},
      {"verlet-suzuki-umeno-8", "fifteen steps of Stormer-Verlet (Suzuki and Umeno), order 8", 8,
       mirrored({0.74167036435061295344822780, -0.40910082580003159399730010, 0.19075471029623837995387626,
                 -0.57386247111608226665638773, 0.29906418130365592384446354, 0.33462491824529818378495798,
                 0.31529309239676659663205666})},
      {"verlet-kahan-li-8", "seventeen steps of Stormer-Verlet (Kahan and Li), order 8", 8,
       mirrored({0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
                 0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
                 0.25837438768632204729397911, 0.29501172360931029887096624})}};
  return list;
}

}  // namespace cotangent::lattice
