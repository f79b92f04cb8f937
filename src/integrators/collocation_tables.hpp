// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of collocation in differential form: K + 1 nodes on [0, 1], both ends among them, and the
// matrix D that differentiates polynomials of degree K there. Chebyshev nodes are those of V. P. Chan, The
// design, implementation, and applications of a novel numerical solver: the Lagrangian solver (master's
// thesis, OIST, 2018), (3.12), and D the right version of (3.14), which is printed with wrong signs.
// Reference: Trefethen, Spectral Methods in Matlab (2000), ch. 6.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cotangent::integrators {

enum class NodeFamily { chebyshev_lobatto, legendre_lobatto };

/// Which rows of EL (the Euler-Lagrange equations) and KIN (V = X') at the nodes 0 ... K give way to the
/// initial values. With A both at node 0; with C the last of EL and the first of KIN; with E both ends of EL.
enum class Treatment { a, c, e };
/// The treatment of this name ("A", "C", "E"). Throws an Error where there is none.
Treatment treatment(const std::string& name);

inline constexpr int max_collocation_degree = 16;

/// Coefficients for one K; all matrices go by rows.
struct CollocationTables {
  int degree;                     ///< K
  std::vector<double> c;          ///< K + 1 nodes on [0, 1]
  std::vector<double> d;          ///< D, (K + 1) x (K + 1)
  std::vector<double> d_twice;    ///< sum over l >= 1 of D_kl D_lj, (K + 1) x (K + 1): V_0 is given, not D X
  std::vector<double> legendre;   ///< coefficients in P_k(2 x - 1), K + 1 of them, from values at the nodes
  std::vector<double> bernstein;  ///< Bernstein coefficients of degree K from values at the nodes

  double derivative(int i, int j) const { return d[i * (degree + 1) + j]; }
  double second(int i, int j) const { return d_twice[i * (degree + 1) + j]; }

  /// The shared tables for degree K, 2 <= K <= max_collocation_degree.
  static std::shared_ptr<const CollocationTables> of(NodeFamily family, int degree);
};

}  // namespace cotangent::integrators
