// SPDX-License-Identifier: BSD-3-Clause
// A scheme on land as large as the unit of length in place of small land, whose absolute bounds, of residuals
// and of what is rounded off, would be large there. For water of a power law is similar at any size: what
// h(x, t) is on b(x), h(L x, T t) / L is on b(L x) / L, with T = L^(2 - a) for q = c h^a S^p and the same c.
#pragma once

#include <functional>
#include <memory>

#include "overland/water.hpp"

namespace cotangent::overland {

using MakeScheme = std::function<std::unique_ptr<Scheme>(const Landscape&)>;
/// The scheme itself on land of the unit's size or more. Collective.
std::unique_ptr<Scheme> scheme_at_unit_size(const Landscape& landscape, const MakeScheme& make);

}  // namespace cotangent::overland
