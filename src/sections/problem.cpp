// SPDX-License-Identifier: BSD-3-Clause
#include "sections/problem.hpp"

namespace cotangent::sections {

std::vector<std::string> Statement::variable_names() const {
  std::vector<std::string> names;
  for (const auto& c : coordinates()) names.push_back(c.name);
  for (const auto& c : coordinates()) names.push_back(c.name + "_dot");
  for (const auto& c : coordinates()) names.push_back("p_" + c.name);
  for (const auto& p : parameters()) names.push_back(p.name);
  return names;
}

std::vector<double> StateFunctions::variables(Values q, Values v, Values parameters) const {
  std::vector<double> values(q.begin(), q.end());
  values.insert(values.end(), v.begin(), v.end());
  const auto p = momentum(q, v, parameters);
  values.insert(values.end(), p.begin(), p.end());
  values.insert(values.end(), parameters.begin(), parameters.end());
  return values;
}

}  // namespace cotangent::sections
