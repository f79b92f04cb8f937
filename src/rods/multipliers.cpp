// SPDX-License-Identifier: BSD-3-Clause
#include "rods/multipliers.hpp"

#include <algorithm>

#include "la/indices.hpp"
#include "la/sparse.hpp"
#include "la/tridiagonal.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::rods {

using la::check;

namespace {

/// So few rods are solved for by each rank, all of them, where more than so many couplings join rods of
/// different ranks: that is one exchange, and GMRES takes one for each coupling.
constexpr PetscInt few_rods = 4000, few_couplings = 16;

void use_factorisation(KSP solver, bool pivoting) {
  PC preconditioner = nullptr;
  check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
  check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
  check(PCSetType(preconditioner, PCLU), "PCSetType");
  if (pivoting) check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS), "PCFactorSetMatSolverType");
}

}  // namespace

/// The assembled matrix: to each stored entry a weight, and the rods whose gradients it multiplies.
template <int D>
struct RodMultipliers<D>::Schur {
  la::Matrix matrix;
  std::unique_ptr<la::MatrixRows> rows;
  /// Entries (row + i, column + i), i < count, of known rods, a diagonal of the matrix: stored `stride`
  /// apart, or, where that is 0, at the places that are listed from `place` on.
  struct Run {
    std::size_t row, column, place, stride, count, weight;
    bool elsewhere;
  };
  std::vector<Run> runs;
  std::vector<double> weight;
  std::vector<PetscInt> places;

  explicit Schur(const RodBlock<D>& block) {
    // Rods that meet at a point that moves.
    std::vector<std::vector<int>> at(static_cast<std::size_t>(block.point_count()));
    for (int k = 0; k < block.known_count(); ++k) {
      for (const int end : {block.first_end(k), block.second_end(k)}) {
        if (end >= 0 && block.moves(end)) at[static_cast<std::size_t>(end)].push_back(k);
      }
    }
    const auto count = static_cast<PetscInt>(block.own_count());
    const auto neighbours = [&](int own) {
      const int known = block.own_begin() + own;
      std::vector<int> list{known};
      for (const int end : {block.first_end(known), block.second_end(known)}) {
        if (end < 0 || !block.moves(end)) continue;
        const auto& here = at[static_cast<std::size_t>(end)];
        list.insert(list.end(), here.begin(), here.end());
      }
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      return list;
    };
    const auto is_own = [&](int known) {
      return known >= block.own_begin() && known < block.own_begin() + block.own_count();
    };
    std::vector<PetscInt> own_width, foreign_width;
    std::int64_t entries = 0;
    for (int k = 0; k < block.own_count(); ++k) {
      const auto list = neighbours(k);
      own_width.push_back(static_cast<PetscInt>(std::ranges::count_if(list, is_own)));
      foreign_width.push_back(static_cast<PetscInt>(std::ssize(list)) - own_width.back());
      entries += std::ssize(list);
    }
    la::require_indices("the rods' multipliers", parallel::sum(std::int64_t{count}), entries);
    check(MatCreateAIJ(MPI_COMM_WORLD, count, count, PETSC_DETERMINE, PETSC_DETERMINE, 0, own_width.data(), 0,
                       foreign_width.data(), matrix.out()),
          "MatCreateAIJ");
    for (int k = 0; k < block.own_count(); ++k) {
      for (const int j : neighbours(k)) {
        const double initially = j == block.own_begin() + k ? 1.0 : 0.0;
        check(MatSetValue(matrix, static_cast<PetscInt>(block.first_rod() + k),
                          static_cast<PetscInt>(block.rod(j)), initially, INSERT_VALUES),
              "MatSetValue");
      }
    }
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
    // From now on only values change: no rank has to ask another whether they do.
    check(MatSetOption(matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE), "MatSetOption");
    check(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE), "MatSetOption");
    rows = std::make_unique<la::MatrixRows>(matrix);
    find_runs(block);
  }

  void find_runs(const RodBlock<D>& block) {
    struct Entry {
      int row, column;
      PetscInt place;
    };
    std::vector<Entry> entries;
    rows->for_each([&](PetscInt row, PetscInt column, PetscInt place) {
      entries.push_back({block.own_begin() + static_cast<int>(row), block.place(column), place});
    });
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.column - e.row, e.row); });
    for (const auto& [row, column, place] : entries) {
      const bool elsewhere = place >= rows->first_count();
      const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column),
                 p = static_cast<std::size_t>(elsewhere ? place - rows->first_count() : place);
      Run* last = runs.empty() ? nullptr : &runs.back();
      if (last != nullptr && last->elsewhere == elsewhere && r == last->row + last->count &&
          c == last->column + last->count && p > last->place &&
          (last->count == 1 || p == last->place + last->count * last->stride)) {
        if (last->count == 1) last->stride = p - last->place;
        ++last->count;
      } else {
        runs.push_back({r, c, p, 1, 1, weight.size(), elsewhere});
      }
      weight.push_back(block.weight(row, column));
    }
    list_short_runs();
  }

  /// Of molecules: where rows differ in their number of entries, strides change with each.
  void list_short_runs() {
    constexpr std::size_t short_run = 8;
    std::vector<Run> listed;
    for (const Run& run : runs) {
      Run* last = listed.empty() ? nullptr : &listed.back();
      const bool goes_on = last != nullptr && last->stride == 0 && last->elsewhere == run.elsewhere &&
                           last->row + last->count == run.row && last->column + last->count == run.column;
      if (run.count >= short_run) {
        listed.push_back(run);
        continue;
      }
      if (!goes_on) listed.push_back({run.row, run.column, places.size(), 0, 0, run.weight, run.elsewhere});
      listed.back().count += run.count;
      for (std::size_t k = 0; k < run.count; ++k)
        places.push_back(static_cast<PetscInt>(run.place + k * run.stride));
    }
    runs = std::move(listed);
  }

  void assemble(const PointVectors& left, const PointVectors& right) {
    rows->write([&](double* here, double* elsewhere) {
      for (const Run& run : runs) {
        double* __restrict values = (run.elsewhere ? elsewhere : here) + (run.stride == 0 ? 0 : run.place);
        const double* w = weight.data() + run.weight;
        std::array<const double*, D> a, b;
        for (int d = 0; d < D; ++d) {
          a[d] = left[d].data() + run.row;
          b[d] = right[d].data() + run.column;
        }
        const auto entry = [&](std::size_t k) {
          double sum = a[0][k] * b[0][k];
          for (int d = 1; d < D; ++d) sum += a[d][k] * b[d][k];
          return w[k] * sum;
        };
        if (run.stride == 0) {
          const PetscInt* place = places.data() + run.place;
          for (std::size_t k = 0; k < run.count; ++k) values[place[k]] = entry(k);
        } else if (run.stride == 3) {  // a chain's: known to the compiler
          for (std::size_t k = 0; k < run.count; ++k) values[3 * k] = entry(k);
        } else {
          for (std::size_t k = 0; k < run.count; ++k) values[run.stride * k] = entry(k);
        }
      }
    });
  }

  void configure(KSP solver) {
    check(KSPSetOperators(solver, matrix, matrix), "KSPSetOperators");
    if (la::is_tridiagonal(matrix)) {
      PC preconditioner = nullptr;
      check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
      check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
      check(PCSetOperators(preconditioner, matrix, matrix), "PCSetOperators");
      la::use_tridiagonal(preconditioner);
    } else if (parallel::size() == 1) {
      use_factorisation(solver, false);
    } else {
      across(solver);
    }
  }

  void across(KSP solver) {
    PC preconditioner = nullptr;
    PetscInt rods = 0, here = 0;
    check(KSPGetPC(solver, &preconditioner), "KSPGetPC");
    check(MatGetSize(matrix, &rods, nullptr), "MatGetSize");
    check(MatGetGhosts(matrix, &here, nullptr), "MatGetGhosts");
    const auto couplings = parallel::sum(std::int64_t{here});
    if (rods <= few_rods && couplings > few_couplings) {
      check(KSPSetType(solver, KSPPREONLY), "KSPSetType");
      check(PCSetType(preconditioner, PCREDUNDANT), "PCSetType");
      return;
    }
    // Each rank's block by itself, and what is left by GMRES, which ends after as many iterations as there
    // are couplings if it keeps as many directions; memory goes to those that it uses.
    const auto directions = static_cast<PetscInt>(std::clamp<std::int64_t>(couplings + 20, 100, 1000));
    check(KSPSetType(solver, KSPGMRES), "KSPSetType");
    check(KSPGMRESSetRestart(solver, directions), "KSPGMRESSetRestart");
    check(KSPSetTolerances(solver, 1e-13, 1e-300, PETSC_DEFAULT, 1000), "KSPSetTolerances");
    check(PCSetType(preconditioner, PCBJACOBI), "PCSetType");
    check(KSPSetUp(solver), "KSPSetUp");
    KSP* parts = nullptr;
    PetscInt count = 0;
    check(PCBJacobiGetSubKSP(preconditioner, &count, nullptr, &parts), "PCBJacobiGetSubKSP");
    for (PetscInt i = 0; i < count; ++i) use_factorisation(parts[i], false);
  }
};

/// The rods of an open chain, each coupled to the one before and the one after.
template <int D>
struct RodMultipliers<D>::Chain {
  std::vector<double> before, own, after;  // weights
  std::vector<double> share;

  explicit Chain(const RodBlock<D>& block) : share(static_cast<std::size_t>(block.own_count())) {
    const int n = block.own_count();
    for (int k = 0; k < n; ++k) {
      before.push_back(k > 0 ? block.weight(k, k - 1) : 0.0);
      own.push_back(block.weight(k, k));
      after.push_back(k + 1 < n ? block.weight(k, k + 1) : 0.0);
    }
  }

  static bool fits(const RodBlock<D>& block, Mat matrix) {
    const int n = block.own_count();
    return parallel::size() == 1 && (n < 3 || (la::is_tridiagonal(matrix) && block.weight(0, n - 1) == 0.0));
  }

  void solve(const PointVectors& left, const PointVectors& right, const double* b, double* y) {
    const std::size_t n = own.size();
    const auto entry = [&](std::size_t k, std::size_t j) {
      double sum = left[0][k] * right[0][j];
      for (int d = 1; d < D; ++d) sum += left[d][k] * right[d][j];
      return sum;
    };
    const auto rows = [&](std::size_t begin, std::size_t end, double* __restrict lower,
                          double* __restrict diagonal, double* __restrict upper) {
      for (std::size_t k = begin; k < end; ++k) diagonal[k - begin] = own[k] * entry(k, k);
      if (begin == 0) lower[0] = 0.0;
      for (std::size_t k = std::max<std::size_t>(begin, 1); k < end; ++k)
        lower[k - begin] = before[k] * entry(k, k - 1);
      for (std::size_t k = begin; k < std::min(end, n - 1); ++k)
        upper[k - begin] = after[k] * entry(k, k + 1);
      if (end == n) upper[n - 1 - begin] = 0.0;
    };
    la::solve_tridiagonal(n, rows, b, y, share.data());
  }
};

/// The larger matrix: to each rank the coordinates of the moving points that it reports, then its rods.
template <int D>
struct RodMultipliers<D>::Saddle {
  const RodBlock<D>& block;
  RodHalo<D>& halo;
  la::Matrix matrix, product_matrix;
  la::LinearSolver solver;
  la::Vector right_side, solution;
  std::vector<double> values, known;
  const PointVectors *left = nullptr, *right = nullptr;
  PetscInt coordinates = 0;

  Saddle(const RodBlock<D>& own, RodHalo<D>& rod_halo)
      : block(own), halo(rod_halo), known(static_cast<std::size_t>(own.known_count())) {
    number();
    const auto rods = static_cast<PetscInt>(block.own_count());
    check(MatCreate(MPI_COMM_WORLD, matrix.out()), "MatCreate");
    check(MatSetSizes(matrix, coordinates + rods, coordinates + rods, PETSC_DETERMINE, PETSC_DETERMINE),
          "MatSetSizes");
    check(MatSetType(matrix, MATAIJ), "MatSetType");
    std::vector<PetscInt> row, column;
    for_each_entry([&](PetscInt i, PetscInt j, double) {
      row.push_back(i);
      column.push_back(j);
    });
    la::require_indices("the points' coordinates and the rods' multipliers",
                        parallel::sum(std::int64_t{coordinates} + rods), std::ssize(row));
    check(MatSetPreallocationCOO(matrix, static_cast<PetscCount>(row.size()), row.data(), column.data()),
          "MatSetPreallocationCOO");
    right_side = la::vector(coordinates + rods);
    solution = la::vector(coordinates + rods);
    check(VecSet(right_side, 0.0), "VecSet");
    check(MatCreateShell(MPI_COMM_WORLD, rods, rods, PETSC_DETERMINE, PETSC_DETERMINE, this,
                         product_matrix.out()),
          "MatCreateShell");
    const auto multiply = +[](Mat shell, Vec x, Vec y) -> PetscErrorCode {
      return la::called_back([&] {
        void* context = nullptr;
        check(MatShellGetContext(shell, &context), "MatShellGetContext");
        static_cast<Saddle*>(context)->multiply(x, y);
      });
    };
    check(MatShellSetOperation(product_matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)),
          "MatShellSetOperation");
  }

  /// Where each rank's unknowns begin, and each point's own.
  void number() {
    const auto points = static_cast<std::size_t>(block.point_count());
    const auto here = static_cast<std::size_t>(parallel::rank());
    point_row.assign(points, -1);
    for (int i = 0; i < block.point_count(); ++i) {
      if (!block.owns_point(i) || !block.moves(i)) continue;
      point_row[static_cast<std::size_t>(i)] = coordinates;
      coordinates += D;
    }
    // Of each rank, what stands before its rods.
    std::vector<std::int64_t> first_row(static_cast<std::size_t>(parallel::size()), 0);
    first_row[here] = coordinates;
    first_row = parallel::sum(std::move(first_row));
    for (std::size_t r = 1; r < first_row.size(); ++r) first_row[r] += first_row[r - 1];
    const auto& runs = block.rod_runs();
    const auto start = static_cast<PetscInt>(first_row[here] - coordinates + runs.begin(parallel::rank()));
    std::vector<int> whom;
    std::vector<std::int64_t> about;
    for (int i = 0; i < block.point_count(); ++i) {
      if (block.owns_point(i)) {
        if (block.moves(i)) point_row[static_cast<std::size_t>(i)] += start;
      } else if (block.moves(i)) {
        whom.push_back(block.ranks_of(i).front());
        about.push_back(block.point(i));
      }
    }
    const auto rows = parallel::ask(whom, about, [this](std::int64_t point, int) {
      return std::int64_t{point_row[static_cast<std::size_t>(block.place_of_point(point))]};
    });
    for (std::size_t k = 0; k < about.size(); ++k)
      point_row[static_cast<std::size_t>(block.place_of_point(about[k]))] = static_cast<PetscInt>(rows[k]);
    for (int k = 0; k < block.known_count(); ++k) {
      const auto rank = static_cast<std::size_t>(runs.rank_of(block.rod(k)));
      rod_row.push_back(static_cast<PetscInt>(first_row[rank] + block.rod(k)));
    }
  }
  std::vector<PetscInt> point_row, rod_row;  // of known ones

  /// Every entry of this rank's rows, always in one order: the masses, -G'^T, G.
  template <class Function>
  void for_each_entry(const Function& function) const {
    const auto row_of = [&](int i) { return point_row[static_cast<std::size_t>(i)]; };
    const auto part = [](const PointVectors* vectors, int k, int d) {
      return vectors == nullptr ? 0.0 : (*vectors)[static_cast<std::size_t>(d)][static_cast<std::size_t>(k)];
    };
    for (int i = 0; i < block.point_count(); ++i) {
      if (!block.owns_point(i) || !block.moves(i)) continue;
      for (int d = 0; d < D; ++d) function(row_of(i) + d, row_of(i) + d, block.mass(i));
    }
    for (int k = 0; k < block.known_count(); ++k) {
      const int ends[2] = {block.first_end(k), block.second_end(k)};
      const bool own = k >= block.own_begin() && k < block.own_begin() + block.own_count();
      const PetscInt row = rod_row[static_cast<std::size_t>(k)];
      for (int e = 0; e < 2; ++e) {
        const int i = ends[e];
        if (i < 0 || !block.moves(i)) continue;
        const double sign = e == 0 ? 1.0 : -1.0;
        for (int d = 0; d < D; ++d) {
          if (block.owns_point(i)) function(row_of(i) + d, row, -sign * part(right, k, d));
          if (own) function(row, row_of(i) + d, sign * part(left, k, d));
        }
      }
    }
  }

  void assemble() {
    values.clear();
    for_each_entry([&](PetscInt, PetscInt, double value) { values.push_back(value); });
    check(MatSetValuesCOO(matrix, values.data(), INSERT_VALUES), "MatSetValuesCOO");
    la::changed(product_matrix);
  }

  void multiply(Vec x, Vec y) {
    halo.fill(x, known);
    double* to = nullptr;
    check(VecGetArrayWrite(y, &to), "VecGetArrayWrite");
    block.apply(known, *left, *right, {to, static_cast<std::size_t>(block.own_count())});
    check(VecRestoreArrayWrite(y, &to), "VecRestoreArrayWrite");
  }

  void solve(Vec b, Vec y) {
    const double* from = nullptr;
    double* to = nullptr;
    check(VecGetArrayRead(b, &from), "VecGetArrayRead");
    check(VecGetArray(right_side, &to), "VecGetArray");
    std::copy_n(from, block.own_count(), to + coordinates);
    check(VecRestoreArray(right_side, &to), "VecRestoreArray");
    check(VecRestoreArrayRead(b, &from), "VecRestoreArrayRead");
    la::solve(solver, right_side, solution);
    check(VecGetArrayRead(solution, &from), "VecGetArrayRead");
    check(VecGetArrayWrite(y, &to), "VecGetArrayWrite");
    std::copy_n(from + coordinates, block.own_count(), to);
    check(VecRestoreArrayWrite(y, &to), "VecRestoreArrayWrite");
    check(VecRestoreArrayRead(solution, &from), "VecRestoreArrayRead");
  }

  void configure(KSP outer, const std::string& prefix) {
    check(KSPCreate(MPI_COMM_WORLD, solver.out()), "KSPCreate");
    check(KSPSetOptionsPrefix(solver, (prefix + "saddle_").c_str()), "KSPSetOptionsPrefix");
    check(KSPSetOperators(solver, matrix, matrix), "KSPSetOperators");
    use_factorisation(solver, true);
    check(KSPSetFromOptions(solver), "KSPSetFromOptions");
    check(KSPSetOperators(outer, product_matrix, product_matrix), "KSPSetOperators");
    check(KSPSetType(outer, KSPPREONLY), "KSPSetType");
    PC preconditioner = nullptr;
    check(KSPGetPC(outer, &preconditioner), "KSPGetPC");
    check(PCSetType(preconditioner, PCSHELL), "PCSetType");
    check(PCShellSetName(preconditioner, "saddle-point"), "PCShellSetName");
    check(PCShellSetContext(preconditioner, this), "PCShellSetContext");
    const auto apply = +[](PC shell, Vec b, Vec y) -> PetscErrorCode {
      return la::called_back([&] {
        void* context = nullptr;
        check(PCShellGetContext(shell, &context), "PCShellGetContext");
        static_cast<Saddle*>(context)->solve(b, y);
      });
    };
    check(PCShellSetApply(preconditioner, apply), "PCShellSetApply");
  }
};

template <int D>
RodMultipliers<D>::RodMultipliers(const RodBlock<D>& block, RodHalo<D>& halo, Formulation formulation,
                                  const std::optional<AlikeMolecules<D>>& alike, std::string prefix)
    : prefix_(std::move(prefix)) {
  if (formulation == Formulation::saddle_point) {
    saddle_ = std::make_unique<Saddle>(block, halo);
    return;
  }
  schur_ = std::make_unique<Schur>(block);
  if (la::has_option(prefix_)) return;
  const bool full = alike && alike->fill_lanes();
  if (!full && Chain::fits(block, schur_->matrix)) {
    elimination_ = Elimination::of_chain;
    chain_ = std::make_unique<Chain>(block);
  } else if (alike) {
    elimination_ = Elimination::in_molecules;
  }
}

template <int D>
RodMultipliers<D>::~RodMultipliers() = default;

template <int D>
Mat RodMultipliers<D>::matrix() const {
  return schur_ ? schur_->matrix.raw() : saddle_->product_matrix.raw();
}

template <int D>
void RodMultipliers<D>::configure(KSP solver) {
  if (schur_) {
    schur_->configure(solver);
  } else {
    saddle_->configure(solver, prefix_);
  }
}

template <int D>
void RodMultipliers<D>::assemble(const PointVectors& left, const PointVectors& right) {
  if (schur_) {
    schur_->assemble(left, right);
  } else {
    saddle_->left = &left;
    saddle_->right = &right;
    saddle_->assemble();
  }
}

template <int D>
void RodMultipliers<D>::solve(const PointVectors& left, const PointVectors& right, const double* b,
                              double* y) {
  chain_->solve(left, right, b, y);
}

template class RodMultipliers<2>;
template class RodMultipliers<3>;

}  // namespace cotangent::rods
