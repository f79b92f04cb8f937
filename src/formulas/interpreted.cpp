// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/interpreted.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "formulas/structure.hpp"
#include "integrators/method_list.hpp"

namespace cotangent::formulas {

namespace {

using expressions::Tree;

bool any_of_time(const Statement& s, const mechanics::Formulas& formulas) {
  const auto timed = [&](const Tree& tree) { return tree.mentions(s.time()); };
  return timed(formulas.lagrangian) || std::ranges::any_of(formulas.constraint, timed);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("without a compiler " + what + ": compile elsewhere by 'cotangent --compile DECK -o FILE'");
}

}  // namespace

bool is_newtonian(const Tree& lagrangian, std::size_t dim, std::size_t parameters) {
  const Structure whole = structure_of(lagrangian, dim, parameters);
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
