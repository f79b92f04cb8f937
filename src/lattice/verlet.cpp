// Stormer-Verlet (kick, drift, kick) and its symmetric compositions: steps of lengths gamma_1 h, ...,
// gamma_s h, neighbouring kicks joined. For L = v^T M v / 2 - U(q) with M diagonal.
// Reference: Hairer, Lubich, Wanner (2006), I.1.4, V.3.2.
#include <algorithm>
#include <cmath>

#include "lattice/method.hpp"
#include "numerics/compensated.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

class Verlet final : public Method {
 public:
  Verlet(const Lattice& lattice, Kernel& kernel, std::vector<double> shares, Field q, Field v)
      : lattice_(lattice),
        kernel_(kernel),
        shares_(std::move(shares)),
        ghosts_(lattice.sites, lattice.here.range, lattice.halo(lattice.here.reach)),
        q_(make()),
        q_low_(make()),
        v_(make()),
        v_low_(make()),
        force_(make()) {
    for (int c = 0; c < lattice.dim; ++c) {
      std::copy_n(q[c], lattice.own(), q_[c]);
      std::copy_n(v[c], lattice.own(), v_[c]);
    }
    fill_ghosts(q_);
    inverse_mass_ = inverse_masses(lattice, kernel, q_, lattice.here.left, lattice.here.right);
    renew_force();
  }

  Status attempt(double h) override {
    double kick = 0;
    for (const double share : shares_) {
      move(h * (kick + share / 2), v_, v_low_, force_, &inverse_mass_);
      move(h * share, q_, q_low_, v_, nullptr);
      kick = share / 2;
      fill_ghosts(q_);
      renew_force();
    }
    move(h * kick, v_, v_low_, force_, &inverse_mass_);
    time_ += h;
    ++effort_.steps;
    double sum = 0;
    for (int c = 0; c < lattice_.dim; ++c) {
      for (std::int64_t i = 0; i < lattice_.own(); ++i) sum += std::abs(q_[c][i]) + std::abs(v_[c][i]);
    }
    if (!parallel::any(!std::isfinite(sum))) return Status::pending;
    failure_ = "a coordinate became infinite or NaN";
    return Status::non_finite;
  }
  double time() const override { return time_; }
  const Field& position() override { return q_; }
  const Field& velocity() override { return v_; }
  Effort& effort() override { return effort_; }
  const std::string& failure() const override { return failure_; }
  void fill_ghosts(Field& field) override { ghosts_.exchange(components(field)); }

  std::vector<double*> site_state() override { return components({&q_, &q_low_, &v_, &v_low_}); }
  std::vector<double> common_state() const override { return {time_, static_cast<double>(effort_.steps)}; }
  void restore(const std::vector<double>& common) override {
    time_ = common.at(0);
    effort_.steps = static_cast<std::int64_t>(common.at(1));
    fill_ghosts(q_);
    renew_force();
  }

 private:
  Field make() const { return {lattice_.dim, lattice_.here.left, lattice_.own(), lattice_.here.right}; }
  void renew_force() {
    ++effort_.forces;
    const std::int64_t own = lattice_.own(), block = lattice_.here.listed ? own : 256;
    const auto from = components(std::as_const(q_));
    const auto into = components(force_);
    for (std::int64_t low = 0; low < own; low += block)
      kernel_.force(from.data(), low, std::min(low + block, own), into.data());
  }
  /// x += h (rate of x), with compensation.
  void move(double h, Field& x, Field& low, const Field& rate, const Field* factor) {
    for (int c = 0; c < lattice_.dim; ++c) {
      for (std::int64_t i = 0; i < lattice_.own(); i += pack) {
        Pack change = Pack(h) * load(rate[c] + i);
        if (factor != nullptr) change = change * load((*factor)[c] + i);
        numerics::Compensated<Pack> sum{load(x[c] + i), load(low[c] + i)};
        sum.add(change);
        store(sum.value, x[c] + i, lattice_.own() - i);
        store(sum.low, low[c] + i, lattice_.own() - i);
      }
    }
  }

  Lattice lattice_;
  Kernel& kernel_;
  std::vector<double> shares_;
  Ghosts ghosts_;
  Field q_, q_low_, v_, v_low_, force_, inverse_mass_;
  double time_ = 0;
  Effort effort_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Method> make_verlet(const Lattice& lattice, Kernel& kernel, std::vector<double> shares,
                                    Field q, Field v) {
  return std::make_unique<Verlet>(lattice, kernel, std::move(shares), std::move(q), std::move(v));
}

}  // namespace cotangent::lattice
