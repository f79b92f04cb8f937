// SPDX-License-Identifier: BSD-3-Clause
// The constraints of a lattice: which there are, by how much positions miss them, and velocities along them,
//   L_v(q, v) = p + grad g(q) mu,   grad g(q) v = 0,
// one sparse system over all sites, which MUMPS factorises.
#pragma once

#include "lattice/block_system.hpp"

namespace cotangent::lattice {

class Constraints {
 public:
  /// Of the multiplied kernel (multiplied.hpp): a site's coordinates, then its multipliers. All that is given
  /// outlives it. Collective.
  Constraints(const Lattice& lattice, Kernel& multiplied, Ghosts& ghosts, std::vector<TermInfo> infos);

  /// Which copies hold anything. Throws Error, which names the site, where positions miss one or its gradient
  /// vanishes. Collective.
  void judge_start(const SiteField& q);
  /// Whether a copy of constraint k that holds anything has this rank's site x as its first.
  bool present(int k, std::int64_t x) const { return present_[k][x] != 0; }
  /// The largest |g| of any. Collective.
  double error(const SiteField& q);
  /// Velocities of momenta p at a place with ghosts and room for multipliers; v is a guess on entry. Empty
  /// where that went well, else why not. Collective.
  std::string project(const SiteField& place, const SiteField& p, SiteField& v);

 private:
  std::int64_t own() const { return lattice_.own(); }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  SiteField make(int each) const { return {each, lattice_.here.left, lattice_.own(), lattice_.here.right}; }
  bool held(std::int64_t x) const { return lattice_.held[at(x)] != 0; }
  void gradient(const SiteField& place, const SiteField& speed, SiteField& force, SiteField& momentum);
  /// g at the positions, behind n_ components of no interest.
  SiteField values(const SiteField& q);
  /// For each of this rank's sites and each constraint, whether a copy has the site as its first.
  std::vector<char> beginnings() const;
  /// By how much a start may miss a copy of constraint k: by what places mean that are known to 1e-9 of the
  /// copy's extent (of one site: of its distance from the origin), and to round-off.
  double start_error(const SiteField& place, const SecondDerivatives& derivatives, std::int64_t x, int k);
  /// (grad g mu) of a coordinate.
  double along(const SecondDerivatives& derivatives, std::int64_t x, int c, const SiteField& mu);
  void fill(const SecondDerivatives& derivatives);

  /// Calls use(place, coordinate, dg/dq) for the constraint k of site x.
  template <class Use>
  void for_gradient(const SecondDerivatives& derivatives, std::int64_t x, int k, const Use& use) {
    const Pattern& pattern = kernel_.pattern();
    const int d = n_ + k_;
    for (std::int64_t b = pattern.begin[at(x)]; b < pattern.begin[at(x) + 1]; ++b) {
      for (int c = 0; c < n_; ++c)
        use(pattern.place[at(b)], c, derivatives.force[at((b * d + n_ + k) * d + c)]);
    }
  }

  const Lattice& lattice_;
  Kernel& kernel_;
  Ghosts& ghosts_;
  std::vector<TermInfo> infos_;
  int n_, k_;
  SiteField present_;  // 1 where a constraint is, 0 elsewhere
  BlockSystem system_;
};

}  // namespace cotangent::lattice
