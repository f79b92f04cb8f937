// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/structure.hpp"

#include <algorithm>

namespace cotangent::formulas {

namespace {

using expressions::Node;
using expressions::Operation;

Structure merged(const Structure& a, const Structure& b) {
  return {a.places || b.places, a.velocities || b.velocities, a.mixed || b.mixed, a.rest || b.rest,
          std::max(a.degree, b.degree)};
}

/// A function of it that is no polynomial.
Structure curved(Structure a) {
  if (a.velocities) a.degree = 3;
  a.mixed = a.mixed || (a.places && a.velocities);
  a.rest = true;
  return a;
}

Structure of_two(const Node& node, const Structure& a, const Structure& b) {
  Structure both = merged(a, b);
  switch (node.operation) {
    case Operation::add:
    case Operation::subtract:
      return both;
    case Operation::multiply:
      both.degree = std::min(a.degree + b.degree, 3);
      both.mixed = both.mixed || (a.places && b.velocities) || (a.velocities && b.places);
      both.rest = a.rest && b.rest;
      return both;
    case Operation::divide:
      if (b.velocities) return curved(both);
      both.mixed = both.mixed || (a.velocities && b.places);
      both.rest = a.rest;
      return both;
    default:
      return curved(both);
  }
}

Structure of_one(const Node& node, const Structure& a) {
  if (node.operation == Operation::negate) return a;
  if (node.operation == Operation::fixed_power && node.number == 1) return a;
  if (node.operation != Operation::fixed_power || node.number != 2) return curved(a);
  return of_two({Operation::multiply, 0, 0, {}}, a, a);
}

}  // namespace

Structure structure_of(const expressions::Tree& tree, std::size_t dim, std::size_t parameters) {
  const auto leaf = [&](const Node& node) {
    Structure s;
    if (node.operation == Operation::number) {
      s.rest = node.number != 0;
      return s;
    }
    s.places = node.name < dim || node.name == 2 * dim + parameters;
    s.velocities = node.name >= dim && node.name < 2 * dim;
    s.rest = !s.velocities;
    s.degree = s.velocities ? 1 : 0;
    return s;
  };
  return tree.fold<Structure>(leaf, of_one, of_two);
}

}  // namespace cotangent::formulas
