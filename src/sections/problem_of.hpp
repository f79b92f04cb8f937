// SPDX-License-Identifier: BSD-3-Clause
// Problem for one model. Who instantiates it compiles the lists of methods too, here or in another source
// (integrators/methods.hpp has them all). What watches its trajectories is compiled for the numbers of
// coordinates of compiled_dimensions.hpp, which cmake/models.cmake writes, and else here.
#pragma once

#include "integrators/make_stepper.hpp"
#include "integrators/manifold.hpp"
#include "sections/arc_of.hpp"
#include "sections/compiled_dimensions.hpp"
#include "sections/problem.hpp"
#include "sections/surface_of.hpp"
#include "sections/trajectory_batch_of.hpp"

namespace cotangent::sections {

template <class Model>
class ProblemOf final : public Problem {
  static constexpr int N = Model::dim;
  using System = mechanics::System<Model, double>;
  using Packed = integrators::PackedSystem<Model>;
  using Vector = std::array<double, N>;

 public:
  std::string name() const override { return std::string(Model::name); }
  std::string about() const override { return std::string(Model::about); }
  std::vector<CoordinateInfo> coordinates() const override { return infos_of(Model::coordinates); }
  std::vector<ParameterInfo> parameters() const override {
    // By its ends: an interpreted model's list has room for more than it has.
    return infos_of(std::span(Model::parameters.begin(), Model::parameters.end()));
  }
  double energy(Values q, Values v, Values parameters) const override {
    return system(parameters).energy(vector(q), vector(v), 0.0);
  }
  bool driven() const override { return System::driven; }
  bool has_friction() const override {
    if constexpr (mechanics::MadeOfFormulas<Model>) {
      return Model::formulas->friction();
    } else {
      return mechanics::has_friction<Model>;
    }
  }
  std::vector<double> momentum(Values q, Values v, Values parameters, double time) const override {
    const auto p = system(parameters).momentum(vector(q), vector(v), time);
    return {p.begin(), p.end()};
  }
  std::vector<double> mass_matrix(Values q, Values v, Values parameters) const override {
    std::vector<double> entries;
    for (const auto& row : system(parameters).hessian(vector(q), vector(v), 0.0).vv) {
      entries.insert(entries.end(), row.begin(), row.end());
    }
    return entries;
  }
  Potential potential(Values q, Values parameters) const override {
    const auto h = system(parameters).unforced_hessian(vector(q), Vector{}, 0.0);
    Potential u{-h.value, {}, {}};
    for (int i = 0; i < N; ++i) {
      u.gradient.push_back(-h.q[i]);
      for (int j = 0; j < N; ++j) u.hessian.push_back(-h.qq[i][j]);
    }
    return u;
  }
  int constraints() const override { return System::constraints; }
  int rolling() const override { return System::rolling; }
  std::vector<std::string> methods() const override {
    return integrators::method_names(integrators::motion_of<System>);
  }
  std::string motion() const override {
    if (System::rolls) return "rolls";
    if (System::moving) return "is constrained by what moves";
    if (!System::constrained) return "isn't constrained";
    if (System::newtonian) return "is constrained";
    return System::constant_mass ? "is constrained, with forces that depend on velocities"
                                 : "is constrained, its mass matrix not constant";
  }
  bool kicked() const override { return System::kicked; }
  std::optional<std::string> objection(Values parameters) const override {
    if constexpr (System::kicked) {
      const double every = system(parameters).kick_every();
      if (!(every > 0) || !std::isfinite(every))
        return "kicks must come at times above zero and finite, not every " + std::to_string(every);
    }
    if constexpr (requires { Model::objection(system(parameters).parameters); }) {
      return Model::objection(system(parameters).parameters);
    } else {
      return std::nullopt;
    }
  }
  const mechanics::Formulas* formulas() const override {
    if constexpr (mechanics::MadeOfFormulas<Model>) {
      return Model::formulas;
    } else {
      static const mechanics::Formulas formulas = mechanics::formulas_of<Model>();
      return &formulas;
    }
  }
  Distance off_manifold(Values q, Values v, Values parameters) const override {
    Distance result;
    if constexpr (System::constrained) {
      const auto at = system(parameters).constraint_by_call(vector(q));
      result.position = std::sqrt(at.error_squared());
      const auto speed = system(parameters).constraint_speed(at, vector(q), vector(v), 0.0);
      for (std::size_t k = 0; k < speed.size(); ++k) {
        double size = 0;
        for (const double slope : at.gradient[k]) size += slope * slope;
        result.velocity = std::max(result.velocity, std::abs(speed[k]) / std::sqrt(size));
      }
    }
    if constexpr (System::rolls) {
      const double slip = std::sqrt(system(parameters).slip(vector(q), vector(v)).error_squared());
      result.velocity = slip <= result.velocity ? result.velocity : slip;  // NaN shows
    }
    return result;
  }
  bool project(std::span<double> q, std::span<double> v, Values parameters, int held) const override {
    if constexpr (System::multipliers > 0) {
      return integrators::project_state<System>(system(parameters), q, v, held);
    } else {
      return true;
    }
  }
  const Surface* surface() const override {
    if constexpr (holds_particle_on_surface<Model>) {
      static const SurfaceOf<Model> surface;
      const bool angles = std::ranges::any_of(Model::coordinates, &mechanics::Coordinate::angle);
      return angles ? nullptr : &surface;
    } else {
      return nullptr;
    }
  }
  bool has_domain() const override { return mechanics::has_domain<Model>; }
  double domain(Values q, Values parameters) const override { return system(parameters).domain(vector(q)); }

  int lanes() const override { return integrators::lanes_of<Model>; }
  std::unique_ptr<TrajectoryBatch> fly(const integrators::MethodOptions& method, const Observation& watch,
                                       int lanes) const override {
    return make_trajectory_batch<typename Packed::Real, N>(
        std::make_unique<integrators::AnySystemOf<Packed>>(), integrators::make_stepper<Packed>(method),
        integrators::make_stepper<Packed>(method), watch, lanes);
  }
  Arc arc(const integrators::MethodOptions& method, const Start& start, double duration) const override {
    if constexpr (System::rolls) {
      return Problem::arc(method, start, duration);
    } else {
      integrators::AnySystemOf<Packed> system;
      return fly_arc<typename Packed::Real, N>(system, integrators::make_stepper<Packed>, method, start,
                                               duration);
    }
  }

 private:
  static Vector vector(Values x) {
    Vector result;
    std::copy_n(x.begin(), N, result.begin());
    return result;
  }
  static System system(Values parameters) { return system_of<Model>(parameters); }
};

}  // namespace cotangent::sections
