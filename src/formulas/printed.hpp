// SPDX-License-Identifier: BSD-3-Clause
// What every printed source includes: all kinds in one header, which is precompiled (cmake/formulas.cmake).
#pragma once

#include "formulas/field.hpp"
#include "formulas/lattice.hpp"
#include "formulas/pair_potential.hpp"
#include "formulas/problem.hpp"
#include "formulas/wall.hpp"
