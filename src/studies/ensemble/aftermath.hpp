// SPDX-License-Identifier: BSD-3-Clause
// What is made of the rows of all trajectories when the last of them has ended, each rank doing a share: of
// the rows that the result holds, so that it needs no memory on the way and doesn't depend on lanes, ranks or
// restarts.
#pragma once

#include <cstdint>
#include <optional>

#include "run/evolution.hpp"

namespace cotangent::studies {

class Aftermath {
 public:
  virtual ~Aftermath() = default;
  /// "averages": what it makes, of trajectories.
  virtual const char* name() const = 0;
  /// A piece of this rank's share.
  virtual void advance() = 0;
  /// How many trajectories of this rank's share it has gone through, and how many there are.
  virtual std::int64_t done() const = 0;
  virtual std::int64_t all() const = 0;
  bool ended() const { return done() == all(); }
  /// When all ranks' shares are done. Collective.
  virtual void finish() = 0;
  /// What the run's summary says of it, once it is finished.
  virtual std::optional<run::Line> line() const { return std::nullopt; }
};

}  // namespace cotangent::studies
