// SPDX-License-Identifier: BSD-3-Clause
// What moves: a particle system, a lattice, a mechanism, a sheet of water, an ensemble of trajectories. An
// Evolution says how to advance, which rows a sample has and which of them are this rank's, which named
// fields a checkpoint holds, how far it is and how it went. It knows nothing of clocks, signals, terminals or
// files: the driver (driver.hpp) does.
#pragma once

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "core/status.hpp"
#include "run/records.hpp"
#include "run/state.hpp"

namespace cotangent::run {

/// How far a run is, for the line that tells it.
struct Progress {
  double done = 0, all = 1;    ///< of all that is to be done; rank 0's numbers are shown
  std::string text;            ///< "t = 3.2 of 10"
  std::string unit = "steps";  ///< what the rate counts
  double each = 1;             ///< how many of these units one of `done` stands for

  /// Of a motion in steps of one length.
  static Progress of_steps(std::int64_t done, std::int64_t all, double length) {
    return {static_cast<double>(done), static_cast<double>(all),
            fmt::format("t = {:.4g} of {:.4g}", static_cast<double>(done) * length,
                        static_cast<double>(all) * length)};
  }
};

/// A line of the summary: its name and what it says.
using Line = std::pair<std::string, std::string>;

/// What the driver has measured, for lines of the summary.
struct Effort {
  double wall = 0, integrate = 0;  ///< seconds of this start, on this rank
};

class Evolution {
 public:
  virtual ~Evolution() = default;

  /// Whether all ranks advance together, in collective calls; else each by itself, at its own pace.
  virtual bool together() const { return true; }
  /// The data sets of the result.
  virtual std::vector<io::DataSetSpec> data_sets() const = 0;
  /// With --resume, before all else: looks at what the result has already. Collective.
  virtual void recall(const Records&) {}
  /// The start: makes it, and enters what is known of it. Collective.
  virtual void begin(Records& records) = 0;
  /// Goes on from a state that was read. Collective.
  virtual void resume(Records&) {}
  /// All that a checkpoint holds. To read, it is called in place of begin(). Collective.
  virtual void state(StateFields& state) = 0;

  /// Advances by at most `units` (steps, events, rows: what the study counts), and no further than to the
  /// next sample. The driver measures how long a call takes, and chooses `units` so that it can look at the
  /// clock several times a second. Collective where ranks advance together.
  virtual void advance(std::int64_t units, Records& records) = 0;
  /// Whether nothing is left to do, on this rank where each advances by itself.
  virtual bool ended() const = 0;
  /// Enters what belongs to this moment, if anything does. Collective where ranks advance together.
  virtual void sample(Records&) {}
  /// Enters rows that it still holds back in memory, and makes the sums that wait (SampleSums): called before
  /// a checkpoint is written, where the run stops, and at the end, since a run that goes on from there
  /// doesn't make them again. Collective where ranks advance together.
  virtual void hand_over(Records&) {}
  /// Where ranks advance by themselves, once nothing is left to do on any and all that they hold is entered:
  /// begins what is made of the rows of all of them, and returns true; ended() is false again where this rank
  /// has a share in it. False where there is no such part, or it is done. A run that was stopped in it comes
  /// here anew, and begins it from its start. Collective.
  virtual bool begin_last_part(Records&) { return false; }
  /// Enters what is known at the end. Collective.
  virtual void finish(Records&) {}

  virtual Progress progress() const = 0;
  /// What the end says, on rank 0. Collective.
  virtual std::vector<Line> summary(const Effort& effort) = 0;
  /// Whether some part of the motion failed, after the end. Collective.
  virtual bool failed() = 0;
};

}  // namespace cotangent::run
