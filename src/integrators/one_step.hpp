// What all simple one-step methods share: a step of h from (t, q, y), y the velocities or the momenta, its
// sums compensated, and a polynomial over the step for those who look inside. A method's own file is its
// formula:
//   name, about, order, adaptive      what it is; `adaptive` where it estimates its error
//   options                           what it takes from a deck, if more than step (and tolerance, adaptive)
//   momenta<System>                   whether y is p = L_v, else v
//   Dense<System>                     its polynomial: the cubic below unless it has a better one
//   step(system, motion, h, x, active, change, dense) -> solved    the changes of q and y over a step
// Step control: h' = 0.8 h / error^(1/exponent), the error in units of the tolerance; thesis on the
// Lagrangian solver, (3.53), with the exponent of one-step errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "integrators/motion.hpp"
#include "numerics/compensated.hpp"

namespace cotangent::integrators {

/// Where a step begins: y is the pair's other half, v or p, and v the velocities in either case.
template <class R, int N>
struct Beginning {
  R t{0.0};
  std::array<R, N> q{}, y{}, v{};
};
/// What a step adds to q and y.
template <class R, int N>
struct Change {
  std::array<R, N> q{}, y{};
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

template <class System, class Formula>
class OneStep {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Running = std::array<numerics::Compensated<R>, N>;

  static constexpr std::string_view name = Formula::name, about = Formula::about;
  static constexpr auto options = options_of<Formula>();
  static constexpr int order = Formula::order;
  static constexpr bool adaptive = Formula::adaptive;

  struct Memory {
    numerics::Compensated<R> t;
    Running q, conjugate;  ///< conjugate: v, or p
    Vector velocity;
    R step;
  };

  explicit OneStep(const MethodOptions& options) : options_(options), memory_{} {
    if (options.tolerance && !adaptive) {
      throw Error("method '" + std::string(name) +
                  "' has no estimate of its error: give step, not tolerance");
    }
  }

  void start(const System& system, const State<R, N>& x, Mask lanes) {
    motion_.prepare(system, x);
    Vector y = x.v;
    if constexpr (momenta) y = Motion<System>::gradient(system, x.q, x.v, x.t).v;
    const auto put = [&](numerics::Compensated<R>& to, const R& value) {
      to = numerics::select(lanes, numerics::Compensated<R>{value, R(0.0)}, to);
    };
    put(memory_.t, x.t);
    for (int n = 0; n < N; ++n) {
      put(memory_.q[n], x.q[n]);
      put(memory_.conjugate[n], y[n]);
      memory_.velocity[n] = select(lanes, x.v[n], memory_.velocity[n]);
    }
    memory_.step = select(lanes, R(options_.step), memory_.step);
    failure_ = select(lanes, R(0.0), failure_);
  }

  /// Recomputes what isn't in memory() after lanes were loaded from a checkpoint.
  void resume(const System& system) { motion_.prepare(system, end()); }

  [[gnu::noinline]] Mask advance(const System& system, Mask active) {
    const R h = memory_.step;
    const Beginning<R, N> x = beginning();
    Change<R, N> change;
    Dense dense;
    Mask accepted = Formula::step(system, motion_, h, x, active, change, dense);
    auto t = memory_.t;
    auto q = memory_.q, conjugate = memory_.conjugate;
    t.add(h);
    for (int n = 0; n < N; ++n) {
      q[n].add(change.q[n]);
      conjugate[n].add(change.y[n]);
    }
    const Vector v = velocity(system, q, conjugate, x.v, t.value);
    R sum(0.0);  // finite where everything is
    for (int n = 0; n < N; ++n) sum += numerics::absolute(q[n].value) + numerics::absolute(v[n]);
    const auto finite = sum <= R(std::numeric_limits<double>::max());
    const Mask solved = accepted;
    accepted = accepted & finite;
    if (!options_.tolerance) {
      fail(active & !solved, Status::newton_diverged);
      fail(solved & !finite, Status::non_finite);
    } else if constexpr (adaptive) {
      accepted = control(h, x, active, accepted, q, v, dense);
    }

    const State<R, N> begin{x.t, x.q, x.v};
    begin_ = select(accepted, begin, begin_);
    begin_y_ = select_all(accepted, x.y, begin_y_);
    taken_ = select(accepted, h, taken_);
    const bool every = all(accepted);
    if (every) {
      dense_ = dense;
    } else if constexpr (requires { dense_.take(accepted, dense); }) {
      dense_.take(accepted, dense);
    }
    memory_.t = numerics::select(accepted, t, memory_.t);
    for (int n = 0; n < N; ++n) {
      memory_.q[n] = numerics::select(accepted, q[n], memory_.q[n]);
      memory_.conjugate[n] = numerics::select(accepted, conjugate[n], memory_.conjugate[n]);
      memory_.velocity[n] = select(accepted, v[n], memory_.velocity[n]);
    }
    return accepted;
  }

  State<R, N> begin() const { return begin_; }
  State<R, N> end() const {
    State<R, N> x{memory_.t.value, {}, memory_.velocity};
    for (int n = 0; n < N; ++n) x.q[n] = memory_.q[n].value;
    return x;
  }
  R begin_time() const { return begin_.t; }
  R step() const { return taken_; }

  int degree() const { return Dense::degree; }
  void bernstein(int n, R* out) const { dense_.bernstein(n, taken_, begin_, end(), out); }

  /// Takes over another's last step, from its lane into a slot of this one.
  void take(int slot, const OneStep& other, int lane) {
    copy_lane<R>(other.motion_, lane, motion_, slot);
    copy_lane<R>(other.memory_, lane, memory_, slot);
    copy_lane<R>(other.begin_, lane, begin_, slot);
    copy_lane<R>(other.begin_y_, lane, begin_y_, slot);
    copy_lane<R>(other.taken_, lane, taken_, slot);
    copy_lane<R>(other.dense_, lane, dense_, slot);
  }

  /// q by the polynomial, v its derivative, by de Casteljau's algorithm.
  State<R, N> dense(const R& theta) const {
    State<R, N> x;
    x.t = fma(theta, taken_, begin_.t);
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

  /// The state at theta by the method's own step of length theta h.
  [[gnu::noinline]] State<R, N> again(const System& system, const R& theta, Mask lanes) const {
    const R h = theta * taken_;
    const Beginning<R, N> x{begin_.t, begin_.q, begin_y_, begin_.v};
    Change<R, N> change;
    Dense unused;
    const Mask solved = Formula::step(system, motion_, h, x, lanes, change, unused);
    Running q, conjugate;
    for (int n = 0; n < N; ++n) {
      q[n].value = x.q[n] + change.q[n];
      conjugate[n].value = x.y[n] + change.y[n];
    }
    State<R, N> result{begin_.t + h, {}, velocity(system, q, conjugate, x.v, begin_.t + h)};
    for (int n = 0; n < N; ++n) result.q[n] = q[n].value;
    return select(solved, result, dense(theta));
  }

  /// No lane's: the polynomial is of lower order than the step.
  Mask dense_is_exact() const { return Mask(false); }

  R failure() const { return failure_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

 private:
  static constexpr bool momenta = Formula::template momenta<System>;
  using Dense = typename Formula::template Dense<System>;

  static Vector select_all(Mask mask, const Vector& a, const Vector& b) {
    Vector result;
    for (int n = 0; n < N; ++n) result[n] = select(mask, a[n], b[n]);
    return result;
  }

  Beginning<R, N> beginning() const {
    Beginning<R, N> x{memory_.t.value, {}, {}, memory_.velocity};
    for (int n = 0; n < N; ++n) {
      x.q[n] = memory_.q[n].value;
      x.y[n] = memory_.conjugate[n].value;
    }
    return x;
  }

  static Vector velocity(const System& system, const Running& q, const Running& conjugate,
                         const Vector& guess, const R& t) {
    Vector position, y;
    for (int n = 0; n < N; ++n) {
      position[n] = q[n].value;
      y[n] = conjugate[n].value;
    }
    if constexpr (momenta) {
      return Motion<System>::velocity(system, position, y, guess, t);
    } else {
      return y;
    }
  }

  void fail(Mask lanes, Status status) { failure_ = select(lanes, R(static_cast<double>(status)), failure_); }

  /// Accepts or rejects, and sets the next step, lane by lane.
  Mask control(const R& h, const Beginning<R, N>& x, Mask active, Mask solved, const Running& q,
               const Vector& v, const Dense& dense) {
    R length(1e-3), speed(1e-3);
    for (int n = 0; n < N; ++n) {
      const R way = numerics::larger(numerics::absolute(q[n].value), numerics::absolute(h * v[n]));
      length = numerics::larger(length, numerics::larger(way, numerics::absolute(x.q[n])));
      speed = numerics::larger(speed, numerics::larger(numerics::absolute(v[n]), numerics::absolute(x.v[n])));
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
    memory_.step = select(active, h * select(solved, factor, R(0.2)), memory_.step);
    const auto vanishes =
        numerics::absolute(memory_.step) <= R(0x1p-50) * numerics::larger(numerics::absolute(x.t), R(1e-3));
    fail(active & !accepted & vanishes, Status::step_too_small);
    return accepted;
  }

  MethodOptions options_;
  Motion<System> motion_;
  Memory memory_;
  State<R, N> begin_{};
  Vector begin_y_{};
  R taken_{0.0}, failure_{0.0};
  Dense dense_;
};

}  // namespace cotangent::integrators
