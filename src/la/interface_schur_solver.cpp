// SPDX-License-Identifier: BSD-3-Clause
#include "la/interface_schur_solver.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "parallel/mpi.hpp"

namespace cotangent::la {

namespace {

/// The numbers of a vector that has none of its own, as long as this lives.
class Placed {
 public:
  Placed(Vec vector, const double* numbers) : vector_(vector) {
    check(VecPlaceArray(vector_, numbers), "VecPlaceArray");
  }
  ~Placed() { VecResetArray(vector_); }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

 private:
  Vec vector_;
};

}  // namespace

struct InterfaceSchurSolver::Factors {
  Matrix lu;                      // of A
  std::vector<double> couplings;  // C, block after block, each row by row
  bool known = false;             // A^-1 C is kept, row by row, for those rows where it isn't 0
  std::vector<PetscInt> rows;
  std::vector<double> responses;
};

/// What systems of one pattern have in common: the matrix, which factors once made don't need, vectors, and
/// the exchange of unknowns with other ranks.
struct InterfaceSchurSolver::Shared {
  /// A block of C: in a row, there the n-th, and for which block of y.
  struct Coupling {
    PetscInt row, n, of;
  };

  PetscInt block, size;
  std::vector<PetscInt> begin, columns;  // of the rows of A; -1 where a block is one of C
  std::vector<Coupling> couplings;       // row after row
  std::vector<PetscInt> asked;           // the unknowns that other ranks' y want, ascending
  Matrix matrix;                         // A
  MatFactorInfo info{};
  std::vector<double> found, response;  // A^-1 b, A^-1 C y
  Vector right, solution;               // what is solved: numbers of others
  Vector border;                        // 0, but where C has rows while these are in use
  Vector everywhere;                    // numbers of others, as a part of all ranks' vector
  Vector y, image;                      // none where no rank's rows refer to another's unknowns
  Scatter fetch;                        // R: from everywhere to what is like y
  Matrix interface;                     // 1 + R A^-1 C
  LinearSolver solver;
  const InterfaceSchurSolver* solving = nullptr;

  explicit Shared(const Pattern& pattern);
  void join_ranks(std::span<const PetscInt> far, double tolerance);
  bool joined() const { return y.raw() != nullptr; }
  PetscInt far() const {
    PetscInt length = 0;
    check(VecGetLocalSize(y, &length), "VecGetLocalSize");
    return length;
  }
  /// to = R numbers
  void fetch_into(Vec to, const std::vector<double>& numbers) {
    const Placed from(everywhere, numbers.data());
    check(VecScatterBegin(fetch, everywhere, to, INSERT_VALUES, SCATTER_FORWARD), "VecScatterBegin");
    check(VecScatterEnd(fetch, everywhere, to, INSERT_VALUES, SCATTER_FORWARD), "VecScatterEnd");
  }
  /// into = A^-1 from
  void solve_here(Mat lu, Vec from, std::vector<double>& into) {
    const Placed to(solution, into.data());
    check(MatSolve(lu, from, solution), "MatSolve");
  }
};

InterfaceSchurSolver::Shared::Shared(const Pattern& pattern)
    : block(pattern.block),
      size(block * static_cast<PetscInt>(std::ssize(pattern.begin) - 1)),
      begin(pattern.begin),
      found(static_cast<std::size_t>(size)) {
  std::vector<PetscInt> blocks;
  for (PetscInt i = 0; i < size / block; ++i) {
    PetscInt own = 0;
    const PetscInt from = begin[static_cast<std::size_t>(i)];
    for (PetscInt k = from; k < begin[static_cast<std::size_t>(i) + 1]; ++k) {
      const PetscInt column = pattern.columns[static_cast<std::size_t>(k)] - pattern.first;
      const bool here = column >= 0 && column < size / block;
      own += here ? 1 : 0;
      columns.push_back(here ? column : -1);
      if (!here) couplings.push_back({i, k - from, column + pattern.first});
    }
    blocks.push_back(own);
  }
  check(MatCreateSeqBAIJ(PETSC_COMM_SELF, block, size, size, 0, blocks.data(), matrix.out()),
        "MatCreateSeqBAIJ");
  check(MatFactorInfoInitialize(&info), "MatFactorInfoInitialize");
  info.fill = 1;
  info.pivotinblocks = 1;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, found.data(), solution.out()),
        "VecCreateSeqWithArray");
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, nullptr, right.out()), "VecCreateSeqWithArray");
}

/// What GMRES needs: y holds the blocks `far`, in ascending order.
void InterfaceSchurSolver::Shared::join_ranks(std::span<const PetscInt> far, double tolerance) {
  const PetscInt length = block * static_cast<PetscInt>(std::ssize(far));
  check(VecCreateSeq(PETSC_COMM_SELF, size, border.out()), "VecCreateSeq");
  check(VecSet(border, 0), "VecSet");
  response.resize(found.size());
  check(VecCreateMPIWithArray(MPI_COMM_WORLD, 1, size, PETSC_DETERMINE, nullptr, everywhere.out()),
        "VecCreateMPIWithArray");
  y = vector(length);
  image = vector(length);
  PetscInt first = 0;
  check(VecGetOwnershipRange(y, &first, nullptr), "VecGetOwnershipRange");
  IndexSet from, to;
  check(ISCreateBlock(PETSC_COMM_SELF, block, static_cast<PetscInt>(std::ssize(far)), far.data(),
                      PETSC_COPY_VALUES, from.out()),
        "ISCreateBlock");
  check(ISCreateStride(PETSC_COMM_SELF, length, first, 1, to.out()), "ISCreateStride");
  check(VecScatterCreate(everywhere, from, y, to, fetch.out()), "VecScatterCreate");
  {
    std::vector<double> times(found.size());
    const Placed wanted(everywhere, times.data());
    check(VecSet(y, 1), "VecSet");
    check(VecScatterBegin(fetch, y, everywhere, ADD_VALUES, SCATTER_REVERSE), "VecScatterBegin");
    check(VecScatterEnd(fetch, y, everywhere, ADD_VALUES, SCATTER_REVERSE), "VecScatterEnd");
    for (PetscInt i = 0; i < size; ++i) {
      if (times[static_cast<std::size_t>(i)] > 0) asked.push_back(i);
    }
  }
  check(
      MatCreateShell(MPI_COMM_WORLD, length, length, PETSC_DETERMINE, PETSC_DETERMINE, this, interface.out()),
      "MatCreateShell");
  check(MatShellSetOperation(interface, MATOP_MULT, reinterpret_cast<void (*)()>(multiply_callback)),
        "MatShellSetOperation");
  check(KSPCreate(MPI_COMM_WORLD, solver.out()), "KSPCreate");
  check(KSPSetOperators(solver, interface, interface), "KSPSetOperators");
  check(KSPSetType(solver, KSPGMRES), "KSPSetType");
  check(KSPSetTolerances(solver, tolerance, 1e-300, PETSC_DEFAULT, 500), "KSPSetTolerances");
  PC none = nullptr;
  check(KSPGetPC(solver, &none), "KSPGetPC");
  check(PCSetType(none, PCNONE), "PCSetType");
}

InterfaceSchurSolver::InterfaceSchurSolver(const Pattern& pattern, double tolerance)
    : shared_(std::make_shared<Shared>(pattern)), factors_(std::make_unique<Factors>()) {
  std::vector<PetscInt> far;
  for (const auto& coupling : shared_->couplings) far.push_back(coupling.of);
  std::ranges::sort(far);
  far.erase(std::ranges::unique(far).begin(), far.end());
  for (auto& coupling : shared_->couplings)
    coupling.of = static_cast<PetscInt>(std::ranges::lower_bound(far, coupling.of) - far.begin());
  if (parallel::any(!far.empty())) shared_->join_ranks(far, tolerance);
}

InterfaceSchurSolver::InterfaceSchurSolver(const InterfaceSchurSolver& like)
    : shared_(like.shared_), factors_(std::make_unique<Factors>()) {}
InterfaceSchurSolver::~InterfaceSchurSolver() = default;
InterfaceSchurSolver::InterfaceSchurSolver(InterfaceSchurSolver&&) noexcept = default;

void InterfaceSchurSolver::set(PetscInt i, std::span<const double> values) {
  const Shared& of = *shared_;
  const PetscInt begin = of.begin[static_cast<std::size_t>(i)],
                 blocks = of.begin[static_cast<std::size_t>(i) + 1] - begin;
  check(
      MatSetValuesBlocked(of.matrix, 1, &i, blocks, of.columns.data() + begin, values.data(), INSERT_VALUES),
      "MatSetValuesBlocked");
  const auto size = static_cast<std::size_t>(of.block * of.block);
  factors_->couplings.resize(of.couplings.size() * size);
  auto coupling = std::ranges::lower_bound(of.couplings, i, {}, &Shared::Coupling::row);
  for (; coupling != of.couplings.end() && coupling->row == i; ++coupling) {
    double* to =
        factors_->couplings.data() + static_cast<std::size_t>(coupling - of.couplings.begin()) * size;
    for (PetscInt r = 0; r < of.block; ++r, to += of.block)
      std::copy_n(values.begin() + (r * blocks + coupling->n) * of.block, of.block, to);
  }
}

std::string InterfaceSchurSolver::factorise() {
  Shared& of = *shared_;
  Factors& own = *factors_;
  check(MatAssemblyBegin(of.matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
  check(MatAssemblyEnd(of.matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  if (own.lu.raw() == nullptr) {
    check(MatGetFactor(of.matrix, MATSOLVERPETSC, MAT_FACTOR_LU, own.lu.out()), "MatGetFactor");
    // Of a chain no order fills more than a few blocks in, but PETSc's default, nested dissection, costs half
    // as much again; of a sheet of 96 x 64 sites it takes three times the time of minimum degree.
    IndexSet by_row, by_column;
    check(MatGetOrdering(of.matrix, MATORDERINGQMD, by_row.out(), by_column.out()), "MatGetOrdering");
    check(MatLUFactorSymbolic(own.lu, of.matrix, by_row, by_column, &of.info), "MatLUFactorSymbolic");
  }
  check(MatFactorClearError(own.lu), "MatFactorClearError");  // PETSc keeps the last one
  check(MatLUFactorNumeric(own.lu, of.matrix, &of.info), "MatLUFactorNumeric");
  MatFactorError error = MAT_FACTOR_NOERROR;
  check(MatFactorGetError(own.lu, &error), "MatFactorGetError");
  if (parallel::any(error != MAT_FACTOR_NOERROR)) return reason(KSP_DIVERGED_PC_FAILED);
  if (of.joined()) keep_responses();
  return "";
}

/// response = A^-1 C y; where it is kept, in its rows alone.
void InterfaceSchurSolver::respond(std::span<const double> y) const {
  Shared& of = *shared_;
  const Factors& own = *factors_;
  if (own.known) {
    for (std::size_t k = 0; k < own.rows.size(); ++k) {
      const auto row = std::span(own.responses).subspan(k * y.size(), y.size());
      of.response[static_cast<std::size_t>(own.rows[k])] =
          std::inner_product(row.begin(), row.end(), y.begin(), 0.0);
    }
    return;
  }
  {
    const Values border(of.border);
    const double* entry = own.couplings.data();
    for (const auto& coupling : of.couplings) {
      for (PetscInt r = 0; r < of.block; ++r) {
        for (PetscInt c = 0; c < of.block; ++c, ++entry)
          border.data()[coupling.row * of.block + r] +=
              *entry * y[static_cast<std::size_t>(coupling.of * of.block + c)];
      }
    }
  }
  of.solve_here(own.lu, of.border, of.response);
  const Values border(of.border);
  for (const auto& coupling : of.couplings)
    std::fill_n(border.data() + coupling.row * of.block, of.block, 0.0);
}

/// Keeps A^-1 C where that is cheap: y is short, and what it changes dies away within a few rows. Collective.
void InterfaceSchurSolver::keep_responses() {
  constexpr PetscInt most_columns = 32;
  Shared& of = *shared_;
  Factors& own = *factors_;
  const PetscInt far = of.far();
  own.known = false;
  if (parallel::any(far > most_columns)) return;
  const auto columns = static_cast<std::size_t>(far);
  std::map<PetscInt, std::vector<double>> rows;
  for (const PetscInt row : of.asked) rows[row].resize(columns);
  std::vector<double> y(columns);
  bool few = true;
  for (std::size_t k = 0; k < columns && few; ++k) {
    y[k] = 1;
    respond(y);
    y[k] = 0;
    double largest = 0;
    for (const double value : of.response) largest = std::max(largest, std::abs(value));
    for (PetscInt i = 0; i < of.size; ++i) {
      const double value = of.response[static_cast<std::size_t>(i)];
      if (!(std::abs(value) > 0x1p-60 * largest)) continue;
      auto& row = rows[i];
      row.resize(columns);
      row[k] = value;
      few = std::ssize(rows) * far <= of.size;
      if (!few) break;
    }
  }
  if (!parallel::all(few)) return;
  own.known = true;
  own.rows.clear();
  own.responses.clear();
  for (const auto& [row, responses] : rows) {
    own.rows.push_back(row);
    own.responses.insert(own.responses.end(), responses.begin(), responses.end());
  }
}

/// image = (1 + R A^-1 C) y
PetscErrorCode InterfaceSchurSolver::multiply_callback(Mat interface, Vec y, Vec image) {
  return called_back([&] {
    void* self = nullptr;
    check(MatShellGetContext(interface, &self), "MatShellGetContext");
    Shared& of = *static_cast<Shared*>(self);
    const double* read = nullptr;
    check(VecGetArrayRead(y, &read), "VecGetArrayRead");
    of.solving->respond({read, static_cast<std::size_t>(of.far())});
    check(VecRestoreArrayRead(y, &read), "VecRestoreArrayRead");
    of.fetch_into(image, of.response);
    check(VecAXPY(image, 1, y), "VecAXPY");
  });
}

bool InterfaceSchurSolver::keeps_responses() const {
  return factors_->known;
}

std::string InterfaceSchurSolver::solve(std::span<double> values) {
  Shared& of = *shared_;
  const Factors& own = *factors_;
  {
    const Placed b(of.right, values.data());
    of.solve_here(own.lu, of.right, of.found);
  }
  std::string why;
  if (of.joined()) {
    of.fetch_into(of.image, of.found);
    of.solving = this;
    check(KSPSolve(of.solver, of.image, of.y), "KSPSolve");
    KSPConvergedReason code = KSP_CONVERGED_ITERATING;
    check(KSPGetConvergedReason(of.solver, &code), "KSPGetConvergedReason");
    if (code < 0) why = reason(code);
    respond({Values(of.y).data(), static_cast<std::size_t>(of.far())});
    const auto correct = [&](auto i) {
      of.found[static_cast<std::size_t>(i)] -= of.response[static_cast<std::size_t>(i)];
    };
    if (own.known) {
      std::ranges::for_each(own.rows, correct);
    } else {
      for (PetscInt i = 0; i < of.size; ++i) correct(i);
    }
  }
  std::ranges::copy(of.found, values.begin());
  return why;
}

}  // namespace cotangent::la
