// SPDX-License-Identifier: BSD-3-Clause
// Decks that state a set or a field of billiards by formulas.
#include <algorithm>
#include <fmt/format.h>

#include "expressions/print.hpp"
#include "studies/program/formula_lines.hpp"

namespace cotangent::studies {

namespace {

using expressions::Tree;

/// Coordinates, then parameters.
template <class Kind>
std::vector<std::string> names_of(const Kind& kind) {
  std::vector<std::string> names{"x", "y", "z"};
  names.resize(static_cast<std::size_t>(kind.dim));
  for (const auto& p : kind.parameters) names.emplace_back(p.name);
  return names;
}

/// Those of the parameters that a formula mentions, as a key of a table; empty where there are none.
template <class Kind>
std::string parameters_for(const Kind& kind, const Tree& tree) {
  std::string list;
  for (std::size_t k = 0; k < kind.parameters.size(); ++k) {
    const auto& p = kind.parameters[k];
    if (tree.mentions(static_cast<std::size_t>(kind.dim) + k))
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", p.name, p.value);
  }
  return list.empty() ? "" : fmt::format("parameters = {{ {} }}", list);
}

/// What walls are called: the set itself where it has one.
std::vector<std::string> wall_names(const billiards::SetKind& set, std::size_t walls) {
  if (walls == 1) return {set.name};
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= walls; ++k) names.push_back(fmt::format("wall{}", k));
  return names;
}

/// A region in the language of `inside`: an alternative for each of its cells.
std::string region_text(const billiards::Region& region, const std::vector<std::string>& walls) {
  std::string text;
  for (const billiards::Cell& cell : region) {
    std::string sides;
    for (const billiards::Side& side : cell)
      sides += fmt::format("{}{}{}", sides.empty() ? "" : " and ", side.sign > 0 ? "" : "not ",
                           walls[static_cast<std::size_t>(side.wall)]);
    const bool apart = region.size() > 1 && cell.size() > 1;
    text += fmt::format("{}{}", text.empty() ? "" : " or ", apart ? "(" + sides + ")" : sides);
  }
  return text;
}

/// What is behind the table that states something: particles that start about the origin.
std::string rest_of_deck(int dim, double least, const std::string& name) {
  std::string places, speeds;
  for (const char* x : {"x", "y", "z"}) {
    if (dim-- == 0) break;
    places += fmt::format(", {} = [{:.1f}, 1.0]", x, least);
    speeds += fmt::format(", {}_dot = [-1.0, 1.0]", x);
  }
  return fmt::format(
      "\n[ensemble]\nrandom = {{ count = 20, seed = 1{}{} }}\n\n[stop]\ntime = 10.0\n\n"
      "[output]\nevery = 0.5\ncollisions = 5\nfile = \"{}.h5\"\n",
      places, speeds, name);
}

}  // namespace

FormulaLines lines_of(const billiards::SetKind& set) {
  if (!set.formulas) throw Error(fmt::format("'{}' isn't stated by formulas", set.name));
  const std::vector<Tree> walls = set.formulas();
  FormulaLines result{names_of(set), {}, ""};
  const std::vector<std::string> names = wall_names(set, walls.size());
  for (std::size_t k = 0; k < walls.size(); ++k)
    result.lines.push_back({"omega", walls.size() == 1 ? "0 <" : names[k] + " =", walls[k]});
  if (walls.size() > 1) result.note = "inside, where above 0: " + region_text(set.region(0), names);
  return result;
}

FormulaLines lines_of(const billiards::FieldKind& field) {
  if (!field.formula) throw Error(fmt::format("'{}' isn't stated by a formula", field.name));
  return {names_of(field), {{"potential", "U =", field.formula()}}, ""};
}

std::string deck_of_formulas(const billiards::SetKind& set) {
  const FormulaLines lines = lines_of(set);
  const std::vector<std::string> names = wall_names(set, lines.lines.size());
  std::string text = fmt::format("# {}: {}.\nstudy = \"billiard\"\n\n[domain]\ndimension = {}\n", set.name,
                                 set.about, set.dim);
  if (names.size() > 1) text += fmt::format("inside = \"{}\"\n", region_text(set.region(0), names));
  text += "sets = [\n";
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Tree& tree = lines.lines[k].tree;
    const std::string parameters = parameters_for(set, tree);
    text += fmt::format("  {{ name = \"{}\", omega = \"{}\"{}{} }},\n", names[k],
                        expressions::text(tree, lines.names), parameters.empty() ? "" : ", ", parameters);
  }
  return text + "]\n" + rest_of_deck(set.dim, -1.0, set.name);
}

std::string deck_of_formulas(const billiards::FieldKind& field) {
  const FormulaLines lines = lines_of(field);
  const Tree& tree = lines.lines[0].tree;
  const std::string parameters = parameters_for(field, tree);
  return fmt::format(
             "# {}: {}.\nstudy = \"billiard\"\n\n[domain]\ndimension = {}\nsets = [{{ name = \"wall\", "
             "set = \"{}\", radius = 2.0 }}]\n\n[forces]\npotential = \"{}\"\n{}{}",
             field.name, field.about, field.dim, field.dim == 2 ? "circle" : "sphere",
             expressions::text(tree, lines.names), parameters, parameters.empty() ? "" : "\n") +
         rest_of_deck(field.dim, 0.1, field.name);
}

}  // namespace cotangent::studies
