// SPDX-License-Identifier: BSD-3-Clause
// What a model's struct states, as formulas: its members called with a scalar that records
// (expressions/recorded.hpp).
#pragma once

#include <vector>

#include "expressions/recorded.hpp"
#include "mechanics/formulas.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

/// `count` names from number `first` on, as scalars that record into the graph.
template <std::size_t count>
std::array<expressions::Recorded, count> recorded_names(expressions::Graph& graph, std::size_t first) {
  std::array<expressions::Recorded, count> names;
  for (std::size_t i = 0; i < count; ++i) names[i] = {graph, graph.name(first + i)};
  return names;
}
/// The formulas of one value, or of a tuple of them.
template <class Value>
std::vector<expressions::Tree> recorded_trees(const Value& value) {
  if constexpr (detail::is_tuple<Value>) {
    return std::apply(
        [](const auto&... one) {
          return std::vector<expressions::Tree>{expressions::Recorded(one).tree()...};
        },
        value);
  } else {
    return {expressions::Recorded(value).tree()};
  }
}

/// Throws an Error where M uses what decks have no word for.
template <class M>
Formulas formulas_of() {
  constexpr std::size_t dim = M::dim, count = M::parameters.size();
  expressions::Graph graph;
  const auto q = recorded_names<dim>(graph, 0), v = recorded_names<dim>(graph, dim);
  const auto p = recorded_names<count>(graph, 2 * dim);
  const auto t = recorded_names<1>(graph, 2 * dim + count)[0];
  Formulas result;
  result.lagrangian = recorded_trees(lagrangian_at<M>(q, v, p, t))[0];
  if constexpr (has_constraint<M>)
    result.constraint = recorded_trees(detail::constraint_components<M>(q, p, t));
  if constexpr (has_rolling<M>) result.rolling = recorded_trees(M{}.rolling(q, v, p));
  if constexpr (has_force<M>) result.force = recorded_trees(detail::force_components<M>(q, v, p, t));
  if constexpr (has_dissipation<M>)
    result.dissipation = recorded_trees(detail::dissipation_at<M>(q, v, p, t))[0];
  if constexpr (has_kick<M>) {
    result.kick = recorded_trees(M{}.kick(q, p))[0];
    result.kick_every = recorded_trees(M{}.kick_every(p))[0];
  }
  if constexpr (has_domain<M>) result.domain = recorded_trees(M{}.domain(q, p))[0];
  return result;
}

/// A pair potential's U, of the squared distance and then its parameters.
template <class P>
expressions::Tree potential_formula() {
  expressions::Graph graph;
  const auto s = recorded_names<1>(graph, 0)[0];
  return recorded_trees(P{}(s, recorded_names<P::parameters.size()>(graph, 1)))[0];
}

}  // namespace cotangent::mechanics
