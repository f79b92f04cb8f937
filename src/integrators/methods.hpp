// SPDX-License-Identifier: BSD-3-Clause
// All methods.
#pragma once

#include "integrators/free_methods.hpp"
#include "integrators/general_methods.hpp"
#include "integrators/manifold_methods.hpp"
