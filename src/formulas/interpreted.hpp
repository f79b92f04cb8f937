// SPDX-License-Identifier: BSD-3-Clause
// Statements as problems without a compiler: slower, and for small ones alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formulas/interpreted_model.hpp"
#include "formulas/labels.hpp"
#include "formulas/statement.hpp"
#include "sections/problem.hpp"

namespace cotangent::formulas {

/// The problem that a statement makes, its formulas evaluated node by node. Throws an Error that says what it
/// can't do: more than 4 coordinates or 16 parameters, other constraints than one in space, rolling, kicks,
/// another method than that of its motion by default; or that the program was built without.
std::unique_ptr<sections::Problem> interpreted_problem(const Statement& statement, const std::string& method,
                                                       const Labels& labels);

/// What a Lagrangian is by its structure: whether L = K(v) - U(q), K quadratic and of parameters.
bool is_newtonian(const expressions::Tree& lagrangian, std::size_t dim, std::size_t parameters);

/// One problem of the program for each dimension and form, made by sources that cmake/interpreted.cmake
/// writes.
struct InterpretedKind {
  int dim;
  Form form;
  std::unique_ptr<sections::Problem> (*make)(const Labels& labels);
};
std::vector<InterpretedKind> interpreted_kinds();

template <int Dim, Form form>
std::unique_ptr<sections::Problem> interpreted_of(const Labels& labels);

}  // namespace cotangent::formulas
