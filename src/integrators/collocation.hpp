// SPDX-License-Identifier: BSD-3-Clause
// Chan's solver (2018): the Euler-Lagrange equations collocated in differential form at K + 1 nodes of a
// step, both ends among them (collocation_equations.hpp), K = MethodOptions::stages the degree of the
// polynomial, by Newton's method with the full Jacobian in each iteration. What gives way to the initial
// values decides what is kept:
//   A   order K; not symmetric: the energy drifts
//   C   order K; not symmetric, yet preserves the area of linear oscillations: the energy error is bounded
//   E   order K if K is even, else K - 1; symmetric: the energy error of time-reversible motion is bounded
// None is symplectic. The step is as long as the velocities' error inside it, E ~ h^K, stays below the
// tolerance: h' = 0.8 h (tol / E)^(1/K), (3.53); E is estimated from the decay of the polynomial's Legendre
// coefficients, and no tolerance is taken below what these round by. Reference: V. P. Chan, The design,
// implementation, and applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST,
// 2018), 3.3 and 3.4.
#pragma once

#include <algorithm>
#include <cmath>

#include "integrators/constrained_collocation_equations.hpp"
#include "integrators/motion.hpp"
#include "numerics/compensated.hpp"
#include "numerics/legendre.hpp"

namespace cotangent::integrators {

/// On nodes of either family.
template <class System>
class LagrangianCollocation {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Running = std::array<numerics::Compensated<R>, N>;
  using Unknowns = std::array<Vector, max_collocation_degree>;
  using Equations = std::conditional_t<(System::multipliers > 0), ConstrainedCollocationEquations<System>,
                                       CollocationEquations<System>>;

  static constexpr std::array options{
      option::stages(2, max_collocation_degree, "degree of a step's polynomial"), option::step,
      option::tolerance, option::treatment};
  static constexpr bool adaptive = true;

  /// The polynomial rounds velocities by some 2^-48 of themselves, however short a step is. At this tolerance
  /// an estimated error of that size just keeps a step; below it steps would shrink for ever.
  static double least_tolerance(int degree) { return 0x1p-48 / std::pow(shorter, falls_by(degree)); }

  static int order(const MethodOptions& options) {
    return treatment(options.treatment) == Treatment::e ? options.stages / 2 * 2 : options.stages;
  }

  struct Memory {
    numerics::Compensated<R> t;
    Running q, v;
    R step, last_step;  ///< last_step 0: no polynomial to start from
    Unknowns y;         ///< the last step's Y_1 ... Y_K: positions less q + c h v
  };

  LagrangianCollocation(NodeFamily family, const MethodOptions& options)
      : tables_(CollocationTables::of(family, options.stages)),
        options_(options),
        equations_(tables_, treatment(options.treatment)) {
    if (options_.tolerance)
      options_.tolerance = std::max(*options_.tolerance, least_tolerance(options.stages));
  }

  void start(const System& system, const State<R, N>& x, Mask lanes) {
    motion_.prepare(system, x);
    const auto put = [&](numerics::Compensated<R>& to, const R& value) {
      to = numerics::select(lanes, numerics::Compensated<R>{value, R(0.0)}, to);
    };
    put(memory_.t, x.t);
    for (int n = 0; n < N; ++n) {
      put(memory_.q[n], x.q[n]);
      put(memory_.v[n], x.v[n]);
    }
    memory_.step = select(lanes, R(options_.step), memory_.step);
    memory_.last_step = select(lanes, R(0.0), memory_.last_step);
    failure_ = select(lanes, R(0.0), failure_);
  }

  /// Recomputes what isn't in memory() after lanes were loaded from a checkpoint.
  void resume(const System& system) { motion_.prepare(system, end()); }

  [[gnu::noinline]] Mask advance(const System& system, Mask active) {
    const State<R, N> begin = end();
    const R h = memory_.step;
    Unknowns y;
    predict(h, y);
    Mask accepted = solve(system, h, begin, y, memory_.last_step == R(0.0), active);
    auto t = memory_.t;
    auto q = memory_.q, v = memory_.v;
    t.add(h);
    finish(system, h, y, q, v);
    R sum(0.0);  // finite where everything is
    for (int n = 0; n < N; ++n) sum += numerics::absolute(q[n].value) + numerics::absolute(v[n].value);
    accepted = accepted & (sum <= R(std::numeric_limits<double>::max()));
    if (options_.tolerance) {
      accepted = control(system, h, y, begin, v, active, accepted);
    } else {
      fail(active & !accepted, Status::newton_diverged);
    }

    begin_ = select(accepted, begin, begin_);
    taken_ = select(accepted, h, taken_);
    memory_.last_step = select(accepted, h, memory_.last_step);
    memory_.t = numerics::select(accepted, t, memory_.t);
    for (int n = 0; n < N; ++n) {
      memory_.q[n] = numerics::select(accepted, q[n], memory_.q[n]);
      memory_.v[n] = numerics::select(accepted, v[n], memory_.v[n]);
      for (int k = 0; k < tables_->degree; ++k) {
        memory_.y[k][n] = select(accepted, y[k][n], memory_.y[k][n]);
      }
    }
    return accepted;
  }

  State<R, N> begin() const { return begin_; }
  State<R, N> end() const {
    State<R, N> x;
    x.t = memory_.t.value;
    for (int n = 0; n < N; ++n) {
      x.q[n] = memory_.q[n].value;
      x.v[n] = memory_.v[n].value;
    }
    return x;
  }
  R begin_time() const { return begin_.t; }
  R step() const { return taken_; }

  int degree() const { return tables_->degree; }
  void bernstein(int n, R* out) const {
    const int K = tables_->degree;
    const R drift = taken_ * begin_.v[n];
    for (int i = 0; i <= K; ++i) {
      R sum(0.0);
      for (int k = 1; k <= K; ++k) {
        sum = fma(R(tables_->bernstein[i * (K + 1) + k]), memory_.y[k - 1][n], sum);
      }
      out[i] = begin_.q[n] + fma(R(static_cast<double>(i) / K), drift, sum);
    }
  }

  /// Takes over another's last step, from its lane into a slot of this one.
  void take(int slot, const LagrangianCollocation& other, int lane) {
    copy_lane<R>(other.motion_, lane, motion_, slot);
    copy_lane<R>(other.memory_, lane, memory_, slot);
    copy_lane<R>(other.begin_, lane, begin_, slot);
    copy_lane<R>(other.taken_, lane, taken_, slot);
  }

  State<R, N> dense(const R& theta) const { return on_polynomial(theta, legendre(memory_.y)); }

  /// The state at theta by a step of length theta h, started from the polynomial.
  [[gnu::noinline]] State<R, N> again(const System& system, const R& theta, Mask lanes) {
    const auto g = legendre(memory_.y);
    const R h = theta * taken_;
    Unknowns y;
    for (int k = 0; k < tables_->degree; ++k) {
      const R at = R(tables_->c[k + 1]) * theta;
      const auto point = series(g, at);
      for (int n = 0; n < N; ++n) y[k][n] = point.value[n];
    }
    const Mask solved = solve(system, h, begin_, y, theta == R(0.0), lanes);
    Running q{}, v{};
    for (int n = 0; n < N; ++n) {
      q[n].value = begin_.q[n];
      v[n].value = begin_.v[n];
    }
    finish(system, h, y, q, v);
    State<R, N> x;
    x.t = begin_.t + h;
    for (int n = 0; n < N; ++n) {
      x.q[n] = q[n].value;
      x.v[n] = v[n].value;
    }
    return select(solved, x, on_polynomial(theta, g));
  }

  /// Lanes whose polynomial keeps velocities to round-off.
  Mask dense_is_exact() const {
    R speed(0.0);
    for (int n = 0; n < N; ++n) {
      speed = numerics::larger(speed, numerics::absolute(begin_.v[n]));
      speed = numerics::larger(speed, numerics::absolute(memory_.v[n].value));
    }
    return velocity_error(taken_, legendre(memory_.y)) <= speed * R(exact_below);
  }

  R failure() const { return failure_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

 private:
  static constexpr double exact_below = 1e-13;
  static constexpr double shorter = 0.8;  ///< than the step that the tolerance would just allow
  using Series = std::array<Vector, max_collocation_degree + 1>;

  /// The power of h by which the estimated error falls.
  static int falls_by(int degree) { return degree < 4 ? degree - 1 : degree; }

  void fail(Mask lanes, Status status) { failure_ = select(lanes, R(static_cast<double>(status)), failure_); }

  /// Legendre coefficients on [0, 1] of the polynomial through 0, Y_1 ... Y_K.
  Series legendre(const Unknowns& y) const {
    const int K = tables_->degree;
    Series g;
    for (int i = 0; i <= K; ++i) {
      g[i] = Vector{};
      for (int k = 1; k <= K; ++k) {
        for (int n = 0; n < N; ++n)
          g[i][n] = fma(R(tables_->legendre[i * (K + 1) + k]), y[k - 1][n], g[i][n]);
      }
    }
    return g;
  }

  auto series(const Series& g, const R& x) const {
    return numerics::legendre_series_and_slope<R, N>(tables_->degree + 1, g.data(), x);
  }

  State<R, N> on_polynomial(const R& theta, const Series& g) const {
    const auto point = series(g, theta);
    State<R, N> x;
    x.t = fma(theta, taken_, begin_.t);
    for (int n = 0; n < N; ++n) {
      x.q[n] = fma(theta * taken_, begin_.v[n], begin_.q[n]) + point.value[n];
      x.v[n] = begin_.v[n] + point.slope[n] / taken_;
    }
    return x;
  }

  /// The unknowns of a step h from the last step's polynomial: what it adds to a straight line from its end.
  [[gnu::noinline]] void predict(const R& h, Unknowns& y) const {
    const R ratio = h / select(memory_.last_step == R(0.0), R(1.0), memory_.last_step);
    const Series g = legendre(memory_.y);
    const auto end = series(g, R(1.0));
    for (int k = 0; k < tables_->degree; ++k) {
      const R ahead = R(tables_->c[k + 1]) * ratio;
      const auto point = series(g, R(1.0) + ahead);
      for (int n = 0; n < N; ++n) y[k][n] = fma(-ahead, end.slope[n], point.value[n] - end.value[n]);
    }
  }

  /// Solves for the unknowns, a guess on entry but in the `fresh` lanes, which begin with constant
  /// accelerations; lanes that don't converge from their guess try again from there.
  [[gnu::noinline]] Mask solve(const System& system, const R& h, const State<R, N>& x, Unknowns& y,
                               Mask fresh, Mask active) {
    equations_.begin(system, h, x.t, x.q, x.v);
    R length(0.0);
    for (int n = 0; n < N; ++n) length += numerics::absolute(h * x.v[n]);
    const auto correct = [&](Mask open) { return equations_.correct(system, y.data(), open); };
    const auto size = [&] {
      R sum = R(1.0 * tables_->degree) * length;
      for (int k = 0; k < tables_->degree; ++k) {
        for (int n = 0; n < N; ++n) sum += numerics::absolute(y[k][n]);
      }
      return sum;
    };
    // Positions round as a whole, also where nothing moves.
    const auto noise = [&] { return R(1.0 * tables_->degree) * sum_of_sizes(x.q); };
    Mask solved = newton<R>(active & !fresh, 12, correct, size, noise);
    for (const Start from : {Start::parabola, Start::rest}) {
      const Mask rest = active & !solved;
      if (!any(rest)) break;
      begin_afresh(system, from, h, x, y, rest);
      if constexpr (System::multipliers > 0) equations_.restart(rest);
      solved = solved | newton<R>(rest, 20, correct, size, noise);
    }
    return solved;
  }

  enum class Start { parabola, rest };
  void begin_afresh(const System& system, Start from, const R& h, const State<R, N>& x, Unknowns& y,
                    Mask lanes) const {
    Vector a{}, v{};
    if (from == Start::parabola) {
      a = motion_.acceleration(system, x.q, x.v, x.t);
    } else {
      v = x.v;
    }
    for (int k = 0; k < tables_->degree; ++k) {
      const R time = R(tables_->c[k + 1]) * h;
      for (int n = 0; n < N; ++n) y[k][n] = select(lanes, time * fma(R(0.5) * time, a[n], -v[n]), y[k][n]);
    }
  }

  /// The step's end: q + h v + Y_K and v + (1/h) sum_j D_Kj Y_j, of constrained motion brought back to what
  /// its constraints allow.
  void finish([[maybe_unused]] const System& system, const R& h, const Unknowns& y, Running& q, Running& v) {
    const int K = tables_->degree;
    Vector push{};
    if constexpr (System::multipliers > 0) push = equations_.end_push(system, y.data());
    for (int n = 0; n < N; ++n) {
      const R hv = h * v[n].value;
      const R hv_low = fma(h, v[n].low, fma(h, v[n].value, -hv));
      q[n].add(hv + (y[K - 1][n] + hv_low));
      R slope(0.0);
      for (int j = 1; j <= K; ++j) slope = fma(R(tables_->derivative(K, j)), y[j - 1][n], slope);
      v[n].add(System::multipliers > 0 ? slope / h + push[n] : slope / h);
    }
  }

  /// The velocities' error inside the step: their next Legendre coefficient, estimated by two orders of
  /// decay, which the parity of a solution can't hide; the last one itself where there are too few.
  R velocity_error(const R& h, const Series& g) const {
    const int K = tables_->degree;
    // Coefficients of the derivative: w_n = 2 (2 n + 1) (g_{n+1} + g_{n+3} + ...).
    R last(0.0), before(0.0), high(0.0);
    for (int n = 0; n < N; ++n) {
      const auto w = [&](int k) {
        R sum(0.0);
        for (int i = k + 1; i <= K; i += 2) sum += g[i][n];
        return numerics::absolute(R(2.0 * (2 * k + 1)) * sum);
      };
      last += w(K - 1) + w(K - 2);
      high += K < 4 ? w(K - 1) : w(K - 2);
      if (K >= 4) before += w(K - 3) + w(K - 4);
    }
    if (K >= 4) {
      high = numerics::larger(high, R(0.5) * last) * select(before > last, last / before, R(1.0));
    }
    return high / numerics::absolute(h);
  }

  /// The velocities across what rolling allows that its conditions can't tell from none, in units of the
  /// places' last digits.
  static R slip_by_rounding(const System& system, const State<R, N>& x) {
    using std::sqrt;
    const auto slip = system.slip(x.q, x.v);
    R sum(0.0);
    for (int s = 0; s < System::rolling; ++s) {
      R rounded(0.0), square(0.0);
      for (int n = 0; n < N; ++n) {
        rounded += numerics::absolute(slip.q[s][n] * x.q[n]);
        square = fma(slip.v[s][n], slip.v[s][n], square);
      }
      sum += rounded / sqrt(square);
    }
    return sum;
  }

  /// Accepts or rejects, and sets the next step, lane by lane.
  Mask control([[maybe_unused]] const System& system, const R& h, const Unknowns& y, const State<R, N>& x,
               const Running& v, Mask active, Mask solved) {
    R speed(1e-3);
    for (int n = 0; n < N; ++n) {
      speed = numerics::larger(speed, numerics::absolute(x.v[n]));
      speed = numerics::larger(speed, numerics::absolute(v[n].value));
    }
    const int K = tables_->degree;
    R left = velocity_error(h, legendre(y));
    // Places on a manifold round as a whole, not as what a step adds to them, and rolling is known as well as
    // they are: no shorter step lowers that.
    if constexpr (System::constrained)
      left = numerics::larger(R(0.0), left - R(K * 0x1p-50) * sum_of_sizes(x.q) / numerics::absolute(h));
    if constexpr (System::rolling > 0)
      left = numerics::larger(R(0.0), left - R(K * 0x1p-52) * slip_by_rounding(system, x));
    const R error = left / (speed * R(*options_.tolerance));
    const double exponent = -1.0 / falls_by(K);
    R factor;
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      const double e = numerics::lane(error, i);
      const double f = std::isfinite(e) ? shorter * std::pow(std::max(e, 1e-12), exponent) : 0.2;
      numerics::set_lane(factor, i, std::clamp(f, 0.2, 2.0));
    }
    const Mask accepted = solved & (error <= R(1.0));
    memory_.step = select(active, h * select(solved, factor, R(0.5)), memory_.step);
    const auto vanishes =
        numerics::absolute(memory_.step) <= R(0x1p-50) * numerics::larger(numerics::absolute(x.t), R(1e-3));
    fail(active & !accepted & vanishes, Status::step_too_small);
    return accepted;
  }

  std::shared_ptr<const CollocationTables> tables_;
  MethodOptions options_;
  Motion<System> motion_;
  Equations equations_;
  Memory memory_{};
  State<R, N> begin_{};
  R taken_{0.0}, failure_{0.0};
};

/// The method on the nodes that `Nodes` names.
template <class System, class Nodes>
struct CollocationOn : LagrangianCollocation<System> {
  static constexpr std::string_view name = Nodes::name, about = Nodes::about;
  explicit CollocationOn(const MethodOptions& options)
      : LagrangianCollocation<System>(Nodes::family, options) {}
};

}  // namespace cotangent::integrators
