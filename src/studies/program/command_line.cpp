// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "core/error.hpp"
#include "core/names.hpp"

namespace cotangent::studies {
namespace {

class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(22); }
  std::string make_usage(const CLI::App*, std::string name) const override {
    return fmt::format(
        "usage: {0} DECK.toml [key=value ...] [--resume] [--check] [--dry-run] [-- PETSc options]\n"
        "       {0} --compile DECK.toml [key=value ...] [-o FILE]\n"
        "       {0} --list | --describe NAME [--latex | --as-deck | --javascript] | --statement NAME\n"
        "       {0} --template STUDY | --doctor | --version | --help\n\n"
        "  DECK.toml           the problem, the method and what is asked of them\n"
        "  key=value           instead of what the deck says: method.step=0.25 model.alpha=[16,18]\n",
        name);
  }
};

constexpr const char* footer =
    "\nA first run:  cotangent --template poincare > first.toml && cotangent first.toml\n"
    "Exit codes:   0 done, 1 trajectories failed, 2 bad input, 3 file system, 70 internal error,\n"
    "              75 stopped, to be gone on with by --resume";

/// A word as the shell has to be given it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./=,:+%@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

[[noreturn]] void refuse_option(const std::string& word, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  unknown_name("option", word.substr(0, word.find('=')), known, "");
}

/// The words behind the program's name that are no options.
std::vector<std::string> parsed(const std::vector<std::string>& words, CLI::App& app) {
  try {
    std::vector<std::string> reversed(words.rbegin(),
                                      words.rend() - std::min<std::ptrdiff_t>(1, std::ssize(words)));
    app.parse(reversed);  // from the back, as CLI11 wants them
  } catch (const CLI::ParseError& refusal) {
    throw Error(refusal.what());
  }
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-")) refuse_option(word, app);
  }
  return app.remaining();
}

/// Options that don't go together, or not with what is asked for.
void refuse_what_does_not_fit(const CommandLine& line) {
  if (line.progress != "text" && line.progress != "json")
    throw Error("--progress is text or json, not '" + line.progress + "'");
  if (line.check && line.dry_run)
    throw Error("--check and --dry-run don't go together; --dry-run checks as well");
  if (line.compile && (line.request != Request::run || line.check || line.dry_run || line.resume))
    throw Error("--compile takes a deck, and nothing else is done with it");
  if (!line.compiled_file.empty() && !line.compile) throw Error("-o FILE goes with --compile");
  const int ways = line.latex + line.as_deck + line.javascript;
  if (ways > 0 && line.request != Request::describe)
    throw Error("--latex, --as-deck and --javascript go with --describe");
  if (ways > 1) throw Error("of --latex, --as-deck and --javascript one is given");
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  std::vector<std::string> words(argv, argv + argc);
  for (const std::string& word : words) line.written += (line.written.empty() ? "" : " ") + quoted(word);
  const auto separator = std::find(words.begin() + std::min(argc, 1), words.end(), "--");
  if (separator != words.end()) line.petsc_options.assign(separator + 1, words.end());
  words.erase(separator, words.end());

  const std::string program =
      words.empty() ? "cotangent" : std::filesystem::path(words.front()).filename().string();
  CLI::App app("Cotangent: long and faithful motion from the statement of a problem alone.\n", program);
  app.formatter(std::make_shared<Formatter>());
  app.footer(footer);
  app.set_help_flag();
  app.allow_extras();

  bool list = false, doctor = false, version = false, help = false;
  std::string described, sampled, study;
  app.add_flag("--resume", line.resume, "go on from the checkpoint of a run that was stopped or killed");
  app.add_flag("--check", line.check, "read and judge the deck, and stop");
  app.add_flag("--dry-run", line.dry_run, "say what would run, and what time, memory and disk it would take");
  app.add_option("--progress", line.progress,
                 "of a run: text, or json, one object a line, for a program that watches");
  app.add_flag("--compile", line.compile, "compile the deck's formulas into the cache, and stop");
  app.add_option("-o", line.compiled_file,
                 "with --compile: also into a file, for compiled = \"FILE\" beside the formulas");
  app.add_flag("--list", list, "all studies, models and methods");
  const auto* describe =
      app.add_option("--describe", described, "all about a study, a model or a method, or a deck's model");
  app.add_flag("--latex", line.latex,
               "with --describe: formulas as LaTeX, of a model, a pair potential, a set or a field");
  app.add_flag("--as-deck", line.as_deck,
               "with --describe: a model, lattice, set or field as a deck that states it by formulas");
  app.add_flag("--javascript", line.javascript,
               "with --describe: the equations of motion of a model, or of a deck's model and section");
  const auto* sample =
      app.add_option("--statement", sampled, "numbers of a surface's g or a pair potential's U, as csv");
  const auto* example =
      app.add_option("--template", study, "a commented deck for a study, which runs as it is");
  app.add_flag("--doctor", doctor, "whether this machine has what runs need, with what would mend it");
  app.add_flag("--version", version, "what this program was built from, and with");
  app.add_flag("-h,--help", help, "this text");
  for (CLI::Option* option : app.get_options()) option->group("Options");
  for (const auto& [name, label] :
       {std::pair("--describe", "NAME"), std::pair("--statement", "NAME"), std::pair("--template", "STUDY"),
        std::pair("-o", "FILE"), std::pair("--progress", "FORM")}) {
    app.get_option(name)->type_name(label);
  }

  const std::vector<std::string> loose = parsed(words, app);
  line.help = app.help();
  std::vector<std::string> wishes;
  const auto request = [&](bool given, Request what, const char* name, const std::string& subject = {}) {
    if (!given) return;
    wishes.emplace_back(name);
    line.request = what;
    line.subject = subject;
  };
  request(!loose.empty(), Request::run, "a deck", loose.empty() ? "" : loose.front());
  request(list, Request::list, "--list");
  request(describe->count() > 0, Request::describe, "--describe", described);
  request(sample->count() > 0, Request::samples, "--statement", sampled);
  request(example->count() > 0, Request::deck_template, "--template", study);
  request(doctor, Request::doctor, "--doctor");
  request(version, Request::version, "--version");
  if (help) {
    line.request = Request::help;
    return line;
  }
  if (wishes.empty()) throw Error("no deck is given; '" + program + " --help' says what else there is");
  if (wishes.size() > 1) throw Error(wishes[0] + " and " + wishes[1] + " don't go together");
  if (line.request == Request::run) line.overrides.assign(loose.begin() + 1, loose.end());
  refuse_what_does_not_fit(line);
  return line;
}

}  // namespace cotangent::studies
