// SPDX-License-Identifier: BSD-3-Clause
// An orthonormal frame of deviations of each lane's trajectory, carried along by who flies it and made
// orthonormal again after each step by the modified Gram-Schmidt process; a GrowthWatch hears of it. It
// begins with random directions, keyed by the trajectory's id, d_1 ... d_N isotropic and then J d_N ... J
// d_1: a symplectic map leaves such a frame of that kind, so that exponents come in pairs from the first step
// on. Under constraints and where something rolls the directions are made tangent to what these allow instead
// (integrators/tangent_space.hpp). The norm is that of (dq, dv), or (dq, dp).
// References: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980) 9 and 21; Leimkuhler, Van Vleck,
// Numer. Math. 77 (1997) 269.
#pragma once

#include <memory>
#include <vector>

#include "integrators/method.hpp"
#include "numerics/random.hpp"
#include "sections/growth.hpp"

namespace cotangent::sections {

template <class R, int N>
class DeviationFrame {
  static constexpr int W = numerics::width_of<R>;
  using Mask = numerics::mask_of<R>;
  using Deviation = integrators::Deviation<R, N>;

 public:
  explicit DeviationFrame(const GrowthRule& rule)
      : frame_(static_cast<std::size_t>(rule.deviations)),
        factor_(frame_.size() * (frame_.size() + 1) / 2),
        watch_(rule.watch(W)) {}

  /// Of a trajectory whose neighbours may lie in any direction.
  void begin(int lane, std::int64_t id) {
    std::vector<Deviation> fresh = drawn(id, N);
    for (int round = 0; round < 2; ++round) make_isotropic(fresh);  // twice, as they may be nearly dependent
    for (int k = N - 1; k >= 0; --k) fresh.push_back(conjugate(fresh[static_cast<std::size_t>(k)]));
    put(lane, fresh);
  }
  /// Of one whose neighbours may not: make_tangent(d) takes out of d what can't be.
  template <class MakeTangent>
  void begin(int lane, std::int64_t id, const MakeTangent& make_tangent) {
    std::vector<Deviation> fresh = drawn(id, 2 * N);
    fresh.resize(frame_.size());
    for (Deviation& d : fresh) make_tangent(d);
    for (int round = 0; round < 2; ++round) orthonormalise(Mask(true), fresh);
    put(lane, fresh);
  }

  /// Over a step of these lanes, which begins at `time`: move(deviations) takes them along.
  template <class Move>
  void follow(Mask lanes, const R& time, const R& step, const Move& move) {
    move(frame_);
    orthonormalise(lanes, frame_);
    const R taken = select(lanes, R(1.0), R(0.0));
    watch_->grow(doubles(&taken), doubles(&time), doubles(&step), doubles(factor_.data()));
  }
  bool decided(int lane) const { return watch_->decided(lane); }
  void finish(int lane, std::vector<double>& tallies) const { watch_->finish(lane, tallies); }

  std::size_t state_size() const { return frame_.size() * 2 * N + watch_->state_size(); }
  void save(int lane, double* state) const {
    for (const Deviation& d : frame_) {
      integrators::save_lane<R>(d, lane, state);
      state += 2 * N;
    }
    watch_->save(lane, state);
  }
  void restore(int lane, const double* state) {
    for (Deviation& d : frame_) {
      integrators::load_lane<R>(d, lane, state);
      state += 2 * N;
    }
    watch_->restore(lane, state);
  }

 private:
  static constexpr std::uint64_t seed = 0x6465766961746573;
  static const double* doubles(const R* reals) { return reinterpret_cast<const double*>(reals); }

  static std::vector<Deviation> drawn(std::int64_t id, int count) {
    std::vector<Deviation> fresh(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      for (int n = 0; n < N; ++n) {
        const auto draw = static_cast<std::uint64_t>(k) * N + static_cast<std::uint64_t>(n);
        const auto random = numerics::normals(seed, static_cast<std::uint64_t>(id), draw);
        fresh[k].q[n] = R(random[0]);
        fresh[k].y[n] = R(random[1]);
      }
    }
    return fresh;
  }
  void put(int lane, const std::vector<Deviation>& fresh) {
    watch_->begin(lane);
    for (std::size_t k = 0; k < frame_.size(); ++k)
      integrators::copy_lane<R>(fresh[k], lane, frame_[k], lane);
  }

  /// J d
  static Deviation conjugate(const Deviation& d) {
    Deviation result;
    for (int n = 0; n < N; ++n) {
      result.q[n] = d.y[n];
      result.y[n] = -d.q[n];
    }
    return result;
  }
  static void take_out(Deviation& d, const Deviation& unit, const R& along) {
    for (int n = 0; n < N; ++n) {
      d.q[n] = fma(-along, unit.q[n], d.q[n]);
      d.y[n] = fma(-along, unit.y[n], d.y[n]);
    }
  }
  /// Orthonormal, and each orthogonal to J times any other.
  static void make_isotropic(std::vector<Deviation>& fresh) {
    for (std::size_t j = 0; j < fresh.size(); ++j) {
      Deviation& d = fresh[j];
      for (std::size_t i = 0; i < j; ++i) {
        const Deviation other = conjugate(fresh[i]);
        take_out(d, fresh[i], product(fresh[i], d));
        take_out(d, other, product(other, d));
      }
      const R scale = R(1.0) / sqrt(product(d, d));
      for (int n = 0; n < N; ++n) {
        d.q[n] = scale * d.q[n];
        d.y[n] = scale * d.y[n];
      }
    }
  }

  static R product(const Deviation& a, const Deviation& b) {
    R sum(0.0);
    for (int n = 0; n < N; ++n) sum = fma(a.y[n], b.y[n], fma(a.q[n], b.q[n], sum));
    return sum;
  }
  /// The frame of these lanes; the others keep theirs.
  void orthonormalise(Mask lanes, std::vector<Deviation>& frame) {
    const int count = static_cast<int>(frame.size());
    const auto factor = [&](int i, int j) -> R& { return factor_[i * count - i * (i + 1) / 2 + j]; };
    for (int j = 0; j < count; ++j) {
      Deviation d = frame[j];
      for (int i = 0; i < j; ++i) {
        const R along = factor(i, j) = product(frame[i], d);
        take_out(d, frame[i], along);
      }
      const R size = factor(j, j) = sqrt(product(d, d)), scale = R(1.0) / size;
      for (int n = 0; n < N; ++n) {
        frame[j].q[n] = select(lanes, scale * d.q[n], frame[j].q[n]);
        frame[j].y[n] = select(lanes, scale * d.y[n], frame[j].y[n]);
      }
    }
  }

  std::vector<Deviation> frame_;
  std::vector<R> factor_;  ///< F of the last step, row by row of its upper triangle
  std::unique_ptr<GrowthWatch> watch_;
};

}  // namespace cotangent::sections
