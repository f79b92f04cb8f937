// SPDX-License-Identifier: BSD-3-Clause
// A model that the deck states itself: `[model]` with a Lagrangian.
#pragma once

#include "expressions/parser.hpp"
#include "expressions/units.hpp"
#include "formulas/statement.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Refuses a name of `key` that formulas can't hold, or that is among those taken.
void judge_name(const io::Table& table, const std::string& key, const std::string& name,
                const std::vector<std::string>& taken);

/// Throws Error, with the key's line, where a part of a formula without variables isn't a finite number.
void judge_numbers(const io::Table& table, const std::string& key, const expressions::Tree& tree);

/// The same of a tree that was read from a text of these names, which the error shows, with the place.
void judge_numbers(const io::Table& table, const std::string& key, const expressions::Tree& tree,
                   const std::string& text, expressions::Language language,
                   const std::vector<std::string>& names);

/// A formula of these names, the value of a key; units are judged where they are given. Throws Error with the
/// deck's line and the formula's column.
expressions::Tree read_formula(const io::Table& table, const std::string& key, const std::string& text,
                               const std::vector<std::string>& names, expressions::Units* units = nullptr);

/// `coordinates`, names or a table of names and units, and which of them are `angles`.
std::vector<formulas::Variable> read_coordinates(const io::Table& table);

/// The name of a model whose deck gives it none, as files have it.
inline constexpr const char* unnamed_model = "formula";
/// A model of this name as messages call it: by its name in quotes, or the deck's model where it has none.
std::string called(const std::string& name);

/// Whether the deck states its model by formulas.
bool states_model(const io::Deck& deck);

/// What `[model]` states:
///   coordinates = { x = "m", y = "m" }    or a list of names; angles = [...] are periodic with 2 pi
///   parameters = { a = 1.0 }              numbers, lists or ranges; their units in `parameter_units`, which
///                                         formulas are judged by; that of time is `time_unit`, s by default
///   where = { r2 = "x^2 + y^2" }          parts, each of what stands before it
///   lagrangian = "..."                    of coordinates, velocities x_dot, parameters, t, parts
///   constraint = ["..."]                  kept zero: coordinates and parameters
///   rolling = ["..."]                     kept zero: linear in the velocities
///   kick = { potential = "...", every = "..." }  momenta change by -dV/dq at t = every, 2 every ...
///   domain = "..."                        positive inside
/// Throws Error with the deck's line and the formula's column.
formulas::Statement read_statement(const io::Deck& deck);

/// What the deck's [method], if it is the only one, asks to be compiled. Throws Error where its name is none
/// that may stand in a source.
formulas::Methods methods_of(const io::Deck& deck, bool tangent_maps);

/// The same as a problem to fly. Collective.
ModelChoice read_formula_model(Task& task, bool tangent_maps);

}  // namespace cotangent::studies
