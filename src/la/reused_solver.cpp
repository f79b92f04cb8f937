#include "la/reused_solver.hpp"

namespace cotangent::la {

void choose_factorisation(PC preconditioner, [[maybe_unused]] PetscInt rows) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  check(PCSetType(preconditioner, PCLU), "PCSetType");
#if defined(PETSC_HAVE_MUMPS)
  if (ranks > 1) {
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
#endif
  check(PCFactorSetMatOrderingType(preconditioner, ranks > 1 ? MATORDERINGEXTERNAL : MATORDERINGQMD),
        "PCFactorSetMatOrderingType");
#if defined(PETSC_HAVE_SUITESPARSE)
  if (ranks == 1 && rows > 8000) {
    check(PCFactorSetMatOrderingType(preconditioner, MATORDERINGEXTERNAL), "PCFactorSetMatOrderingType");
    check(PCFactorSetMatSolverType(preconditioner, MATSOLVERUMFPACK), "PCFactorSetMatSolverType");
  }
#endif
}

ReusedSolver::ReusedSolver(bool direct, PetscInt rows, const std::string& prefix)
    : direct_(direct), most_(direct ? 6 : 10) {
  check(KSPCreate(PETSC_COMM_WORLD, solver_.out()), "KSPCreate");
  check(KSPSetOptionsPrefix(solver_, prefix.c_str()), "KSPSetOptionsPrefix");
  check(KSPSetType(solver_, direct ? KSPGMRES : KSPFGMRES), "KSPSetType");
  check(KSPSetTolerances(solver_, direct ? 1e-8 : 1e-6, 1e-300, PETSC_DEFAULT, direct ? 30 : 400),
        "KSPSetTolerances");
  check(KSPGMRESSetRestart(solver_, 60), "KSPGMRESSetRestart");
  PC preconditioner = nullptr;
  check(KSPGetPC(solver_, &preconditioner), "KSPGetPC");
  if (direct) {
    choose_factorisation(preconditioner, rows);
  } else {
    int ranks = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
#if defined(PETSC_HAVE_ML)
    check(PCSetType(preconditioner, PCML), "PCSetType");
#else
    check(PCSetType(preconditioner, ranks > 1 ? PCBJACOBI : PCILU), "PCSetType");
#endif
  }
  check(KSPSetFromOptions(solver_), "KSPSetFromOptions");
  fixed_ = has_option(prefix + "ksp_rtol");
}

std::string ReusedSolver::solve(Mat matrix, Vec b, Vec x, double enough) {
  if (!direct_ && !fixed_)
    check(KSPSetTolerances(solver_, enough, 1e-300, PETSC_DEFAULT, 400), "KSPSetTolerances");
  for (;;) {
    const bool reuse = made_ && last_ <= most_;
    check(KSPSetReusePreconditioner(solver_, reuse ? PETSC_TRUE : PETSC_FALSE), "KSPSetReusePreconditioner");
    check(KSPSetOperators(solver_, matrix, matrix), "KSPSetOperators");
    check(KSPSolve(solver_, b, x), "KSPSolve");
    KSPConvergedReason code = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    check(KSPGetConvergedReason(solver_, &code), "KSPGetConvergedReason");
    check(KSPGetIterationNumber(solver_, &iterations), "KSPGetIterationNumber");
    if (!reuse) ++factorisations_;
    last_ = iterations;
    made_ = code > 0;
    if (code > 0) return "";
    if (!reuse) return reason(code);
  }
}

}  // namespace cotangent::la
