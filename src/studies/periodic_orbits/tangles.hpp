// SPDX-License-Identifier: BSD-3-Clause
// Manifolds of the hyperbolic orbits found, four of each: unstable and stable, to either side; and where an
// unstable and a stable one of an orbit cross. Each manifold is grown by one rank, and its points are all
// that crossings ask of it: so these are shared out anew, by what stands in the result. Of an orbit of
// several returns the manifolds are those of its first point on the section, or behind its first bounce. They
// are curves in the plane of one coordinate and its velocity; under constraints and between walls, of states.
//   /manifolds/...   a row for each manifold
//   /homoclinic/...  a row for each pair of an unstable and a stable manifold of an orbit
#pragma once

#include "chaos/return_map.hpp"
#include "run/records.hpp"
#include "run/state.hpp"
#include "studies/periodic_orbits/search.hpp"

namespace cotangent::studies {

class Tangles {
 public:
  /// Throws an Error where the deck asks for an orbit that isn't there or isn't hyperbolic.
  Tangles(const OrbitSurvey& survey, const FoundOrbits& found);

  std::vector<io::DataSetSpec> data_sets() const;
  void begin(run::Records& records) const;
  void state(run::StateFields& state);
  bool ended() const { return next_ == std::ssize(*share_.ids); }
  std::int64_t done() const { return next_; }
  std::int64_t all() const { return std::ssize(*share_.ids); }
  /// Grows this rank's next manifold.
  void advance(run::Records& records);
  /// Crossings and areas, when all ranks' manifolds are on disk. Collective.
  void finish(run::Records& records);
  std::vector<std::pair<std::string, std::string>> summary() const;

 private:
  struct Kind {
    bool stable;
    int side;
  };
  static Kind kind_of(std::int64_t manifold) { return {manifold % 4 >= 2, manifold % 2 == 0 ? 1 : -1}; }
  const FoundOrbit& orbit_of(std::int64_t row) const {
    return found_.orbits[static_cast<std::size_t>(orbits_[static_cast<std::size_t>(row / 4)])];
  }
  std::int64_t rows() const { return 4 * std::ssize(orbits_); }
  chaos::InvariantManifold manifold(std::int64_t row) const;
  std::int64_t width() const { return std::ssize(columns_); }  ///< of a point
  std::vector<double> birkhoff(const std::vector<double>& states) const;
  void cross(std::int64_t pair, run::Records& records);

  const OrbitSurvey& survey_;
  const FoundOrbits& found_;
  std::vector<int> columns_;          ///< the numbers of a state that make a manifold's point
  std::vector<std::int64_t> orbits_;  ///< those with manifolds
  run::Share share_;                  ///< of the manifolds
  std::int64_t next_ = 0;             ///< of this rank's
  std::vector<std::int32_t> is_done_;
  std::int64_t crossings_ = 0, lobes_ = 0;
};

}  // namespace cotangent::studies
