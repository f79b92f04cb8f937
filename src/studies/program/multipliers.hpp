// SPDX-License-Identifier: BSD-3-Clause
// `[solver] multipliers`: who solves for the multipliers of constraints, lanes or PETSc, where a study of
// particles or trajectories under constraints leaves the choice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "integrators/multipliers.hpp"
#include "run/records.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Reads `[solver]`: "lanes" or "petsc", which only some methods take; refuses PETSc options where nothing
/// would ask for them.
std::string read_multipliers(const Task& task, const std::string& method,
                             const std::vector<std::string>& takers);

/// PETSc, and its solver for one batch on all ranks or one on each; nothing where lanes solve. PETSc lives as
/// long. Refuses PETSc options that nothing has asked for. Collective.
std::shared_ptr<integrators::MultiplierSolver> multiplier_solver(const Task& task,
                                                                 const std::string& multipliers,
                                                                 bool of_all_ranks);

/// For the summary: who solved, and what it took. Collective.
std::string solved_by(const std::shared_ptr<integrators::MultiplierSolver>& solver);
/// For the result's `/run`, where PETSc solves: the share that it gave up, which the number of ranks decides.
std::vector<io::DataSetSpec> data_sets(const std::shared_ptr<integrators::MultiplierSolver>& solver);
/// Enters it at the end. Collective.
void write(run::Records& records, const std::shared_ptr<integrators::MultiplierSolver>& solver);
/// For the provenance of a result: PETSc's version, and what it solves.
std::string petsc_for_multipliers();

}  // namespace cotangent::studies
