// SPDX-License-Identifier: BSD-3-Clause
// Free motion as JavaScript, for pages that fly trajectories themselves: the equations of motion
// M(q, v) a = f(q, v, t) with all derivatives of the Lagrangian written out, and the section of a deck.
#pragma once

#include <string>

#include "studies/program/study.hpp"

namespace cotangent::studies {

/// An object literal:
///   name, coordinates, parameters
///   motion(x, d)     of x = (q, v, parameters, t): L, the momenta, the rows of M, f into d
///   domain(x)        positive inside, where there is one
/// Throws an Error where the problem isn't stated by formulas, is constrained, rolls or is kicked.
std::string javascript_of(const sections::Problem& problem);
/// The same of a deck's model with the deck's values, and
///   section = { where, direction, of(x), condition(x) }   crossed where of(x) is 0
///   section = { where, every(x), phase(x), condition(x) } at times phase + k every
/// Collective, where the deck states formulas.
std::string javascript_of(Task& task);

}  // namespace cotangent::studies
