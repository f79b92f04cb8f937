// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/lobatto_tables.hpp"

#include <map>
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "numerics/polynomials.hpp"

namespace cotangent::integrators {
namespace {

std::shared_ptr<const LobattoTables> make(int s) {
  using numerics::Extended;
  const auto quadrature = numerics::lobatto(s);
  const auto a = numerics::integration_matrix(quadrature.nodes);
  const auto mate = [&](int i, int j) {
    return quadrature.weights[j] * (1 - a(j, i) / quadrature.weights[i]);
  };
  auto t = std::make_shared<LobattoTables>();
  t->stages = s;
  for (int i = 0; i < s; ++i) {
    t->c.push_back(static_cast<double>(quadrature.nodes[i]));
    t->b.push_back(static_cast<double>(quadrature.weights[i]));
    for (int j = 0; j < s; ++j) {
      t->a.push_back(static_cast<double>(a(i, j)));
      t->mate.push_back(static_cast<double>(mate(i, j)));
      Extended sum = 0;
      for (int k = 0; k < s; ++k) sum += a(i, k) * mate(k, j);
      t->product.push_back(static_cast<double>(sum));
    }
    t->mate.back() = 0.0;  // exactly
  }
  for (int m = 0; m < s - 1; ++m) {
    for (int j = 0; j < s; ++j) {
      const auto p = numerics::legendre(m, 2 * quadrature.nodes[j] - 1);
      t->moment.push_back(static_cast<double>(quadrature.weights[j] * p[m]));
    }
  }
  return t;
}

}  // namespace

std::shared_ptr<const LobattoTables> LobattoTables::of(int stages) {
  if (stages < least || stages > most) {
    throw Error("the Lobatto pair takes " + std::to_string(least) + " to " + std::to_string(most) +
                " stages, not " + std::to_string(stages));
  }
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const LobattoTables>> made;
  const std::lock_guard lock(mutex);
  auto& tables = made[stages];
  if (!tables) tables = make(stages);
  return tables;
}

}  // namespace cotangent::integrators
