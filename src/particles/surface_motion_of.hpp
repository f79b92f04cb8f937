// SPDX-License-Identifier: BSD-3-Clause
// Particles on a surface that feel forces from outside, some register's width of them side by side: one step
// in two halves, between which whoever knows the particles finds the forces. With G = grad g(q), f the force
// from outside, F all forces,
//   open:   V = v + h/2 F(q)/M,   q' = q + h (V + h/2 lambda G/M),   g(q') = 0
//   close:  v' = V + h/2 lambda G/M + h/2 F(q')/M, made tangent to the surface at q'.
// Together they are RATTLE (integrators/rattle.hpp). With a heat bath, open is the rest of g-BAOAB: the kick
// is made tangent; half a step along a geodesic; the velocity renewed,
//   v = c v + sqrt((1 - c^2) T / M) xi,   c = exp(-friction h),   made tangent;
// and the other half. The random numbers xi belong to particle and step alone. Particles that failed stay
// where they are. References: Leimkuhler, Skeel, J. Comput. Phys. 112 (1994) 117; Leimkuhler, Matthews, Proc.
// R. Soc. A 472 (2016) 20160138, for g-BAOAB; Salmon et al., Parallel random numbers (SC 2011), for xi.
#pragma once

#include <cmath>
#include <cstring>
#include <span>

#include "core/status.hpp"
#include "integrators/manifold_batch.hpp"
#include "integrators/motion.hpp"
#include "numerics/random.hpp"
#include "numerics/simd_transpose.hpp"
#include "particles/surface_motion.hpp"

namespace cotangent::particles {

/// A model of one particle on a surface in space.
template <class Model, class System = mechanics::System<Model, double>>
concept OnSurface = System::dim == 3 && System::constraints == 1 && !System::rolls && System::constant_mass;

template <OnSurface Model>
class SurfaceMotionOf final : public SurfaceMotion {
  using R = numerics::Lanes<surface_pack>;
  using System = mechanics::System<Model, R>;
  using Vector = typename System::Vector;
  using Mask = numerics::mask_of<R>;
  static constexpr int W = surface_pack;

 public:
  SurfaceMotionOf(std::span<const double> parameters, double tolerance) : tolerance_(tolerance) {
    for (int k = 0; k < System::parameter_count; ++k) system_.parameters[k] = R(parameters[k]);
    integrators::State<R, 3> x{};
    motion_.prepare(system_, x);
  }

  double mass() const override {
    Vector unit{};
    unit[0] = R(1.0);
    return 1.0 / motion_.over_mass(unit)[0][0];
  }

  void begin(const ParticleBlock& block) const override {
    for (int i = 0; i < block.count; i += W) {
      const Vector q = position(block, i);
      Vector v = load(block.velocity, i);
      const auto at = system_.constraint(q);
      const Mask moves = moving(block, i);
      integrators::make_tangent<System>(
          at.gradient, integrators::Directions<System>{motion_.over_mass(at.gradient[0])}, v);
      store(block.velocity, i, moves, v);
      const auto lambda = system_.multiplier(q, v, R(0.0));
      std::memcpy(block.multiplier + i, &lambda[0], sizeof(R));
    }
  }

  SurfaceReport close(const ParticleBlock& block, double h) const override {
    if (block.solver != nullptr) return close_together(block, h);
    R error(0.0);
    SurfaceReport report;
    for (int i = 0; i < block.count; i += W) {
      const Vector q = position(block, i);
      Vector v = load(block.velocity, i);
      const Mask moves = moving(block, i);
      kick(q, load(block.force, i), 0.5 * h, v);
      const auto at = system_.constraint(q);
      integrators::make_tangent<System>(
          at.gradient, integrators::Directions<System>{motion_.over_mass(at.gradient[0])}, v);
      end_close(block, i, at, moves, v, error, report);
    }
    report.error_squared = largest(error);
    return report;
  }

  SurfaceReport open(const ParticleBlock& block, double h, const HeatBath* bath,
                     std::int64_t step) const override {
    if (block.solver != nullptr) return open_together(block, h);
    R moved(0.0);
    SurfaceReport report;
    for (int i = 0; i < block.count; i += W) {
      const Vector start = position(block, i);
      Vector q = start, v = load(block.velocity, i);
      typename System::Multipliers lambda;
      std::memcpy(&lambda[0], block.multiplier + i, sizeof(R));
      const Mask moves = moving(block, i);
      kick(q, load(block.force, i), 0.5 * h, v);
      Mask solved = moves;
      const Vector gradient = block.gradient[0] != nullptr ? load(block.gradient, i) : gradient_at(q);
      if (bath == nullptr) {
        solved = drift(h, moves, gradient, q, v, lambda);
      } else {
        tangent(gradient, v);
        solved = drift(0.5 * h, solved, gradient, q, v, lambda);
        const Vector halfway = gradient_at(q);
        tangent(halfway, v);
        renew(*bath, h, step, block.id + i, v);
        tangent(halfway, v);
        solved = drift(0.5 * h, solved, halfway, q, v, lambda);
      }
      end_open(block, i, start, moves, solved, q, v, lambda, moved, report);
    }
    report.moved_squared = largest(moved);
    return report;
  }

  void energies(const ParticleBlock& block, double* kinetic, double* potential) const override {
    for (int i = 0; i < block.count; i += W) {
      const Vector q = position(block, i), v = load(block.velocity, i);
      Vector rest;
      rest.fill(R(0.0));
      const R resting = system_.energy(q, rest, R(0.0));
      const R moving = system_.energy(q, v, R(0.0)) - resting;
      std::memcpy(kinetic + i, &moving, sizeof(R));
      std::memcpy(potential + i, &resting, sizeof(R));
    }
  }

 private:
  static R loaded(const double* from) {
    R x;
    std::memcpy(&x, from, sizeof(R));
    return x;
  }
  template <class Number>
  static Vector load(const std::array<Number*, 3>& from, int i) {
    return {loaded(from[0] + i), loaded(from[1] + i), loaded(from[2] + i)};
  }
  static void store(const std::array<double*, 3>& to, int i, Mask where, const Vector& x) {
    for (int n = 0; n < 3; ++n) {
      const R value = all(where) ? x[n] : select(where, x[n], loaded(to[n] + i));
      std::memcpy(to[n] + i, &value, sizeof(R));
    }
  }
  static Vector position(const ParticleBlock& block, int i) {
    return numerics::rows_of_four<W>(block.position + 4 * i);
  }
  static void store_positions(const ParticleBlock& block, int i, Mask where, const Vector& old,
                              const Vector& q) {
    Vector x = q;
    if (!all(where)) {
      for (int n = 0; n < 3; ++n) x[n] = select(where, q[n], old[n]);
    }
    numerics::store_rows_of_four<W>(x, block.next + 4 * i);
  }
  static Mask moving(const ParticleBlock& block, int i) {
    constexpr auto pending = static_cast<std::int32_t>(Status::pending);
    Mask moves(true);
    std::int32_t ended = 0;
    for (int k = 0; k < W; ++k) ended |= block.status[i + k] ^ pending;
    if (ended == 0) [[likely]]
      return moves;
    for (int k = 0; k < W; ++k) moves.set(k, block.status[i + k] == pending);
    return moves;
  }
  static R square(const Vector& v) { return fma(v[0], v[0], fma(v[1], v[1], v[2] * v[2])); }
  static double largest(const R& x) {
    double result = 0;
    for (int k = 0; k < W; ++k) result = std::max(result, x[k]);
    return result;
  }
  static void fail(const ParticleBlock& block, int i, Mask failed, Status status, SurfaceReport& report) {
    report.failed = true;
    for (int k = 0; k < W; ++k) {
      if (failed[k]) block.status[i + k] = static_cast<std::int32_t>(status);
    }
  }

  [[gnu::always_inline]] void kick(const Vector& q, const Vector& force, double h, Vector& v) const {
    const Vector own = motion_.free_acceleration(system_, q, R(0.0)), a = motion_.over_mass(force);
    for (int n = 0; n < 3; ++n) v[n] = fma(R(h), own[n] + a[n], v[n]);
  }
  Vector gradient_at(const Vector& q) const { return system_.constraint(q).gradient[0]; }
  void tangent(const Vector& gradient, Vector& v) const {
    integrators::make_tangent<System>({gradient},
                                      integrators::Directions<System>{motion_.over_mass(gradient)}, v);
  }
  /// Where a step h leads without its multiplier, and in which direction that acts.
  [[gnu::always_inline]] static void prepare(double h, const Vector& q, const Vector& v,
                                             const Vector& response, Vector& base,
                                             integrators::Directions<System>& direction) {
    for (int n = 0; n < 3; ++n) {
      direction[0][n] = R(0.5 * h * h) * response[n];
      base[n] = fma(R(h), v[n], q[n]);
    }
  }
  /// q + h (v + h/2 lambda G/M) on the surface; the velocity becomes what is in brackets.
  [[gnu::always_inline]] Mask drift(double h, Mask active, const Vector& gradient, Vector& q, Vector& v,
                                    typename System::Multipliers& lambda) const {
    const Vector response = motion_.over_mass(gradient);
    integrators::Directions<System> direction;
    Vector base;
    prepare(h, q, v, response, base, direction);
    integrators::ManifoldPoint<System> to;
    // Gradients there are not looked at: within the tolerance the last correction may begin.
    const Mask solved = integrators::onto_manifold(system_, base, direction, tolerance_, active, lambda, to);
    q = to.q;
    for (int n = 0; n < 3; ++n) v[n] = fma(R(0.5 * h) * lambda[0], response[n], v[n]);
    return solved;
  }
  /// What a step ends with in one pack, once its velocities are tangent.
  [[gnu::always_inline]] void end_close(const ParticleBlock& block, int i,
                                        const typename System::Constraint& at, Mask moves, const Vector& v,
                                        R& error, SurfaceReport& report) const {
    if (block.gradient[0] != nullptr) {
      for (int n = 0; n < 3; ++n) std::memcpy(block.gradient[n] + i, &at.gradient[0][n], sizeof(R));
    }
    const Mask good = moves & (square(v) <= R(std::numeric_limits<double>::max()));
    store(block.velocity, i, good, v);
    error = select(good, numerics::larger(at.error_squared(), error), error);
    if (any(moves & !good)) fail(block, i, moves & !good, Status::non_finite, report);
  }
  /// What its beginning ends with, once the lanes that are `solved` are on the surface.
  [[gnu::always_inline]] void end_open(const ParticleBlock& block, int i, const Vector& start, Mask moves,
                                       Mask solved, const Vector& q, const Vector& v,
                                       const typename System::Multipliers& lambda, R& moved,
                                       SurfaceReport& report) const {
    const Mask good = solved & (square(v) + square(q) <= R(std::numeric_limits<double>::max()));
    store(block.velocity, i, good, v);
    store_positions(block, i, good, start, q);
    const R kept = select(good, lambda[0], loaded(block.multiplier + i));
    std::memcpy(block.multiplier + i, &kept, sizeof(R));
    Vector way;
    for (int n = 0; n < 3; ++n) way[n] = q[n] - start[n];
    moved = select(good, numerics::larger(square(way), moved), moved);
    if (any(moves & !good)) fail(block, i, moves & !good, Status::newton_diverged, report);
  }

  /// The same steps with the multipliers of all at once: what comes before them, pack by pack, then their
  /// equations, then what comes after.
  SurfaceReport close_together(const ParticleBlock& block, double h) const {
    const auto count = static_cast<std::size_t>(block.count / W);
    std::vector<integrators::TangentPack<System>> packs(count);
    std::vector<typename System::Constraint> at(count);
    for (std::size_t p = 0; p < count; ++p) {
      const int i = W * static_cast<int>(p);
      const Vector q = position(block, i);
      Vector v = load(block.velocity, i);
      kick(q, load(block.force, i), 0.5 * h, v);
      at[p] = system_.constraint(q);
      packs[p] = {at[p].gradient, {motion_.over_mass(at[p].gradient[0])}, moving(block, i), v};
    }
    integrators::make_tangent<System>(*block.solver, packs);
    R error(0.0);
    SurfaceReport report;
    for (std::size_t p = 0; p < count; ++p)
      end_close(block, W * static_cast<int>(p), at[p], packs[p].active, packs[p].v, error, report);
    report.error_squared = largest(error);
    return report;
  }
  SurfaceReport open_together(const ParticleBlock& block, double h) const {
    const auto count = static_cast<std::size_t>(block.count / W);
    std::vector<integrators::ManifoldPack<System>> packs(count);
    std::vector<Vector> kicked(count), response(count);
    for (std::size_t p = 0; p < count; ++p) {
      const int i = W * static_cast<int>(p);
      const Vector q = position(block, i);
      kicked[p] = load(block.velocity, i);
      kick(q, load(block.force, i), 0.5 * h, kicked[p]);
      response[p] =
          motion_.over_mass(block.gradient[0] != nullptr ? load(block.gradient, i) : gradient_at(q));
      packs[p].active = moving(block, i);
      std::memcpy(&packs[p].lambda[0], block.multiplier + i, sizeof(R));
      prepare(h, q, kicked[p], response[p], packs[p].base, packs[p].direction);
    }
    integrators::ManifoldBatch<System>(system_, tolerance_, packs).solve(*block.solver);
    R moved(0.0);
    SurfaceReport report;
    for (std::size_t p = 0; p < count; ++p) {
      const int i = W * static_cast<int>(p);
      Vector v = kicked[p];
      for (int n = 0; n < 3; ++n) v[n] = fma(R(0.5 * h) * packs[p].lambda[0], response[p][n], v[n]);
      end_open(block, i, position(block, i), packs[p].active, packs[p].solved, packs[p].point.q, v,
               packs[p].lambda, moved, report);
    }
    report.moved_squared = largest(moved);
    return report;
  }

  void renew(const HeatBath& bath, double h, std::int64_t step, const std::int64_t* id, Vector& v) const {
    const double keep = std::exp(-bath.friction * h);
    const double stir = std::sqrt((1 - keep * keep) * bath.temperature / mass());
    for (int k = 0; k < W; ++k) {
      const auto xi =
          numerics::normals(bath.seed, static_cast<std::uint64_t>(id[k]), static_cast<std::uint64_t>(step));
      for (int n = 0; n < 3; ++n) v[n].set(k, keep * v[n][k] + stir * xi[static_cast<std::size_t>(n)]);
    }
  }

  System system_;
  integrators::Motion<System> motion_;
  double tolerance_;
};

template <OnSurface Model>
class SurfaceOf final : public Surface {
 public:
  std::string name() const override { return std::string(Model::name); }
  std::unique_ptr<SurfaceMotion> motion(std::span<const double> parameters, double tolerance) const override {
    return std::make_unique<SurfaceMotionOf<Model>>(parameters, tolerance);
  }
};

}  // namespace cotangent::particles
