// SPDX-License-Identifier: BSD-3-Clause
// The constrained Lobatto IIIA-IIIB pair with s stages: order 2 s - 2, symplectic and symmetric on the
// constraint manifold; s = 2 is RATTLE. With A, A^ of IIIA and IIIB (lobatto_tables.hpp) and
// F_j = M^-1 (f(Q_j) + G(Q_j)^T Lambda_j),
//   Q_i = q + h c_i v + h^2 sum_j (A A^)_ij F_j,   g(Q_i) = 0,   i = 2 ... s,   q' = Q_s,
//   v' = v + h sum_j b_j F_j,   G(q') v' = 0.
// Lambda_s enters v' alone. All Lambda_j together by Newton's method with forces and gradients of the last
// iterate, whose error contracts by a factor of h^2.
// Reference: Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich, Wanner (2006), VII.1.5.
#pragma once

#include "integrators/lobatto_tables.hpp"
#include "integrators/manifold.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

template <int S>
struct LobattoPairFormula : PlainFormula {
  static_assert(S >= 2 && S <= 4);
  static constexpr std::string_view name = S == 2   ? "lobatto-pair-2"
                                           : S == 3 ? "lobatto-pair-4"
                                                    : "lobatto-pair-6";
  static constexpr std::string_view about =
      S == 2   ? "constrained Lobatto IIIA-IIIB pair with 2 stages, order 2: RATTLE, as a check"
      : S == 3 ? "constrained Lobatto IIIA-IIIB pair with 3 stages (Jay), order 4: symplectic and symmetric"
               : "constrained Lobatto IIIA-IIIB pair with 4 stages (Jay), order 6: symplectic and symmetric";
  static constexpr int order = 2 * S - 2;
  static constexpr bool has_tangent = true, stays_tangent = true;
  static constexpr std::array options{option::step};

  template <class System>
  struct StageCache {
    typename System::Multipliers lambda;
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>&, const State<R, N>& x) {
    return {system.multiplier(x.q, x.v, x.t)};
  }

  /// On dual numbers, the multipliers' guess without deviations: the iteration finds those.
  template <class System, class R, int N, class Cache>
  static StageCache<System> lift(const System&, const Motion<System>&, const Beginning<R, N>&,
                                 const Cache& cache) {
    StageCache<System> result;
    for (int k = 0; k < System::constraints; ++k) result.lambda[k] = R(cache.lambda[k]);
    return result;
  }

  template <class System, class R, int N, class Mask>
  [[gnu::noinline]] static Mask step(const System& system, const Motion<System>& motion, const R& h,
                                     const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                     Dense<System>&, const StageCache<System>& before,
                                     StageCache<System>& next, const MethodOptions&) {
    Step<System> work(system, motion, h, x, before.lambda);
    const Mask solved = work.solve(active);
    work.land(change);
    next.lambda = work.multiplier();
    return solved;
  }

 private:
  template <class System>
  class Step {
    using R = typename System::Real;
    static constexpr int N = System::dim, C = System::constraints, unknowns = (S - 1) * C;
    using Vector = typename System::Vector;
    using Multipliers = typename System::Multipliers;
    using Mask = numerics::mask_of<R>;

   public:
    /// Stages begin where the acceleration at the beginning would take them.
    Step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
         const Multipliers& lambda)
        : system_(system), motion_(motion), h_(h), x_(x) {
      stage_[0].q = x.q;
      stage_[0].lambda = lambda;
      look(0);
      const Vector a = along<System>(stage_[0].acceleration, stage_[0].response, lambda);
      for (int i = 1; i < S; ++i) {
        stage_[i] = stage_[0];
        const R away = c(i) * h;
        for (int n = 0; n < N; ++n) {
          stage_[i].q[n] = fma(away, fma(R(0.5) * away, a[n], x.v[n]), x.q[n]);
        }
        look(i);
      }
    }

    Mask solve(Mask active) {
      return fixed_point<R>(active, State<R, N>{x_.t, x_.q, x_.q}, stage_[S - 1].q,
                            [&](Mask open) { return correct(open); });
    }

    /// The step's end from its solved stages.
    void land(Change<R, N>& change) {
      Stage& last = stage_[S - 1];
      auto a = accelerations();
      last.q = position(S - 1, a);
      for (int n = 0; n < N; ++n) change.q[n] = last.q[n] - x_.q[n];
      look(S - 1);
      a[S - 1] = last.acceleration;
      Vector v = x_.v;
      for (int n = 0; n < N; ++n) {
        v[n] = fma(h_, tables_.whole([&](int j) { return a[j][n]; }), v[n]);
      }
      make_tangent<System>(last.at.gradient, last.response, v);
      for (int n = 0; n < N; ++n) change.y[n] = v[n] - x_.v[n];
    }
    /// The last of those that keep a position on the manifold.
    const Multipliers& multiplier() const { return stage_[S - 2].lambda; }

   private:
    struct Stage {
      Vector q, acceleration;  // free
      typename System::Constraint at;
      Directions<System> response;
      Multipliers lambda;
    };

    static const LobattoTables& tables() {
      static const auto shared = LobattoTables::of(S);
      return *shared;
    }
    R c(int i) const { return R(tables_.c[i]); }
    /// Of all stages but the last, under their multipliers.
    std::array<Vector, S> accelerations() const {
      std::array<Vector, S> a;
      for (int j = 0; j < S - 1; ++j) {
        a[j] = along<System>(stage_[j].acceleration, stage_[j].response, stage_[j].lambda);
      }
      return a;
    }
    Vector position(int i, const std::array<Vector, S>& a) const {
      Vector q;
      for (int n = 0; n < N; ++n) {
        const R sum = tables_.way_of_forces(i, [&](int j) { return a[j][n]; });
        q[n] = fma(h_, fma(h_, sum, c(i) * x_.v[n]), x_.q[n]);
      }
      return q;
    }

    /// What is known where a stage is.
    void look(int i) {
      Stage& stage = stage_[i];
      stage.acceleration = motion_.free_acceleration(system_, stage.q, fma(c(i), h_, x_.t));
      stage.at = system_.constraint(stage.q);
      for (int k = 0; k < C; ++k) stage.response[k] = motion_.over_mass(stage.at.gradient[k]);
    }

    /// Moves the stages of the open lanes, and corrects their multipliers; returns how far they went.
    R correct(Mask open) {
      const R way = move(open);
      std::array<std::array<R, unknowns>, unknowns> matrix;
      std::array<R, unknowns> shift;
      for (int i = 1; i < S; ++i) {
        for (int j = 0; j < S - 1; ++j) {
          const auto block = products<System>(stage_[i].at.gradient, stage_[j].response);
          for (int k = 0; k < C; ++k) {
            for (int l = 0; l < C; ++l) {
              matrix[(i - 1) * C + k][j * C + l] = (h_ * h_ * R(tables_.twice(i, j))) * block[k][l];
            }
          }
        }
        for (int k = 0; k < C; ++k) shift[(i - 1) * C + k] = stage_[i].at.value[k];
      }
      numerics::solve_in_place<R>(unknowns, matrix, shift);
      for (int j = 0; j < S - 1; ++j) {
        for (int k = 0; k < C; ++k) {
          stage_[j].lambda[k] = select(open, stage_[j].lambda[k] - shift[j * C + k], stage_[j].lambda[k]);
        }
      }
      return way;
    }

    R move(Mask open) {
      R way(0.0);
      const auto a = accelerations();
      for (int i = 1; i < S; ++i) {
        Stage& stage = stage_[i];
        const Vector q = position(i, a);
        for (int n = 0; n < N; ++n) {
          way += numerics::absolute(q[n] - stage.q[n]);
          stage.q[n] = select(open, q[n], stage.q[n]);
        }
        const Stage before = stage;
        look(i);
        if (!all(open)) {
          stage.acceleration = select_reals<R>(open, stage.acceleration, before.acceleration);
          stage.at = select_reals<R>(open, stage.at, before.at);
          stage.response = select_reals<R>(open, stage.response, before.response);
        }
      }
      return way;
    }

    const System& system_;
    const Motion<System>& motion_;
    const R& h_;
    const Beginning<R, N>& x_;
    const LobattoTables& tables_ = tables();
    std::array<Stage, S> stage_;
  };
};

template <class System, int S>
using LobattoPair = OneStep<System, LobattoPairFormula<S>>;

}  // namespace cotangent::integrators
