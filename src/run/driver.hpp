// SPDX-License-Identifier: BSD-3-Clause
// The one driver of all runs: it opens or resumes the result, lets an evolution go on in slices, takes its
// samples, writes checkpoints, obeys signals and the clock, tells how far it is, and reports. What it is
// asked to do is a struct of its own, so that a program runs an evolution without a deck.
#pragma once

#include "core/error.hpp"
#include "run/evolution.hpp"
#include "run/settings.hpp"

namespace cotangent::run {

/// Runs to the end, or until a signal or the clock stops it. Throws Error, FileError on every rank alike.
/// Collective.
ExitCode drive(Evolution& evolution, const Settings& settings);

}  // namespace cotangent::run
