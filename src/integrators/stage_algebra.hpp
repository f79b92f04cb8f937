// Linear algebra over the stages of a step: a small constant matrix applied to N components in lanes, and the
// simplified Newton iteration, which the eigenvalues of A split into s/2 complex N x N systems.
// Reference: Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8.
#pragma once

#include <array>

#include "integrators/gauss_tables.hpp"
#include "numerics/dense.hpp"

namespace cotangent::integrators {

template <class R, int N>
using Stages = std::array<std::array<R, N>, max_stages>;
/// Coefficients in the Legendre polynomials of the step: one a stage, and two for what is known at its ends.
template <class R, int N>
using Coefficients = std::array<std::array<R, N>, max_stages + 2>;

namespace detail {
/// Block rows of out = m in, their sums under way together; each sum runs over j in order.
template <class R, int N, int Block>
[[gnu::always_inline]] inline void apply_rows(const double* m, int columns, const std::array<R, N>* in,
                                              std::array<R, N>* out) {
  std::array<std::array<R, N>, Block> sum{};
  for (int j = 0; j < columns; ++j) {
    const std::array<R, N> x = in[j];
    for (int k = 0; k < Block; ++k) {
      const R weight(m[k * columns + j]);
      for (int n = 0; n < N; ++n) sum[k][n] = fma(weight, x[n], sum[k][n]);
    }
  }
  for (int k = 0; k < Block; ++k) out[k] = sum[k];
}
}  // namespace detail

/// out_i = sum_j m_ij in_j for i < rows, j < columns; m is row-major. Rows go in blocks that fill the
/// registers; the result doesn't depend on the blocking.
template <class R, int N>
void apply(const double* m, int rows, int columns, const std::array<R, N>* in, std::array<R, N>* out) {
  constexpr int large = N <= 2 ? 16 / N : N == 3 ? 5 : N == 4 ? 4 : N <= 8 ? 2 : 1;
  constexpr int small = N <= 2 ? 4 : N <= 4 ? 2 : 1;
  int i = 0;
  for (; i + large <= rows; i += large) detail::apply_rows<R, N, large>(m + i * columns, columns, in, out + i);
  for (; i + small <= rows; i += small) detail::apply_rows<R, N, small>(m + i * columns, columns, in, out + i);
  for (; i < rows; ++i) detail::apply_rows<R, N, 1>(m + i * columns, columns, in, out + i);
}

/// Solves (1 (x) X + h A (x) Y - h^2 A^2 (x) Z) d = r for the stages' corrections, X, Y, Z fixed over a step.
template <class R, int N>
class StageNewton {
 public:
  using Matrix = numerics::Matrix<R, N>;

  void factorise(const GaussTables& tables, const R& h, const Matrix& x, const Matrix& y, const Matrix& z) {
    for (std::size_t e = 0; e < tables.eigenvalues.size(); ++e) {
      const auto lambda = tables.eigenvalues[e].lambda, square = lambda * lambda;
      const R yr = h * R(lambda.real()), yi = h * R(lambda.imag());
      const R zr = h * (h * R(-square.real())), zi = h * (h * R(-square.imag()));
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
          re_[e][i][j] = fma(zr, z[i][j], fma(yr, y[i][j], x[i][j]));
          im_[e][i][j] = fma(zi, z[i][j], yi * y[i][j]);
        }
      }
      numerics::invert_complex<R, N>(re_[e], im_[e]);
    }
  }

  /// Replaces the residuals r by the corrections d.
  void solve(const GaussTables& tables, Stages<R, N>& r) const {
    const int s = tables.stages;
    Stages<R, N> y;
    apply<R, N>(tables.inverse.data(), s, s, r.data(), y.data());
    for (std::size_t e = 0; e < tables.eigenvalues.size(); ++e) {
      // A pair of rows (y, y') stands for y - i y' in the eigenvector's direction.
      auto& upper = y[tables.eigenvalues[e].row];
      std::array<R, N> dr{}, di{};
      if (tables.eigenvalues[e].real) {
        for (int i = 0; i < N; ++i) {
          for (int j = 0; j < N; ++j) dr[i] = fma(re_[e][i][j], upper[j], dr[i]);
        }
        upper = dr;
        continue;
      }
      auto& lower = y[tables.eigenvalues[e].row + 1];
      for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
          dr[i] = fma(im_[e][i][j], lower[j], fma(re_[e][i][j], upper[j], dr[i]));
          di[i] = fma(re_[e][i][j], lower[j], fma(-im_[e][i][j], upper[j], di[i]));
        }
      }
      upper = dr;
      lower = di;
    }
    apply<R, N>(tables.transform.data(), s, s, y.data(), r.data());
  }

 private:
  std::array<Matrix, (max_stages + 1) / 2> re_, im_;
};

}  // namespace cotangent::integrators
