// SPDX-License-Identifier: BSD-3-Clause
// A model of N coordinates over the reals R, whichever it is: what looks at trajectories (events, records,
// deviations) asks for energies and accelerations here, and is compiled once for each N and not for each
// model. What takes steps knows its System itself.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "integrators/tangent_space.hpp"

namespace cotangent::integrators {

/// What of a System is asked for between steps, with the same meaning.
template <class R, int N>
class AnySystem {
 public:
  using Vector = std::array<R, N>;
  using Matrix = numerics::Matrix<R, N>;

  struct Kind {
    bool driven = false, kicked = false;
    bool bounded = false;  ///< has a domain that it may leave
    int constraints = 0, multipliers = 0;
    std::array<bool, N> angle{};  ///< which coordinates are
  };
  /// L and its derivatives, without what force is applied.
  struct Derivatives {
    Vector q;
    Matrix qv, vv;  ///< qv[i][j] = d2L / dq_i dv_j
  };

  AnySystem(const AnySystem&) = delete;
  AnySystem& operator=(const AnySystem&) = delete;
  virtual ~AnySystem() = default;
  /// The same model with the same parameters.
  virtual std::unique_ptr<AnySystem> copy() const = 0;

  const Kind& kind() const { return kind_; }
  std::span<R> parameters() { return parameters_; }
  std::span<const R> parameters() const { return parameters_; }

  virtual R energy(const State<R, N>& x) const = 0;
  virtual Vector acceleration(const State<R, N>& x) const = 0;
  virtual Vector momentum(const State<R, N>& x) const = 0;
  virtual Derivatives derivatives(const State<R, N>& x) const = 0;
  /// Above zero where coordinates are inside the domain.
  virtual R domain(const Vector& q) const = 0;

  /// The Lagrange multipliers of the exact motion, of the constraints and then of rolling: so many come
  /// first, the rest are zero.
  virtual Vector multiplier(const State<R, N>& x) const = 0;
  /// The directions of their forces.
  virtual Matrix force_directions(const State<R, N>& x) const = 0;
  /// Takes out of a deviation (dq, dv) what isn't tangent to what constraints and rolling allow.
  virtual void make_tangent(const State<R, N>& x, Deviation<R, N>& d) const = 0;
  /// What is orthogonal to all that is tangent, rows of 2 N. (Both where methods have their tangent maps.)
  virtual std::vector<std::array<R, 2 * N>> normals(const State<R, N>& x) const = 0;

  virtual R kick_every() const = 0;
  virtual Vector kicked_velocity(const State<R, N>& x) const = 0;
  /// The second derivatives of the kick's potential.
  virtual Matrix kick_slope(const Vector& q) const = 0;

 protected:
  explicit AnySystem(const Kind& kind) : kind_(kind) {}

  std::span<R> parameters_;

 private:
  Kind kind_;
};

/// Whether the methods over a system have their tangent maps: unless the model's struct says by
/// `tangent_maps = false` that nobody asks for them, which spares up to a third of what is compiled.
template <class System>
constexpr bool has_tangent_maps = [] {
  if constexpr (requires { System::Model::tangent_maps; }) {
    return System::Model::tangent_maps;
  } else {
    return true;
  }
}();

template <class System>
class AnySystemOf final : public AnySystem<typename System::Real, System::dim> {
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Base = AnySystem<R, N>;
  using X = State<R, N>;
  static_assert(System::multipliers <= N, "more constraints than coordinates");

 public:
  using typename Base::Derivatives;
  using typename Base::Matrix;
  using typename Base::Vector;

  explicit AnySystemOf(const System& value = {}) : Base(kind_of()), system(value) {
    this->parameters_ = system.parameters;
  }
  std::unique_ptr<Base> copy() const override { return std::make_unique<AnySystemOf>(system); }

  R energy(const X& x) const override { return system.energy(x.q, x.v, x.t); }
  Vector acceleration(const X& x) const override { return system.acceleration(x.q, x.v, x.t); }
  Vector momentum(const X& x) const override { return system.momentum(x.q, x.v, x.t); }
  Derivatives derivatives(const X& x) const override {
    const auto h = system.unforced_hessian(x.q, x.v, x.t);
    return {h.q, h.qv, h.vv};
  }
  R domain(const Vector& q) const override { return system.domain(q); }

  Vector multiplier([[maybe_unused]] const X& x) const override {
    Vector result{};
    if constexpr (System::multipliers > 0)
      std::ranges::copy(system.multiplier(x.q, x.v, x.t), result.begin());
    return result;
  }
  Matrix force_directions([[maybe_unused]] const X& x) const override {
    Matrix result{};
    if constexpr (System::multipliers > 0)
      std::ranges::copy(system.force_directions(x.q, x.v, x.t), result.begin());
    return result;
  }
  void make_tangent([[maybe_unused]] const X& x, [[maybe_unused]] Deviation<R, N>& d) const override {
    if constexpr (has_tangent_maps<System> && System::multipliers != 0)
      integrators::make_tangent(system, x, d);
  }
  std::vector<std::array<R, 2 * N>> normals([[maybe_unused]] const X& x) const override {
    if constexpr (has_tangent_maps<System> && System::constrained) {
      const auto rows = integrators::normals(system, x);
      return {rows.begin(), rows.end()};
    } else {
      return {};
    }
  }

  R kick_every() const override {
    if constexpr (System::kicked) {
      return system.kick_every();
    } else {
      return R(std::numeric_limits<double>::infinity());
    }
  }
  Vector kicked_velocity(const X& x) const override {
    if constexpr (System::kicked) {
      return system.kicked_velocity(x.q, x.v, x.t);
    } else {
      return x.v;
    }
  }
  Matrix kick_slope([[maybe_unused]] const Vector& q) const override {
    if constexpr (System::kicked) {
      return ad::hessian_of<N>(typename System::Model{}.kick(ad::seed<0, N, 2, 0>(q), system.parameters));
    } else {
      return {};
    }
  }

  System system;

 private:
  static typename Base::Kind kind_of() {
    typename Base::Kind kind{.driven = System::driven,
                             .kicked = System::kicked,
                             .bounded = mechanics::has_domain<typename System::Model>,
                             .constraints = System::constraints,
                             .multipliers = System::multipliers,
                             .angle = {}};
    for (int n = 0; n < N; ++n) kind.angle[n] = System::Model::coordinates[n].angle;
    return kind;
  }
};

}  // namespace cotangent::integrators
