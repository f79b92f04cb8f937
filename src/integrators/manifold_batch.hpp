// SPDX-License-Identifier: BSD-3-Clause
// Onto the constraint manifold, and tangent to it, as in manifold.hpp, for a whole batch of packs by one
// solver of their multipliers. Iterates, tolerance and the last correction are those that a lane makes by
// itself, so results differ by the round-off of the linear systems alone. A lane that Newton's method leads
// away leaves the batch, and its steps are halved in its pack, as ever: none fails for its neighbours.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "integrators/manifold.hpp"
#include "integrators/multipliers.hpp"

namespace cotangent::integrators {

/// What is asked for in the lanes of one pack, and what was found.
template <class System>
struct ManifoldPack {
  using Mask = numerics::mask_of<typename System::Real>;
  typename System::Vector base;
  Directions<System> direction;
  Mask active;
  typename System::Multipliers lambda;  ///< a guess, until it is solved
  ManifoldPoint<System> point{};
  Mask solved{false};
};

template <class System>
class ManifoldBatch final : public ManifoldEquations {
  using R = typename System::Real;
  using Mask = numerics::mask_of<R>;
  using Pack = ManifoldPack<System>;
  static constexpr int W = numerics::width_of<R>, N = System::dim, C = System::constraints;
  static_assert(C <= N);

 public:
  /// Both outlive this; `close` as in onto_manifold().
  ManifoldBatch(const System& system, double close, std::span<Pack> packs)
      : system_(system), target_(close * close), packs_(packs), search_(packs.size()) {
    for (std::size_t p = 0; p < packs.size(); ++p) search_[p].open = search_[p].sound = packs[p].active;
  }

  BatchShape shape() const override { return {W * static_cast<int>(packs_.size()), C, N}; }

  void guess(double* lambda) const override {
    for (const Pack& pack : packs_) {
      for (int i = 0; i < W; ++i) {
        for (int k = 0; k < C; ++k) *lambda++ = numerics::lane(pack.lambda[k], i);
      }
    }
  }

  void residual(const double* lambda, double* g) override {
    for (std::size_t p = 0; p < packs_.size(); ++p, lambda += W * C, g += W * C) {
      Pack& pack = packs_[p];
      Search& search = search_[p];
      Mask looked = search.open & !search.near;
      if (any(looked)) {
        const auto q = along<System>(pack.base, pack.direction, from(lambda));
        const auto at = system_.constraint_by_call(q);
        R sum(0.0);  // finite where everything is
        for (int k = 0; k < C; ++k) {
          sum += numerics::absolute(at.value[k]);
          for (int n = 0; n < N; ++n)
            sum += numerics::absolute(at.gradient[k][n]) + numerics::absolute(pack.direction[k][n]);
        }
        const Mask finite = sum <= R(std::numeric_limits<double>::max());
        search.sound = search.sound & (finite | !looked);
        search.open = search.open & search.sound;
        looked = looked & finite;
        pack.point.q = select_each(looked, q, pack.point.q);
        pack.point.at = select_constraint(looked, at, pack.point.at);
      }
      for (int i = 0; i < W; ++i) {
        for (int k = 0; k < C; ++k)
          g[C * i + k] = numerics::lane(looked, i) ? numerics::lane(pack.point.at.value[k], i) : 0.0;
      }
    }
  }

  void jacobian(double* gradients, double* directions) const override {
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      for (int i = 0; i < W; ++i, gradients += C * N, directions += C * N) {
        const bool sound = numerics::lane(search_[p].sound, i);
        for (int k = 0; k < C; ++k) {
          for (int n = 0; n < N; ++n) {
            // A lane that isn't solved for gets a matrix that can be.
            gradients[N * k + n] =
                sound ? numerics::lane(packs_[p].point.at.gradient[k][n], i) : (k == n ? 1.0 : 0.0);
            directions[C * n + k] =
                sound ? numerics::lane(packs_[p].direction[k][n], i) : (k == n ? 1.0 : 0.0);
          }
        }
      }
    }
  }

  bool accept(const double* lambda) override {
    bool some = false;
    for (std::size_t p = 0; p < packs_.size(); ++p, lambda += W * C) {
      Pack& pack = packs_[p];
      Search& search = search_[p];
      if (!any(search.open)) continue;
      const Mask looked = search.open & !search.near;
      const Mask within = pack.point.at.within(target_);
      const R here = pack.point.at.error_squared();
      const Mask shrinking = here < R(0.06) * search.error, closer = here < search.error;
      R noise(0.0);
      for (int n = 0; n < N; ++n) noise += numerics::absolute(pack.base[n]) * R(0x1p-48);
      const Mask stalled = (numerics::lesser(here, search.error) <= noise * noise) & !shrinking;
      const Mask away = looked & !(within | shrinking | stalled);
      // Corrected once more where it was near, or at the end of what round-off allows.
      const Mask done = (search.open & search.near) | (looked & !away & !(within | closer));
      const auto last = from(lambda);
      pack.lambda = select_each(done, last, pack.lambda);
      pack.point.q = select_each(done, along<System>(pack.base, pack.direction, last), pack.point.q);
      pack.solved = pack.solved | done;
      search.sound = search.sound & !away;
      search.open = looked & !(away | done);
      search.near = within | stalled;
      search.error = select(looked, here, search.error);
      some = some || any(search.open);
    }
    return some;
  }

  /// By this solver; lanes that it leaves open by steps halved.
  void solve(MultiplierSolver& solver) {
    solver.solve(*this);
    for (Pack& pack : packs_) {
      const Mask rest = pack.active & !pack.solved;
      if (!any(rest)) [[likely]]
        continue;
      const auto found =
          onto_manifold_damped<System>(system_, pack.base, pack.direction, target_, rest, pack.lambda);
      const Mask late = rest & !found.open;
      pack.lambda = select_each(late, found.lambda, pack.lambda);
      pack.point.q = select_each(late, found.point.q, pack.point.q);
      pack.point.at = select_constraint(late, found.point.at, pack.point.at);
      pack.solved = pack.solved | late;
    }
  }

 private:
  /// Lanes that still look for their lambda; those among them that are corrected once more; those whose
  /// matrices hold numbers.
  struct Search {
    Mask open, near{false}, sound;
    R error{std::numeric_limits<double>::infinity()};
  };

  static typename System::Multipliers from(const double* lambda) {
    typename System::Multipliers result;
    for (int i = 0; i < W; ++i) {
      for (int k = 0; k < C; ++k) numerics::set_lane(result[k], i, lambda[C * i + k]);
    }
    return result;
  }

  const System& system_;
  const R target_;
  std::span<Pack> packs_;
  std::vector<Search> search_;
};

/// Velocities to be made tangent, with the gradients there and their responses.
template <class System>
struct TangentPack {
  Directions<System> gradient, response;
  numerics::mask_of<typename System::Real> active;
  typename System::Vector v;
};

/// make_tangent() for all packs, by this solver.
template <class System>
void make_tangent(MultiplierSolver& solver, std::span<TangentPack<System>> packs) {
  using R = typename System::Real;
  constexpr int W = numerics::width_of<R>, N = System::dim, C = System::constraints;
  const BatchShape shape{W * static_cast<int>(packs.size()), C, N};
  const auto systems = static_cast<std::size_t>(shape.systems);
  std::vector<double> gradients(systems * C * N), responses(systems * C * N), rates(systems * C);
  double *g = gradients.data(), *r = responses.data(), *rate = rates.data();
  for (const auto& pack : packs) {
    typename System::Multipliers along;
    for (int k = 0; k < C; ++k) {
      R sum = pack.gradient[k][0] * pack.v[0];
      for (int n = 1; n < N; ++n) sum = fma(pack.gradient[k][n], pack.v[n], sum);
      along[k] = sum;
    }
    for (int i = 0; i < W; ++i, g += C * N, r += C * N, rate += C) {
      const bool active = numerics::lane(pack.active, i);
      for (int k = 0; k < C; ++k) {
        rate[k] = active ? numerics::lane(along[k], i) : 0.0;
        for (int n = 0; n < N; ++n) {
          g[N * k + n] = active ? numerics::lane(pack.gradient[k][n], i) : (k == n ? 1.0 : 0.0);
          r[C * n + k] = active ? numerics::lane(pack.response[k][n], i) : (k == n ? 1.0 : 0.0);
        }
      }
    }
  }
  const bool solved = solver.solve(shape, gradients.data(), responses.data(), rates.data());
  const double* mu = rates.data();
  for (auto& pack : packs) {
    if (!solved) {
      make_tangent<System>(pack.gradient, pack.response, pack.v);
      continue;
    }
    typename System::Multipliers found;
    for (int i = 0; i < W; ++i, mu += C) {
      for (int k = 0; k < C; ++k) numerics::set_lane(found[k], i, mu[k]);
    }
    for (int k = 0; k < C; ++k) {
      for (int n = 0; n < N; ++n) pack.v[n] = fma(-found[k], pack.response[k][n], pack.v[n]);
    }
  }
}

/// onto_manifold() and make_tangent() for one pack, by this solver.
template <class System, class Mask>
[[gnu::noinline, gnu::cold]] Mask onto_manifold_by(MultiplierSolver& solver, const System& system,
                                                   const typename System::Vector& base,
                                                   const Directions<System>& directions, double close,
                                                   Mask active, typename System::Multipliers& lambda,
                                                   ManifoldPoint<System>& point) {
  ManifoldPack<System> pack{base, directions, active, lambda};
  ManifoldBatch<System>(system, close, std::span(&pack, 1)).solve(solver);
  lambda = pack.lambda;
  point = pack.point;
  return pack.solved;
}
template <class System, class Mask>
[[gnu::noinline, gnu::cold]] void make_tangent_by(MultiplierSolver& solver,
                                                  const Directions<System>& gradients,
                                                  const Directions<System>& responses, Mask active,
                                                  typename System::Vector& v) {
  TangentPack<System> pack{gradients, responses, active, v};
  make_tangent<System>(solver, std::span(&pack, 1));
  v = pack.v;
}

}  // namespace cotangent::integrators
