// SPDX-License-Identifier: BSD-3-Clause
// Water that flows from time to time: steps of one length, or steps that adapt; soil and sky beside the
// scheme.
//
// What the soil takes of the rain never comes onto the land. Of what it could take besides, standing water
// soaks in to the half before a step and to the rest after (Strang 1968): exactly so where nothing flows and
// the rain is steady. An adaptive step grows by at most a half where its own error allows it and Newton's
// method had no trouble: what the scheme estimates (of second order in dt), and half of what soaked in
// otherwise than of water at rest, that of the step's inflow included, with rain that changes by half steps,
// over all water on the land and in the soil. It is done again shorter where the error is twice the tolerance
// or the scheme failed, but not below the smallest because of an error; it ends where a given depth's table
// has a row, lest the turn there be missed. A step of fixed length that fails is done in halves, quarters
// ..., down to 1/4096.
#pragma once

#include <limits>

#include "core/status.hpp"
#include "overland/boundary_values.hpp"
#include "overland/forcing.hpp"
#include "overland/water.hpp"

namespace cotangent::overland {

struct SteppingOptions {
  double step = 0;        ///< fixed, or the first one
  double tolerance = 0;   ///< of a step's error, volume over volume; 0: fixed steps
  double largest = 0;     ///< of adaptive steps
  double smallest = 0;    ///< that an error is made smaller by; failures and samples may ask for less
  int few = 7, many = 9;  ///< Newton's iterations: a step grows below, shrinks above
};

/// What a run tells of itself; a checkpoint keeps it.
struct Progress {
  Ledger ledger;
  double start_storage = 0;
  double worst_identity = 0;  ///< of any step's ledger, over the volume
  double discharge_time = 0;  ///< the integral of the mean |q| over time, by the rule of trapezia
  double last_discharge = 0;
  double step = 0;  ///< the next adaptive one
  double steps = 0, iterations = 0, retries = 0;
};

class Flow {
 public:
  Flow(const Landscape& landscape, Scheme& scheme, const Rain& rain, const Infiltration& infiltration,
       const SteppingOptions& options, Water water);
  /// Goes on from what a checkpoint has kept.
  void restore(Water water, const Progress& progress) {
    water_ = std::move(water);
    progress_ = progress;
    to_ = begin_;
  }
  /// To this time, or to where a step fails at its shortest; what failed is in why(). With a number of steps
  /// it takes so many at most, those that are done again among them, and is `pending` where more are left: it
  /// is called again, with the same time. Collective.
  Status advance(double to, std::int64_t steps = std::numeric_limits<std::int64_t>::max());

  const Water& water() const { return water_; }
  const Progress& progress() const { return progress_; }
  const std::string& why() const { return why_; }
  double storage() const;
  /// |storage - start - ledger| over the largest of them.
  double balance_error() const;
  /// The mean of |q| over the domain, now.
  double mean_discharge() const;

 private:
  bool try_step(double dt);
  bool fixed_step();
  bool adaptive_step();
  /// What the soil takes in a step: of the rain, which is made less, and of standing water no more than
  /// `room` besides. Steps that adapt know what would be in it at the end if nothing flowed, `at_rest`.
  struct Soil {
    std::vector<double> room, at_rest;
    Ledger ledger;
  };
  std::vector<double> mean_rain(double from, double to) const;
  /// The depth that comes in over the boundary at each vertex.
  std::vector<double> depth_of_inflow(double from, double to);
  /// In the soil after a time in which nothing flows, with rain that is steady in each of its parts.
  std::vector<double> infiltrated_at_rest(double dt, int parts);
  Soil soak_rain(double dt, std::vector<double>& rain);
  /// Of standing water, as much as there is room for or this share of it.
  void soak(double share, Soil& soil);
  double soil_error(const Soil& soil) const;
  /// Where adaptive steps must end next.
  double goal(double to) const;

  const Landscape& land_;
  Scheme& scheme_;
  const Rain& rain_;
  const Infiltration& infiltration_;
  SteppingOptions options_;
  Water water_;
  BoundaryValues boundary_;
  Progress progress_;
  std::string why_;
  Outcome last_;
  double begin_ = 0, to_ = 0;  ///< the times between which it is under way; equal: it isn't
  double part_ = 0;            ///< the next step
  std::int64_t done_ = 0;      ///< fixed steps from begin_
  double all_area_ = 0, shortest_ = 0;
  std::vector<double> turns_;  // times of the rows of given depths
};

}  // namespace cotangent::overland
