// SPDX-License-Identifier: BSD-3-Clause
// The value of a tree over a real type: double, a pack of SIMD lanes, jets of either with room for every
// derivative (ad::full). It finds the type's own functions by argument. Truths are 1 and 0.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <type_traits>

#include "core/real.hpp"
#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// As many nodes are evaluated without an allocation.
inline constexpr std::size_t most_on_stack = 64;

namespace detail {

/// a^n by a product where n is 2 or 3.
template <class R>
R fixed_power(const R& a, double n) {
  using std::pow;
  return n == 2 ? R(a * a) : n == 3 ? R(a * a * a) : R(pow(a, n));
}
/// a^b, wherever b is 2 or 3 as above.
template <class R>
R power(const R& a, const R& b) {
  using std::pow;
  if constexpr (requires { typename R::real_type; }) {
    return R(pow(a, b));  // a jet: with its derivatives by b
  } else {
    const auto squared = b == R(2.0), whole = squared || b == R(3.0);
    if (!any(whole)) return pow(a, b);
    const R product = select(squared, R(a * a), R(a * a * a));
    return all(whole) ? product : R(select(whole, product, R(pow(a, b))));
  }
}

}  // namespace detail

/// What a node makes of its operand.
template <class R>
[[gnu::always_inline]] inline R applied(const Node& node, const R& a) {
  using std::abs, std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos,
      std::atan, std::sinh, std::cosh, std::tanh;
  switch (node.operation) {
    case Operation::negate:
      return -a;
    case Operation::negation:
      return select(a == R(0.0), R(1.0), R(0.0));
    case Operation::fixed_power:
      return detail::fixed_power(a, node.number);
    case Operation::abs:
      return abs(a);
    case Operation::sqrt:
      return sqrt(a);
    case Operation::exp:
      return exp(a);
    case Operation::log:
      return log(a);
    case Operation::sin:
      return sin(a);
    case Operation::cos:
      return cos(a);
    case Operation::tan:
      return tan(a);
    case Operation::asin:
      return asin(a);
    case Operation::acos:
      return acos(a);
    case Operation::atan:
      return atan(a);
    case Operation::sinh:
      return sinh(a);
    case Operation::cosh:
      return cosh(a);
    default:
      return tanh(a);
  }
}
/// What a node makes of its two operands.
template <class R>
[[gnu::always_inline]] inline R applied(const Node& node, const R& a, const R& b) {
  using std::atan2, std::hypot;
  const auto truth = [](const auto& holds) { return R(select(holds, R(1.0), R(0.0))); };
  switch (node.operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return detail::power(a, b);
    case Operation::atan2:
      return atan2(a, b);
    case Operation::hypot:
      return hypot(a, b);
    // NaN in either operand comes through.
    case Operation::min:
      return select(a < b || a != a, a, b);
    case Operation::max:
      return select(a > b || a != a, a, b);
    case Operation::where:
      return select(a != R(0.0), b, R(0.0));
    case Operation::less:
      return truth(a < b);
    case Operation::less_equal:
      return truth(a <= b);
    case Operation::greater:
      return truth(a > b);
    case Operation::greater_equal:
      return truth(a >= b);
    case Operation::equal:
      return truth(a == b);
    case Operation::unequal:
      return truth(a != b);
    case Operation::conjunction:
      return truth(a != R(0.0) && b != R(0.0));
    default:
      return truth(a != R(0.0) || b != R(0.0));
  }
}

/// The tree's value, given those of its names. No allocation for up to most_on_stack nodes.
template <class R>
R evaluate(const Tree& tree, std::span<const R> values) {
  static_assert(std::is_trivially_destructible_v<R>);
  union Place {  // holds nothing until its node comes
    R value;
    Place() {}  // NOLINT(modernize-use-equals-default): which would be deleted where R has a constructor
  };
  Place few[most_on_stack];
  std::unique_ptr<Place[]> many;
  const std::vector<Node>& nodes = tree.nodes();
  if (nodes.size() > most_on_stack) many.reset(new Place[nodes.size()]);
  Place* const places = many ? many.get() : few;
  Place* next = places;
  for (const Node& node : nodes) {
    const auto put = [&](const R& value) { std::construct_at(&(next++)->value, value); };
    const auto& [a, b] = node.operand;
    switch (node.operation) {  // arithmetic first: it is most of what decks hold
      case Operation::number:
        put(R(node.number));
        continue;
      case Operation::name:
        put(values[node.name]);
        continue;
      case Operation::add:
        put(places[a].value + places[b].value);
        continue;
      case Operation::subtract:
        put(places[a].value - places[b].value);
        continue;
      case Operation::multiply:
        put(places[a].value * places[b].value);
        continue;
      case Operation::fixed_power:
        put(detail::fixed_power(places[a].value, node.number));
        continue;
      default:
        break;
    }
    put(operands(node.operation) == 1 ? applied(node, places[a].value)
                                      : applied(node, places[a].value, places[b].value));
  }
  return next[-1].value;
}

extern template double evaluate(const Tree&, std::span<const double>);

}  // namespace cotangent::expressions
