// SPDX-License-Identifier: BSD-3-Clause
// The periodic orbits found, their families and manifolds as an Evolution: each rank follows the families of
// every size()-th orbit and grows its share of the manifolds; then these cross those of all ranks.
#pragma once

#include "run/evolution.hpp"
#include "studies/periodic_orbits/families.hpp"
#include "studies/periodic_orbits/tangles.hpp"

namespace cotangent::studies {

class OrbitsEvolution : public run::Evolution {
 public:
  OrbitsEvolution(const OrbitSurvey& survey, const FoundOrbits& found);

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override;
  void begin(run::Records& records) override;
  void state(run::StateFields& state) override;
  void advance(std::int64_t units, run::Records& records) override;
  bool ended() const override;
  void hand_over(run::Records& records) override { families_.hand_over(records); }
  /// Manifolds cross those of all ranks, once their rows are on disk.
  bool begin_last_part(run::Records& records) override;
  void finish(run::Records& records) override { tangles_.finish(records); }
  run::Progress progress() const override;
  std::vector<run::Line> summary(const run::Effort&) override;
  bool failed() override { return false; }

 private:
  const OrbitSurvey& survey_;
  const FoundOrbits& found_;
  const run::Share share_;  ///< of the orbits found
  Families families_;
  Tangles tangles_;
  bool crosses_ = false;  ///< all manifolds are grown
};

}  // namespace cotangent::studies
