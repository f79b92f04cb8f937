// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/block_system.hpp"

#include <algorithm>
#include <optional>

#include "la/indices.hpp"
#include "la/interface_schur_solver.hpp"

namespace cotangent::lattice {

using la::check;

namespace {

/// To how large a part of its right-hand side a system is solved that is solved by iterations: those around
/// it correct the rest.
constexpr double enough = 1e-4;

/// A system whose solver's options the user gives, or that needs pivots: assembled over all ranks for KSP.
struct Assembled {
  la::Matrix matrix;
  la::Vector right, solution;
  la::LinearSolver solver;
};

}  // namespace

struct BlockSystem::Handles {
  const Lattice* lattice;
  const Pattern* pattern;
  int block = 1;
  std::optional<la::InterfaceSchurSolver> substructures;
  Assembled assembled;  // else
  std::string failure;  // of the last factorisation

  /// The number, among all sites, of one at this place.
  PetscInt number(std::int64_t place) const {
    const std::int64_t own = lattice->own(), first = lattice->here.range.first, all = lattice->sites;
    const std::int64_t site = !lattice->here.listed || place < own
                                  ? ((first + place) % all + all) % all
                                  : lattice->ghosts[static_cast<std::size_t>(place - own)].site;
    return static_cast<PetscInt>(site);
  }
  std::span<const std::int64_t> row(std::int64_t site) const {
    const std::int64_t begin = pattern->begin[static_cast<std::size_t>(site)];
    return {pattern->place.data() + begin,
            static_cast<std::size_t>(pattern->begin[static_cast<std::size_t>(site) + 1] - begin)};
  }
  la::InterfaceSchurSolver::Pattern numbers() const {
    la::InterfaceSchurSolver::Pattern result{block, static_cast<PetscInt>(lattice->here.range.first), {}, {}};
    for (const std::int64_t begin : pattern->begin) result.begin.push_back(static_cast<PetscInt>(begin));
    for (const std::int64_t place : pattern->place) result.columns.push_back(number(place));
    return result;
  }
  void assemble_like(const la::InterfaceSchurSolver::Pattern& numbers, const char* prefix, Solver kind);
};

void BlockSystem::Handles::assemble_like(const la::InterfaceSchurSolver::Pattern& numbers, const char* prefix,
                                         Solver kind) {
  const auto sites = static_cast<PetscInt>(lattice->own()), size = sites * block;
  std::vector<PetscInt> here, elsewhere;
  for (std::size_t site = 0; site < static_cast<std::size_t>(sites); ++site) {
    const auto from = numbers.columns.begin() + numbers.begin[site],
               to = numbers.columns.begin() + numbers.begin[site + 1];
    here.push_back(static_cast<PetscInt>(std::count_if(
        from, to, [&](PetscInt other) { return other >= numbers.first && other < numbers.first + sites; })));
    elsewhere.push_back(static_cast<PetscInt>(to - from) - here.back());
  }
  auto& [matrix, right, solution, solver] = assembled;
  check(MatCreate(MPI_COMM_WORLD, matrix.out()), "MatCreate");
  check(MatSetSizes(matrix, size, size, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
  check(MatSetType(matrix, kind == Solver::pivoting ? MATAIJ : MATBAIJ), "MatSetType");
  check(MatSetOptionsPrefix(matrix, prefix), "MatSetOptionsPrefix");
  check(MatSetFromOptions(matrix), "MatSetFromOptions");
  check(MatXAIJSetPreallocation(matrix, block, here.data(), elsewhere.data(), nullptr, nullptr),
        "MatXAIJSetPreallocation");
  check(MatCreateVecs(matrix, solution.out(), right.out()), "MatCreateVecs");
  check(KSPCreate(MPI_COMM_WORLD, solver.out()), "KSPCreate");
  check(KSPSetOptionsPrefix(solver, prefix), "KSPSetOptionsPrefix");
  check(KSPSetOperators(solver, matrix, matrix), "KSPSetOperators");
  PC preconditioner = nullptr;
  check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
  if (kind == Solver::pivoting) {
    check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
    check(PCSetType(preconditioner, PCLU), "PCSetType");
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS), "PCFactorSetMatSolverType");
  } else {
    check(KSPSetType(solver, KSPGMRES), "KSPSetType");
    check(KSPSetTolerances(solver, enough, PETSC_DEFAULT, PETSC_DEFAULT, 500), "KSPSetTolerances");
  }
  check(KSPSetFromOptions(solver), "KSPSetFromOptions");
}

BlockSystem::~BlockSystem() = default;
BlockSystem::BlockSystem(BlockSystem&&) noexcept = default;

BlockSystem::BlockSystem(const Lattice& lattice, const Pattern& pattern, int block, const char* prefix,
                         Solver solver, const BlockSystem* like)
    : handles_(std::make_unique<Handles>(&lattice, &pattern, block)) {
  la::require_indices("the lattice's equations", lattice.sites * block,
                      std::ssize(pattern.place) * block * block);
  Handles& own = *handles_;
  if (solver != Solver::reduced || la::has_option(prefix))
    own.assemble_like(own.numbers(), prefix, solver);
  else if (like != nullptr)
    own.substructures.emplace(*like->handles_->substructures);
  else
    own.substructures.emplace(own.numbers(), enough);
}

void BlockSystem::fill(const Row& row) {
  Handles& own = *handles_;
  const Mat matrix = own.assembled.matrix;
  std::vector<PetscInt> columns;
  std::vector<double> values;
  for (std::int64_t site = 0; site < own.lattice->own(); ++site) {
    const auto places = own.row(site);
    values.assign(places.size() * static_cast<std::size_t>(own.block * own.block), 0.0);
    row(site, own.pattern->begin[static_cast<std::size_t>(site)], places, values);
    if (own.substructures) {
      own.substructures->set(static_cast<PetscInt>(site), values);
      continue;
    }
    columns.clear();
    for (const std::int64_t place : places) columns.push_back(own.number(place));
    const PetscInt number = own.number(site);
    check(MatSetValuesBlocked(matrix, 1, &number, static_cast<PetscInt>(columns.size()), columns.data(),
                              values.data(), INSERT_VALUES),
          "MatSetValuesBlocked");
  }
  if (own.substructures) {
    own.failure = own.substructures->factorise();
    return;
  }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  check(KSPSetOperators(own.assembled.solver, matrix, matrix), "KSPSetOperators");
}

std::string BlockSystem::solve(std::span<double> values) {
  Handles& own = *handles_;
  if (own.substructures) return own.failure.empty() ? own.substructures->solve(values) : own.failure;
  const auto& [matrix, right, solution, solver] = own.assembled;
  std::ranges::copy(values, la::Values(right).data());
  check(KSPSolve(solver, right, solution), "KSPSolve");
  KSPConvergedReason code = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(solver, &code), "KSPGetConvergedReason");
  if (code < 0) return la::reason(code);
  std::copy_n(la::Values(solution).data(), values.size(), values.begin());
  return "";
}

std::string BlockSystem::solver() const {
  if (handles_->substructures) return "PETSc's LU of each rank's part, joined by GMRES";
  const KSP solver = handles_->assembled.solver;
  PC preconditioner = nullptr;
  check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
  const char *krylov = nullptr, *before = nullptr, *matrix = nullptr;
  check(KSPGetType(solver, &krylov), "KSPGetType");
  check(PCGetType(preconditioner, &before), "PCGetType");
  check(MatGetType(handles_->assembled.matrix, &matrix), "MatGetType");
  return std::string("PETSc's KSP of all ranks' matrix (") + matrix + ", " + krylov + ", " + before + ")";
}

}  // namespace cotangent::lattice
