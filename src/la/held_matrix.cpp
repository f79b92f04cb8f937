#include "la/held_matrix.hpp"

#include <algorithm>

#include "la/sparse.hpp"

namespace cotangent::la {

namespace {
// A factorisation takes the time of about twenty of GMRES' iterations.
constexpr int most = 10;

/// A matrix of blocks by rows: where each row begins, and the columns.
Matrix matrix_of_blocks(PetscInt size, PetscInt block, const std::vector<PetscInt>& begin,
                        const std::vector<PetscInt>& column) {
  Matrix matrix;
  check(MatCreate(PETSC_COMM_SELF, matrix.out()), "MatCreate");
  check(MatSetSizes(matrix, size, size, size, size), "MatSetSizes");
  check(MatSetType(matrix, MATSEQBAIJ), "MatSetType");
  check(MatSeqBAIJSetPreallocationCSR(matrix, block, begin.data(), column.data(), nullptr),
        "MatSeqBAIJSetPreallocationCSR");
  return matrix;
}

/// The values of a matrix of blocks, to write, as long as this lives.
class Blocks {
 public:
  explicit Blocks(Mat matrix) : matrix_(matrix) {
    check(MatSeqBAIJGetArray(matrix, &values), "MatSeqBAIJGetArray");
  }
  ~Blocks() { MatSeqBAIJRestoreArray(matrix_, &values); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  double* values = nullptr;

 private:
  Mat matrix_;
};

HeldMatrix* owner(Mat shell) {
  void* self = nullptr;
  check(MatShellGetContext(shell, &self), "MatShellGetContext");
  return static_cast<HeldMatrix*>(self);
}

using Operation = void (*)();
}  // namespace

HeldMatrix::HeldMatrix(PetscInt size, PetscInt block, std::span<const PetscInt> rows,
                       std::span<const PetscInt> columns)
    : size_(size), block_(block) {
  std::vector<std::vector<PetscInt>> of_row(static_cast<std::size_t>(size / block));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] >= 0) of_row[static_cast<std::size_t>(rows[k] / block)].push_back(columns[k] / block);
  }
  begin_ = {0};
  std::vector<PetscInt> column;
  for (auto& row : of_row) {
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
    column.insert(column.end(), row.begin(), row.end());
    begin_.push_back(std::ssize(column));
  }
  const auto place = [&](PetscInt i, PetscInt j) {
    const auto from = column.begin() + begin_[static_cast<std::size_t>(i / block)];
    const auto to = column.begin() + begin_[static_cast<std::size_t>(i / block) + 1];
    const PetscInt at = std::lower_bound(from, to, j / block) - column.begin();
    return (at * block + j % block) * block + i % block;  // blocks are stored by column
  };
  for (std::size_t k = 0; k < rows.size(); ++k)
    place_.push_back(rows[k] < 0 ? -1 : place(rows[k], columns[k]));
  for (PetscInt i = 0; i < size; ++i) diagonal_.push_back(place(i, i));

  whole_ = matrix_of_blocks(size, block, begin_, column);
  blocks_ = matrix_of_blocks(size, block, begin_, column);
  check(MatGetFactor(blocks_, MATSOLVERPETSC, MAT_FACTOR_LU, factor_.out()), "MatGetFactor");
  check(MatFactorInfoInitialize(&info_), "MatFactorInfoInitialize");
  IndexSet by_row, by_column;
  check(MatGetOrdering(blocks_, MATORDERINGQMD, by_row.out(), by_column.out()), "MatGetOrdering");
  check(MatLUFactorSymbolic(factor_, blocks_, by_row, by_column, &info_), "MatLUFactorSymbolic");
  check(MatCreateVecs(blocks_, from_.out(), to_.out()), "MatCreateVecs");

  check(MatCreateShell(PETSC_COMM_SELF, size, size, size, size, this, shell_.out()), "MatCreateShell");
  check(MatShellSetOperation(shell_, MATOP_MULT, reinterpret_cast<Operation>(multiply_all_callback)),
        "MatShellSetOperation");
  check(MatShellSetOperation(shell_, MATOP_CREATE_SUBMATRIX, reinterpret_cast<Operation>(submatrix_callback)),
        "MatShellSetOperation");
}

void HeldMatrix::set(std::span<const double> entries) {
  const Blocks to(whole_);
  std::fill_n(to.values, begin_.back() * block_ * block_, 0.0);
  for (std::size_t k = 0; k < place_.size(); ++k) {
    if (place_[k] >= 0) to.values[place_[k]] += entries[k];
  }
  changed(shell_);
}

void HeldMatrix::hold(IS free) {
  const PetscInt* index = nullptr;
  PetscInt count = 0;
  check(ISGetLocalSize(free, &count), "ISGetLocalSize");
  check(ISGetIndices(free, &index), "ISGetIndices");
  free_.assign(index, index + count);
  check(ISRestoreIndices(free, &index), "ISRestoreIndices");
  check(VecSet(from_, 0.0), "VecSet");
}

bool HeldMatrix::prepare(IS free, bool may_keep) {
  hold(free);
  const bool keep = may_keep && factorisations_ > 0 && solves_ <= most;
  solves_ = 0;
  if (keep) return true;
  ++factorisations_;
  {
    const Blocks from(whole_), to(blocks_);
    std::copy_n(from.values, begin_.back() * block_ * block_, to.values);
    auto next = free_.begin();
    for (PetscInt i = 0; i < size_; ++i) {
      if (next != free_.end() && *next == i) {
        ++next;
        continue;
      }
      const auto row = static_cast<std::size_t>(i / block_);
      for (PetscInt k = begin_[row] * block_; k < begin_[row + 1] * block_; ++k)
        to.values[k * block_ + i % block_] = 0;
      to.values[diagonal_[static_cast<std::size_t>(i)]] = 1;
    }
  }
  check(MatFactorClearError(factor_), "MatFactorClearError");  // PETSc keeps the last one
  check(MatLUFactorNumeric(factor_, blocks_, &info_), "MatLUFactorNumeric");
  MatFactorError error = MAT_FACTOR_NOERROR;
  check(MatFactorGetError(factor_, &error), "MatFactorGetError");
  return error == MAT_FACTOR_NOERROR;
}

template <class Operation>
void HeldMatrix::among_all(Vec from, Vec to, const Operation& operation) {
  const double* read = nullptr;
  check(VecGetArrayRead(from, &read), "VecGetArrayRead");
  {
    const Values all(from_);
    for (std::size_t k = 0; k < free_.size(); ++k) all.data()[free_[k]] = read[k];
  }
  check(VecRestoreArrayRead(from, &read), "VecRestoreArrayRead");
  operation();
  const Values write(to);
  check(VecGetArrayRead(to_, &read), "VecGetArrayRead");
  for (std::size_t k = 0; k < free_.size(); ++k) write.data()[k] = read[free_[k]];
  check(VecRestoreArrayRead(to_, &read), "VecRestoreArrayRead");
}

void HeldMatrix::solve(Vec b, Vec x) {
  ++solves_;
  among_all(b, x, [&] { check(MatSolve(factor_, from_, to_), "MatSolve"); });
}

PetscErrorCode HeldMatrix::multiply_all_callback(Mat shell, Vec x, Vec y) {
  return called_back([&] { check(MatMult(owner(shell)->whole_, x, y), "MatMult"); });
}
PetscErrorCode HeldMatrix::multiply_free_callback(Mat shell, Vec x, Vec y) {
  return called_back([&] {
    HeldMatrix* self = owner(shell);
    self->among_all(x, y, [&] { check(MatMult(self->whole_, self->from_, self->to_), "MatMult"); });
  });
}

PetscErrorCode HeldMatrix::submatrix_callback(Mat shell, IS rows, IS, MatReuse, Mat* part) {
  return called_back([&] {
    HeldMatrix* self = owner(shell);
    self->hold(rows);
    const PetscInt count = std::ssize(self->free_);
    check(MatCreateShell(PETSC_COMM_SELF, count, count, count, count, self, part), "MatCreateShell");
    check(MatShellSetOperation(*part, MATOP_MULT, reinterpret_cast<Operation>(multiply_free_callback)),
          "MatShellSetOperation");
  });
}

}  // namespace cotangent::la
