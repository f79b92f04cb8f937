// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/lattice.hpp"

#include "formulas/loader.hpp"
#include "formulas/source.hpp"

namespace cotangent::formulas {

std::vector<std::size_t> LatticeStatement::joined(const Term& term) const {
  std::vector<std::size_t> list{0};
  for (std::size_t site = 1; site < sites(); ++site) {
    bool any = false;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      const std::size_t at = site * coordinates.size() + c;
      any = any || term.value.mentions(at) || term.value.mentions(first_velocity() + at);
    }
    if (any) list.push_back(site);
  }
  return list;
}

namespace {

std::string term_source(const LatticeStatement& statement, const LatticeStatement::Term& term,
                        const std::string& type) {
  const std::vector<std::size_t> sites = statement.joined(term);
  const std::size_t dim = statement.coordinates.size(), count = sites.size() * dim;
  // Of all sites' names those of the term's own are printed, counted along its sites.
  std::vector<std::string> names(statement.first_parameter());
  std::string offsets;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    for (std::size_t c = 0; c < dim; ++c) {
      const std::size_t at = sites[k] * dim + c;
      names[at] = "q" + std::to_string(k * dim + c);
      names[statement.first_velocity() + at] = "v" + std::to_string(k * dim + c);
    }
    const lattice::Offset place = k == 0 ? lattice::Offset{} : statement.neighbours[sites[k] - 1];
    offsets += (k > 0 ? ", " : "") + ("{" + std::to_string(place.x) + ", " + std::to_string(place.y) + "}");
  }
  for (const std::string& name : numbered("p", statement.parameters.size())) names.push_back(name);
  std::vector<Argument> arguments{{"q", count}, {"v", count}, {"p", statement.parameters.size()}};
  if (term.constraint) arguments.erase(arguments.begin() + 1);
  return "struct " + type +
         " {\n  static inline std::string_view name;\n  static constexpr std::array<lattice::Offset, " +
         std::to_string(sites.size()) + "> sites{{" + offsets + "}};\n" +
         member("operator()", arguments, {&term.value, 1}, names) + "};\n";
}

/// The texts that a loaded lattice looks at.
struct Texts {
  LatticeStatement statement;
  std::vector<mechanics::Coordinate> coordinates;
  std::vector<mechanics::Parameter> parameters;
  std::vector<std::string_view> terms;

  explicit Texts(const LatticeStatement& given) : statement(given) {
    for (const Variable& q : statement.coordinates) coordinates.push_back({q.name, q.unit, q.angle});
    for (const Parameter& p : statement.parameters) parameters.push_back({p.name, p.value, "", p.unit});
    for (const LatticeStatement::Term& term : statement.terms) terms.emplace_back(term.name);
  }
};

}  // namespace

std::string source(const LatticeStatement& statement) {
  const std::string count = std::to_string(statement.parameters.size());
  std::string members, lists[2];
  for (std::size_t k = 0; k < statement.terms.size(); ++k) {
    const std::string type = "Term" + std::to_string(k);
    members += term_source(statement, statement.terms[k], type);
    std::string& list = lists[statement.terms[k].constraint ? 1 : 0];
    list += (list.empty() ? "" : ", ") + type;
  }
  members += "using Terms = std::tuple<" + lists[0] + ">;\n";
  if (!lists[1].empty()) members += "using Constraints = std::tuple<" + lists[1] + ">;\n";
  members +=
      "static constexpr bool stated_by_deck = true;\n"
      "static inline std::string_view name, about;\nstatic constexpr int dim = " +
      std::to_string(statement.coordinates.size()) +
      ";\nstatic inline std::array<mechanics::Coordinate, dim> coordinates;\n"
      "static inline std::array<mechanics::Parameter, " +
      count + "> parameters;\n" + "static auto linear(const std::array<double, " + count +
      ">& p) { return lattice::small_oscillations<Lattice>(p); }\n";
  if (statement.spacing >= 0)
    members += "static double spacing(const std::array<double, " + count + ">& p) { return p[" +
               std::to_string(statement.spacing) + "]; }\n";
  return unit("Lattice", members, "COTANGENT_FORMULA_LATTICE");
}

LoadedLattice load(const LatticeStatement& statement, const CompiledFiles& files) {
  const Library library(source(statement), files);
  using Make = lattice::Model*(const Labels&, std::span<const std::string_view>);
  auto* const make = library.function<Make>("cotangent_formula_lattice");
  const auto* const texts = new Texts(statement);  // as long as the program runs, like its code
  return {std::shared_ptr<const lattice::Model>(
              make({texts->statement.name, texts->statement.about, texts->coordinates, texts->parameters},
                   texts->terms)),
          library.how()};
}

}  // namespace cotangent::formulas
