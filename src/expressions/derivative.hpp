// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of formulas as formulas, by the chain rule on the graph: what formula and derivative share is
// one node. Reference: Griewank, Walther, Evaluating Derivatives (2008), 3.1, forward propagation.
// Limits: the derivative of |x| at 0 is NaN, as are those of min and max where their operands are equal.
#pragma once

#include <optional>

#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// d root / d name, a node of the same graph; none where it is zero everywhere. Throws an Error where the
/// formula holds a comparison.
std::optional<Graph::Id> derivative(Graph& graph, Graph::Id root, std::size_t name);

}  // namespace cotangent::expressions
