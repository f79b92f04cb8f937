// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <vector>

#include "core/real.hpp"
#include "io/hdf5.hpp"
#include "io/mpi_io.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "studies/program/catalogue.hpp"
#include "studies/program/command_line.hpp"
#include "studies/program/doctor.hpp"
#include "studies/program/javascript.hpp"
#include "studies/program/samples.hpp"
#include "studies/program/settings.hpp"

namespace cotangent::studies {
namespace {

/// Rank 0 prints. Collective.
void print(const std::string& text) {
  parallel::on_rank_zero([&] {
    std::cout << text << std::flush;
    if (!std::cout) throw FileError("cannot write to the standard output");
  });
}

/// The program's own statements first, then the built-in ones, but for those whose name the program has
/// taken.
template <class T>
void complete(std::vector<T>& own, std::vector<T> built_in, const auto& name_of) {
  for (T& item : built_in) {
    const auto same = [&](const T& other) { return name_of(other) == name_of(item); };
    if (std::ranges::none_of(own, same)) own.push_back(std::move(item));
  }
}

Statements with_built_in(Statements own) {
  const auto name = [](const auto& item) { return item->name(); };
  const auto kind = [](const auto& item) { return item.name; };
  for (auto& surface : particles::built_in_surfaces()) {  // each belongs to the built-in problem of its name
    if (std::ranges::find(own.problems, surface->name(), name) == own.problems.end())
      own.surfaces.push_back(std::move(surface));
  }
  complete(own.problems, sections::built_in_problems(), name);
  complete(own.potentials, particles::built_in_potentials(), name);
  complete(own.lattices, lattice::built_in_models(), name);
  complete(own.sets, billiards::built_in_sets(), kind);
  complete(own.fields, billiards::built_in_fields(), kind);
  return own;
}

/// Ranks whose programs were built for other processors have the same bits where both fuse, or none does.
void refuse_mixed_processors() {
  const auto kinds = parallel::maximum(std::vector<std::int64_t>{hardware_fma ? 1 : 0, hardware_fma ? 0 : 1});
  if (kinds[0] + kinds[1] == 2)
    throw Error(
        "some ranks' processors have fused multiply-add and some have not: their bits would differ; "
        "give all the same program, COTANGENT_CPU=x86-64-v2 (mpirun -x COTANGENT_CPU), or other nodes");
}

ExitCode run_deck(const CommandLine& line, const Statements& stated) {
  refuse_mixed_processors();
  if (const char* level = std::getenv("COTANGENT_CPU"); level && parallel::rank() == 0)
    std::cerr << "cotangent: COTANGENT_CPU=" << level << " has no effect: this program has one level\n";
  std::string text;
  parallel::on_rank_zero([&] { text = io::read_file(line.subject); });
  text = parallel::broadcast(std::move(text));

  Task task{.deck = io::Deck::parse(text, line.subject, line.overrides),
            .stated = stated,
            .command_line = line.written,
            .resume = line.resume,
            .telling = line.progress == "json" ? run::Telling::json : run::Telling::text,
            .check = line.check || line.compile,
            .compile = line.compile,
            .compiled_file = line.compiled_file,
            .dry_run = line.dry_run,
            .petsc_options = line.petsc_options,
            .deck_file = line.subject};
  std::vector<std::string> names;
  for (const Study& study : study_list()) names.push_back(study.name);
  const Study& study = study_named(task.deck.root().choice("study", names));
  if (!task.petsc_options.empty() && !study.takes_petsc_options) {
    throw Error("study \"" + study.name +
                "\" solves no large systems: the PETSc options after -- would have " + "no effect");
  }
  const ExitCode code = study.run(task);
  if (line.compile) {
    if (task.formulas.empty()) throw Error("the deck has no formulas to compile");
    print("formulas " + task.formulas + "\n");
  }
  if (task.check) {
    for (const std::string& warning : task.warnings) print("warning: " + warning + "\n");
  }
  if (line.check && code == exit_success) print("deck ok\n");
  return code;
}

/// All about what has this name, or about the model of a deck, where the subject is the name of one.
std::string described(const CommandLine& line, const Statements& stated) {
  const auto how = line.latex        ? std::optional(Written::latex)
                   : line.as_deck    ? std::optional(Written::deck)
                   : line.javascript ? std::optional(Written::javascript)
                                     : std::nullopt;
  if (!line.subject.ends_with(".toml"))
    return how ? formulas_as(*how, line.subject, stated) : description(line.subject, stated);
  Task task{.deck = io::Deck::parse(io::read_file(line.subject), line.subject, {}),
            .stated = stated,
            .command_line = line.written,
            .check = true,
            .petsc_options = {},
            .deck_file = line.subject};
  if (how == Written::javascript) return javascript_of(task);
  return model_of_deck(how, task);
}

ExitCode fulfil(const CommandLine& line, const Statements& stated) {
  switch (line.request) {
    case Request::run:
      return run_deck(line, stated);
    case Request::list:
      print(catalogue(stated));
      break;
    case Request::describe:
      print(described(line, stated));
      break;
    case Request::samples:
      print(samples(line.subject, stated));
      break;
    case Request::deck_template:
      print(study_named(line.subject).example + settings_keys);
      break;
    case Request::doctor:
      return examine_machine();
    case Request::version:
      print(version_text());
      break;
    case Request::help:
      print(line.help);
      break;
  }
  return exit_success;
}

struct Failure {
  ExitCode code;
  std::string text;
};

/// Says what the error was: rank 0 says it for all, where they have all failed.
int report(const Failure& failure) {
  std::cout << std::flush;
  parallel::end_if_alone(failure.code, failure.text);
  if (parallel::rank() == 0) std::cerr << "cotangent: " << failure.text << std::endl;
  return static_cast<int>(parallel::broadcast(static_cast<std::int64_t>(failure.code)));
}

}  // namespace

int run_program(int argc, char** argv, Statements own) {
  try {
    // Starting MPI takes a third of a second: what one process can answer by itself doesn't wait for it.
    std::optional<parallel::Mpi> mpi;
    if (parallel::launched()) {
      io::require_scratch();  // without room there MPI would end the program, and not say why
      mpi.emplace(argc, argv);
    }
    parallel::install_signal_handlers();
    int code = exit_success;
    try {
      const CommandLine line = parse_command_line(argc, argv);
      const bool runs = line.request == Request::run && !line.check && !line.compile;
      if (!mpi && (runs || line.request == Request::doctor)) mpi.emplace(argc, argv);
      const ExitCode ended = fulfil(line, with_built_in(std::move(own)));
      parallel::agree(io::require_closed);
      return ended;
    } catch (const Error& error) {
      code = report({error.code(), error.what()});
    } catch (const std::bad_alloc&) {
      code = report({exit_internal_error, parallel::out_of_memory});
    } catch (const std::exception& error) {
      code = report({exit_internal_error, std::string("internal error: ") + error.what()});
    }
    if (mpi && parallel::any(io::holds_open_files())) mpi->end_at_once(code);
    return code;
  } catch (const FileError& error) {  // before MPI
    std::cerr << "cotangent: " << error.what() << std::endl;
    return exit_file_system;
  } catch (const parallel::MpiError& error) {
    std::cerr << "cotangent: " << error.what() << std::endl;
    parallel::abort(exit_internal_error);
  }
}

}  // namespace cotangent::studies
