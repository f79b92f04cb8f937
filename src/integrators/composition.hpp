// SPDX-License-Identifier: BSD-3-Clause
// Compositions of RATTLE: steps of lengths gamma_1 h, ..., gamma_s h, gamma symmetric with sum 1, so chosen
// that the errors of lower order cancel. Order 4 and 6; symplectic and symmetric as RATTLE is. References:
// Suzuki, Phys. Lett. A 146 (1990) 319; Yoshida, Phys. Lett. A 150 (1990) 262; Kahan, Li, Math. Comp. 66
// (1997) 1089; Hairer, Lubich, Wanner (2006), V.3.2; under constraints, Reich, SIAM J.
// Numer. Anal. 33 (1996) 475.
#pragma once

#include "integrators/rattle.hpp"

namespace cotangent::integrators {

/// 1 / (4 - 4^(1/3)) twice, the rest once, twice again.
struct Suzuki4 {
  static constexpr std::string_view name = "rattle-suzuki-4";
  static constexpr std::string_view about = "five steps of RATTLE (Suzuki), order 4: small error, symplectic";
  static constexpr int order = 4;
  static constexpr double outer = 0.41449077179437573714;
  static constexpr std::array steps{outer, outer, 1 - 4 * outer, outer, outer};
};

/// 1 / (2 - 2^(1/3)), the rest, again: the least work for order 4, the largest error.
struct Yoshida4 {
  static constexpr std::string_view name = "rattle-yoshida-4";
  static constexpr std::string_view about =
      "three steps of RATTLE (Yoshida's triple jump), order 4: symplectic";
  static constexpr int order = 4;
  static constexpr double outer = 1.3512071919596576340;
  static constexpr std::array steps{outer, 1 - 2 * outer, outer};
};

struct Yoshida6 {
  static constexpr std::string_view name = "rattle-yoshida-6";
  static constexpr std::string_view about = "seven steps of RATTLE (Yoshida), order 6: symplectic";
  static constexpr int order = 6;
  static constexpr double a = 0.78451361047755726382, b = 0.23557321335935813368, c = -1.17767998417887100695;
  static constexpr std::array steps{a, b, c, 1 - 2 * (a + b + c), c, b, a};
};

struct KahanLi6 {
  static constexpr std::string_view name = "rattle-kahan-li-6";
  static constexpr std::string_view about =
      "nine steps of RATTLE (Kahan and Li), order 6: symplectic, of smaller error than Yoshida's";
  static constexpr int order = 6;
  static constexpr double a = 0.39216144400731413928, b = 0.33259913678935943860, c = -0.70624617255763935981,
                          d = 0.08221359629355080023;
  static constexpr std::array steps{a, b, c, d, 1 - 2 * (a + b + c + d), d, c, b, a};
};

/// One of RATTLE's steps within a composition: compiled once for all schemes.
template <class System, class R, int N, class Mask>
[[gnu::noinline]] Mask rattle_substep(const System& system, const Motion<System>& motion, const R& h,
                                      const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                      RattleFormula::Dense<System>& dense,
                                      RattleFormula::StageCache<System>& cache,
                                      const MethodOptions& options) {
  return RattleFormula::step(system, motion, h, x, active, change, dense, cache, cache, options);
}

template <class Scheme>
struct RattleCompositionFormula : RattleFormula {
  static constexpr std::string_view name = Scheme::name, about = Scheme::about;
  static constexpr int order = Scheme::order;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>& dense, const StageCache<System>& last,
                   StageCache<System>& next, const MethodOptions& options) {
    Beginning<R, N> at = x;
    Mask solved = active;
    next = last;
#pragma GCC unroll 1
    for (const double share : Scheme::steps) {
      Change<R, N> part;
      next.lambda_before = next.lambda;  // their times aren't equidistant
      solved = rattle_substep(system, motion, R(share) * h, at, solved, part, dense, next, options);
      at.t += R(share) * h;
      for (int n = 0; n < N; ++n) {
        at.q[n] += part.q[n];
        at.y[n] += part.y[n];
      }
      at.v = at.y;
    }
    for (int n = 0; n < N; ++n) {
      change.q[n] = at.q[n] - x.q[n];
      change.y[n] = at.y[n] - x.y[n];
    }
    return solved;
  }
};

template <class System, class Scheme>
using RattleComposition = OneStep<System, RattleCompositionFormula<Scheme>>;

}  // namespace cotangent::integrators
