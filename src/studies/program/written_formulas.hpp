// SPDX-License-Identifier: BSD-3-Clause
// What a problem states, written out: for readers, as LaTeX, and as a deck that states it by formulas.
#pragma once

#include <string>

#include "billiards/domain.hpp"
#include "billiards/field.hpp"
#include "lattice/kernel.hpp"
#include "particles/pair_kernel.hpp"
#include "sections/problem.hpp"

namespace cotangent::studies {

/// Lagrangian, constraints, rolling and domain, a line each; long parts that come again have names, which
/// stand before. Empty where the problem isn't stated by formulas.
std::string written_formulas(const sections::Problem& problem);
std::string written_formulas(const particles::Potential& potential);
/// A set of billiards: omega of each of its walls, above 0 inside, and how they are put together.
std::string written_formulas(const billiards::SetKind& set);
std::string written_formulas(const billiards::FieldKind& field);
/// A lattice: what each term adds to L, of a site and its neighbours.
std::string written_formulas(const lattice::Model& model);

/// The same as LaTeX, an environment `aligned`. Throws an Error where there are none.
std::string latex_formulas(const sections::Problem& problem);
std::string latex_formulas(const particles::Potential& potential);
std::string latex_formulas(const billiards::SetKind& set);
std::string latex_formulas(const billiards::FieldKind& field);
std::string latex_formulas(const lattice::Model& model);

/// A deck of study "trajectory" whose [model] states the problem by formulas; it runs as it is. Throws an
/// Error where there are none.
std::string deck_of_formulas(const sections::Problem& problem);
/// The same of study "billiard": [domain] states the set, or [forces] the field within a circle or a sphere.
std::string deck_of_formulas(const billiards::SetKind& set);
std::string deck_of_formulas(const billiards::FieldKind& field);
/// The same of study "lattice".
std::string deck_of_formulas(const lattice::Model& model);

}  // namespace cotangent::studies
