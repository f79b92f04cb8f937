// SPDX-License-Identifier: BSD-3-Clause
// A method as one virtual interface per pack of lanes, so that what happens between steps (events, records)
// is compiled once for so many coordinates and not for each model and method. One call advances all lanes.
#pragma once

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "integrators/any_system.hpp"
#include "integrators/gauss_tables.hpp"
#include "integrators/method.hpp"

namespace cotangent::integrators {

/// What is looked at after the last of some steps.
template <class R>
struct Passed {
  std::int64_t steps;  ///< how many
  numerics::mask_of<R> took;
  R t, energy;                   ///< where the step ended
  numerics::mask_of<R> farther;  ///< lanes farther off their constraints than ever before
};

/// What is kept of all steps so far.
template <class R>
struct Track {
  R energy{0.0};                    ///< of the start
  R energy_error{0.0};              ///< the largest
  R constraint_error_squared{0.0};  ///< the largest, as of constraint_error_squared()
  R steps{0.0};
};

/// The contract of method.hpp, at run time. All calls are given one system, that of the model that it is made
/// for.
template <class R, int N>
class Stepper {
 public:
  using System = AnySystem<R, N>;
  using Mask = numerics::mask_of<R>;

  virtual ~Stepper() = default;
  virtual void start(const System& system, const State<R, N>& x, Mask lanes) = 0;
  virtual void resume(const System& system) = 0;
  virtual Mask advance(const System& system, Mask active) = 0;
  /// At most so many steps, until something is to be looked at: a lane's time reaches `until`, its step
  /// fails, or its constraints are farther off than ever. Of steps before that the track is kept here, of the
  /// last the caller does it. One call, since for short steps calls are dear.
  virtual Passed<R> pass(const System& system, Mask active, const R& until, Track<R>& track,
                         std::int64_t most) = 0;
  virtual State<R, N> begin() const = 0;
  virtual State<R, N> end() const = 0;
  virtual R begin_time() const = 0;
  virtual R step() const = 0;
  virtual int degree() const = 0;
  virtual void bernstein(int n, R* out) const = 0;
  virtual CubicDeviation<R> bend(int n) const = 0;
  /// The other is of the same method and options.
  virtual void take(int slot, const Stepper& other, int lane) = 0;
  virtual void refine(const System& system) = 0;
  virtual State<R, N> dense(const R& theta) = 0;
  virtual State<R, N> again(const System& system, const R& theta, Mask lanes) = 0;
  virtual Mask dense_is_exact() const = 0;
  virtual R failure() const = 0;
  /// What the driving of a driven system added to the energy over the last step, or the first `part` of it,
  /// to the method's accuracy.
  virtual R work(const System& system, const R& part) = 0;
  /// How far off its constraints the last step ended: the largest (g / |grad g|)^2 and (r / |dr/dv|)^2.
  virtual R constraint_error_squared(const System& system) const = 0;
  /// Whether that is within a bound, at the cost of no division.
  virtual Mask constraint_within(const System& system, const R& squared) const = 0;
  /// Whether the method has a tangent map with its options.
  virtual bool has_tangent() const = 0;
  virtual void tangent(const System& system, const R& part, Mask lanes, Deviation<R, N>* d, int count) = 0;
  /// Whether the pair of a deviation is (q, p), else (q, v).
  virtual bool momenta() const = 0;
  /// Whether deviations stay in what constraints and rolling allow, in spite of round-off.
  virtual bool stays_tangent() const = 0;
  virtual std::size_t memory_size() const = 0;
  /// A lane's memory to and from memory_size() numbers.
  virtual void save(int lane, double* out) const = 0;
  virtual void load(int lane, const double* in) = 0;
};

/// The quintic through positions, velocities and accelerations at both ends of a step.
template <class System>
class QuinticHermite {
  using R = typename System::Real;
  static constexpr int N = System::dim;

 public:
  QuinticHermite(const System& system, const R& h, const State<R, N>& begin, const State<R, N>& end)
      : t_(begin.t), h_(h) {
    const auto a = system.acceleration(begin.q, begin.v, begin.t),
               b = system.acceleration(end.q, end.v, end.t);
    for (int n = 0; n < N; ++n) {
      const R drift = h_ * begin.v[n], bend = h_ * h_ * a[n];
      const R way = end.q[n] - begin.q[n] - drift - R(0.5) * bend, gain = h_ * (end.v[n] - begin.v[n]) - bend,
              rest = h_ * h_ * (b[n] - a[n]);
      series_[n] = {begin.q[n],
                    drift,
                    R(0.5) * bend,
                    R(10.0) * way - R(4.0) * gain + R(0.5) * rest,
                    R(7.0) * gain - R(15.0) * way - rest,
                    R(6.0) * way - R(3.0) * gain + R(0.5) * rest};
    }
  }
  State<R, N> operator()(const R& theta) const {
    State<R, N> x;
    x.t = fma(theta, h_, t_);
    for (int n = 0; n < N; ++n) {
      R slope(0.0);
      for (int k = 5; k >= 0; --k) {
        if (k < 5) slope = fma(theta, slope, x.q[n]);
        x.q[n] = fma(theta, x.q[n], series_[n][k]);
      }
      x.v[n] = slope / h_;
    }
    return x;
  }

 private:
  R t_, h_;
  std::array<std::array<R, 6>, N> series_;  ///< of powers of theta
};

/// Whether a method's order is more than that of an integral over its polynomial.
template <class Method>
inline constexpr bool outruns_its_polynomial = [] {
  if constexpr (requires { Method::order > Method::polynomial_degree; })
    return Method::order > Method::polynomial_degree + 1;
  return false;
}();

template <class System, class Method>
class StepperOf final : public Stepper<typename System::Real, System::dim> {
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Base = Stepper<R, N>;
  using Any = AnySystem<R, N>;
  using typename Base::Mask;
  using X = State<R, N>;
  using Memory = typename Method::Memory;

 public:
  explicit StepperOf(const MethodOptions& options) : method_(options) {}
  void start(const Any& system, const X& x, Mask lanes) override {
    if constexpr (System::rolls && !mechanics::rolling_moves<typename System::Model>)
      judge_rolling(of(system), x, lanes);
    method_.start(of(system), x, lanes);
  }
  void resume([[maybe_unused]] const Any& system) override {
    if constexpr (requires(const System& s) { method_.resume(s); }) method_.resume(of(system));
  }
  Mask advance(const Any& system, Mask active) override { return method_.advance(of(system), active); }
  Passed<R> pass(const Any& all, Mask active, const R& until, Track<R>& track, std::int64_t most) override {
    const System& system = of(all);
    Passed<R> passed;
    for (passed.steps = 1;; ++passed.steps) {
      passed.took = method_.advance(system, active);
      const X x = method_.end();
      passed.t = x.t;
      passed.energy = system.energy(x.q, x.v, x.t);
      passed.farther = Mask(false);
      if constexpr (System::multipliers > 0)
        passed.farther = !constraint_within(all, track.constraint_error_squared);
      if (passed.steps >= most) return passed;
      const R error = numerics::absolute(passed.energy - track.energy);
      const Mask quiet = passed.took & (passed.t < until) & !passed.farther &
                         (error <= R(std::numeric_limits<double>::max()));
      if (any(active & !quiet)) return passed;
      track.energy_error = select(active, numerics::larger(error, track.energy_error), track.energy_error);
      track.steps += select(active, R(1.0), R(0.0));
    }
  }
  X begin() const override { return method_.begin(); }
  X end() const override { return method_.end(); }
  R begin_time() const override { return method_.begin_time(); }
  R step() const override { return method_.step(); }
  int degree() const override { return method_.degree(); }
  void bernstein(int n, R* out) const override { method_.bernstein(n, out); }
  CubicDeviation<R> bend(int n) const override {
    if constexpr (requires { method_.bend(n); }) {
      return method_.bend(n);
    } else {
      std::array<R, max_degree + 1> c;
      method_.bernstein(n, c.data());
      return integrators::bend(c, method_.degree(), step() * begin().v[n], step() * end().v[n]);
    }
  }
  void take(int slot, const Base& other, int lane) override {
    method_.take(slot, static_cast<const StepperOf&>(other).method_, lane);
  }
  void refine([[maybe_unused]] const Any& system) override {
    if constexpr (requires(const System& s) { method_.refine(s); }) method_.refine(of(system));
  }
  X dense(const R& theta) override { return method_.dense(theta); }
  X again(const Any& system, const R& theta, Mask lanes) override {
    return method_.again(of(system), theta, lanes);
  }
  Mask dense_is_exact() const override { return method_.dense_is_exact(); }
  R failure() const override { return method_.failure(); }
  R work([[maybe_unused]] const Any& system, [[maybe_unused]] const R& part) override {
    if constexpr (requires(const System& s) { method_.work(s, part); }) {
      return method_.work(of(system), part);
    } else if constexpr (System::driven && !System::kicked && requires { method_.work(); }) {
      return method_.work();
    } else if constexpr (System::driven && outruns_its_polynomial<Method>) {
      const QuinticHermite<System> path(of(system), step(), method_.begin(), method_.end());
      return work_along(of(system), part, 6, path);
    } else if constexpr (System::driven) {
      return work_along(of(system), part, std::min(method_.degree() + 1, max_stages),
                        [&](const R& theta) { return method_.dense(theta); });
    } else {
      return R(0.0);
    }
  }
  R constraint_error_squared([[maybe_unused]] const Any& system) const override {
    if constexpr (requires { method_.constraint_error_squared(); }) {
      return method_.constraint_error_squared();
    } else {
      R worst(0.0);
      if constexpr (System::constrained)
        worst = of(system).constraint_by_call(method_.end().q, method_.end().t).error_squared();
      if constexpr (System::rolls) {
        const R slip = of(system).slip(method_.end().q, method_.end().v).error_squared();
        worst = select(slip <= worst, worst, slip);  // NaN shows
      }
      return worst;
    }
  }
  Mask constraint_within([[maybe_unused]] const Any& system, const R& squared) const override {
    if constexpr (requires { method_.constraint_within(squared); }) {
      return method_.constraint_within(squared);
    } else {
      return constraint_error_squared(system) <= squared;
    }
  }
  bool has_tangent() const override {
    if constexpr (has_tangent_maps<System> && requires { method_.has_tangent(); }) {
      return method_.has_tangent();
    } else {
      return false;
    }
  }
  void tangent([[maybe_unused]] const Any& system, [[maybe_unused]] const R& part,
               [[maybe_unused]] Mask lanes, [[maybe_unused]] Deviation<R, N>* d,
               [[maybe_unused]] int count) override {
    if constexpr (has_tangent_maps<System> &&
                  requires(const System& s) { method_.tangent(s, part, lanes, d, count); }) {
      method_.tangent(of(system), part, lanes, d, count);
    }
  }
  bool momenta() const override {
    if constexpr (requires { Method::momenta; }) {
      return Method::momenta;
    } else {
      return false;
    }
  }
  bool stays_tangent() const override {
    if constexpr (System::multipliers == 0) {
      return true;
    } else if constexpr (requires { Method::stays_tangent; }) {
      return Method::stays_tangent;
    } else {
      return false;
    }
  }
  std::size_t memory_size() const override { return sizeof(Memory) / sizeof(R); }
  void save(int lane, double* out) const override { save_lane<R>(method_.memory(), lane, out); }
  void load(int lane, const double* in) override { load_lane<R>(method_.memory(), lane, in); }

 private:
  /// Throws an Error where a model rolls on what moves and doesn't say so: its energy would be taken for
  /// kept.
  static void judge_rolling(const System& system, const X& x, Mask lanes) {
    R speed(1.0);
    for (const R& v : x.v) speed = numerics::larger(numerics::absolute(v), speed);
    const R still = system.slip(x.q, {}).error_squared();
    if (any(lanes & (still > R(1e-20) * (speed * speed))))
      throw Error(
          "what the model rolls on moves: its rolling conditions don't vanish with the velocities, so that "
          "their forces work; its struct has to say static constexpr bool rolling_moves = true;");
  }
  /// The integral of the power over the first part of the step, by so many nodes of Gauss.
  template <class Path>
  R work_along(const System& system, const R& part, int nodes, const Path& path) {
    if (!work_nodes_) work_nodes_ = GaussTables::of(nodes);
    R sum(0.0);
    for (int i = 0; i < nodes; ++i) {
      const X x = path(part * R(work_nodes_->c[i]));
      sum = fma(R(work_nodes_->b[i]), system.power(x.q, x.v, x.t), sum);
    }
    return sum * (part * step());
  }
  static const System& of(const Any& system) {
    return static_cast<const AnySystemOf<System>&>(system).system;
  }

  Method method_;
  std::shared_ptr<const GaussTables> work_nodes_;  ///< made when work() is asked for
};

}  // namespace cotangent::integrators
