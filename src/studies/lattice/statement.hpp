// SPDX-License-Identifier: BSD-3-Clause
// A lattice that the deck states itself: `[model]` with terms.
#pragma once

#include "formulas/lattice.hpp"
#include "io/deck.hpp"

namespace cotangent::studies {

/// What `[model]` states:
///   coordinates = ["u"]                   of a site, or { u = "rad" }; angles = [...] are periodic with 2 pi
///   neighbours = { right = 1 }            so many sites along x, or [1, 0] along x and y
///   parameters = { k = 1.0 }              numbers; one called spacing is the distance between sites
///   where = { stretch = "right.u - u" }   parts, each of what stands before it
///   terms = { site = "u_dot^2/2" }        of L: of u, u_dot, right.u, right.u_dot, parameters, parts
///   constraints = { rod = "..." }         kept zero: without velocities
/// Throws Error with the deck's line and the formula's column.
formulas::LatticeStatement read_lattice_statement(const io::Table& model);

}  // namespace cotangent::studies
