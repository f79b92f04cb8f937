// SPDX-License-Identifier: BSD-3-Clause
// When an iteration for the stages of a step may stop: lane by lane, each frozen once it has converged.
// The change delta_k of iterate k and the contraction rho = delta_k / delta_{k-1} estimate the remaining
// error rho delta_k; a lane stops when that falls below a fraction of round-off, or when changes of round-off
// size no longer shrink. Reference: Hairer, McLachlan, Razakarivony, BIT 48 (2008) 231.
#pragma once

#include "numerics/dense.hpp"

namespace cotangent::integrators {

template <class R>
class Convergence {
 public:
  using Mask = numerics::mask_of<R>;

  /// The error to reach, and the size below which changes may stall, as fractions of the scale.
  Convergence(Mask active, double target, double noise)
      : target_fraction_(target), noise_fraction_(noise), active_(active), open_(active) {}

  /// Changes of the unknowns are measured against `scale`; they may also stall at `rounding`, what the
  /// rounding of positions makes of them: unknowns may vanish where positions don't.
  void measure_against(const R& scale, const R& rounding = R(0.0)) {
    target_ = scale * R(target_fraction_);
    noise_ = numerics::larger(scale * R(noise_fraction_), rounding);
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
