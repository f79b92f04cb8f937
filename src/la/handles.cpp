// SPDX-License-Identifier: BSD-3-Clause
#include "la/handles.hpp"

namespace cotangent::la {

Vector vector(PetscInt here) {
  Vector v;
  check(VecCreate(MPI_COMM_WORLD, v.out()), "VecCreate");
  check(VecSetSizes(v, here, PETSC_DETERMINE), "VecSetSizes");
  check(VecSetType(v, VECSTANDARD), "VecSetType");
  return v;
}

const char* reason(KSPConvergedReason code) noexcept {
  switch (code) {
    case KSP_CONVERGED_ITERATING:
      return "the linear solver is still at work";
    case KSP_DIVERGED_NULL:
      return "the linear solver gave up without a reason";
    case KSP_DIVERGED_ITS:
      return "the linear solver used up its iterations";
    case KSP_DIVERGED_DTOL:
      return "the linear solver's residual grew without bound";
    case KSP_DIVERGED_BREAKDOWN:
    case KSP_DIVERGED_BREAKDOWN_BICG:
      return "the linear solver broke down: its next direction vanished (a singular matrix?)";
    case KSP_DIVERGED_NONSYMMETRIC:
      return "the linear solver needs a symmetric matrix and this one isn't";
    case KSP_DIVERGED_INDEFINITE_PC:
      return "the linear solver needs a positive preconditioner and this one isn't";
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "the linear solver needs a positive matrix and this one isn't";
    case KSP_DIVERGED_NANORINF:
      return "the linear system holds an infinity or NaN";
    case KSP_DIVERGED_PC_FAILED:
      return "the matrix could not be factorised: it is singular, or nearly so";
    default:
      return code > 0 ? "the linear solver converged" : "the linear solver failed for an unknown reason";
  }
}

const char* reason(SNESConvergedReason code) noexcept {
  switch (code) {
    case SNES_CONVERGED_ITERATING:
      return "Newton's method is still at work";
    case SNES_DIVERGED_FUNCTION_DOMAIN:
      return "Newton's method left the domain of the equations";
    case SNES_DIVERGED_FUNCTION_COUNT:
      return "Newton's method used up its evaluations";
    case SNES_DIVERGED_LINEAR_SOLVE:
      return "a linear system of Newton's method could not be solved";
    case SNES_DIVERGED_FNORM_NAN:
      return "the equations gave an infinity or NaN";
    case SNES_DIVERGED_MAX_IT:
      return "Newton's method used up its iterations";
    case SNES_DIVERGED_LINE_SEARCH:
      return "no step along Newton's direction makes the residual smaller";
    case SNES_DIVERGED_INNER:
      return "an inner solve of Newton's method failed";
    case SNES_DIVERGED_LOCAL_MIN:
      return "Newton's method is stuck where the residual is least, but not zero";
    case SNES_DIVERGED_DTOL:
      return "Newton's residual grew without bound";
    case SNES_DIVERGED_JACOBIAN_DOMAIN:
      return "the Jacobian doesn't exist here";
    case SNES_DIVERGED_TR_DELTA:
      return "Newton's trust region shrank to nothing";
    default:
      return code > 0 ? "Newton's method converged" : "Newton's method failed for an unknown reason";
  }
}

void solve(const LinearSolver& solver, Vec b, Vec x) {
  check(KSPSolve(solver, b, x), "KSPSolve");
  KSPConvergedReason code = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(solver, &code), "KSPGetConvergedReason");
  if (code < 0) throw PetscFailure(std::string("KSPSolve: ") + reason(code));
}

SNESConvergedReason solve(const NonlinearSolver& solver, Vec x) {
  check(SNESSolve(solver, nullptr, x), "SNESSolve");
  SNESConvergedReason code = SNES_CONVERGED_ITERATING;
  check(SNESGetConvergedReason(solver, &code), "SNESGetConvergedReason");
  return code;
}

void forget_systems(const NonlinearSolver& solver) {
  KSP linear = nullptr;
  check(SNESGetKSP(solver, &linear), "SNESGetKSP");
  check(KSPReset(linear), "KSPReset");
}

}  // namespace cotangent::la
