// SPDX-License-Identifier: BSD-3-Clause
// The linear systems of the multipliers of rods, G M^-1 G'^T y = b, with G = dg/dq at one place and G' at
// another, in two forms:
//   schur           the matrix G M^-1 G'^T itself, sparse, its pattern built once
//   saddle_point    [[M, -G'^T], [G, 0]] (x, y) = (0, b), which doesn't square the condition number of G
// An open chain on one rank is solved for here without PETSc.
// Measured on 20 rods, largest relative error of the multipliers against quadruple precision, before and
// after one refinement whose residual comes from the factors, G (M^-1 (G^T y)), as RodRattle does it:
//   posture                                       cond      schur              saddle_point
//   folded, masses over a range of 1e10           5.0e11    4.7e-7  5.0e-13    4.0e-13  1.1e-15
//   nearly stretched between two nails, sag 1e-6  4.4e12    4.0e-5  1.6e-9     4.4e-5   2.0e-9
//   nearly folded between two nails               3.8e12    4.0e-5  1.6e-9     2.2e-5   4.6e-10
// Lengths, tangency and energies along the motion were alike in all of them: so the default is the Schur
// complement, which costs a hundredth. Reference: Benzi, Golub, Liesen, Acta Numerica 14 (2005) 1, 3.2 and 5.
// Limits: the saddle-point matrix needs a factorisation with pivoting, MUMPS unless an option says otherwise.
#pragma once

#include <memory>
#include <string>

#include "rods/alike_molecules.hpp"
#include "rods/halo.hpp"
#include "rods/rattle.hpp"

namespace cotangent::rods {

/// Who solves them.
enum class Elimination {
  by_petsc,
  of_chain,     ///< solve(), on one rank
  in_molecules  ///< each for itself (alike_molecules.hpp)
};

template <int D>
class RodMultipliers {
 public:
  using PointVectors = typename RodBlock<D>::PointVectors;

  /// Options of PETSc are heeded under the prefix ("position_ksp_type") once configure() is called; where the
  /// user has given some, or wants the larger system, PETSc solves. `alike`: the block's molecules,
  /// where it has nothing else.
  RodMultipliers(const RodBlock<D>& block, RodHalo<D>& halo, Formulation formulation,
                 const std::optional<AlikeMolecules<D>>& alike, std::string prefix);
  ~RodMultipliers();

  /// The matrix, or what acts like it.
  Mat matrix() const;
  /// Sets the solver up for this matrix, then by the user's options. Collective.
  void configure(KSP solver);
  /// The values for G and G', given for all known rods; both outlive the next solve.
  void assemble(const PointVectors& left, const PointVectors& right);

  Elimination elimination() const { return elimination_; }
  /// G M^-1 G'^T y = b, one number for each of this rank's rods, without PETSc's matrices and calls.
  void solve(const PointVectors& left, const PointVectors& right, const double* b, double* y);

 private:
  struct Schur;
  struct Saddle;
  struct Chain;
  Elimination elimination_ = Elimination::by_petsc;
  std::unique_ptr<Chain> chain_;
  std::string prefix_;
  std::unique_ptr<Schur> schur_;
  std::unique_ptr<Saddle> saddle_;
};

}  // namespace cotangent::rods
