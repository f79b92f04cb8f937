#include "lattice/block_system.hpp"

#include <algorithm>

#include "la/handles.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

using la::check;

/// The matrix, in blocks, and vectors. Factors once made don't need it: systems of one shape, each of which
/// keeps its factors, may then have it in turn.
struct BlockSystem::Storage {
  la::Matrix matrix;
  la::Vector right, solution;
};

struct BlockSystem::Handles {
  const Lattice* lattice;
  const Pattern* pattern;
  std::shared_ptr<Storage> storage;
  la::LinearSolver solver;
  int block = 1;
  bool factors_alone = false;

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
};

namespace {

bool chosen(const std::string& prefix, const char* option) {
  PetscBool found = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, prefix.c_str(), option, &found), "PetscOptionsHasName");
  return found == PETSC_TRUE;
}

/// Of a chain no order fills more than a few blocks in, but PETSc's default, nested dissection, costs half as
/// much again; of a sheet of 96 x 64 sites it takes three times the time of minimum degree.
constexpr MatOrderingType ordering = MATORDERINGQMD;

la::LinearSolver solver_for(Mat matrix, const std::string& prefix, BlockSystem::Solver kind) {
  la::LinearSolver solver;
  check(KSPCreate(PETSC_COMM_WORLD, solver.out()), "KSPCreate");
  check(KSPSetOptionsPrefix(solver, prefix.c_str()), "KSPSetOptionsPrefix");
  check(KSPSetOperators(solver, matrix, matrix), "KSPSetOperators");
  PC preconditioner = nullptr;
  check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
  const bool pivoting = kind == BlockSystem::Solver::pivoting;
  if (pivoting || parallel::size() == 1) {
    check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
    check(PCSetType(preconditioner, PCLU), "PCSetType");
    check(pivoting ? PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS)
                   : PCFactorSetMatOrderingType(preconditioner, ordering),
          "PCFactorSetMatOrderingType");
  } else {
    check(KSPSetType(solver, KSPGMRES), "KSPSetType");
    check(KSPSetTolerances(solver, 1e-4, PETSC_DEFAULT, PETSC_DEFAULT, 500), "KSPSetTolerances");
    check(PCSetType(preconditioner, PCBJACOBI), "PCSetType");
    const auto unless_chosen = [&](const std::string& option, const char* value) {
      if (chosen(prefix, ("-" + option).c_str())) return;
      check(PetscOptionsSetValue(nullptr, ("-" + prefix + option).c_str(), value), "PetscOptionsSetValue");
    };
    unless_chosen("sub_pc_type", "lu");
    unless_chosen("sub_pc_factor_mat_ordering_type", ordering);
  }
  check(KSPSetFromOptions(solver), "KSPSetFromOptions");
  return solver;
}

}  // namespace

BlockSystem::~BlockSystem() = default;
BlockSystem::BlockSystem(BlockSystem&&) noexcept = default;

BlockSystem::BlockSystem(const Lattice& lattice, const Pattern& pattern, int block, const char* prefix,
                         Solver solver, const BlockSystem* like)
    : handles_(std::make_unique<Handles>()) {
  Handles& own = *handles_;
  own.lattice = &lattice;
  own.pattern = &pattern;
  own.block = block;
  own.factors_alone = (parallel::size() == 1 || solver == Solver::pivoting) && !chosen(prefix, "-ksp_type") &&
                      !chosen(prefix, "-pc_type");
  if (like != nullptr && own.factors_alone) {
    own.storage = like->handles_->storage;
  } else {
    own.storage = std::make_shared<Storage>();
    const auto sites = static_cast<PetscInt>(lattice.own()), size = sites * block;
    const std::int64_t first = lattice.here.range.first;
    std::vector<PetscInt> here, elsewhere;
    for (std::int64_t site = 0; site < lattice.own(); ++site) {
      const auto row = own.row(site);
      const auto mine = std::ranges::count_if(row, [&](std::int64_t place) {
        const std::int64_t other = own.number(place);
        return other >= first && other < first + lattice.own();
      });
      here.push_back(static_cast<PetscInt>(mine));
      elsewhere.push_back(static_cast<PetscInt>(std::ssize(row) - mine));
    }
    auto& [matrix, right, solution] = *own.storage;
    check(MatCreate(PETSC_COMM_WORLD, matrix.out()), "MatCreate");
    check(MatSetSizes(matrix, size, size, PETSC_DETERMINE, PETSC_DETERMINE), "MatSetSizes");
    check(MatSetType(matrix, solver == Solver::pivoting ? MATAIJ : MATBAIJ), "MatSetType");
    check(MatSetOptionsPrefix(matrix, prefix), "MatSetOptionsPrefix");
    check(MatSetFromOptions(matrix), "MatSetFromOptions");
    check(MatXAIJSetPreallocation(matrix, block, here.data(), elsewhere.data(), nullptr, nullptr),
          "MatXAIJSetPreallocation");
    check(MatCreateVecs(matrix, solution.out(), right.out()), "MatCreateVecs");
  }
  own.solver = solver_for(own.storage->matrix, prefix, solver);
}

void BlockSystem::fill(const Row& row) {
  const Handles& own = *handles_;
  const Mat matrix = own.storage->matrix;
  std::vector<PetscInt> columns;
  std::vector<double> values;
  for (std::int64_t site = 0; site < own.lattice->own(); ++site) {
    const auto places = own.row(site);
    columns.clear();
    for (const std::int64_t place : places) columns.push_back(own.number(place));
    values.assign(places.size() * static_cast<std::size_t>(own.block * own.block), 0.0);
    row(site, own.pattern->begin[static_cast<std::size_t>(site)], places, values);
    const PetscInt number = own.number(site);
    check(MatSetValuesBlocked(matrix, 1, &number, static_cast<PetscInt>(columns.size()), columns.data(),
                              values.data(), INSERT_VALUES),
          "MatSetValuesBlocked");
  }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  check(KSPSetReusePreconditioner(own.solver, PETSC_FALSE), "KSPSetReusePreconditioner");
  check(KSPSetOperators(own.solver, matrix, matrix), "KSPSetOperators");
  if (!own.factors_alone) return;
  check(KSPSetUp(own.solver), "KSPSetUp");  // before another system has the storage
  check(KSPSetReusePreconditioner(own.solver, PETSC_TRUE), "KSPSetReusePreconditioner");
}

std::string BlockSystem::solve(std::span<double> values) {
  const Handles& own = *handles_;
  const auto& [matrix, right, solution] = *own.storage;
  std::ranges::copy(values, la::Values(right).data());
  check(KSPSolve(own.solver, right, solution), "KSPSolve");
  KSPConvergedReason code = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(own.solver, &code), "KSPGetConvergedReason");
  if (code < 0) return la::reason(code);
  std::copy_n(la::Values(solution).data(), values.size(), values.begin());
  return "";
}

}  // namespace cotangent::lattice
