// SPDX-License-Identifier: BSD-3-Clause
// What a problem is called and what its coordinates and parameters are: all that a reader of decks asks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechanics/formulas_of.hpp"

namespace cotangent::sections {

using Values = std::span<const double>;

struct CoordinateInfo {
  std::string name, unit;
  bool angle = false;
};
struct ParameterInfo {
  std::string name;
  double value = 0.0;
  std::string meaning, unit;
};

std::vector<CoordinateInfo> infos_of(std::span<const mechanics::Coordinate> coordinates);
std::vector<ParameterInfo> infos_of(std::span<const mechanics::Parameter> parameters);

class Statement {
 public:
  virtual ~Statement() = default;
  virtual std::string name() const = 0;
  virtual std::string about() const = 0;
  virtual std::vector<CoordinateInfo> coordinates() const = 0;
  virtual std::vector<ParameterInfo> parameters() const = 0;
  /// What is wrong with parameters for which the problem makes no sense.
  virtual std::optional<std::string> objection(Values) const { return std::nullopt; }

  /// What it states, as formulas; null of a problem that isn't stated by any. Throws an Error where decks
  /// have no word for what it uses.
  virtual const mechanics::Formulas* formulas() const { return nullptr; }

  int dim() const { return static_cast<int>(coordinates().size()); }
  /// The names that expressions may use: coordinates, velocities q_dot, momenta p_q, parameters.
  std::vector<std::string> variable_names() const;
};

}  // namespace cotangent::sections
