// SPDX-License-Identifier: BSD-3-Clause
// Catch2's one header, whichever major version the system has.
#pragma once
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
