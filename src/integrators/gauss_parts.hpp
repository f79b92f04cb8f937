// SPDX-License-Identifier: BSD-3-Clause
// A step of Gauss collocation where L = v^T M v / 2 - U(q), by even and odd parts about its middle. The
// unknowns are h^2 times the stages' accelerations, by parts (gauss_tables.hpp); with K = A - 1 b^T / 2
//   Q = q + h/2 v + (b/4 + K^T b/2)^T h^2 a + (c - 1/2) (h v + b^T h^2 a / 2) + K K h^2 a
//   q' = q + h v + h^2 sum_i b_i (1 - c_i) a_i,   v' = v + h sum_i b_i a_i
#pragma once

#include "integrators/gauss_tables.hpp"
#include "integrators/stage_algebra.hpp"
#include "numerics/compensated.hpp"

namespace cotangent::integrators {

/// The motion of a step's middle: Q = q + (c - 1/2) velocity + K K h^2 a, the velocity times h.
template <class R, int N>
struct MiddleMotion {
  std::array<R, N> q, velocity;
};

/// Of N components in R; S is the number of stages where the compiler shall know it, else 0.
template <class R, int N, int S = 0>
class GaussParts {
 public:
  using Vector = std::array<R, N>;
  using Middle = MiddleMotion<R, N>;
  using Running = std::array<numerics::Compensated<R>, N>;

  [[gnu::always_inline]] explicit GaussParts(const GaussTables& tables)
      : stages_(tables.stages), table_(tables.parts) {}

  [[gnu::always_inline]] int stages() const { return S > 0 ? S : stages_; }
  [[gnu::always_inline]] int odds() const { return stages() / 2; }
  [[gnu::always_inline]] int evens() const { return stages() - odds(); }

  /// Part j of a value that is the same at all stages.
  [[gnu::always_inline]] R of_constant(int j, const R& value) const {
    return j < odds() ? R(2.0) * value : j < evens() ? value : R(0.0);
  }
  /// From values at the stages.
  void of_stages(const Stages<R, N>& stage, Stages<R, N>& parts) const {
    for (int j = 0; j < evens(); ++j) {
      for (int n = 0; n < N; ++n) {
        const R mirrored = stage[stages() - 1 - j][n];
        parts[j][n] = j < odds() ? stage[j][n] + mirrored : stage[j][n];
        if (j < odds()) parts[evens() + j][n] = stage[j][n] - mirrored;
      }
    }
  }

  /// From q and the drift h v at the beginning.
  [[gnu::always_inline]] Middle middle(const Vector& q, const Vector& drift, const Vector* parts) const {
    Vector sum{}, torque{};
    for (int j = 0; j < evens(); ++j) {
      for (int n = 0; n < N; ++n) sum[n] = fma(R(table_.even_weight[j]), parts[j][n], sum[n]);
    }
    for (int j = 0; j < odds(); ++j) {
      for (int n = 0; n < N; ++n) torque[n] = fma(R(table_.odd_weight[j]), parts[evens() + j][n], torque[n]);
    }
    Middle m;
    for (int n = 0; n < N; ++n) {
      m.velocity[n] = fma(R(0.5), sum[n], drift[n]);
      m.q[n] = fma(R(0.5), fma(R(0.5), sum[n], torque[n]) + drift[n], q[n]);
    }
    return m;
  }

  /// The even and odd parts of the positions of so many stages.
  template <int Block>
  struct Rows {
    std::array<Vector, Block> even{}, odd{};
  };
  /// Adds what K K h^2 a is at the stages i to i + Block - 1 and at those that mirror them.
  template <int Block>
  [[gnu::always_inline]] void add(int i, const Vector* parts, Rows<Block>& rows) const {
    const int m = evens(), l = odds();
    const double *even = table_.even.data() + i * m, *odd = table_.odd.data() + i * l;
#pragma GCC unroll 8
    for (int j = 0; j < l; ++j) {
      const Vector x = parts[j], y = parts[m + j];
#pragma GCC unroll 8
      for (int k = 0; k < Block; ++k) {
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n) {
          rows.even[k][n] = fma(R(even[k * m + j]), x[n], rows.even[k][n]);
          rows.odd[k][n] = fma(R(odd[k * l + j]), y[n], rows.odd[k][n]);
        }
      }
    }
    for (int k = 0; k < Block && m > l; ++k) {
      for (int n = 0; n < N; ++n) rows.even[k][n] = fma(R(even[k * m + l]), parts[l][n], rows.even[k][n]);
    }
  }
  /// c_i - 1/2
  [[gnu::always_inline]] R offset(int i) const {
    return R(table_.offset[i]);
  }
  /// The position of the stage in the middle, of an odd number of them.
  [[gnu::always_inline]] Vector position_of_middle_stage(const Middle& m, const Vector* parts) const {
    Vector q = m.q;
    for (int j = 0; j < evens(); ++j) {
      for (int n = 0; n < N; ++n) q[n] = fma(R(table_.even[odds() * evens() + j]), parts[j][n], q[n]);
    }
    return q;
  }

  /// Takes q and v from the step's beginning to its end.
  [[gnu::always_inline]] void finish(const R& h, const Vector* parts, Running& q, Running& v) const {
    Vector sum{}, moment{};
    for (int j = 0; j < evens(); ++j) {
      for (int n = 0; n < N; ++n) sum[n] = fma(R(table_.even_weight[j]), parts[j][n], sum[n]);
    }
    for (int j = 0; j < odds(); ++j) {
      for (int n = 0; n < N; ++n) moment[n] = fma(R(table_.moment[j]), parts[evens() + j][n], moment[n]);
    }
    for (int n = 0; n < N; ++n) {
      const R hv = h * v[n].value;
      const R hv_low = fma(h, v[n].low, fma(h, v[n].value, -hv));
      q[n].add(hv + (fma(R(0.5), sum[n], moment[n]) + hv_low));
      v[n].add(sum[n] / h);  // divided, not times 1/h: a rounded factor, the same in each step, would drift
    }
  }

 private:
  int stages_;
  const GaussTables::Parts& table_;
};

}  // namespace cotangent::integrators
