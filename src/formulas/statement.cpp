// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/statement.hpp"

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "expressions/print.hpp"

namespace cotangent::formulas {

using expressions::Tree;

std::vector<std::string> Statement::names() const {
  std::vector<std::string> all;
  for (const Variable& q : coordinates) all.push_back(q.name);
  for (const Variable& q : coordinates) all.push_back(q.name + "_dot");
  for (const Parameter& p : parameters) all.push_back(p.name);
  all.emplace_back();
  for (const Part& part : where) all.push_back(part.name);
  if (std::ranges::count(all, "t") == 0) all[time()] = "t";  // a coordinate of this name hides the time
  return all;
}

namespace {

std::string numbered(const char* letter, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i > 0 ? ", " : "") + (letter + std::to_string(i));
  return list;
}

class Source {
 public:
  explicit Source(const Statement& statement) : s_(statement) {
    const std::size_t dim = s_.coordinates.size();
    for (std::size_t i = 0; i < dim; ++i) names_.push_back("q" + std::to_string(i));
    for (std::size_t i = 0; i < dim; ++i) names_.push_back("v" + std::to_string(i));
    for (std::size_t i = 0; i < s_.parameters.size(); ++i) names_.push_back("p" + std::to_string(i));
    names_.emplace_back("t");
    for (std::size_t i = 0; i < s_.where.size(); ++i) names_.push_back("w" + std::to_string(i));
  }

  /// Whether a tree mentions one of these names, itself or through the parts.
  bool mentions(const Tree& tree, std::size_t first, std::size_t count) const {
    for (std::size_t i = first; i < first + count; ++i)
      if (tree.mentions(i)) return true;
    for (std::size_t i = 0; i < s_.where.size(); ++i)
      if (tree.mentions(s_.first_part() + i) && mentions(s_.where[i].value, first, count)) return true;
    return false;
  }

  /// The body of a function that returns these trees' values: what it unpacks, the parts, the values.
  std::string body(std::span<const Tree> trees, bool velocities, bool places = true) const {
    std::string text;
    const auto unpack = [&](const char* letter, std::size_t count) {
      if (count > 0) text += "    const auto [" + numbered(letter, count) + "] = " + letter + ";\n";
    };
    if (places) unpack("q", s_.coordinates.size());
    if (velocities) unpack("v", s_.coordinates.size());
    unpack("p", s_.parameters.size());
    const auto statement = [&](const std::string& name, const std::string& value) {
      text += "    const auto " + name + " = " + value + ";\n";
    };
    const auto printed = [&](std::span<const Tree> values, const std::string& prefix) {
      expressions::Printed code = cpp(values, names_, prefix);
      for (const expressions::Part& part : code.parts) statement(part.name, part.value);
      return std::move(code.values);
    };
    for (std::size_t i = 0; i < s_.where.size(); ++i) {
      const bool used = std::ranges::any_of(
          trees, [&](const Tree& tree) { return mentions(tree, s_.first_part() + i, 1); });
      const std::string name = "w" + std::to_string(i);
      if (used) statement(name, printed({&s_.where[i].value, 1}, name + "_")[0]);
    }
    const std::vector<std::string> values = printed(trees, "n");
    text += "    return ";
    if (values.size() > 1) text += "std::tuple(";
    for (std::size_t k = 0; k < values.size(); ++k) text += (k > 0 ? ", " : "") + values[k];
    return text + (values.size() > 1 ? ");\n" : ";\n");
  }

  /// A member that a model's struct may have.
  std::string member(const std::string& name, const std::string& arguments, std::span<const Tree> trees,
                     bool velocities) const {
    return "  [[gnu::always_inline]] auto " + name + "(" + arguments + ") const {\n" +
           body(trees, velocities) + "  }\n";
  }

  std::string text(const std::string& method) const {
    const std::string dim = std::to_string(s_.coordinates.size()), q = "const auto& q, ",
                      v = "const auto& v, ", p = "const auto& p";
    const auto time = [&](std::span<const Tree> trees) {
      const bool timed =
          std::ranges::any_of(trees, [&](const Tree& tree) { return mentions(tree, s_.time(), 1); });
      return timed ? ", const auto& t" : "";
    };
    const std::span<const Tree> lagrangian(&s_.lagrangian, 1);
    std::string text =
        "#include \"formulas/problem.hpp\"\n\n"
        "namespace cotangent::formulas {\nnamespace {\nstruct Model {\n"
        "  static inline std::string_view name, about;\n"
        "  static constexpr int dim = " +
        dim +
        ";\n"
        "  static inline std::array<mechanics::Coordinate, dim> coordinates;\n"
        "  static inline std::array<mechanics::Parameter, " +
        std::to_string(s_.parameters.size()) + "> parameters;\n" +
        (method == "*" ? "" : "  static constexpr std::string_view method = \"" + method + "\";\n");
    text += member("operator()", q + v + p + time(lagrangian), lagrangian, true);
    if (!s_.constraint.empty())
      text += member("constraint", q + p + time(s_.constraint), s_.constraint, false);
    if (!s_.rolling.empty()) text += member("rolling", q + v + p, s_.rolling, true);
    if (s_.kick) {
      text += member("kick", q + p, {&s_.kick->potential, 1}, false);
      text += "  [[gnu::always_inline]] auto kick_every(" + p + ") const {\n" +
              body({&s_.kick->every, 1}, false, false) + "  }\n";
    }
    if (!s_.force.empty()) text += member("force", q + v + p + time(s_.force), s_.force, true);
    if (s_.dissipation) {
      const std::span<const Tree> function(&*s_.dissipation, 1);
      text += member("dissipation", q + v + p + time(function), function, true);
    }
    if (s_.domain) text += member("domain", q + p, {&*s_.domain, 1}, false);
    return text +
           "};\n}  // namespace\nCOTANGENT_FORMULA_PROBLEM(Model)\n}  // namespace cotangent::formulas\n";
  }

 private:
  const Statement& s_;
  std::vector<std::string> names_;
};

}  // namespace

std::string source(const Statement& statement, const std::string& method) {
  return Source(statement).text(method);
}

}  // namespace cotangent::formulas
