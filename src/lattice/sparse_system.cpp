#include "lattice/sparse_system.hpp"

#include <algorithm>
#include <map>

#include "la/handles.hpp"
#include "la/sparse.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

using la::check;

struct SparseSystem::Handles {
  /// Where an entry of PETSc's comes from: an entry of the blocks, -1 for zero, -2 for one; and which part of
  /// a complex number: 0 real, 1 imaginary, -1 minus the imaginary one.
  struct Source {
    std::int64_t entry;
    int part;
  };
  la::Matrix matrix;
  la::Vector right, solution;
  la::LinearSolver solver;
  std::unique_ptr<la::Rows> rows;
  std::vector<Source> sources;
  std::int64_t size = 0;
};

SparseSystem::~SparseSystem() = default;
SparseSystem::SparseSystem(SparseSystem&&) noexcept = default;

SparseSystem::SparseSystem(const Lattice& lattice, const Pattern& pattern, bool complex, const char* prefix)
    : handles_(std::make_unique<Handles>()) {
  Handles& own = *handles_;
  const int parts = complex ? 2 : 1, dim = lattice.dim, each = dim * parts;
  const std::int64_t first = lattice.here.range.first;
  std::map<std::int64_t, std::int64_t> listed;
  for (const Ghost& ghost : lattice.ghosts) listed.emplace(ghost.place, ghost.site);
  const auto number = [&](std::int64_t place) {
    if (lattice.here.listed) return place < lattice.own() ? first + place : listed.at(place);
    return ((first + place) % lattice.sites + lattice.sites) % lattice.sites;
  };
  own.size = lattice.own() * each;
  const auto size = static_cast<PetscInt>(own.size);
  std::vector<PetscInt> here(static_cast<std::size_t>(size), 0), elsewhere(static_cast<std::size_t>(size), 0);
  std::vector<PetscInt> columns;
  const auto columns_of = [&](std::int64_t site) {
    columns.clear();
    for (std::int64_t k = pattern.begin[static_cast<std::size_t>(site)];
         k < pattern.begin[static_cast<std::size_t>(site) + 1]; ++k) {
      const std::int64_t other = number(pattern.place[static_cast<std::size_t>(k)]);
      for (int c = 0; c < each; ++c) columns.push_back(static_cast<PetscInt>(other * each + c));
    }
    std::ranges::sort(columns);
  };
  for (std::int64_t site = 0; site < lattice.own(); ++site) {
    columns_of(site);
    const auto mine = std::ranges::count_if(columns, [&](PetscInt column) {
      return column >= first * each && column < (first + lattice.own()) * each;
    });
    for (int c = 0; c < each; ++c) {
      here[static_cast<std::size_t>(site * each + c)] = static_cast<PetscInt>(mine);
      elsewhere[static_cast<std::size_t>(site * each + c)] =
          static_cast<PetscInt>(std::ssize(columns) - mine);
    }
  }
  check(MatCreateAIJ(PETSC_COMM_WORLD, size, size, PETSC_DETERMINE, PETSC_DETERMINE, 0, here.data(), 0,
                     elsewhere.data(), own.matrix.out()),
        "MatCreateAIJ");
  for (std::int64_t site = 0; site < lattice.own(); ++site) {
    columns_of(site);
    for (int c = 0; c < each; ++c) {
      const auto row = static_cast<PetscInt>((first + site) * each + c);
      std::vector<double> blank(columns.size(), 0.0);
      check(MatSetValues(own.matrix, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(),
                         blank.data(), INSERT_VALUES),
            "MatSetValues");
    }
  }
  la::changed(own.matrix);
  own.rows = std::make_unique<la::Rows>(own.matrix);
  own.sources.resize(static_cast<std::size_t>(own.rows->count()));
  own.rows->for_each([&](PetscInt row, PetscInt column, PetscInt place) {
    const std::int64_t site = row / each, other = column / each;
    const int c = row % each, d = column % each;
    Handles::Source& source = own.sources[static_cast<std::size_t>(place)];
    if (lattice.held[static_cast<std::size_t>(site)] != 0) {
      source = {other == first + site && c == d ? -2 : -1, 0};
      return;
    }
    for (std::int64_t k = pattern.begin[static_cast<std::size_t>(site)];; ++k) {
      if (number(pattern.place[static_cast<std::size_t>(k)]) != other) continue;
      source.entry = (k * dim + c / parts) * dim + d / parts;
      break;
    }
    source.part = c % parts == d % parts ? 0 : c % parts > d % parts ? 1 : -1;
  });
  check(MatCreateVecs(own.matrix, own.solution.out(), own.right.out()), "MatCreateVecs");

  check(KSPCreate(PETSC_COMM_WORLD, own.solver.out()), "KSPCreate");
  check(KSPSetOptionsPrefix(own.solver, prefix), "KSPSetOptionsPrefix");
  check(KSPSetOperators(own.solver, own.matrix, own.matrix), "KSPSetOperators");
  PC preconditioner = nullptr;
  check(KSPGetPC(own.solver, &preconditioner), "KSPGetPC");
  if (parallel::size() == 1) {
    check(KSPSetType(own.solver, KSPPREONLY), "KSPSetType");
    check(PCSetType(preconditioner, PCLU), "PCSetType");
  } else {
    check(KSPSetType(own.solver, KSPGMRES), "KSPSetType");
    check(KSPSetTolerances(own.solver, 1e-4, PETSC_DEFAULT, PETSC_DEFAULT, 500), "KSPSetTolerances");
    check(PCSetType(preconditioner, PCBJACOBI), "PCSetType");
    PetscBool chosen = PETSC_FALSE;
    check(PetscOptionsHasName(nullptr, prefix, "-sub_pc_type", &chosen), "PetscOptionsHasName");
    if (!chosen)
      check(PetscOptionsSetValue(nullptr, (std::string("-") + prefix + "sub_pc_type").c_str(), "lu"),
            "PetscOptionsSetValue");
  }
  check(KSPSetFromOptions(own.solver), "KSPSetFromOptions");
}

void SparseSystem::fill(const SecondDerivatives& derivatives, std::complex<double> first,
                        std::complex<double> second) {
  Handles& own = *handles_;
  const PetscInt border = own.rows->first_count();
  own.rows->write([&](double* mine, double* others) {
    for (std::size_t k = 0; k < own.sources.size(); ++k) {
      const auto [entry, part] = own.sources[k];
      double value = entry == -2 ? 1.0 : 0.0;
      if (entry >= 0) {
        const auto e = static_cast<std::size_t>(entry);
        value = part == 0
                    ? derivatives.mass[e] + first.real() * derivatives.gyration[e] +
                          second.real() * derivatives.force[e]
                    : part * (first.imag() * derivatives.gyration[e] + second.imag() * derivatives.force[e]);
      }
      const auto place = static_cast<PetscInt>(k);
      (place < border ? mine[place] : others[place - border]) = value;
    }
  });
  check(KSPSetOperators(own.solver, own.matrix, own.matrix), "KSPSetOperators");
}

std::string SparseSystem::solve(std::span<const double> right, std::span<double> solution) {
  Handles& own = *handles_;
  {
    const la::Values values(own.right);
    std::ranges::copy(right, values.data());
  }
  check(KSPSolve(own.solver, own.right, own.solution), "KSPSolve");
  KSPConvergedReason code = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(own.solver, &code), "KSPGetConvergedReason");
  if (code < 0) return la::reason(code);
  const la::Values values(own.solution);
  std::copy_n(values.data(), own.size, solution.begin());
  return "";
}

}  // namespace cotangent::lattice
