// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/settings.hpp"

#include "io/hints.hpp"
#include "run/earlier.hpp"

namespace cotangent::studies {

namespace {

/// A hint is a text or a whole number; MPI-IO takes texts.
std::string hint(const io::Table& table, const std::string& key) {
  try {
    return table.text(key);
  } catch (const Error&) {
    return std::to_string(table.integer(key));
  }
}

/// Where the result is written. A link stands for the file that it leads to, whether or not that is there.
std::string result_path(const io::Table& table, const std::string& fallback) {
  std::filesystem::path path = table.output_file("file", fallback);
  if (path.empty()) throw table.error("file", "is empty: give the result a name");
  if (path.string().find('\0') != std::string::npos) throw table.error("file", "holds a zero byte");
  std::error_code ignored;
  for (int links = 0; links < 32 && std::filesystem::is_symlink(path, ignored); ++links)
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  return path.string();
}

}  // namespace

const char* const settings_keys = R"(
# Of every study, in [output]:
# checkpoint_minutes = 10    # from one checkpoint to the next
# wall_minutes = 600         # stop then, to be gone on with by --resume; never unless given
# precision = "single"       # of frames (whole states): half the file; "double" unless given
# compression = 4            # deflate 1 to 9, of the complete result, by all ranks; 0 (none) unless given
# collective = false         # each rank writes its rows by itself, not all in collective calls
# hints = { cb_nodes = 4, striping_factor = 16 }   # for MPI-IO, by the names that it knows
)";

run::Settings read_settings(Task& task, const std::string& study, const std::string& file) {
  const io::Table table = task.deck.table("output");
  run::Settings settings;
  settings.study = study;
  settings.file = result_path(table, file);
  settings.checkpoint_minutes = table.positive("checkpoint_minutes", settings.checkpoint_minutes);
  settings.wall_minutes = table.positive("wall_minutes", settings.wall_minutes);
  settings.options.single_precision = table.choice("precision", "double", {"double", "single"}) == "single";
  settings.options.compression = static_cast<int>(table.integer_at_least("compression", 0, 0));
  if (settings.options.compression > 9) throw table.error("compression", "levels are 0 (none) to 9");
  settings.options.collective = table.boolean("collective", true);
  const io::Table hints = table.table("hints");
  for (const std::string& key : hints.keys()) {
    settings.options.hints.emplace_back(key, hint(hints, key));
    if (const std::string doubt = io::doubt_about_hint(key); !doubt.empty())
      task.warnings.push_back("[output] hints: " + doubt);
  }
  return settings;
}

namespace {

run::Settings as_asked(const Task& task, run::Settings settings) {
  settings.deck = task.deck.resolved();
  settings.command_line = task.command_line;
  settings.resume = task.resume;
  settings.telling = task.telling;
  settings.formulas = task.formulas;
  settings.warnings = task.warnings;
  return settings;
}

}  // namespace

std::optional<ExitCode> complete_already(const Task& task, const run::Settings& settings) {
  return run::complete_already(as_asked(task, settings));
}

ExitCode drive(Task& task, run::Evolution& evolution, const run::Settings& settings) {
  return run::drive(evolution, as_asked(task, settings));
}

}  // namespace cotangent::studies
