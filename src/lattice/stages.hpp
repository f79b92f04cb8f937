// SPDX-License-Identifier: BSD-3-Clause
// What methods share that solve for all stages' velocities at once by Newton's method.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "lattice/method.hpp"

namespace cotangent::lattice {

/// Q_i = q + h sum_j a_ij V_j on this rank's sites; each stage's coordinates are the first of so many
/// components.
void stage_positions(const Lattice& lattice, double h, std::span<const double> a, const SiteField& q,
                     const SiteField& velocities, int components, SiteField& positions);

/// What changes of positions are measured against: a step of velocities v, or what round-off positions have.
/// Collective.
double step_scale(const Lattice& lattice, double h, const SiteField& q, const SiteField& v);

/// How Newton's iterations went.
struct Newton {
  int iterations = 0;
  std::string failure;  ///< empty where they converged
};
/// Calls correct(failure), which returns the largest change of a position that it has made, until what is
/// left is round-off: of the scale, or of the first change where that is larger. Changes that grow are a
/// failure, but for those no larger than `settled` times the scale. Collective: changes are the same on every
/// rank.
Newton solve_stages(double scale, double settled, int most_iterations,
                    const std::function<double(std::string& failure)>& correct);

}  // namespace cotangent::lattice
