// SPDX-License-Identifier: BSD-3-Clause
// When an iteration for the stages of a step may stop: lane by lane, each frozen once it has converged.
// The change delta_k of iterate k and the contraction rho = delta_k / delta_{k-1} estimate the remaining
// error rho delta_k; a lane stops when that falls below a fraction of round-off, or when changes of round-off
// size no longer shrink. Reference: Hairer, McLachlan, Razakarivony, BIT 48 (2008) 231.
#pragma once

#include "integrators/stage_algebra.hpp"

namespace cotangent::integrators {

/// The integrals from 0 to theta of P_k(2 x - 1), k = 0 ... n.
template <class R>
std::array<R, max_stages + 4> integrals(int n, const R& theta) {
  std::array<R, max_stages + 4> result;
  const R x = R(2.0) * theta - R(1.0);
  R before(1.0), now = x;
  result[0] = theta;
  for (int k = 1; k <= n; ++k) {
    const R after = (R(2.0 * k + 1) * (x * now) - R(1.0 * k) * before) * R(1.0 / (k + 1));
    result[k] = (after - before) * R(0.5 / (2 * k + 1));
    before = now;
    now = after;
  }
  return result;
}

namespace detail {
/// Legendre series at Block points x, their recurrences under way together.
template <class R, int N, int Block>
[[gnu::always_inline]] inline void series(int terms, const Coefficients<R, N>& g, const R* x,
                                          std::array<R, N>* out) {
  std::array<R, Block> z, before, now;
  std::array<std::array<R, N>, Block> sum;
#pragma GCC unroll 8
  for (int i = 0; i < Block; ++i) {
    z[i] = R(2.0) * x[i] - R(1.0);
    before[i] = now[i] = R(1.0);
    for (int n = 0; n < N; ++n) sum[i][n] = g[0][n];
  }
  for (int k = 1; k < terms; ++k) {
    const R rise((2.0 * k - 1) / k), fall((1.0 - k) / k);
#pragma GCC unroll 8
    for (int i = 0; i < Block; ++i) {
      const R after = k == 1 ? z[i] : fma(rise, z[i] * now[i], fall * before[i]);
      before[i] = now[i];
      now[i] = after;
      for (int n = 0; n < N; ++n) sum[i][n] = fma(after, g[k][n], sum[i][n]);
    }
  }
  for (int i = 0; i < Block; ++i) out[i] = sum[i];
}
}  // namespace detail

/// sum_k g_k P_k(2 x - 1), k < terms.
template <class R, int N>
std::array<R, N> series(int terms, const Coefficients<R, N>& g, const R& x) {
  std::array<R, N> sum;
  detail::series<R, N, 1>(terms, g, &x, &sum);
  return sum;
}

/// The same at the stages of a step that begins at `from` and is `ratio` long.
template <class R, int N>
void series_at_stages(const GaussTables& tables, int terms, const Coefficients<R, N>& g, const R& from,
                      const R& ratio, Stages<R, N>& out) {
  constexpr int block = N <= 2 ? 4 : 2;
  std::array<R, block> x;
  int i = 0;
  for (; i + block <= tables.stages; i += block) {
    for (int k = 0; k < block; ++k) x[k] = fma(ratio, R(tables.c[i + k]), from);
    detail::series<R, N, block>(terms, g, x.data(), &out[i]);
  }
  for (; i < tables.stages; ++i) out[i] = series<R, N>(terms, g, fma(ratio, R(tables.c[i]), from));
}

template <class R>
class Convergence {
 public:
  using Mask = numerics::mask_of<R>;

  /// The error to reach, and the size below which changes may stall, as fractions of the scale.
  Convergence(Mask active, double target, double noise)
      : target_fraction_(target), noise_fraction_(noise), active_(active), open_(active) {}

  /// Changes of the unknowns are measured against `scale`.
  void measure_against(const R& scale) {
    target_ = scale * R(target_fraction_);
    noise_ = scale * R(noise_fraction_);
  }

  /// The lanes that still iterate.
  Mask open() const { return open_; }
  Mask converged() const { return active_ & !open_; }
  /// Forgets the lanes' history: another iteration takes over.
  void restart(Mask lanes) {
    last_ = select(lanes, R(0.0), last_);
    before_ = select(lanes, R(0.0), before_);
  }

  /// The next iterate in the lanes that are open, the present one elsewhere. `every`: all(open()).
  [[gnu::always_inline]] R renewed(bool every, const R& now, const R& next) const {
    return every ? next : select(open_, next, now);
  }
  /// Whether iteration k is worth asking about; the same for every lane.
  static bool watched(int k) { return k >= 3; }
  /// As if the iteration before the first had changed so much.
  void begin_after(const R& change) { last_ = change; }
  /// Closes the lanes that an iteration has brought to convergence, given its changes; a NaN keeps one open.
  void close(const R& change) {
    // By this contraction, or by the one before: the latest may be of mere round-off.
    const auto small = (change * change <= target_ * last_) | (change * last_ < target_ * before_);
    const auto stalled = (last_ > R(0.0)) & (change >= R(0.25) * last_) & (change <= noise_);
    open_ = open_ & !(small | stalled | (change == R(0.0)));
    before_ = last_;
    last_ = change;
  }

 private:
  double target_fraction_, noise_fraction_;
  R target_{0.0}, noise_{0.0};
  R last_{0.0}, before_{0.0};  // 0: not known yet
  Mask active_, open_;
};

}  // namespace cotangent::integrators
