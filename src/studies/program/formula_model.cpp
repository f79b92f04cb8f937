// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/formula_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/names.hpp"
#include "expressions/derivative.hpp"
#include "expressions/not_finite.hpp"
#include "expressions/parser.hpp"
#include "expressions/place.hpp"
#include "expressions/print.hpp"
#include "formulas/loader.hpp"
#include "integrators/gauss_tables.hpp"
#include "integrators/method_list.hpp"
#include "integrators/options.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

using expressions::Dimension;
using expressions::Tree;
using formulas::Statement;

constexpr std::size_t most_coordinates = 24, most_nodes = 20000, longest_name = 32;

}  // namespace

void judge_name(const io::Table& table, const std::string& key, const std::string& name,
                const std::vector<std::string>& taken) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || name.size() > longest_name || !std::ranges::all_of(name, fits) ||
      std::isdigit(static_cast<unsigned char>(name[0])))
    throw table.error(key, fmt::format("'{}' is no name: up to {} letters, digits and _, no digit first",
                                       name, longest_name));
  for (const char* word : {"pi", "and", "or", "not"})
    if (name == word) throw table.error(key, fmt::format("'{}' has a meaning of its own", name));
  if (name.ends_with("_dot") || name.starts_with("p_"))
    throw table.error(key, fmt::format("'{}' reads as a velocity or a momentum", name));
  if (std::ranges::count(taken, name) > 0) throw table.error(key, fmt::format("'{}' stands twice", name));
}

namespace {

/// What is wrong with a tree's numbers.
std::optional<std::string> objection_to_numbers(const Tree& tree) {
  const auto& nodes = tree.nodes();
  const auto is_finite = [](const expressions::Node& node) { return std::isfinite(node.number); };
  if (!std::ranges::all_of(nodes, is_finite))  // exponents', too
    return "a part of it without variables isn't a finite number";
  const auto divides_by_zero = [&](const expressions::Node& node) {
    if (node.operation != expressions::Operation::divide) return false;
    const expressions::Node& divisor = nodes[node.operand[1]];
    return divisor.operation == expressions::Operation::number && divisor.number == 0;
  };
  if (std::ranges::any_of(nodes, divides_by_zero)) return "a part of it is divided by zero";
  return std::nullopt;
}

}  // namespace

void judge_numbers(const io::Table& table, const std::string& key, const Tree& tree) {
  if (const auto objection = objection_to_numbers(tree)) throw table.error(key, *objection);
}

void judge_numbers(const io::Table& table, const std::string& key, const Tree& tree, const std::string& text,
                   expressions::Language language, const std::vector<std::string>& names) {
  const auto objection = objection_to_numbers(tree);
  if (!objection) return;
  const auto place = expressions::place_not_finite(text, language, names);
  throw table.error(key, *objection + (place ? expressions::marked(text, *place) : ""));
}

Tree read_formula(const io::Table& table, const std::string& key, const std::string& text,
                  const std::vector<std::string>& names, expressions::Units* units) {
  const auto parsed = [&] {
    try {
      Tree tree = expressions::parse(text, expressions::Language::value, names, {}, units);
      if (tree.nodes().size() > most_nodes)
        throw Error(fmt::format("has {} operations; the most is {}: state it as a struct",
                                tree.nodes().size(), most_nodes));
      return tree;
    } catch (const Error& error) {
      throw table.error(key, error.what());
    }
  };
  Tree tree = parsed();
  judge_numbers(table, key, tree, text, expressions::Language::value, names);
  return tree;
}

std::vector<formulas::Variable> read_coordinates(const io::Table& table) {
  std::vector<formulas::Variable> all;
  std::vector<std::string> taken;
  const auto add = [&](const std::string& name, const std::string& unit) {
    judge_name(table, "coordinates", name, taken);
    taken.push_back(name);
    all.push_back({name, unit});
  };
  if (table.holds_table("coordinates")) {
    const io::Table given = table.table("coordinates");
    for (const std::string& name : given.keys()) add(name, given.text(name));
  } else {
    for (const std::string& name : table.texts("coordinates")) add(name, "1");
  }
  if (taken.empty() || taken.size() > most_coordinates)
    throw table.error("coordinates", fmt::format("must be 1 to {} names", most_coordinates));
  for (const std::string& name : table.texts("angles", {})) {
    const auto at = std::ranges::find(all, name, &formulas::Variable::name);
    if (at == all.end()) unknown_name("coordinate", name, taken, table.where("angles"));
    at->angle = true;
    if (at->unit == "1") at->unit = "rad";
  }
  return all;
}

namespace {

class Reader {
 public:
  explicit Reader(const io::Table& table) : table_(table) {}

  Statement read() {
    s_.name = table_.text("name", unnamed_model);
    s_.about = "stated by the deck";
    s_.coordinates = read_coordinates(table_);
    read_dimensions();
    read_parameters();
    arrange_dimensions();
    const io::Table where = table_.table("where");
    for (const std::string& name : where.keys()) {
      judge_name(where, name, name, s_.names());
      std::optional<Dimension> dimension;
      Tree tree = formula(where, name, where.text(name), &dimension);
      s_.where.push_back({name, std::move(tree)});
      dimensions_.push_back(dimension);
    }
    if (!table_.has("lagrangian"))
      throw table_.error("coordinates", "stand without a Lagrangian: lagrangian = \"...\" is missing");
    s_.lagrangian = formula(table_, "lagrangian", table_.text("lagrangian"), &energy_);
    for (std::size_t i = 0; i < s_.coordinates.size(); ++i)
      if (!depends(s_.lagrangian, s_.velocities() + i))
        throw table_.error("lagrangian", fmt::format("has no velocity {0}_dot: the mass of {0} would be zero",
                                                     s_.coordinates[i].name));
    judge_masses();
    for (const std::string& text : table_.texts("constraint", {}))
      s_.constraint.push_back(of_places(table_, "constraint", text, true));
    read_forces();
    for (const std::string& text : table_.texts("rolling", {}))
      s_.rolling.push_back(of_velocities(table_, "rolling", text));
    if (const std::size_t given = s_.constraint.size() + s_.rolling.size(); given > s_.coordinates.size())
      throw table_.error(s_.constraint.empty() ? "rolling" : "constraint",
                         fmt::format("there are {} constraints and {} coordinates: at most one for each",
                                     given, s_.coordinates.size()));
    if (table_.has("kick")) read_kick();
    if (table_.has("domain")) s_.domain = of_places(table_, "domain", table_.text("domain"), false);
    return std::move(s_);
  }

 private:
  /// Of the coordinates, where the deck gives their units; an angle has none to give.
  void read_dimensions() {
    const bool given = table_.holds_table("coordinates");
    const io::Table units = given ? table_.table("coordinates") : table_;
    for (const formulas::Variable& q : s_.coordinates) {
      const bool known = given || q.angle;
      of_coordinates_.push_back(
          known ? std::optional(dimension(units, given ? q.name : "coordinates", q.unit)) : std::nullopt);
    }
  }

  void read_parameters() {
    const io::Table given = table_.table("parameters"), units = table_.table("parameter_units");
    for (const std::string& name : given.keys()) {
      judge_name(given, name, name, s_.names());
      const std::string unit = units.text(name, "1");
      s_.parameters.push_back({name, unit, given.axis(name).front()});
      of_parameters_.push_back(units.has(name) ? std::optional(dimension(units, name, unit)) : std::nullopt);
    }
  }

  static Dimension dimension(const io::Table& table, const std::string& key, const std::string& unit) {
    try {
      return Dimension::parse(unit);
    } catch (const Error& error) {
      throw table.error(key, error.what());
    }
  }

  /// What the parser is told, in the order of names. Where nothing but numbers and angles is measured, the
  /// deck's numbers are in units of their own: nothing is known.
  void arrange_dimensions() {
    const Dimension time = dimension(table_, "time_unit", table_.text("time_unit", "s"));
    const auto measures = [](const std::optional<Dimension>& d) { return d && !d->none(); };
    if (!std::ranges::any_of(of_coordinates_, measures) && !std::ranges::any_of(of_parameters_, measures)) {
      dimensions_.resize(s_.first_part());
      return;
    }
    dimensions_ = of_coordinates_;
    for (const auto& d : of_coordinates_) dimensions_.push_back(d ? std::optional(*d / time) : std::nullopt);
    dimensions_.insert(dimensions_.end(), of_parameters_.begin(), of_parameters_.end());
    dimensions_.emplace_back(time);
  }

  Tree formula(const io::Table& table, const std::string& key, const std::string& text,
               std::optional<Dimension>* whole = nullptr) const {
    expressions::Units units{dimensions_, {}};
    Tree tree = read_formula(table, key, text, s_.names(), &units);
    if (whole) *whole = units.whole;
    judge_numbers(table, key, s_.without_parts({&tree, 1}).front());
    return tree;
  }

  static std::optional<Dimension> quotient(const std::optional<Dimension>& of,
                                           const std::optional<Dimension>& by) {
    return of && by ? std::optional(*of / *by) : std::nullopt;
  }

  /// Refuses a formula as a whole, where its unit and the wanted one are known and differ.
  static void judge_unit(const io::Table& table, const std::string& key, const std::string& text,
                         const std::optional<Dimension>& found, const std::optional<Dimension>& wanted,
                         const std::string& what) {
    if (found && wanted && *found != *wanted)
      throw table.error(key, fmt::format("is of unit {}, but has to be of {}, {}{}", found->text(),
                                         wanted->text(), what, expressions::marked(text, 0)));
  }

  /// Generalised forces, by the names of their coordinates, and Rayleigh's function.
  void read_forces() {
    if (table_.has("force")) {
      const io::Table given = table_.table("force");
      std::vector<std::string> names;
      for (const formulas::Variable& q : s_.coordinates) names.push_back(q.name);
      for (const std::string& name : given.keys())
        if (std::ranges::count(names, name) == 0) unknown_name("coordinate", name, names, given.where(name));
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string text = given.text(names[i], "0");
        std::optional<Dimension> unit;
        s_.force.push_back(formula(given, names[i], text, &unit));
        judge_unit(given, names[i], text, unit, quotient(energy_, dimensions_[i]),
                   "the Lagrangian's by that of " + names[i]);
      }
    }
    if (!table_.has("dissipation")) return;
    std::optional<Dimension> power;
    s_.dissipation = formula(table_, "dissipation", table_.text("dissipation"), &power);
    judge_unit(table_, "dissipation", table_.text("dissipation"), power,
               quotient(energy_, dimensions_[s_.time()]), "the Lagrangian's by that of time");
    bool any = false;
    for (std::size_t i = 0; i < s_.coordinates.size(); ++i)
      any = any || depends(*s_.dissipation, s_.velocities() + i);
    if (!any) throw table_.error("dissipation", "has no velocity: it would dissipate nothing");
  }

  /// A formula of coordinates and parameters alone, and of the time where it may be.
  Tree of_places(const io::Table& table, const std::string& key, const std::string& text, bool timed,
                 std::optional<Dimension>* whole = nullptr) const {
    Tree tree = formula(table, key, text, whole);
    const std::size_t dim = s_.coordinates.size();
    for (std::size_t i = 0; i < dim; ++i) {
      const std::string velocity = s_.coordinates[i].name + "_dot";
      if (depends(tree, s_.velocities() + i))
        throw table.error(
            key, fmt::format("'{}' depends on a velocity, {}{}", text, velocity, shown(text, velocity)));
    }
    if (!timed && depends(tree, s_.time()))
      throw table.error(key, fmt::format("'{}' depends on the time{}", text, shown(text, "t")));
    bool any = false;
    for (std::size_t i = 0; i < dim; ++i) any = any || depends(tree, i);
    if (!any)
      throw table.error(
          key, fmt::format("'{}' is constant: no coordinate is in it{}", text, expressions::marked(text, 0)));
    return tree;
  }

  /// Refuses a momentum without velocities, whose row of the mass matrix is zero wherever one looks.
  void judge_masses() const {
    for (std::size_t i = 0; i < s_.coordinates.size(); ++i) {
      expressions::Graph graph;
      const auto momentum = expressions::derivative(graph, graph.add(s_.lagrangian), s_.velocities() + i);
      const Tree tree = graph.tree(momentum.value_or(graph.number(0)));
      bool any = false;
      for (std::size_t j = 0; j < s_.coordinates.size(); ++j) any = any || depends(tree, s_.velocities() + j);
      if (!any)
        throw table_.error("lagrangian", fmt::format("is linear in {0}_dot: the mass of {0} would be zero",
                                                     s_.coordinates[i].name));
    }
  }

  /// A formula linear in the velocities, of coordinates and parameters besides.
  Tree of_velocities(const io::Table& table, const std::string& key, const std::string& text) const {
    Tree tree = formula(table, key, text);
    if (depends(tree, s_.time()))
      throw table.error(key, fmt::format("'{}' depends on the time: {} is of coordinates, velocities and "
                                         "parameters{}",
                                         text, key, shown(text, "t")));
    std::string first;
    for (std::size_t i = s_.coordinates.size(); i-- > 0;)
      if (depends(tree, s_.velocities() + i)) first = s_.coordinates[i].name + "_dot";
    if (first.empty())
      throw table.error(
          key, fmt::format("'{}' has no velocity in it: what keeps places alone is a constraint{}", text,
                           expressions::marked(text, 0)));
    if (s_.structure(tree).degree > 1)
      throw table.error(key, fmt::format("'{}' isn't linear in the velocities, as {} has to be{}", text, key,
                                         shown(text, first)));
    return tree;
  }

  /// Where a name stands in a text, as an error shows it; nothing where a part brings it.
  static std::string shown(const std::string& text, const std::string& name) {
    const auto continues = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if ((at == 0 || !continues(at - 1)) && !continues(at + name.size()))
        return expressions::marked(text, at);
    return "";
  }

  void read_kick() {
    if (!s_.constraint.empty() || !s_.rolling.empty())
      throw table_.error("kick", "is of free motion alone, without constraint and rolling");
    if (!table_.holds_table("kick"))
      throw table_.error("kick", "states V and its times: { potential = \"K*cos(x)\", every = 1.0 }");
    const io::Table given = table_.table("kick");
    const std::string potential = given.text("potential"), every = given.formula("every");
    std::optional<Dimension> action, period;
    s_.kick = {of_places(given, "potential", potential, false, &action),
               formula(given, "every", every, &period)};
    const expressions::Node& root = s_.kick->every.nodes().back();
    if (root.operation == expressions::Operation::number && !(root.number > 0))
      throw given.error("every", "must be above zero");
    const std::optional<Dimension>& time = dimensions_[s_.time()];
    if (time && energy_)
      judge_unit(given, "potential", potential, action, *energy_ * *time,
                 "the Lagrangian's times that of time");
    // A number is one of the deck's unit.
    if (s_.kick->every.nodes().back().operation != expressions::Operation::number)
      judge_unit(given, "every", every, period, time, "that of time");
    for (std::size_t i = 0; i < s_.names().size(); ++i) {
      const bool constant = i >= s_.first_parameter() && i != s_.time();
      if (!constant && depends(s_.kick->every, i))
        throw given.error("every",
                          "depends on '" + s_.names()[i] + "': a number, or a formula of parameters");
    }
  }

  /// Whether a name is in a tree, or in a part that is.
  bool depends(const Tree& tree, std::size_t name) const { return s_.mentions(tree, name, 1); }

  const io::Table& table_;
  Statement s_;
  std::vector<std::optional<Dimension>> of_coordinates_, of_parameters_;
  std::vector<std::optional<Dimension>> dimensions_;  ///< of all names, in their order
  std::optional<Dimension> energy_;                   ///< the Lagrangian's
};

/// A warning for each parameter and part that no formula mentions, directly or through a part that is in use.
std::vector<std::string> unused(const Statement& s) {
  std::vector<bool> used(s.first_part() + s.where.size());
  const auto use = [&](const Tree& tree) {
    for (std::size_t i = 0; i < used.size(); ++i)
      if (tree.mentions(i)) used[i] = true;
  };
  use(s.lagrangian);
  for (const Tree& tree : s.constraint) use(tree);
  for (const Tree& tree : s.rolling) use(tree);
  for (const Tree& tree : s.force) use(tree);
  for (const std::optional<Tree>& tree : {s.domain, s.dissipation})
    if (tree) use(*tree);
  if (s.kick) {
    use(s.kick->potential);
    use(s.kick->every);
  }
  for (std::size_t i = s.where.size(); i-- > 0;)  // a part is mentioned by later ones alone
    if (used[s.first_part() + i]) use(s.where[i].value);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < s.parameters.size(); ++i)
    if (!used[s.first_parameter() + i])
      warnings.push_back(fmt::format("parameter '{}' is in no formula of [model]", s.parameters[i].name));
  for (std::size_t i = 0; i < s.where.size(); ++i)
    if (!used[s.first_part() + i])
      warnings.push_back(fmt::format("part '{}' of [model.where] is in no formula", s.where[i].name));
  return warnings;
}

/// Refuses a method that can't have this motion, before it is compiled: by what formulas tell.
void judge_method(const io::Deck& deck, const Statement& s, const std::string& name) {
  using integrators::MotionKind;
  const bool moving =
      std::ranges::any_of(s.constraint, [&](const Tree& tree) { return s.mentions(tree, s.time(), 1); });
  const bool general = moving || !s.rolling.empty(), free = !general && s.constraint.empty();
  const auto suited = integrators::method_names(free      ? MotionKind::free
                                                : general ? MotionKind::general
                                                          : MotionKind::on_manifold);
  std::vector<std::string> all;
  for (const auto& method : integrators::method_list()) all.push_back(method.name);
  // Names that are none are refused later.
  if (std::ranges::count(all, name) == 0 || std::ranges::count(suited, name) > 0) return;
  std::string list;
  for (const std::string& one : suited) list += (list.empty() ? "" : ", ") + one;
  throw deck.table("method").error(
      "name", fmt::format("the motion of {} {}, which '{}' doesn't take: choose one of {}", called(s.name),
                          free                 ? "isn't constrained"
                          : !s.rolling.empty() ? "is rolling"
                          : moving             ? "is constrained by what moves"
                                               : "is constrained",
                          name, list));
}

}  // namespace

formulas::Methods methods_of(const io::Deck& deck, bool tangent_maps) {
  if (deck.root().has("methods")) return {"*", tangent_maps};
  if (!deck.root().has("method"))  // in a landscape nothing flies: that of the motion by default
    return {"", tangent_maps, integrators::MethodOptions{}.stages};
  const io::Table method = deck.table("method");
  formulas::Methods result{method.text("name", ""), tangent_maps};
  // It is written into the C++ that is compiled; which methods there are is judged later.
  if (!formulas::is_method_name(result.name))
    throw method.error(
        "name", fmt::format("'{}' is no method's name: small letters, digits and hyphens", result.name));
  if (result.name == "gauss" || result.name.empty()) {
    const auto stages = method.integer("stages", integrators::MethodOptions{}.stages);
    const bool possible = stages >= 1 && stages <= integrators::max_stages;  // else it is refused later
    if (possible) result.stages = static_cast<int>(stages);
  }
  return result;
}

std::string called(const std::string& name) {
  return name == unnamed_model ? "the deck's model" : "'" + name + "'";
}

bool states_model(const io::Deck& deck) {
  if (!deck.root().has("model")) return false;
  const io::Table model = deck.table("model");
  return model.has("lagrangian") || (model.has("coordinates") && !model.has("name"));
}

Statement read_statement(const io::Deck& deck) {
  return Reader(deck.table("model")).read();
}

ModelChoice read_formula_model(Task& task, bool tangent_maps) {
  const Statement statement = read_statement(task.deck);
  const io::Table model = task.deck.table("model");
  const formulas::Methods methods = methods_of(task.deck, tangent_maps);
  judge_method(task.deck, statement, methods.name);
  auto loaded = load_or_show(model, "lagrangian", model.text("lagrangian"), [&] {
    return formulas::load(statement, methods, compiled_files(task, model),
                          !task.check    ? formulas::Use::flown
                          : task.compile ? formulas::Use::compiled
                                         : formulas::Use::judged);
  });
  ModelChoice choice;
  choice.formula = std::move(loaded.problem);
  choice.problem = choice.formula.get();
  task.formulas = loaded.how;
  for (std::string& warning : unused(statement)) task.warnings.push_back(std::move(warning));
  const io::Table parameters = model.table("parameters");
  for (const auto& parameter : statement.parameters) choice.axes.push_back(parameters.axis(parameter.name));
  return choice;
}

}  // namespace cotangent::studies
