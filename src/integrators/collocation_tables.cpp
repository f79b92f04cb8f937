// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/collocation_tables.hpp"

#include <map>
#include <mutex>

#include "core/error.hpp"
#include "core/names.hpp"
#include "numerics/polynomials.hpp"

namespace cotangent::integrators {

namespace {

using numerics::Extended;
using numerics::ExtendedMatrix;

std::vector<double> rounded(const std::vector<Extended>& values) {
  return {values.begin(), values.end()};
}

std::shared_ptr<const CollocationTables> make(NodeFamily family, int K) {
  auto tables = std::make_shared<CollocationTables>();
  tables->degree = K;
  std::vector<Extended> nodes;
  ExtendedMatrix d;
  if (family == NodeFamily::chebyshev_lobatto) {
    for (const Extended x : numerics::chebyshev_lobatto_nodes(K)) nodes.push_back((1 + x) / 2);
    d = numerics::chebyshev_differentiation_matrix(K);
    for (Extended& entry : d.entries) entry *= 2;  // from [-1, 1] to [0, 1]
  } else {
    nodes = numerics::lobatto(K + 1).nodes;
    d = numerics::differentiation_matrix(nodes);
  }
  ExtendedMatrix free = d;  // the velocities that follow from positions: all but the first
  for (int j = 0; j <= K; ++j) free(0, j) = 0;
  tables->c = rounded(nodes);
  tables->d = rounded(d.entries);
  tables->d_twice = rounded((d * free).entries);
  tables->legendre = rounded(numerics::legendre_coefficients(nodes).entries);
  tables->bernstein = rounded(numerics::bernstein_of_integral(nodes, 0, K).entries);
  return tables;
}

}  // namespace

Treatment treatment(const std::string& name) {
  if (name == "A") return Treatment::a;
  if (name == "C") return Treatment::c;
  if (name == "E") return Treatment::e;
  const std::vector<std::string> valid{"A", "C", "E"};
  unknown_name("treatment", name, valid, "of the initial rows");
}

std::shared_ptr<const CollocationTables> CollocationTables::of(NodeFamily family, int degree) {
  if (degree < 2 || degree > max_collocation_degree) {
    throw Error("collocation in differential form takes stages = 2 to " +
                std::to_string(max_collocation_degree) + " (the degree of its polynomial), not " +
                std::to_string(degree));
  }
  static std::mutex mutex;
  static std::map<std::pair<NodeFamily, int>, std::shared_ptr<const CollocationTables>> made;
  const std::lock_guard lock(mutex);
  auto& entry = made[{family, degree}];
  if (!entry) entry = make(family, degree);
  return entry;
}

}  // namespace cotangent::integrators
