// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation with s stages on the index-reduced equations of constrained motion, q'' = a(q, v) with
// the multipliers eliminated: order 2 s, symmetric. What constrains, on a manifold or rolling, is only a weak
// invariant of these equations and drifts; with projection = "symmetric" and onto = "both" constraints and
// energy hold to round-off, and the method stays symmetric, for the equations also make sense beside the
// constraints. By fixed-point iteration. Reference: Hairer, Lubich, Wanner (2006), II.1.3, V.4.1 and VII.1.2.
#pragma once

#include "integrators/gauss_tables.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct ReducedGaussFormula : PlainFormula {
  static constexpr std::string_view name = "reduced-gauss";
  static constexpr std::string_view about =
      "Gauss collocation on the index-reduced equations, order 2 stages: symmetric; constraints drift unless "
      "projected";
  static constexpr int order = 2;  // and more
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;
  static constexpr std::array options{option::stages(1, max_stages, "nodes in a step"), option::step,
                                      option::projection, option::onto};

  template <class System>
  using Dense = HermiteOfStages<System>;

  static void check(const MethodOptions& options) { GaussTables::of(options.stages); }

  template <class System, class R, int N, class Mask>
  [[gnu::noinline]] static Mask step(const System& system, const Motion<System>& motion, const R& h,
                                     const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                     [[maybe_unused]] Dense<System>& dense, const MethodOptions& options) {
    const auto tables = GaussTables::of(options.stages);
    const int s = tables->stages;
    std::array<std::array<R, N>, max_stages> a, v;
    a.fill(motion.acceleration(system, x.q, x.v, x.t));
    const Mask solved = fixed_point<R>(
        active, x, x.v,
        [&](Mask open) {
          for (int i = 0; i < s; ++i) v[i] = sum(&tables->a[i * s], s, a, h, x.v);
          R moved(0.0);
          for (int i = 0; i < s; ++i) {
            const auto q = sum(&tables->a[i * s], s, v, h, x.q);
            const auto next = motion.acceleration(system, q, v[i], fma(R(tables->c[i]), h, x.t));
            for (int n = 0; n < N; ++n) {
              moved += numerics::absolute(h * (next[n] - a[i][n]));
              a[i][n] = select(open, next[n], a[i][n]);
            }
          }
          return moved;
        },
        sum_of_sizes(x.q));
    const std::array<R, N> zero{};
    for (int i = 0; i < s; ++i) v[i] = sum(&tables->a[i * s], s, a, h, x.v);
    if constexpr (System::driven) {
      dense.work = R(0.0);
      for (int i = 0; i < s; ++i) {
        const R power =
            system.power(sum(&tables->a[i * s], s, v, h, x.q), v[i], fma(R(tables->c[i]), h, x.t));
        dense.work = fma(h * R(tables->b[i]), power, dense.work);
      }
    }
    change.q = sum(tables->b.data(), s, v, h, zero);
    change.y = sum(tables->b.data(), s, a, h, zero);
    return solved;
  }

 private:
  /// from + h sum_j weight_j rate_j
  template <class R, std::size_t N>
  static std::array<R, N> sum(const double* weight, int s,
                              const std::array<std::array<R, N>, max_stages>& rate, const R& h,
                              const std::array<R, N>& from) {
    std::array<R, N> result;
    for (std::size_t n = 0; n < N; ++n) {
      R whole(0.0);
      for (int j = 0; j < s; ++j) whole = fma(R(weight[j]), rate[j][n], whole);
      result[n] = fma(h, whole, from[n]);
    }
    return result;
  }
};

template <class System>
using ReducedGauss = OneStep<System, ReducedGaussFormula>;

}  // namespace cotangent::integrators
