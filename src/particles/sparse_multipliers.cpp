// SPDX-License-Identifier: BSD-3-Clause
#include "particles/sparse_multipliers.hpp"

#include <algorithm>
#include <cmath>

#include "la/indices.hpp"
#include "la/sparse.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::particles {

using integrators::BatchShape;
using integrators::ManifoldEquations;
using la::check;

namespace {

/// Newton's method in lanes looks as often.
constexpr PetscInt most_iterations = 50;

/// For each system a block of its own on the diagonal, of so many rows and columns.
la::Matrix diagonal_blocks(MPI_Comm ranks, PetscInt systems, PetscInt rows, PetscInt columns) {
  la::Matrix matrix;
  check(MatCreate(ranks, matrix.out()), "MatCreate");
  check(MatSetSizes(matrix, rows * systems, columns * systems, PETSC_DETERMINE, PETSC_DETERMINE),
        "MatSetSizes");
  check(MatSetBlockSizes(matrix, rows, columns), "MatSetBlockSizes");
  check(MatSetType(matrix, MATAIJ), "MatSetType");
  check(MatSeqAIJSetPreallocation(matrix, columns, nullptr), "MatSeqAIJSetPreallocation");
  check(MatMPIAIJSetPreallocation(matrix, columns, nullptr, 0, nullptr), "MatMPIAIJSetPreallocation");
  PetscInt row = 0, column = 0;
  check(MatGetOwnershipRange(matrix, &row, nullptr), "MatGetOwnershipRange");
  check(MatGetOwnershipRangeColumn(matrix, &column, nullptr), "MatGetOwnershipRangeColumn");
  for (PetscInt i = 0; i < systems; ++i) {
    for (PetscInt k = 0; k < rows; ++k) {
      for (PetscInt n = 0; n < columns; ++n)
        check(MatSetValue(matrix, row + rows * i + k, column + columns * i + n, k == n ? 1.0 : 0.0,
                          INSERT_VALUES),
              "MatSetValue");
    }
  }
  la::changed(matrix);
  check(MatSetOption(matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE), "MatSetOption");
  return matrix;
}

}  // namespace

struct SparseMultipliers::Matrices {
  Batch batch;
  BatchShape shape{-1, 0, 0};
  la::Matrix gradients, directions, product;
  la::Vector unknown, value;
  la::NonlinearSolver newton;
  KSP linear = nullptr;  // Newton's
  ManifoldEquations* equations = nullptr;
  Effort effort;

  bool of_all() const { return batch == Batch::of_all_ranks; }
  MPI_Comm ranks() const { return of_all() ? MPI_COMM_WORLD : PETSC_COMM_SELF; }
  /// True where any rank of the batch said so.
  bool any(bool value) const { return of_all() ? parallel::any(value) : value; }

  void fit(const BatchShape& wanted) {
    if (!any(!(wanted == shape))) return;
    shape = wanted;
    // Of the particles of all ranks; a batch of one rank's own lanes is small.
    if (of_all())
      la::require_indices("the particles' coordinates",
                          parallel::sum(std::int64_t{shape.systems} * shape.dim),
                          std::int64_t{shape.systems} * shape.dim * shape.constraints);
    gradients = diagonal_blocks(ranks(), shape.systems, shape.constraints, shape.dim);
    directions = diagonal_blocks(ranks(), shape.systems, shape.dim, shape.constraints);
    check(MatMatMult(gradients, directions, MAT_INITIAL_MATRIX, 1.0, product.out()), "MatMatMult");
    check(MatCreateVecs(product, unknown.out(), value.out()), "MatCreateVecs");
    check(SNESCreate(ranks(), newton.out()), "SNESCreate");
    check(SNESSetOptionsPrefix(newton, "multipliers_"), "SNESSetOptionsPrefix");
    check(SNESSetType(newton, SNESNEWTONLS), "SNESSetType");
    check(SNESSetFunction(newton, value, residual, this), "SNESSetFunction");
    check(SNESSetJacobian(newton, product, product, jacobian, this), "SNESSetJacobian");
    check(SNESSetConvergenceTest(newton, converged, this, nullptr), "SNESSetConvergenceTest");
    check(SNESSetTolerances(newton, 0, 0, 0, most_iterations, 100 * most_iterations), "SNESSetTolerances");
    SNESLineSearch search = nullptr;
    check(SNESGetLineSearch(newton, &search), "SNESGetLineSearch");
    check(SNESLineSearchSetType(search, SNESLINESEARCHBASIC), "SNESLineSearchSetType");
    check(SNESGetKSP(newton, &linear), "SNESGetKSP");
    PC inverse = nullptr;
    check(KSPSetType(linear, KSPPREONLY), "KSPSetType");
    // Else short steps and large masses have pivots that PETSc takes for zero.
    check(KSPSetDiagonalScale(linear, PETSC_TRUE), "KSPSetDiagonalScale");
    check(KSPSetDiagonalScaleFix(linear, PETSC_TRUE), "KSPSetDiagonalScaleFix");
    check(KSPGetPC(linear, &inverse), "KSPGetPC");
    check(PCSetType(inverse, PCPBJACOBI), "PCSetType");
    check(SNESSetFromOptions(newton), "SNESSetFromOptions");
  }

  /// The blocks as `put(gradients, directions)` writes them, and their product.
  template <class Put>
  void assemble(const Put& put) {
    la::MatrixRows left(gradients), right(directions);
    left.write([&](double* g, const double*) { right.write([&](double* d, const double*) { put(g, d); }); });
    Mat same = product;
    check(MatMatMult(gradients, directions, MAT_REUSE_MATRIX, PETSC_DEFAULT, &same), "MatMatMult");
    forget_failure();
  }

  /// A block that couldn't be inverted leaves a note on the matrices and what inverts them, which would end
  /// all later solves as well.
  void forget_failure() {
    Mat blocks = nullptr;
    check(MatGetDiagonalBlock(product, &blocks), "MatGetDiagonalBlock");
    for (Mat noted : {static_cast<Mat>(product), blocks})
      check(MatFactorClearError(noted), "MatFactorClearError");
    PC inverse = nullptr;
    check(KSPGetPC(linear, &inverse), "KSPGetPC");
    check(PCSetFailedReason(inverse, PC_NOERROR), "PCSetFailedReason");
  }

  static PetscErrorCode residual(SNES, Vec lambda, Vec g, void* context) {
    return la::called_back([&] {
      const double* from = nullptr;
      check(VecGetArrayRead(lambda, &from), "VecGetArrayRead");
      static_cast<Matrices*>(context)->equations->residual(from, la::Values(g).data());
      check(VecRestoreArrayRead(lambda, &from), "VecRestoreArrayRead");
    });
  }
  static PetscErrorCode jacobian(SNES, Vec, Mat, Mat, void* context) {
    return la::called_back([&] {
      auto& self = *static_cast<Matrices*>(context);
      self.assemble([&](double* g, double* d) { self.equations->jacobian(g, d); });
    });
  }
  static PetscErrorCode converged(SNES newton, PetscInt, PetscReal, PetscReal, PetscReal,
                                  SNESConvergedReason* reason, void* context) {
    return la::called_back([&] {
      auto& self = *static_cast<Matrices*>(context);
      Vec lambda = nullptr;
      check(SNESGetSolution(newton, &lambda), "SNESGetSolution");
      const double* from = nullptr;
      check(VecGetArrayRead(lambda, &from), "VecGetArrayRead");
      const bool open = self.equations->accept(from);
      check(VecRestoreArrayRead(lambda, &from), "VecRestoreArrayRead");
      *reason = self.any(open) ? SNES_CONVERGED_ITERATING : SNES_CONVERGED_FNORM_ABS;
    });
  }
};

SparseMultipliers::SparseMultipliers(Batch batch) : matrices_(std::make_unique<Matrices>()) {
  matrices_->batch = batch;
}

SparseMultipliers::~SparseMultipliers() = default;

const SparseMultipliers::Effort& SparseMultipliers::effort() const {
  return matrices_->effort;
}

bool SparseMultipliers::of_all_ranks() const {
  return matrices_->of_all();
}

void SparseMultipliers::solve(ManifoldEquations& equations) {
  Matrices& m = *matrices_;
  m.fit(equations.shape());
  m.equations = &equations;
  equations.guess(la::Values(m.unknown).data());
  const SNESConvergedReason reason = la::solve(m.newton, m.unknown);
  m.equations = nullptr;
  PetscInt iterations = 0;
  check(SNESGetIterationNumber(m.newton, &iterations), "SNESGetIterationNumber");
  ++m.effort.newton_solves;
  m.effort.newton_iterations += iterations;
  if (reason < 0) ++m.effort.given_up;
}

bool SparseMultipliers::solve(const BatchShape& shape, const double* gradients, const double* directions,
                              double* b) {
  Matrices& m = *matrices_;
  m.fit(shape);
  const auto rows = static_cast<std::size_t>(shape.systems) * static_cast<std::size_t>(shape.constraints);
  const std::size_t entries = rows * static_cast<std::size_t>(shape.dim);
  m.assemble([&](double* g, double* d) {
    std::copy_n(gradients, entries, g);
    std::copy_n(directions, entries, d);
  });
  std::copy_n(b, rows, la::Values(m.value).data());
  check(KSPSetOperators(m.linear, m.product, m.product), "KSPSetOperators");
  check(KSPSolve(m.linear, m.value, m.unknown), "KSPSolve");
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(m.linear, &reason), "KSPGetConvergedReason");
  ++m.effort.linear_solves;
  if (reason < 0) return false;
  std::copy_n(la::Values(m.unknown).data(), rows, b);
  return true;
}

void SparseMultipliers::rehearse() {
  /// lambda = 1, one on each rank.
  class One final : public ManifoldEquations {
   public:
    BatchShape shape() const override { return {1, 1, 1}; }
    void guess(double* lambda) const override { *lambda = 0.0; }
    void residual(const double* lambda, double* g) override { *g = *lambda - 1.0; }
    void jacobian(double* gradients, double* directions) const override { *gradients = *directions = 1.0; }
    bool accept(const double* lambda) override { return !(std::abs(*lambda - 1.0) < 1e-3); }
  } one;
  solve(one);
  matrices_->effort = {};
}

}  // namespace cotangent::particles
