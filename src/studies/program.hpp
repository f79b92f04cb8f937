// The program `cotangent`, as a function: the same for the built-in models and for one that brings its own.
//   cotangent DECK.toml [key=value ...] [--resume] [--check] [--dry-run] [-- PETSc options]
//   cotangent --list | --describe NAME | --template STUDY | --version | --help
// A Lagrangian of one's own becomes a program with
//   int main(int argc, char** argv) { return run_program(argc, argv, own<MyModel>()); }
#pragma once

#include "billiards/domain.hpp"
#include "sections/problem_of.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

/// The problems of these models, for run_program().
template <class... Models>
Problems own() {
  Problems problems;
  (problems.push_back(std::make_unique<sections::ProblemOf<Models>>()), ...);
  return problems;
}

/// Billiards in sets of one's own: run_program(argc, argv, {}, own_sets<MySet>()).
template <class... Set>
Sets own_sets() {
  return {billiards::kind_of<Set>()...};
}

/// From main's arguments to main's result. Own problems are listed before the built-in ones and stand in for
/// those of the same name. Initialises MPI; an error becomes one message of rank 0 and the exit code of all
/// ranks, and a rank that fails alone ends the run.
int run_program(int argc, char** argv, Problems own = {}, Sets sets = {});

}  // namespace cotangent::studies
