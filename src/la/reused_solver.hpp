// SPDX-License-Identifier: BSD-3-Clause
// A linear solver for the systems of Newton's method, one much like the last: a factorisation, or a
// preconditioner, is kept as long as GMRES needs few iterations with it, and made anew when not.
//
// Direct: GMRES over an LU, which is exact when fresh: PETSc's own or UMFPACK on one rank, MUMPS across
// (with -mat_mumps_icntl_14 200, without which it runs out of the room that it foresaw). Krylov: GMRES over
// a cycle of smoothed aggregation (ML, where PETSc has it: its iterations hardly grow with the mesh), or over
// an incomplete LU on each rank. The prefix lets the user choose anything else: -water_pc_type hypre, say.
#pragma once

#include <string>

#include "la/handles.hpp"

namespace cotangent::la {

/// Which package factorises a matrix of so many rows: on one rank PETSc's own by least degree, which beats
/// UMFPACK where its dense blocks are small, else UMFPACK; MUMPS across.
std::string factorisation(PetscInt rows);
void choose_factorisation(PC preconditioner, PetscInt rows);

class ReusedSolver {
 public:
  /// Collective.
  ReusedSolver(bool direct, PetscInt rows, const std::string& prefix);
  /// Solves A x = b until the residual is 1e-10 of b, directly 1e-8; the reason in plain words where that
  /// fails, else nothing. Collective.
  std::string solve(Mat matrix, Vec b, Vec x);
  /// The next solve starts afresh, to the bits of a new solver's first.
  void forget();
  /// What solves systems of so many rows, unless options say else: "GMRES over an LU by mumps".
  static std::string text(bool direct, PetscInt rows);

 private:
  LinearSolver solver_;
  int most_;
  bool made_ = false;
  int last_ = 0;
};

}  // namespace cotangent::la
