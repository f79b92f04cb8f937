// SPDX-License-Identifier: BSD-3-Clause
// How particles feel each other, as decks say it: `[potential]`, and the periods of the axes.
#pragma once

#include <memory>

#include "particles/pair_kernel.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

struct PairChoice {
  const particles::Potential* potential = nullptr;
  std::shared_ptr<const particles::Potential> stated;  ///< the same, where the deck states it
  std::unique_ptr<particles::PairKernel> kernel;
};

/// Whether `[potential]` names a potential or states one.
bool has_potential(const io::Table& table);

/// Reads `[potential]`: its name and parameters, or `potential = "..."`, a formula of r and of what
/// `parameters` and `where` name; and the cut-off. Collective.
PairChoice read_potential(Task& task);

/// Reads `periods` of `[model]`: as many lengths as the space has dimensions, 0 for an axis that isn't
/// periodic.
particles::Periods read_periods(const io::Table& model, std::size_t dimension);

/// Refuses periods within which a particle would see another twice, by lists of a range and skin (0: chosen).
void check_periods(const io::Table& model, const particles::Periods& periods, double range, double skin);

}  // namespace cotangent::studies
