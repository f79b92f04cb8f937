// SPDX-License-Identifier: BSD-3-Clause
// The rows of a table of operations (table.hpp): what is known of their derivatives before any number is, and
// where each row finds its operands and leaves its result.
// Reference: Griewank, Walther, Evaluating Derivatives (2008), chapter 7, sparse forward mode.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "expressions/tree.hpp"
#include "formulas/functions.hpp"

namespace cotangent::formulas {

/// An operation, or a number. Operands are places: the inputs' first, then those of the rows.
struct Row {
  expressions::Operation operation;
  int a = 0, b = 0;
  double number = 0;  ///< of Operation::number and fixed_power: which power, a whole one where b is 1

  /// As printed sources have it.
  constexpr Row(int what, int first, int second, double of)
      : operation(static_cast<expressions::Operation>(what)), a(first), b(second), number(of) {}
};

namespace table {

using ad::detail::Index;
using expressions::Operation;
using Mask = std::uint64_t;  ///< bit i: depends on the variable x_i

/// Bit k: operation number k occurs; the last: a whole power that isn't written as products.
using Used = std::uint64_t;
inline constexpr Used whole_power = Used{1} << 63;
template <std::size_t count>
constexpr Used used_by(const std::array<Row, count>& rows) {
  Used used = 0;
  for (const Row& row : rows)
    used |= row.operation == Operation::fixed_power && row.b == 1
                ? whole_power
                : Used{1} << static_cast<int>(row.operation);
  return used;
}
/// Scalars needn't have the functions that no row calls.
template <Used used>
constexpr bool has(Operation operation) {
  return used >> static_cast<int>(operation) & 1;
}

/// What the type of an operation's result knows of its derivatives.
template <int N>
constexpr ad::Sparsity<N> structure(Operation operation, const ad::Sparsity<N>& a, const ad::Sparsity<N>& b) {
  namespace rules = ad::detail;
  switch (operation) {
    case Operation::add:
      return rules::sum(a, b);
    case Operation::subtract:
      return rules::difference(a, b);
    case Operation::negate:
      return rules::difference(ad::Sparsity<N>{}, a);
    case Operation::multiply:
      return rules::product(a, b);
    case Operation::divide:
      return rules::quotient(a, b);
    case Operation::abs:
      return rules::choice(rules::difference({}, a), {}, rules::nonlinear(a.degree));
    case Operation::min:
    case Operation::max:
      return rules::choice(a, b, rules::nonlinear(std::max(a.degree, b.degree)));
    case Operation::power:
    case Operation::atan2:
    case Operation::hypot:
      return rules::function(a, b);
    case Operation::number:
      return {};
    default:
      return rules::function(a);
  }
}
/// What that of the last row knows, given those of the inputs.
template <int N, std::size_t inputs, std::size_t count>
constexpr ad::Sparsity<N> structure(const std::array<Row, count>& rows,
                                    const std::array<ad::Sparsity<N>, inputs>& given) {
  std::array<ad::Sparsity<N>, inputs + count> all{};
  for (std::size_t i = 0; i < inputs; ++i) all[i] = given[i];
  for (std::size_t k = 0; k < count; ++k)
    all[inputs + k] = structure<N>(rows[k].operation, all[rows[k].a], all[rows[k].b]);
  return all.back();
}

/// Numbers of a result, one after the other: the value, the gradient by the mask's variables, and the upper
/// half of the Hessian, row by row.
struct Block {
  Mask mask = 0;
  int at = 0;

  constexpr int variables() const { return std::popcount(mask); }
  constexpr int place(int variable) const { return std::popcount(mask & ((Mask{1} << variable) - 1)); }
  constexpr bool depends(int variable) const { return mask >> variable & 1; }
  constexpr int first(int variable) const { return at + 1 + place(variable); }
  /// Of i <= j.
  constexpr int second(int i, int j) const {
    const int n = variables(), k = place(i);
    return at + 1 + n + k * n - k * (k - 1) / 2 + place(j) - k;
  }
  constexpr int size(int order) const {
    const int n = variables();
    return 1 + n + (order == 2 ? n * (n + 1) / 2 : 0);
  }
};

/// Where each row finds its operands and leaves its result. Places are used again once nobody needs what
/// stands there; a sum whose first operand nobody else needs is added up in its place.
struct Plan {
  struct Step {
    Row row;
    Block a, b, result;
  };
  std::vector<Step> steps;
  std::vector<Block> inputs;
  Block result;
  int size = 1;  ///< of the numbers; the first is 0

  Plan(std::span<const Row> rows, std::span<const Mask> given, int order);

 private:
  Block block(Mask mask, int order) {
    Block made{mask, 0};
    auto& free = free_[static_cast<std::size_t>(made.variables())];
    if (free.empty()) {
      made.at = size;
      size += made.size(order);
    } else {
      made.at = free.back();
      free.pop_back();
    }
    return made;
  }
  std::array<std::vector<int>, 65> free_;
};

inline Plan::Plan(std::span<const Row> rows, std::span<const Mask> given, int order) {
  std::vector<Block> all;
  for (const Mask mask : given) all.push_back(block(mask, order));
  inputs = all;
  std::vector<int> left(given.size() + rows.size(), 0);
  for (const Row& row : rows) {
    const std::size_t count = expressions::operands(row.operation);
    if (count > 0) ++left[row.a];
    if (count > 1) ++left[row.b];
  }
  for (std::size_t i = 0; i < given.size(); ++i) ++left[i];  // inputs stay
  for (const Row& row : rows) {
    const std::size_t count = expressions::operands(row.operation);
    Step step{row, {}, {}, {}};
    Mask mask = 0;
    if (count > 0) mask |= (step.a = all[row.a]).mask;
    if (count > 1) mask |= (step.b = all[row.b]).mask;
    const bool sum = row.operation == Operation::add || row.operation == Operation::subtract;
    const bool in_place = sum && row.a != row.b && left[row.a] == 1 && mask == step.a.mask;
    step.result = in_place ? step.a : block(mask, order);
    const auto release = [&](int place) {
      const Block& done = all[place];
      if (--left[place] == 0) free_[static_cast<std::size_t>(done.variables())].push_back(done.at);
    };
    if (count > 0 && !in_place) release(row.a);
    if (count > 1) release(row.b);
    all.push_back(step.result);
    steps.push_back(step);
  }
  result = all.back();
}

}  // namespace table

}  // namespace cotangent::formulas
