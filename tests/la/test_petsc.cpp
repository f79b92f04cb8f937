// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "la/active_set_matrix.hpp"
#include "la/handles.hpp"
#include "la/petsc.hpp"
#include "mpi_test.hpp"

using namespace cotangent;
using namespace cotangent::la;

TEST_CASE("PETSc lives as long as its object, which names words that are no options") {
  CHECK_ALL(!active());
  CHECK_ALL(test::text_thrown<Error>([] { Petsc({"ksp_type", "cg"}); }).starts_with("'ksp_type' after --"));
  CHECK_ALL(!active());
  const Petsc petsc({"-known_to_the_test", "7", "-misspelt_by_the_test", "1e-3"});
  CHECK_ALL(active());
  {
    const Petsc second;  // a library that brings PETSc of its own accord
  }
  CHECK_ALL(active());
  CHECK_ALL(petsc_version().starts_with("3."));
  PetscInt number = 0;
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsGetInt(nullptr, nullptr, "-known_to_the_test", &number, &given), "PetscOptionsGetInt");
  CHECK_ALL((given && number == 7));
  bool listed = false, used = false;
  for (const std::string& option : unused_options()) {
    listed = listed || option == "-misspelt_by_the_test 1e-3";
    used = used || option.starts_with("-known");
  }
  CHECK_ALL((listed && !used));

  SECTION("an error of PETSc names the call and the reason") {
    const Vector a = vector(3), b = vector(4);
    const std::string text = test::text_thrown<PetscFailure>([&] { check(VecCopy(a, b), "VecCopy"); });
    CHECK_ALL(text.starts_with("VecCopy failed in "));
    CHECK_ALL(text.find("size") != std::string::npos);
    CHECK_NOTHROW(check(VecSet(a, 0.0), "VecSet"));
  }

  SECTION("owners move, convert to the raw handle, and destroy once") {
    Vector a = vector(2);
    const Vec raw = a.raw();
    // A second reference lets us see whether the owner gave up its own.
    check(PetscObjectReference(reinterpret_cast<PetscObject>(raw)), "PetscObjectReference");
    const auto references = [&] {
      PetscInt count = 0;
      check(PetscObjectGetReference(reinterpret_cast<PetscObject>(raw), &count), "PetscObjectGetReference");
      return count;
    };
    CHECK_ALL(references() == 2);
    Vector b = std::move(a);
    CHECK_ALL((a.raw() == nullptr && b.raw() == raw && references() == 2));
    a = std::move(b);
    CHECK_ALL((a.raw() == raw && b.raw() == nullptr && references() == 2));
    check(VecDuplicate(raw, b.out()), "VecDuplicate");
    b = std::move(a);  // the duplicate goes, the first is kept
    CHECK_ALL((b.raw() == raw && references() == 2));
    b.reset();
    CHECK_ALL(references() == 1);
    Vector last(raw);  // destroys the reference of ours
    CHECK_ALL(last.release() == raw);
    Vec rest = raw;
    check(VecDestroy(&rest), "VecDestroy");
  }

  SECTION("divergence is told in plain words") {
    for (int code = KSP_DIVERGED_PC_FAILED; code <= KSP_CONVERGED_ATOL; ++code) {
      if (code == -1 || code == 1 || code == -8 || code == -6) continue;
      CHECK_ALL(
          std::string(reason(static_cast<KSPConvergedReason>(code))).find("linear") != std::string::npos ||
          std::string(reason(static_cast<KSPConvergedReason>(code))).find("factorised") != std::string::npos);
    }
    // A singular matrix: KSP's failure becomes an Error that says so.
    Matrix zero;
    check(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0, nullptr,
                       zero.out()),
          "MatCreateAIJ");
    PetscInt first = 0;
    check(MatGetOwnershipRange(zero, &first, nullptr), "MatGetOwnershipRange");
    for (PetscInt i = first; i < first + 2; ++i)
      check(MatSetValue(zero, i, i, i == first ? 1.0 : 0.0, INSERT_VALUES), "MatSetValue");
    check(MatAssemblyBegin(zero, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
    check(MatAssemblyEnd(zero, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
    LinearSolver solver;
    check(KSPCreate(PETSC_COMM_WORLD, solver.out()), "KSPCreate");
    check(KSPSetOperators(solver, zero, zero), "KSPSetOperators");
    check(KSPSetType(solver, KSPGMRES), "KSPSetType");
    PC preconditioner = nullptr;
    check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
    check(PCSetType(preconditioner, PCNONE), "PCSetType");
    check(KSPSetTolerances(solver, 1e-12, 1e-300, PETSC_DEFAULT, 1), "KSPSetTolerances");
    Vector b = vector(2), x = vector(2);
    check(VecSet(b, std::numeric_limits<double>::quiet_NaN()), "VecSet");
    CHECK_ALL(test::text_thrown<PetscFailure>([&] { solve(solver, b, x); }).find("infinity or NaN") !=
              std::string::npos);
  }
}

TEST_CASE("what a function throws that PETSc calls back comes out of the call around it") {
  const Petsc petsc;
  NonlinearSolver solver;
  check(SNESCreate(PETSC_COMM_WORLD, solver.out()), "SNESCreate");
  Vector x = vector(2), f = vector(2);
  const auto throwing = [](SNES, Vec, Vec, void*) -> PetscErrorCode {
    return called_back([] { throw Error("no such place"); });
  };
  check(SNESSetFunction(solver, f, throwing, nullptr), "SNESSetFunction");
  const std::string text = test::text_thrown<PetscFailure>([&] { solve(solver, x); });
  INFO(text);
  CHECK_ALL(text.starts_with("SNESSolve failed in a function of Cotangent"));
  CHECK_ALL(text.ends_with("no such place"));
}

TEST_CASE("one factorisation kept serves whichever unknowns are held") {
  const Petsc petsc;
  constexpr PetscInt blocks = 8, n = 3 * blocks;  // in a row, each coupled with its neighbours
  const std::vector<PetscInt> given{7, 15};       // rows of the identity
  std::vector<PetscInt> rows, columns;
  std::vector<double> entries;
  Matrix a;
  check(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 9, nullptr, a.out()), "MatCreateSeqAIJ");
  for (PetscInt i = 0; i < blocks; ++i) {
    for (PetscInt j = std::max<PetscInt>(0, i - 1); j < std::min(blocks, i + 2); ++j) {
      for (const double share : {0.25, 0.75}) {  // blocks of one place are added
        rows.push_back(i);
        columns.push_back(j);
        for (PetscInt column = 3 * j; column < 3 * j + 3; ++column) {
          for (PetscInt row = 3 * i; row < 3 * i + 3; ++row) {
            entries.push_back(share * (row == column ? 9.0 : std::sin(1.0 + row * row + 3 * column)));
            const bool is_given = std::ranges::count(given, row) > 0;
            check(
                MatSetValue(a, row, column, is_given ? share * (row == column) : entries.back(), ADD_VALUES),
                "MatSetValue");
          }
        }
      }
    }
  }
  ActiveSetMatrix held(blocks, rows, columns, given);
  const auto set = [&](const std::vector<double>& values) {
    held.clear();
    constexpr std::size_t first = 5;  // in two parts
    held.add(0, std::span(values).first(9 * first));
    held.add(first, std::span(values).subspan(9 * first));
    held.assemble();
  };
  set(entries);
  check(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  const auto defect = [&](PetscInt first, bool may_keep) {
    IndexSet free;
    check(ISCreateStride(PETSC_COMM_SELF, n - first, first, 1, free.out()), "ISCreateStride");
    Matrix part, shell;
    check(MatCreateSubMatrix(a, free, free, MAT_INITIAL_MATRIX, part.out()), "MatCreateSubMatrix");
    check(MatCreateSubMatrix(held.shell(), free, free, MAT_INITIAL_MATRIX, shell.out()),
          "MatCreateSubMatrix");
    CHECK_ALL(held.prepare(free, may_keep));
    Vector b, x, y;
    check(MatCreateVecs(part, x.out(), b.out()), "MatCreateVecs");
    check(VecDuplicate(b, y.out()), "VecDuplicate");
    check(VecSet(b, 1.0), "VecSet");
    held.solve(b, x);
    double size[2] = {0, 0};
    for (const Mat product : {part.raw(), shell.raw()}) {
      check(MatMult(product, x, y), "MatMult");
      check(VecAXPY(y, -1.0, b), "VecAXPY");
      check(VecNorm(y, NORM_INFINITY, &size[product == shell.raw()]), "VecNorm");
    }
    CHECK_ALL(std::abs(size[0] - size[1]) < 1e-13 * (1 + size[0]));
    return size[0];
  };
  for (const PetscInt first : {0, 1, 5, 12}) CHECK_ALL(defect(first, false) < 1e-13);  // measured: 5e-16
  CHECK_ALL(defect(4, true) > 1e-3);  // the control: the last one, which held others; measured: 9

  IndexSet all;
  check(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, all.out()), "ISCreateStride");
  set(std::vector<double>(entries.size(), 1.0));
  CHECK_ALL(!held.prepare(all, false));  // singular
  set(entries);
  CHECK_ALL(defect(0, false) < 1e-13);  // which is forgotten
}
