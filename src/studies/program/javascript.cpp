// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/javascript.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "expressions/derivative.hpp"
#include "expressions/parser.hpp"
#include "expressions/print.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

using expressions::Graph;
using expressions::Language;
using expressions::Operation;
using expressions::Tree;

/// A text as JavaScript has it, wherever in a page it stands.
std::string javascript_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

/// x[0], x[1], ...: whatever names are called, they are no words of JavaScript.
std::vector<std::string> places(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("x[{}]", i));
  return names;
}

std::string parts_of(const expressions::Printed& code, const std::string& indent) {
  std::string text;
  for (const auto& part : code.parts)
    text += fmt::format("{}const {} = {};\n", indent, part.name, part.value);
  return text;
}

/// A function of x that returns the formula's value.
std::string function(const std::string& name, const Tree& tree, std::size_t count,
                     const std::string& indent) {
  const auto code = expressions::javascript({&tree, 1}, places(count));
  return fmt::format("{0}{1}(x) {{\n{2}{0}  return {3};\n{0}}},\n", indent, name,
                     parts_of(code, indent + "  "), code.values[0]);
}

/// Free motion, over names counted as formulas_of.hpp does.
class FreeMotion {
 public:
  explicit FreeMotion(const sections::Problem& problem) : dim_(static_cast<std::size_t>(problem.dim())) {
    const auto* const formulas = problem.formulas();
    if (!formulas) throw Error(fmt::format("{} isn't stated by formulas", called(problem.name())));
    formulas_ = *formulas;
    const char* why = !formulas_.constraint.empty() ? "is constrained"
                      : !formulas_.rolling.empty()  ? "rolls"
                      : formulas_.kick              ? "is kicked"
                                                    : nullptr;
    if (why) throw Error(fmt::format("{} {}; --javascript prints free motion", called(problem.name()), why));
    count_ = 2 * dim_ + problem.parameters().size() + 1;
    lagrangian_ = graph_.add(formulas_.lagrangian);
    for (std::size_t i = 0; i < dim_; ++i)
      momenta_.push_back(or_zero(derivative(graph_, lagrangian_, dim_ + i)));
  }

  std::size_t count() const { return count_; }
  const std::optional<Tree>& domain() const { return formulas_.domain; }

  /// motion(x, d). By Lagrange: sum of L_vv a = L_q - L_vq v - L_vt + Q - R_v.
  std::string motion() {
    std::vector<Tree> values{formulas_.lagrangian};
    for (const auto p : momenta_) values.push_back(graph_.tree(p));
    for (const auto p : momenta_)
      for (std::size_t j = 0; j < dim_; ++j)
        values.push_back(graph_.tree(or_zero(derivative(graph_, p, dim_ + j))));
    for (std::size_t i = 0; i < dim_; ++i) values.push_back(graph_.tree(force(i)));
    const auto code = expressions::javascript(values, places(count_));
    std::string text = "  motion(x, d) {\n" + parts_of(code, "    ");
    for (std::size_t k = 0; k < code.values.size(); ++k)
      text += fmt::format("    d[{}] = {};\n", k, code.values[k]);
    return text + "  },\n";
  }

  /// A formula of coordinates, velocities, momenta and parameters, as sections have it, over x.
  Tree over_x(const Tree& tree) {
    std::vector<Graph::Id> ids;
    for (std::size_t i = 0; i < 2 * dim_; ++i) ids.push_back(graph_.name(i));
    ids.insert(ids.end(), momenta_.begin(), momenta_.end());
    for (std::size_t i = 2 * dim_; i + 1 < count_; ++i) ids.push_back(graph_.name(i));
    return graph_.tree(graph_.add(tree, ids));
  }
  /// One of the parameters alone.
  Tree of_parameters(const Tree& tree) {
    std::vector<Graph::Id> ids;
    for (std::size_t i = 2 * dim_; i + 1 < count_; ++i) ids.push_back(graph_.name(i));
    return graph_.tree(graph_.add(tree, ids));
  }

 private:
  using Slope = std::optional<Graph::Id>;
  Graph::Id or_zero(const Slope& slope) { return slope ? *slope : graph_.number(0); }

  Graph::Id force(std::size_t i) {
    Graph::Id sum = or_zero(derivative(graph_, lagrangian_, i));
    const auto less = [&](const Slope& what) {
      if (what) sum = graph_.apply(Operation::subtract, sum, *what);
    };
    for (std::size_t j = 0; j < dim_; ++j)
      if (const Slope slope = derivative(graph_, momenta_[i], j))
        less(graph_.apply(Operation::multiply, *slope, graph_.name(dim_ + j)));
    less(derivative(graph_, momenta_[i], count_ - 1));
    if (!formulas_.force.empty()) sum = graph_.apply(Operation::add, sum, graph_.add(formulas_.force[i]));
    if (formulas_.dissipation) less(derivative(graph_, graph_.add(*formulas_.dissipation), dim_ + i));
    return sum;
  }

  std::size_t dim_, count_ = 0;
  mechanics::Formulas formulas_;
  Graph graph_;
  Graph::Id lagrangian_ = 0;
  std::vector<Graph::Id> momenta_;
};

std::string statement(const sections::Problem& problem, FreeMotion& motion,
                      const std::vector<std::vector<double>>& axes) {
  std::string text = fmt::format("  name: {},\n  coordinates: [", javascript_text(problem.name()));
  for (const auto& c : problem.coordinates())
    text += fmt::format("{{ name: {}, unit: {}, angle: {} }}, ", javascript_text(c.name),
                        javascript_text(c.unit), c.angle);
  text += "],\n  parameters: [";
  const auto parameters = problem.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto& p = parameters[k];
    const double value = axes.empty() ? p.value : axes[k].front();
    text += fmt::format("{{ name: {}, unit: {}, meaning: {}, value: {} }}, ", javascript_text(p.name),
                        javascript_text(p.unit), javascript_text(p.meaning), value);
  }
  text += "],\n" + motion.motion();
  if (motion.domain()) text += function("domain", *motion.domain(), motion.count(), "  ");
  return text;
}

std::string section_of(const Task& task, const sections::Problem& problem, FreeMotion& motion) {
  const io::Table table = task.deck.table("section");
  Parts parts(problem.variable_names());
  parts.read_what_fits(task.deck.table("model").table("where"));
  const auto read = [&](const char* key, const std::string& formula, Language language) {
    try {
      return motion.over_x(parts.substituted(expressions::parse(formula, language, parts.names())));
    } catch (const Error& error) {
      throw table.error(key, error.what());
    }
  };
  const auto of_parameters = [&](const char* key, const std::string& formula) {
    std::vector<std::string> names;
    for (const auto& p : problem.parameters()) names.push_back(p.name);
    try {
      return motion.of_parameters(expressions::parse(formula, Language::value, names));
    } catch (const Error& error) {
      throw table.error(key, error.what());
    }
  };
  const std::string where = table.text("where");
  const auto coordinates = problem.coordinates();
  const bool in_time = where == "t" && table.has("every");
  std::string text = fmt::format("  section: {{\n    where: {},\n", javascript_text(where));
  if (in_time) {
    text += function("every", of_parameters("every", table.formula("every")), motion.count(), "    ");
    text += function("phase", of_parameters("value", table.formula("value", "0")), motion.count(), "    ");
  } else {
    const std::string direction = table.choice("direction", "up", {"up", "down", "both"});
    const double value = table.number("value", 0.0);
    text += fmt::format("    value: {}, direction: {},\n", value,
                        direction == "up"     ? 1
                        : direction == "down" ? -1
                                              : 0);
    Graph graph;
    const auto left = graph.add(read("where", where, Language::value));
    const auto difference = value == 0 ? left : graph.apply(Operation::subtract, left, graph.number(value));
    text += function("of", graph.tree(difference), motion.count(), "    ");
  }
  if (table.has("condition"))
    text += function("condition", read("condition", table.text("condition"), Language::condition),
                     motion.count(), "    ");
  return text + "  },\n";
}

}  // namespace

std::string javascript_of(const sections::Problem& problem) {
  FreeMotion motion(problem);
  return "({\n" + statement(problem, motion, {}) + "})\n";
}

std::string javascript_of(Task& task) {
  const ModelChoice choice = read_model(task);
  FreeMotion motion(*choice.problem);
  std::string text = "({\n" + statement(*choice.problem, motion, choice.axes);
  if (task.deck.root().has("section")) text += section_of(task, *choice.problem, motion);
  return text + "})\n";
}

}  // namespace cotangent::studies
