// SPDX-License-Identifier: BSD-3-Clause
#include "studies/lattice/statement.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "expressions/place.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

constexpr double farthest = 8;              // sites, of a neighbour
constexpr std::size_t most_of_a_term = 32;  // coordinates, as lattice::TermOf has it

lattice::Offset read_offset(const io::Table& neighbours, const std::string& name) {
  std::vector<double> place;
  try {
    place = neighbours.numbers(name);
  } catch (const Error&) {
    place = {neighbours.number(name)};
  }
  place.resize(std::max<std::size_t>(place.size(), 2), 0.0);
  const auto fits = [](double n) { return n == std::round(n) && std::abs(n) <= farthest; };
  if (place.size() > 2 || !std::ranges::all_of(place, fits) || (place[0] == 0 && place[1] == 0))
    throw neighbours.error(name, fmt::format("must be so many sites along x, or [x, y]: whole numbers, not "
                                             "both 0, at most {}",
                                             farthest));
  return {static_cast<int>(place[0]), static_cast<int>(place[1])};
}

class Reader {
 public:
  explicit Reader(const io::Table& model) : model_(model) {}

  formulas::LatticeStatement read() {
    s_.name = model_.text("name", unnamed_model);
    s_.about = "stated by the deck";
    s_.coordinates = read_coordinates(model_);
    const FormulaReader formulas(model_, variables());
    for (std::size_t k = 0; k < formulas.values().size(); ++k) {
      const std::string& name = formulas.parameters()[k];
      s_.parameters.push_back({name, "1", formulas.values()[k]});
      if (name != "spacing") continue;
      if (!(formulas.values()[k] > 0)) throw model_.table("parameters").error(name, "must be positive");
      s_.spacing = static_cast<int>(k);
    }
    read_terms(formulas, "terms", false);
    read_terms(formulas, "constraints", true);
    judge_masses();
    return std::move(s_);
  }

 private:
  /// u, right.u, ... and their velocities.
  std::vector<std::string> variables() {
    std::vector<std::string> names, prefixes{""};
    const io::Table neighbours = model_.table("neighbours");
    for (const std::string& name : neighbours.keys()) {
      judge_name(neighbours, name, name, prefixes);
      prefixes.push_back(name);
      s_.neighbours.push_back(read_offset(neighbours, name));
    }
    for (std::string& prefix : prefixes) {
      if (!prefix.empty()) prefix += '.';
      for (const auto& q : s_.coordinates) names.push_back(prefix + q.name);
    }
    const std::size_t count = names.size();
    for (std::size_t i = 0; i < count; ++i) names.push_back(names[i] + "_dot");
    return names;
  }

  void read_terms(const FormulaReader& formulas, const std::string& key, bool constraint) {
    const io::Table terms = model_.table(key);
    if (!constraint && terms.keys().empty())
      throw model_.error(key, R"(give the Lagrangian's terms: { site = "q_dot^2/2", bond = "..." })");
    for (const std::string& name : terms.keys()) {
      std::vector<std::string> taken;
      for (const auto& term : s_.terms) taken.push_back(term.name);
      judge_name(terms, name, name, taken);
      const formulas::LatticeStatement::Term term{name, formulas.read(terms, name), constraint};
      judge(terms, term);
      s_.terms.push_back(term);
    }
  }

  void judge(const io::Table& terms, const formulas::LatticeStatement::Term& term) const {
    bool any = false;
    for (std::size_t i = 0; i < s_.first_parameter(); ++i) {
      const bool here = term.value.mentions(i);
      any = any || here;
      if (here && term.constraint && i >= s_.first_velocity())
        throw terms.error(term.name, "depends on a velocity");
    }
    if (!any)
      throw terms.error(
          term.name, "is constant: no coordinate is in it" + expressions::marked(terms.text(term.name), 0));
    if (s_.joined(term).size() * s_.coordinates.size() > most_of_a_term)
      throw terms.error(term.name, fmt::format("joins more than {} coordinates", most_of_a_term));
  }

  void judge_masses() const {
    for (std::size_t c = 0; c < s_.coordinates.size(); ++c) {
      const bool moves = std::ranges::any_of(s_.terms, [&](const auto& term) {
        for (std::size_t site = 0; site < s_.sites(); ++site)
          if (term.value.mentions(s_.first_velocity() + site * s_.coordinates.size() + c)) return true;
        return false;
      });
      if (!moves)
        throw model_.error("terms", fmt::format("have no velocity {0}_dot: the mass of {0} would be zero",
                                                s_.coordinates[c].name));
    }
  }

  const io::Table& model_;
  formulas::LatticeStatement s_;
};

}  // namespace

formulas::LatticeStatement read_lattice_statement(const io::Table& model) {
  return Reader(model).read();
}

}  // namespace cotangent::studies
