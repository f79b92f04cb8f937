// SPDX-License-Identifier: BSD-3-Clause
// The map as an Evolution. Ranks take points of a level from a counter that all share; a point's orbits fly
// in this rank's lanes, numbered as in a deck that has this point alone, so that their bits are those of such
// a deck's orbits. When a level is done all ranks learn its answers and refine alike. A checkpoint holds the
// answers of the points that are done, and of others what became of the orbits that have ended.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "parallel/task_sharing.hpp"
#include "run/evolution.hpp"
#include "studies/atlas/answers.hpp"
#include "studies/atlas/deck.hpp"
#include "studies/atlas/quadtree.hpp"
#include "studies/ensemble/full_lanes.hpp"

namespace cotangent::studies {

class AtlasEvolution : public run::Evolution {
 public:
  AtlasEvolution(const AtlasPlan& atlas, const Ensemble& ensemble, sections::TrajectoryBatch& flight);

  std::vector<io::DataSetSpec> data_sets() const override;
  void begin(run::Records& records) override;
  void resume(run::Records& records) override;
  void state(run::StateFields& state) override;
  /// Advances by so many steps; in each, all lanes take one together.
  void advance(std::int64_t steps, run::Records& records) override;
  bool ended() const override { return ended_; }
  void finish(run::Records& records) override;
  run::Progress progress() const override;
  std::vector<run::Line> summary(const run::Effort& effort) override;
  bool failed() override;

 private:
  /// A point whose orbits are under way.
  struct Point {
    std::int64_t number;
    Ensemble starts;
    std::vector<Outcome> orbits{};
    std::int64_t next = 0, open = 0;
    bool none = false;  ///< no start of it is allowed

    bool has(std::int64_t orbit) const {
      return orbits[static_cast<std::size_t>(orbit)].status != Status::pending;
    }
    void skip_known();
  };
  /// An orbit of a point that isn't done, as a checkpoint has it.
  struct CarriedOrbit {
    std::int64_t orbit;
    Outcome outcome;
  };

  bool fill(int lane, std::int64_t& steps);
  bool take_point();
  void fly(std::int64_t steps);
  Outcome outcome(sections::TrajectoryRecord& flown, const std::vector<double>& parameters) const;
  void see_crossings(const sections::TrajectoryRecord& flown, Outcome& result) const;
  void land(Point& point, std::int64_t orbit, const Outcome& outcome);
  std::vector<double> points_to_store();
  std::vector<double> orbits_to_store() const;
  void recall_orbits(const run::StateFields& state, const std::vector<double>& mine);
  void learn();
  bool refine();
  void share_level();
  bool known(std::int64_t point) const { return level_of_[static_cast<std::size_t>(point)] >= 0; }
  std::span<double> row(std::int64_t point);

  const AtlasPlan& atlas_;
  const Ensemble& ensemble_;
  sections::TrajectoryBatch& flight_;
  const std::size_t width_;  ///< numbers of a point's answers
  Quadtree tree_;
  std::int64_t earlier_ = 0;            ///< points that earlier starts of the run have done
  std::vector<std::int32_t> level_of_;  ///< of each point: the level that has it, -1 where none has yet
  std::vector<double> answers_;         ///< of all points that are known on all ranks, or done here
  std::vector<std::int64_t> mine_;      ///< those done here that the others don't know yet
  std::map<std::int64_t, std::vector<CarriedOrbit>> carried_;  ///< of points, by an earlier start
  std::optional<parallel::TaskSharing> sharing_;
  std::vector<std::int64_t> due_;  ///< the points of this level that nobody had done when it was begun
  std::int64_t landed_ = 0;        ///< orbits of this start
  std::shared_ptr<Point> filling_;
  std::vector<std::shared_ptr<Point>> in_lane_;
  bool ended_ = false;
};

}  // namespace cotangent::studies
