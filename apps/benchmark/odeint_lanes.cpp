// SPDX-License-Identifier: BSD-3-Clause
// Boost.odeint on SIMD lanes: the state's numbers are xsimd batches, so one stepper advances several orbits
// together. odeint's step control would choose one step for all lanes, so steps are fixed: Fehlberg's 13
// stages of order 8 and, for separable problems, McLachlan's symplectic method. Crossings are found lane by
// lane, repeating a shorter step.
#include <boost/numeric/odeint.hpp>
#include <xsimd/xsimd.hpp>

#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

namespace ode = boost::numeric::odeint;
using Lanes = xsimd::batch<double>;
constexpr std::size_t width = Lanes::size;
using LaneState = StateOf<Lanes>;

template <class Problem>
struct Fehlberg {
  template <class Real>
  struct Stepper {
    ode::runge_kutta_fehlberg78<StateOf<Real>, double, StateOf<Real>, double> stepper;
    void operator()(StateOf<Real>& y, double h) {
      stepper.do_step(
          [](const StateOf<Real>& x, StateOf<Real>& dxdt, double) { Problem::derivative(x, dxdt); }, y, 0.0,
          h);
    }
  };
};

template <class Problem>
struct Symplectic {
  template <class Real>
  struct Stepper {
    using Half = std::array<Real, 2>;
    ode::symplectic_rkn_sb3a_mclachlan<Half, Half, double> stepper;
    void operator()(StateOf<Real>& y, double h) {
      Half q{y[0], y[1]}, v{y[2], y[3]};
      const auto velocity = [](const Half& v, Half& dqdt) { dqdt = v; };
      const auto force = [](const Half& q, Half& dvdt) {
        Problem::acceleration(q[0], q[1], dvdt[0], dvdt[1]);
      };
      stepper.do_step(std::make_pair(velocity, force), q, v, 0.0, h);
      y = {q[0], q[1], v[0], v[1]};
    }
  };
};

State lane(const LaneState& y, std::size_t i) {
  return {y[0].get(i), y[1].get(i), y[2].get(i), y[3].get(i)};
}

/// Up to `width` orbits, numbered from `first`; empty lanes repeat the first orbit.
template <class Problem, class Method, class Observation>
void advance(std::span<const State> starts, std::size_t first, double asked, double end, bool events,
             Observation& watch, std::vector<State>& final) {
  const std::size_t used = std::min(width, starts.size() - first);
  LaneState y;
  for (int k = 0; k < 4; ++k) {
    alignas(64) double values[width];
    for (std::size_t i = 0; i < width; ++i) values[i] = starts[first + (i < used ? i : 0)][k];
    y[k] = Lanes::load_aligned(values);
  }
  typename Method::template Stepper<Lanes> step;
  typename Method::template Stepper<double> step_alone;
  const long count = std::max(1L, std::lround(end / asked));
  const double h = end / double(count);
  for (long n = 0; n < count; ++n) {
    const LaneState before = y;
    step(y, h);
    if constexpr (Observation::sees_steps) {
      for (std::size_t i = 0; i < used; ++i) watch.step(int(first + i), lane(y, i));
    }
    if (!events || !xsimd::any(before[0] * y[0] <= Lanes(0))) continue;
    for (std::size_t i = 0; i < used; ++i) {
      if (!Problem::crosses(before[0].get(i), y[0].get(i))) continue;
      const State start = lane(before, i);
      const auto crossing = locate<Problem, double>(start, lane(y, i), h, [&](double dt) {
        State shorter = start;
        step_alone(shorter, dt);
        return shorter;
      });
      if (Problem::counts(crossing.state))
        watch.crossing(int(first + i), double(n) * h + crossing.time, crossing.state);
    }
  }
  for (std::size_t i = 0; i < used; ++i) final.push_back(lane(y, i));
}

template <class Problem, class Method>
void run(const Load<Problem>& load, std::vector<Row>& rows, const char* method,
         std::initializer_list<double> steps) {
  const std::string tool = "odeint x" + std::to_string(width);
  for (const double h : steps) {
    measure(rows, load, tool, method, setting("step", h),
            [&](std::span<const State> starts, double end, bool events, auto& watch) {
              std::vector<State> final;
              for (std::size_t first = 0; first < starts.size(); first += width) {
                advance<Problem, Method>(starts, first, h, end, events, watch, final);
              }
              return final;
            });
  }
}

}  // namespace

void odeint_lanes(const Load<HenonHeiles>& load, std::vector<Row>& rows) {
  run<HenonHeiles, Fehlberg<HenonHeiles>>(load, rows, "fehlberg78_fixed",
                                          {0.25, 0.2, 0.15, 0.12, 0.1, 0.085, 0.07, 0.06, 0.055, 0.05});
  run<HenonHeiles, Symplectic<HenonHeiles>>(load, rows, "symplectic_sb3a",
                                            {0.1, 0.05, 0.03, 0.02, 0.01, 0.005});
}

void odeint_lanes(const Load<MagneticChain>& load, std::vector<Row>& rows) {
  run<MagneticChain, Fehlberg<MagneticChain>>(load, rows, "fehlberg78_fixed",
                                              {0.12, 0.1, 0.085, 0.07, 0.06, 0.05, 0.045, 0.04, 0.035, 0.03});
}

}  // namespace cotangent::benchmark
