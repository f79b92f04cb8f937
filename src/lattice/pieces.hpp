// SPDX-License-Identifier: BSD-3-Clause
// Which sites are one piece. Each rank joins what it knows of its sites by union-find (Tarjan, J. ACM 22
// (1975) 215, with halved paths); what remains are its roots, and which of them are joined with other ranks'.
// Over these a root's label, which is a root of its piece and never above the root itself, falls until
// nothing changes: to the least of its neighbours', which it hands to the label that it had (hooking), and to
// its label's label (pointer jumping). That takes some log n rounds, also where numbers of sites have nothing
// to do with who is joined with whom. Reference: Shiloach, Vishkin, J. Algorithms 3 (1982) 57; Zhang, Azad,
// Hu, FastSV (SIAM PP 2020).
#pragma once

#include <vector>

#include "lattice/grid.hpp"

namespace cotangent::lattice {

class Pieces {
 public:
  /// Of so many sites, of which this rank has its range.
  explicit Pieces(std::int64_t sites);

  /// Joins two sites, this rank's or not; any rank may say so.
  void join(std::int64_t a, std::int64_t b);
  /// The least site that isn't one piece with site 0, -1 where there is none. Collective; the last call.
  std::int64_t astray();

 private:
  /// What is said of a root (or a site) to the rank that has it: another one.
  struct Word {
    std::int64_t root, other;
    auto operator<=>(const Word&) const = default;
  };
  using Words = std::vector<std::vector<Word>>;  // for each rank

  void say(Words& words, std::int64_t root, std::int64_t other) const;
  /// This rank's roots with those of others that they are joined with. Collective.
  std::vector<Word> joints();
  std::int64_t top(std::int64_t site);
  std::int64_t& label(std::int64_t site) { return above_[static_cast<std::size_t>(site - range_.first)]; }

  std::int64_t sites_;
  Range range_;
  std::vector<std::int64_t> above_;  // of this rank's sites: another one of them; at last the roots' labels
  std::vector<Word> across_;         // pairs of sites that aren't both this rank's
};

}  // namespace cotangent::lattice
