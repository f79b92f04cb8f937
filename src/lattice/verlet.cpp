// SPDX-License-Identifier: BSD-3-Clause
// Stormer-Verlet (kick, drift, kick) and its symmetric compositions: steps of lengths gamma_1 h, ...,
// gamma_s h, neighbouring kicks joined. For L = v^T M v / 2 - U(q) with M diagonal.
// Reference: Hairer, Lubich, Wanner (2006), I.1.4, V.3.2.
#include <algorithm>
#include <array>
#include <cmath>

#include "lattice/method.hpp"
#include "numerics/compensated.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

class Verlet final : public Method {
 public:
  Verlet(const Lattice& lattice, Kernel& kernel, std::vector<double> coefficients, SiteField q, SiteField v)
      : lattice_(lattice),
        kernel_(kernel),
        coefficients_(std::move(coefficients)),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        state_{CompensatedState(*this), CompensatedState(*this)},
        force_(make()) {
    for (int c = 0; c < lattice.dim; ++c) {
      std::copy_n(q[c], lattice.own(), now().q[c]);
      std::copy_n(v[c], lattice.own(), now().v[c]);
    }
    fill_ghosts(now().q);
    inverse_mass_ = inverse_masses(lattice, kernel, now().q, lattice.here.left, lattice.here.right);
    renew_force();
  }

  Status attempt(double h) override {
    const int before = now_;
    double kick = 0;
    for (const double share : coefficients_) {  // the first of them leaves the step's beginning as it is
      const CompensatedState& from = now();
      CompensatedState& to = state_[1 - before];
      now_ = 1 - before;
      move(h * (kick + share / 2), from.v, from.v_low, force_, &inverse_mass_, to.v, to.v_low);
      move(h * share, from.q, from.q_low, to.v, nullptr, to.q, to.q_low);
      kick = share / 2;
      fill_ghosts(to.q);
      renew_force();
    }
    CompensatedState& end = now();
    move(h * kick, end.v, end.v_low, force_, &inverse_mass_, end.v, end.v_low);
    double sum = 0;
    for (int c = 0; c < lattice_.dim; ++c) {
      for (std::int64_t i = 0; i < lattice_.own(); ++i) sum += std::abs(end.q[c][i]) + std::abs(end.v[c][i]);
    }
    if (!parallel::any(!std::isfinite(sum))) {
      time_ += h;
      ++effort_.steps;
      return Status::pending;
    }
    now_ = before;
    renew_force();
    failure_ = "a coordinate became infinite or NaN (step " + std::to_string(h) + ")";
    return Status::non_finite;
  }
  double time() const override { return time_; }
  const SiteField& position() override { return now().q; }
  const SiteField& velocity() override { return now().v; }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(SiteField& field) override { ghosts_.exchange(components(field)); }

  std::string solver() override { return "explicit"; }
  void visit(StateVisitor& state) override {
    state.number("time", time_);
    state.number("steps", effort_.steps);
    state.field("position", now().q);
    state.field("position_low", now().q_low);
    state.field("velocity", now().v);
    state.field("velocity_low", now().v_low);
  }
  void restored() override {
    fill_ghosts(now().q);
    renew_force();
  }

 private:
  /// With what it takes to sum with compensation.
  struct CompensatedState {
    explicit CompensatedState(const Verlet& of)
        : q(of.make()), q_low(of.make()), v(of.make()), v_low(of.make()) {}
    SiteField q, q_low, v, v_low;
  };
  CompensatedState& now() { return state_[now_]; }
  SiteField make() const { return {lattice_.dim, lattice_.here.left, lattice_.own(), lattice_.here.right}; }
  void renew_force() {
    ++effort_.forces;
    const std::int64_t own = lattice_.own(), block = lattice_.here.listed ? own : 256;
    const auto from = components(std::as_const(now().q));
    const auto into = components(force_);
    for (std::int64_t low = 0; low < own; low += block)
      kernel_.force(from.data(), low, std::min(low + block, own), into.data());
  }
  /// x + h (rate of x), with compensation.
  void move(double h, const SiteField& x, const SiteField& low, const SiteField& rate,
            const SiteField* factor, SiteField& to, SiteField& to_low) {
    for (int c = 0; c < lattice_.dim; ++c) {
      for (std::int64_t i = 0; i < lattice_.own(); i += pack) {
        Pack change = Pack(h) * load(rate[c] + i);
        if (factor != nullptr) change = change * load((*factor)[c] + i);
        numerics::Compensated<Pack> sum{load(x[c] + i), load(low[c] + i)};
        sum.add(change);
        store(sum.value, to[c] + i, lattice_.own() - i);
        store(sum.low, to_low[c] + i, lattice_.own() - i);
      }
    }
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::vector<double> coefficients_;
  Ghosts ghosts_;
  std::array<CompensatedState, 2> state_;  // a step's beginning and its end, in turn
  int now_ = 0;
  SiteField force_, inverse_mass_;
  double time_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_verlet(const Lattice& lattice, Kernel& kernel, std::vector<double> coefficients,
                                    SiteField q, SiteField v) {
  return std::make_unique<Verlet>(lattice, kernel, std::move(coefficients), std::move(q), std::move(v));
}

}  // namespace cotangent::lattice
