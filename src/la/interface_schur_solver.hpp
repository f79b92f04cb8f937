// SPDX-License-Identifier: BSD-3-Clause
// A sparse linear system in square blocks, its rows shared out over the ranks, solved by substructures. Of
// this rank's rows A x + C y = b, where A is square and y are the unknowns of other ranks that they refer to,
// A is factorised by PETSc's LU, and with R, which picks what other ranks refer to,
//   x = A^-1 (b - C y),   (1 + R A^-1 C) y = R A^-1 b:
// GMRES finds y, which is short (of a chain: two blocks), to a tolerance; nothing else iterates, and no
// matrix outlives its factors. On one rank this is LU. Blocks are pivoted within, not among each other.
// Reference: Smith, Bjorstad, Gropp, Domain Decomposition (1996), ch. 4. Limits: ranks' parts that meet in
// few unknowns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "la/handles.hpp"

namespace cotangent::la {

class InterfaceSchurSolver {
 public:
  /// The blocks of this rank's rows: those of row i are in the block columns columns[begin[i]],
  /// ..., columns[begin[i + 1] - 1], counted over all ranks, as rows are, of which `first` is this rank's
  /// first.
  struct Pattern {
    PetscInt block = 1, first = 0;
    std::vector<PetscInt> begin{0}, columns;
  };

  /// y to this part of its size. Collective.
  InterfaceSchurSolver(const Pattern& pattern, double tolerance);
  /// Another system of the same pattern, which shares everything with that one but factors. Collective.
  explicit InterfaceSchurSolver(const InterfaceSchurSolver& like);
  ~InterfaceSchurSolver();
  InterfaceSchurSolver(InterfaceSchurSolver&&) noexcept;

  /// Fills row i, whose `block` rows of numbers are as long as all its blocks side by side.
  void set(PetscInt i, std::span<const double> values);
  /// Factorises what was set, in every row, since the last time, before another system is set. Empty where
  /// that went well on all ranks, else the reason in plain words. Collective.
  std::string factorise();
  /// Whether what other ranks' unknowns do here is kept beside the factors, the same on every rank.
  bool keeps_responses() const;
  /// Solves in the place of the right-hand side; as factorise(). Collective.
  std::string solve(std::span<double> values);

 private:
  struct Shared;
  struct Factors;
  void respond(std::span<const double> y) const;
  void keep_responses();
  static PetscErrorCode multiply_callback(Mat interface, Vec y, Vec image);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace cotangent::la
