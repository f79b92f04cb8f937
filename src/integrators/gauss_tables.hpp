// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of Gauss collocation with s stages (order 2 s, symplectic, symmetric), as doubles.
// Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1.3, VIII.6.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

namespace cotangent::integrators {

inline constexpr int max_stages = 16;

/// One conjugate pair (or one real) of the eigenvalues of A, for simplified Newton iterations.
struct StageEigenvalue {
  std::complex<double> lambda;
  int row;    ///< its first row in the real transformation
  bool real;  ///< one row where real, two (real and imaginary part) otherwise
};

/// Coefficients for one s; rows are contiguous, matrices are s x s unless said.
struct GaussTables {
  int stages;
  std::vector<double> c, b;      ///< nodes and weights
  std::vector<double> a;         ///< A
  std::vector<double> square;    ///< A A
  std::vector<double> legendre;  ///< Legendre coefficients on [0, 1] from values at the nodes
  /// Values at the next step's nodes (equal steps) from those at this one's, its beginning and its end:
  /// s x (s + 2). And Legendre coefficients from the same.
  std::vector<double> extrapolation, legendre_with_ends;
  std::vector<double> bernstein;           ///< (s + 1) x s: Bernstein coefficients of the integral
  std::vector<double> transform, inverse;  ///< real T, T^-1 with T^-1 A T block diagonal
  std::vector<StageEigenvalue> eigenvalues;

  /// A A about the middle of the step. With K = A - 1 b^T / 2, which changes sign under reversal of time,
  ///   A A = 1 (b/4 + K^T b/2)^T + (c - 1/2) b^T / 2 + K K,
  /// and K K maps even parts (sums of mirrored stages, the middle one alone) to even parts and odd ones
  /// (differences) to odd: half the multiplications, and reversal of time is exact in floating point. Stage
  /// values given by parts: the ceil(s/2) even ones, then the floor(s/2) odd ones.
  struct Parts {
    int evens, odds;
    std::vector<double> offset;               ///< c_i - 1/2
    std::vector<double> even, odd;            ///< the two blocks of K K
    std::vector<double> from_odd, from_even;  ///< K: odd parts to even values at the nodes, even to odd ones
    std::vector<double> even_weight, odd_weight;  ///< b over the even parts; b^T K over the odd ones
    std::vector<double> moment;  ///< b_j (1/2 - c_j) over the odd parts: b_i (1 - c_i) less b_i / 2
    std::vector<double> extrapolation, legendre,
        legendre_with_ends;                ///< as above, by parts and then the ends
    std::vector<double> bernstein;         ///< (s + 2) x s: Bernstein coefficients of the double integral
    std::vector<double> bend, bend_slope;  ///< CubicDeviation by a part of size 1
  } parts;

  /// The shared tables for s stages, 1 <= s <= max_stages.
  static std::shared_ptr<const GaussTables> of(int stages);
};

}  // namespace cotangent::integrators
