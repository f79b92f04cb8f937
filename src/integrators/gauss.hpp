// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation with s stages: order 2 s, symplectic and symmetric at fixed steps. The default method.
// The form (velocities eliminated, or momenta) follows from the Lagrangian's structure: see gauss_force.hpp
// and gauss_hamilton.hpp. Stages start from the last step's polynomial; sums are compensated, so that the
// energy error grows like the random walk of round-off (Brouwer's law). Step control: the step is as long as
// the polynomial's next Legendre coefficient stays below the tolerance,
//   h' = 0.8 h (tol / err)^(1/(s+1)), err the estimated error of the velocities inside the step, relative to
// velocities of 1e-3 or more; with fewer than four stages it is the last coefficient itself, a bound far
// above the error.
// Reference: Hairer, Lubich, Wanner (2006), II.1.3 and VIII.6; V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), (3.53).
#pragma once

#include <string>
#include <type_traits>

#include "core/error.hpp"
#include "integrators/gauss_force.hpp"
#include "integrators/gauss_hamilton.hpp"

namespace cotangent::integrators {

template <class System>
class Gauss {
  using Form = std::conditional_t<System::newtonian, GaussForce<System>, GaussHamilton<System>>;

 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Running = typename Form::Running;

  struct Memory {
    numerics::Compensated<R> t;
    Running q, conjugate;  ///< conjugate: v, or p
    Vector velocity;
    R step, last_step;    ///< last_step 0: no polynomial to start from
    Stages<R, N> stages;  ///< the last step's unknowns, and what they would be at its ends
  };

  /// With fewer the last coefficient of the velocities hardly tells an error.
  static constexpr int least_adaptive = 3;
  static constexpr bool momenta = !System::newtonian;
  static constexpr std::string_view name = "gauss";
  static constexpr std::string_view about =
      "Gauss collocation, order 2 stages: symplectic and symmetric at fixed steps; adaptive with a tolerance";
  static constexpr std::array options{option::stages(1, max_stages, "nodes in a step"), option::step,
                                      option::tolerance};

  explicit Gauss(const MethodOptions& options) : tables_(GaussTables::of(options.stages)), options_(options) {
    if (only_stages<System> != 0 && options.stages != only_stages<System>)
      throw Error("the model is compiled for " + std::to_string(only_stages<System>) + " stages, not for " +
                  std::to_string(options.stages));
    if (options.tolerance && options.stages < least_adaptive)
      throw Error("Gauss collocation adapts its steps with " + std::to_string(least_adaptive) +
                  " stages or more, not with " + std::to_string(options.stages) +
                  ": give a step, without a tolerance");
  }

  void start(const System& system, const State<R, N>& x, Mask lanes) {
    form_.prepare(system, x);
    Stages<R, N> w;
    Form::first_guess(system, *tables_, R(options_.step), x, w);
    const Vector y = Form::conjugate(system, x);
    const auto put = [&](numerics::Compensated<R>& to, const R& value) {
      to = numerics::select(lanes, numerics::Compensated<R>{value, R(0.0)}, to);
    };
    put(memory_.t, x.t);
    for (int n = 0; n < N; ++n) {
      put(memory_.q[n], x.q[n]);
      put(memory_.conjugate[n], y[n]);
      memory_.velocity[n] = select(lanes, x.v[n], memory_.velocity[n]);
      for (int i = 0; i < tables_->stages; ++i) {
        memory_.stages[i][n] = select(lanes, w[i][n], memory_.stages[i][n]);
      }
    }
    memory_.step = select(lanes, R(options_.step), memory_.step);
    memory_.last_step = select(lanes, R(0.0), memory_.last_step);
    failure_ = select(lanes, R(0.0), failure_);
  }

  /// Recomputes what isn't in memory() after lanes were loaded from a checkpoint.
  void resume(const System& system) { form_.prepare(system, end()); }

  Mask advance(const System& system, Mask active) {
    const R h = memory_.step;
    const int s = tables_->stages;
    const Vector rate = rate_at_end(system);
    Stages<R, N> w;
    guess(h, rate, active, w);
    const Mask solved =
        form_.solve(system, *tables_, h, memory_.t.value, memory_.q, memory_.conjugate, w, active);
    Mask accepted = solved;
    if (options_.tolerance) {
      accepted = accepted & control(h, w, active, solved);
    } else {
      fail(active & !solved, Status::newton_diverged);
    }

    begin_q_ = memory_.q;
    begin_conjugate_ = memory_.conjugate;
    begin_velocity_ = memory_.velocity;
    begin_t_ = memory_.t.value;
    taken_ = h;
    auto t = memory_.t;
    auto q = memory_.q, conjugate = memory_.conjugate;
    t.add(h);
    Form::finish(system, *tables_, h, memory_.t.value, memory_.q, memory_.conjugate, w, q, conjugate);
    Vector position, y;
    for (int n = 0; n < N; ++n) {
      position[n] = q[n].value;
      y[n] = conjugate[n].value;
    }
    const Vector v = Form::velocity(system, position, y, memory_.velocity, t.value);
    if constexpr (!System::newtonian) {  // no velocities have momenta that are out of the Lagrangian's range
      R sum = v[0];
      for (int n = 1; n < N; ++n) sum += v[n];
      const Mask lost = accepted & !(R(0.0) * sum == R(0.0));
      if (any(lost)) {
        accepted = accepted & !lost;
        options_.tolerance ? shorten(lost, R(0.5) * h) : fail(lost, Status::newton_diverged);
      }
    }
    const auto renew = [&](const auto& keep) {
      const auto keep_sum = [&](auto& old, const auto& fresh) {
        old = {keep(fresh.value, old.value), keep(fresh.low, old.low)};
      };
      keep_sum(memory_.t, t);
      for (int n = 0; n < N; ++n) {
        keep_sum(memory_.q[n], q[n]);
        keep_sum(memory_.conjugate[n], conjugate[n]);
        memory_.velocity[n] = keep(v[n], memory_.velocity[n]);
        memory_.stages[s][n] = keep(weight_of(h) * rate[n], memory_.stages[s][n]);
      }
      for (int i = 0; i < s; ++i) {
        for (int n = 0; n < N; ++n) memory_.stages[i][n] = keep(w[i][n], memory_.stages[i][n]);
      }
      memory_.last_step = keep(h, memory_.last_step);
    };
    if (all(accepted)) {
      renew([](const R& fresh, const R&) { return fresh; });
    } else {
      renew([&](const R& fresh, const R& old) { return select(accepted, fresh, old); });
    }
    legendre_known_ = false;
    return accepted;
  }

  State<R, N> begin() const {
    State<R, N> x{begin_t_, {}, begin_velocity_};
    for (int n = 0; n < N; ++n) x.q[n] = begin_q_[n].value;
    return x;
  }
  State<R, N> end() const {
    State<R, N> x{memory_.t.value, {}, memory_.velocity};
    for (int n = 0; n < N; ++n) x.q[n] = memory_.q[n].value;
    return x;
  }
  R begin_time() const { return begin_t_; }
  R step() const { return taken_; }

  int degree() const { return tables_->stages + Form::extra_degree; }
  void bernstein(int n, R* out) const {
    Form::bernstein(*tables_, taken_, n, begin_q_, begin_conjugate_, memory_.stages, out);
  }

  CubicDeviation<R> bend(int n) const requires System::newtonian {
    return Form::bend(*tables_, taken_, n, begin(), end(), memory_.stages);
  }

  /// The Legendre coefficients of the last step's unknown (h^2 times accelerations where the mass is
  /// constant).
  const Coefficients<R, N>& legendre() {
    if (!legendre_known_) expand(Form::legendre(*tables_), tables_->stages);
    legendre_known_ = true;
    return legendre_;
  }

  /// Takes over another's last step, from its lane into a slot of this one.
  void take(int slot, const Gauss& other, int lane) {
    if constexpr (requires { form_.take(slot, other.form_, lane); }) form_.take(slot, other.form_, lane);
    const auto copy = [&](const auto& from, auto& to) { copy_lane<R>(from, lane, to, slot); };
    copy(other.begin_t_, begin_t_);
    copy(other.begin_q_, begin_q_);
    copy(other.begin_conjugate_, begin_conjugate_);
    copy(other.begin_velocity_, begin_velocity_);
    copy(other.taken_, taken_);
    copy(other.memory_.t, memory_.t);
    copy(other.memory_.q, memory_.q);
    copy(other.memory_.velocity, memory_.velocity);
    copy_lane<R>(other.memory_.stages, lane, memory_.stages, slot, (tables_->stages + 1) * N);
    legendre_known_ = false;
  }

  /// Raises the dense polynomial's degree by two with what holds at the step's ends, which the stages don't
  /// see.
  void refine(const System& system) {
    const int s = tables_->stages;
    const Vector rate = rate_at_end(system);
    for (int n = 0; n < N; ++n) memory_.stages[s + 1][n] = weight_of(taken_) * rate[n];
    expand(legendre_with_ends(), s + 2);
    legendre_known_ = true;
  }
  State<R, N> dense(const R& theta) {
    State<R, N> x;
    x.t = fma(theta, taken_, begin_t_);
    const auto& g = legendre();
    Form::dense(terms_, taken_, theta, begin_q_, begin_conjugate_, g, x.q, x.v);
    return x;
  }

  /// The state at theta by a step of length theta h, its stages started from the polynomial.
  State<R, N> again(const System& system, const R& theta, Mask lanes) {
    Stages<R, N> w;
    const Mask solved = solve_part(system, theta, lanes, w);
    const R h = theta * taken_;
    auto q = begin_q_, conjugate = begin_conjugate_;
    Form::finish(system, *tables_, h, begin_t_, begin_q_, begin_conjugate_, w, q, conjugate);
    State<R, N> x;
    x.t = begin_t_ + h;
    Vector y;
    for (int n = 0; n < N; ++n) {
      x.q[n] = q[n].value;
      y[n] = conjugate[n].value;
    }
    x.v = Form::velocity(system, x.q, y, memory_.velocity, x.t);
    return any(lanes & !solved) ? select(solved, x, dense(theta)) : x;
  }

  /// What driving adds to the energy over the first part of the last step, by the stages of a step of that
  /// length: W' = power as one more of its equations has this sum.
  R work(const System& system, const R& part) requires System::driven {
    const int s = tables_->stages;
    const R h = part * taken_;
    const auto sum_of = [&](const Coefficients<R, N>& g) {
      R sum(0.0);
      for (int i = 0; i < s; ++i) {
        const R c(tables_->c[i]);
        Vector q, v;
        Form::dense(s, h, c, begin_q_, begin_conjugate_, g, q, v);
        sum = fma(R(tables_->b[i]), system.power(q, v, fma(c, h, begin_t_)), sum);
      }
      return sum * h;
    };
    const auto& whole = legendre();
    if constexpr (System::kicked) {
      if (const Mask cut = part < R(1.0); any(cut)) {
        Stages<R, N> w, polynomial;
        const Mask solved = solve_part(system, part, cut, w);
        from_series(R(0.0), part, polynomial);
        Coefficients<R, N> g;
        for (int i = 0; i < s; ++i) {
          for (int n = 0; n < N; ++n) w[i][n] = select(solved, w[i][n], polynomial[i][n]);
        }
        apply<R, N>(Form::legendre(*tables_), s, s, w.data(), g.data());
        for (int i = 0; i < s; ++i) {
          for (int n = 0; n < N; ++n) g[i][n] = select(cut, g[i][n], whole[i][n]);
        }
        return sum_of(g);
      }
    }
    return sum_of(whole);
  }

  /// Lanes whose polynomial, refined, keeps velocities to round-off: what comes after its last coefficients
  /// would be that small, by their decay two orders at a time, which the parity of a solution can't hide.
  Mask dense_is_exact() const {
    R scale(0.0), last(0.0), before(0.0), earlier(0.0);
    const int s = tables_->stages;
    if (s < 4 || terms_ == s) return Mask(false);
    for (int n = 0; n < N; ++n) {
      const auto size = [&](int k) { return numerics::absolute(legendre_[k][n]); };
      scale = numerics::larger(scale, numerics::absolute(begin_velocity_[n]));
      scale = numerics::larger(scale, numerics::absolute(memory_.velocity[n]));
      last += size(s) + size(s + 1);
      before += size(s - 1) + size(s - 2);
      earlier += size(s - 3) + size(s - 4);
    }
    // Coefficients may also be small by chance: the decay that led to them then tells.
    const R decay = select(before > last, last / before, R(1.0));
    const R usual = select(earlier > before, before / earlier, R(1.0));
    const R next =
        numerics::larger(last, before * usual) * (numerics::larger(decay, usual) + R(Form::feedback));
    return Form::velocity_error(s + 2, taken_, next) <= scale * R(exact_below);
  }

  /// Directly, by one elimination for all deviations: the stages are known.
  void tangent(const System& system, const R& part, Mask lanes, Deviation<R, N>* d, int count) {
    const Mask whole = part == R(1.0);
    const auto map = [&](const R& h, const Stages<R, N>& stages) {
      form_.tangent(system, *tables_, h, begin_t_, begin_q_, begin_conjugate_, stages, lanes, d, count,
                    elimination_);
    };
    if (!any(lanes & !whole)) return map(taken_, memory_.stages);
    Stages<R, N> w;
    solve_part(system, part, lanes & !whole, w);
    for (int i = 0; i < tables_->stages; ++i) {
      for (int n = 0; n < N; ++n) w[i][n] = select(whole, memory_.stages[i][n], w[i][n]);
    }
    map(part * taken_, w);
  }
  static bool has_tangent() { return true; }

  R failure() const { return failure_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

 private:
  static constexpr double exact_below = 2e-14;  // of the estimate; true errors reach five times it

  /// The stages of a step of length theta h from the last step's beginning; returns the lanes solved.
  Mask solve_part(const System& system, const R& theta, Mask lanes, Stages<R, N>& w) {
    legendre();
    from_series(R(0.0), theta, w);
    return form_.solve(system, *tables_, theta * taken_, begin_t_, begin_q_, begin_conjugate_, w, lanes,
                       true);
  }

  void fail(Mask lanes, Status status) { failure_ = select(lanes, R(static_cast<double>(status)), failure_); }

  /// What the unknown follows, at the end of the last step: h^2 times accelerations, or velocities.
  Vector rate_at_end(const System& system) const {
    if constexpr (System::newtonian) {
      return form_.rate(system, end());
    } else {
      return memory_.velocity;
    }
  }
  static R weight_of(const R& h) {
    if constexpr (System::newtonian) {
      return Form::weight(h);
    } else {
      return R(1.0);
    }
  }

  void expand(const double* matrix, int terms) {
    apply<R, N>(matrix, terms, terms, memory_.stages.data(), legendre_.data());
    terms_ = terms;
  }
  /// The unknown from its Legendre series, over a step of length `ratio` steps that begins at `from`.
  void from_series(const R& from, const R& ratio, Stages<R, N>& w) const {
    numerics::legendre_series<R, N>(terms_, legendre_.data(), tables_->c, from, ratio, w.data());
    for (int i = 0; i < tables_->stages; ++i) {
      for (int n = 0; n < N; ++n) w[i][n] = weight_of(ratio) * w[i][n];
    }
    if constexpr (System::newtonian) Form::from_values(*tables_, w);
  }

  /// A guess for the unknown of a step h, from the last step's polynomial; the start's where there was none.
  void guess(const R& h, const Vector& rate, Mask active, Stages<R, N>& w) {
    const int s = tables_->stages;
    const R weight = weight_of(memory_.last_step);
    for (int n = 0; n < N; ++n) memory_.stages[s + 1][n] = weight * rate[n];
    const Mask equal = memory_.last_step == h;
    if (any(active & equal)) {
      apply<R, N>(Form::extrapolation(*tables_), s, s + 2, memory_.stages.data(), w.data());
    }
    if (!any(active & !equal)) return;
    Stages<R, N> other;
    expand(legendre_with_ends(), s + 2);
    from_series(R(1.0), h / select(memory_.last_step == R(0.0), R(1.0), memory_.last_step), other);
    const Mask fresh = memory_.last_step == R(0.0);
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) {
        w[i][n] = select(equal, w[i][n], select(fresh, memory_.stages[i][n], other[i][n]));
      }
    }
  }
  const double* legendre_with_ends() const {
    if constexpr (System::newtonian) {
      return tables_->parts.legendre_with_ends.data();
    } else {
      return tables_->legendre_with_ends.data();
    }
  }

  /// The velocities' error inside the step, from the decay of the Legendre coefficients: the next one is
  /// estimated by two orders of decay, which the parity of a solution can't hide.
  R velocity_error(const R& h, const Coefficients<R, N>& g) const {
    const int s = tables_->stages;
    if (s < 4) return R(std::numeric_limits<double>::infinity());
    R last(0.0), before(0.0), high(0.0);
    for (int n = 0; n < N; ++n) {
      last += numerics::absolute(g[s - 1][n]) + numerics::absolute(g[s - 2][n]);
      before += numerics::absolute(g[s - 3][n]) + numerics::absolute(g[s - 4][n]);
      high += numerics::absolute(g[s - 2][n]);
    }
    high = numerics::larger(high, R(0.5) * last);
    const R next = high * select(before > last, last / before, R(1.0));
    return Form::velocity_error(s, h, next);
  }

  /// Accepts or rejects, and sets the next step, lane by lane.
  Mask control(const R& h, const Stages<R, N>& w, Mask active, Mask solved) {
    const int s = tables_->stages;
    Coefficients<R, N> g;
    apply<R, N>(Form::legendre(*tables_), s, s, w.data(), g.data());
    R error(0.0), scale(0.0);
    for (int n = 0; n < N; ++n) scale = numerics::larger(scale, numerics::absolute(memory_.velocity[n]));
    if (s >= 4) {
      error = velocity_error(h, g);
    } else {
      for (int n = 0; n < N; ++n) error += numerics::absolute(g[s - 1][n]);
      error = Form::velocity_error(0, h, error);
    }
    scale = numerics::larger(scale, R(1e-3));
    const R ratio = error / (scale * R(*options_.tolerance));
    R factor;
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      const double x = numerics::lane(ratio, i);
      const double f = std::isfinite(x) ? 0.8 * std::pow(std::max(x, 1e-12), -1.0 / (s + 1)) : 0.2;
      numerics::set_lane(factor, i, std::clamp(f, 0.2, 2.0));
    }
    factor = select(solved, factor, R(0.5));
    const Mask accepted = solved & (ratio <= R(1.0));
    memory_.step = select(active & accepted, h * factor, memory_.step);
    shorten(active & !accepted, h * factor);
    return accepted;
  }
  /// Steps to be taken once more with this length, unless that is none.
  void shorten(Mask lanes, const R& step) {
    memory_.step = select(lanes, step, memory_.step);
    const Mask vanishes =
        memory_.step <= R(0x1p-50) * numerics::larger(numerics::absolute(memory_.t.value), R(1e-3));
    fail(lanes & vanishes, Status::step_too_small);
  }

  std::shared_ptr<const GaussTables> tables_;
  MethodOptions options_;
  Form form_;
  Memory memory_{};
  Running begin_q_{}, begin_conjugate_{};
  Vector begin_velocity_{};
  R begin_t_{0.0}, taken_{0.0}, failure_{0.0};
  Coefficients<R, N> legendre_;  ///< of the unknown over the last step; terms_ of them
  int terms_ = 0;
  bool legendre_known_ = false;
  numerics::Elimination<R> elimination_;  ///< of the tangent map
};

}  // namespace cotangent::integrators
