// SPDX-License-Identifier: BSD-3-Clause
// What every study's `[output]` says, and a study's evolution handed to the driver.
#pragma once

#include <string>

#include "run/driver.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Reads file, checkpoint_minutes, wall_minutes, precision, compression, collective and hints; `file` is the
/// result's default name.
run::Settings read_settings(Task& task, const std::string& study, const std::string& file);
/// What a template says of these keys, as comments.
extern const char* const settings_keys;
/// For a study that searches before it is driven: run::complete_already, as the task says. Collective.
std::optional<ExitCode> complete_already(const Task& task, const run::Settings& settings);
/// Runs it as the task says, with its resolved deck. Collective.
ExitCode drive(Task& task, run::Evolution& evolution, const run::Settings& settings);

}  // namespace cotangent::studies
