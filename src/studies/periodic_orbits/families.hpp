// SPDX-License-Identifier: BSD-3-Clause
// The families of the orbits found, each followed by those that branch off it. The ranks share out the orbits
// found; a family depends on its first orbit alone (chaos/continuation.hpp has the mathematics).
#pragma once

#include "run/records.hpp"
#include "run/state.hpp"
#include "studies/periodic_orbits/records.hpp"

namespace cotangent::studies {

/// A rank's.
class Families {
 public:
  /// `share`: which of the orbits found are the rank's.
  Families(const OrbitSurvey& survey, const FoundOrbits& found, const run::Share& share);
  ~Families();

  void begin(run::Records& records) const;
  void state(run::StateFields& state);
  /// Follows them by so many orbits, or to their ends; returns how many orbits are left to go.
  std::int64_t advance(std::int64_t orbits, run::Records& records);
  bool ended() const { return done() == all(); }
  std::int64_t done() const;  ///< of the orbits found, those whose families are followed to their ends
  std::int64_t all() const;
  void hand_over(run::Records& records) const;
  std::int64_t orbits() const;  ///< that they have gone through

 private:
  class Lineage;

  const OrbitSurvey& survey_;
  run::Share share_;
  std::vector<Lineage> lineages_;
};

}  // namespace cotangent::studies
