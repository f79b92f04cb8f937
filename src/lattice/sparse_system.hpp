// SPDX-License-Identifier: BSD-3-Clause
// A sparse linear system over the coordinates of all sites, real or complex: mass + gyration * first + force
// * second, of the terms' second derivatives. Complex ones are stored as real ones of twice the size, real
// and imaginary parts of a coordinate side by side.
#pragma once

#include <complex>

#include "lattice/block_system.hpp"

namespace cotangent::lattice {

class SparseSystem {
 public:
  /// As BlockSystem. Rows of coordinates that are held are the identity's. Collective.
  SparseSystem(const Lattice& lattice, const Pattern& pattern, bool complex, const char* prefix,
               BlockSystem::Solver solver, const SparseSystem* like = nullptr);

  bool complex() const { return complex_; }
  /// Collective.
  void fill(const SecondDerivatives& derivatives, std::complex<double> first, std::complex<double> second);
  /// As BlockSystem; of a complex system real and imaginary parts side by side. Collective.
  std::string solve(std::span<double> values) { return system_.solve(values); }
  std::string solver() { return system_.solver(); }

 private:
  const Lattice* lattice_;
  bool complex_;
  BlockSystem system_;
};

}  // namespace cotangent::lattice
