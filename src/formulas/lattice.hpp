// SPDX-License-Identifier: BSD-3-Clause
// A lattice stated by formulas: terms of a large Lagrangian on a site and its named neighbours, printed as a
// struct like those of lattice/models, compiled and loaded. The second half is what the printed source
// uses.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "expressions/tree.hpp"
#include "formulas/compiled_files.hpp"
#include "formulas/functions.hpp"
#include "formulas/labels.hpp"
#include "formulas/statement.hpp"
#include "lattice/model_of.hpp"
#include "lattice/small_oscillations.hpp"

namespace cotangent::formulas {

/// Names are counted: the coordinates of the site itself, then of each neighbour; their velocities likewise;
/// the parameters.
struct LatticeStatement {
  struct Term {
    std::string name;
    expressions::Tree value;
    bool constraint = false;  ///< kept zero, and not a part of L
  };
  std::string name, about;
  std::vector<Variable> coordinates;
  std::vector<lattice::Offset> neighbours;
  std::vector<Parameter> parameters;
  std::vector<Term> terms;  ///< those of the Lagrangian, then constraints
  int spacing = -1;         ///< which parameter is the distance between sites; -1: it is 1

  std::size_t sites() const { return 1 + neighbours.size(); }
  std::size_t first_velocity() const { return sites() * coordinates.size(); }
  std::size_t first_parameter() const { return 2 * first_velocity(); }
  /// The sites that a term joins, itself first: 0, and 1 + k for the neighbour k.
  std::vector<std::size_t> joined(const Term& term) const;
};

/// The C++ source of a shared object that has this lattice.
std::string source(const LatticeStatement& statement);

struct LoadedLattice {
  std::shared_ptr<const lattice::Model> model;
  std::string how;  ///< as Library::how()
};
/// The lattice that a statement makes. Collective.
LoadedLattice load(const LatticeStatement& statement, const CompiledFiles& files = {});

/// The call operators and names of a struct's terms come when it is loaded.
template <class M>
lattice::Model* labelled_lattice(const Labels& labels, std::span<const std::string_view> terms) {
  M::name = labels.name;
  M::about = labels.about;
  std::ranges::copy(labels.coordinates, M::coordinates.begin());
  std::ranges::copy(labels.parameters, M::parameters.begin());
  auto name = terms.begin();
  const auto label = [&]<class... T>(std::tuple<T...>*) { ((T::name = *name++), ...); };
  label(static_cast<typename M::Terms*>(nullptr));
  if constexpr (lattice::constraints_of<M> != 0) label(static_cast<typename M::Constraints*>(nullptr));
  return std::make_unique<lattice::ModelOf<M>>().release();
}

}  // namespace cotangent::formulas

/// The one symbol that a shared object exports.
#define COTANGENT_FORMULA_LATTICE(M)                                                              \
  extern "C" [[gnu::visibility("default")]] cotangent::lattice::Model* cotangent_formula_lattice( \
      const cotangent::formulas::Labels& labels, std::span<const std::string_view> terms) {       \
    return cotangent::formulas::labelled_lattice<M>(labels, terms);                               \
  }
