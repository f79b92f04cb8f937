// SPDX-License-Identifier: BSD-3-Clause
// Field for one struct that states
//   name, about, dim, parameters, and potential(x, p),
// the energy of a particle of unit mass at x; forces follow by automatic differentiation.
#pragma once

#include <algorithm>

#include "billiards/field.hpp"
#include "integrators/gauss.hpp"
#include "mechanics/formulas_of.hpp"

namespace cotangent::billiards {

/// L = v^2 / 2 - U(x) + g x: the field as the integrators know it. The gravity stands after U's parameters.
template <class U>
struct InField {
  static constexpr int dim = U::dim;
  static constexpr std::size_t own = U::parameters.size();
  static constexpr auto parameters =
      []<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
    constexpr auto component = [](std::size_t) {
      return mechanics::Parameter{"gravity", 0.0, "a component of it"};
    };
    return std::array<mechanics::Parameter, own + dim>{{U::parameters[I]..., component(J)...}};
  }
  (std::make_index_sequence<own>{}, std::make_index_sequence<dim>{});

  template <class R>
  auto operator()(const auto& x, const auto& v, const std::array<R, own + dim>& p) const {
    std::array<R, own> mine;
    std::copy_n(p.begin(), own, mine.begin());
    using ad::square;
    const auto kinetic = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return 0.5 * (square(std::get<I>(v)) + ...);
    }
    (std::make_index_sequence<dim>{});
    const auto falling = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((p[own + I] * std::get<I>(x)) + ...);
    }
    (std::make_index_sequence<dim>{});
    return kinetic + falling - U{}.potential(x, mine);
  }
};

template <class U>
class FieldTrajectoryOf final : public FieldTrajectory<U::dim> {
  static constexpr int D = U::dim;
  using System = mechanics::System<InField<U>, Pack>;
  using State = integrators::State<Pack, D>;

 public:
  explicit FieldTrajectoryOf(const System& system) : system_(system), gauss_(options()) {}

  Pack potential(const Point<D>& x) const override { return Pack(ad::value(U{}.potential(x, parameters()))); }

  PackMask begin(Path<D>& path, const Pack& step, PackMask lanes) override {
    const State start{Pack(0.0), path.x, path.v};
    Pack taken = step;
    PackMask solved(false);
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      gauss_.start(system_, start, lanes);  // lanes that have their arc get the same again
      gauss_.memory().step = select(lanes, taken, gauss_.memory().step);
      solved = gauss_.advance(system_, lanes);
      const PackMask open = lanes & !solved;
      if (!any(open)) break;
      taken = select(open, gauss_.memory().step, taken);
    }
    path.length = taken;
    path.terms = stages;
    const auto& series = gauss_.legendre();
    const Pack scale = 1.0 / (taken * taken);
    for (int j = 0; j < stages; ++j) {
      const double twice = (j + 1) * (j + 2);
      for (int d = 0; d < D; ++d) {
        Pack sum(0.0);
        for (int k = j; k < stages; ++k) sum = fma(Pack(monomial(k, j) / twice), series[k][d], sum);
        path.bend[j][d] = sum * scale;
      }
    }
    return solved;
  }

  Pack next_step() const override { return gauss_.memory().step; }

  void solve(const Pack& s, PackMask lanes, Point<D>& x, Point<D>& v) override {
    const State state = gauss_.again(system_, part_at(s, lanes), lanes);
    x = state.q;
    v = state.v;
  }

  void carry(const Pack& s, PackMask lanes, Displacement<D>* displacements, std::size_t count) override {
    gauss_.tangent(system_, part_at(s, lanes), lanes, displacements, static_cast<int>(count));
  }

  Point<D> acceleration(const Point<D>& x) const override {
    Point<D> force = ad::gradient_of<D>(U{}.potential(ad::seed<0, D, 1, 0>(x), parameters()));
    for (int d = 0; d < D; ++d) force[d] = system_.parameters[U::parameters.size() + d] - force[d];
    return force;
  }

 private:
  static constexpr int stages = Path<D>::most_terms;
  static constexpr int most_attempts = 60;
  static constexpr double tolerance = 1e-13;  // of velocities, relative: the arcs' energy is round-off

  static integrators::MethodOptions options() {
    integrators::MethodOptions options;
    options.stages = stages;
    options.step = 1;
    options.tolerance = tolerance;
    return options;
  }
  Pack part_at(const Pack& s, PackMask lanes) const { return select(lanes, s / gauss_.step(), Pack(1.0)); }
  std::array<Pack, U::parameters.size()> parameters() const {
    std::array<Pack, U::parameters.size()> mine;
    std::copy_n(system_.parameters.begin(), mine.size(), mine.begin());
    return mine;
  }
  /// Of theta^j in Legendre's polynomial k on [0, 1]: (-1)^(k + j) C(k, j) C(k + j, j).
  static double monomial(int k, int j) {
    double product = (k + j) % 2 == 0 ? 1 : -1;
    for (int i = 1; i <= j; ++i) product *= static_cast<double>((k - j + i) * (k + i)) / (i * i);
    return product;
  }

  System system_;
  integrators::Gauss<System> gauss_;
};

template <class U>
class FieldOf final : public Field<U::dim> {
  static constexpr int D = U::dim;

 public:
  explicit FieldOf(const std::vector<double>& parameters) {
    std::copy_n(parameters.begin(), p_.size(), p_.begin());
  }
  std::unique_ptr<FieldTrajectory<D>> course(const Vector<D>& gravity) const override {
    mechanics::System<InField<U>, Pack> system;
    std::copy(p_.begin(), p_.end(), system.parameters.begin());
    std::copy(gravity.begin(), gravity.end(), system.parameters.begin() + p_.size());
    return std::make_unique<FieldTrajectoryOf<U>>(system);
  }
  double potential(const Vector<D>& x, Vector<D>& gradient) const override {
    const auto u = U{}.potential(ad::seed<0, D, 1, 0>(x), p_);
    gradient = ad::gradient_of<D>(u);
    return ad::value(u);
  }

 private:
  std::array<double, U::parameters.size()> p_;
};

/// What a field's struct states: its potential called with a scalar that records.
template <class U>
expressions::Tree formula_of_field() {
  expressions::Graph graph;
  const auto x = mechanics::recorded_names<U::dim>(graph, 0);
  const auto p = mechanics::recorded_names<U::parameters.size()>(graph, U::dim);
  return mechanics::recorded_trees(U{}.potential(x, p))[0];
}

/// The kind that a struct states.
template <class U>
FieldKind field_kind_of() {
  constexpr int D = U::dim;
  const MakeField<D> make = [](const std::vector<double>& parameters) {
    return std::make_unique<FieldOf<U>>(parameters);
  };
  return {std::string(U::name), std::string(U::about), D, {U::parameters.begin(), U::parameters.end()}, make,
          formula_of_field<U>};
}

}  // namespace cotangent::billiards
