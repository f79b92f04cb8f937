// SPDX-License-Identifier: BSD-3-Clause
// PETSc for its lifetime: begun after MPI with the user's options, ended before it; and the one error check.
//
// Every call of PETSc goes through check(): a failure is a PetscFailure that names the call and PETSc's own
// reason. PETSc prints nothing, catches no signals and reads no ~/.petscrc: a run depends on its deck and on
// its command line alone. Reference: PETSc users' manual, ANL-21/39. Limits: real scalars in double
// precision.
#pragma once

#include <exception>
#include <petscsys.h>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.hpp"

namespace cotangent::la {

static_assert(std::is_same_v<PetscScalar, double>, "Cotangent needs a PETSc of real double precision");

/// A call of PETSc failed: the text names the call and PETSc's reason.
class PetscFailure : public Error {
 public:
  explicit PetscFailure(const std::string& what) : Error(what, exit_internal_error) {}
};

/// Throws PetscFailure where a call of PETSc, whose name is given, returned an error.
void check(PetscErrorCode code, const char* call);

/// Runs the body of a function that PETSc calls back: what it throws becomes PETSc's error, and comes out of
/// the check() around PETSc's call as a PetscFailure with the same text.
template <class Body>
PetscErrorCode called_back(const Body& body) noexcept {
  try {
    body();
    return PetscErrorCode{};
  } catch (const std::exception& error) {
    return PetscError(PETSC_COMM_SELF, 0, "a function of Cotangent", "", PETSC_ERR_LIB, PETSC_ERROR_INITIAL,
                      "%s", error.what());
  }
}

/// Opens PETSc's library where the program isn't linked with it (cmake/late_petsc.cmake). Throws an Error
/// where it isn't there.
void open_petsc();

/// PETSc from here to the end of this object's life. One object, made after parallel::Mpi. Collective.
class Petsc {
 public:
  /// The options are those that the user wrote after `--`; a word that is no option throws Error.
  explicit Petsc(const std::vector<std::string>& options = {});
  ~Petsc();
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;

 private:
  bool owner_ = false;
};

/// Whether PETSc may be called.
bool active() noexcept;
/// Whether an option was given whose name begins so, "position_" say.
bool has_option(const std::string& prefix);
/// The options that were given and that nothing has asked for, as "-name value": misspelt, as a rule.
std::vector<std::string> unused_options();
/// "3.18.5"
std::string petsc_version();

}  // namespace cotangent::la
