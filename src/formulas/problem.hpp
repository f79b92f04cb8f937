// SPDX-License-Identifier: BSD-3-Clause
// For the C++ that statement.hpp prints: a model whose names and values come when it is loaded.
#pragma once

#include <algorithm>
#include <memory>

#include "formulas/functions.hpp"
#include "formulas/labels.hpp"
#include "formulas/table.hpp"
#include "integrators/methods.hpp"
#include "sections/problem_of.hpp"

namespace cotangent::formulas {

template <class Model>
sections::Problem* labelled_problem(const Labels& labels) {
  Model::name = labels.name;
  Model::about = labels.about;
  std::ranges::copy(labels.coordinates, Model::coordinates.begin());
  std::ranges::copy(labels.parameters, Model::parameters.begin());
  Model::formulas = labels.formulas;
  return std::make_unique<sections::ProblemOf<Model>>().release();
}

}  // namespace cotangent::formulas

/// The one symbol that a shared object exports.
#define COTANGENT_FORMULA_PROBLEM(Model)                                                             \
  extern "C" [[gnu::visibility("default")]] cotangent::sections::Problem* cotangent_formula_problem( \
      const cotangent::formulas::Labels& labels) {                                                   \
    return cotangent::formulas::labelled_problem<Model>(labels);                                     \
  }
