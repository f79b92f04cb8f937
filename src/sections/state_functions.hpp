// SPDX-License-Identifier: BSD-3-Clause
// Functions of a state (q, v), given parameters: those that follow from L at time 0, and the domain.
#pragma once

#include "sections/statement.hpp"

namespace cotangent::sections {

class StateFunctions {
 public:
  virtual ~StateFunctions() = default;
  virtual double energy(Values q, Values v, Values parameters) const = 0;
  /// Whether forces, the time or constraints that move change the energy.
  virtual bool driven() const { return false; }
  /// Whether phase volumes may shrink, by friction or by walls that take energy: there may be attractors.
  virtual bool has_friction() const { return false; }
  virtual std::vector<double> momentum(Values q, Values v, Values parameters, double time) const = 0;
  /// d2L / dv dv, row-major.
  virtual std::vector<double> mass_matrix(Values q, Values v, Values parameters) const = 0;
  /// U = -L(q, 0) with gradient and Hessian (row-major).
  struct Potential {
    double value;
    std::vector<double> gradient, hessian;
  };
  virtual Potential potential(Values q, Values parameters) const = 0;
  virtual bool has_domain() const = 0;
  /// Positive inside.
  virtual double domain(Values q, Values parameters) const = 0;
  /// Whether starts lie inside the domain, and what of their velocities nobody names is zero.
  virtual bool starts_inside() const { return false; }

  /// The values of Statement::variable_names().
  std::vector<double> variables(Values q, Values v, Values parameters, double time) const;
};

}  // namespace cotangent::sections
