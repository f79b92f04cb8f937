// SPDX-License-Identifier: BSD-3-Clause
// What a lattice's terms are, of a site and its named neighbours; and a deck that states them.
#include <algorithm>
#include <fmt/format.h>

#include "core/error.hpp"
#include "expressions/print.hpp"
#include "studies/program/formula_lines.hpp"

namespace cotangent::studies {

namespace {

using lattice::Offset;

/// right, left2, right_up ...
std::string neighbour_name(const Offset& place) {
  const auto along = [](int n, const char* ahead, const char* behind) {
    if (n == 0) return std::string();
    return (n > 0 ? ahead : behind) + (std::abs(n) > 1 ? std::to_string(std::abs(n)) : "");
  };
  const std::string x = along(place.x, "right", "left"), y = along(place.y, "up", "down");
  return x + (x.empty() || y.empty() ? "" : "_") + y;
}

bool same_place(const Offset& a, const Offset& b) {
  return a.x == b.x && a.y == b.y;
}

/// The places of all sites that terms join, the site itself first, in the order in which terms name them.
std::vector<Offset> places_of(const lattice::Model& model) {
  std::vector<Offset> places{{}};
  for (const auto& term : model.terms())
    for (const Offset& place : term.sites)
      if (std::ranges::none_of(places, [&](const Offset& other) { return same_place(place, other); }))
        places.push_back(place);
  return places;
}

/// A term's name as a deck's key.
std::string term_name(const lattice::TermInfo& term) {
  std::string name = term.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Which parameter is the distance between sites; none: -1.
int spacing_of(const lattice::Model& model) {
  const auto parameters = model.parameters();
  std::vector<double> values(parameters.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 2.0 + static_cast<double>(k);
  const auto found = std::ranges::find(values, model.spacing(values));
  return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

}  // namespace

FormulaLines lines_of(const lattice::Model& model) {
  const std::vector<expressions::Tree> formulas = model.formulas();
  if (formulas.empty()) throw Error(fmt::format("'{}' isn't stated by formulas", model.name()));
  const auto places = places_of(model);
  const auto coordinates = model.coordinates();
  const auto parameters = model.parameters();
  FormulaLines result;
  std::string where;
  for (const Offset& place : places) {
    const std::string name = neighbour_name(place);
    for (const auto& q : coordinates)
      result.names.push_back((name.empty() ? "" : name + ".") + std::string(q.name));
    if (!name.empty())
      where += fmt::format("{}{}: ({}, {})", where.empty() ? "; " : ", ", name, place.x, place.y);
  }
  const std::size_t dim = coordinates.size(), velocities = result.names.size();
  for (std::size_t i = 0; i < velocities; ++i) result.names.push_back(result.names[i] + "_dot");
  for (const auto& p : parameters) result.names.emplace_back(p.name);
  const auto terms = model.terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    // A term counts the names of its own sites.
    expressions::Graph graph;
    std::vector<expressions::Graph::Id> own;
    for (const std::size_t first : {std::size_t{0}, velocities}) {
      for (const Offset& site : terms[k].sites) {
        const auto at =
            std::ranges::find_if(places, [&](const Offset& place) { return same_place(place, site); });
        for (std::size_t c = 0; c < dim; ++c)
          own.push_back(graph.name(first + static_cast<std::size_t>(at - places.begin()) * dim + c));
      }
    }
    for (std::size_t p = 0; p < parameters.size(); ++p) own.push_back(graph.name(2 * velocities + p));
    result.lines.push_back({term_name(terms[k]), terms[k].constraint ? "0 =" : term_name(terms[k]) + " =",
                            graph.tree(graph.add(formulas[k], own))});
  }
  result.note = "L is their sum over all sites" + where;
  return result;
}

std::string deck_of_formulas(const lattice::Model& model) {
  FormulaLines lines = lines_of(model);
  const auto places = places_of(model);
  const auto parameters = model.parameters();
  const auto terms = model.terms();
  std::vector<std::string> names;
  for (const auto& p : parameters) names.emplace_back(p.name);
  if (const int spacing = spacing_of(model); spacing >= 0)
    names[static_cast<std::size_t>(spacing)] = "spacing";
  std::ranges::copy(names, lines.names.end() - std::ssize(names));
  const auto coordinates = sections::infos_of(model.coordinates());
  const bool grid = std::ranges::any_of(places, [](const Offset& place) { return place.y != 0; });

  std::string text = fmt::format("# {}: {}.\nstudy = \"lattice\"\n\n[model]\nname = \"{}\"\n", model.name(),
                                 model.about(), model.name());
  text += coordinates_in_deck(coordinates);
  std::string neighbours;
  for (const Offset& place : places) {
    if (const std::string name = neighbour_name(place); !name.empty())
      neighbours += fmt::format("{}{} = [{}, {}]", neighbours.empty() ? "" : ", ", name, place.x, place.y);
  }
  if (!neighbours.empty()) text += fmt::format("neighbours = {{ {} }}\n", neighbours);
  text += grid ? "sites = [16, 16]\n" : "sites = 64\n";
  if (model.constraints() > 0) text += "boundary = \"free\"\n";
  if (!parameters.empty()) text += "\n[model.parameters]\n";
  for (std::size_t k = 0; k < parameters.size(); ++k)
    text += fmt::format("{:<26} # {}\n", fmt::format("{} = {}", names[k], parameters[k].value),
                        parameters[k].meaning);
  const auto [parts, values] = in_parts(lines);
  text += where_in_deck(parts);
  for (const bool constraint : {false, true}) {
    std::string list;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (terms[k].constraint == constraint)
        list += lines.lines[k].key + " = " + quoted(values[k], lines.lines[k].key.size() + 4) + "\n";
    }
    if (!list.empty())
      text += (constraint ? "\n[model.constraints]        # kept zero\n"
                          : "\n[model.terms]              # of L\n") +
              list;
  }
  // Rods are as long as sites are apart.
  text += model.constraints() > 0 ? fmt::format("\n[start]\n{0} = \"x\"\n{1}_dot = \"0.1*sin(x)\"\n",
                                                coordinates.front().name, coordinates.back().name)
                                  : std::string("\n[start]\nrandom = { q = 0.1, v = 0.1, seed = 1 }\n");
  return text + fmt::format(
                    "\n[method]\nname = \"{}\"\nstep = 0.05\n\n[stop]\ntime = 10.0\n\n"
                    "[output]\nevery = 0.5\nfile = \"{}.h5\"\n",
                    model.constraints() > 0 ? "lobatto-pair" : "gauss", model.name());
}

}  // namespace cotangent::studies
