// SPDX-License-Identifier: BSD-3-Clause
// A sparse linear system over all sites, in square blocks of any size a site, whose pattern is that of the
// terms' second derivatives, solved by PETSc.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lattice/method.hpp"

namespace cotangent::lattice {

class BlockSystem {
 public:
  /// What solves where options don't say otherwise. Reduced: substructures, what joins them to four digits,
  /// for the iterations around it correct the rest (a chain's direct solvers cost more in messages than in
  /// arithmetic). Assembled: the matrix of all ranks, and KSP (GMRES to four digits, if options don't
  /// choose); also what is reduced where options are given. Pivoting: that by MUMPS, for saddle points.
  enum class Solver { reduced, assembled, pivoting };

  /// Options of PETSc for it begin with `prefix`. Of lattice and pattern, which outlive it. A system `like`
  /// another one has its storage where substructures solve it. Collective.
  BlockSystem(const Lattice& lattice, const Pattern& pattern, int block, const char* prefix, Solver solver,
              const BlockSystem* like = nullptr);
  ~BlockSystem();
  BlockSystem(BlockSystem&&) noexcept;

  /// Calls row(site, first, places, values) for each site of this rank: `first` is the number of its first
  /// block in the pattern, values are 0, `block` rows of as many times the places. Collective.
  using Row = std::function<void(std::int64_t site, std::int64_t first, std::span<const std::int64_t> places,
                                 std::span<double> values)>;
  void fill(const Row& row);
  /// Solves, site after site, in the place of the right-hand side. Empty where that went well, else PETSc's
  /// reason in plain words. Collective.
  std::string solve(std::span<double> values);
  /// What solves, in words.
  std::string solver() const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace cotangent::lattice
