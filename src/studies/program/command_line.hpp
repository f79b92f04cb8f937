// SPDX-License-Identifier: BSD-3-Clause
// What the program was asked for: the words of its command line, sorted.
#pragma once

#include <string>
#include <vector>

namespace cotangent::studies {

enum class Request { run, list, describe, samples, deck_template, doctor, version, help };

struct CommandLine {
  Request request = Request::run;
  std::string subject;  ///< the deck to run, the NAME to describe or sample, the STUDY of the template
  std::vector<std::string> overrides;  ///< key=value
  std::vector<std::string> petsc_options;
  bool resume = false, check = false, dry_run = false, compile = false;
  std::string progress = "text";  ///< or "json": how a run's progress is told
  std::string compiled_file;      ///< where --compile leaves its object, beside the cache
  bool latex = false, as_deck = false, javascript = false;  ///< how --describe prints a model
  std::string help;                                         ///< what --help prints
  std::string written;                                      ///< the whole, as a shell would take it
};

/// Throws Error where the words make no sense together.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace cotangent::studies
