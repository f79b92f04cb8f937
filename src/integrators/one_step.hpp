// SPDX-License-Identifier: BSD-3-Clause
// What all simple one-step methods share: a step of h from (t, q, y), y the velocities or the momenta, its
// sums compensated, and a polynomial over the step for those who look inside. A method's own file is its
// formula:
//   name, about, order                what it is
//   options                           what it takes from a deck, if more than step (and tolerance, adaptive)
//   step(system, motion, h, x, active, change, dense) -> solved    the changes of q and y over a step
//   projects                          optional: whether its steps may be projected onto invariants
//   check(options)                    optional: throws an Error for options that it can't take; step() then
//                                     gets them too, last
//   StageCache<System>                optional: reals that one step hands to the next; begin(...) makes
//                                     them, step(..., last, next, options) renews them
//   has_tangent                       whether its step, run on dual numbers (numerics/dual.hpp), is the
//                                     method's tangent map: iterations go by values, and end with a
//                                     correction of Newton's, which makes the deviations exact
//   lift(system, motion, x, cache)    with a StageCache, the same on dual numbers
//   stays_tangent                     whether deviations then stay in what constraints and rolling allow
// and where it differs from PlainFormula, from which it derives.
// Step control: h' = 0.8 h / error^(1/exponent), the error in units of the tolerance; V. P. Chan, The
// design, implementation, and applications of a novel numerical solver: the Lagrangian solver (master's
// thesis, OIST, 2018), (3.53), with the exponent of one-step errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "integrators/motion.hpp"
#include "integrators/projection.hpp"
#include "numerics/compensated.hpp"
#include "numerics/dual.hpp"

namespace cotangent::integrators {

/// Where a step begins: y is the pair's other half, v or p, and v the velocities in either case.
template <class R, int N>
struct Beginning {
  R t;
  std::array<R, N> q, y, v;
};
/// What a step adds to q and y.
template <class R, int N>
struct Change {
  std::array<R, N> q, y;
};

/// The cubic through q and v at both ends: an error of h^4 inside, q'' jumps between steps.
template <class System>
struct CubicHermite {
  using R = typename System::Real;
  static constexpr int N = System::dim, degree = 3;

  void bernstein(int n, const R& h, const State<R, N>& begin, const State<R, N>& end, R* out) const {
    out[0] = begin.q[n];
    out[1] = fma(h * R(1.0 / 3), begin.v[n], begin.q[n]);
    out[2] = fma(h * R(-1.0 / 3), end.v[n], end.q[n]);
    out[3] = end.q[n];
  }
};

/// The same of a method whose stages know the work that driving does better than this polynomial.
template <class System>
struct WorkingHermite : CubicHermite<System> {
  using R = typename System::Real;
  R work{0.0};  ///< over the step

  template <class Mask>
  void take(Mask lanes, const WorkingHermite& other) {
    work = select(lanes, other.work, work);
  }
};
template <class System>
using HermiteOfStages = std::conditional_t<System::driven, WorkingHermite<System>, CubicHermite<System>>;

/// What most formulas have in common.
struct PlainFormula {
  static constexpr bool adaptive = false;    ///< whether it estimates its error
  static constexpr bool compensated = true;  ///< whether sums are
  static constexpr bool has_tangent = false, stays_tangent = false;
  template <class System>
  static constexpr bool momenta = false;  ///< whether y is p = L_v, else v
  template <class System>
  using Dense = CubicHermite<System>;  ///< its polynomial
};
/// And those that solve for a manifold's multipliers.
struct ConstrainedFormula : PlainFormula {
  static constexpr bool compensated = false;  // errors off the manifold are taken out anyway
  static constexpr bool stays_tangent = true;
  static constexpr std::array options{option::step, option::constraint_tolerance};
};

namespace detail {
struct Nothing {
  Nothing() = default;
  explicit Nothing(const MethodOptions&) {}
};
template <class System, class Formula, class = void>
struct CarryOf {
  using type = Nothing;
};
template <class System, class Formula>
struct CarryOf<System, Formula, std::void_t<typename Formula::template StageCache<System>>> {
  using type = typename Formula::template StageCache<System>;
};
}  // namespace detail

template <class System, class Formula>
class OneStep {
  using StageCache = typename detail::CarryOf<System, Formula>::type;
  static constexpr bool carries = !std::is_empty_v<StageCache>;

  using Dense = typename Formula::template Dense<System>;
  static constexpr bool projects = can_be_projected<Formula> && !Formula::template momenta<System>;
  static constexpr bool checks = requires(const MethodOptions& options) { Formula::check(options); };

 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Sum = std::conditional_t<Formula::compensated, numerics::Compensated<R>, numerics::Plain<R>>;
  using Running = std::array<Sum, N>;

  static constexpr std::string_view name = Formula::name, about = Formula::about;
  static constexpr auto options = options_of<Formula>();
  static constexpr int order = Formula::order, polynomial_degree = Dense::degree;
  static constexpr bool adaptive = Formula::adaptive;
  static constexpr bool momenta = Formula::template momenta<System>;
  static constexpr bool stays_tangent = Formula::stays_tangent;

  struct Memory {
    numerics::Compensated<R> t;
    Running q, conjugate;  ///< conjugate: v, or p
    [[no_unique_address]] std::conditional_t<momenta, Vector, detail::Nothing> velocity;  ///< beside momenta
    R step;
    [[no_unique_address]] std::conditional_t<projects, R, detail::Nothing> energy;  ///< of the start
    [[no_unique_address]] StageCache carry;
  };

  explicit OneStep(const MethodOptions& options) : options_(options), projection_(options) {
    if (options.tolerance && !adaptive) {
      throw Error("method '" + std::string(name) +
                  "' has no estimate of its error: give step, not tolerance");
    }
    if constexpr (checks) Formula::check(options);
    if (options.projection != "none" && !projects) {
      throw Error("method '" + std::string(name) + "' isn't projected for this model's kind of Lagrangian");
    }
  }

  void start(const System& system, const State<R, N>& x, Mask lanes) {
    motion_.prepare(system, x);
    Vector y = x.v;
    if constexpr (momenta) y = Motion<System>::gradient(system, x.q, x.v, x.t).v;
    Memory fresh;
    fresh.t = {x.t, R(0.0)};
    for (int n = 0; n < N; ++n) {
      fresh.q[n] = Sum{x.q[n]};
      fresh.conjugate[n] = Sum{y[n]};
      if constexpr (momenta) fresh.velocity[n] = x.v[n];
    }
    fresh.step = R(options_.step);
    if constexpr (projects) fresh.energy = system.energy(x.q, x.v, x.t);
    if constexpr (carries) fresh.carry = Formula::begin(system, motion_, x);
    memory() = select_reals<R>(lanes, fresh, memory());
    failure_ = select(lanes, R(0.0), failure_);
  }

  /// Recomputes what isn't in memory() after lanes were loaded from a checkpoint.
  void resume(const System& system) { motion_.prepare(system, end()); }

  /// Takes a step from within a loop, whose end the compiler can't foresee: there GCC 12 unrolls the loops
  /// over coordinates before it decides which arrays live in registers, elsewhere after. It keeps const ones
  /// in memory.
  [[gnu::noinline]] Mask advance(const System& system, Mask active) {
    Mask accepted;
    int left = 1;
    do {
      asm("" : "+r"(left));
      accepted = take_step(system, active);
    } while (--left > 0);
    return accepted;
  }

  State<R, N> begin() const { return state(before()); }
  State<R, N> end() const { return state(memory()); }
  R begin_time() const { return before().t.value; }
  R step() const { return taken_; }
  R work() const requires requires(Dense d) { d.work; }
  { return dense_.work; }

  int degree() const { return Dense::degree; }
  void bernstein(int n, R* out) const { dense_.bernstein(n, taken_, begin(), end(), out); }

  /// What the constraints were off by at the step's last look at them: no less than what they are off by now.
  R constraint_error_squared() const requires requires(StageCache c) { c.at.error_squared(); }
  { return memory().carry.at.error_squared(); }
  Mask constraint_within(const R& squared) const requires requires(StageCache c) { c.at.error_squared(); }
  { return memory().carry.at.within(squared); }

  /// Takes over another's last step, from its lane into a slot of this one.
  void take(int slot, const OneStep& other, int lane) {
    copy_lane<R>(other.motion_, lane, motion_, slot);
    copy_lane<R>(other.memory(), lane, memory(), slot);
    copy_lane<R>(other.before(), lane, before(), slot);
    copy_lane<R>(other.taken_, lane, taken_, slot);
    copy_lane<R>(other.dense_, lane, dense_, slot);
  }

  /// q by the polynomial, v its derivative, by de Casteljau's algorithm.
  State<R, N> dense(const R& theta) const {
    State<R, N> x;
    x.t = fma(theta, taken_, begin_time());
    std::array<R, Dense::degree + 1> b;
    for (int n = 0; n < N; ++n) {
      bernstein(n, b.data());
      for (int level = Dense::degree; level > 1; --level) {
        for (int k = 0; k < level; ++k) b[k] = fma(theta, b[k + 1] - b[k], b[k]);
      }
      x.q[n] = fma(theta, b[1] - b[0], b[0]);
      x.v[n] = R(Dense::degree) * (b[1] - b[0]) / taken_;
    }
    return x;
  }

  /// The state at theta by the method's own step of length theta h: that is advance() from where the last
  /// step began, into a spare memory, and undone; so the step is compiled once.
  [[gnu::noinline]] State<R, N> again(const System& system, const R& theta, Mask lanes) {
    const State<R, N> otherwise = dense(theta);
    Memory& from = before();
    const auto t = from.t;
    const Running q = from.q, conjugate = from.conjugate;
    const R step = from.step, taken = taken_, failure = failure_;
    const Dense polynomial = dense_;
    const auto tolerance = std::exchange(options_.tolerance, std::nullopt);  // the length is given
    const int now = now_, last = before_;
    from.step = theta * taken;
    from.t.low = R(0.0);
    if constexpr (Formula::compensated) {
      for (int n = 0; n < N; ++n) from.q[n].low = from.conjugate[n].low = R(0.0);
    }
    now_ = last;
    before_ = 3 - now - last;
    const Mask solved = advance(system, lanes);
    const State<R, N> result = state(memory());
    now_ = now;
    before_ = last;
    from.t = t;
    from.q = q;
    from.conjugate = conjugate;
    from.step = step;
    taken_ = taken;
    failure_ = failure;
    dense_ = polynomial;
    options_.tolerance = tolerance;
    return select(solved, result, otherwise);
  }

  /// No lane's: the polynomial is of lower order than the step.
  Mask dense_is_exact() const { return Mask(false); }

  /// The step itself on dual numbers, two deviations at a time.
  [[gnu::noinline]] void tangent(const System& system, const R& part, Mask lanes, Deviation<R, N>* d,
                                 int count) const requires Formula::has_tangent {
    using Real = numerics::Dual<R, 2>;
    using Lifted = mechanics::System<typename System::Model, Real>;
    const Beginning<R, N> from = beginning(before());
    Lifted lifted;
    for (int k = 0; k < System::parameter_count; ++k) lifted.parameters[k] = Real(system.parameters[k]);
    const Motion<Lifted> motion(motion_);
    for (int first = 0; first < count; first += 2) {
      const Deviation<R, N>& a = d[first];
      const Deviation<R, N> b = first + 1 < count ? d[first + 1] : Deviation<R, N>{};
      Beginning<Real, N> x;
      x.t = Real(from.t);
      for (int n = 0; n < N; ++n) {
        x.q[n] = Real(from.q[n], {a.q[n], b.q[n]});
        x.y[n] = Real(from.y[n], {a.y[n], b.y[n]});
        x.v[n] = momenta ? Real(from.v[n]) : x.y[n];  // beside momenta a guess
      }
      Change<Real, N> change;
      lifted_step(lifted, motion, Real(part * taken_), x, lanes, change);
      for (int c = first; c < std::min(first + 2, count); ++c) {
        for (int n = 0; n < N; ++n) {
          d[c].q[n] = select(lanes, d[c].q[n] + change.q[n].part[c - first], d[c].q[n]);
          d[c].y[n] = select(lanes, d[c].y[n] + change.y[n].part[c - first], d[c].y[n]);
        }
      }
    }
  }
  bool has_tangent() const requires Formula::has_tangent {
    if constexpr (projects) return !projection_.active();
    return true;
  }

  R failure() const { return failure_; }
  Memory& memory() { return memories_[now_]; }
  const Memory& memory() const { return memories_[now_]; }

 private:
  [[gnu::always_inline]] Mask take_step(const System& system, Mask active) {
    const Memory& old = memory();
    Memory& fresh = before();  // the memory before the last becomes the new one
    const R h = old.step;
    Beginning<R, N> x = beginning(old);
    Change<R, N> change;
    Dense dense;
    Mask accepted = step(system, h, x, active, change, dense, fresh.carry, old);
    auto t = old.t;
    t.add(h);
    fresh.t = t;
    R sum(0.0);  // finite where everything is
    for (int n = 0; n < N; ++n) {
      auto q = old.q[n], conjugate = old.conjugate[n];
      q.add(change.q[n]);
      conjugate.add(change.y[n]);
      sum += q.value + conjugate.value;
      fresh.q[n] = q;
      fresh.conjugate[n] = conjugate;
    }
    if constexpr (momenta) {
      fresh.velocity = velocity(system, fresh, x.v);
      for (int n = 0; n < N; ++n) sum += fresh.velocity[n];
    }
    if constexpr (projects) fresh.energy = old.energy;
    const auto finite = numerics::absolute(sum) <= R(std::numeric_limits<double>::max());
    const Mask solved = accepted;
    accepted = accepted & finite;
    R next = h;
    if (!options_.tolerance) {
      if (any(active & !accepted)) {
        fail(active & !solved, Status::newton_diverged);
        fail(solved & !finite, Status::non_finite);
      }
    } else if constexpr (adaptive) {
      accepted = control(h, x, active, accepted, state(fresh), dense, next);
    }

    if (all(accepted)) {
      taken_ = h;
      dense_ = dense;
    } else {
      taken_ = select(accepted, h, taken_);
      fresh = select_reals<R>(accepted, fresh, old);
      if constexpr (requires { dense_.take(accepted, dense); }) dense_.take(accepted, dense);
    }
    fresh.step = next;  // also where a step was refused
    std::swap(now_, before_);
    return accepted;
  }

  [[gnu::always_inline]] Mask step(const System& system, const R& h, const Beginning<R, N>& x, Mask active,
                                   Change<R, N>& change, Dense& dense, [[maybe_unused]] StageCache& next,
                                   [[maybe_unused]] const Memory& memory) const {
    if constexpr (projects) {
      if (projection_.active()) {
        const auto plain = [&](const Beginning<R, N>& from, Mask open, Change<R, N>& by) {
          Dense part;
          const Mask solved = plain_step(system, h, from, open, by, part);
          if constexpr (requires { dense.take(open, part); }) dense.take(open, part);
          return solved;
        };
        return projection_.step(system, h, x, memory.energy, active, change,
                                typename Projection<System>::Plain(plain));
      }
    }
    if constexpr (carries) {
      return Formula::step(system, motion_, h, x, active, change, dense, memory.carry, next, options_);
    } else {
      return plain_step(system, h, x, active, change, dense);
    }
  }
  [[gnu::always_inline]] Mask plain_step(const System& system, const R& h, const Beginning<R, N>& x,
                                         Mask active, Change<R, N>& change, Dense& dense) const
      requires(!carries) {
    if constexpr (checks) {
      return Formula::step(system, motion_, h, x, active, change, dense, options_);
    } else {
      return Formula::step(system, motion_, h, x, active, change, dense);
    }
  }

  template <class Lifted, class Real>
  void lifted_step(const Lifted& system, const Motion<Lifted>& motion, const Real& h,
                   const Beginning<Real, N>& x, Mask lanes, Change<Real, N>& change) const {
    typename Formula::template Dense<Lifted> unused;
    if constexpr (carries) {
      const auto cache = Formula::lift(system, motion, x, before().carry);
      auto next = cache;
      Formula::step(system, motion, h, x, lanes, change, unused, cache, next, options_);
    } else if constexpr (checks) {
      Formula::step(system, motion, h, x, lanes, change, unused, options_);
    } else {
      Formula::step(system, motion, h, x, lanes, change, unused);
    }
  }

  /// What memory() was when the last step began.
  Memory& before() { return memories_[before_]; }
  const Memory& before() const { return memories_[before_]; }

  static State<R, N> state(const Memory& memory) {
    State<R, N> x;
    x.t = memory.t.value;
    for (int n = 0; n < N; ++n) {
      x.q[n] = memory.q[n].value;
      if constexpr (momenta) {
        x.v[n] = memory.velocity[n];
      } else {
        x.v[n] = memory.conjugate[n].value;
      }
    }
    return x;
  }
  static Beginning<R, N> beginning(const Memory& memory) {
    Beginning<R, N> result;
    result.t = memory.t.value;
    for (int n = 0; n < N; ++n) {
      result.q[n] = memory.q[n].value;
      result.y[n] = memory.conjugate[n].value;
      if constexpr (momenta) {
        result.v[n] = memory.velocity[n];
      } else {
        result.v[n] = result.y[n];
      }
    }
    return result;
  }

  static Vector velocity(const System& system, const Memory& memory, const Vector& guess) {
    Vector q, p;
    for (int n = 0; n < N; ++n) {
      q[n] = memory.q[n].value;
      p[n] = memory.conjugate[n].value;
    }
    return Motion<System>::velocity(system, q, p, guess, memory.t.value);
  }

  void fail(Mask lanes, Status status) { failure_ = select(lanes, R(static_cast<double>(status)), failure_); }

  /// Accepts or rejects, and sets the next step, lane by lane.
  Mask control(const R& h, const Beginning<R, N>& x, Mask active, Mask solved, const State<R, N>& end,
               const Dense& dense, R& next) {
    R length(1e-3), speed(1e-3);
    for (int n = 0; n < N; ++n) {
      const R way = numerics::larger(numerics::absolute(end.q[n]), numerics::absolute(h * end.v[n]));
      length = numerics::larger(length, numerics::larger(way, numerics::absolute(x.q[n])));
      speed =
          numerics::larger(speed, numerics::larger(numerics::absolute(end.v[n]), numerics::absolute(x.v[n])));
    }
    const R tolerance(options_.tolerance.value_or(0.0));
    const R error = Formula::error(h, dense, length * tolerance, speed * tolerance);
    R factor;
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      const double e = numerics::lane(error, i);
      const double f = std::isfinite(e) ? 0.8 * std::pow(std::max(e, 1e-12), -1.0 / Formula::order) : 0.2;
      numerics::set_lane(factor, i, std::clamp(f, 0.2, 4.0));
    }
    const Mask accepted = solved & (error <= R(1.0));
    next = select(active, h * select(solved, factor, R(0.2)), h);
    const auto vanishes =
        numerics::absolute(next) <= R(0x1p-50) * numerics::larger(numerics::absolute(x.t), R(1e-3));
    fail(active & !accepted & vanishes, Status::step_too_small);
    return accepted;
  }

  MethodOptions options_;
  [[no_unique_address]] std::conditional_t<projects, Projection<System>, detail::Nothing> projection_;
  Motion<System> motion_;
  std::array<Memory, 3> memories_{};  ///< of the last step's end and its beginning, and a spare one
  int now_ = 0, before_ = 1;
  R taken_{0.0}, failure_{0.0};
  Dense dense_;
};

}  // namespace cotangent::integrators
