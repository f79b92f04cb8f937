// SPDX-License-Identifier: BSD-3-Clause
// The tridiagonal solver against the product A x, alone and as a preconditioner of KSP.
#include <cmath>

#include "la/tridiagonal.hpp"
#include "mpi_test.hpp"

using namespace cotangent;
using namespace cotangent::la;

namespace {

/// An entry of the test's matrix: a chain's G M^-1 G^T with uneven masses, not symmetric, hardly dominant.
double entry(PetscInt row, PetscInt column, PetscInt size) {
  const double k = static_cast<double>(row);
  if (row == column) return 2.001 + std::sin(1.7 * k);
  return (column == (row + 1) % size ? -0.9 : -0.6) * (1.0 + 0.3 * std::cos(k));
}

Matrix matrix(PetscInt here, bool cyclic, PetscInt stray = 0) {
  Matrix a;
  check(MatCreateAIJ(PETSC_COMM_WORLD, here, here, PETSC_DETERMINE, PETSC_DETERMINE, 4, nullptr, 4, nullptr,
                     a.out()),
        "MatCreateAIJ");
  PetscInt first = 0, last = 0, size = 0;
  check(MatGetOwnershipRange(a, &first, &last), "MatGetOwnershipRange");
  check(MatGetSize(a, &size, nullptr), "MatGetSize");
  for (PetscInt i = first; i < last; ++i) {
    for (PetscInt j : {i - 1, i, i + 1}) {
      if (!cyclic && (j < 0 || j >= size)) continue;
      j = (j + size) % size;
      check(MatSetValue(a, i, j, entry(i, j, size), INSERT_VALUES), "MatSetValue");
    }
    if (stray != 0) check(MatSetValue(a, i, (i + stray) % size, 0.1, INSERT_VALUES), "MatSetValue");
  }
  check(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  return a;
}

}  // namespace

TEST_CASE("a tridiagonal or cyclic matrix is solved at once, over any number of ranks") {
  const Petsc petsc;
  for (const bool cyclic : {false, true}) {
    for (const PetscInt base : {3, 4, 7, 50, 1001}) {
      const PetscInt here = base + parallel::rank() % 2;  // uneven blocks, odd and even
      const Matrix a = matrix(here, cyclic);
      REQUIRE_ALL(is_tridiagonal(a));
      LinearSolver solver;
      check(KSPCreate(PETSC_COMM_WORLD, solver.out()), "KSPCreate");
      check(KSPSetOperators(solver, a, a), "KSPSetOperators");
      check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
      PC preconditioner = nullptr;
      check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
      use_tridiagonal(preconditioner);
      Vector x = vector(here), b = vector(here), back = vector(here);
      PetscInt first = 0;
      check(VecGetOwnershipRange(b, &first, nullptr), "VecGetOwnershipRange");
      for (PetscInt i = first; i < first + here; ++i)
        check(VecSetValue(b, i, std::cos(0.3 * static_cast<double>(i * i)), INSERT_VALUES), "VecSetValue");
      check(VecAssemblyBegin(b), "VecAssemblyBegin");
      check(VecAssemblyEnd(b), "VecAssemblyEnd");
      solve(solver, b, x);
      double size = 0, residual = 0;
      check(VecNorm(x, NORM_INFINITY, &size), "VecNorm");
      check(MatMult(a, x, back), "MatMult");
      check(VecAXPY(back, -1.0, b), "VecAXPY");
      check(VecNorm(back, NORM_INFINITY, &residual), "VecNorm");
      INFO("cyclic " << cyclic << ", rows " << here << ", residual " << residual << ", size " << size);
      CHECK_ALL(size > 0.3);
      CHECK_ALL(residual < 1e-14 * (1 + size));  // measured: up to 1.1e-15
    }
  }
}

TEST_CASE("one right-hand side is solved for in one sweep each way", "[one-rank]") {
  for (const std::size_t n : {2, 3, 4, 7, 50, 511, 512, 513, 514, 515, 1001, 1024}) {  // 256 rows a piece
    std::vector<double> lower(n, 0.0), diagonal(n), upper(n, 0.0), b(n), x(n), share(n);
    const auto size = static_cast<PetscInt>(n);
    for (PetscInt i = 0; i < size; ++i) {
      const auto k = static_cast<std::size_t>(i);
      diagonal[k] = entry(i, i, size);
      if (i > 0) lower[k] = entry(i, i - 1, size);
      if (i + 1 < size) upper[k] = entry(i, i + 1, size);
      b[k] = std::cos(0.3 * static_cast<double>(i * i));
    }
    const auto rows = [&](std::size_t begin, std::size_t end, double* l, double* d, double* u) {
      std::copy(lower.data() + begin, lower.data() + end, l);
      std::copy(diagonal.data() + begin, diagonal.data() + end, d);
      std::copy(upper.data() + begin, upper.data() + end, u);
    };
    solve_tridiagonal(n, rows, b.data(), x.data(), share.data());
    double residual = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = diagonal[i] * x[i] - b[i];
      if (i > 0) sum += lower[i] * x[i - 1];
      if (i + 1 < n) sum += upper[i] * x[i + 1];
      residual = std::max(residual, std::abs(sum));
      largest = std::max(largest, std::abs(x[i]));
    }
    INFO("rows " << n << ", residual " << residual << ", size " << largest);
    CHECK(largest > 0.3);
    CHECK(residual < 1e-14 * (1 + largest));
  }
}

TEST_CASE("other matrices are known for what they are") {
  const Petsc petsc;
  CHECK_ALL(!is_tridiagonal(matrix(5, false, 2)));
  CHECK_ALL(!is_tridiagonal(matrix(5, true, 2)));
  CHECK_ALL(!is_tridiagonal(matrix(1, false)));  // a block too short to have two ends
}
