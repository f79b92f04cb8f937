// SPDX-License-Identifier: BSD-3-Clause
#include "la/reused_solver.hpp"

#include <dlfcn.h>
#include <limits>

namespace cotangent::la {

namespace {

int ranks_of_petsc() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

}  // namespace

std::string factorisation([[maybe_unused]] PetscInt rows) {
#if defined(PETSC_HAVE_MUMPS)
  if (ranks_of_petsc() > 1) return MATSOLVERMUMPS;
#endif
#if defined(PETSC_HAVE_SUITESPARSE)
  if (ranks_of_petsc() == 1 && rows > 8000) return MATSOLVERUMFPACK;
#endif
  return MATSOLVERPETSC;
}

void choose_factorisation(PC preconditioner, PetscInt rows) {
  const std::string package = factorisation(rows);
  check(PCSetType(preconditioner, PCLU), "PCSetType");
  // PETSc's own least pivot, 2e-14, is of entries about 1; ours have units, and GMRES judges what comes of
  // them.
  check(PCFactorSetZeroPivot(preconditioner, std::numeric_limits<double>::min()), "PCFactorSetZeroPivot");
  if (package == MATSOLVERMUMPS) {
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS), "PCFactorSetMatSolverType");
    PetscBool given = PETSC_FALSE;
    check(PetscOptionsHasName(nullptr, nullptr, "-mat_mumps_icntl_14", &given), "PetscOptionsHasName");
    const char* prefix = nullptr;
    check(PCGetOptionsPrefix(preconditioner, &prefix), "PCGetOptionsPrefix");
    const std::string option = std::string("-") + (prefix == nullptr ? "" : prefix) + "mat_mumps_icntl_14";
    PetscBool own = PETSC_FALSE;
    check(PetscOptionsHasName(nullptr, nullptr, option.c_str(), &own), "PetscOptionsHasName");
    if (!own) check(PetscOptionsSetValue(nullptr, option.c_str(), "200"), "PetscOptionsSetValue");
  }
  const bool alone = ranks_of_petsc() == 1;
  check(PCFactorSetMatOrderingType(preconditioner,
                                   alone && package == MATSOLVERPETSC ? MATORDERINGQMD : MATORDERINGEXTERNAL),
        "PCFactorSetMatOrderingType");
  if (package == MATSOLVERUMFPACK)
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERUMFPACK), "PCFactorSetMatSolverType");
}

std::string ReusedSolver::text(bool direct, PetscInt rows) {
  if (direct) return "GMRES over an LU by " + factorisation(rows);
#if defined(PETSC_HAVE_ML)
  return "flexible GMRES over smoothed aggregation by ml";
#else
  return "flexible GMRES over an incomplete LU on each rank";
#endif
}

ReusedSolver::ReusedSolver(bool direct, PetscInt rows, const std::string& prefix) : most_(direct ? 6 : 10) {
  check(KSPCreate(MPI_COMM_WORLD, solver_.out()), "KSPCreate");
  check(KSPSetOptionsPrefix(solver_, prefix.c_str()), "KSPSetOptionsPrefix");
  check(KSPSetType(solver_, direct ? KSPGMRES : KSPFGMRES), "KSPSetType");
  check(KSPSetTolerances(solver_, direct ? 1e-8 : 1e-10, 1e-300, PETSC_DEFAULT, direct ? 30 : 400),
        "KSPSetTolerances");
  check(KSPGMRESSetRestart(solver_, 60), "KSPGMRESSetRestart");
  PC preconditioner = nullptr;
  check(KSPGetPC(solver_, &preconditioner), "KSPGetPC");
  if (direct) {
    choose_factorisation(preconditioner, rows);
  } else {
#if defined(PETSC_HAVE_ML)
    check(PCSetType(preconditioner, PCML), "PCSetType");
#else
    check(PCSetType(preconditioner, ranks_of_petsc() > 1 ? PCBJACOBI : PCILU), "PCSetType");
#endif
  }
  check(KSPSetFromOptions(solver_), "KSPSetFromOptions");
}

void ReusedSolver::forget() {
  made_ = false;
  // ML's random vectors, by which it estimates eigenvalues, go on from one preconditioner to the next.
  using Begin = int();
  auto* const begin = reinterpret_cast<Begin*>(::dlsym(RTLD_DEFAULT, "ML_random_init"));
  if (begin != nullptr) begin();
}

std::string ReusedSolver::solve(Mat matrix, Vec b, Vec x) {
  for (;;) {
    const bool reuse = made_ && last_ <= most_;
    check(KSPSetReusePreconditioner(solver_, reuse ? PETSC_TRUE : PETSC_FALSE), "KSPSetReusePreconditioner");
    check(KSPSetOperators(solver_, matrix, matrix), "KSPSetOperators");
    check(KSPSolve(solver_, b, x), "KSPSolve");
    KSPConvergedReason code = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    check(KSPGetConvergedReason(solver_, &code), "KSPGetConvergedReason");
    check(KSPGetIterationNumber(solver_, &iterations), "KSPGetIterationNumber");
    last_ = iterations;
    made_ = code > 0;
    if (code > 0) return "";
    if (!reuse) return reason(code);
  }
}

}  // namespace cotangent::la
