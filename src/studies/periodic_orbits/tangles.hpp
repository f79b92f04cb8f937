// SPDX-License-Identifier: BSD-3-Clause
// Manifolds of the hyperbolic orbits found, four of each of an orbit's points (its returns, or bounces):
// unstable and stable, to either side; and where an unstable one of its first point crosses a stable one of
// any: of others the map knows. Each manifold is grown by one rank, and its points are all that crossings ask
// of it: so these are shared out anew, by what stands in the result. They are curves in the plane of one
// coordinate and its velocity; under constraints and between walls, of states.
//   /manifolds/...   a row for each manifold
//   /homoclinic/...  a row for each such pair
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
  /// Crossings and areas, when all ranks' manifolds are on disk: of this rank's next pair.
  void cross_next(run::Records& records);
  std::int64_t crossed() const { return crossed_; }
  /// Collective.
  void finish(run::Records& records);
  std::vector<std::pair<std::string, std::string>> summary() const;

 private:
  struct Row {
    std::int64_t orbit;  ///< a row of /orbits
    std::int64_t first;  ///< of the orbit's rows
    int point, kind;     ///< which of its points; 0 to 3

    bool stable() const { return kind >= 2; }
    int side() const { return kind % 2 == 0 ? 1 : -1; }
  };
  const FoundOrbit& orbit_of(std::int64_t row) const {
    return found_.orbits[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].orbit)];
  }
  std::int64_t rows() const { return std::ssize(rows_); }
  chaos::InvariantManifold manifold(std::int64_t row) const;
  std::int64_t width() const { return std::ssize(columns_); }  ///< of a point
  std::vector<double> birkhoff(const std::vector<double>& states) const;
  void cross(std::int64_t pair, run::Records& records);

  const OrbitSurvey& survey_;
  const FoundOrbits& found_;
  std::vector<int> columns_;  ///< the numbers of a state that make a manifold's point
  std::int64_t orbits_ = 0;   ///< those with manifolds
  std::vector<Row> rows_;     ///< the manifolds
  run::Share share_;          ///< of these
  std::int64_t next_ = 0;     ///< of this rank's
  std::vector<std::int32_t> is_done_;
  std::int64_t crossed_ = 0, crossings_ = 0, lobes_ = 0, lost_ = 0;
};

}  // namespace cotangent::studies
