// SPDX-License-Identifier: BSD-3-Clause
// Boost.odeint: explicit Runge-Kutta with step control (Fehlberg 8(7)) and with fixed steps, Bulirsch-Stoer
// with and without dense output, Dormand-Prince 5(4) with dense output, and for separable problems the
// symplectic Runge-Kutta-Nyström method of McLachlan. Tools without dense output repeat a shorter step to
// find a crossing.
#include <boost/numeric/odeint.hpp>

#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

namespace ode = boost::numeric::odeint;

template <class Problem>
struct System {
  void operator()(const State& y, State& dydt, double) const { Problem::derivative(y, dydt); }
};

/// A number of equal steps that end on `end`.
class EqualSteps {
 public:
  explicit EqualSteps(double h) : asked_(h) {}
  void begin(double end) {
    count_ = std::max(1L, std::lround(end / asked_));
    end_ = end;
    index_ = 0;
  }
  double length() const { return end_ / double(count_); }
  double next() { return ++index_ == count_ ? end_ : double(index_) * length(); }

 private:
  double asked_, end_ = 0;
  long count_ = 1, index_ = 0;
};

template <class Problem, class Stepper>
class Fixed {
 public:
  explicit Fixed(double h) : steps_(h) {}
  void begin(const State&, double end) { steps_.begin(end); }
  void step(double& t, State& y) {
    before_ = y;
    stepper_.do_step(System<Problem>(), y, t, steps_.length());
    t = steps_.next();
  }
  State at(double dt) {
    State y = before_;
    stepper_.do_step(System<Problem>(), y, 0.0, dt);
    return y;
  }

 private:
  EqualSteps steps_;
  Stepper stepper_;
  State before_{};
};

/// q'' = a(q): the stepper sees coordinates and velocities apart.
template <class Problem>
class Symplectic {
 public:
  using Half = std::array<double, 2>;
  explicit Symplectic(double h) : steps_(h) {}
  void begin(const State&, double end) { steps_.begin(end); }
  void step(double& t, State& y) {
    before_ = y;
    y = advanced(y, steps_.length());
    t = steps_.next();
  }
  State at(double dt) { return advanced(before_, dt); }

 private:
  State advanced(const State& y, double h) {
    Half q{y[0], y[1]}, v{y[2], y[3]};
    const auto velocity = [](const Half& v, Half& dqdt) { dqdt = v; };
    const auto force = [](const Half& q, Half& dvdt) { Problem::acceleration(q[0], q[1], dvdt[0], dvdt[1]); };
    stepper_.do_step(std::make_pair(velocity, force), q, v, 0.0, h);
    return {q[0], q[1], v[0], v[1]};
  }
  EqualSteps steps_;
  ode::symplectic_rkn_sb3a_mclachlan<Half> stepper_;
  State before_{};
};

/// A stepper with try_step. A crossing is found by a second stepper, which restarts at the step's beginning.
template <class Problem, class Stepper>
class Controlled {
 public:
  explicit Controlled(const Stepper& fresh) : fresh_(fresh), stepper_(fresh), local_(fresh) {}
  void begin(const State&, double end) {
    stepper_ = fresh_;
    end_ = end;
    h_ = 0.1;
  }
  void step(double& t, State& y) {
    before_ = y;
    double h = std::min(h_, end_ - t);
    const bool last = h < h_;
    while (stepper_.try_step(System<Problem>(), y, t, h) == ode::fail) {
      if (h < 1e-10) throw std::runtime_error("the step shrinks to nothing");
    }
    if (last && end_ - t < 1e-12 * end_) t = end_;
    if (!last || t < end_) h_ = h;
  }
  State at(double dt) {
    State y = before_;
    for (double t = 0, h = dt; dt - t > 1e-15 * dt;) {
      h = std::min(h, dt - t);
      local_.try_step(System<Problem>(), y, t, h);
    }
    return y;
  }

 private:
  Stepper fresh_, stepper_, local_;
  State before_{};
  double end_ = 0, h_ = 0.1;
};

/// A stepper with dense output: the last step may reach beyond the end, and the end is interpolated.
template <class Problem, class Stepper>
class Dense {
 public:
  explicit Dense(const Stepper& fresh) : fresh_(fresh), stepper_(fresh) {}
  void begin(const State& y, double end) {
    stepper_ = fresh_;
    stepper_.initialize(y, 0.0, 0.01);
    end_ = end;
  }
  void step(double& t, State& y) {
    stepper_.do_step(System<Problem>());
    t = stepper_.current_time();
    if (t >= end_) {
      t = end_;
      stepper_.calc_state(end_, y);
    } else {
      y = stepper_.current_state();
    }
  }
  State at(double dt) {
    State y;
    stepper_.calc_state(stepper_.previous_time() + dt, y);
    return y;
  }

 private:
  Stepper fresh_, stepper_;
  double end_ = 0;
};

template <class Problem>
void run(const Load<Problem>& load, std::vector<Row>& rows, std::initializer_list<double> steps) {
  using Fehlberg = ode::runge_kutta_fehlberg78<State>;
  using DormandPrince = ode::runge_kutta_dopri5<State>;
  using Extrapolation = ode::bulirsch_stoer<State>;
  using DenseExtrapolation = ode::bulirsch_stoer_dense_out<State>;
  const auto add = [&](const char* method, const std::string& setting, auto tool) {
    measure_one_by_one(rows, load, "odeint", method, setting, tool);
  };
  for (const double tol :
       {1e-10, 3e-11, 1e-11, 3e-12, 1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 3e-15, 1e-15, 3e-16, 1e-16}) {
    const auto stepper = ode::make_controlled(tol, tol, Fehlberg());
    add("fehlberg78", setting("tolerance", tol),
        Controlled<Problem, std::remove_const_t<decltype(stepper)>>(stepper));
    add("bulirsch_stoer", setting("tolerance", tol),
        Controlled<Problem, Extrapolation>(Extrapolation(tol, tol)));
  }
  for (const double tol : {1e-11, 1e-12, 1e-13, 1e-14, 1e-15}) {
    const auto stepper = ode::make_dense_output(tol, tol, DormandPrince());
    add("dopri5_dense", setting("tolerance", tol),
        Dense<Problem, std::remove_const_t<decltype(stepper)>>(stepper));
    add("bulirsch_stoer_dense", setting("tolerance", tol),
        Dense<Problem, DenseExtrapolation>(DenseExtrapolation(tol, tol)));
  }
  for (const double h : steps) add("fehlberg78_fixed", setting("step", h), Fixed<Problem, Fehlberg>(h));
  if constexpr (Problem::separable) {
    for (const double h : {0.1, 0.05, 0.03, 0.02, 0.01, 0.005}) {
      add("symplectic_sb3a", setting("step", h), Symplectic<Problem>(h));
    }
  }
}

}  // namespace

void odeint(const Load<HenonHeiles>& load, std::vector<Row>& rows) {
  run(load, rows, {0.25, 0.2, 0.15, 0.12, 0.1, 0.085, 0.07, 0.06, 0.055, 0.05});
}

void odeint(const Load<MagneticChain>& load, std::vector<Row>& rows) {
  run(load, rows, {0.12, 0.1, 0.085, 0.07, 0.06, 0.05, 0.045, 0.04, 0.035, 0.03});
}

}  // namespace cotangent::benchmark
