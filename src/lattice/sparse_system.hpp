// A sparse linear system over the coordinates of all sites, real or complex, in blocks of a site's
// coordinates, whose pattern is that of the terms' second derivatives; complex ones are stored as real ones
// of twice the size, real and imaginary parts of a coordinate side by side. Solved by PETSc: unless options
// say otherwise, by LU on one rank; on several by GMRES, to four digits, with LU of each rank's block, for
// the iterations around it correct the rest (a chain's direct solvers cost more in messages than in
// arithmetic).
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "lattice/method.hpp"

namespace cotangent::lattice {

class SparseSystem {
 public:
  /// Options of PETSc for it begin with `prefix`. Rows of coordinates that are held are the identity's. Of
  /// lattice and pattern, which outlive it. A system `like` another one, with the same prefix, has its
  /// storage where factors alone are kept. Collective.
  SparseSystem(const Lattice& lattice, const Pattern& pattern, bool complex, const char* prefix,
               const SparseSystem* like = nullptr);
  ~SparseSystem();
  SparseSystem(SparseSystem&&) noexcept;

  bool complex() const { return complex_; }
  /// Takes over mass + gyration * first + force * second, block by block; those of a factor 0 may be missing.
  /// Collective.
  void fill(const SecondDerivatives& derivatives, std::complex<double> first, std::complex<double> second);
  /// Solves for the coordinates of this rank, site after site, in the place of the right-hand side; of a
  /// complex system real and imaginary parts side by side. Empty where that went well, else PETSc's reason in
  /// plain words. Collective.
  std::string solve(std::span<double> values);

 private:
  struct Storage;
  struct Handles;
  bool complex_;
  std::unique_ptr<Handles> handles_;
};

}  // namespace cotangent::lattice
