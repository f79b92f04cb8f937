// SPDX-License-Identifier: BSD-3-Clause
#include "la/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/real.hpp"
#include "la/sparse.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::la {
namespace {

/// In brackets: PETSc's headers make a macro of it that counts in PETSc's own data (cmake/late_petsc.cmake).
void share(const double* mine, int count, double* all) {
  if ((MPI_Allgather)(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD) != MPI_SUCCESS)
    throw PetscFailure("MPI_Allgather failed in the tridiagonal solver");
}

}  // namespace

Tridiagonal::Tridiagonal(std::size_t rows)
    : lower(rows), diagonal(rows), upper(rows), inverse_(rows), eliminate_(rows), substitute_(rows) {}

void Tridiagonal::factorise() {
  const std::size_t n = diagonal.size(), middle = n / 2;
  // Rows 0 ... middle-1 from the front, n-1 ... middle from the back: independent chains side by side.
  inverse_[0] = 1.0 / diagonal[0];
  inverse_[n - 1] = 1.0 / diagonal[n - 1];
  substitute_[0] = upper[0] * inverse_[0];
  substitute_[n - 1] = lower[n - 1] * inverse_[n - 1];
  const auto front = [&](std::size_t i) {
    eliminate_[i] = -lower[i] * inverse_[i - 1];
    inverse_[i] = 1.0 / fma(-lower[i], substitute_[i - 1], diagonal[i]);
    substitute_[i] = upper[i] * inverse_[i];
  };
  const auto back = [&](std::size_t i) {
    eliminate_[i] = -upper[i] * inverse_[i + 1];
    inverse_[i] = 1.0 / fma(-upper[i], substitute_[i + 1], diagonal[i]);
    substitute_[i] = lower[i] * inverse_[i];
  };
  for (std::size_t i = 1; i < middle; ++i) {
    front(i);
    back(n - 1 - i);
  }
  if (n % 2 == 1) back(middle);
  const double a = 1.0 / inverse_[middle - 1], b = upper[middle - 1], c = lower[middle],
               d = 1.0 / inverse_[middle];
  const double determinant = fma(a, d, -b * c);
  join_[0] = d / determinant;
  join_[1] = -b / determinant;
  join_[2] = -c / determinant;
  join_[3] = a / determinant;
  factorise_ends();
}

void Tridiagonal::solve_block(const double* b, double* x) const {
  const std::size_t n = diagonal.size(), middle = n / 2;
  x[0] = b[0];
  x[n - 1] = b[n - 1];
  double down = x[0], up = x[n - 1];
  for (std::size_t i = 1; i < middle; ++i) {
    const std::size_t k = n - 1 - i;
    x[i] = down = fma(eliminate_[i], down, b[i]);
    x[k] = up = fma(eliminate_[k], up, b[k]);
  }
  if (n % 2 == 1) x[middle] = up = fma(eliminate_[middle], up, b[middle]);
  const double first = fma(join_[0], down, join_[1] * up), second = fma(join_[2], down, join_[3] * up);
  x[middle - 1] = down = first;
  x[middle] = up = second;
  std::size_t i = middle - 1, k = middle + 1;
  for (; i > 0 && k < n; ++k) {
    --i;
    x[i] = down = fma(-substitute_[i], down, inverse_[i] * x[i]);
    x[k] = up = fma(-substitute_[k], up, inverse_[k] * x[k]);
  }
  for (; k < n; ++k) x[k] = up = fma(-substitute_[k], up, inverse_[k] * x[k]);
}

void Tridiagonal::factorise_ends() {
  const std::size_t n = diagonal.size(), p = static_cast<std::size_t>(parallel::size());
  if (p == 1 && lower[0] == 0.0 && upper[n - 1] == 0.0) return;
  before_.assign(n, 0.0);
  after_.assign(n, 0.0);
  before_[0] = lower[0];
  after_[n - 1] = upper[n - 1];
  if (lower[0] != 0.0) solve_block(before_.data(), before_.data());
  if (upper[n - 1] != 0.0) solve_block(after_.data(), after_.data());

  const double mine[4] = {before_[0], before_[n - 1], after_[0], after_[n - 1]};
  std::vector<double> all(4 * p);
  share(mine, 4, all.data());
  ends_.factorise(all);
  end_values_.resize(2 * p);
}

void Tridiagonal::solve(const double* b, double* x) const {
  solve_block(b, x);
  if (end_values_.empty()) return;
  const std::size_t n = diagonal.size(), m = end_values_.size();
  const double mine[2] = {x[0], x[n - 1]};
  std::vector<double>& z = end_values_;
  share(mine, 2, z.data());
  ends_.solve(z);
  const std::size_t r = 2 * static_cast<std::size_t>(parallel::rank());
  const double last_before = z[(r + m - 1) % m], first_after = z[(r + 2) % m];
  if (lower[0] != 0.0) {
    for (std::size_t i = 0; i < n; ++i) x[i] = fma(-last_before, before_[i], x[i]);
  }
  if (upper[n - 1] != 0.0) {
    for (std::size_t i = 0; i < n; ++i) x[i] = fma(-first_after, after_[i], x[i]);
  }
}

namespace {

/// The solver of a matrix, and where each band's entries are stored in the matrix.
struct Setting {
  MatrixRows rows;
  Tridiagonal solver;
  std::vector<int> lower, diagonal, upper;  // places in the first block; -1 for none
  struct Corner {
    double* entry;
    std::size_t place;
    bool elsewhere;
  };
  std::vector<Corner> corners;
  bool regular = true;  // three entries in each row but the first and the last

  Setting(Mat matrix, PetscInt count) : rows(matrix), solver(static_cast<std::size_t>(count)) {
    PetscInt first = 0, size = 0;
    check(MatGetOwnershipRange(matrix, &first, nullptr), "MatGetOwnershipRange");
    check(MatGetSize(matrix, &size, nullptr), "MatGetSize");
    for (auto* band : {&lower, &diagonal, &upper}) band->assign(static_cast<std::size_t>(count), -1);
    rows.for_each([&](PetscInt i, PetscInt column, PetscInt place) {
      const auto row = static_cast<std::size_t>(i);
      const bool right = column == (first + i + 1) % size, here = place < rows.first_count();
      if (column == first + i) {
        diagonal[row] = static_cast<int>(place);
      } else if (here && (right ? i + 1 < count : i > 0)) {
        (right ? upper : lower)[row] = static_cast<int>(place);
      } else {
        corners.push_back({&(right ? solver.upper : solver.lower)[row],
                           static_cast<std::size_t>(here ? place : place - rows.first_count()), !here});
      }
    });
    for (std::size_t i = 1; i + 1 < diagonal.size(); ++i) {
      const int expected = lower[1] + 3 * (static_cast<int>(i) - 1);
      regular = regular && lower[1] >= 0 && lower[i] == expected && diagonal[i] == expected + 1 &&
                upper[i] == expected + 2;
    }
  }

  void read() {
    rows.read([this](const double* here, const double* elsewhere) {
      const std::size_t n = diagonal.size();
      double *__restrict l = solver.lower.data(), *__restrict d = solver.diagonal.data(),
                         *__restrict u = solver.upper.data();
      const auto by_place = [&](std::size_t i) {
        d[i] = here[diagonal[i]];
        if (i > 0 && lower[i] >= 0) l[i] = here[lower[i]];
        if (i + 1 < n && upper[i] >= 0) u[i] = here[upper[i]];
      };
      by_place(0);
      by_place(n - 1);
      if (regular && n > 2) {
        const double* values = here + lower[1];
        for (std::size_t i = 1; i < n - 1; ++i) {
          l[i] = values[3 * i - 3];
          d[i] = values[3 * i - 2];
          u[i] = values[3 * i - 1];
        }
      } else {
        for (std::size_t i = 1; i + 1 < n; ++i) by_place(i);
      }
      for (const Corner& corner : corners)
        *corner.entry = (corner.elsewhere ? elsewhere : here)[corner.place];
    });
  }
};

Setting& context(PC preconditioner) {
  void* setting = nullptr;
  check(PCShellGetContext(preconditioner, &setting), "PCShellGetContext");
  return *static_cast<Setting*>(setting);
}

PetscErrorCode set_up(PC preconditioner) {
  return called_back([&] {
    Setting& setting = context(preconditioner);
    setting.read();
    setting.solver.factorise();
  });
}

PetscErrorCode apply(PC preconditioner, Vec b, Vec x) {
  return called_back([&] {
    const double* from = nullptr;
    double* to = nullptr;
    check(VecGetArrayRead(b, &from), "VecGetArrayRead");
    check(VecGetArrayWrite(x, &to), "VecGetArrayWrite");
    context(preconditioner).solver.solve(from, to);
    check(VecRestoreArrayRead(b, &from), "VecRestoreArrayRead");
    check(VecRestoreArrayWrite(x, &to), "VecRestoreArrayWrite");
  });
}

PetscErrorCode destroy(PC preconditioner) {
  return called_back([&] { delete &context(preconditioner); });
}

}  // namespace

bool is_tridiagonal(Mat matrix) {
  PetscInt first = 0, last = 0, size = 0;
  check(MatGetOwnershipRange(matrix, &first, &last), "MatGetOwnershipRange");
  check(MatGetSize(matrix, &size, nullptr), "MatGetSize");
  bool fits = size >= 3 && last - first >= 2;
  MatrixRows(matrix).for_each([&](PetscInt i, PetscInt column, PetscInt) {
    const PetscInt apart = (column - first - i + size) % size;
    if (apart > 1 && apart < size - 1) fits = false;
  });
  return parallel::all(fits);
}

void use_tridiagonal(PC preconditioner) {
  Mat matrix = nullptr;
  PetscInt rows = 0;
  check(PCGetOperators(preconditioner, nullptr, &matrix), "PCGetOperators");
  check(MatGetLocalSize(matrix, &rows, nullptr), "MatGetLocalSize");
  check(PCSetType(preconditioner, PCSHELL), "PCSetType");
  check(PCShellSetName(preconditioner, "tridiagonal"), "PCShellSetName");
  check(PCShellSetContext(preconditioner, new Setting(matrix, rows)), "PCShellSetContext");
  check(PCShellSetSetUp(preconditioner, set_up), "PCShellSetSetUp");
  check(PCShellSetApply(preconditioner, apply), "PCShellSetApply");
  check(PCShellSetDestroy(preconditioner, destroy), "PCShellSetDestroy");
}

}  // namespace cotangent::la
