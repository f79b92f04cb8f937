// LU of a sparse matrix in which some unknowns are held, now these, now those, as in reduced-space methods of
// variational inequalities: the rows of what is held become rows of the identity. So one ordering and one
// symbolic factorisation serve all sets, which PETSc, given the submatrix of the free unknowns, would make
// anew with each. Blocks of equal size on the diagonal are inverted as dense ones (PETSc's BAIJ), without
// pivoting across them. Limits: on one rank.
#pragma once

#include <vector>

#include "la/handles.hpp"

namespace cotangent::la {

class KeptFactorisation {
 public:
  /// Of matrices with this one's pattern, which is of type AIJ and assembled, in blocks of so many rows.
  KeptFactorisation(Mat matrix, PetscInt block);
  /// Makes ready to solve with a matrix in which all unknowns are held but those of this set, which is
  /// sorted: by its LU, or, where it may keep it, by the last one as long as that serves an iterative solver
  /// well. False where a block is singular.
  bool prepare(Mat matrix, IS free, bool may_keep);
  /// Solves for the free unknowns; b and x have one entry for each.
  void solve(Vec b, Vec x);

 private:
  PetscInt block_;
  std::vector<PetscInt> place_, row_, diagonal_;  // of each entry; of each row's diagonal
  std::vector<PetscInt> free_;
  Matrix blocks_, factor_;
  Vector b_, x_;
  int solves_ = 0;  // since the last prepare()
  MatFactorInfo info_{};
};

}  // namespace cotangent::la
