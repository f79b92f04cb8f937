// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/interpreted.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "integrators/method_list.hpp"

namespace cotangent::formulas {

namespace {

using expressions::Node;
using expressions::Operation;
using expressions::Tree;

/// What a node is as a function of coordinates and velocities.
struct Structure {
  bool places = false, velocities = false, mixed = false;
  int degree = 0;  ///< in the velocities; 3: higher, or no polynomial

  static Structure merged(const Structure& a, const Structure& b, int degree) {
    return {a.places || b.places, a.velocities || b.velocities, a.mixed || b.mixed, std::min(degree, 3)};
  }
  /// A function of it that is no polynomial.
  static Structure curved(Structure a) {
    if (a.velocities) a.degree = 3;
    a.mixed = a.mixed || (a.places && a.velocities);
    return a;
  }
};

Structure of_two(const Node& node, const Structure& a, const Structure& b) {
  Structure both = Structure::merged(a, b, std::max(a.degree, b.degree));
  switch (node.operation) {
    case Operation::add:
    case Operation::subtract:
      return both;
    case Operation::multiply:
      both.degree = std::min(a.degree + b.degree, 3);
      both.mixed = both.mixed || (a.places && b.velocities) || (a.velocities && b.places);
      return both;
    case Operation::divide:
      if (b.velocities) return Structure::curved(both);
      both.mixed = both.mixed || (a.velocities && b.places);
      return both;
    default:
      return Structure::curved(both);
  }
}

Structure of_one(const Node& node, const Structure& a) {
  if (node.operation == Operation::negate) return a;
  if (node.operation != Operation::fixed_power || node.number != 2) return Structure::curved(a);
  return of_two({Operation::multiply, 0, 0, {}}, a, a);
}

bool any_of_time(const Statement& s, const mechanics::Formulas& formulas) {
  const auto timed = [&](const Tree& tree) { return tree.mentions(s.time()); };
  return timed(formulas.lagrangian) || std::ranges::any_of(formulas.constraint, timed);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("without a compiler " + what + ": compile elsewhere by 'cotangent --compile DECK -o FILE'");
}

}  // namespace

bool is_newtonian(const Tree& lagrangian, std::size_t dim, std::size_t parameters) {
  const auto leaf = [&](const Node& node) {
    Structure s;
    if (node.operation == Operation::number) return s;
    s.places = node.name < dim || node.name == 2 * dim + parameters;
    s.velocities = node.name >= dim && node.name < 2 * dim;
    s.degree = s.velocities ? 1 : 0;
    return s;
  };
  const auto whole = lagrangian.fold<Structure>(leaf, of_one, of_two);
  return whole.degree <= 2 && !whole.mixed;
}

std::unique_ptr<sections::Problem> interpreted_problem(const Statement& s, const std::string& method,
                                                       const Labels& labels) {
  const std::vector<InterpretedKind> kinds = interpreted_kinds();
  if (kinds.empty())
    throw Error(
        "this program was built without COTANGENT_INTERPRETED, so that a formula needs a compiler: "
        "compile elsewhere by 'cotangent --compile DECK -o FILE'");
  const std::size_t dim = s.coordinates.size();
  if (s.parameters.size() > most_interpreted_parameters)
    refuse("formulas of up to " + std::to_string(most_interpreted_parameters) + " parameters run");
  if (!s.rolling.empty()) refuse("rolling doesn't run");
  if (s.kick) refuse("kicks don't run");

  const mechanics::Formulas& formulas = *labels.formulas;
  const bool forced = s.dissipation || !s.force.empty();
  const bool newtonian =
      !forced && !any_of_time(s, formulas) && is_newtonian(formulas.lagrangian, dim, s.parameters.size());
  Form form = newtonian ? Form::newtonian : Form::general;
  if (!s.constraint.empty()) {
    if (dim != 3 || s.constraint.size() != 1 || !newtonian)
      refuse("constraints run where one of them makes a surface in space, with L = K(v) - U(q) there");
    form = Form::on_surface;
  }
  const std::string by_default(integrators::default_method(
      form == Form::on_surface ? integrators::MotionKind::on_manifold : integrators::MotionKind::free));
  if (!method.empty() && method != by_default)
    refuse("formulas like these run by method '" + by_default + "' alone, not by " +
           (method == "*" ? "several" : "'" + method + "'"));
  const auto kind = std::ranges::find_if(
      kinds, [&](const InterpretedKind& k) { return k.dim == static_cast<int>(dim) && k.form == form; });
  if (kind == kinds.end()) {  // free motion: that on a surface is always there
    int most = 0;
    for (const InterpretedKind& k : kinds)
      if (k.form != Form::on_surface) most = std::max(most, k.dim);
    refuse("formulas of up to " + std::to_string(most) +
           " coordinates run in this program (COTANGENT_INTERPRETED)");
  }
  return kind->make(labels);
}

}  // namespace cotangent::formulas
