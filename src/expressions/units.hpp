// SPDX-License-Identifier: BSD-3-Clause
// Dimensions of quantities: products of powers of base units, from texts like "kg*m^2/s^2".
// Radians are 1; the named units of the SI are taken apart into kg, m, s, A, K, mol, cd. Any other name is a
// base unit of its own: cm doesn't fit to m, as a number between them would be missing. Reference: BIPM, The
// International System of Units (2019), tables 2 and 4.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

namespace cotangent::expressions {

class Dimension {
 public:
  /// Of a unit as a text: names, their products *, quotients / and powers ^, parentheses, 1. Throws Error.
  static Dimension parse(const std::string& unit);

  Dimension operator*(const Dimension& other) const { return plus(other, 1); }
  Dimension operator/(const Dimension& other) const { return plus(other, -1); }
  Dimension power(double exponent) const;
  bool operator==(const Dimension& other) const { return (*this / other).none(); }
  /// Whether it is that of a number.
  bool none() const { return exponents_.empty(); }
  /// As parse reads it: "kg*m^2/s^2", "1".
  std::string text() const;

 private:
  Dimension plus(const Dimension& other, double sign) const;
  std::map<std::string, double> exponents_;  ///< none is zero
};

/// What the parser is told of names, in their order, and tells of the whole. A dimension that isn't given is
/// unknown; where a formula mentions a name of unknown dimension, its own is unknown and nothing is checked.
struct Units {
  std::span<const std::optional<Dimension>> names;
  std::optional<Dimension> whole;
};

}  // namespace cotangent::expressions
