// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/lobatto_pair.hpp"

#include "numerics/polynomials.hpp"

namespace cotangent::integrators {

template <int S>
const LobattoPairTables<S>& LobattoPairTables<S>::get() {
  static const LobattoPairTables tables = [] {
    using numerics::Extended;
    const auto quadrature = numerics::lobatto(S);
    const auto a = numerics::integration_matrix(quadrature.nodes);
    LobattoPairTables t;
    for (int i = 0; i < S; ++i) {
      t.c[i] = static_cast<double>(quadrature.nodes[i]);
      t.b[i] = static_cast<double>(quadrature.weights[i]);
      for (int j = 0; j < S; ++j) {
        Extended sum = 0;
        for (int k = 0; k < S; ++k) {
          // IIIB from IIIA: b_k B_kj + b_j A_jk = b_k b_j.
          const Extended b = quadrature.weights[j] * (1 - a(j, k) / quadrature.weights[k]);
          sum += a(i, k) * b;
        }
        t.ab[i][j] = static_cast<double>(sum);
      }
    }
    return t;
  }();
  return tables;
}

template struct LobattoPairTables<2>;
template struct LobattoPairTables<3>;
template struct LobattoPairTables<4>;

}  // namespace cotangent::integrators
