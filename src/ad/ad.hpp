// SPDX-License-Identifier: BSD-3-Clause
// Automatic differentiation: the algebra A(N), its elementary functions, and the sparsity in the types.
#pragma once

#include "ad/arithmetic.hpp"
#include "ad/functions.hpp"
#include "ad/jet.hpp"
#include "ad/sparsity.hpp"
