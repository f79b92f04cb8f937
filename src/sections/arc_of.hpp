// SPDX-License-Identifier: BSD-3-Clause
// An arc and its derivative for any model of N coordinates: the product of the method's own tangent maps,
// step by step, and of kicks. Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006),
// VI.4.1.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "integrators/stepper.hpp"
#include "numerics/gregory.hpp"
#include "sections/arc.hpp"
#include "sections/deviations.hpp"

namespace cotangent::sections {

/// The method of some options.
template <class R, int N>
using MakeStepper =
    std::function<std::unique_ptr<integrators::Stepper<R, N>>(const integrators::MethodOptions&)>;

/// Flies one trajectory, the same in all lanes.
template <class R, int N>
class ArcFlight {
  using Mask = numerics::mask_of<R>;
  using State = integrators::State<R, N>;
  using System = integrators::AnySystem<R, N>;
  using Deviation = integrators::Deviation<R, N>;

 public:
  ArcFlight(System& system, const MakeStepper<R, N>& make_stepper, const integrators::MethodOptions& method,
            const Start& start)
      : system_(system), make_stepper_(make_stepper), options_(method) {
    for (std::size_t k = 0; k < system_.parameters().size(); ++k)
      system_.parameters()[k] = R(start.parameters[k]);
    for (int n = 0; n < N; ++n) {
      x_.q[n] = R(start.q[n]);
      x_.v[n] = R(start.v[n]);
      d_[n].q[n] = R(1.0);
      d_[N + n].y[n] = R(1.0);
    }
    if (system_.kind().constraints > 0) {
      for (Deviation& d : d_) system_.make_tangent(x_, d);
      for (const auto& row : system_.normals(x_)) {
        for (const R& entry : row) arc_.normals.push_back(first(entry));
      }
    }
  }

  Arc fly(double duration) {
    enter_energy();
    const auto [parts, every] = between_kicks(duration);
    for (std::int64_t k = 0; k < parts && arc_.status == Status::finished; ++k) {
      if (kicked_) kick();
      if (k == 0) arc_.flow = flow();
      const double from = static_cast<double>(k) * every;
      pass(from, k + 1 < parts ? every : duration - from);
    }
    enter_end();
    for (int i = 0; i < 2 * N; ++i) {
      for (const Deviation& d : d_) arc_.derivative.push_back(first(i < N ? d.q[i] : d.y[i - N]));
    }
    arc_.end_flow = flow();
    return arc_;
  }
  /// From t = duration to 0, by the same steps with the other sign.
  Arc fly_back(double duration) {
    back_ = true;
    const auto [parts, every] = between_kicks(duration);
    for (std::int64_t k = parts - 1; k >= 0 && arc_.status == Status::finished; --k) {
      const double to = static_cast<double>(k) * every, length = k + 1 < parts ? every : duration - to;
      pass(to + length, -length);
      if (kicked_) kick_back();
    }
    enter_end();
    return arc_;
  }

 private:
  static double first(const R& x) { return numerics::lane(x, 0); }

  struct Parts {
    std::int64_t count;
    double every;
  };
  Parts between_kicks(double duration) const {
    if (!kicked_) return {1, duration};
    const double every = first(system_.kick_every());
    return {std::max<std::int64_t>(std::llround(std::ceil(duration / every - 1e-9)), 1), every};
  }

  void enter_end() {
    for (int n = 0; n < N; ++n) arc_.q.push_back(first(x_.q[n]));
    for (int n = 0; n < N; ++n) arc_.v.push_back(first(x_.v[n]));
  }
  std::vector<double> flow() const {
    const auto a = system_.acceleration(x_);
    std::vector<double> result;
    for (int n = 0; n < N; ++n) result.push_back(first(x_.v[n]));
    for (int n = 0; n < N; ++n) result.push_back(first(a[n]));
    return result;
  }
  /// E = v L_v - L, so that E_q = L_vq v - L_q and E_v = L_vv v.
  void enter_energy() {
    arc_.energy = first(system_.energy(x_));
    const auto h = system_.derivatives(x_);
    for (int i = 0; i < N; ++i) {
      R slope = -h.q[i];
      for (int j = 0; j < N; ++j) slope = fma(h.qv[i][j], x_.v[j], slope);
      arc_.energy_slope.push_back(first(slope));
    }
    for (int i = 0; i < N; ++i) {
      R slope(0.0);
      for (int j = 0; j < N; ++j) slope = fma(h.vv[i][j], x_.v[j], slope);
      arc_.energy_slope.push_back(first(slope));
    }
  }

  /// p q'.
  double rate_of_action(const State& x) const {
    const auto p = system_.momentum(x);
    double sum = 0;
    for (int n = 0; n < N; ++n) sum += first(p[n]) * first(x.v[n]);
    return sum;
  }

  void kick() {
    State kicked = x_;
    kicked.v = system_.kicked_velocity(x_);
    sections::kick<R, N>(system_, x_, kicked, false, d_);
    x_ = kicked;
  }

  void kick_back() {
    const auto behind = system_.kicked_velocity(x_);
    for (int n = 0; n < N; ++n) x_.v[n] -= behind[n] - x_.v[n];
  }

  /// Equal steps over a time without kicks, below 0 where they lead back.
  void pass(double from, double length) {
    const double whole = std::ceil(std::abs(length) / options_.step - 1e-9);
    const auto steps = std::max<std::int64_t>(std::llround(whole), 1);
    integrators::MethodOptions options = options_;
    options.step = length / static_cast<double>(steps);
    const auto method = make_stepper_(options);
    if (!method->has_tangent()) throw Error("the method has no tangent map with these options");
    x_.t = R(from);
    method->start(system_, x_, Mask(true));
    if (method->momenta()) to_momenta<R, N>(system_, x_, d_);
    // At a Gauss method's own stages the sum of p dq is as accurate as its steps; of others it is known best
    // at their ends, where there are enough of them.
    arc_.action_as_end = options_.name == "gauss";
    const bool at_ends =
        !back_ && !arc_.action_as_end && steps + 1 >= static_cast<std::int64_t>(numerics::gregory_values);
    std::vector<double> rates{rate_of_action(x_)};
    const int wanted = arc_.action_as_end ? options_.stages : method->degree() + 1;
    const auto nodes = integrators::GaussTables::of(std::clamp(wanted, 1, integrators::max_stages));
    for (std::int64_t k = 0; k < steps; ++k) {
      const Mask took = method->advance(system_, Mask(true));
      if (!numerics::lane(took, 0))
        return fail(static_cast<Status>(static_cast<int>(first(method->failure()))));
      if (!back_) {
        method->tangent(system_, R(1.0), Mask(true), d_.data(), 2 * N);
        for (int i = 0; i < nodes->stages && !at_ends; ++i)
          arc_.action += options.step * nodes->b[i] * rate_of_action(method->dense(R(nodes->c[i])));
      }
      x_ = method->end();
      if (at_ends) rates.push_back(rate_of_action(x_));
      if (!(first(system_.domain(x_.q)) > 0)) return fail(Status::left_domain);
      if (!std::isfinite(first(x_.q[0]))) return fail(Status::non_finite);
    }
    if (at_ends) arc_.action += numerics::gregory(rates, options.step);
    x_.t = R(from + length);
    if (method->momenta()) to_velocities<R, N>(system_, x_, d_);
  }
  void fail(Status status) { arc_.status = status; }

  System& system_;
  const bool kicked_ = system_.kind().kicked;
  const MakeStepper<R, N>& make_stepper_;
  integrators::MethodOptions options_;
  State x_{};
  std::array<Deviation, 2 * N> d_{};
  Arc arc_;
  bool back_ = false;
};

template <class R, int N>
Arc fly_arc(integrators::AnySystem<R, N>& system, const MakeStepper<R, N>& make_stepper,
            const integrators::MethodOptions& method, const Start& start, double duration) {
  ArcFlight<R, N> flight(system, make_stepper, method, start);
  return duration < 0 ? flight.fly_back(-duration) : flight.fly(duration);
}

}  // namespace cotangent::sections
