// SPDX-License-Identifier: BSD-3-Clause
// Move-only owners of PETSc's handles. An owner converts to the raw handle, so that all of PETSc stays within
// reach; it is filled through out(), and destroyed once, never after PETSc has ended.
//   Vector x;  check(VecDuplicate(y, x.out()), "VecDuplicate");  check(VecSet(x, 1.0), "VecSet");
#pragma once

#include <petscsnes.h>
#include <utility>

#include "la/petsc.hpp"

namespace cotangent::la {

/// The owner of one handle; moving is all it can be done to. Destruction is collective, as in PETSc.
template <class Raw, PetscErrorCode (*destroy)(Raw*)>
class Owner {
 public:
  Owner() = default;
  /// Takes over a handle that somebody else made.
  explicit Owner(Raw handle) noexcept : handle_(handle) {}
  ~Owner() { reset(); }
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }

  Raw raw() const noexcept { return handle_; }
  operator Raw() const noexcept { return handle_; }  // NOLINT: PETSc's functions take it as it is
  /// Where a function of PETSc may put a new handle; the old one is destroyed first.
  Raw* out() noexcept {
    reset();
    return &handle_;
  }
  /// Gives the handle away.
  Raw release() noexcept { return std::exchange(handle_, nullptr); }
  void reset() noexcept {
    if (handle_ != nullptr && active()) destroy(&handle_);
    handle_ = nullptr;
  }

 private:
  Raw handle_ = nullptr;
};

using Vector = Owner<Vec, VecDestroy>;
using Matrix = Owner<Mat, MatDestroy>;
using IndexSet = Owner<IS, ISDestroy>;
using Scatter = Owner<VecScatter, VecScatterDestroy>;
using LinearSolver = Owner<KSP, KSPDestroy>;
using NonlinearSolver = Owner<SNES, SNESDestroy>;

/// A vector of this many entries on this rank. Collective.
Vector vector(PetscInt here);

/// A vector's entries on this rank, to read and write, as long as this lives.
class Values {
 public:
  explicit Values(Vec vector) : vector_(vector) { check(VecGetArray(vector_, &data_), "VecGetArray"); }
  ~Values() { VecRestoreArray(vector_, &data_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  double* data() const noexcept { return data_; }

 private:
  Vec vector_;
  double* data_ = nullptr;
};

/// Why an iteration of KSP or SNES ended, in plain words.
const char* reason(KSPConvergedReason code) noexcept;
const char* reason(SNESConvergedReason code) noexcept;

/// Solves A x = b; throws PetscFailure with KSP's reason where it didn't converge. Collective.
void solve(const LinearSolver& solver, Vec b, Vec x);
/// Solves F(x) = 0 from the x given; returns SNES's reason, which is negative where it failed. Collective.
SNESConvergedReason solve(const NonlinearSolver& solver, Vec x);
/// Forgets what its linear solver has made ready: the next solve makes it of its own systems alone. Otherwise
/// overlapping blocks, say, stay those of the unknowns that were free when they were made. Collective.
void forget_systems(const NonlinearSolver& solver);

}  // namespace cotangent::la
