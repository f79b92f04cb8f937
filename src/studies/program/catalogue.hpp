// SPDX-License-Identifier: BSD-3-Clause
// What the program knows, as texts: all names, and all about one of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Studies, models and methods with a line each.
std::string catalogue(const Statements& stated);

/// A model (coordinates, parameters, its section of a deck), a method, or a study. Throws Error with the
/// nearest name where there is none.
std::string description(const std::string& name, const Statements& stated);

enum class Written { latex, deck, javascript };
/// The formulas of a model, or of a pair potential as LaTeX alone. Throws Error with the nearest name where
/// there is none.
std::string formulas_as(Written how, const std::string& subject, const Statements& stated);
/// The same of a deck's model, all about it where no way is given. Collective.
std::string model_of_deck(std::optional<Written> how, Task& task);

/// The study of this name. Throws Error with the nearest one.
const Study& study_named(std::string_view name);

/// Version, commit, compiler, libraries.
std::string version_text();

}  // namespace cotangent::studies
