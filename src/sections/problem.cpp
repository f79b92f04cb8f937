// SPDX-License-Identifier: BSD-3-Clause
#include "sections/problem.hpp"

namespace cotangent::sections {

std::vector<CoordinateInfo> infos_of(std::span<const mechanics::Coordinate> coordinates) {
  std::vector<CoordinateInfo> list;
  for (const mechanics::Coordinate& c : coordinates)
    list.push_back({std::string(c.name), std::string(c.unit), c.angle});
  return list;
}

std::vector<ParameterInfo> infos_of(std::span<const mechanics::Parameter> parameters) {
  std::vector<ParameterInfo> list;
  for (const mechanics::Parameter& p : parameters)
    list.push_back({std::string(p.name), p.value, std::string(p.meaning), std::string(p.unit)});
  return list;
}

std::vector<std::string> Statement::variable_names() const {
  std::vector<std::string> names;
  for (const auto& c : coordinates()) names.push_back(c.name);
  for (const auto& c : coordinates()) names.push_back(c.name + "_dot");
  for (const auto& c : coordinates()) names.push_back("p_" + c.name);
  for (const auto& p : parameters()) names.push_back(p.name);
  return names;
}

std::vector<double> StateFunctions::variables(Values q, Values v, Values parameters, double time) const {
  std::vector<double> values(q.begin(), q.end());
  values.insert(values.end(), v.begin(), v.end());
  const auto p = momentum(q, v, parameters, time);
  values.insert(values.end(), p.begin(), p.end());
  values.insert(values.end(), parameters.begin(), parameters.end());
  return values;
}

}  // namespace cotangent::sections
