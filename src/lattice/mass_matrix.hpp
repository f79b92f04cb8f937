// SPDX-License-Identifier: BSD-3-Clause
// The mass matrix L_vv of a lattice, for any Lagrangian: which site's block is singular, and velocities from
// momenta. Where no term couples velocities of different sites it is solved site by site, else as a sparse
// system.
#pragma once

#include <optional>

#include "lattice/sparse_system.hpp"

namespace cotangent::lattice {

/// The first site, of all ranks', whose block of L_vv is singular, and what to say of it. Collective.
struct Massless {
  std::int64_t site;
  std::string text() const;
};
std::optional<Massless> massless(const Lattice& lattice, const Pattern& pattern,
                                 const SecondDerivatives& derivatives);

class MassMatrix {
 public:
  /// Of lattice and pattern, which outlive it.
  MassMatrix(const Lattice& lattice, const Pattern& pattern, BlockSystem::Solver solver)
      : lattice_(lattice), pattern_(pattern), solver_(solver) {}

  /// Collective.
  void fill(const SecondDerivatives& derivatives);
  /// Solves in the place of the right-hand side, which is 0 where sites are held; as SparseSystem does.
  /// PETSc's options begin with "mass_". Collective.
  std::string solve(std::span<double> values);

 private:
  const Lattice& lattice_;
  const Pattern& pattern_;
  BlockSystem::Solver solver_;  // where they are coupled
  std::vector<double> blocks_;  // of the sites, where they aren't coupled
  std::optional<SparseSystem> coupled_;
};

}  // namespace cotangent::lattice
