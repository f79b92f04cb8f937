// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/statement.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/error.hpp"
#include "formulas/source.hpp"

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

std::vector<Tree> Statement::without_parts(std::span<const Tree> trees) const {
  expressions::Graph graph;
  std::vector<expressions::Graph::Id> meanings;
  for (std::size_t i = 0; i < first_part(); ++i) meanings.push_back(graph.name(i));
  for (const Part& part : where) meanings.push_back(graph.add(part.value, meanings));
  std::vector<Tree> whole;
  for (const Tree& tree : trees) whole.push_back(graph.tree(graph.add(tree, meanings)));
  return whole;
}

Structure Statement::structure(const Tree& tree) const {
  return structure_of(without_parts({&tree, 1}).front(), coordinates.size(), parameters.size());
}

mechanics::Formulas Statement::formulas() const {
  const auto whole = [&](const Tree& tree) { return without_parts({&tree, 1}).front(); };
  mechanics::Formulas result;
  result.lagrangian = whole(lagrangian);
  result.constraint = without_parts(constraint);
  result.rolling = without_parts(rolling);
  result.force = without_parts(force);
  if (dissipation) result.dissipation = whole(*dissipation);
  if (kick) {
    result.kick = whole(kick->potential);
    result.kick_every = whole(kick->every);
  }
  if (domain) result.domain = whole(*domain);
  return result;
}

namespace {

/// How large formulas may be to be unfolded by the compiler (README.md): what is larger becomes a table.
std::size_t most_unfolded() {
  constexpr std::size_t usual = 2000;
  const char* const given = std::getenv("COTANGENT_MOST_UNFOLDED");
  return given && *given ? std::strtoull(given, nullptr, 10) : usual;
}

class Source {
 public:
  explicit Source(const Statement& statement) : s_(statement) {
    const std::size_t dim = s_.coordinates.size();
    for (std::size_t i = 0; i < dim; ++i) names_.push_back("q" + std::to_string(i));
    for (std::size_t i = 0; i < dim; ++i) names_.push_back("v" + std::to_string(i));
    for (std::size_t i = 0; i < s_.parameters.size(); ++i) names_.push_back("p" + std::to_string(i));
    names_.emplace_back("t");
  }

  /// A member that a model's struct may have. Arguments other than q, v and p are whole.
  std::string member(const std::string& name, const std::string& letters, std::span<const Tree> trees) const {
    const std::vector<Tree> whole = s_.without_parts(trees);
    if (unfolded_size(whole, s_.first_parameter()) > most_unfolded()) return by_tables(name, letters, whole);
    std::vector<Argument> arguments;
    for (const char letter : letters)
      arguments.push_back({{letter},
                           letter == 'p'   ? s_.parameters.size()
                           : letter == 't' ? 0
                                           : s_.coordinates.size()});
    return formulas::member(name, arguments, whole, names_);
  }

  /// The same member, of large formulas.
  std::string by_tables(const std::string& name, const std::string& letters,
                        std::span<const Tree> trees) const {
    std::vector<Argument> arguments;
    expressions::Graph graph;
    std::vector<std::optional<expressions::Graph::Id>> given(s_.first_part());
    std::size_t next = 0;
    for (const char letter : letters) {
      const std::size_t first = letter == 'q'   ? 0
                                : letter == 'v' ? s_.velocities()
                                : letter == 'p' ? s_.first_parameter()
                                                : s_.time();
      const std::size_t count = letter == 't'   ? 1
                                : letter == 'p' ? s_.parameters.size()
                                                : s_.coordinates.size();
      arguments.push_back({{letter}, count});
      for (std::size_t i = 0; i < count; ++i) given[first + i] = graph.name(next++);
    }
    std::vector<expressions::Graph::Id> places(s_.first_part());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto has_it = [&](const Tree& tree) { return tree.mentions(i); };
      if (!given[i] && std::ranges::any_of(trees, has_it))
        throw Error("a formula of " + name + "() depends on '" + s_.names()[i] + "', which it isn't given");
      places[i] = given[i].value_or(0);
    }
    std::vector<Tree> renamed;
    for (const Tree& tree : trees) renamed.push_back(graph.tree(graph.add(tree, places)));
    return member_by_tables(name, arguments, renamed,
                            name == "operator()" ? "lagrangian_table" : name + "_table");
  }

  std::string text(const Methods& methods) const {
    const auto takes = [&](std::string_view arguments, std::span<const Tree> trees) {
      const bool timed =
          std::ranges::any_of(trees, [&](const Tree& tree) { return s_.mentions(tree, s_.time(), 1); });
      return std::string(arguments) + (timed ? "t" : "");
    };
    const std::span<const Tree> lagrangian(&s_.lagrangian, 1);
    std::string text =
        "  static inline std::string_view name, about;\n"
        "  static constexpr int dim = " +
        std::to_string(s_.coordinates.size()) +
        ";\n"
        "  static inline std::array<mechanics::Coordinate, dim> coordinates;\n"
        "  static inline std::array<mechanics::Parameter, " +
        std::to_string(s_.parameters.size()) +
        "> parameters;\n"
        "  static inline const mechanics::Formulas* formulas;\n" +
        (methods.name == "*" ? ""
                             : "  static constexpr std::string_view method = \"" + methods.name + "\";\n") +
        (methods.tangent_maps ? "" : "  static constexpr bool tangent_maps = false;\n") +
        (methods.stages == 0 ? ""
                             : "  static constexpr int stages = " + std::to_string(methods.stages) + ";\n");
    text += member("operator()", takes("qvp", lagrangian), lagrangian);
    if (!s_.constraint.empty()) text += member("constraint", takes("qp", s_.constraint), s_.constraint);
    if (!s_.rolling.empty()) {
      text += member("rolling", "qvp", s_.rolling);
      if (std::ranges::any_of(s_.rolling, [&](const Tree& tree) { return s_.structure(tree).rest; }))
        text += "  static constexpr bool rolling_moves = true;\n";
    }
    if (s_.kick) {
      text += member("kick", "qp", {&s_.kick->potential, 1});
      text += member("kick_every", "p", {&s_.kick->every, 1});
    }
    if (!s_.force.empty()) text += member("force", takes("qvp", s_.force), s_.force);
    if (s_.dissipation) {
      const std::span<const Tree> function(&*s_.dissipation, 1);
      text += member("dissipation", takes("qvp", function), function);
    }
    if (s_.domain) text += member("domain", "qp", {&*s_.domain, 1});
    return unit("Model", text, "COTANGENT_FORMULA_PROBLEM");
  }

 private:
  const Statement& s_;
  std::vector<std::string> names_;
};

}  // namespace

bool Statement::mentions(const Tree& tree, std::size_t first, std::size_t count) const {
  std::vector<bool> used(where.size());
  const auto is_in = [&](const Tree& one) {
    for (std::size_t i = 0; i < where.size(); ++i)
      if (one.mentions(first_part() + i)) used[i] = true;
    for (std::size_t i = first; i < first + count; ++i)
      if (one.mentions(i)) return true;
    return false;
  };
  if (is_in(tree)) return true;
  for (std::size_t i = where.size(); i-- > 0;)  // a part is mentioned by later ones alone
    if (used[i] && is_in(where[i].value)) return true;
  return false;
}

bool is_method_name(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

std::string source(const Statement& statement, const Methods& methods) {
  if (methods.name != "*" && !is_method_name(methods.name))
    throw Error("'" + methods.name + "' is no method's name");
  return Source(statement).text(methods);
}

}  // namespace cotangent::formulas
