// SPDX-License-Identifier: BSD-3-Clause
// A problem stated by formulas: what a model's struct states, as trees.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulas/structure.hpp"
#include "mechanics/formulas.hpp"

namespace cotangent::formulas {

struct Variable {
  std::string name, unit = "1";
  bool angle = false;
};
struct Parameter {
  std::string name, unit = "1";
  double value = 0;
};
/// A named part of the formulas that follow it.
struct Part {
  std::string name;
  expressions::Tree value;
};

/// Kicks: the momenta change by -dV/dq at every whole multiple of a time.
struct Kick {
  expressions::Tree potential;  ///< V, of coordinates and parameters
  expressions::Tree every;      ///< of parameters
};

/// Names are counted: coordinates, their velocities, parameters, the time, parts.
struct Statement {
  std::string name, about;
  std::vector<Variable> coordinates;
  std::vector<Parameter> parameters;
  std::vector<Part> where;
  expressions::Tree lagrangian;
  std::vector<expressions::Tree> constraint;     ///< kept zero: of coordinates, parameters and the time
  std::vector<expressions::Tree> rolling;        ///< kept zero: linear in the velocities
  std::optional<expressions::Tree> domain;       ///< positive inside
  std::vector<expressions::Tree> force;          ///< generalised, one for each coordinate, or none
  std::optional<expressions::Tree> dissipation;  ///< Rayleigh's function
  std::optional<Kick> kick;

  std::size_t velocities() const { return coordinates.size(); }
  std::size_t first_parameter() const { return 2 * coordinates.size(); }
  std::size_t time() const { return first_parameter() + parameters.size(); }
  std::size_t first_part() const { return time() + 1; }
  std::vector<std::string> names() const;

  /// Whether a tree mentions one of these names, itself or through the parts.
  bool mentions(const expressions::Tree& tree, std::size_t first, std::size_t count) const;
  /// These trees with the parts' values in place of the parts.
  std::vector<expressions::Tree> without_parts(std::span<const expressions::Tree> trees) const;
  Structure structure(const expressions::Tree& tree) const;
  mechanics::Formulas formulas() const;  ///< without parts
};

/// Whether a text may stand in a source as a method's name: small letters, digits and hyphens.
bool is_method_name(const std::string& text);

/// Which of the methods are compiled with a problem.
struct Methods {
  std::string name;          ///< of the only one; that of its motion by default where empty, all where "*"
  bool tangent_maps = true;  ///< whether deviations can be followed
  int stages = 0;            ///< the only number of them, of Gauss; any where 0
};

/// The C++ source of a shared object that has this problem: a struct like a built-in model's and problem() of
/// loader.hpp. Of the deck's text it holds numbers alone; names are q0, v0, p0, w0, t.
std::string source(const Statement& statement, const Methods& methods);

}  // namespace cotangent::formulas
