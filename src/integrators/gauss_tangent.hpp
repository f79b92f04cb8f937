// SPDX-License-Identifier: BSD-3-Clause
// The tangent map of a step of Gauss collocation where L = v^T M v / 2 - U(q): with G_i = h^2 M^-1 L_qq at
// stage i and D = A A,
//   da_i = G_i (dq + c_i h dv + sum_j D_ij da_j),   dq' = dq + h dv + sum_i b_i (1 - c_i) da_i,
//   dv' = dv + sum_i b_i da_i / h
// Stages feel earlier ones by the order of h^2, later ones a thousand times less: sweeps of Gauss and Seidel,
// stage by stage, reach round-off in four to six. Lanes in which they don't are solved by elimination.
// Reference: Hairer, Lubich, Wanner (2006), VI.4.1 (the variational equation by the same method).
#pragma once

#include "integrators/convergence.hpp"
#include "integrators/method.hpp"
#include "integrators/stage_algebra.hpp"
#include "numerics/elimination.hpp"

namespace cotangent::integrators {

template <class R, int N>
class GaussTangent {
 public:
  using Mask = numerics::mask_of<R>;
  using Matrix = numerics::Matrix<R, N>;

  GaussTangent(const GaussTables& tables, const R& h) : tables_(tables), h_(h) {}

  /// G_i, to be filled.
  Matrix& slope(int i) { return slope_[i]; }

  /// Takes deviations over the step in these lanes.
  void move(Mask lanes, Deviation<R, N>* d, int count, numerics::Elimination<R>& elimination);

 private:
  /// Component n of deviation c is number c N + n of a row.
  template <int K>
  using Rows = std::array<std::array<R, N * K>, max_stages>;

  /// (1 - D_ii G_i)^-1 G_i
  void resolve() {
    for (int i = 0; i < tables_.stages; ++i) {
      const R weight(-tables_.square[i * tables_.stages + i]);
      const Matrix& g = slope_[i];
      Matrix one;
      for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) one[n][m] = n == m ? fma(weight, g[n][m], R(1.0)) : weight * g[n][m];
      }
      if constexpr (N == 2) {
        const R scale = R(1.0) / fma(one[0][0], one[1][1], -(one[0][1] * one[1][0]));
        for (int m = 0; m < 2; ++m) {
          resolved_[i][0][m] = scale * fma(one[1][1], g[0][m], -(one[0][1] * g[1][m]));
          resolved_[i][1][m] = scale * fma(one[0][0], g[1][m], -(one[1][0] * g[0][m]));
        }
      } else {
        resolved_[i] = numerics::solve<R, N>(one, g);
      }
    }
  }

  template <int K>
  [[gnu::noinline]] void move_some(Mask lanes, Deviation<R, N>* d, numerics::Elimination<R>& elimination) {
    const int s = tables_.stages;
    std::array<R, N * K> drift, from;
    for (int c = 0; c < K; ++c) {
      for (int n = 0; n < N; ++n) {
        from[c * N + n] = d[c].q[n];
        drift[c * N + n] = h_ * d[c].y[n];
      }
    }
    Rows<K> a;
    const Mask left = sweep<K>(lanes, from, drift, a);
    if (any(left)) eliminate<K>(left, from, drift, a, elimination);
    std::array<R, N * K> sum{}, moment{};
    for (int i = 0; i < s; ++i) {
      const R weight(tables_.b[i]), arm(tables_.b[i] * (1 - tables_.c[i]));
      for (int m = 0; m < N * K; ++m) {
        sum[m] = fma(weight, a[i][m], sum[m]);
        moment[m] = fma(arm, a[i][m], moment[m]);
      }
    }
    for (int c = 0; c < K; ++c) {
      for (int n = 0; n < N; ++n) {
        const int m = c * N + n;
        d[c].q[n] = select(lanes, from[m] + (drift[m] + moment[m]), d[c].q[n]);
        d[c].y[n] = select(lanes, d[c].y[n] + sum[m] / h_, d[c].y[n]);
      }
    }
  }

  /// Fills in da; returns the lanes in which it isn't found. Changes are looked at in the first stage and in
  /// the middle one: all others follow from those of later stages as these do.
  template <int K>
  [[gnu::always_inline]] Mask sweep(Mask lanes, const std::array<R, N * K>& from,
                                    const std::array<R, N * K>& drift, Rows<K>& a) const {
    const int s = tables_.stages;
    Convergence<R> convergence(lanes, 0x1p-54, 0x1p-48);
    for (int round = 0; round < 12 && any(convergence.open()); ++round) {
      const bool every = all(convergence.open());
      R change(0.0), scale(0.0);
      for (int i = 0; i < s; ++i) {
        const double* const weight = tables_.square.data() + i * s;
        std::array<R, N * K> sum;
        for (int m = 0; m < N * K; ++m) sum[m] = fma(R(tables_.c[i]), drift[m], from[m]);
        // The stage before comes last: it is the last to be known.
        for (int j = i + 1; j < s && round > 0; ++j) add<K>(weight[j], a[j], sum);
        for (int j = 0; j < i; ++j) add<K>(weight[j], a[j], sum);
        const bool looked_at = round > 0 && (i == 0 || i == s / 2);
        for (int c = 0; c < K; ++c) {
          for (int n = 0; n < N; ++n) {
            R next = resolved_[i][n][0] * sum[c * N];
            for (int m = 1; m < N; ++m) next = fma(resolved_[i][n][m], sum[c * N + m], next);
            R& now = a[i][c * N + n];
            if (looked_at) {
              change += numerics::absolute(next - now);
              scale += numerics::absolute(sum[c * N + n]);
            }
            now = round > 0 ? convergence.renewed(every, now, next) : next;
          }
        }
      }
      if (round == 0) continue;
      convergence.measure_against(scale);
      convergence.close(change);
    }
    return lanes & convergence.open();
  }
  template <int K>
  [[gnu::always_inline]] static void add(double weight, const std::array<R, N * K>& a,
                                         std::array<R, N * K>& sum) {
    for (int m = 0; m < N * K; ++m) sum[m] = fma(R(weight), a[m], sum[m]);
  }

  /// In these lanes.
  template <int K>
  [[gnu::noinline, gnu::cold]] void eliminate(Mask lanes, const std::array<R, N * K>& from,
                                              const std::array<R, N * K>& drift, Rows<K>& a,
                                              numerics::Elimination<R>& elimination) const {
    const int s = tables_.stages;
    elimination.resize(s * N, K);
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) {
        R* const row = elimination.row(i * N + n);
        for (int j = 0; j < s; ++j) {
          const R weight(-tables_.square[i * s + j]);
          for (int m = 0; m < N; ++m) row[j * N + m] = weight * slope_[i][n][m];
        }
        row[i * N + n] += R(1.0);
        for (int c = 0; c < K; ++c) {
          R& right = elimination.right(i * N + n)[c] = R(0.0);
          for (int m = 0; m < N; ++m) {
            right = fma(slope_[i][n][m], fma(R(tables_.c[i]), drift[c * N + m], from[c * N + m]), right);
          }
        }
      }
    }
    elimination.solve();
    for (int i = 0; i < s; ++i) {
      for (int c = 0; c < K; ++c) {
        for (int n = 0; n < N; ++n) {
          a[i][c * N + n] = select(lanes, elimination.right(i * N + n)[c], a[i][c * N + n]);
        }
      }
    }
  }

  const GaussTables& tables_;
  const R& h_;
  std::array<Matrix, max_stages> slope_, resolved_;
};

template <class R, int N>
void GaussTangent<R, N>::move(Mask lanes, Deviation<R, N>* d, int count,
                              numerics::Elimination<R>& elimination) {
  resolve();
  int c = 0;
  for (; c + 4 <= count; c += 4) move_some<4>(lanes, d + c, elimination);
  for (; c + 2 <= count; c += 2) move_some<2>(lanes, d + c, elimination);
  if (c < count) move_some<1>(lanes, d + c, elimination);
}

// Compiled once for few coordinates, not with each model: what is inline would be all the same.
#define COTANGENT_GAUSS_TANGENTS(word, N)                                       \
  word template class GaussTangent<double, N>;                                  \
  word template class GaussTangent<numerics::Lanes<numerics::native_width>, N>; \
  word template class GaussTangent<numerics::Lanes<2 * numerics::native_width>, N>;
COTANGENT_GAUSS_TANGENTS(extern, 1)
COTANGENT_GAUSS_TANGENTS(extern, 2)
COTANGENT_GAUSS_TANGENTS(extern, 3)
COTANGENT_GAUSS_TANGENTS(extern, 4)

}  // namespace cotangent::integrators
