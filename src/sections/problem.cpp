// SPDX-License-Identifier: BSD-3-Clause
#include "sections/problem.hpp"

#include <algorithm>

namespace cotangent::sections {

bool Problem::on_surface() const {
  return dim() == 3 && multipliers() == 1 && constraints() == 1 &&
         std::ranges::none_of(coordinates(), &CoordinateInfo::angle);
}

std::vector<std::string> Problem::variable_names() const {
  std::vector<std::string> names;
  for (const auto& c : coordinates()) names.push_back(c.name);
  for (const auto& c : coordinates()) names.push_back(c.name + "_dot");
  for (const auto& c : coordinates()) names.push_back("p_" + c.name);
  for (const auto& p : parameters()) names.push_back(p.name);
  return names;
}

std::vector<double> Problem::variables(Values q, Values v, Values parameters) const {
  std::vector<double> values(q.begin(), q.end());
  values.insert(values.end(), v.begin(), v.end());
  const auto p = momentum(q, v, parameters);
  values.insert(values.end(), p.begin(), p.end());
  values.insert(values.end(), parameters.begin(), parameters.end());
  return values;
}

}  // namespace cotangent::sections
