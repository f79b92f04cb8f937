// SPDX-License-Identifier: BSD-3-Clause
// Projection of any method onto invariants c(y) = 0 of y = (q, v): the constraint manifold with its tangent
// space, g(q) = 0, G v + g_t = 0 and what rolls, r(q, v) = 0; the energy of the start, E(q, v) = E0; or both.
// With J = dc/dy and Phi a step,
//   standard:   z = Phi(y),             y' = z + J(z)^T mu,    c(y') = 0
//   symmetric:  z = y + J(y)^T mu,      y' = Phi(z) + J(y')^T mu,    c(y') = 0, the same mu
// The first keeps nothing of a method's structure but its order; the second is symmetric where Phi is, and
// then has no drift. Newton's method for mu; in the second the mean of J J^T at both ends stands for half the
// derivative, as it would be if Phi kept c. Reference: Hairer, Lubich, Wanner (2006), IV.4 and V.4.1.
#pragma once

#include "core/error.hpp"
#include "integrators/motion.hpp"

namespace cotangent::integrators {

template <class R, int N>
struct Beginning;
template <class R, int N>
struct Change;

template <class System>
class Projection {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim, C = System::constraints, most = C + System::multipliers + 1;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;

  explicit Projection(const MethodOptions& options)
      : active_(options.projection != "none"), symmetric_(options.projection == "symmetric") {
    const std::string onto =
        options.onto.empty() ? (System::multipliers > 0 ? "manifold" : "energy") : options.onto;
    manifold_ = onto != "energy";
    energy_ = onto != "manifold";
    if (active_ && energy_ && System::driven) {
      throw Error("projection onto the energy: this model's is changed by forces, the time or what moves" +
                  std::string(System::multipliers > 0 ? "; onto = \"manifold\" is possible" : ""));
    }
    if (active_ && manifold_ && System::multipliers == 0) {
      throw Error("projection onto a manifold: this model has no constraints; onto = \"energy\" is possible");
    }
  }

  bool active() const { return active_; }

  /// A step of the method's own in open lanes, plain(x, open, change) -> the lanes solved. By a pointer:
  /// projection is compiled once for all methods.
  class Plain {
   public:
    template <class Step>
    explicit Plain(const Step& step)
        : step_(&step),
          call_([](const void* of, const Beginning<R, N>& x, Mask open, Change<R, N>& change) -> Mask {
            return (*static_cast<const Step*>(of))(x, open, change);
          }) {}
    Mask operator()(const Beginning<R, N>& x, Mask open, Change<R, N>& change) const {
      return call_(step_, x, open, change);
    }

   private:
    const void* step_;  ///< outlives this
    Mask (*call_)(const void*, const Beginning<R, N>&, Mask, Change<R, N>&);
  };

  /// A step, projected. Returns the lanes solved.
  Mask step(const System& system, const R& h, const Beginning<R, N>& x, const R& energy, Mask active,
            Change<R, N>& change, const Plain& plain) const {
    return symmetric_ ? symmetric(system, h, x, energy, active, change, plain)
                      : standard(system, h, x, energy, active, change, plain);
  }

 private:
  struct Phase {
    Vector q, v;
  };
  struct Invariants {
    std::array<R, most> value;
    std::array<Phase, most> gradient;
    std::array<R, most> size;  // of what rounds in the value
  };
  using Multipliers = std::array<R, most>;
  int count() const { return (manifold_ ? C + System::multipliers : 0) + (energy_ ? 1 : 0); }

  [[gnu::noinline]] Invariants at(const System& system, const Phase& y, const R& t, const R& energy) const {
    Invariants c;
    int m = 0;
    if constexpr (C > 0) {
      if (manifold_) {
        const auto g = system.constraint_by_call(y.q, t);
        const auto bent =
            mechanics::constraint_hessian_times<typename System::Model>(y.q, y.v, system.parameters, t);
        const auto speed = system.constraint_speed(g, y.q, y.v, t);
        for (int k = 0; k < C; ++k, m += 2) {
          c.value[m] = g.value[k];
          c.gradient[m].q = g.gradient[k];
          c.value[m + 1] = speed[k];
          c.gradient[m].v.fill(R(0.0));
          c.gradient[m + 1] = {bent[k], g.gradient[k]};
          c.size[m] = dot_of_sizes(g.gradient[k], y.q);
          c.size[m + 1] = dot_of_sizes(g.gradient[k], y.v);
        }
      }
    }
    if constexpr (System::rolls) {
      if (manifold_) {
        const auto r = system.slip(y.q, y.v);
        for (int k = 0; k < System::rolling; ++k, ++m) {
          c.value[m] = r.value[k];
          c.gradient[m] = {r.q[k], r.v[k]};
          c.size[m] = dot_of_sizes(r.v[k], y.v);
        }
      }
    }
    if (energy_) {
      const auto l = system.hessian(y.q, y.v, t);
      c.value[m] = -(l.value + energy);
      c.size[m] = numerics::absolute(l.value) + numerics::absolute(energy);
      for (int i = 0; i < N; ++i) {
        c.value[m] = fma(y.v[i], l.v[i], c.value[m]);
        c.gradient[m].q[i] = -l.q[i];
        c.gradient[m].v[i] = R(0.0);
        for (int j = 0; j < N; ++j) {
          c.gradient[m].q[i] = fma(l.qv[i][j], y.v[j], c.gradient[m].q[i]);
          c.gradient[m].v[i] = fma(l.vv[i][j], y.v[j], c.gradient[m].v[i]);
        }
      }
    }
    return c;
  }

  Phase moved(Phase y, const Invariants& c, const Multipliers& mu) const {
    for (int k = 0; k < count(); ++k) {
      for (int n = 0; n < N; ++n) {
        y.q[n] = fma(mu[k], c.gradient[k].q[n], y.q[n]);
        y.v[n] = fma(mu[k], c.gradient[k].v[n], y.v[n]);
      }
    }
    return y;
  }

  using Matrix = std::array<std::array<R, most>, most>;
  /// matrix += J K^T
  void add_product(const Invariants& j, const Invariants& k, Matrix& matrix) const {
    for (int row = 0; row < count(); ++row) {
      for (int column = 0; column < count(); ++column) {
        R& entry = matrix[row][column];
        for (int n = 0; n < N; ++n) {
          entry = fma(j.gradient[row].q[n], k.gradient[column].q[n], entry);
          entry = fma(j.gradient[row].v[n], k.gradient[column].v[n], entry);
        }
      }
    }
  }
  /// Renews mu in the open lanes by matrix^-1 c; returns how far that moves states, of which a unit of mu_k
  /// moves so much.
  R correct(const Invariants& c, Matrix matrix, const Multipliers& reach, Multipliers& mu, Mask open) const {
    const int m = count();
    Multipliers change = c.value;
    Mask kept = change[0] == R(0.0);
    for (int k = 1; k < m; ++k) kept = kept & (change[k] == R(0.0));
    numerics::solve_in_place<R>(m, matrix, change);
    R size(0.0);
    for (int k = 0; k < m; ++k) {
      change[k] = select(kept, R(0.0), change[k]);  // also where gradients vanish, in equilibrium
      size = fma(numerics::absolute(change[k]), reach[k], size);
      mu[k] = select(open, mu[k] - change[k], mu[k]);
    }
    return size;
  }
  /// How far a unit of each multiplier moves a state.
  Multipliers reach_of(const Invariants& c) const {
    Multipliers reach;
    for (int k = 0; k < count(); ++k) reach[k] = size_of(c.gradient[k]);
    return reach;
  }
  /// How far the invariants' rounding, in units of the last place, moves states: much by that of the energy
  /// near equilibrium, where its gradient is small.
  R noise_of(const Invariants& c) const {
    R sum(0.0);
    for (int k = 0; k < count(); ++k) {
      R square(0.0);
      for (int n = 0; n < N; ++n) {
        square = fma(c.gradient[k].q[n], c.gradient[k].q[n], square);
        square = fma(c.gradient[k].v[n], c.gradient[k].v[n], square);
      }
      sum += select(square > R(0.0), c.size[k] / sqrt(square), R(0.0));
    }
    return sum;
  }
  static R dot_of_sizes(const Vector& a, const Vector& b) {
    R sum(0.0);
    for (int n = 0; n < N; ++n) sum += numerics::absolute(a[n] * b[n]);
    return sum;
  }
  static R size_of(const Phase& y) {
    R sum(0.0);
    for (int n = 0; n < N; ++n) sum += numerics::absolute(y.q[n]) + numerics::absolute(y.v[n]);
    return sum;
  }
  static Phase select_phase(Mask mask, const Phase& a, const Phase& b) { return select_reals<R>(mask, a, b); }
  static void put(const Phase& y, const Beginning<R, N>& x, Change<R, N>& change) {
    for (int n = 0; n < N; ++n) {
      change.q[n] = y.q[n] - x.q[n];
      change.y[n] = y.v[n] - x.v[n];
    }
  }
  static Mask propagate(const Beginning<R, N>& x, const Phase& z, Mask open, Phase& end, const Plain& plain) {
    Beginning<R, N> from{x.t, z.q, z.v, z.v};
    Change<R, N> change;
    const Mask solved = plain(from, open, change);
    for (int n = 0; n < N; ++n) {
      end.q[n] = z.q[n] + change.q[n];
      end.v[n] = z.v[n] + change.y[n];
    }
    return solved;
  }

  [[gnu::noinline]] Mask standard(const System& system, const R& h, const Beginning<R, N>& x, const R& energy,
                                  Mask active, Change<R, N>& change, const Plain& plain) const {
    Phase z;
    const Mask solved = propagate(x, {x.q, x.v}, active, z, plain) & active;
    const Invariants from = at(system, z, x.t + h, energy);
    const Multipliers reach = reach_of(from);
    Multipliers mu{};
    Phase y = z;
    const Mask projected = newton<R>(
        solved, 30,
        [&](Mask open) {
          const Invariants now = at(system, y, x.t + h, energy);
          Matrix matrix{};
          add_product(now, from, matrix);
          const R size = correct(now, matrix, reach, mu, open);
          y = select_phase(open, moved(z, from, mu), y);
          return size;
        },
        [&] { return size_of(y); }, [&] { return noise_of(from); });
    put(y, x, change);
    return projected;
  }

  [[gnu::noinline]] Mask symmetric(const System& system, const R& h, const Beginning<R, N>& x,
                                   const R& energy, Mask active, Change<R, N>& change,
                                   const Plain& plain) const {
    const Phase begin{x.q, x.v};
    const Invariants first = at(system, begin, x.t, energy);
    const Multipliers reach_at_first = reach_of(first);
    Multipliers mu{};
    Phase y, end;
    const Mask solved = propagate(x, begin, active, y, plain) & active;
    const Phase unprojected = y;
    const Mask projected = fixed_point<R>(
        solved, x, unprojected.v,
        [&](Mask open) {
          const Mask fine = propagate(x, moved(begin, first, mu), open, end, plain);
          y = select_phase(open, moved(end, at(system, y, x.t + h, energy), mu), y);
          const Invariants last = at(system, y, x.t + h, energy);
          Matrix matrix{};
          add_product(first, first, matrix);
          add_product(last, last, matrix);
          Multipliers reach = reach_of(last);
          for (int k = 0; k < count(); ++k) reach[k] += reach_at_first[k];
          const R size = correct(last, matrix, reach, mu, open);
          return select(fine, size, R(std::numeric_limits<double>::quiet_NaN()));
        },
        sum_of_sizes(x.q) + sum_of_sizes(unprojected.q) + noise_of(first));
    put(y, x, change);
    return projected;
  }

  bool active_, symmetric_, manifold_ = false, energy_ = false;
};

}  // namespace cotangent::integrators
