// SPDX-License-Identifier: BSD-3-Clause
// Nodes, weights and the matrices of collocation, computed in extended precision.
// Legendre recurrences throughout (DLMF 18.9), so that nothing here loses digits as the degree grows.
// Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1; Trefethen, Spectral
// Methods in Matlab (2000), ch. 6 for the Chebyshev differentiation matrix.
#pragma once

#include <vector>

#include "numerics/extended.hpp"

namespace cotangent::numerics {

/// A dense matrix in extended precision, row-major.
struct ExtendedMatrix {
  int rows = 0, columns = 0;
  std::vector<Extended> entries;

  ExtendedMatrix() = default;
  ExtendedMatrix(int m, int n) : rows(m), columns(n), entries(static_cast<std::size_t>(m) * n, 0) {}
  Extended& operator()(int i, int j) { return entries[static_cast<std::size_t>(i) * columns + j]; }
  Extended operator()(int i, int j) const { return entries[static_cast<std::size_t>(i) * columns + j]; }
};

ExtendedMatrix operator*(const ExtendedMatrix& a, const ExtendedMatrix& b);

/// P_0(x) ... P_n(x), the Legendre polynomials on [-1, 1].
std::vector<Extended> legendre(int n, Extended x);

struct Quadrature {
  std::vector<Extended> nodes, weights;
};
/// Gauss nodes and weights on [0, 1]: exact to degree 2 s - 1.
Quadrature gauss(int s);
/// Gauss-Lobatto nodes and weights on [0, 1], both ends included: n >= 2 nodes, exact to degree 2 n - 3.
Quadrature lobatto(int n);
/// Chebyshev-Gauss-Lobatto nodes -cos(k pi / K), k = 0 ... K, ascending on [-1, 1].
std::vector<Extended> chebyshev_lobatto_nodes(int K);

/// D with (D f)_i = f'(x_i) for every polynomial f of degree below the number of nodes (any distinct nodes).
ExtendedMatrix differentiation_matrix(const std::vector<Extended>& nodes);
/// The same in closed form on chebyshev_lobatto_nodes(K).
ExtendedMatrix chebyshev_differentiation_matrix(int K);

/// A with (A f)_i = integral of f from 0 to c_i, and its last row added: the integral to 1. Shape (s + 1, s).
ExtendedMatrix integration_matrix(const std::vector<Extended>& nodes);

/// Coefficients in P_k(2 x - 1), k = 0 ... s - 1, of the polynomial through values at the nodes on [0, 1].
ExtendedMatrix legendre_coefficients(const std::vector<Extended>& nodes);

/// Bernstein coefficients of degree d on [0, 1] of the m-fold integral from 0 (m = 0, 1, 2) of the
/// polynomial through values at the nodes. Shape (d + 1, s); d >= s - 1 + m.
ExtendedMatrix bernstein_of_integral(const std::vector<Extended>& nodes, int m, int d);

}  // namespace cotangent::numerics
