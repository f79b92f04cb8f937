// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of formulas as formulas, by the chain rule on the graph: what formula and derivative share is
// one node. Reference: Griewank, Walther, Evaluating Derivatives (2008), 3.1, forward propagation.
// At kinks and of NaN as ad/functions.hpp: |x| has the derivative 0 at 0, min and max that of the second
// operand at a tie. A truth is constant wherever it has a derivative.
#pragma once

#include <optional>

#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// d root / d name, a node of the same graph; none where it is zero everywhere.
std::optional<Graph::Id> derivative(Graph& graph, Graph::Id root, std::size_t name);

}  // namespace cotangent::expressions
