// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra over the stages of a step: a small constant matrix applied to N components in lanes, and the
// simplified Newton iteration, which the eigenvalues of A split into s/2 complex N x N systems.
// Reference: Hairer, Wanner, Solving Ordinary Differential Equations II (1996), IV.8.
#pragma once

#include <array>

#include "integrators/gauss_tables.hpp"
#include "numerics/dense.hpp"
#include "numerics/lanes.hpp"

namespace cotangent::integrators {

/// Values at the stages, with room for those at the step's two ends.
template <class R, int N>
using Stages = std::array<std::array<R, N>, max_stages + 2>;
/// Coefficients in the Legendre polynomials of the step, as many.
template <class R, int N>
using Coefficients = Stages<R, N>;

namespace detail {
/// Block rows of out = m in, their sums under way together; each sum runs over j in order.
template <class R, int N, int Block>
[[gnu::always_inline]] inline void apply_rows(const double* m, int columns, const std::array<R, N>* in,
                                              std::array<R, N>* out) {
  std::array<std::array<R, N>, Block> sum;
#pragma GCC unroll 16
  for (int k = 0; k < Block; ++k) {
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) sum[k][n] = R(0.0);
  }
  for (int j = 0; j < columns; ++j) {
    const std::array<R, N> x = in[j];
#pragma GCC unroll 16
    for (int k = 0; k < Block; ++k) {
      const R weight(m[k * columns + j]);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) sum[k][n] = fma(weight, x[n], sum[k][n]);
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < Block; ++k) {
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) out[k][n] = sum[k][n];
  }
}

template <class R, int N, int Block>
void apply_block(int block, const double* m, int columns, const std::array<R, N>* in, std::array<R, N>* out) {
  if constexpr (Block > 1) {
    if (block < Block) return apply_block<R, N, Block - 1>(block, m, columns, in, out);
  }
  apply_rows<R, N, Block>(m, columns, in, out);
}
}  // namespace detail

/// out_i = sum_j m_ij in_j for i < rows, j < columns; m is row-major. Rows go in equal blocks that fill the
/// registers; the result doesn't depend on the blocking.
template <class R, int N>
void apply(const double* m, int rows, int columns, const std::array<R, N>* in, std::array<R, N>* out) {
  constexpr int most = N <= 2 ? 16 / N : N == 3 ? 5 : N == 4 ? 4 : N <= 8 ? 2 : 1;
  int i = 0;
  for (int blocks = (rows + most - 1) / most; blocks > 0; --blocks) {
    const int block = (rows - i + blocks - 1) / blocks;
    detail::apply_block<R, N, most>(block, m + i * columns, columns, in, out + i);
    i += block;
  }
}

/// Integrals from 0 to the nodes of the polynomial through `in`, less half of the integral over the step:
/// out = K in (gauss_tables.hpp); returns the whole integral.
template <class R, int N>
std::array<R, N> integrals_about_middle(const GaussTables& tables, const Stages<R, N>& in,
                                        Stages<R, N>& out) {
  const auto& table = tables.parts;
  const int s = tables.stages, odds = table.odds, evens = table.evens;
  Stages<R, N> even, odd, from_odd, from_even;
  std::array<R, N> whole{};
  for (int j = 0; j < odds; ++j) {
    for (int n = 0; n < N; ++n) {
      even[j][n] = in[j][n] + in[s - 1 - j][n];
      odd[j][n] = in[j][n] - in[s - 1 - j][n];
    }
  }
  if (evens > odds) even[odds] = in[odds];
  for (int j = 0; j < evens; ++j) {
    for (int n = 0; n < N; ++n) whole[n] = fma(R(table.even_weight[j]), even[j][n], whole[n]);
  }
  apply<R, N>(table.from_odd.data(), evens, odds, odd.data(), from_odd.data());
  apply<R, N>(table.from_even.data(), odds, evens, even.data(), from_even.data());
  for (int j = 0; j < odds; ++j) {
    for (int n = 0; n < N; ++n) {
      out[j][n] = from_odd[j][n] + from_even[j][n];
      out[s - 1 - j][n] = from_odd[j][n] - from_even[j][n];
    }
  }
  if (evens > odds) out[odds] = from_odd[odds];
  return whole;
}

/// Solves (1 (x) X + h A (x) Y - h^2 A^2 (x) Z) d = r for the stages' corrections, X, Y, Z fixed over a step.
template <class R, int N>
class StageNewton {
 public:
  using Matrix = numerics::Matrix<R, N>;

  void factorise(const GaussTables& tables, const R& h, const Matrix& x, const Matrix& y, const Matrix& z);

  /// Replaces the residuals r by the corrections d.
  void solve(const GaussTables& tables, Stages<R, N>& r) const;

 private:
  std::array<Matrix, (max_stages + 1) / 2> re_, im_;
};

template <class R, int N>
void StageNewton<R, N>::factorise(const GaussTables& tables, const R& h, const Matrix& x, const Matrix& y,
                                  const Matrix& z) {
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

template <class R, int N>
void StageNewton<R, N>::solve(const GaussTables& tables, Stages<R, N>& r) const {
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

// Compiled once for few coordinates, not with each model: with series of Legendre (numerics/legendre.hpp)
// half a second less for each formula of a deck. What is inline would be compiled all the same.
#define COTANGENT_STAGE_ALGEBRA_OF(word, R, N)                                                         \
  word template void apply<R, N>(const double*, int, int, const std::array<R, N>*, std::array<R, N>*); \
  word template std::array<R, N> integrals_about_middle<R, N>(const GaussTables&, const Stages<R, N>&, \
                                                              Stages<R, N>&);                          \
  word template class StageNewton<R, N>;
#define COTANGENT_STAGE_ALGEBRA(word, N)                                       \
  COTANGENT_STAGE_ALGEBRA_OF(word, double, N)                                  \
  COTANGENT_STAGE_ALGEBRA_OF(word, numerics::Lanes<numerics::native_width>, N) \
  COTANGENT_STAGE_ALGEBRA_OF(word, numerics::Lanes<2 * numerics::native_width>, N)
COTANGENT_STAGE_ALGEBRA(extern, 1)
COTANGENT_STAGE_ALGEBRA(extern, 2)
COTANGENT_STAGE_ALGEBRA(extern, 3)
COTANGENT_STAGE_ALGEBRA(extern, 4)

}  // namespace cotangent::integrators
